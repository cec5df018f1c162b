/**
 * BSON to JavaScript values, with the driver's options and defaults.
 *
 * 1. Nothing refers to the bytes afterwards: they may lie in WebAssembly memory that the next call overwrites.
 * 2. Every length is checked against the document that it lies in, so broken bytes give a `BSONError`, never a wrong value.
 * 3. A field is defined by its name, `__proto__` too; it is never assigned to a prototype.
 * 4. With `promoteValues: false` what is read and written back has the same bytes (`originals.ts` has the cases that no class holds).
 *
 * What differs from the official decoder: a regular expression that JavaScript cannot compile is a `BSONRegExp` instead of an error
 * for the whole document; with `promoteValues: false` all are; `$ref` with one dot in it is not split; binary is a plain Uint8Array.
 */
import {
  Binary, BSONError, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID,
} from 'bson';
import { lastNameEnd, readName } from './names.js';
import { isIndexName, keepBytes, keepOrder, keepUndefined } from './originals.js';
import * as type from './types.js';
import type { DecodeOptions, Document } from './types.js';
import { encodeText, readText } from './utf8.js';
import { inOrder, setOwn } from './values.js';

const NO_BYTES: Uint8Array = new Uint8Array(0);
const NO_VIEW: DataView = new DataView(new ArrayBuffer(0));

/** Reads one document after the other; each begins with `begin`. */
export class Decoder {
  #bytes = NO_BYTES;
  #view = NO_VIEW;
  #start = 0;
  #end = 0;
  #at = 0;
  #depth = 0;
  #promoteValues = true;
  #promoteLongs = true;
  #promoteBuffers = false;
  #bigInt = false;
  #bsonRegExp = false;
  #strict = true;
  #raw = false;

  /** Begins with the document that fills `bytes` from `start` up to `end`; `view` is over the same memory as `bytes`. */
  begin(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    this.#bytes = bytes;
    this.#view = view;
    this.#start = start;
    this.#end = end;
    this.#at = start;
    this.#depth = 0;
  }

  /** From now on, values are given as `options` say. */
  use(options: DecodeOptions | undefined): void {
    this.#promoteValues = options?.promoteValues ?? true;
    this.#promoteLongs = options?.promoteLongs ?? true;
    this.#promoteBuffers = options?.promoteBuffers ?? false;
    this.#bigInt = options?.useBigInt64 ?? false;
    this.#bsonRegExp = options?.bsonRegExp ?? false;
    this.#strict = options?.enableUtf8Validation ?? true;
    this.#raw = options?.raw ?? false;
    if (this.#bigInt && !(this.#promoteValues && this.#promoteLongs)) {
      throw new BSONError('Must either request bigint or Long for int64 deserialization');
    }
  }

  /** Reads the whole document, however far in it we are. */
  document(): Document {
    this.#at = this.#start;
    this.#depth = 0;
    this.#checkSize();
    return this.embedded(this.#end);
  }

  /** A copy of the whole document's bytes. */
  copy(): Uint8Array {
    return this.#bytes.slice(this.#start, this.#end);
  }

  /** Enters the document from its start; returns the offset behind it. */
  root(): number {
    this.#at = this.#start;
    this.#checkSize();
    return this.enter(this.#end);
  }

  #checkSize(): void {
    const length = this.#end - this.#start;
    if (length < 5) throw new BSONError(`bson size must be >= 5, is ${length}`);
    const size = this.#view.getInt32(this.#start, true);
    if (size !== length) throw new BSONError(`buffer length ${length} must === bson size ${size}`);
  }

  /** Enters the document at the present offset; returns the offset behind it. `next` then goes through its fields. */
  enter(limit: number): number {
    const start = this.#at;
    if (limit - start < 5) throw new BSONError('corrupt bson message < 5 bytes long');
    const size = this.#view.getInt32(start, true);
    if (size < 5 || size > limit - start) throw new BSONError('bad embedded document length in bson');
    const end = start + size;
    if (this.#bytes[end - 1] !== 0) throw new BSONError("One object, sized correctly, with a spot for an EOO, but the EOO isn't 0x00");
    this.#at = start + 4;
    return end;
  }

  /** Where the next field or value begins. */
  get offset(): number {
    return this.#at;
  }

  /** Leaves the document that ends at `end`, wherever in it we are. */
  leave(end: number): void {
    this.#at = end;
  }

  /** Type of the field read last by `next`. */
  type = 0;

  /** Goes to the next field of the document that ends at `end`: its name, or undefined at the end. */
  next(end: number): string | undefined {
    const elementType = this.#bytes[this.#at++] as number;
    if (elementType === 0) {
      if (this.#at !== end) throw new BSONError('Bad BSON Document: object not properly terminated');
      return undefined;
    }
    this.type = elementType;
    const name = this.#name(end);
    return name;
  }

  #name(end: number): string {
    let name: string | undefined;
    try {
      name = readName(this.#bytes, this.#at, end - 1, this.#strict);
    } catch {
      throw new BSONError('Invalid UTF-8 string in BSON document');
    }
    if (name === undefined) throw new BSONError('Bad BSON Document: illegal CString');
    this.#at = lastNameEnd() + 1;
    return name;
  }

  /** The document at the present offset as its bytes, in an array of their own. */
  rawDocument(limit: number): Uint8Array {
    const start = this.#at;
    const end = this.enter(limit);
    this.#at = end;
    return this.#bytes.slice(start, end);
  }

  /** The document at the present offset: as its bytes if the options say `raw`. */
  result(limit: number): Document | Uint8Array {
    return this.#raw ? this.rawDocument(limit) : this.embedded(limit);
  }

  /** The document at the present offset; one that has the form of a database reference as a `DBRef`, unless it is a scope. */
  embedded(limit: number, scope = false): Document {
    const start = this.#at;
    const end = this.enter(limit);
    this.#deeper();
    const document: Document = {};
    let dollars = 0;
    let reference = true;
    // JavaScript lists names that are array indices first, in ascending order.
    let ordered = true;
    let lastIndex = -1;
    let nameSeen = false;
    for (;;) {
      const name = this.next(end);
      if (name === undefined) break;
      const first = name.charCodeAt(0);
      if (first >= 48 && first <= 57 && isIndexName(name)) {
        const index = Number(name);
        if (nameSeen || index < lastIndex) ordered = false;
        lastIndex = index;
      } else {
        nameSeen = true;
        if (first === 36) {
          if (name === '$ref' || name === '$id' || name === '$db') dollars++;
          else reference = false;
        }
      }
      const value = this.value(this.type, end);
      if (value === undefined && !this.#promoteValues) keepUndefined(document, name);
      if (first === 95) setOwn(document, name, value);
      else document[name] = value;
    }
    this.#depth--;
    if (dollars > 1 && reference && !scope && isReference(document)) return this.#reference(document, start, end);
    if (!ordered) keepOrder(document, this.#fieldNames(start, end));
    return document;
  }

  #deeper(): void {
    if (++this.#depth > type.DEPTH_MAX) throw new BSONError(`document is nested deeper than ${type.DEPTH_MAX} levels`);
  }

  /** A document that has the form of a database reference as a `DBRef`. */
  #reference(document: Document, start: number, end: number): DBRef {
    const { $ref, $id, $db, ...fields } = document;
    const reference = new DBRef($ref as string, $id as ObjectId, $db as string | undefined, fields);
    // The constructor splits a name with one dot in it; what is stored stays as it is.
    reference.collection = $ref as string;
    reference.db = $db as string | undefined;
    keepOrder(reference, this.#fieldNames(start, end));
    return reference;
  }

  /** The names of the document that has just been read from `start` up to `end`, in their order. */
  #fieldNames(start: number, end: number): string[] {
    const names = new Set<string>();
    this.#at = start + 4;
    for (let name = this.next(end); name !== undefined; name = this.next(end)) {
      names.add(name);
      this.skip(this.type, end);
    }
    return [...names];
  }

  #list(limit: number): unknown[] {
    const end = this.enter(limit);
    this.#deeper();
    const bytes = this.#bytes;
    const list: unknown[] = [];
    for (;;) {
      const elementType = bytes[this.#at++] as number;
      if (elementType === 0) break;
      // Elements are numbered by their place; their names are passed over.
      while (this.#at < end && bytes[this.#at] !== 0) this.#at++;
      if (++this.#at >= end) throw new BSONError('Bad BSON Document: illegal CString');
      if (elementType === type.UNDEFINED && !this.#promoteValues) keepUndefined(list, list.length);
      list.push(this.value(elementType, end));
    }
    if (this.#at !== end) throw new BSONError('corrupted array bson');
    this.#depth--;
    return list;
  }

  /** The value of type `elementType` at the present offset, in a document that ends at `end`. */
  value(elementType: number, end: number): unknown {
    switch (elementType) {
      case type.STRING:
        return this.text(end);
      case type.INT32: {
        const number = this.#view.getInt32(this.#take(4, end), true);
        return this.#promoteValues ? number : new Int32(number);
      }
      case type.DOUBLE:
        return this.#double(this.#take(8, end));
      case type.OBJECT:
        return this.embedded(end - 1);
      case type.ARRAY:
        return this.#list(end - 1);
      case type.OBJECT_ID:
        return objectIdAt(this.#bytes, this.#take(12, end));
      case type.BOOLEAN: {
        const byte = this.#bytes[this.#take(1, end)] as number;
        if (byte > 1) throw new BSONError('illegal boolean type value');
        return byte === 1;
      }
      case type.DATE:
        return this.#date(this.#take(8, end));
      case type.NULL:
        return null;
      case type.INT64:
        return this.#long(this.#take(8, end));
      default:
        return this.#rare(elementType, end);
    }
  }

  #rare(elementType: number, end: number): unknown {
    switch (elementType) {
      case type.BINARY:
        return this.#binary(end);
      case type.DECIMAL128: {
        const at = this.#take(16, end);
        return new Decimal128(this.#bytes.slice(at, at + 16));
      }
      case type.REGEX:
        return this.#regex(end);
      case type.TIMESTAMP: {
        const at = this.#take(8, end);
        return new Timestamp({ i: this.#view.getUint32(at, true), t: this.#view.getUint32(at + 4, true) });
      }
      case type.UNDEFINED:
        return undefined;
      case type.SYMBOL: {
        const text = this.text(end);
        return this.#promoteValues ? text : new BSONSymbol(text);
      }
      case type.CODE:
        return new Code(this.text(end));
      case type.CODE_WITH_SCOPE:
        return this.#codeWithScope(end);
      case type.MIN_KEY:
        return new MinKey();
      case type.MAX_KEY:
        return new MaxKey();
      case type.DB_POINTER: {
        const start = this.#at;
        const namespace = this.text(end);
        const at = this.#take(12, end);
        const pointer = new DBRef(namespace, objectIdAt(this.#bytes, at));
        keepBytes(pointer, this.#bytes.slice(start, this.#at));
        return pointer;
      }
      default:
        throw new BSONError(`Detected unknown BSON type ${elementType.toString(16)}`);
    }
  }

  /** The string at the present offset. */
  text(end: number): string {
    const at = this.#take(4, end);
    const size = this.#view.getInt32(at, true);
    if (size <= 0 || size > end - 1 - this.#at) throw new BSONError('bad string length in bson');
    const start = this.#at;
    this.#at += size;
    if (this.#bytes[this.#at - 1] !== 0) throw new BSONError('bad string length in bson');
    try {
      return readText(this.#bytes, start, this.#at - 1, this.#strict);
    } catch {
      throw new BSONError('Invalid UTF-8 string in BSON document');
    }
  }

  #double(at: number): number | Double {
    const number = this.#view.getFloat64(at, true);
    if (this.#promoteValues) return number;
    const double = new Double(number);
    if (number !== number) keepBytes(double, this.#bytes.slice(at, at + 8));
    return double;
  }

  #date(at: number): Date {
    const date = new Date(this.#view.getInt32(at + 4, true) * 4294967296 + this.#view.getUint32(at, true));
    if (Number.isNaN(date.getTime())) keepBytes(date, this.#bytes.slice(at, at + 8));
    return date;
  }

  #long(at: number): number | bigint | Long {
    if (this.#bigInt) return this.#view.getBigInt64(at, true);
    const high = this.#view.getInt32(at + 4, true);
    if (this.#promoteLongs && this.#promoteValues && high >= -0x200000 && high <= 0x200000) {
      const low = this.#view.getUint32(at, true);
      if (high < 0x200000 || low === 0) return high * 4294967296 + low;
    }
    return new Long(this.#view.getInt32(at, true), high);
  }

  #binary(end: number): Uint8Array | Binary {
    let size = this.#view.getInt32(this.#take(5, end), true);
    const subtype = this.#bytes[this.#at - 1] as number;
    if (size < 0) throw new BSONError('Negative binary type element size found');
    if (subtype === type.SUBTYPE_BYTE_ARRAY) {
      const inner = this.#view.getInt32(this.#take(4, end), true);
      if (inner !== size - 4) throw new BSONError('Binary type with subtype 0x02 contains a size that does not fit');
      size = inner;
    }
    const at = this.#take(size, end);
    const copy = this.#bytes.slice(at, at + size);
    if (this.#promoteBuffers && this.#promoteValues) return copy;
    return subtype === type.SUBTYPE_UUID && size === 16 ? new UUID(copy) : new Binary(copy, subtype);
  }

  #regex(end: number): RegExp | BSONRegExp {
    const pattern = this.#name(end);
    const options = this.#name(end);
    if (this.#promoteValues && !this.#bsonRegExp) {
      // `s` is given as `g`, as the driver does it.
      const flags = (options.includes('i') ? 'i' : '') + (options.includes('m') ? 'm' : '') + (options.includes('s') ? 'g' : '');
      try {
        return new RegExp(pattern, flags);
      } catch {
        // A pattern of PCRE that JavaScript does not know.
      }
    }
    const regex = new BSONRegExp(pattern, '');
    // Not through the constructor, which refuses options that it does not know.
    regex.options = inOrder(options);
    if (regex.options !== options) keepBytes(regex, encodeText(options));
    return regex;
  }

  #codeWithScope(end: number): Code {
    const start = this.#take(4, end);
    const size = this.#view.getInt32(start, true);
    if (size < 14 || size > end - 1 - start) throw new BSONError('code_w_scope total size does not fit');
    const code = this.text(start + size);
    const scope = this.embedded(start + size, true);
    if (this.#at !== start + size) throw new BSONError('code_w_scope total size does not fit');
    return new Code(code, scope);
  }

  /** Passes over a value of type `elementType`. */
  skip(elementType: number, end: number): void {
    switch (elementType) {
      case type.OBJECT:
      case type.ARRAY:
        this.#at = this.enter(end - 1);
        return;
      case type.INT32:
        this.#take(4, end);
        return;
      case type.DOUBLE:
      case type.INT64:
      case type.DATE:
        this.#take(8, end);
        return;
      case type.BOOLEAN:
        this.#take(1, end);
        return;
      default:
        this.value(elementType, end);
    }
  }

  /** Steps over `size` bytes of a document that ends at `end`; returns the offset of the first. */
  #take(size: number, end: number): number {
    const at = this.#at;
    if (size > end - 1 - at) throw new BSONError('corrupt bson message: a value goes beyond its document');
    this.#at = at + size;
    return at;
  }
}

/** The document that `bytes` hold. */
export function decode(bytes: Uint8Array, options?: DecodeOptions): Document {
  const decoder = new Decoder();
  decoder.use(options);
  decoder.begin(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.length);
  return decoder.document();
}

function isReference(document: Document): boolean {
  if (typeof document.$ref !== 'string' || document.$id === undefined || document.$id === null) return false;
  return typeof document.$db === 'string' || !Object.hasOwn(document, '$db');
}

/** bson 7.2 and later read an id in place; the constructor is internal there, so it is tried before it is trusted. */
let readsInPlace: boolean | undefined;
const ObjectIdInPlace = ObjectId as unknown as new (bytes: Uint8Array, at?: number) => ObjectId;

function objectIdAt(bytes: Uint8Array, at: number): ObjectId {
  readsInPlace ??= canReadInPlace();
  return readsInPlace ? new ObjectIdInPlace(bytes, at) : new ObjectId(bytes.slice(at, at + 12));
}

function canReadInPlace(): boolean {
  try {
    const bytes = Uint8Array.from({ length: 14 }, (_, index) => index);
    const id = new ObjectIdInPlace(bytes, 1);
    bytes.fill(0);
    return id.toHexString() === '0102030405060708090a0b0c';
  } catch {
    return false;
  }
}

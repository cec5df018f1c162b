/**
 * JavaScript values to BSON, written straight into the memory that the engine reads.
 * 1. The bytes are those of the official `bson` package wherever that package keeps the value. Where it changes a value without
 *    saying so, the value is refused with the path to it: `EncodeError`.
 * 2. Getters, proxies, iterators and `toBSON` are foreign code, which can call the engine and so move its memory. Every value is
 *    read before room is made for it, and `room` takes the views anew if they went away.
 * 3. Nothing is handed over before the whole command is written; an error leaves no trace in the engine.
 * Rules that differ from the official encoder: `ArrayBuffer` is binary; the flag `s` of a regular expression is kept; functions,
 * symbols, sets, boxed primitives, typed arrays other than `Uint8Array`, Invalid Date and BigInt outside of int64 are refused.
 */
import * as kind from './classify.js';
import { EncodeError } from './encode_error.js';
import { nameBytes, writeIndex } from './names.js';
import { inKeptOrder, isIndexName, isKeptUndefined, keptBytes } from './originals.js';
import { HeapTarget, type ByteTarget } from './target.js';
import * as type from './types.js';
import type { EncodeOptions } from './types.js';
import { SHORT_UNITS, writeInto, writeShort } from './utf8.js';
import { parts } from './values.js';

export { EncodeError } from './encode_error.js';

/** Room for a value of fixed size, or for the length and text of a short string, made together with the room for its name. */
const VALUE_BYTES = 3 * SHORT_UNITS + 16;
const NO_TARGET = new HeapTarget();

/** Writes documents to a target, one after the other. One encoder writes for one call at a time. */
export class Encoder {
  #target: ByteTarget = NO_TARGET;
  #bytes = NO_TARGET.bytes;
  #view = NO_TARGET.view;
  /** Where the next byte goes, where the first went, and where room ends: offsets into the memory of the target. */
  #at = 0;
  #start = 0;
  #end = 0;
  #ignoreUndefined = false;
  #functions = false;
  /** The objects being written, outermost first, and the names that lead to them. */
  readonly #open: object[] = [];
  readonly #names: (string | number)[] = [];

  /** Begins anew on `target`. */
  begin(target: ByteTarget, options?: EncodeOptions): void {
    this.#target = target;
    this.#ignoreUndefined = options?.ignoreUndefined === true;
    this.#functions = options?.serializeFunctions === true;
    if (this.#open.length > 0 || this.#names.length > 0) this.forget();
    this.#at = this.#start;
    this.#take(1024);
  }

  /** Lets go of the caller's objects after an error. */
  forget(): void {
    this.#open.length = 0;
    this.#names.length = 0;
  }

  /** Bytes written so far. Offsets that methods give and take count from the first of them. */
  get length(): number {
    return this.#at - this.#start;
  }

  /** A copy of what has been written from `start` on. */
  copyFrom(start: number): Uint8Array {
    this.#room(0);
    return this.#bytes.slice(this.#start + start, this.#at);
  }

  /** Takes back what has been written from `start` on. */
  truncate(start: number): void {
    this.#at = this.#start + start;
  }

  /** Opens a document (or array) whose fields the caller writes; `close` ends it. */
  open(): number {
    this.#room(16);
    const start = this.length;
    this.#at += 4;
    return start;
  }

  close(start: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = 0;
    this.#view.setInt32(this.#start + start, this.length - start, true);
  }

  /** Opens an embedded document or array as a field of the document that is open. */
  openField(name: string | number, list: boolean): number {
    this.#header(list ? type.ARRAY : type.OBJECT, name);
    return this.open();
  }

  /**
   * Writes `value` as an embedded document, as `document` does. Errors name the path within it, behind `label` unless that is false.
   * Returns where the document begins.
   */
  documentField(name: string | number, value: unknown, first: { _id: unknown } | undefined, label: string | number | false): number {
    this.#header(type.OBJECT, name);
    const start = this.length;
    if (label !== false) this.#names.push(label);
    this.document(value, first);
    if (label !== false) this.#names.pop();
    return start;
  }

  /** Writes an embedded document that is BSON already. */
  bytesField(name: string | number, document: Uint8Array): void {
    this.#header(type.OBJECT, name);
    this.bytes(document);
  }

  /** Copies bytes that are BSON already. */
  bytes(source: Uint8Array): void {
    this.#room(source.length);
    this.#bytes.set(source, this.#at);
    this.#at += source.length;
  }

  /** Writes one field of the document that is open. */
  field(name: string | number, value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#header(type.STRING, name);
        return this.#text(value);
      case 'number':
        return this.#number(name, value);
      case 'boolean':
        this.#header(type.BOOLEAN, name);
        this.#bytes[this.#at++] = value ? 1 : 0;
        return;
      case 'undefined':
        if (this.#ignoreUndefined && typeof name === 'string') return;
        return this.#header(isKeptUndefined(this.#open[this.#open.length - 1], name) ? type.UNDEFINED : type.NULL, name);
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value) throw this.#error(name, 'is a BigInt outside of int64: use Decimal128 or a string');
        this.#header(type.INT64, name);
        this.#view.setBigInt64(this.#at, value, true);
        this.#at += 8;
        return;
      case 'object':
        if (value === null) return this.#header(type.NULL, name);
        return this.#object(name, value);
      default:
        return this.#callable(name, value as symbol | ((...rest: never[]) => unknown));
    }
  }

  /**
   * Writes a whole document. With `first`, that `_id` is written first and the document's own is left out; but an `_id` that the
   * document's `toBSON` gives stands, and is put into `first`.
   */
  document(value: unknown, first?: { _id: unknown }): void {
    if (typeof value !== 'object' || value === null) throw this.#error(undefined, 'is not an object');
    const found = kind.classify(value);
    if (found === kind.BSON_DB_REF) return this.#reference(value);
    if (found !== kind.PLAIN && found !== kind.MAP) {
      throw this.#error(undefined, found === kind.LIST ? 'is an array, where a document is needed' : 'is a value, where a document is needed');
    }
    this.#push(undefined, value);
    this.#fields(value, found, first);
    this.#open.pop();
  }

  #callable(name: string | number, value: symbol | ((...rest: never[]) => unknown)): void {
    if (typeof value === 'symbol') throw this.#error(name, 'is a symbol, which has no BSON type');
    const convert = (value as { toBSON?: unknown }).toBSON;
    if (typeof convert === 'function') return this.#converted(name, convert.call(value) as unknown);
    if (!this.#functions) throw this.#error(name, 'is a function: documents hold data only');
    const code = String(value);
    this.#header(type.CODE, name);
    this.#text(code);
  }

  #number(name: string | number, value: number): void {
    if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
      this.#header(type.INT32, name);
      this.#view.setInt32(this.#at, value, true);
      this.#at += 4;
    } else {
      this.#header(type.DOUBLE, name);
      this.#view.setFloat64(this.#at, value, true);
      this.#at += 8;
    }
  }

  #converted(name: string | number, value: unknown): void {
    if (typeof value === 'object' && value !== null) return this.#value(name, value, kind.classify(value));
    if (typeof value === 'function') throw this.#error(name, 'is a function: documents hold data only');
    this.field(name, value);
  }

  #object(name: string | number, value: object): void {
    const convert = (value as { toBSON?: unknown }).toBSON;
    if (typeof convert === 'function') return this.#converted(name, convert.call(value) as unknown);
    this.#value(name, value, kind.classify(value));
  }

  #value(name: string | number, value: object, found: number): void {
    if (found === kind.PLAIN || found === kind.MAP || found === kind.LIST) {
      this.#header(found === kind.LIST ? type.ARRAY : type.OBJECT, name);
      this.#push(name, value);
      if (found === kind.LIST) this.#list(value as unknown[]);
      else this.#fields(value, found, undefined);
      this.#open.pop();
      this.#names.pop();
      return;
    }
    if (found === kind.REFUSED) throw this.#error(name, kind.refusal(value));
    if (found === kind.BSON_OBJECT_ID) return this.#objectId(name, value);
    if (found === kind.JS_DATE) return this.#date(name, value as Date);
    this.#scalar(name, value, found);
  }

  #list(values: unknown[]): void {
    const start = this.open();
    const count = values.length;
    for (let index = 0; index < count; index++) this.field(index, values[index]);
    this.close(start);
  }

  #fields(value: object, found: number, first: { _id: unknown } | undefined): void {
    let source = value as Record<string, unknown>;
    if (found === kind.PLAIN && typeof source.toBSON === 'function') {
      source = source.toBSON() as Record<string, unknown>;
      if (typeof source !== 'object' || source === null) throw this.#error(undefined, 'has a toBSON that did not return an object');
      if (first !== undefined && source._id !== undefined) first._id = source._id;
    }
    const start = this.open();
    if (first !== undefined) this.field('_id', first._id);
    if (found === kind.MAP) {
      for (const [key, item] of (value as Map<unknown, unknown>).entries()) {
        if (typeof key !== 'string') throw this.#error(undefined, `is a Map with a key that is not a string (${typeof key})`);
        if (first === undefined || key !== '_id') this.field(key, item);
      }
    } else {
      let keys = Object.keys(source);
      if (keys.length > 0 && isIndexName(keys[0] as string)) keys = inKeptOrder(source, keys);
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index] as string;
        if (first === undefined || key !== '_id') this.field(key, source[key]);
      }
    }
    this.close(start);
  }

  #objectId(name: string | number, value: object): void {
    const id = parts.objectId(value);
    if (id === undefined) throw this.#error(name, 'is an ObjectId without its 12 bytes');
    this.#header(type.OBJECT_ID, name);
    this.#copy(id);
  }

  #date(name: string | number, value: Date): void {
    const time = Date.prototype.getTime.call(value);
    if (time !== time) {
      const kept = keptBytes(value);
      if (kept === undefined) throw this.#error(name, 'is an Invalid Date');
      this.#header(type.DATE, name);
      return this.#copy(kept);
    }
    this.#header(type.DATE, name);
    this.#view.setInt32(this.#at, time | 0, true);
    this.#view.setInt32(this.#at + 4, Math.floor(time / 4294967296), true);
    this.#at += 8;
  }

  #scalar(name: string | number, value: object, found: number): void {
    switch (found) {
      case kind.JS_REGEXP: {
        const { pattern, options } = parts.regExp(value as RegExp);
        if (options === undefined) throw this.#error(name, 'is a regular expression with the flag y or v, which MongoDB does not have');
        return this.#regex(name, pattern, options);
      }
      case kind.BSON_REGEXP: {
        const { pattern, options } = parts.bsonRegExp(value);
        return this.#regex(name, pattern, options);
      }
      case kind.BYTES:
        return this.#binary(name, value as Uint8Array, 0);
      case kind.BUFFER:
        return this.#binary(name, new Uint8Array(value as ArrayBuffer), 0);
      case kind.BSON_BINARY: {
        const { bytes, subtype } = parts.binary(value);
        return this.#binary(name, bytes, subtype);
      }
      case kind.BSON_CODE:
        return this.#code(name, value as { code: unknown; scope?: unknown });
      case kind.BSON_SYMBOL: {
        const text = String((value as { value: unknown }).value);
        this.#header(type.SYMBOL, name);
        return this.#text(text);
      }
      case kind.BSON_DB_REF:
        return this.#dbRef(name, value);
      case kind.BSON_MIN_KEY:
        return this.#header(type.MIN_KEY, name);
      case kind.BSON_MAX_KEY:
        return this.#header(type.MAX_KEY, name);
      default:
        return this.#numeric(name, value, found);
    }
  }

  #numeric(name: string | number, value: object, found: number): void {
    switch (found) {
      case kind.BSON_LONG:
      case kind.BSON_TIMESTAMP: {
        const { low, high } = parts.long(value);
        this.#header(found === kind.BSON_LONG ? type.INT64 : type.TIMESTAMP, name);
        this.#view.setInt32(this.#at, low, true);
        this.#view.setInt32(this.#at + 4, high, true);
        this.#at += 8;
        return;
      }
      case kind.BSON_INT32: {
        const number = Number((value as { value: unknown }).value);
        this.#header(type.INT32, name);
        this.#view.setInt32(this.#at, number, true);
        this.#at += 4;
        return;
      }
      case kind.BSON_DOUBLE: {
        const number = Number((value as { value: unknown }).value);
        const kept = number !== number ? keptBytes(value) : undefined;
        this.#header(type.DOUBLE, name);
        if (kept !== undefined) return this.#copy(kept);
        this.#view.setFloat64(this.#at, number, true);
        this.#at += 8;
        return;
      }
      default: {
        const bytes = (value as { bytes: Uint8Array }).bytes;
        if (bytes?.length !== 16) throw this.#error(name, 'is a Decimal128 without its 16 bytes');
        this.#header(type.DECIMAL128, name);
        return this.#copy(bytes);
      }
    }
  }

  #regex(name: string | number, pattern: string, options: string): void {
    const source = nameBytes(pattern);
    const flags = nameBytes(options);
    if (source === undefined || flags === undefined) throw this.#error(name, 'is a regular expression with a NUL character in it');
    this.#header(type.REGEX, name);
    this.bytes(source);
    this.bytes(flags);
  }

  #binary(name: string | number, source: Uint8Array, subtype: number): void {
    const size = source.length;
    this.#header(type.BINARY, name);
    const again = subtype === type.SUBTYPE_BYTE_ARRAY;
    this.#view.setInt32(this.#at, again ? size + 4 : size, true);
    this.#bytes[this.#at + 4] = subtype;
    this.#at += 5;
    if (again) {
      this.#view.setInt32(this.#at, size, true);
      this.#at += 4;
    }
    this.bytes(source);
  }

  #code(name: string | number, value: { code: unknown; scope?: unknown }): void {
    const code = String(value.code);
    const scope = value.scope;
    if (typeof scope !== 'object' || scope === null) {
      this.#header(type.CODE, name);
      return this.#text(code);
    }
    this.#header(type.CODE_WITH_SCOPE, name);
    this.#push(name, scope);
    const start = this.length;
    this.#at += 4;
    this.#text(code);
    this.#fields(scope, kind.classify(scope) === kind.MAP ? kind.MAP : kind.PLAIN, undefined);
    this.#view.setInt32(this.#start + start, this.length - start, true);
    this.#open.pop();
    this.#names.pop();
  }

  #dbRef(name: string | number, value: object): void {
    const pointer = keptBytes(value);
    if (pointer !== undefined) {
      this.#header(type.DB_POINTER, name);
      return this.bytes(pointer);
    }
    this.#header(type.OBJECT, name);
    this.#push(name, value);
    this.#reference(value);
    this.#open.pop();
    this.#names.pop();
  }

  #reference(value: object): void {
    const fields = parts.dbRef(value);
    const start = this.open();
    for (const key of inKeptOrder(value, Object.keys(fields))) {
      if (fields[key] !== undefined) this.field(key, fields[key]);
    }
    this.close(start);
  }

  /** The length and bytes of a string, with the NUL behind it. Room for a short one is there. */
  #text(value: string): void {
    const start = this.length;
    if (value.length <= SHORT_UNITS) {
      this.#at = writeShort(this.#bytes, this.#at + 4, value);
    } else {
      this.#at += 4;
      let rest = value;
      while (rest.length > 0) {
        // Mostly ASCII: a quarter more than the units, and another round if that was too little.
        this.#room(Math.min(rest.length * 3, rest.length + (rest.length >> 2) + 64));
        const { read, written } = writeInto(this.#bytes.subarray(this.#at, this.#end), rest);
        this.#at += written;
        rest = read === rest.length ? '' : rest.slice(read);
      }
      this.#room(1);
    }
    this.#bytes[this.#at++] = 0;
    this.#view.setInt32(this.#start + start, this.length - start - 4, true);
  }

  /** The type byte and the name of a field, and room for a small value behind them. */
  #header(typeByte: number, name: string | number): void {
    if (typeof name === 'number') return this.#indexHeader(typeByte, name);
    const bytes = nameBytes(name);
    if (bytes === undefined) throw this.#error(name, 'has a NUL character in its name');
    const size = bytes.length;
    this.#room(size + VALUE_BYTES);
    const target = this.#bytes;
    let at = this.#at;
    target[at++] = typeByte;
    if (size > 32) {
      target.set(bytes, at);
      at += size;
    } else {
      for (let index = 0; index < size; index++) target[at++] = bytes[index] as number;
    }
    this.#at = at;
  }

  #indexHeader(typeByte: number, index: number): void {
    this.#room(12 + VALUE_BYTES);
    this.#bytes[this.#at] = typeByte;
    this.#at = writeIndex(this.#bytes, this.#at + 1, index);
    this.#bytes[this.#at++] = 0;
  }

  #copy(source: ArrayLike<number>): void {
    const target = this.#bytes;
    const size = source.length;
    let at = this.#at;
    for (let index = 0; index < size; index++) target[at++] = source[index] as number;
    this.#at = at;
  }

  /** Makes sure of `size` bytes more. Memory that has moved is as good as full. */
  #room(size: number): void {
    if (this.#at + size > this.#end || this.#bytes.length === 0) this.#take(this.length + size);
  }

  #take(size: number): void {
    const target = this.#target;
    const used = this.length;
    target.reserve(used, size);
    this.#bytes = target.bytes;
    this.#view = target.view;
    this.#start = target.start;
    this.#end = target.end;
    this.#at = target.start + used;
  }

  /** Enters an object: not one that is open already, and not too deep. */
  #push(name: string | number | undefined, value: object): void {
    const open = this.#open;
    const depth = open.length;
    for (let level = 0; level < depth; level++) {
      if (open[level] === value) throw this.#error(name, 'is an object that contains itself');
    }
    if (depth >= type.DEPTH_MAX) throw this.#error(name, `is nested deeper than ${type.DEPTH_MAX} levels`);
    open.push(value);
    if (name !== undefined) this.#names.push(name);
  }

  #error(name: string | number | undefined, reason: string): EncodeError {
    const path = this.#names.slice();
    if (name !== undefined) path.push(name);
    return new EncodeError(path.join('.'), reason);
  }
}

/** The BSON bytes of `value`. */
export function encode(value: unknown, options?: EncodeOptions): Uint8Array {
  const encoder = new Encoder();
  encoder.begin(new HeapTarget(), options);
  encoder.document(value);
  return encoder.copyFrom(0);
}

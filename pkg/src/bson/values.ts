/**
 * What the instances of BSON classes consist of, in every major version of `bson` (their fields changed names over time), and
 * what a regular expression is to MongoDB.
 */
import { keptBytes } from './originals.js';
import { readText } from './utf8.js';

const scratch = new Uint8Array(12);

export const parts = {
  /** The 12 bytes of an ObjectId, in an array that the next call overwrites; undefined if it has none. */
  objectId(value: object): ArrayLike<number> | undefined {
    // bson 7.2 and later: four integers of 24 bits, which save an array for each id.
    const { i0, i1, i2, i3 } = value as { i0?: unknown; i1?: unknown; i2?: unknown; i3?: unknown };
    if (typeof i0 === 'number' && typeof i1 === 'number' && typeof i2 === 'number' && typeof i3 === 'number') {
      writeTriple(0, i0);
      writeTriple(3, i1);
      writeTriple(6, i2);
      writeTriple(9, i3);
      return scratch;
    }
    const id = (value as { id?: unknown }).id;
    if (typeof id === 'string' && id.length === 12) {
      // bson 1 in browsers: one character a byte.
      for (let index = 0; index < 12; index++) scratch[index] = id.charCodeAt(index);
      return scratch;
    }
    const bytes = id as ArrayLike<number> | undefined;
    return typeof bytes === 'object' && bytes !== null && bytes.length === 12 ? bytes : undefined;
  },

  long(value: object): { low: number; high: number } {
    const { low, high, low_, high_ } = value as Record<'low' | 'high' | 'low_' | 'high_', number | undefined>;
    return { low: low ?? low_ ?? 0, high: high ?? high_ ?? 0 };
  },

  binary(value: object): { bytes: Uint8Array; subtype: number } {
    const { buffer, position, sub_type } = value as { buffer: Uint8Array; position: number; sub_type: number };
    return { bytes: buffer.length === position ? buffer : buffer.subarray(0, position), subtype: sub_type };
  },

  bsonRegExp(value: object): { pattern: string; options: string } {
    const { pattern, options } = value as { pattern: string; options: string };
    const kept = keptBytes(value);
    const stored = kept === undefined ? options : readText(kept, 0, kept.length, false);
    return { pattern, options: inOrder(stored) === options ? stored : inOrder(options) };
  },

  dbRef(value: object): Record<string, unknown> {
    const { collection, oid, db, fields } = value as { collection: string; oid: unknown; db?: string; fields?: object };
    const document: Record<string, unknown> = { $ref: collection, $id: oid };
    if (db !== undefined && db !== null) document.$db = db;
    for (const [name, item] of Object.entries(fields ?? {})) setOwn(document, name, item);
    return document;
  },

  /**
   * A regular expression of JavaScript as MongoDB's. `g` becomes `s` and `d` and `u` are left out, as the driver does it (matching in
   * MongoDB is by code point anyway); `y` and `v` change what matches and have no counterpart: `options` is undefined.
   */
  regExp(value: RegExp): { pattern: string; options: string | undefined } {
    const pattern = value.source;
    if (value.sticky || (value as { unicodeSets?: boolean }).unicodeSets === true) return { pattern, options: undefined };
    // In the order in which the official encoder writes them.
    const options = (value.ignoreCase ? 'i' : '') + (value.global || value.dotAll ? 's' : '') + (value.multiline ? 'm' : '');
    return { pattern, options };
  },
};

function writeTriple(at: number, bits: number): void {
  scratch[at] = bits >> 16;
  scratch[at + 1] = bits >> 8;
  scratch[at + 2] = bits;
}

/** The options of a regular expression in the order of the alphabet, as BSON wants them. */
export function inOrder(options: string): string {
  return options.length < 2 ? options : [...options].sort().join('');
}

/** Defines a field by its name, whatever the name is: assigning to `__proto__` would set the prototype instead. */
export function setOwn(target: object, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (target as Record<string, unknown>)[name] = value;
  }
}

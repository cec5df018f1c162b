// Our bytes are the official package's bytes, and our values are its values.
import { test } from 'node:test';
import { deepStrictEqual, strictEqual } from 'node:assert';
import { Binary, deserialize, Long, serialize } from 'bson';
import fc from 'fast-check';
import { decode } from '../../dist/bson/decode.js';
import { encode } from '../../dist/bson/encode.js';
import { documents, scalar } from './arbitrary.mjs';

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 1000) };
const hex = (bytes) => Buffer.from(bytes).toString('hex');

test('documents are encoded to the bytes of the official package', () => {
  fc.assert(fc.property(documents(scalar), fc.boolean(), (document, ignoreUndefined) => {
    strictEqual(hex(encode(document, { ignoreUndefined })), hex(serialize(document, { ignoreUndefined })));
  }), runs);
});

test('bytes are decoded to the values of the official package, with every option', () => {
  const options = fc.constantFrom(
    {}, { promoteValues: false, bsonRegExp: true }, { promoteLongs: false }, { useBigInt64: true }, { promoteBuffers: true }, { bsonRegExp: true },
  );
  fc.assert(fc.property(documents(scalar), options, (document, chosen) => {
    const bytes = serialize(document, { ignoreUndefined: false });
    let theirs;
    try {
      theirs = deserialize(bytes, chosen);
    } catch (error) {
      // A pattern that JavaScript does not know fails the whole document there, and is a BSONRegExp here.
      fc.pre(!(error instanceof SyntaxError));
      throw error;
    }
    deepStrictEqual(plain(decode(bytes, chosen)), plain(theirs));
  }), runs);
});

test('what is read with promoteValues: false is written back with the same bytes', () => {
  fc.assert(fc.property(documents(scalar), (document) => {
    const bytes = serialize(document, { ignoreUndefined: false });
    strictEqual(hex(encode(decode(bytes, { promoteValues: false }))), hex(bytes));
  }), runs);
});

// Node's Buffer, which the official decoder gives, and Uint8Array hold the same bytes.
function plain(value) {
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) return { bytes: hex(value) };
  if (value instanceof Binary) return { subtype: value.sub_type, class: value.constructor.name, bytes: hex(value.value()) };
  if (value instanceof Long || value instanceof Date || value instanceof RegExp) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.entries(value).map(([key, item]) => [key, plain(item)]);
  }
  if (value?._bsontype === 'Code' && value.scope) return { code: value.code, scope: plain(value.scope) };
  if (value?._bsontype === 'DBRef') {
    // The official constructor splits a name with one dot in it into database and collection, and forgets a `$db` over that. We keep both.
    const isSplit = value.db === undefined || value.collection.split('.').length === 2;
    return { to: isSplit ? value.collection : `${value.db}.${value.collection}`, fields: plain(value.fields), oid: plain(value.oid) };
  }
  return value;
}

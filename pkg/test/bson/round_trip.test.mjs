// Bytes that no value of JavaScript holds, and bytes that are broken.
import { test } from 'node:test';
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { BSONError, BSONRegExp, DBRef, serialize } from 'bson';
import fc from 'fast-check';
import { decode } from '../../dist/bson/decode.js';
import { encode } from '../../dist/bson/encode.js';
import { documents, scalar } from './arbitrary.mjs';

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 1000) };
const hex = (bytes) => Buffer.from(bytes).toString('hex');

/** A document of fields given as [type, name, bytes of the value]. */
function raw(...fields) {
  const body = Buffer.concat(fields.map(([type, name, value]) => Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), Buffer.from(value)])));
  const size = Buffer.alloc(4);
  size.writeInt32LE(body.length + 5);
  return new Uint8Array(Buffer.concat([size, body, Buffer.from([0])]));
}
const int = (value) => [value & 255, (value >> 8) & 255, 0, 0];
const string = (value) => [...int(Buffer.byteLength(value) + 1), ...Buffer.from(`${value}\0`)];

const odd = {
  'a date before all dates': raw([9, 'd', [0, 0, 0, 0, 0, 0, 0, 0x80]]),
  'NaN with a payload': raw([1, 'n', [1, 2, 3, 4, 5, 6, 0xf8, 0xff]]),
  'a negative NaN': raw([1, 'n', [0, 0, 0, 0, 0, 0, 0xf8, 0xff]]),
  'undefined, in a document and an array': raw([6, 'u', []], [10, 'n', []], [4, 'a', raw([6, '0', []], [10, '1', []])]),
  'a DBPointer': raw([12, 'p', [...string('db.c'), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]),
  'names like indices behind other names': raw([16, 'b', int(1)], [16, '1', int(2)], [16, '0', int(3)], [16, '01', int(4)]),
  'names like indices, falling': raw([3, 'in', raw([16, '2', int(1)], [16, '1', int(2)])]),
  'options of a regular expression, unsorted and unknown': raw([11, 'r', [...Buffer.from('a\0sim\0')]], [11, 'q', [...Buffer.from('(?i)a\0z\0')]]),
  'a reference in another order': raw([3, 'r', raw([16, 'x', int(1)], [2, '$id', string('i')], [2, '$ref', string('a.b')])]),
  'a whole document that is a reference': raw([2, '$ref', string('c')], [16, '$id', int(1)]),
  'binary of subtype 4 that is no UUID': raw([5, 'b', [...int(3), 4, 1, 2, 3]]),
  'the name __proto__': raw([3, '__proto__', raw([16, '__proto__', int(1)])]),
  'a byte order mark': raw([2, 's', string('\ufeffa')], [2, 'l', string(`\ufeff${'long '.repeat(20)}`)], [10, '\ufeffname', []]),
};
for (const [title, bytes] of Object.entries(odd)) {
  test(`written back with the same bytes: ${title}`, () => {
    strictEqual(hex(encode(decode(bytes, { promoteValues: false }))), hex(bytes));
  });
}

test('a field added to a document keeps the order of the others', () => {
  const document = decode(odd['names like indices behind other names']);
  document.z = 5;
  delete document['0'];
  document.b = 9;
  strictEqual(hex(encode(document)), hex(raw([16, 'b', int(9)], [16, '1', int(2)], [16, '01', int(4)], [16, 'z', int(5)])));
});

test('__proto__ is an own field and touches no prototype', () => {
  const document = decode(odd['the name __proto__']);
  deepStrictEqual(Object.keys(document), ['__proto__']);
  strictEqual(Object.getPrototypeOf(document), Object.prototype);
  const again = JSON.parse('{"__proto__":{"polluted":true}}');
  strictEqual(hex(encode(again)), hex(raw([3, '__proto__', raw([8, 'polluted', [1]])])));
  strictEqual({}.polluted, undefined);
});

test('a pattern that JavaScript cannot compile is given as a BSONRegExp', () => {
  const { q } = decode(odd['options of a regular expression, unsorted and unknown']);
  ok(q instanceof BSONRegExp);
  strictEqual(q.pattern, '(?i)a');
});

test('a reference keeps its collection and database apart', () => {
  const { r } = decode(odd['a reference in another order']);
  ok(r instanceof DBRef);
  deepStrictEqual([r.collection, r.db, r.oid, { ...r.fields }], ['a.b', undefined, 'i', { x: 1 }]);
});

test('text that is not UTF-8 is refused, or repaired if so asked', () => {
  const short = raw([2, 's', [2, 0, 0, 0, 0xff, 0]]);
  const long = raw([2, 's', [41, 0, 0, 0, ...new Array(40).fill(0xff), 0]]);
  for (const bytes of [short, long]) {
    throws(() => decode(bytes), BSONError);
    ok(decode(bytes, { enableUtf8Validation: false }).s.startsWith('\ufffd'));
  }
});

test('broken bytes give a BSONError and nothing else', () => {
  fc.assert(fc.property(documents(scalar), fc.nat(), fc.nat(255), fc.boolean(), (document, at, byte, cut) => {
    const bytes = new Uint8Array(serialize(document));
    if (cut) {
      const shorter = bytes.slice(0, at % bytes.length);
      throws(() => decode(shorter), BSONError);
      return;
    }
    bytes[at % bytes.length] = byte;
    try {
      decode(bytes);
    } catch (error) {
      ok(error instanceof BSONError, `${error.stack}`);
    }
  }), runs);
});

test('a document nested without end is refused before the stack is used up', () => {
  let bytes = raw([10, 'n', []]);
  for (let level = 0; level < 5000; level++) bytes = raw16(bytes);
  throws(() => decode(bytes), /nested deeper than 220 levels/);
});

function raw16(inner) {
  const bytes = new Uint8Array(inner.length + 8);
  new DataView(bytes.buffer).setInt32(0, bytes.length, true);
  bytes.set([3, 97, 0], 4);
  bytes.set(inner, 7);
  return bytes;
}

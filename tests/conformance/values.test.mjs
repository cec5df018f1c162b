// The values of the tests against the official `bson`: what both can say, both must say alike.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EJSON, deserialize } from 'bson';
import { Random } from '../oracle/generate/random.mjs';
import { fields } from '../oracle/generate/values.mjs';
import { everyType } from '../oracle/inputs/terms.mjs';
import { binary, codeWithScope, decode, decimal, doc, double, encode, fromEjson, symbol, toEjson } from './values.mjs';

const hex = (bytes) => Buffer.from(bytes).toString('hex');
/** dbPointer and symbol are changed by the official reader. */
const official = (v) => !/dbPointer|symbol|\$undefined/i.test(toEjson(v));

test('bytes, values and text carry the same for every type', () => {
  for (const v of everyType) {
    const document = doc(['v', v], ['after', 1]);
    const bytes = encode(document);
    assert.equal(toEjson(decode(bytes)), toEjson(document));
    assert.equal(hex(encode(fromEjson(toEjson(document)))), hex(bytes));
  }
});

test('the official package reads the same bytes as the same Extended JSON', () => {
  for (const v of everyType.filter(official)) {
    const bytes = encode({ v });
    const read = deserialize(bytes, { promoteValues: false, bsonRegExp: true, raw: false });
    assert.equal(hex(encode(fromEjson(EJSON.stringify(read, { relaxed: false })))), hex(bytes), toEjson(v));
  }
});

test('random documents survive text and bytes', () => {
  const random = new Random(7);
  for (let i = 0; i < 500; i += 1) {
    const document = fields(random, 3, random.int(0, 5));
    assert.equal(hex(encode(fromEjson(toEjson(document)))), hex(encode(document)), `document ${i} of seed 7`);
  }
});

test('fields keep their order even when they look like numbers', () => {
  const text = '{"b":{"$numberInt":"1"},"1":{"$numberInt":"2"},"0":{"$numberInt":"3"}}';
  assert.equal(toEjson(decode(encode(fromEjson(text)))), text);
});

test('numeric types are kept apart', () => {
  assert.deepEqual([1, 1n, double(1), decimal('1'), double(-0)].map(toEjson), ['{"$numberInt":"1"}', '{"$numberLong":"1"}', '{"$numberDouble":"1.0"}', '{"$numberDecimal":"1"}', '{"$numberDouble":"-0.0"}']);
});

test('what looks like Extended JSON but has other fields is a document', () => {
  assert.ok(fromEjson('{"$oid":"0123456789abcdef01234567","x":true}') instanceof Map);
  assert.ok(fromEjson('{"$type":"string"}') instanceof Map);
  assert.equal(toEjson(codeWithScope('x', doc(['a', symbol('s')]))), '{"$code":"x","$scope":{"a":{"$symbol":"s"}}}');
});

test('the old binary subtype carries its length twice', () => {
  assert.equal(hex(encode({ v: binary('AQI=', 2) })).slice(-24), '060000000202000000010200');
});

test('text and bytes that are wrong are refused', () => {
  for (const text of ['', '{', '{"a":}', '{"a":1', '[1,]', '{"a":1}x', '{a:1}', "{'a':1}", 'nul']) assert.throws(() => fromEjson(text), text);
  const bytes = encode({ a: 'text' });
  assert.throws(() => decode(bytes.subarray(0, bytes.length - 1)));
  assert.throws(() => decode(Uint8Array.from([...bytes, 0])));
  assert.throws(() => decode(Uint8Array.of(8, 0, 0, 0, 0x50, 0x61, 0, 0)));
});

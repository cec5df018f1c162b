// Documents from text: which types numbers get, and Extended JSON in both forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decimal128, Int32, Long, ObjectId } from 'pandodb';
import { load } from './modules.mjs';

const { parseDocument, parsePiece, toExtendedJson } = await load('data/extended_json.ts');
const { readDocuments } = await load('data/read_documents.ts');
const { typeOf } = await load('data/values.ts');

const typesIn = (text) => Object.values(parseDocument(text)).map(typeOf);

test('numbers get the types that mongoimport gives them', () => {
  assert.deepEqual(typesIn('{"a": 1, "b": 1.5, "c": -7, "d": -0.0}'), ['int', 'double', 'int', 'double']);
  assert.deepEqual(typesIn('{"a": 2147483647, "b": 2147483648, "c": -2147483649, "d": 12345678901.5}'), ['int', 'long', 'long', 'double']);
});

test('integers that a JavaScript number cannot hold are kept', () => {
  const { a, b, c, d } = parseDocument('{"a": 9007199254740993, "b": -9223372036854775808, "c": "9007199254740993", "d": [9223372036854775807]}');
  assert.ok(a.equals(Long.fromString('9007199254740993')));
  assert.ok(b.equals(Long.MIN_VALUE));
  assert.equal(c, '9007199254740993');
  assert.ok(d[0].equals(Long.MAX_VALUE));
  assert.equal(typeOf(parseDocument('{"a": 9223372036854775808}').a), 'double');
  assert.equal(Number(parseDocument('{"a": 1234567890123456.25}').a), 1234567890123456.25);
});

test('Extended JSON, canonical and relaxed', () => {
  const read = parseDocument('{"_id": {"$oid": "507f1f77bcf86cd799439011"}, "n": {"$numberInt": "5"}, "l": {"$numberLong": "5"}, "t": {"$date": "2020-01-02T03:04:05Z"}, "u": {"$date": {"$numberLong": "-1"}}, "m": {"$numberDecimal": "1.10"}}');
  assert.ok(read._id instanceof ObjectId);
  assert.ok(read.n instanceof Int32 && Long.isLong(read.l) && read.m instanceof Decimal128);
  assert.equal(read.t.toISOString(), '2020-01-02T03:04:05.000Z');
  assert.equal(read.u.getTime(), -1);
  assert.equal(toExtendedJson({ m: read.m, l: read.l }, { canonical: true, indent: 0 }), '{"m":{"$numberDecimal":"1.10"},"l":{"$numberLong":"5"}}');
});

test('a name that is a trap for JavaScript is a field like others', () => {
  for (const text of ['{"__proto__": {"a": 1}}', '{"__proto__": {"$numberInt": "1"}, "x": 1}']) {
    const read = parseDocument(text);
    assert.deepEqual(Object.getPrototypeOf(read), Object.prototype);
    assert.ok(Object.hasOwn(read, '__proto__'));
  }
});

test('what is no document is refused with its place', () => {
  assert.throws(() => parsePiece({ text: '{"a": }', line: 3, column: 1 }), (error) => error.line === 3 && /not valid/.test(error.message));
  assert.throws(() => parsePiece({ text: '{"a": [{"b": {"$date": "soon"}}]}', line: 7, column: 1 }), (error) => error.line === 7 && /“a\.0\.b” is not a date/.test(error.message));
  assert.throws(() => parsePiece({ text: '{"$oid": "507f1f77bcf86cd799439011"}', line: 1, column: 1 }), /not a document/);
});

const streamOf = (...chunks) => new ReadableStream({
  start(controller) {
    for (const chunk of chunks) controller.enqueue(chunk);
    controller.close();
  },
});

async function batches(...chunks) {
  const found = [];
  for await (const batch of readDocuments(streamOf(...chunks), new AbortController().signal)) found.push(batch);
  return found;
}

test('text is decoded across chunks, with and without marks of order', async () => {
  const bytes = new TextEncoder().encode('\ufeff{"a": "ž🌳"}\n');
  const [{ documents }] = await batches(...[...bytes].map((byte) => Uint8Array.of(byte)));
  assert.deepEqual(documents, [{ a: 'ž🌳' }]);
  const [wide] = await batches(new Uint8Array(Buffer.from('\ufeff{"a": "ž"}', 'utf16le')));
  assert.deepEqual(wide.documents, [{ a: 'ž' }]);
});

test('batches hold every document once, in order, and say how far the file was read', async () => {
  const all = Array.from({ length: 5000 }, (_, n) => ({ n }));
  const bytes = new TextEncoder().encode(all.map((document) => JSON.stringify(document)).join('\n'));
  const found = await batches(bytes.subarray(0, 1000), bytes.subarray(1000));
  assert.ok(found.length > 1);
  assert.deepEqual(found.flatMap(({ documents }) => documents), all);
  assert.equal(found.at(-1).bytesRead, bytes.length);
});

test('documents before a mistake are given before it is thrown', async () => {
  const found = [];
  const reading = async () => {
    for await (const { documents } of readDocuments(streamOf(new TextEncoder().encode('{"a":1}\n{"a":2}\n{"a":\n')), new AbortController().signal)) found.push(...documents);
  };
  await assert.rejects(reading(), { name: 'ImportError', line: 3 });
  assert.deepEqual(found, [{ a: 1 }, { a: 2 }]);
});

test('bytes that are no text are refused', async () => {
  await assert.rejects(batches(Uint8Array.of(0x7b, 0xff, 0xfe)), /not text in UTF-8/);
});

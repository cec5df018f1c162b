// What the page shows of explain's reply, of values and of files' names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Binary, BSON, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'pandodb';
import { createEngine } from 'pandodb/engine';
import { load } from './modules.mjs';

const { briefPlan, planOf } = await load('data/plan.ts');
const { oneLine, summaryOf, textOf, typeOf, isOpenable } = await load('data/values.ts');
const { nameFor, unusedName } = await load('data/collection_name.ts');

test('plans of the engine itself: by an index, by none, by _id', async () => {
  const engine = await createEngine();
  const run = (command) => BSON.deserialize(engine.command('d', BSON.serialize(command)));
  run({ insert: 'c', documents: Array.from({ length: 10 }, (_, n) => ({ _id: n, a: n % 5 })) });
  run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
  const plan = (find) => planOf(run({ explain: { find: 'c', ...find }, verbosity: 'executionStats' }));

  const indexed = plan({ filter: { a: { $lt: 2 } } });
  assert.deepEqual([indexed.indexes, indexed.scansCollection, indexed.returned, indexed.keysExamined, indexed.docsExamined], [['a_1'], false, 4, 4, 4]);
  assert.equal(indexed.root.name, 'FETCH');
  const scan = indexed.root.inputs[0];
  assert.equal(scan.name, 'IXSCAN');
  assert.equal(scan.keysExamined, 4);
  assert.deepEqual(scan.facts.find(([name]) => name === 'key'), ['key', '{ a: 1 }']);
  assert.ok(scan.facts.some(([name]) => name === 'bounds of a'));
  assert.equal(briefPlan(indexed), 'index a_1');

  const whole = plan({ filter: { b: 1 }, sort: { b: 1 } });
  assert.equal(whole.scansCollection, true);
  assert.equal(whole.docsExamined, 10);
  assert.equal(briefPlan(whole), 'no index: whole collection read, sorted in memory');

  assert.deepEqual(plan({ filter: { _id: 3 } }).indexes, ['_id_']);
  await engine.close();
});

test('a reply without a plan that was run has none to show', () => {
  assert.equal(planOf({ queryPlanner: {}, ok: 1 }), undefined);
});

const VALUES = [
  [new Int32(5), 'int', '5'],
  [new Double(5), 'double', '5.0'],
  [new Double(-0), 'double', '-0.0'],
  [new Double(NaN), 'double', 'NaN'],
  [Long.fromString('9007199254740993'), 'long', '9007199254740993'],
  [Decimal128.fromString('1.10'), 'decimal', '1.10'],
  ['<b>', 'string', '<b>'],
  [null, 'null', 'null'],
  [true, 'bool', 'true'],
  [new Date(0), 'date', '1970-01-01T00:00:00.000Z'],
  [new Date(NaN), 'date', 'a date that JavaScript cannot show'],
  [new ObjectId('507f1f77bcf86cd799439011'), 'objectId', '507f1f77bcf86cd799439011'],
  [new BSONRegExp('^a', 'i'), 'regex', '/^a/i'],
  [new Binary(Uint8Array.of(1, 2, 3), 5), 'binData', '3 bytes, subtype 5'],
  [new Timestamp({ t: 7, i: 2 }), 'timestamp', '7, 2'],
];

test('values are shown by their type, and none of these is opened', () => {
  for (const [value, type, text] of VALUES) {
    assert.deepEqual([typeOf(value), textOf(value), isOpenable(value)], [type, text, false]);
  }
});

test('a document that says it is a class of BSON is a document', () => {
  const liar = { _bsontype: 'ObjectId', id: 1 };
  assert.equal(typeOf(liar), 'object');
  assert.equal(isOpenable(liar), true);
  assert.equal(summaryOf(liar), '2 fields');
  assert.equal(summaryOf([1]), '1 element');
});

test('documents on one line', () => {
  assert.equal(oneLine({ 'a.b': new Int32(1), c: new Double(-1), d: ['x', null], e: {} }), '{ "a.b": 1, c: -1, d: ["x", null], e: {} }');
});

test('collections are named after files', () => {
  assert.deepEqual(['a b.ndjson', 'x.JSON', '.json', 'a$b.txt', 'system.js.json', '..c.json', 'plain'].map(nameFor),
    ['a b', 'x', 'import', 'a_b', 'system_js', 'c', 'plain']);
  assert.equal(unusedName('a', new Set(['a', 'a-2'])), 'a-3');
});

// `_id`, batches, and what is stored against what the caller holds.
import { test } from 'node:test';
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import { EJSON, ObjectId } from 'bson';
import { WatchedClient } from './watched_client.mjs';

function watched(reply = (command) => ({ ok: 1, n: command.documents.length }), options) {
  const commands = [];
  const client = new WatchedClient((command) => {
    commands.push(command);
    return reply(command, commands.length);
  }, options);
  return { collection: client.db('d').collection('c'), commands };
}

test('a missing _id is made, put into the caller’s object, and stored first', async () => {
  const { collection, commands } = watched();
  const document = { a: 1, nested: { _id: 'own' } };
  const { insertedId } = await collection.insertOne(document);
  ok(insertedId instanceof ObjectId);
  strictEqual(document._id, insertedId);
  const [stored] = commands[0].documents;
  deepStrictEqual(Object.keys(stored), ['_id', 'a', 'nested']);
  deepStrictEqual(Object.keys(stored.nested), ['_id']);
  strictEqual(String(stored._id), String(insertedId));
});

test('an _id of one’s own is stored first, wherever it stands', async () => {
  const { collection, commands } = watched();
  const { insertedId } = await collection.insertOne({ a: 1, _id: 'mine', b: 2 });
  strictEqual(insertedId, 'mine');
  deepStrictEqual(Object.keys(commands[0].documents[0]), ['_id', 'a', 'b']);
});

test('null and undefined are no _id; 0 and the empty string are', async () => {
  const { collection } = watched();
  for (const none of [null, undefined]) ok((await collection.insertOne({ _id: none })).insertedId instanceof ObjectId);
  for (const some of [0, '', false]) strictEqual((await collection.insertOne({ _id: some })).insertedId, some);
});

test('frozen, sealed and refusing objects are copied', async () => {
  const refusing = Object.defineProperty({ a: 1 }, '_id', { get: () => undefined, set() { throw new Error('read-only'); }, enumerable: true });
  for (const document of [Object.freeze({ a: 1 }), Object.seal({ a: 1 }), Object.preventExtensions({ a: 1 }), refusing]) {
    const { collection, commands } = watched();
    const { insertedId } = await collection.insertOne(document);
    strictEqual(document._id, undefined);
    strictEqual(String(commands[0].documents[0]._id), String(insertedId));
    deepStrictEqual(Object.keys(commands[0].documents[0]), ['_id', 'a']);
  }
});

test('maps and classes get their _id too', async () => {
  const { collection, commands } = watched();
  const map = new Map([['z', 1], ['a', 2]]);
  const { insertedId } = await collection.insertOne(map);
  strictEqual(map.get('_id'), insertedId);
  deepStrictEqual(Object.keys(commands[0].documents[0]), ['_id', 'z', 'a']);
  class Note { constructor() { this.text = 'x'; } toBSON() { return { text: this.text, kind: 'note' }; } }
  const note = new Note();
  const made = (await collection.insertOne(note)).insertedId;
  strictEqual(note._id, made);
  const [stored] = commands[1].documents;
  deepStrictEqual(Object.keys(stored), ['_id', 'text', 'kind']);
  strictEqual(String(stored._id), String(made));
});

test('the _id that toBSON gives is the one that is stored and reported', async () => {
  const { collection, commands } = watched();
  const stored = (index) => EJSON.serialize(commands[index].documents);
  const given = (fields) => ({ toBSON: () => fields });
  strictEqual((await collection.insertOne(given({ r: 1, _id: 12 }))).insertedId, 12);
  deepStrictEqual(stored(0), [{ _id: 12, r: 1 }]);
  deepStrictEqual(Object.keys(commands[0].documents[0]), ['_id', 'r']);
  strictEqual((await collection.insertOne({ _id: 13, toBSON: () => ({ _id: 14 }) })).insertedId, 14);
  deepStrictEqual(stored(1), [{ _id: 14 }]);
  strictEqual((await collection.insertOne(given({ _id: null }))).insertedId, null);
  deepStrictEqual(stored(2), [{ _id: null }]);
  const { insertedId } = await collection.insertOne(given({ _id: undefined, r: 2 }));
  ok(insertedId instanceof ObjectId);
  strictEqual(String(commands[3].documents[0]._id), String(insertedId));
  const many = await collection.insertMany([given({ _id: 'x' }), { _id: 'y' }, given({ _id: 'z', r: 3 })]);
  deepStrictEqual(many.insertedIds, { 0: 'x', 1: 'y', 2: 'z' });
  deepStrictEqual(stored(4), [{ _id: 'x' }, { _id: 'y' }, { _id: 'z', r: 3 }]);
});

test('forceServerObjectId leaves the object alone; a pkFactory makes other ids', async () => {
  const forced = watched();
  const document = { a: 1 };
  strictEqual((await forced.collection.insertOne(document, { forceServerObjectId: true })).insertedId, undefined);
  deepStrictEqual(document, { a: 1 });
  deepStrictEqual(Object.keys(forced.commands[0].documents[0]), ['a']);
  let next = 1;
  const made = watched(undefined, { pkFactory: { createPk: () => next++ } });
  deepStrictEqual((await made.collection.insertMany([{}, { _id: 'x' }, {}])).insertedIds, { 0: 1, 1: 'x', 2: 2 });
});

test('more than 100,000 documents are sent in several commands', async () => {
  const { collection, commands } = watched();
  const { insertedCount, insertedIds } = await collection.insertMany(Array.from({ length: 200_001 }, (_, index) => ({ _id: index })));
  deepStrictEqual(commands.map(({ documents }) => documents.length), [100_000, 100_000, 1]);
  strictEqual(Number(commands[2].documents[0]._id), 200_000);
  strictEqual(insertedCount, 200_001);
  strictEqual(insertedIds[200_000], 200_000);
});

test('more than 48,000,000 bytes are sent in several commands, each document encoded once', async () => {
  const { collection, commands } = watched((command) => ({ ok: 1, n: command.documents.length }));
  let encoded = 0;
  const big = (index) => ({ _id: index, text: 'x'.repeat(20_000_000) });
  class Counted { constructor(fields) { Object.assign(this, fields); } toBSON() { encoded++; return { text: this.text }; } }
  await collection.insertMany([1, 2, 3, 4, 5].map((index) => new Counted({ ...big(index) })));
  deepStrictEqual(commands.map(({ documents }) => documents.map(({ _id }) => Number(_id))), [[1, 2], [3, 4], [5]]);
  strictEqual(encoded, 5);
});

test('an ordered insertMany stops at the command that failed, an unordered one goes on', async () => {
  const failing = (command, number) => number === 2
    ? { ok: 1, n: 3, writeErrors: [{ index: 3, code: 11000, errmsg: 'E11000 duplicate key', keyPattern: { _id: 1 }, keyValue: { _id: 3 } }] }
    : { ok: 1, n: command.documents.length };
  const documents = () => Array.from({ length: 250_000 }, (_, index) => ({ _id: index }));
  const ordered = watched(failing);
  await rejects(ordered.collection.insertMany(documents()), (error) => {
    strictEqual(error.name, 'MongoBulkWriteError');
    strictEqual(error.code, 11000);
    strictEqual(error.insertedCount, 100_003);
    strictEqual(Object.keys(error.insertedIds).length, 100_003);
    strictEqual(error.writeErrors[0].index, 100_003);
    deepStrictEqual(error.writeErrors[0].getOperation(), { _id: 100_003 });
    return true;
  });
  strictEqual(ordered.commands.length, 2);
  const unordered = watched((command, number) => number === 2 ? { ...failing(command, 2), n: 99_999 } : failing(command, number));
  await rejects(unordered.collection.insertMany(documents(), { ordered: false }), (error) => {
    strictEqual(error.insertedCount, 249_999);
    strictEqual(error.insertedIds[100_003], undefined);
    strictEqual(error.insertedIds[249_999], 249_999);
    return true;
  });
  strictEqual(unordered.commands.length, 3);
});

test('the place of a document that cannot be encoded is in the path', async () => {
  const { collection, commands } = watched();
  await rejects(collection.insertMany([{ a: 1 }, { b: [new Set()] }]), (error) => error.path === '1.b.0');
  await rejects(collection.insertOne({ b: [new Set()] }), (error) => error.path === 'b.0');
  await rejects(collection.insertOne(null), { name: 'MongoInvalidArgumentError' });
  await rejects(collection.insertMany([{}, null]), { name: 'MongoInvalidArgumentError' });
  deepStrictEqual(commands, []);
});

test('an unacknowledged write says so', async () => {
  const { collection } = watched();
  strictEqual((await collection.insertOne({}, { writeConcern: { w: 0 } })).acknowledged, false);
});

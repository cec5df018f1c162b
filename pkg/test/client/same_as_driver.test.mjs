// The same calls on the official driver and on ours send the same commands, and the same replies come out as the same results and errors.
import { after, before, test } from 'node:test';
import { deepStrictEqual, ok } from 'node:assert';
import { Binary, EJSON, Long, ObjectId } from 'bson';
import * as driver from 'mongodb';
import * as pandodb from '../../dist/index.js';
import { startServer } from './op_msg_server.mjs';
import { WatchedClient } from './watched_client.mjs';

let server;
let theirs;
let commands = [];
let replies = [];
const answer = (command) => {
  const { lsid, $clusterTime, apiVersion, txnNumber, buildinfo, ...rest } = command;
  // The old spelling, which the driver keeps.
  commands.push(buildinfo === undefined ? rest : { buildInfo: buildinfo, ...rest });
  return replies.shift() ?? { ok: 1 };
};

before(async () => {
  server = await startServer(answer);
  theirs = new driver.MongoClient(server.uri, { serverApi: { version: '1' }, promoteValues: true });
  await theirs.connect();
});
after(async () => {
  await theirs.close();
  await server.stop();
});

async function run(client, call, given) {
  commands = [];
  replies = given.map((reply) => structuredCloneOf(reply));
  let outcome;
  try {
    outcome = { result: await call(client.db('shop'), client) };
  } catch (error) {
    outcome = { error: describe(error) };
  }
  return { commands, outcome };
}
const structuredCloneOf = (value) => EJSON.deserialize(EJSON.serialize(value, { relaxed: false }), { relaxed: false });

function describe(error) {
  const { name, message, code, codeName, errmsg, keyPattern, keyValue, errInfo, errorLabels, index, insertedIds, insertedCount } = error;
  const writeErrors = error.writeErrors?.map((one) => [one.code, one.index, one.errmsg, one.getOperation()]);
  return { name, message, code, codeName, errmsg, keyPattern, keyValue, errInfo, errorLabels, index, insertedIds, insertedCount, writeErrors };
}

// As canonical Extended JSON, in which every type shows; the order of the fields behind the first does not matter.
const shown = (value) => value === undefined ? undefined : sorted(JSON.parse(EJSON.stringify(value, { relaxed: false })));
function sorted(value, isCommand = false) {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (typeof value !== 'object' || value === null || !isCommand) return value;
  const [first, ...rest] = Object.keys(value);
  return Object.fromEntries([first, ...rest.sort()].map((key) => [key, value[key]]));
}
const shownCommands = (list) => list.map((command) => sorted(shown(command), true));

function same(title, call, ...given) {
  test(title, async () => {
    const expected = await run(theirs, (db, client) => call(db, driver, client), given);
    const actual = await run(new WatchedClient(answer), (db, client) => call(db, pandodb, client), given);
    deepStrictEqual(shownCommands(actual.commands), shownCommands(expected.commands));
    deepStrictEqual(shown(actual.outcome), shown(expected.outcome));
  });
}

const id = new ObjectId('0123456789abcdef01234567');
const cursor = (batch, id = 0, name = 'firstBatch') => ({ cursor: { [name]: batch, id: Long.fromNumber(id), ns: 'shop.c' }, ok: 1 });
const documents = [{ _id: 1, a: 'x' }, { _id: 2, a: [1, { b: null }] }, { _id: 3, long: Long.fromString('9007199254740995'), bin: new Binary(new Uint8Array([1])) }];

same('findOne', (db) => db.collection('c').findOne({ _id: id, a: { $gt: 5.5 } }), cursor([documents[1]]));
same('findOne without a filter', (db) => db.collection('c').findOne(), cursor([]));
same('findOne by an ObjectId', (db) => db.collection('c').findOne(id), cursor([documents[0]]));
same('findOne with options', (db) => db.collection('c').findOne({}, { sort: { a: -1 }, projection: { a: 1 }, skip: 3, hint: 'a_1', comment: 'why', maxTimeMS: 5, collation: { locale: 'de' } }), cursor([documents[2]]));
same('findOne that fails', (db) => db.collection('c').findOne({ $bad: 1 }), { ok: 0, errmsg: 'unknown top level operator: $bad', code: 2, codeName: 'BadValue' });
same('an undefined in a filter', (db) => db.collection('c').findOne({ a: undefined }), cursor([]));
same('an undefined that is ignored', (db) => db.collection('c').findOne({ a: undefined, b: 1 }, { ignoreUndefined: true }), cursor([]));
same('find, toArray', (db) => db.collection('c').find({ a: 1 }).toArray(), cursor(documents));
same('find over several batches', (db) => db.collection('c').find({}, { batchSize: 2 }).toArray(), cursor(documents.slice(0, 2), 77), cursor(documents.slice(2), 77, 'nextBatch'), cursor([], 0, 'nextBatch'));
same('find with everything', (db) => db.collection('c').find({ a: /x/i }).sort({ a: 1, b: 'desc' }).skip(2).limit(10).project({ _id: 0 }).batchSize(10).hint({ a: 1 }).comment('c').maxTimeMS(9).min({ a: 1 }).max({ a: 5 }).returnKey(true).showRecordId(false).toArray(), cursor([]));
same('sort in its forms', async (db) => {
  const c = db.collection('c');
  for (const sort of ['a', ['a', 'b'], ['a', -1], [['a', 1], ['b', 'descending']], new Map([['z', -1], ['a', 1]]), { a: { $meta: 'textScore' } }, {}, []]) {
    await c.find({}).sort(sort).toArray();
  }
  await c.find({}).sort('a', 'desc').toArray();
}, ...new Array(9).fill(cursor([])));
same('a sort direction that is none', (db) => db.collection('c').find({}).sort({ a: 'up' }).toArray());
same('a projection as a list of names', (db) => db.collection('c').find({}, { projection: ['a', 'b'] }).toArray(), cursor([]));
same('a negative limit', (db) => db.collection('c').find({}, { limit: -3 }).toArray(), cursor(documents));
same('limit and batchSize', (db) => db.collection('c').find({}).limit(3).batchSize(2).toArray(), cursor(documents.slice(0, 2), 5), cursor(documents.slice(2), 5, 'nextBatch'), { cursorsKilled: [Long.fromNumber(5)], ok: 1 });
same('map', (db) => db.collection('c').find({}).map((document) => document._id).map((value) => value * 2).toArray(), cursor(documents));
same('map to null', (db) => db.collection('c').find({}).map(() => null).next(), cursor(documents));
same('next, hasNext and the end', async (db) => {
  const found = db.collection('c').find({});
  return [await found.hasNext(), await found.next(), await found.next(), await found.hasNext(), await found.next(), found.closed];
}, cursor(documents.slice(0, 2)));
same('a loop that is left early closes the cursor', async (db) => {
  for await (const document of db.collection('c').find({})) return document;
}, cursor(documents, 9), { ok: 1, cursorsKilled: [] });
same('forEach until false', async (db) => {
  const seen = [];
  await db.collection('c').find({}).forEach((document) => { seen.push(document._id); return seen.length < 2; });
  return seen;
}, cursor(documents));
same('a closed cursor', async (db) => {
  const found = db.collection('c').find({});
  await found.next();
  await found.close();
  const left = found.readBufferedDocuments();
  return [left.length, found.killed, found.closed, await found.next()];
}, cursor(documents, 9), { ok: 1 });
same('a cursor in use cannot be changed', async (db) => {
  const found = db.collection('c').find({});
  await found.next();
  found.limit(1);
}, cursor(documents));
same('rewind and clone', async (db) => {
  const found = db.collection('c').find({ a: 1 }).sort({ a: 1 });
  const first = await found.toArray();
  found.rewind();
  return [first, await found.toArray(), await found.clone().toArray()];
}, cursor(documents.slice(0, 1)), cursor(documents.slice(1)), cursor([]));
same('getMore that fails', (db) => db.collection('c').find({}).toArray(), cursor(documents, 9), { ok: 0, errmsg: 'cursor id 9 not found', code: 43, codeName: 'CursorNotFound' }, { ok: 1 });
same('explain', (db) => db.collection('c').find({ a: 1 }).sort({ a: 1 }).explain('executionStats'), { queryPlanner: { x: 1 }, ok: 1 });
same('explain without a verbosity', (db) => db.collection('c').find({ a: 1 }).explain(), { queryPlanner: { x: 1 }, ok: 1 });
same('a filter that is none', (db) => db.collection('c').find([]).toArray());
const notAnObject = { ok: 0, errmsg: 'Expected field filterto be of type object', code: 14, codeName: 'TypeMismatch' };
same('find with null as the filter', (db) => db.collection('c').find(null).toArray(), notAnObject);
same('find with null as the filter, set later', (db) => db.collection('c').find({ a: 1 }).filter(null).toArray(), notAnObject);
same('findOne with null as the filter', (db) => db.collection('c').findOne(null), notAnObject);
same('findOne with null as the filter and options', (db) => db.collection('c').findOne(null, { sort: { a: 1 } }), notAnObject);
const missing = { ok: 0, errmsg: "BSON field 'delete.deletes.q' is missing but a required field", code: 40414, codeName: 'Location40414' };
same('deleteOne with null as the filter', (db) => db.collection('c').deleteOne(null), missing);
same('deleteMany with null as the filter', (db) => db.collection('c').deleteMany(null), missing);
same('deleteMany with what is no filter', async (db) => {
  for (const filter of [5, 'x', [], id]) await db.collection('c').deleteMany(filter);
}, ...new Array(4).fill({ n: 0, ok: 1 }));
same('deletes without a filter', async (db) => [await db.collection('c').deleteOne(), await db.collection('c').deleteMany(undefined)], { n: 1, ok: 1 }, { n: 2, ok: 1 });
same('distinct with null as the filter', (db) => db.collection('c').distinct('a', null), { values: [], ok: 1 });
same('insertOne', (db) => db.collection('c').insertOne({ _id: 5, a: [1, 2.5, 'x', null, undefined, true] }), { n: 1, ok: 1 });
same('insertOne that fails', (db) => db.collection('c').insertOne({ _id: 5 }), { n: 0, writeErrors: [{ index: 0, code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 5 }, errmsg: 'E11000 duplicate key' }], ok: 1 });
same('insertOne with options', (db) => db.collection('c').insertOne({ _id: 5 }, { comment: 'x', bypassDocumentValidation: true, writeConcern: { w: 1, j: true } }), { n: 1, ok: 1 });
same('insertMany', (db) => db.collection('c').insertMany([{ _id: 1 }, { _id: 'b' }]), { n: 2, ok: 1 });
same('insertMany, ordered, that fails', (db) => db.collection('c').insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }]), { n: 1, writeErrors: [{ index: 1, code: 11000, errmsg: 'E11000', keyPattern: { _id: 1 }, keyValue: { _id: 1 } }], ok: 1 });
same('insertMany, unordered, that fails', (db) => db.collection('c').insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }], { ordered: false }), { n: 2, writeErrors: [{ index: 1, code: 11000, errmsg: 'E11000' }], ok: 1 });
same('insertMany of nothing', (db) => db.collection('c').insertMany([]));
same('insertMany of what is no array', (db) => db.collection('c').insertMany({}));
same('updateOne', (db) => db.collection('c').updateOne({ a: 1 }, { $set: { b: 2 } }), { n: 1, nModified: 1, ok: 1 });
same('updateOne with upsert', (db) => db.collection('c').updateOne({ a: 1 }, { $set: { b: 2 } }, { upsert: true, hint: 'a_1', collation: { locale: 'de' }, let: { x: 1 }, arrayFilters: [{ 'e.x': 1 }], sort: { a: -1 } }), { n: 1, nModified: 0, upserted: [{ index: 0, _id: id }], ok: 1 });
same('updateMany', (db) => db.collection('c').updateMany({}, [{ $set: { b: '$a' } }]), { n: 7, nModified: 3, ok: 1 });
same('updateOne that fails', (db) => db.collection('c').updateOne({}, { $set: { _id: 2 } }), { n: 0, nModified: 0, writeErrors: [{ index: 0, code: 66, errmsg: 'immutable' }], ok: 1 });
same('updateOne without operators', (db) => db.collection('c').updateOne({}, { a: 1 }));
same('updateOne with a filter that is none', (db) => db.collection('c').updateOne(null, { $set: { a: 1 } }));
same('replaceOne with a filter that is none', (db) => db.collection('c').replaceOne(null, { a: 1 }));
same('replaceOne', (db) => db.collection('c').replaceOne({ a: 1 }, { b: 2 }, { upsert: true }), { n: 1, nModified: 0, upserted: [{ index: 0, _id: 'new' }], ok: 1 });
same('replaceOne with operators', (db) => db.collection('c').replaceOne({}, { $set: { a: 1 } }));
same('deleteOne', (db) => db.collection('c').deleteOne({ a: 1 }, { hint: { a: 1 } }), { n: 1, ok: 1 });
same('deleteMany', (db) => db.collection('c').deleteMany({}), { n: 7, ok: 1 });
same('a write concern that is not met', (db) => db.collection('c').deleteMany({}), { n: 7, ok: 1, writeConcernError: { code: 64, codeName: 'WriteConcernFailed', errmsg: 'waiting timed out' } });
same('estimatedDocumentCount', (db) => db.collection('c').estimatedDocumentCount({ maxTimeMS: 5 }), { n: 42, ok: 1 });
same('createIndex in its forms', async (db) => {
  const c = db.collection('c');
  const names = [];
  for (const key of ['a', { a: 1, b: -1 }, ['a', 'b'], ['a', -1], [['a', 1], ['b', 'text']], new Map([['z', 1], ['a', -1]]), [{ a: 1 }, 'b']]) {
    names.push(await c.createIndex(key));
  }
  names.push(await c.createIndex({ a: 1 }, { unique: true, name: 'mine', sparse: true, expireAfterSeconds: 5, partialFilterExpression: { a: 1 } }));
  return names;
});
same('createIndexes', (db) => db.collection('c').createIndexes([{ key: { a: 1 } }, { key: { b: -1 }, name: 'n', unique: true }]));
same('createIndex that fails', (db) => db.collection('c').createIndex({ a: 1 }), { ok: 0, errmsg: 'Index already exists with a different name', code: 85, codeName: 'IndexOptionsConflict' });
same('dropIndex', (db) => db.collection('c').dropIndex('a_1'), { nIndexesWas: 2, ok: 1 });
same('dropIndexes', (db) => db.collection('c').dropIndexes(), { nIndexesWas: 2, ok: 1 });
const indexList = cursor([{ v: 2, key: { _id: 1 }, name: '_id_' }, { v: 2, key: { a: 1, b: -1 }, name: 'a_1_b_-1' }]);
same('listIndexes', (db) => db.collection('c').listIndexes({ batchSize: 5 }).toArray(), indexList);
same('indexes', async (db) => [await db.collection('c').indexes(), await db.collection('c').indexes({ full: false }), await db.collection('c').indexInformation()], indexList, indexList, indexList);
same('indexExists', async (db) => [await db.collection('c').indexExists('_id_'), await db.collection('c').indexExists(['_id_', 'nope'])], indexList, indexList);
same('drop', (db) => db.collection('c').drop(), { ok: 1 });
same('drop of what is not there', (db) => db.collection('c').drop(), { ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: 'ns not found' });
same('createCollection', async (db) => (await db.createCollection('c', { capped: true, size: 4096, validator: { a: 1 } })).namespace);
const unknownField = { ok: 0, code: 40415, codeName: 'Location40415', errmsg: "BSON field 'create.foo' is an unknown field." };
same('createCollection with options that are not known', (db) => db.createCollection('c', { foo: 1, autoIndexId: false, capped: null, size: undefined }), unknownField);
same('createCollection without the options of the client', async (db) => (await db.createCollection('c', {
  comment: 'x', maxTimeMS: 5, writeConcern: { w: 1 }, readConcern: { level: 'local' }, promoteLongs: true, ignoreUndefined: true, raw: false, session: undefined, timeoutMS: undefined, max: 3,
})).namespace);
same('createIndex with an option that is not known', async (db) => {
  const c = db.collection('c');
  return [
    await c.createIndex({ a: 1 }, { uniqe: true, unique: true, version: 2 }),
    await c.createIndex({ a: 1 }, { uniqe: true, unique: true, version: 2, name: 'n' }, {}),
    await c.createIndex({ a: 1 }, undefined, { commitQuorum: 1 }),
    await c.createIndex({ a: 'text' }, { defaultLanguage: 'none', languageOverride: 'l' }, {}),
    await c.createIndexes([{ key: { a: 1 }, uniqe: true }]),
    await c.createIndexes([{ key: { a: 1 }, uniqe: true }], {}, true),
    await db.createIndex('c', { a: 1 }, { uniqe: true, sparse: true }),
  ];
});
same('hints of every kind', async (db) => {
  const c = db.collection('c');
  for (const hint of ['a_1', { a: 1 }, ['a', 'b'], 5, '', null]) {
    await c.deleteMany({}, { hint });
    await c.updateOne({}, { $set: { a: 1 } }, { hint });
    await c.findOneAndDelete({}, { hint });
    await c.aggregate([], { hint }).toArray();
  }
}, ...new Array(6).fill([{ n: 0, ok: 1 }, { n: 0, nModified: 0, ok: 1 }, { value: null, ok: 1 }, cursor([])]).flat());
same('a read concern', async (db) => {
  const c = db.collection('c');
  for (const readConcern of [{ level: 'majority' }, 'local', undefined]) {
    await c.find({}, { readConcern }).toArray();
    await c.findOne({}, { readConcern });
    await c.aggregate([], { readConcern }).toArray();
    await c.estimatedDocumentCount({ readConcern });
    await c.distinct('a', {}, { readConcern });
  }
}, ...new Array(3).fill([cursor([]), cursor([]), cursor([]), { n: 1, ok: 1 }, { values: [], ok: 1 }]).flat());
same('explain as an option', async (db) => {
  const c = db.collection('c');
  const plans = [];
  for (const explain of [true, 'queryPlanner', { verbosity: 'executionStats' }]) {
    plans.push(await c.find({ a: 1 }, { explain }).toArray(), await c.find({}, { explain, sort: { a: 1 } }).next(), await c.findOne({ a: 1 }, { explain }));
    plans.push(await c.aggregate([], { explain }).toArray());
  }
  plans.push(await c.distinct('a', {}, { explain: 'queryPlanner' }), await c.findOneAndDelete({}, { explain: true, includeResultMetadata: true }));
  return plans;
}, ...new Array(14).fill({ queryPlanner: { x: 1 }, ok: 1 }));
same('createCollection that fails', (db) => db.createCollection('c'), { ok: 0, code: 48, codeName: 'NamespaceExists', errmsg: 'Collection shop.c already exists.' });
same('dropDatabase', (db) => db.dropDatabase(), { ok: 1, dropped: 'shop' });
const collectionList = { cursor: { firstBatch: [{ name: 'a', type: 'collection' }, { name: 'b', type: 'view' }], id: Long.ZERO, ns: 'shop.$cmd.listCollections' }, ok: 1 };
same('listCollections', (db) => db.listCollections({ name: 'a' }, { nameOnly: true, batchSize: 3 }).toArray(), collectionList);
same('collections', async (db) => (await db.collections()).map((c) => c.namespace), collectionList);
same('command', (db) => db.command({ ping: 1, x: 1n, $db: 'other' }), { ok: 1, n: Long.fromString('9007199254740995') });
same('command that fails', (db) => db.command({ nope: 1 }), { ok: 0, errmsg: "no such command: 'nope'", code: 59, codeName: 'CommandNotFound', errorLabels: ['Some'] });
same('admin', async (db) => [await db.admin().ping(), await db.admin().buildInfo(), await db.admin().listDatabases({ nameOnly: true })], { ok: 1 }, { version: '8.0.0', ok: 1 }, { databases: [{ name: 'a' }], ok: 1 });
same('options of the codec on a call', (db) => db.collection('c').find({}, { promoteValues: false }).toArray(), cursor(documents));
same('promoteBuffers and BigInt', async (db) => {
  const [, , third] = await db.collection('c').find({}, { promoteBuffers: true, useBigInt64: true }).toArray();
  return [ok(third.bin instanceof Uint8Array), typeof third.long, String(third.long)];
}, cursor(documents));

same('distinct', (db) => db.collection('c').distinct('a', { b: 1 }, { hint: 'x' }), { values: [1, 'a', null], ok: 1 });
same('aggregate', (db) => db.collection('c').aggregate([{ $match: { a: 1 } }], { batchSize: 2, allowDiskUse: true, let: { x: 1 } }).sort({ a: 1 }).limit(3).toArray(), cursor(documents));
same('aggregate on the database', (db) => db.aggregate([{ $documents: [] }]).toArray(), cursor([]));
same('aggregate that is not there yet', (db) => db.collection('c').aggregate([{ $group: { _id: null } }]).toArray(), { ok: 0, code: 238, codeName: 'NotImplemented', errmsg: 'aggregate' });
same('findOneAndUpdate', (db) => db.collection('c').findOneAndUpdate({ a: 1 }, { $inc: { n: 1 } }, { sort: { p: -1 }, returnDocument: 'after', upsert: true, projection: { n: 1 }, arrayFilters: [{ x: 1 }] }), { value: { _id: 1, n: 2 }, lastErrorObject: { n: 1 }, ok: 1 });
same('findOneAndReplace', (db) => db.collection('c').findOneAndReplace({ a: 1 }, { n: 1 }), { value: null, ok: 1 });
same('findOneAndDelete', (db) => db.collection('c').findOneAndDelete({ a: 1 }, { includeResultMetadata: true }), { value: { _id: 1 }, lastErrorObject: { n: 1 }, ok: 1 });
same('findOneAndUpdate without operators', (db) => db.collection('c').findOneAndUpdate({}, { a: 1 }));
same('findOneAndReplace with operators', (db) => db.collection('c').findOneAndReplace({}, { $set: { a: 1 } }));
same('findOneAndDelete without a filter', (db) => db.collection('c').findOneAndDelete());
same('rename', async (db) => (await db.collection('c').rename('d', { dropTarget: true })).namespace, { ok: 1 });
same('options', (db) => db.collection('c').options(), { cursor: { firstBatch: [{ name: 'c', options: { capped: true } }], id: Long.ZERO, ns: 'shop.$cmd.listCollections' }, ok: 1 });
same('options of what is not there', (db) => db.collection('c').options(), { cursor: { firstBatch: [], id: Long.ZERO, ns: 'shop.$cmd.listCollections' }, ok: 1 });
same('stats', (db) => db.stats(), { collections: 1, ok: 1 });
same('unpromoted values in an upsert, plain numbers around them', async (db) => {
  const { upsertedId, matchedCount } = await db.collection('c').updateOne({}, { $set: { a: 1 } }, { upsert: true, promoteValues: false });
  return [typeof upsertedId, Number(matchedCount)];
}, { n: 1, nModified: 0, upserted: [{ index: 0, _id: 7 }], ok: 1 });

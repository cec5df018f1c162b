// Connection strings, options, and the life of a client.
import { test } from 'node:test';
import { deepStrictEqual, rejects, strictEqual, throws } from 'node:assert';
import { parseConnection } from '../../dist/connection_string.js';
import { MongoClient } from '../../dist/index.js';

test('a connection string says store, name, database and options', () => {
  const settings = parseConnection('indexeddb://my%20app/shop?durability=strict&cachebytesmax=8388608&promoteLongs=false&retryWrites=true&w=majority');
  deepStrictEqual(settings.engine, { store: 'indexeddb', name: 'my app', cacheBytesMax: 8388608, durability: 'strict', openTimeoutMS: 10000, version: '6.0' });
  strictEqual(settings.defaultDb, 'shop');
  deepStrictEqual(settings.bson, { promoteLongs: false });
  deepStrictEqual(settings.writeConcern, { w: 'majority' });
});

test('options override the string; what is undefined does not', () => {
  const settings = parseConnection('memory://?durability=strict', { durability: 'relaxed', version: '8.0', cacheBytesMax: undefined, ignoreUndefined: true });
  strictEqual(settings.engine.durability, 'relaxed');
  strictEqual(settings.engine.version, '8.0');
  strictEqual(settings.engine.store, 'memory');
  strictEqual(settings.defaultDb, 'test');
  deepStrictEqual(settings.bson, { ignoreUndefined: true });
});

test('options of the driver about servers have no effect', () => {
  parseConnection('memory://?maxPoolSize=5&replicaSet=rs0&tls=true&appName=x', { serverSelectionTimeoutMS: 5, useBigInt64: true, monitorCommands: true });
});

for (const [title, uri, options, name, message] of [
  ['a server', 'mongodb://localhost:27017/app', undefined, 'MongoParseError', /does not connect to servers.*indexeddb:\/\/name/],
  ['a cluster', 'mongodb+srv://x.example/app', undefined, 'MongoParseError', /mongodb\+srv:\/\/ has no meaning here/],
  ['no scheme', 'app', undefined, 'MongoParseError', /write indexeddb:\/\/name/],
  ['no name', 'indexeddb://', undefined, 'MongoParseError', /names no database/],
  ['a name that is not encoded', 'indexeddb://100%', undefined, 'MongoParseError', /% that begins no character/],
  ['a database name with a dot', 'indexeddb://app/a.b', undefined, 'MongoParseError', /not allowed/],
  ['no string', 5, undefined, 'MongoInvalidArgumentError', /connection string is needed/],
  ['an unknown option', 'memory://?colour=red', undefined, 'MongoParseError', /option colour is not supported/],
  ['an unknown option in the object', 'memory://', { colour: 'red' }, 'MongoParseError', /option colour is not supported/],
  ['a durability that is none', 'memory://?durability=never', undefined, 'MongoParseError', /must be one of relaxed, strict/],
  ['a cache that is too small', 'memory://', { cacheBytesMax: 10 }, 'MongoParseError', /number from 1048576/],
  ['a version that is none', 'memory://', { version: '4.2' }, 'MongoParseError', /must be one of 6\.0, 8\.0/],
  ['BigInt and Long at once', 'memory://', { useBigInt64: true, promoteLongs: false }, 'MongoInvalidArgumentError', /bigint or Long/],
]) {
  test(`refused: ${title}`, () => throws(() => new MongoClient(uri, options), (error) => error.name === name && message.test(error.message)));
}

test('IndexedDB that is not there is said to be missing', async () => {
  const client = new MongoClient('indexeddb://app');
  await rejects(client.connect(), { name: 'MongoEnvironmentError', message: /indexeddb:\/\/app cannot be opened: IndexedDB is not available here\. Write memory:\/\// });
  await rejects(client.db().collection('c').findOne(), { name: 'MongoEnvironmentError' });
  await client.close();
});

test('a closed client does not come back by itself', async () => {
  const client = new MongoClient('memory://');
  let closed = 0;
  client.on('close', () => closed++);
  await client.close();
  strictEqual(closed, 1);
  await rejects(client.db().collection('c').findOne(), { name: 'MongoNotConnectedError', message: 'Client must be connected before running operations' });
});

test('names that are no names', () => {
  const db = new MongoClient('memory://').db('x');
  throws(() => db.collection(''), { name: 'MongoInvalidArgumentError' });
  throws(() => db.collection(undefined), { name: 'MongoInvalidArgumentError' });
  throws(() => db.client.db(5), { name: 'MongoInvalidArgumentError' });
});

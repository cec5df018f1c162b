// Several calls on one cursor that do not wait for each other.
import { test } from 'node:test';
import { deepStrictEqual, rejects, strictEqual } from 'node:assert';
import { Long } from 'bson';
import { MongoClient } from '../../dist/index.js';
import { WatchedClient } from './watched_client.mjs';

/** A collection of `count` documents, cut into batches by what is asked for, and the names of the commands that came. */
function watched(count) {
  const commands = [];
  let sent = 0;
  const client = new WatchedClient((command) => {
    const [name] = Object.keys(command);
    commands.push(name);
    if (name === 'killCursors') return { ok: 1 };
    if (name === 'find') sent = 0;
    const end = Math.min(count, sent + Number(command.batchSize));
    const batch = Array.from({ length: end - sent }, (_, index) => ({ _id: sent + index }));
    sent = end;
    const cursor = { id: Long.fromNumber(end === count ? 0 : 7), ns: 'd.c', [name === 'find' ? 'firstBatch' : 'nextBatch']: batch };
    return { cursor, ok: 1 };
  });
  return { collection: client.db('d').collection('c'), commands };
}
const ids = (documents) => documents.map((document) => document && document._id);

test('calls of next that do not wait for each other get the documents in turn', async () => {
  const { collection, commands } = watched(7);
  const cursor = collection.find({}, { batchSize: 3 });
  const found = await Promise.all(Array.from({ length: 10 }, () => cursor.next()));
  deepStrictEqual(ids(found), [0, 1, 2, 3, 4, 5, 6, null, null, null]);
  deepStrictEqual(commands, ['find', 'getMore', 'getMore']);
});

test('every other way to read joins in', async () => {
  const { collection, commands } = watched(7);
  const cursor = collection.find({}, { batchSize: 3 });
  const [more, first, tried, rest] = await Promise.all([cursor.hasNext(), cursor.next(), cursor.tryNext(), cursor.toArray()]);
  deepStrictEqual([more, first._id, tried._id, ids(rest)], [true, 0, 1, [2, 3, 4, 5, 6]]);
  deepStrictEqual(commands, ['find', 'getMore', 'getMore']);
});

test('the error of a batch is the error of all that wait for it', async () => {
  const client = new WatchedClient(() => ({ ok: 0, code: 2, codeName: 'BadValue', errmsg: 'no' }));
  const cursor = client.db('d').collection('c').find({});
  const calls = [cursor.next(), cursor.next(), cursor.toArray()];
  await Promise.all(calls.map((call) => rejects(call, { code: 2 })));
});

test('a cursor rewound while a batch is on its way begins anew, and gives the old one back', async () => {
  const { collection, commands } = watched(4);
  const cursor = collection.find({}, { batchSize: 3 });
  const before = cursor.next();
  cursor.rewind();
  const after = cursor.next();
  deepStrictEqual(ids(await Promise.all([before, after])).sort(), [0, 1]);
  strictEqual(commands.filter((name) => name === 'find').length, 2);
  strictEqual(commands.filter((name) => name === 'killCursors').length, 1);
});

test('the same over the real engine', async () => {
  const client = new MongoClient('memory://');
  const collection = client.db('d').collection('c');
  await collection.insertMany(Array.from({ length: 20 }, (_, _id) => ({ _id })));
  const cursor = collection.find({}, { batchSize: 3 });
  const found = await Promise.all(Array.from({ length: 21 }, () => cursor.next()));
  deepStrictEqual(ids(found), [...Array.from({ length: 20 }, (_, _id) => _id), null]);
  await client.close();
});

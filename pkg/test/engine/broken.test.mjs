// An engine that broke, over the real module: what was pending fails, the next call works on a fresh instance.
import { test } from 'node:test';
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import { InternalError, MongoClient } from 'pandodb';
import { SharedEngine } from '../../dist/shared_engine.js';

test('the next call after a trap opens a fresh engine; a memory store says that its data is lost', async () => {
  const client = new MongoClient('memory://breaks');
  const collection = client.db().collection('c');
  await collection.insertOne({ _id: 1 });
  const listener = () => undefined;
  const shared = SharedEngine.acquire({ store: 'memory', name: 'breaks' }, listener);
  const before = shared.running;
  const cursor = collection.find({}, { batchSize: 1 });
  await collection.insertMany([{ _id: 2 }, { _id: 3 }]);
  await cursor.next();
  const error = before.fail(new WebAssembly.RuntimeError('unreachable'));
  ok(error instanceof InternalError && /unreachable.*data of this memory store is lost/s.test(error.message), error.message);
  await rejects(before.execute({ write() {}, read() {} }), InternalError);
  strictEqual(await collection.findOne(), null);
  ok(shared.running !== undefined && shared.running !== before);
  await rejects((async () => { while (await cursor.next() !== null); })(), { name: 'MongoServerError', code: 43 });
  await collection.insertOne({ _id: 4 });
  deepStrictEqual(await collection.findOne(), { _id: 4 });
  await shared.release(listener);
  await client.close();
});

test('what is under way when the client is closed is settled, what comes after is refused', async () => {
  const client = new MongoClient('memory://');
  const collection = client.db().collection('c');
  await collection.insertOne({ _id: 0 });
  const running = Array.from({ length: 20 }, (_, index) => collection.insertOne({ _id: index + 1 }));
  await client.close();
  strictEqual((await Promise.all(running)).length, 20);
  await rejects(collection.findOne(), { name: 'MongoNotConnectedError' });
  await client.connect();
  strictEqual(await collection.findOne(), null);
  await client.close();
});

test('a command can be ended by a signal', async () => {
  const client = new MongoClient('memory://');
  const collection = client.db().collection('c');
  await collection.insertMany(Array.from({ length: 60_000 }, (_, index) => ({ _id: index, text: `a${index}` })));
  const controller = new AbortController();
  const counting = collection.countDocuments({ text: { $in: ['nothing', 'at all'] } }, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await rejects(counting, /enough/);
  strictEqual(await collection.countDocuments({ text: 'a7' }), 1);
  await client.close();
});

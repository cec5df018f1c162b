// The engine's memory: a small database stays small, and a large insert lets it grow in few steps, since V8 collects all garbage at each.
import { test } from 'node:test';
import { ok } from 'node:assert';
import { PerformanceObserver, constants } from 'node:perf_hooks';
import { MongoClient } from 'pandodb';

/** What `work` gives, and how many collections of the whole heap it set off. */
async function collectionsDuring(work) {
  let major = 0;
  const count = (entries) => {
    for (const { detail } of entries) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) major++;
  };
  const observer = new PerformanceObserver((list) => count(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  await work();
  // Entries are handed over in a later task.
  await new Promise((resolve) => setImmediate(resolve));
  count(observer.takeRecords());
  observer.disconnect();
  return major;
}

test('memory of a small database, and of a large insert', async (context) => {
  const client = new MongoClient('memory://');
  const collection = client.db().collection('c');
  await collection.insertMany(Array.from({ length: 100 }, (_, index) => ({ _id: -index, text: 'small' })));
  const small = client.engineStats().memoryBytes;
  ok(small < 4 * 1024 * 1024, `${small} bytes`);
  const documents = Array.from({ length: 100_000 }, (_, index) => ({ _id: index + 1, a: index, text: 'x'.repeat(200), nested: { index } }));
  const major = await collectionsDuring(() => collection.insertMany(documents));
  context.diagnostic(`${major} collections of the whole heap, ${client.engineStats().memoryBytes} bytes`);
  // Growing by 64 KiB at a time set off about a hundred.
  ok(major < 25, `${major} collections`);
  await client.close();
});

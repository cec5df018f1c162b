// What the engine alone costs, and how much memory it takes.
import { ObjectId, serialize } from 'bson';
import { MongoClient } from 'pandodb';
import { createEngine } from 'pandodb/engine';
import { AGE, documents, ofAge } from './documents.mjs';
import { expect } from './measure.mjs';
import { erase } from './raw.mjs';

const memories = [];
const Instance = WebAssembly.Instance;
/** Notes the memory of every instance that is made from here on. */
export function watchMemories() {
  WebAssembly.Instance = class extends Instance {
    constructor(module, imports) {
      super(module, imports);
      if (this.exports.memory) memories.push(this.exports.memory);
    }
  };
}

/** A find by `_id`, bytes to bytes, through the synchronous engine: neither client nor decoding of the document. */
export async function engineOnly({ count, turns }) {
  const engine = await createEngine();
  const many = documents(10_000).map((document) => ({ _id: new ObjectId(), ...document }));
  engine.command('bench', serialize({ insert: 'people', documents: many }));
  const requests = many.map(({ _id }) => serialize({ find: 'people', filter: { _id }, limit: 1, singleBatch: true }));
  const scan = serialize({ count: 'people', query: { age: AGE } });
  const samples = { point: [], scan: [] };
  for (let turn = 0; turn <= turns; turn++) {
    let bytes = 0;
    const start = performance.now();
    for (let place = 0; place < count; place++) bytes += engine.command('bench', requests[(place * 7919) % requests.length]).length;
    const point = performance.now() - start;
    const begun = performance.now();
    for (let round = 0; round < 10; round++) engine.command('bench', scan);
    const scanned = performance.now() - begun;
    if (bytes < count * 300) throw new Error('the replies are too short');
    if (turn > 0) {
      samples.point.push(point / count);
      samples.scan.push(scanned / 10 / many.length);
    }
  }
  await engine.close();
  return samples;
}

const mebibytes = (bytes) => bytes / 1024 / 1024;

/**
 * Memory of an engine that scans a database ten times its cache: bytes of the module's memory, all of it.
 * The database is filled by another engine, since an insert needs memory for its command.
 */
export async function scanMemory({ cacheBytesMax }) {
  const options = { cacheBytesMax };
  const count = Math.ceil((10 * cacheBytesMax) / 300);
  const filling = new MongoClient('indexeddb://memory', options);
  for (let from = 0; from < count; from += 10_000) {
    await filling.db('bench').collection('people').insertMany(documents(Math.min(10_000, count - from), from));
  }
  await filling.close();

  watchMemories();
  const client = new MongoClient('indexeddb://memory', options);
  const people = client.db('bench').collection('people');
  await client.connect();
  const before = memories.at(-1).buffer.byteLength;
  expect('documents of an age', await people.countDocuments({ age: AGE }), ofAge(count));
  let seen = 0;
  for await (const { k } of people.find()) seen += Number.isInteger(k) ? 1 : 0;
  expect('documents seen', seen, count);
  const after = memories.at(-1).buffer.byteLength;
  const stats = client.engineStats();
  await client.close();
  WebAssembly.Instance = Instance;
  await erase('memory');
  return {
    documents: count,
    cacheMiB: mebibytes(cacheBytesMax),
    storedMiB: mebibytes(stats.bytesRead) / 2,
    beforeMiB: mebibytes(before),
    afterMiB: mebibytes(after),
    heldMiB: mebibytes(stats.cacheBytes),
  };
}

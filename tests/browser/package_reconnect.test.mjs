// The package in a page when its connection or its engine breaks: what was under way is told, the next operation works on what is stored.
import { after, before, describe, test } from 'node:test';
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { reload, servePackage, startBrowser } from './package_page.mjs';

let server;
before(async () => {
  server = await servePackage();
});
after(() => server.close());

for (const kind of ['chromium', 'firefox']) {
  describe(kind, () => {
    let browser;
    let tab;
    before(async () => {
      browser = await startBrowser(kind, server.origin);
      tab = await browser.open();
    });
    after(() => browser.close());

    test('a connection closed behind its back: the write is refused, the next one connects again', async () => {
      await reload(tab);
      const [failed, events, count] = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://closed');
        const heard = [];
        client.on('connection-lost', (text) => heard.push(text));
        const collection = client.db('d').collection('c');
        await collection.insertOne({ _id: 1 });
        connections.at(-1).close();
        const refused = await outcome(collection.insertOne({ _id: 2 }));
        await collection.insertOne({ _id: 3 });
        return [refused, heard, await collection.countDocuments()];
      });
      deepStrictEqual([failed.name, failed.code, failed.cause], ['MongoServerError', 11600, 'InvalidStateError']);
      ok(failed.labels.includes('RetryableWriteError'), String(failed.labels));
      strictEqual(events.length, 1);
      match(events[0], /connection to the store was lost/);
      strictEqual(count, 2);
    });

    test('the browser says that it closed the connection, with writes under way: each is told what became of it', async () => {
      await reload(tab);
      const complaints = [];
      tab.on('pageerror', (error) => complaints.push(String(error)));
      const [events, outcomes, stored] = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://close event');
        const heard = [];
        client.on('connection-lost', (text) => heard.push(text));
        const collection = client.db('d').collection('c');
        await collection.insertOne({ _id: -1 });
        const writes = Array.from({ length: 20 }, (_, index) => outcome(collection.insertOne({ _id: index })));
        connections.at(-1).dispatchEvent(new Event('close'));
        const became = await Promise.all(writes);
        // As the driver's rules have it: again, and a duplicate means that it was done.
        const again = [];
        for (let index = 0; index < 20; index++) {
          if (became[index].value === undefined) again.push(await outcome(collection.insertOne({ _id: index })));
        }
        return [heard, [...became, ...again].map(({ code, value }) => value?.acknowledged ?? code), (await collection.find().toArray()).map(({ _id }) => _id)];
      });
      tab.removeAllListeners('pageerror');
      deepStrictEqual(complaints, []);
      strictEqual(events.length, 1);
      ok(outcomes.every((result) => [true, 11600, 11000].includes(result)), String(outcomes));
      ok(outcomes.includes(11600));
      deepStrictEqual(stored.sort((a, b) => a - b), Array.from({ length: 21 }, (_, index) => index - 1));
    });

    test('transactions that throw InvalidStateError: nothing is lost, nothing stands twice', async () => {
      await reload(tab);
      const [refused, counted, events] = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://throws');
        let heard = 0;
        client.on('connection-lost', () => heard++);
        const collection = client.db('d').collection('c');
        await collection.insertOne({ _id: 'first' });
        const { transaction } = IDBDatabase.prototype;
        let calls = 0;
        IDBDatabase.prototype.transaction = function (...given) {
          if (++calls % 9 === 0) throw new DOMException('The database connection is closing.', 'InvalidStateError');
          return transaction.apply(this, given);
        };
        const failures = [];
        for (let index = 0; index < 40; index++) {
          for (;;) {
            const result = await outcome(collection.updateOne({ _id: index }, { $set: { index } }, { upsert: true }));
            if (result.value !== undefined) break;
            failures.push([result.name, result.code]);
            if (failures.length > 60) return [failures];
          }
        }
        IDBDatabase.prototype.transaction = transaction;
        return [failures, await collection.countDocuments({ index: { $exists: true } }), heard];
      });
      ok(refused.length > 3 && refused.length < 40, JSON.stringify(refused));
      for (const [name, code] of refused) ok((name === 'MongoServerError' && code === 11600) || (name === 'MongoEnvironmentError' && code === 11600), `${name} ${code}`);
      strictEqual(counted, 40);
      ok(events > 0);
    });

    test('a panic is an InternalError with its text; what was resolved is there afterwards', async () => {
      await reload(tab);
      const seen = await tab.evaluate(async () => {
        let client = new pandodb.MongoClient('indexeddb://panics');
        let collection = client.db('d').collection('c');
        await collection.insertMany([{ _id: 1 }, { _id: 2 }]);
        const { getRandomValues } = Crypto.prototype;
        const breakIt = () => {
          Crypto.prototype.getRandomValues = () => {
            throw new Error('not today');
          };
        };
        const mendIt = () => {
          Crypto.prototype.getRandomValues = getRandomValues;
        };
        const upsert = () => collection.updateOne({ of: 'upsert' }, { $set: { a: 1 } }, { upsert: true });
        breakIt();
        const waiting = outcome(collection.insertOne({ _id: 3 }));
        const atOnce = await outcome(upsert());
        const waited = await waiting;
        mendIt();
        const counts = [await collection.countDocuments({ _id: { $in: [1, 2] } })];
        // In a callback of IndexedDB: the pages have to be loaded first.
        await client.close();
        client = new pandodb.MongoClient('indexeddb://panics');
        collection = client.db('d').collection('c');
        await client.connect();
        breakIt();
        const inCallback = await outcome(upsert());
        mendIt();
        counts.push(await collection.countDocuments({ _id: { $in: [1, 2] } }), await collection.countDocuments({ of: 'upsert' }));
        return { atOnce, waited, inCallback, counts };
      });
      for (const failed of [seen.atOnce, seen.inCallback]) {
        deepStrictEqual([failed.name, failed.code, failed.codeName], ['InternalError', 1, 'InternalError']);
        match(failed.message, /crypto\.getRandomValues has stopped working/);
      }
      ok(seen.waited.name === 'InternalError' || seen.waited.value.acknowledged, JSON.stringify(seen.waited));
      deepStrictEqual(seen.counts, [2, 2, 0]);
    });

    test('a trap with a commit under way: it is rejected, what is left of the engine writes nothing, the store is sound', async () => {
      await reload(tab);
      const seen = await tab.evaluate(async () => {
        const memories = [];
        const { Instance } = WebAssembly;
        WebAssembly.Instance = class extends Instance {
          constructor(...given) {
            super(...given);
            memories.push(this.exports.memory);
          }
        };
        const client = new pandodb.MongoClient('indexeddb://traps');
        const collection = client.db('d').collection('c');
        const results = [];
        for (let round = 0; round < 4; round++) {
          await collection.insertOne({ _id: `before ${round}` });
          const writes = [1, 2].map((index) => outcome(collection.insertOne({ _id: `during ${round} ${index}`, text: 'x'.repeat(100_000) })));
          // In the second half after the fence: when the pages are on their way.
          if (round >= 2) await new Promise((resolve) => setTimeout(resolve, 0));
          new Uint8Array(memories.at(-1).buffer).fill(0xff);
          const calls = round % 2 === 0 ? [outcome(collection.findOne({ _id: 'before 0' }))] : [];
          results.push(...(await Promise.all([...writes, ...calls])));
        }
        const found = await collection.find({ _id: { $in: [0, 1, 2, 3].map((round) => `before ${round}`) } }).toArray();
        // A new engine reads everything anew.
        await client.close();
        return [results, found.map(({ _id }) => _id), await outcome(new pandodb.MongoClient('indexeddb://traps').db('d').collection('c').find().toArray()), memories.length];
      });
      const [results, found, all, instances] = seen;
      for (const result of results) ok(result.name === 'InternalError' || result.value !== undefined, JSON.stringify(result));
      ok(results.filter((result) => result.name === 'InternalError').length >= 4, JSON.stringify(results.map(({ name }) => name)));
      deepStrictEqual(found, [0, 1, 2, 3].map((round) => `before ${round}`));
      ok(all.value.every(({ _id, text }) => _id.startsWith('before') || text.length === 100_000));
      ok(instances >= 4);
    });

    test('closing does not wait for a store that does not answer', async () => {
      await reload(tab);
      const seen = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://hangs', { openTimeoutMS: 1500 });
        const collection = client.db('d').collection('c');
        await collection.insertOne({ _id: 1 });
        const raw = await settled(indexedDB.open('hangs'));
        const transaction = raw.transaction(['pages', 'commits', 'meta'], 'readwrite');
        let held = true;
        const hold = () => {
          transaction.objectStore('meta').get(0).onsuccess = () => held && hold();
        };
        hold();
        const write = outcome(collection.insertOne({ _id: 2 }));
        const started = performance.now();
        await client.close();
        const took = performance.now() - started;
        const refused = await write;
        const later = await outcome(collection.findOne());
        held = false;
        raw.close();
        const again = await new pandodb.MongoClient('indexeddb://hangs').db('d').collection('c').countDocuments({ _id: 1 });
        return { took, refused, later, again };
      });
      ok(seen.took >= 1400 && seen.took < 20_000, String(seen.took));
      strictEqual(seen.refused.name, 'MongoClientClosedError');
      strictEqual(seen.later.name, 'MongoNotConnectedError');
      strictEqual(seen.again, 1);
    });

    test('closing with nothing under way needs no task of its own, so it ends while the page goes away', async () => {
      await reload(tab);
      const closed = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://pagehide');
        await client.db('d').collection('c').insertOne({ _id: 1 });
        let task = false;
        setTimeout(() => {
          task = true;
        }, 0);
        addEventListener('pagehide', () => client.close());
        dispatchEvent(new PageTransitionEvent('pagehide'));
        for (let turn = 0; turn < 100; turn++) await null;
        try {
          connections.at(-1).transaction(['meta']);
          return 'still open';
        } catch (error) {
          return [error.name, task];
        }
      });
      deepStrictEqual(closed, ['InvalidStateError', false]);
    });

    test('`await using` closes the client', async () => {
      await reload(tab);
      const seen = await tab.evaluate(`(async () => {
        let outer;
        {
          await using client = new pandodb.MongoClient('indexeddb://using');
          outer = client;
          await client.db('d').collection('c').insertOne({ _id: 1 });
        }
        return (await outcome(outer.db('d').collection('c').findOne())).name;
      })()`);
      strictEqual(seen, 'MongoNotConnectedError');
    });
  });
}

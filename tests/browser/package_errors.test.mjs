// The package in a page where something is missing, refused, damaged or too large: an error that says what and where, and a store as it was.
import { after, before, describe, test } from 'node:test';
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { reload, servePackage, startBrowser } from './package_page.mjs';

let server;
before(async () => {
  server = await servePackage();
});
after(() => server.close());

/** Asserts on an error as the page's `outcome` gives it. */
function refusedWith(result, { name, code, codeName, message, cause }) {
  deepStrictEqual([result.name, result.code, result.codeName], [name, code, codeName], JSON.stringify(result));
  match(result.message, message);
  if (cause !== undefined) strictEqual(result.cause, cause);
}

for (const kind of ['chromium', 'firefox']) {
  describe(kind, () => {
    let browser;
    let tab;
    before(async () => {
      browser = await startBrowser(kind, server.origin);
      tab = await browser.open();
    });
    after(() => browser.close());

    test('an engine that is not WebAssembly, or not there', async () => {
      await reload(tab);
      const [page, missing, mended] = await tab.evaluate(async () => {
        const open = (module) => outcome(new pandodb.MongoClient('indexeddb://module', { module }).connect());
        const results = [await open('/not-the-engine.wasm'), await open(new URL('/nowhere.wasm', location.href))];
        return [...results, (await open(undefined)).value !== undefined];
      });
      refusedWith(page, { name: 'MongoEnvironmentError', message: /\/not-the-engine\.wasm is not WebAssembly but a page that begins with "<!doctype html>.*engine\.wasm/s });
      refusedWith(missing, { name: 'MongoEnvironmentError', message: /\/nowhere\.wasm: status 404/ });
      ok(mended);
    });

    test('IndexedDB that is not there, throws, or cannot create', async () => {
      const results = {};
      const tamper = {
        absent: () => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }),
        insecure: () => Object.defineProperty(globalThis, 'indexedDB', {
          get() {
            throw new DOMException('The operation is insecure.', 'SecurityError');
          },
        }),
        denied: () => {
          IDBFactory.prototype.open = () => {
            throw new DOMException('access to the Indexed Database API is denied in this context.', 'SecurityError');
          };
        },
        readOnly: () => {
          IDBDatabase.prototype.createObjectStore = () => {
            throw new DOMException('A mutation operation was attempted on a database that did not allow mutations.', 'InvalidStateError');
          };
        },
      };
      for (const [name, act] of Object.entries(tamper)) {
        await reload(tab);
        await tab.evaluate(act);
        results[name] = await tab.evaluate(() => outcome(new pandodb.MongoClient('indexeddb://refused').db('d').collection('c').insertOne({})));
      }
      const expected = { name: 'MongoEnvironmentError', code: 6, codeName: 'HostUnreachable' };
      refusedWith(results.absent, { ...expected, message: /indexeddb:\/\/refused cannot be opened: IndexedDB is not available here\. Write memory:/ });
      refusedWith(results.insecure, { ...expected, message: /not available here \(SecurityError: The operation is insecure\.\)/, cause: 'SecurityError' });
      refusedWith(results.denied, { ...expected, message: /indexeddb:\/\/refused cannot be opened: .*IndexedDB refused to open a database: SecurityError: access to/ });
      refusedWith(results.readOnly, { ...expected, message: /indexeddb:\/\/refused cannot be opened: / });
      await reload(tab);
      strictEqual(await tab.evaluate(() => new pandodb.MongoClient('indexeddb://refused').db('d').collection('c').countDocuments()), 0);
    });

    test('an open that does not answer ends in time, and opens once it does', async () => {
      await reload(tab);
      const [refused, took, then, unanswered, count] = await tab.evaluate(async () => {
        // A connection that does not give way keeps a deletion waiting, and every open behind it.
        const raw = await settled(indexedDB.open('waits'));
        const deleting = settled(indexedDB.deleteDatabase('waits'));
        const client = new pandodb.MongoClient('indexeddb://waits', { openTimeoutMS: 300 });
        const started = performance.now();
        const result = await outcome(client.connect());
        const time = performance.now() - started;
        raw.close();
        await deleting;
        // A busy machine may take longer than that to open.
        const patient = new pandodb.MongoClient('indexeddb://waits');
        const then = await outcome(patient.db('d').collection('c').insertOne({ _id: 1 }));
        await client.close();
        await patient.close();
        // It opens, but somebody's transaction (a frozen tab's) keeps the first read waiting.
        const other = await settled(indexedDB.open('waits'));
        const transaction = other.transaction(['pages', 'commits', 'meta'], 'readwrite');
        let held = true;
        const hold = () => {
          transaction.objectStore('meta').get(0).onsuccess = () => held && hold();
        };
        hold();
        const unanswered = await outcome(client.connect());
        held = false;
        other.close();
        await client.close();
        await patient.connect();
        return [result, time, then, unanswered, await outcome(patient.db('d').collection('c').countDocuments())];
      });
      refusedWith(refused, { name: 'MongoEnvironmentError', code: 6, codeName: 'HostUnreachable', message: /indexeddb:\/\/waits cannot be opened: .*did not open within 300 ms/ });
      ok(took >= 290 && took < 20_000, String(took));
      ok(then.value?.acknowledged, JSON.stringify(then));
      refusedWith(unanswered, { name: 'MongoEnvironmentError', code: 6, codeName: 'HostUnreachable', message: /indexeddb:\/\/waits cannot be opened: .*did not answer within 300 ms/ });
      strictEqual(count.value, 1);
    });

    test('a database of a newer version, of a newer format, or of another program is left as it is', async () => {
      await reload(tab);
      const [version, format, foreign, higher, empty, untouched] = await tab.evaluate(async () => {
        const open = (name) => outcome(new pandodb.MongoClient(`indexeddb://${name}`).db('d').collection('c').insertOne({ _id: 1 }));
        const contents = async (database) => {
          const stores = [...database.objectStoreNames];
          if (stores.length === 0) return JSON.stringify([database.version, stores]);
          const transaction = database.transaction(stores);
          const lists = stores.map((store) => settled(transaction.objectStore(store).getAll()));
          return JSON.stringify([database.version, stores, (await Promise.all(lists)).map((list) => list.map((value) => [...new Uint8Array(value.buffer ?? [])]))]);
        };
        const make = (name, number, stores) => new Promise((resolve, reject) => {
          const request = indexedDB.open(name, number);
          request.onupgradeneeded = () => {
            for (const store of stores) request.result.createObjectStore(store);
          };
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
        const found = [];
        const same = [];
        for (const [name, number, stores] of [['later', 2, ['pages', 'commits', 'meta']], ['format', 1, undefined], ['foreign', 1, ['theirs']], ['higher', 30, ['theirs', 'meta']], ['empty', 5, []]]) {
          if (stores === undefined) {
            const client = new pandodb.MongoClient(`indexeddb://${name}`);
            await client.db('d').collection('c').insertOne({ _id: 0 });
            await client.close();
          }
          const raw = stores === undefined ? await settled(indexedDB.open(name)) : await make(name, number, stores);
          if (stores === undefined) {
            const metas = raw.transaction(['meta'], 'readwrite').objectStore('meta');
            for (const key of await settled(metas.getAllKeys())) {
              const bytes = await settled(metas.get(key));
              // Magic, then the format version.
              bytes[4] = 77;
              metas.put(bytes, key);
            }
          }
          const before = await contents(raw);
          found.push(await open(name));
          same.push(before === await contents(raw));
          raw.close();
        }
        return [...found, same];
      });
      const expected = { name: 'MongoEnvironmentError', code: 12, codeName: 'UnsupportedFormat' };
      refusedWith(version, { ...expected, message: /indexeddb:\/\/later cannot be opened: .*newer version of PandoDB/ });
      refusedWith(format, { ...expected, message: /indexeddb:\/\/format cannot be opened: .*format version 77, written by a newer version/ });
      refusedWith(foreign, { ...expected, message: /indexeddb:\/\/foreign cannot be opened: .*not one of PandoDB's/ });
      // Of a higher version, but another program's all the same.
      refusedWith(higher, { ...expected, message: /indexeddb:\/\/higher cannot be opened: .*not one of PandoDB's/ });
      refusedWith(empty, { ...expected, message: /indexeddb:\/\/empty cannot be opened: .*not one of PandoDB's/ });
      deepStrictEqual(untouched, [true, true, true, true, true]);
    });

    test('damaged BSON, documents over 16 MiB and documents too deep are refused, each alone', async () => {
      await reload(tab);
      const seen = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://bad input');
        const collection = client.db('d').collection('c');
        await collection.insertOne({ _id: 'before' });
        const damaged = [];
        const good = pandodb.BSON.serialize({ insert: 'c', documents: [{ _id: 'damaged', text: 'abc' }], $db: 'd' });
        for (let at = 0; at < good.length; at += 3) {
          for (const value of [0, 0x7f, 0xff]) {
            const bytes = Uint8Array.from(good);
            bytes[at] = value;
            damaged.push(bytes);
          }
        }
        for (const length of [0, 4, 5, 20]) damaged.push(good.slice(0, length));
        const answers = [];
        for (const bytes of damaged) {
          const result = await outcome(client.execute({ bson: undefined, write: (encoder) => encoder.bytes(bytes), read: (reply) => (reply.use(undefined), reply.document()) }));
          answers.push(result.name ?? (result.value.ok === 0 ? result.value.code : 'ok'));
        }
        await collection.deleteMany({ _id: { $ne: 'before' } });
        const deep = (levels) => {
          let document = {};
          for (let level = 1; level < levels; level++) document = { a: document };
          return document;
        };
        const large = await outcome(collection.insertOne({ _id: 'large', text: 'x'.repeat(16 * 1024 * 1024) }));
        const largest = await outcome(collection.insertOne({ _id: 'largest', text: 'x'.repeat(16 * 1024 * 1024 - 100) }));
        const grown = await outcome(collection.updateOne({ _id: 'largest' }, { $set: { more: 'y'.repeat(200) } }));
        const tooDeep = await outcome(collection.insertOne({ _id: 'deep', of: deep(200) }));
        const far = await outcome(collection.insertOne({ _id: 'deep', of: deep(100_000) }));
        return { kinds: [...new Set(answers)], large, largest, grown, tooDeep, far, ids: (await collection.find().toArray()).map(({ _id }) => _id) };
      });
      ok(seen.kinds.includes(22) && !seen.kinds.some((answer) => typeof answer === 'string' && answer !== 'ok'), JSON.stringify(seen.kinds));
      ok(seen.largest.value?.acknowledged, JSON.stringify(seen.largest));
      deepStrictEqual([seen.large.name, seen.large.code], ['MongoServerError', 2], JSON.stringify(seen.large));
      match(seen.large.message, /object to insert too large\. size in bytes: 16777\d+, max size: 16777216/);
      ok([10334, 17419].includes(seen.grown.code), JSON.stringify(seen.grown));
      for (const result of [seen.tooDeep, seen.far]) ok(/nest|depth|deep/i.test(result.message), JSON.stringify(result));
      deepStrictEqual(seen.ids, ['before', 'largest']);
    });
  });
}

test('chromium: without room a write is refused with the browser\'s error, and what is stored stays readable', async () => {
  const browser = await startBrowser('chromium', server.origin);
  try {
    const tab = await browser.open();
    const session = await tab.createCDPSession();
    // Before anything is stored, and looked at: otherwise Chromium does not heed it.
    await session.send('Storage.overrideQuotaForOrigin', { origin: server.origin, quotaSize: 2_000_000 });
    await session.send('Storage.getUsageAndQuota', { origin: server.origin });
    await tab.evaluate(async () => {
      globalThis.client = new pandodb.MongoClient('indexeddb://quota');
      await client.db('d').collection('c').insertMany(Array.from({ length: 50 }, (_, index) => ({ _id: index, text: 'a'.repeat(1000) })));
    });
    const seen = await tab.evaluate(async () => {
      const collection = client.db('d').collection('c');
      // Nothing that can be compressed.
      const text = [1, 2, 3].map(() => Array.from(crypto.getRandomValues(new Uint8Array(65536)), (byte) => String.fromCharCode(byte & 127)).join('')).join('');
      let refused;
      let stored = 0;
      for (let index = 0; index < 200 && refused === undefined; index++) {
        const result = await outcome(collection.insertOne({ _id: `large ${index}`, text }));
        if (result.value === undefined) refused = result;
        else stored++;
      }
      const again = await outcome(collection.insertMany([{ text }, { text }]));
      return { refused, stored, again, read: await collection.countDocuments({ text: 'a'.repeat(1000) }), all: await collection.countDocuments() };
    });
    refusedWith(seen.refused, { name: 'MongoServerError', code: 14031, codeName: 'OutOfDiskSpace', message: /no room for the write, or for what was left of it: QuotaExceededError/, cause: 'QuotaExceededError' });
    strictEqual(seen.again.code, 14031, JSON.stringify(seen.again));
    deepStrictEqual([seen.read, seen.all], [50, 50 + seen.stored]);
    await session.send('Storage.overrideQuotaForOrigin', { origin: server.origin });
    await session.send('Storage.getUsageAndQuota', { origin: server.origin });
    await reload(tab);
    const later = await tab.evaluate(async () => {
      const collection = new pandodb.MongoClient('indexeddb://quota').db('d').collection('c');
      const count = await collection.countDocuments();
      await collection.insertOne({ _id: 'after' });
      return [count, await collection.countDocuments()];
    });
    deepStrictEqual(later, [50 + seen.stored, 51 + seen.stored]);
  } finally {
    await browser.close();
  }
});

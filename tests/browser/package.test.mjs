// The package in a page, over IndexedDB: what is stored is there after a reload, for all clients of the page and for other tabs.
import { after, before, describe, test } from 'node:test';
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { reload, servePackage, startBrowser } from './package_page.mjs';

let server;
before(async () => {
  server = await servePackage();
});
after(() => server.close());

for (const kind of ['chromium', 'firefox']) {
  describe(kind, () => {
    let browser;
    before(async () => {
      browser = await startBrowser(kind, server.origin);
    });
    after(() => browser.close());

    test('values of every type are there after a reload, as what they were', async () => {
      const tab = await browser.open();
      await tab.evaluate(async () => {
        const { MongoClient, Long, Decimal128, ObjectId, Binary, BSONRegExp, Timestamp, MinKey, MaxKey, Code, UUID } = pandodb;
        const client = new MongoClient('indexeddb://types/shop');
        await client.db().collection('things').insertOne({
          _id: new ObjectId('0123456789abcdef01234567'), int: 7, negative: -0, double: 1.5, nan: NaN, long: Long.fromString('9007199254740993'),
          big: 2n ** 62n, decimal: Decimal128.fromString('1.10'), text: 'é\u{1f333}\ufeff', empty: '', yes: true, nothing: null,
          date: new Date(-1), regex: /a\/b/im, bytes: new Binary(Uint8Array.of(1, 2, 255), 5), uuid: new UUID('00112233-4455-6677-8899-aabbccddeeff'),
          list: [1, [2, { three: 3 }], []], nested: { a: { b: {} } }, stamp: new Timestamp({ t: 5, i: 6 }), min: new MinKey(), max: new MaxKey(),
          code: new Code('f()', { x: 1 }), pattern: new BSONRegExp('^x', 'x'), ['__proto__']: 'own',
        });
        await client.close();
      });
      await reload(tab);
      const seen = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://types/shop', { promoteValues: false });
        const found = await client.db().collection('things').findOne();
        const plain = await new pandodb.MongoClient('indexeddb://types/shop').db().collection('things').findOne();
        return [pandodb.BSON.EJSON.stringify(found, { relaxed: false }), typeof plain.int, plain.date instanceof Date, plain.regex instanceof RegExp,
          plain.uuid instanceof pandodb.UUID || plain.uuid._bsontype, Object.is(plain.negative, -0), Object.hasOwn(plain, '__proto__')];
      });
      deepStrictEqual(JSON.parse(seen[0]), {
        _id: { $oid: '0123456789abcdef01234567' }, int: { $numberInt: '7' }, negative: { $numberDouble: '-0.0' }, double: { $numberDouble: '1.5' },
        nan: { $numberDouble: 'NaN' }, long: { $numberLong: '9007199254740993' }, big: { $numberLong: '4611686018427387904' },
        decimal: { $numberDecimal: '1.10' }, text: 'é\u{1f333}\ufeff', empty: '', yes: true, nothing: null, date: { $date: { $numberLong: '-1' } },
        regex: { $regularExpression: { pattern: 'a\\/b', options: 'im' } }, bytes: { $binary: { base64: 'AQL/', subType: '05' } },
        uuid: { $binary: { base64: 'ABEiM0RVZneImaq7zN3u/w==', subType: '04' } },
        list: [{ $numberInt: '1' }, [{ $numberInt: '2' }, { three: { $numberInt: '3' } }], []], nested: { a: { b: {} } },
        stamp: { $timestamp: { t: 5, i: 6 } }, min: { $minKey: 1 }, max: { $maxKey: 1 }, code: { $code: 'f()', $scope: { x: { $numberInt: '1' } } },
        pattern: { $regularExpression: { pattern: '^x', options: 'x' } }, ['__proto__']: 'own',
      });
      deepStrictEqual(seen.slice(1), ['number', true, true, true, true, true]);
      await tab.close();
    });

    test('clients of one name share an engine; it is closed with the last of them', async () => {
      const tab = await browser.open();
      const seen = await tab.evaluate(async () => {
        const [one, two] = [1, 2].map(() => new pandodb.MongoClient('indexeddb://shared'));
        const [a, b] = [one, two].map((client) => client.db('d').collection('c'));
        await Promise.all([a.insertOne({ _id: 1 }), b.insertOne({ _id: 2 })]);
        const counted = [await a.countDocuments(), await b.countDocuments(), connections.length];
        await one.close();
        counted.push(await b.countDocuments(), connections.length);
        await two.close();
        await two.connect();
        counted.push(await b.countDocuments(), connections.length);
        await two.close();
        // Nothing holds the database any more.
        const blocked = await new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase('shared');
          request.onblocked = () => resolve(true);
          request.onsuccess = () => resolve(false);
          request.onerror = () => reject(request.error);
        });
        return [...counted, blocked];
      });
      deepStrictEqual(seen, [2, 2, 1, 2, 1, 2, 2, false]);
      await tab.close();
    });

    test('a dropped database is gone, also after a reload', async () => {
      const tab = await browser.open();
      await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://drops');
        await client.db('kept').collection('c').insertOne({ _id: 1 });
        await client.db('gone').collection('c').insertMany([{ _id: 1 }, { _id: 2 }]);
        await client.db('gone').dropDatabase();
      });
      await reload(tab);
      const names = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://drops');
        const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
        return [databases.map(({ name }) => name), await client.db('gone').collection('c').countDocuments()];
      });
      deepStrictEqual(names, [['kept'], 0]);
      await tab.close();
    });

    test('a database deleted from outside: the client hears of it and goes on with a new one', async () => {
      const tab = await browser.open();
      const seen = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://deleted');
        const events = [];
        for (const name of ['connection-lost', 'storage-lost']) client.on(name, (text) => events.push([name, text]));
        const collection = client.db('d').collection('c');
        await collection.insertOne({ _id: 1 });
        await settled(indexedDB.deleteDatabase('deleted'));
        const found = await collection.findOne();
        await collection.insertOne({ _id: 2 });
        return [events, found, await collection.countDocuments()];
      });
      deepStrictEqual(seen[0].map(([name]) => name), ['connection-lost', 'storage-lost']);
      ok(/deleted or changed from outside/.test(seen[0][0][1]) && /indexeddb:\/\/deleted was deleted/.test(seen[0][1][1]), String(seen[0]));
      deepStrictEqual(seen.slice(1), [null, 1]);
      await tab.close();
    });

    test('what one tab has written, another finds, changes and deletes', async () => {
      const [one, other] = [await browser.open(), await browser.open()];
      for (const tab of [one, other]) {
        await tab.evaluate(async () => {
          window.things = new pandodb.MongoClient('indexeddb://fresh').db('d').collection('c');
          await things.countDocuments();
        });
      }
      await one.evaluate(() => things.insertMany([{ _id: 'a', g: 1 }, { _id: 'b', g: 1 }]));
      // The notice of the commit arrives when it arrives: the other tab asks until it has.
      await other.waitForFunction(async () => (await things.countDocuments()) === 2, { polling: 20 });
      const changed = await other.evaluate(async () => ({
        matched: (await things.updateOne({ _id: 'a' }, { $set: { t: 1 } })).matchedCount,
        deleted: (await things.deleteMany({ g: 1 })).deletedCount,
      }));
      deepStrictEqual(changed, { matched: 1, deleted: 2 });
      await one.waitForFunction(async () => (await things.countDocuments()) === 0, { polling: 20 });
      for (const tab of [one, other]) await tab.close();
    });

    test('two tabs write at once: nothing is lost and nothing done twice', async () => {
      const rounds = 60;
      const tabs = [await browser.open(), await browser.open()];
      await tabs[0].evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://tabs');
        await client.db('d').collection('counters').insertOne({ _id: 'all', n: 0 });
      });
      const errors = await Promise.all(tabs.map((tab, place) => tab.evaluate(async (name, count) => {
        const db = new pandodb.MongoClient('indexeddb://tabs').db('d');
        const failed = [];
        const work = Array.from({ length: count }, async (_, index) => {
          // Some one after the other, some together.
          for (let step = 0; step < index % 3; step++) await db.command({ ping: 1 });
          await db.collection('counters').updateOne({ _id: 'all' }, { $inc: { n: 1 }, $push: { by: name } });
          await db.collection('log').insertOne({ _id: `${name}${index}`, index });
        });
        for (const outcome of await Promise.allSettled(work)) if (outcome.status === 'rejected') failed.push(String(outcome.reason));
        return failed;
      }, 'ab'[place], rounds)));
      deepStrictEqual(errors, [[], []]);
      for (const tab of tabs) {
        const [counter, ids] = await tab.evaluate(async () => {
          const db = new pandodb.MongoClient('indexeddb://tabs').db('d');
          // A write sees what others committed, whether or not this tab has heard of it.
          await db.collection('log').insertOne({});
          return [await db.collection('counters').findOne(), (await db.collection('log').find({ _id: { $type: 'string' } }).toArray()).map(({ _id }) => _id)];
        });
        strictEqual(counter.n, 2 * rounds);
        deepStrictEqual(['a', 'b'].map((name) => counter.by.filter((by) => by === name).length), [rounds, rounds]);
        deepStrictEqual(ids.sort(), ['a', 'b'].flatMap((name) => Array.from({ length: rounds }, (_, index) => `${name}${index}`)).sort());
      }
      for (const tab of tabs) await tab.close();
    });
  });
}

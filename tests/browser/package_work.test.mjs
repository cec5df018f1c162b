// The package in a page that has other things to do: long commands give the thread back, can be ended, and small databases stay small.
import { after, before, describe, test } from 'node:test';
import { ok, strictEqual } from 'node:assert';
import { servePackage, startBrowser } from './package_page.mjs';

const DOCUMENTS = 200_000;

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

    test('a small database needs little memory', async () => {
      const bytes = await tab.evaluate(async () => {
        const client = new pandodb.MongoClient('indexeddb://small');
        await client.db('d').collection('c').insertMany(Array.from({ length: 100 }, (_, index) => ({ _id: index, text: 'small' })));
        await client.db('d').collection('c').find().toArray();
        const { memoryBytes } = client.engineStats();
        await client.close();
        return memoryBytes;
      });
      ok(bytes < 4 * 1024 * 1024, `${bytes} bytes`);
    });

    test('a long count leaves no long task, and a signal ends it', async (context) => {
      const seen = await tab.evaluate(async (documents) => {
        const client = new pandodb.MongoClient('memory://work');
        const collection = client.db('d').collection('c');
        for (let from = 0; from < documents; from += 20_000) {
          await collection.insertMany(Array.from({ length: 20_000 }, (_, index) => ({ _id: from + index, n: index % 10, text: 'abcdef' })));
        }
        // Looks at the clock in tasks of its own, in turn with whatever else wants the thread.
        const ticks = [];
        let ticking = true;
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          ticks.push(performance.now());
          if (ticking) channel.port2.postMessage(0);
        };
        channel.port2.postMessage(0);
        const filter = { n: { $in: [3, 4, 5] }, text: { $ne: 'other' } };
        const started = performance.now();
        const count = await collection.countDocuments(filter);
        const took = performance.now() - started;
        const gaps = ticks.slice(1).map((tick, index) => tick - ticks[index]).sort((a, b) => a - b);
        // The engine asks for its next slice by a message: none comes any more once it has ended the command.
        const controller = new AbortController();
        const { postMessage } = MessagePort.prototype;
        let slices = 0;
        MessagePort.prototype.postMessage = function (...given) {
          if (this !== channel.port2) slices++;
          return postMessage.apply(this, given);
        };
        const ended = outcome(collection.countDocuments(filter, { signal: controller.signal }));
        const abortedAt = performance.now();
        controller.abort(new DOMException('enough', 'AbortError'));
        const result = await ended;
        const answeredAfter = performance.now() - abortedAt;
        await new Promise((resolve) => setTimeout(resolve, 50));
        const slicesOfAborted = slices;
        const after = await collection.countDocuments({ _id: 5 });
        // What costs a hundred times as much a document gives way as well.
        const before = ticks.length;
        const { modifiedCount } = await collection.updateMany({ n: { $lt: 2 } }, { $set: { text: 'changed', more: 'x'.repeat(50) } });
        const updating = ticks.slice(before + 1).map((tick, index) => tick - ticks[before + index]).sort((a, b) => a - b);
        ticking = false;
        await client.close();
        return { count, took, ticks: gaps.length, longest: gaps.at(-1), p90: gaps[Math.floor(gaps.length * 0.9)], result, answeredAfter, slicesOfAborted, after, modifiedCount, updates: updating.length, p90OfUpdate: updating[Math.floor(updating.length * 0.9)], longestOfUpdate: updating.at(-1) };
      }, DOCUMENTS);
      context.diagnostic(JSON.stringify(seen));
      strictEqual(seen.count, DOCUMENTS * 0.3);
      // Between two slices the page had its turn.
      ok(seen.ticks >= 10, `${seen.ticks} turns of the page`);
      ok(seen.p90 < 50, `one task in ten took over ${seen.p90} ms`);
      strictEqual(seen.result.name, 'AbortError');
      ok(seen.slicesOfAborted <= 2, `${seen.slicesOfAborted} slices of a command that was ended`);
      strictEqual(seen.after, 1);
      strictEqual(seen.modifiedCount, DOCUMENTS * 0.2);
      ok(seen.updates >= 10 && seen.p90OfUpdate < 50, `${seen.updates} turns of the page, one in ten over ${seen.p90OfUpdate} ms`);
    });
  });
}

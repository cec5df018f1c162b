// The short run: everything measured once, answers checked. Of the figures only what holds on a busy machine as well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './run.mjs';
import { evaluate, figure, markdown, median } from './table.mjs';

test('medians, ratios and targets', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(figure(0.00512, 'µs'), '5.12 µs');
  const row = evaluate({ what: 'x', samples: { pandodb: [3, 1, 2], dexie: [40, 10] }, target: { ratio: 2, against: 'dexie' } });
  assert.deepEqual(row.medians, { pandodb: 2, dexie: 25 });
  assert.equal(row.met, true);
  assert.equal(evaluate({ what: 'x', samples: { pandodb: [3] }, target: { most: 2 } }).met, false);
  assert.match(markdown([row]), /\| x \| 2\.00 ms, best 1\.00 ms \| – \| – \| 25\.0 ms \(0\.080\) \| ≤ 2 × dexie \| yes \|/);
});

test('a short run of everything', { timeout: 10 * 60_000 }, async () => {
  const { rows, engine, memory } = await run({ quick: true });
  for (const row of rows) {
    for (const value of Object.values(row.medians)) assert.ok(Number.isFinite(value) && value >= 0, row.what);
  }
  assert.ok(median(engine.point) > 0 && median(engine.scan) > 0);
  const row = (what) => rows.find((each) => each.what.startsWith(what)).medians;
  // A warm read crosses no process; one of IndexedDB does. A factor of 100 lies between them.
  assert.ok(row('findOne by _id').pandodb < row('findOne by _id').dexie, 'a warm read is faster than Dexie');
  // One record for many documents instead of one for each: a factor of ten.
  assert.ok(row('insertMany of 2,000').pandodb < row('insertMany of 2,000').dexie, 'a bulk insert is faster than Dexie');
  assert.ok(memory.afterMiB <= memory.cacheMiB + 16, `${memory.afterMiB} MiB for a cache of ${memory.cacheMiB} MiB`);
});

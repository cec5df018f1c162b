// The page: says what it can do, and does what the runner asks for.
import * as inside from './inside.mjs';
import * as measure from './measure.mjs';

let stores;
let prepared;

globalThis.bench = {
  bulk: measure.bulk,
  fill: async (options) => {
    stores = await measure.fill(options);
  },
  points: (options) => measure.points(stores, options),
  ranges: (options) => measure.ranges(stores, options),
  filters: (options) => measure.filters(stores, options),
  singles: (options) => measure.singles(stores, options),
  stats: () => stores.pandodb.store.stats(),
  closeAll: () => measure.closeAll(stores),
  engineOnly: inside.engineOnly,
  scanMemory: inside.scanMemory,
  // For profilers: one insert with nothing else in it.
  prepare: async (database, count) => {
    const store = await measure.PANDO.open(database);
    const given = measure.documentsOf(count);
    prepared = () => store.insertMany(given);
  },
  insertPrepared: async () => {
    const start = performance.now();
    await prepared();
    return performance.now() - start;
  },
};

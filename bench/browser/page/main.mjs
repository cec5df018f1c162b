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
  prepareBulk: async (options) => {
    prepared = await measure.prepareBulk(options);
  },
  runPrepared: async () => {
    await prepared();
  },
};

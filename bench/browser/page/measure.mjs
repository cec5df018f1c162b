// What is timed, in the page. Every function gives samples in milliseconds by store, taken in turns.
import * as dexie from './dexie.mjs';
import { DOCUMENT_BYTES, documents, ofAge } from './documents.mjs';
import * as pando from './pando.mjs';
import * as raw from './raw.mjs';

const PEERS = [pando, raw, dexie];

export function expect(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

/** The mean time of some rounds, so that what is timed is compiled code, and the last result. */
async function repeated(rounds, work) {
  let result;
  const [milliseconds] = await timed(async () => {
    for (let round = 0; round < rounds; round++) result = await work();
  });
  return [milliseconds / rounds, result];
}

/** Runs each piece of work in turns; the first turn warms up and does not count. */
async function inTurns(turns, works) {
  const samples = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let turn = 0; turn <= turns; turn++) {
    for (const [name, work] of Object.entries(works)) {
      const milliseconds = await work(turn);
      if (turn > 0) samples[name].push(milliseconds);
    }
  }
  return samples;
}

/**
 * Many documents at once into an empty database that is open: until the promise resolves. `indexed`: with an index on
 * `k` also in PandoDB; the others always have it.
 */
export async function bulk({ count, turns, indexed, peers = PEERS.map((peer) => peer.name) }) {
  const works = {};
  for (const peer of PEERS.filter((each) => peers.includes(each.name))) {
    works[peer.name] = async (turn) => {
      const database = `bulk-${peer.name}-${turn}`;
      const store = await peer.open(database);
      if (indexed) await store.createIndex?.();
      const given = documents(count);
      const [milliseconds, ids] = await timed(() => store.insertMany(given));
      expect('documents inserted', ids.length, count);
      await store.close();
      await raw.erase(database);
      return milliseconds;
    };
  }
  works['raw bytes'] = async (turn) => {
    const database = `bulk-bytes-${turn}`;
    const store = await raw.openBytes(database);
    const bytes = raw.randomBytes(count * DOCUMENT_BYTES);
    const [milliseconds] = await timed(() => store.putMany(bytes));
    await store.close();
    await raw.erase(database);
    return milliseconds;
  };
  return inTurns(turns, works);
}

/** One bulk insert with all that is not timed done before: for who measures from outside. */
export async function prepareBulk({ database, count, bytesOnly }) {
  if (bytesOnly) {
    const store = await raw.openBytes(database);
    const bytes = raw.randomBytes(count * DOCUMENT_BYTES);
    return () => store.putMany(bytes);
  }
  const store = await pando.open(database);
  const given = documents(count);
  return () => store.insertMany(given);
}

/** Databases of every peer with `count` documents, for everything that reads. */
export async function fill({ count }) {
  const stores = {};
  for (const peer of PEERS) {
    const store = await peer.open(`filled-${peer.name}`);
    await store.createIndex?.();
    const ids = await store.insertMany(documents(count));
    stores[peer.name] = { store, ids };
  }
  stores['raw bytes'] = { store: await raw.openBytes('filled-bytes') };
  return stores;
}

/** One document after the other, each awaited: milliseconds each. */
export function singles(stores, { count, turns, peers }) {
  let number = 1_000_000;
  const works = {};
  for (const [name, { store }] of Object.entries(stores)) {
    if (peers?.includes(name) === false) continue;
    const insert = store.insertOne ?? store.putOne;
    works[name] = async () => {
      const given = documents(count, number);
      number += count;
      const [milliseconds] = await timed(async () => {
        for (const each of given) await insert(each);
      });
      return milliseconds / count;
    };
  }
  return inTurns(turns, works);
}

const readers = (stores, peers) => Object.entries(stores).filter(([name, { ids }]) => ids !== undefined && (peers?.includes(name) ?? true));

/** Documents by `_id`, warm, each awaited: milliseconds each. */
export function points(stores, { count, turns, peers }) {
  const works = {};
  for (const [name, { store, ids }] of readers(stores, peers)) {
    works[name] = async () => {
      const [milliseconds, found] = await timed(async () => {
        let sum = 0;
        for (let place = 0; place < count; place++) sum += (await store.get(ids[(place * 7919) % ids.length])).k;
        return sum;
      });
      let wanted = 0;
      for (let place = 0; place < count; place++) wanted += (place * 7919) % ids.length;
      expect('sum of k', found, wanted);
      return milliseconds / count;
    };
  }
  return inTurns(turns, works);
}

/** Documents by an index on `k`. */
export function ranges(stores, { count, turns, peers, rounds = 1 }) {
  const works = {};
  for (const [name, { store, ids }] of readers(stores, peers)) {
    const low = Math.floor((ids.length - count) / 2);
    works[name] = async () => {
      const [milliseconds, found] = await repeated(rounds, () => store.range(low, count));
      expect('documents in the range', found.length, count);
      expect('the first of them', found[0].k, low);
      return milliseconds;
    };
  }
  return inTurns(turns, works);
}

/** All documents looked at, those of one age given; `count` of them were there when the stores were filled. */
export function filters(stores, { count, turns, peers, rounds = 1 }) {
  const wanted = ofAge(count);
  const works = {};
  for (const [name, { store }] of readers(stores, peers)) {
    works[name] = async () => {
      const [milliseconds, found] = await repeated(rounds, () => store.filter());
      expect('documents found', found.filter((each) => each.k < count).length, wanted);
      return milliseconds;
    };
  }
  return inTurns(turns, works);
}

export async function closeAll(stores) {
  for (const { store } of Object.values(stores)) await store.close();
}

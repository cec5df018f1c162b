// Real data sets in both servers: what one would ask of them, without indexes, with them, and after changes.

import { DATASETS } from '../datasets/datasets.mjs';
import { COLLECTION } from './generate/world.mjs';

const INSERT_MAX = 5000;
const ALL_IN_ONE_BATCH = 200_000;
const SHOWN_MAX = 400;

const find = (filter, sort, more = {}) => ({ find: COLLECTION, filter, sort: { ...sort, _id: 1 }, batchSize: ALL_IN_ONE_BATCH, ...more });
const specOf = (key) => ({ key, name: Object.entries(key).map(([path, way]) => `${path}_${way}`).join('_') });

function* asks({ filters, indexes }) {
  for (const filter of filters) {
    yield { count: COLLECTION, query: filter };
    yield find(filter, {});
    for (const key of indexes) yield find(filter, key, { limit: 20, skip: 5 });
  }
  for (const key of indexes) {
    yield find({}, key, { limit: SHOWN_MAX });
    yield find({}, Object.fromEntries(Object.entries(key).map(([path, way]) => [path, -way])), { limit: SHOWN_MAX, projection: { ...Object.fromEntries(Object.keys(key).map((path) => [path, 1])), _id: 0 } });
  }
}

function* changes({ filters, indexes }) {
  const [path] = Object.keys(indexes[0]);
  yield { update: COLLECTION, updates: [{ q: filters[0], u: { $set: { [path]: null, seen: [1] } }, multi: true }] };
  yield { update: COLLECTION, updates: [{ q: { seen: 1 }, u: { $push: { seen: { $each: ['x', null] } }, $unset: { [path]: 1 } }, multi: true }] };
  yield { delete: COLLECTION, deletes: [{ q: filters[1], limit: 0 }] };
}

/** All commands for one data set. */
export async function commandsFor(name) {
  const set = DATASETS[name];
  const documents = (await set.documents()).map((one, i) => ({ _id: i, ...one }));
  if (documents.length !== set.count) throw new Error(`${name} of ${set.package}: ${documents.length} documents, not ${set.count}`);
  const inserts = [];
  for (let i = 0; i < documents.length; i += INSERT_MAX) inserts.push({ insert: COLLECTION, documents: documents.slice(i, i + INSERT_MAX) });
  return [
    ...inserts, ...asks(set), ...set.indexes.map((key) => ({ createIndexes: COLLECTION, indexes: [specOf(key)] })), ...asks(set), ...changes(set), ...asks(set),
  ];
}

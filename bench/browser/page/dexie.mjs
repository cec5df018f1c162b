// Dexie, the wrapper of IndexedDB that most apps use: one record per document, an index on `k`.
import Dexie from 'dexie';
import { AGE } from './documents.mjs';

export const name = 'dexie';

let counted = 0;
const newId = () => `65${(counted++).toString(16).padStart(22, '0')}`;

export async function open(database) {
  const db = new Dexie(database, { chromeTransactionDurability: 'relaxed' });
  db.version(1).stores({ people: '_id, k' });
  await db.open();
  const { people } = db;
  const identified = (document) => ({ _id: newId(), ...document });
  return {
    insertMany: async (documents) => {
      const whole = documents.map(identified);
      await people.bulkAdd(whole);
      return whole.map((document) => document._id);
    },
    insertOne: (document) => people.add(identified(document)),
    get: (id) => people.get(id),
    range: (low, count) => people.where('k').between(low, low + count).toArray(),
    filter: () => people.filter((document) => document.age === AGE).toArray(),
    close: async () => db.close(),
  };
}

export async function firstAnswer(database) {
  const db = new Dexie(database);
  db.version(1).stores({ people: '_id, k' });
  return db.people.where('k').equals(77).first();
}

// PandoDB, as an app uses it: through the package's client.
import { MongoClient } from 'pandodb';
import { AGE } from './documents.mjs';

export const name = 'pandodb';

export async function open(database, options = {}) {
  const client = new MongoClient(`indexeddb://${database}`, options);
  const collection = client.db('bench').collection('people');
  await client.connect();
  return {
    client,
    collection,
    createIndex: () => collection.createIndex({ k: 1 }),
    insertMany: async (documents) => {
      const { insertedIds } = await collection.insertMany(documents);
      return Object.values(insertedIds);
    },
    insertOne: (document) => collection.insertOne(document),
    get: (id) => collection.findOne({ _id: id }),
    range: (low, count) => collection.find({ k: { $gte: low, $lt: low + count } }).batchSize(count).toArray(),
    filter: () => collection.find({ age: AGE }).toArray(),
    stats: () => client.engineStats(),
    close: () => client.close(),
  };
}

/** The first answer of a new page: open and read one document. */
export async function firstAnswer(database) {
  const store = await open(database);
  return store.collection.findOne({ k: 77 });
}

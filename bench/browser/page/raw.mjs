// IndexedDB without any library. Two of them, because two things are to be compared with:
//
// - `bytes`: nothing but bytes, as fast as the browser stores them: random bytes as records of 32 KiB in transactions of
//   4 MB, one after the other. What a bulk insert is measured against.
// - `objects`: one record per document, as one writes it by hand, with an index on `k`.
import { AGE, DOCUMENT_BYTES } from './documents.mjs';

const RECORD_BYTES = 32 * 1024;
const TRANSACTION_BYTES = 4 * 1024 * 1024;

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const completed = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

function opened(database, upgrade) {
  const request = indexedDB.open(database, 1);
  request.onupgradeneeded = () => upgrade(request.result);
  return settled(request);
}

/** Random bytes; `getRandomValues` gives at most 64 KiB at a time. */
export function randomBytes(count) {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(count, at + 65_536)));
  return bytes;
}

export async function openBytes(database) {
  const db = await opened(database, (made) => made.createObjectStore('bytes'));
  let key = 0;
  const transaction = () => db.transaction('bytes', 'readwrite', { durability: 'relaxed' });
  return {
    /** Stores as many bytes as that number of documents has, given as one array. */
    putMany: async (bytes) => {
      for (let begin = 0; begin < bytes.length; begin += TRANSACTION_BYTES) {
        const end = Math.min(bytes.length, begin + TRANSACTION_BYTES);
        const write = transaction();
        const store = write.objectStore('bytes');
        for (let at = begin; at < end; at += RECORD_BYTES) store.put(bytes.slice(at, Math.min(end, at + RECORD_BYTES)), key++);
        write.commit();
        await completed(write);
      }
    },
    putOne: async () => {
      const write = transaction();
      write.objectStore('bytes').put(randomBytes(DOCUMENT_BYTES), key++);
      write.commit();
      await completed(write);
    },
    close: async () => db.close(),
  };
}

export const name = 'raw IndexedDB';

export async function open(database) {
  const db = await opened(database, (made) => made.createObjectStore('people', { keyPath: '_id' }).createIndex('k', 'k'));
  let counted = 0;
  const write = async (documents) => {
    const transaction = db.transaction('people', 'readwrite', { durability: 'relaxed' });
    const store = transaction.objectStore('people');
    const ids = documents.map((document) => {
      const _id = counted++;
      store.put({ _id, ...document });
      return _id;
    });
    transaction.commit();
    await completed(transaction);
    return ids;
  };
  const people = () => db.transaction('people').objectStore('people');
  return {
    insertMany: write,
    insertOne: (document) => write([document]),
    get: (id) => settled(people().get(id)),
    range: (low, count) => settled(people().index('k').getAll(IDBKeyRange.bound(low, low + count, false, true))),
    filter: async () => (await settled(people().getAll())).filter((document) => document.age === AGE),
    close: async () => db.close(),
  };
}

export async function firstAnswer(database) {
  const db = await opened(database, () => {
    throw new Error('it was not there');
  });
  return settled(db.transaction('people').objectStore('people').index('k').get(77));
}

export const erase = (database) => settled(indexedDB.deleteDatabase(database));

/** The database of the playground: its client, whether it is open, and its collections. */
import { computed, signal } from '@preact/signals';
import { MongoClient, MongoServerError, type Collection, type Db } from 'pandodb';

const STORE = 'pandodb-playground';
const DATABASE = 'playground';
const NOT_IMPLEMENTED = 238;
const NAMESPACE_NOT_FOUND = 26;

export type Connection =
  | { state: 'opening' }
  | { state: 'open'; inMemory: boolean }
  | { state: 'failed'; error: unknown };

export interface CollectionEntry {
  name: string;
  documents: number;
  /** Bytes of the documents and indexes, where the engine tells. */
  bytes: number | undefined;
}

export const connection = signal<Connection>({ state: 'opening' });
/** Undefined until it is known. */
export const collections = signal<readonly CollectionEntry[] | undefined>(undefined);
/** What the browser said when it took the store away; the database is to be opened again. */
export const storeNotice = signal<string | undefined>(undefined);
/** Bytes that the browser keeps for this page, where it tells. */
export const storageBytes = signal<number | undefined>(undefined);
export const isOpen = computed(() => connection.value.state === 'open');

let client: MongoClient | undefined;

export function database(): Db {
  if (client === undefined) throw new Error('The database is not open');
  return client.db(DATABASE);
}

export const collection = (name: string): Collection => database().collection(name);

/** Opens the database that the browser keeps, or one in memory that ends with the page. */
export async function open({ inMemory = false } = {}): Promise<void> {
  connection.value = { state: 'opening' };
  const opened = new MongoClient(inMemory ? 'memory://' : `indexeddb://${STORE}`);
  for (const event of ['connection-lost', 'storage-lost']) {
    opened.on(event, (detail: unknown) => {
      if (client === opened) storeNotice.value = typeof detail === 'string' ? detail : '';
    });
  }
  try {
    await opened.connect();
    client = opened;
    await refreshCollections();
    connection.value = { state: 'open', inMemory };
  } catch (error) {
    client = undefined;
    connection.value = { state: 'failed', error };
    await opened.close().catch(() => undefined);
  }
}

/** Leaves what is open, if it still is, and opens it anew. */
export async function reopen(): Promise<void> {
  const before = client;
  client = undefined;
  storeNotice.value = undefined;
  collections.value = undefined;
  await before?.close().catch(() => undefined);
  await open();
}

let tellsSizes = true;

async function sizeOf(name: string): Promise<number | undefined> {
  if (!tellsSizes) return undefined;
  try {
    const { storageSize, totalIndexSize } = await database().command({ collStats: name });
    return Number(storageSize) + Number(totalIndexSize ?? 0);
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NOT_IMPLEMENTED) tellsSizes = false;
    return undefined;
  }
}

async function entryOf(name: string): Promise<CollectionEntry> {
  const [documents, bytes] = await Promise.all([collection(name).estimatedDocumentCount(), sizeOf(name)]);
  return { name, documents, bytes };
}

export async function refreshCollections(): Promise<void> {
  const found = await database().listCollections({}, { nameOnly: true }).toArray();
  const names = found.map(({ name }) => name).filter((name) => !name.startsWith('system.')).sort();
  collections.value = await Promise.all(names.map(entryOf));
  const estimate = await navigator.storage?.estimate?.().catch(() => undefined);
  storageBytes.value = estimate?.usage;
}

/** Drops a collection with its indexes. That it is not there any more is no error. */
export async function dropCollection(name: string): Promise<void> {
  try {
    await database().dropCollection(name);
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND)) throw error;
  }
  await refreshCollections();
}

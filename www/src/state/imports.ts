/**
 * Imports: one at a time, in the order they were asked for.
 *
 * 1. A document that was counted is stored: cancelling or an error keeps what was inserted before, and says how many that are.
 * 2. Between two batches the thread goes back to the page.
 */
import { signal } from '@preact/signals';
import { MongoBulkWriteError, type Document, type WriteError } from 'pandodb';
import { nameFor, unusedName } from '../data/collection_name.ts';
import { readDocuments } from '../data/read_documents.ts';
import type { Sample } from '../data/samples.ts';
import { collection, collections, refreshCollections } from './database.ts';

const DUPLICATE_KEY = 11000;

export interface ImportJob {
  id: number;
  title: string;
  collection: string;
  /** Of the file; undefined if it is not known. */
  bytesTotal: number | undefined;
  bytesRead: number;
  /** Documents stored. */
  inserted: number;
  /** Documents left out, since their `_id` was there already. */
  duplicates: number;
  state: 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';
  milliseconds: number;
  error: unknown;
}

interface Source {
  title: string;
  collection: string;
  bytesTotal: number | undefined;
  open(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

export const imports = signal<readonly ImportJob[]>([]);

const stops = new Map<number, AbortController>();
let lastId = 0;
let queue: Promise<void> = Promise.resolve();

function change(id: number, changed: Partial<ImportJob>): void {
  imports.value = imports.value.map((job) => (job.id === id ? { ...job, ...changed } : job));
}

const jobOf = (id: number): ImportJob | undefined => imports.value.find((job) => job.id === id);

/** Gives the thread back, for painting and input. */
const breathe = (): Promise<void> => new Promise((resume) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resume();
  };
  port2.postMessage(undefined);
});

/** Inserts a batch; gives how many documents were stored and how many left out as duplicates. */
async function insert(name: string, documents: Document[]): Promise<{ inserted: number; duplicates: number; error?: unknown }> {
  try {
    const { insertedCount } = await collection(name).insertMany(documents, { ordered: false });
    return { inserted: insertedCount, duplicates: 0 };
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) return { inserted: 0, duplicates: 0, error };
    const others = error.writeErrors.filter((failed) => !isThere(failed));
    const result = { inserted: error.insertedCount, duplicates: error.writeErrors.length - others.length };
    return others.length > 0 ? { ...result, error } : result;
  }
}

/** The document is in the collection already, by its `_id`. A duplicate in another unique index is an error to be told. */
function isThere({ code, errmsg }: WriteError): boolean {
  return code === DUPLICATE_KEY && / index: _id_ /.test(errmsg);
}

async function work(id: number, source: Source, stop: AbortSignal): Promise<void> {
  let inserted = 0;
  let duplicates = 0;
  const stream = await source.open(stop);
  for await (const { documents, bytesRead } of readDocuments(stream, stop)) {
    const result = await insert(source.collection, documents);
    inserted += result.inserted;
    duplicates += result.duplicates;
    change(id, { inserted, duplicates, bytesRead });
    if (result.error !== undefined) throw result.error;
    await breathe();
    stop.throwIfAborted();
  }
}

async function runJob(id: number, source: Source): Promise<void> {
  const stop = stops.get(id)!;
  const started = performance.now();
  const end = (changed: Partial<ImportJob>): void => change(id, { ...changed, milliseconds: performance.now() - started });
  try {
    stop.signal.throwIfAborted();
    change(id, { state: 'running' });
    await work(id, source, stop.signal);
    end({ state: 'done', bytesRead: jobOf(id)?.bytesTotal ?? 0 });
  } catch (error) {
    if (stop.signal.aborted) end({ state: 'cancelled' });
    else end({ state: 'failed', error });
  } finally {
    stops.delete(id);
    await refreshCollections().catch(() => undefined);
  }
}

function start(source: Source): void {
  const id = ++lastId;
  stops.set(id, new AbortController());
  const { title, collection: name, bytesTotal } = source;
  imports.value = [
    ...imports.value.filter((job) => job.collection !== name || job.state === 'waiting' || job.state === 'running'),
    { id, title, collection: name, bytesTotal, bytesRead: 0, inserted: 0, duplicates: 0, state: 'waiting', milliseconds: 0, error: undefined },
  ];
  queue = queue.then(() => runJob(id, source));
}

export function importSample(sample: Sample): void {
  start({
    title: sample.title,
    collection: sample.name,
    bytesTotal: sample.bytes,
    async open(signal) {
      const response = await fetch(sample.url, { signal });
      if (!response.ok || response.body === null) throw new Error(`The server answered ${response.status} for ${sample.url}`);
      return response.body;
    },
  });
}

/** Of collections that are there, and of those that are being made. */
const usedNames = (): Set<string> => new Set([
  ...(collections.value ?? []).map(({ name }) => name), ...imports.value.map((job) => job.collection),
]);

/** Imports files, each into a collection of its own, or all into `into`. */
export function importFiles(files: Iterable<File>, into: string): void {
  for (const file of files) {
    start({
      title: file.name,
      collection: into === '' ? unusedName(nameFor(file.name), usedNames()) : into,
      bytesTotal: file.size,
      open: () => Promise.resolve(file.stream()),
    });
  }
}

export function cancelImport(id: number): void {
  stops.get(id)?.abort(new DOMException('Cancelled', 'AbortError'));
}

export function dismissImport(id: number): void {
  imports.value = imports.value.filter((job) => job.id !== id);
}

/** Leaving the page would end an import: the browser asks first. */
addEventListener('beforeunload', (event) => {
  if (stops.size > 0) event.preventDefault();
});

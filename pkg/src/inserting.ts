/**
 * Inserts: documents are written one after the other into one command, with their `_id` first.
 *
 * 1. `_id` is made here if it is missing, and put into the caller's object as the driver does; an object that cannot take it
 *    (frozen, or with a setter that throws) stays as it is, and what is stored is a copy with the `_id`.
 *    An `_id` in what the object's `toBSON` returns is stored instead, and is the one that is reported.
 * 2. A command holds at most 100,000 documents and 48,000,000 bytes. Each document is encoded once, so its `toBSON` and getters run
 *    once: the document that no longer fitted is carried over to the next command as bytes.
 */
import { ObjectId } from 'bson';
import type { Decoder } from './bson/decode.js';
import type { Encoder } from './bson/encode.js';
import type { BSONSerializeOptions, Document } from './bson/types.js';
import { setOwn } from './bson/values.js';
import type { PkFactory } from './connection_string.js';
import { MongoInvalidArgumentError, MongoServerError } from './error.js';
import { readReply, type Exchange } from './exchange.js';
import { BulkWriteResult, MongoBulkWriteError, WriteError } from './results.js';

export const BATCH_DOCUMENTS_MAX = 100_000;
export const BATCH_BYTES_MAX = 48_000_000;

/** The `_id` that `document` has or is given; undefined if the engine is to make it. */
export function identify(document: unknown, pkFactory: PkFactory | undefined): { _id: unknown } {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new MongoInvalidArgumentError('A document to insert must be an object');
  }
  const isMap = document instanceof Map;
  const present = isMap ? (document.get('_id') as unknown) : (document as { _id?: unknown })._id;
  if (present !== undefined && present !== null) return { _id: present };
  const made = pkFactory === undefined ? new ObjectId() : pkFactory.createPk();
  try {
    if (isMap) document.set('_id', made);
    else setOwn(document, '_id', made);
  } catch {
    // It cannot be changed: only what is stored gets the `_id`.
  }
  return { _id: made };
}

/** The `insert` command for one document. */
export class InsertOne implements Exchange<Document> {
  readonly bson: BSONSerializeOptions;
  readonly signal: AbortSignal | undefined;
  readonly #db: string;
  readonly #command: Document;
  readonly #document: unknown;
  readonly #id: { _id: unknown } | undefined;

  constructor(db: string, command: Document, document: unknown, id: { _id: unknown } | undefined, bson: BSONSerializeOptions, signal?: AbortSignal) {
    this.#db = db;
    this.#command = command;
    this.#document = document;
    this.#id = id;
    this.bson = bson;
    this.signal = signal;
  }

  write(encoder: Encoder): void {
    const start = encoder.open();
    for (const name of Object.keys(this.#command)) encoder.field(name, this.#command[name]);
    const list = encoder.openField('documents', true);
    encoder.documentField(0, this.#document, this.#id, false);
    encoder.close(list);
    encoder.field('$db', this.#db);
    encoder.close(start);
  }

  read(reply: Decoder): Document {
    const document = readReply(reply, undefined);
    const errors = document.writeErrors as Document[] | undefined;
    if (errors !== undefined && errors.length > 0) throw new MongoServerError(errors[0] as Document);
    return document;
  }
}

/** One of the `insert` commands for many documents: as many of them, from `first` on, as fit. */
export class InsertBatch implements Exchange<Document> {
  readonly bson: BSONSerializeOptions;
  readonly signal: AbortSignal | undefined;
  readonly #db: string;
  readonly #command: Document;
  readonly #documents: readonly unknown[];
  readonly #ids: readonly ({ _id: unknown } | undefined)[];
  readonly #first: number;
  readonly #carried: Uint8Array | undefined;
  /** The place of the first document that is not in the command, and its bytes if it has been encoded. */
  end = 0;
  carry: Uint8Array | undefined;

  constructor(
    db: string, command: Document, documents: readonly unknown[], ids: readonly ({ _id: unknown } | undefined)[], first: number,
    carried: Uint8Array | undefined, bson: BSONSerializeOptions, signal?: AbortSignal,
  ) {
    this.#db = db;
    this.#command = command;
    this.#documents = documents;
    this.#ids = ids;
    this.#first = first;
    this.#carried = carried;
    this.bson = bson;
    this.signal = signal;
  }

  write(encoder: Encoder): void {
    const start = encoder.open();
    for (const name of Object.keys(this.#command)) encoder.field(name, this.#command[name]);
    const list = encoder.openField('documents', true);
    const last = Math.min(this.#documents.length, this.#first + BATCH_DOCUMENTS_MAX);
    let at = this.#first;
    if (this.#carried !== undefined) {
      encoder.bytesField(0, this.#carried);
      at++;
    }
    for (; at < last; at++) {
      const before = encoder.length;
      const document = encoder.documentField(at - this.#first, this.#documents[at], this.#ids[at], at);
      if (encoder.length > BATCH_BYTES_MAX && at > this.#first) {
        this.carry = encoder.copyFrom(document);
        encoder.truncate(before);
        break;
      }
    }
    this.end = at;
    encoder.close(list);
    encoder.field('$db', this.#db);
    encoder.close(start);
  }

  read(reply: Decoder): Document {
    return readReply(reply, undefined);
  }
}

/** Adds up what the commands of one `insertMany` answered. */
export class InsertTally {
  readonly #documents: readonly unknown[];
  readonly #ids: readonly ({ _id: unknown } | undefined)[];
  readonly #errors: WriteError[] = [];
  #inserted = 0;
  #sent = 0;

  constructor(documents: readonly unknown[], ids: readonly ({ _id: unknown } | undefined)[]) {
    this.#documents = documents;
    this.#ids = ids;
  }

  /** Adds the reply to the command of the documents from `first` up to `end`. True if any of them failed. */
  add(reply: Document, first: number, end: number): boolean {
    this.#inserted += Number(reply.n ?? 0);
    this.#sent = end;
    const errors = (reply.writeErrors ?? []) as Document[];
    for (const error of errors) {
      const index = first + Number(error.index);
      this.#errors.push(new WriteError({ ...(error as WriteError['err']), index, op: this.#documents[index] }));
    }
    return errors.length > 0;
  }

  get count(): number {
    return this.#inserted;
  }

  /** The ids of what was inserted. With `ordered`, nothing behind the first error was. */
  ids(ordered: boolean): { [index: number]: unknown } {
    const failed = new Set(this.#errors.map((error) => error.index));
    const end = ordered && this.#errors.length > 0 ? (this.#errors[0] as WriteError).index : this.#sent;
    const ids: { [index: number]: unknown } = {};
    for (let index = 0; index < end; index++) {
      if (!failed.has(index)) ids[index] = this.#ids[index]?._id;
    }
    return ids;
  }

  /** The error that the failed writes make together, if any failed. */
  error(ordered: boolean): MongoBulkWriteError | undefined {
    if (this.#errors.length === 0) return undefined;
    return new MongoBulkWriteError(this.#errors, new BulkWriteResult(this.#inserted, this.ids(ordered), this.#errors));
  }
}

/**
 * What all cursors share: batches fetched when they are needed, and the ways to go through them.
 *
 * 1. Nothing is sent before the first document is asked for.
 * 2. The engine's cursor is given back when the last batch has come, when the cursor is closed, and when a loop is left early.
 * 3. One batch is fetched at a time: calls that do not wait for each other wait for the same one, and take its documents in turn.
 */
import { Long } from 'bson';
import type { BSONSerializeOptions, Document } from '../bson/types.js';
import type { MongoClient } from '../client.js';
import { MongoAPIError, MongoCursorExhaustedError, MongoCursorInUseError, MongoInvalidArgumentError } from '../error.js';
import { CursorCommand, ExplainInBatch, PlainCommand, type Batch, type Exchange } from '../exchange.js';
import { Namespace } from '../namespace.js';

export interface CursorOptions extends BSONSerializeOptions {
  batchSize?: number;
  comment?: unknown;
  maxTimeMS?: number;
  maxAwaitTimeMS?: number;
  signal?: AbortSignal | undefined;
}

const NULL_DOCUMENT =
  'Cursor returned a `null` document, but the cursor is not exhausted.  Mapping documents to `null` is not supported in the cursor transform.';

export abstract class AbstractCursor<TSchema = Document> implements AsyncIterable<TSchema>, AsyncDisposable {
  readonly client: MongoClient;
  #namespace: Namespace;
  protected readonly options: CursorOptions;
  protected readonly bson: BSONSerializeOptions;
  #id: bigint | undefined;
  #documents: unknown[] = [];
  #at = 0;
  #started = false;
  /** The batch that is on its way. */
  #coming: Promise<void> | undefined;
  /** How often the cursor was rewound: a batch asked for before that is not for what came after. */
  #rewound = 0;
  #closed = false;
  #killed = false;
  #transform: ((document: never) => unknown) | undefined;

  constructor(client: MongoClient, namespace: Namespace, options: CursorOptions, bson: BSONSerializeOptions) {
    this.client = client;
    this.#namespace = namespace;
    this.options = options;
    this.bson = bson;
  }

  /** The command that opens the cursor. */
  protected abstract command(): Document;

  abstract clone(): AbstractCursor<TSchema>;

  get id(): Long | undefined {
    return this.#id === undefined ? undefined : Long.fromBigInt(this.#id);
  }

  get namespace(): Namespace {
    return this.#namespace;
  }

  /** True when closed and nothing is left to read. */
  get closed(): boolean {
    return this.#closed && this.bufferedCount() === 0;
  }

  get killed(): boolean {
    return this.#killed;
  }

  /** Documents that have come and not yet been read. */
  bufferedCount(): number {
    return this.#documents.length - this.#at;
  }

  /** Takes up to `number` documents that have come, without asking for more and without the transform. */
  readBufferedDocuments(number?: number): TSchema[] {
    const end = Math.min(this.#documents.length, this.#at + (number ?? Infinity));
    const taken = this.#documents.slice(this.#at, end);
    this.#advance(end);
    return taken as TSchema[];
  }

  async hasNext(): Promise<boolean> {
    this.options.signal?.throwIfAborted();
    while (this.bufferedCount() === 0) {
      if (this.#exhausted) return false;
      await this.#fetch();
    }
    return true;
  }

  /** The next document, or null behind the last one. */
  async next(): Promise<TSchema | null> {
    this.options.signal?.throwIfAborted();
    if (this.#killed) throw new MongoCursorExhaustedError();
    while (this.bufferedCount() === 0) {
      if (this.#exhausted) return null;
      await this.#fetch();
    }
    return this.#take();
  }

  /** The next document if it has come or the next batch brings one, otherwise null. */
  async tryNext(): Promise<TSchema | null> {
    this.options.signal?.throwIfAborted();
    if (this.#killed) throw new MongoCursorExhaustedError();
    if (this.bufferedCount() === 0 && !this.#exhausted) await this.#fetch();
    return this.bufferedCount() === 0 ? null : this.#take();
  }

  /** Calls `iterator` for each document, until it returns false. */
  async forEach(iterator: (document: TSchema) => boolean | void): Promise<void> {
    if (typeof iterator !== 'function') throw new MongoInvalidArgumentError('Argument "iterator" must be a function');
    for await (const document of this) {
      if (iterator(document) === false) break;
    }
  }

  async toArray(): Promise<TSchema[]> {
    this.options.signal?.throwIfAborted();
    let all: TSchema[] = [];
    for (;;) {
      const count = this.bufferedCount();
      if (count > 0 && all.length === 0 && this.#transform === undefined) {
        all = this.readBufferedDocuments();
      } else {
        for (let taken = 0; taken < count; taken++) all.push(this.#take());
      }
      if (this.#exhausted) return all;
      await this.#fetch();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TSchema, void, void> {
    this.options.signal?.throwIfAborted();
    try {
      for (;;) {
        while (this.bufferedCount() === 0) {
          if (this.#exhausted) return;
          await this.#fetch();
        }
        yield this.#take();
        this.options.signal?.throwIfAborted();
      }
    } finally {
      await this.close();
    }
  }

  map<T>(transform: (document: TSchema) => T): AbstractCursor<T> {
    this.throwIfStarted();
    const before = this.#transform as ((document: TSchema) => TSchema) | undefined;
    this.#transform = before === undefined ? transform : (document: never) => transform(before(document));
    return this as unknown as AbstractCursor<T>;
  }

  batchSize(value: number): this {
    this.throwIfStarted();
    if (typeof value !== 'number') throw new MongoInvalidArgumentError('Operation "batchSize" requires an integer');
    this.options.batchSize = value;
    return this;
  }

  maxTimeMS(value: number): this {
    this.throwIfStarted();
    if (typeof value !== 'number') throw new MongoInvalidArgumentError('Argument for maxTimeMS must be a number');
    this.options.maxTimeMS = value;
    return this;
  }

  /** Back to the state before the first document: it can be changed and run again. */
  rewind(): void {
    if (!this.#started) return;
    const id = this.#id;
    if (id !== undefined && id !== 0n && !this.#killed) this.#kill(id);
    this.#id = undefined;
    this.#documents = [];
    this.#at = 0;
    this.#started = false;
    this.#coming = undefined;
    this.#rewound++;
    this.#closed = false;
    this.#killed = false;
  }

  /** Gives the engine's cursor back. Documents that have come can still be read. */
  async close(): Promise<void> {
    this.#closed = true;
    const id = this.#id;
    if (id === undefined || id === 0n || this.#killed) return;
    this.#killed = true;
    this.#id = 0n;
    await this.#kill(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected throwIfStarted(): void {
    if (this.#started) throw new MongoCursorInUseError();
  }

  /** How many documents have come in all; the find cursor ends early by it. */
  protected returned = 0;

  /** True if no more is to be fetched although the engine's cursor is open. */
  protected get sated(): boolean {
    return false;
  }

  /** The batch size of the next `getMore`. */
  protected nextBatchSize(): number | undefined {
    return this.options.batchSize;
  }

  /** The verbosity if the plan was asked for in place of the documents. */
  protected get explaining(): string | undefined {
    return undefined;
  }

  get #exhausted(): boolean {
    return this.#closed || (this.#started && this.#id === 0n);
  }

  #take(): TSchema {
    const document = this.#documents[this.#at];
    this.#advance(this.#at + 1);
    if (this.#transform === undefined) return document as TSchema;
    const mapped = this.#transform(document as never);
    if (mapped === null) {
      void this.close();
      throw new MongoAPIError(NULL_DOCUMENT);
    }
    return mapped as TSchema;
  }

  #advance(at: number): void {
    this.#at = at;
    if (at === this.#documents.length) {
      this.#documents = [];
      this.#at = 0;
    } else {
      // What has been read need not be kept.
      this.#documents[at - 1] = undefined;
    }
  }

  #fetch(): Promise<void> {
    if (this.#coming !== undefined) return this.#coming;
    const coming = this.#fetchOne().finally(() => {
      if (this.#coming === coming) this.#coming = undefined;
    });
    this.#coming = coming;
    return coming;
  }

  async #fetchOne(): Promise<void> {
    if (this.#started && this.sated) {
      await this.close();
      // Read to its end, not closed before it.
      this.#killed = false;
      return;
    }
    const rewound = this.#rewound;
    try {
      const exchange = this.#started ? this.#cursorCommand(this.#getMore()) : this.#opening();
      this.#started = true;
      const batch = await this.client.execute(exchange);
      if (rewound === this.#rewound) this.#receive(batch);
      else if (batch.id !== 0n) await this.#kill(batch.id);
    } catch (error) {
      if (rewound === this.#rewound) {
        this.#closed = true;
        if (this.#id !== undefined && this.#id !== 0n) await this.close();
      }
      throw error;
    }
  }

  #opening(): Exchange<Batch> {
    const verbosity = this.explaining;
    if (verbosity === undefined) return this.#cursorCommand(this.command());
    return new ExplainInBatch(this.#namespace.db, { explain: this.command(), verbosity }, this.bson, this.options.signal);
  }

  #cursorCommand(command: Document): CursorCommand {
    return new CursorCommand(this.#namespace.db, command, this.bson, this.options.signal);
  }

  #receive(batch: Batch): void {
    const closedMeanwhile = this.#closed;
    this.#id = batch.id;
    if (batch.namespace !== '') this.#namespace = Namespace.fromString(batch.namespace);
    this.#documents = batch.documents;
    this.#at = 0;
    this.returned += batch.documents.length;
    if (batch.id === 0n) this.#closed = true;
    else if (closedMeanwhile) void this.close();
  }

  #getMore(): Document {
    const command: Document = { getMore: this.#id, collection: this.#namespace.collection };
    const batchSize = this.nextBatchSize();
    if (batchSize !== undefined && batchSize !== 0) command.batchSize = Math.abs(batchSize);
    if (this.options.maxAwaitTimeMS !== undefined) command.maxTimeMS = this.options.maxAwaitTimeMS;
    if (this.options.comment !== undefined) command.comment = this.options.comment;
    return command;
  }

  /** A cursor that the engine does not know any more needs no closing: errors are of no interest. */
  async #kill(id: bigint): Promise<void> {
    const command = { killCursors: this.#namespace.collection, cursors: [id] };
    await this.client.execute(new PlainCommand(this.#namespace.db, command, undefined)).catch(() => undefined);
  }
}

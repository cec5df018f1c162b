/** The documents that a filter finds. */
import type { BSONSerializeOptions, Document } from '../bson/types.js';
import type { MongoClient } from '../client.js';
import { MongoInvalidArgumentError } from '../error.js';
import { Command } from '../exchange.js';
import type { Namespace } from '../namespace.js';
import { explainOption, explainVerbosity, type CollationOptions, type ExplainVerbosityLike, type FindOptions } from '../options.js';
import { formatSort, type Hint, type Sort, type SortDirection } from '../sort.js';
import { AbstractCursor } from './abstract_cursor.js';
import { findCommand } from './find_command.js';

export class FindCursor<TSchema = Document> extends AbstractCursor<TSchema> {
  #filter: unknown;
  readonly #find: FindOptions;

  constructor(client: MongoClient, namespace: Namespace, filter: unknown, options: FindOptions, bson: BSONSerializeOptions) {
    const own = { ...options };
    if (own.sort !== undefined) own.sort = formatSort(own.sort) as Sort;
    super(client, namespace, own, bson);
    this.#filter = filter;
    this.#find = own;
  }

  protected override command(): Document {
    return findCommand(this.namespace.collection, this.#filter, this.#find);
  }

  protected override get explaining(): string | undefined {
    return explainOption(this.#find.explain);
  }

  /** A limit that has been reached ends the cursor without asking once more. */
  protected override get sated(): boolean {
    const limit = Math.abs(this.#find.limit ?? 0);
    return limit !== 0 && this.returned >= limit;
  }

  protected override nextBatchSize(): number | undefined {
    const { batchSize, limit } = this.#find;
    if (batchSize === undefined || limit === undefined || limit === 0) return batchSize;
    return Math.min(Math.abs(batchSize), Math.abs(limit) - this.returned);
  }

  override rewind(): void {
    super.rewind();
    this.returned = 0;
  }

  clone(): FindCursor<TSchema> {
    return new FindCursor<TSchema>(this.client, this.namespace, this.#filter, this.#find, this.bson);
  }

  override map<T>(transform: (document: TSchema) => T): FindCursor<T> {
    return super.map(transform) as unknown as FindCursor<T>;
  }

  /** How the query would run, or ran; by default with everything that can be said. */
  async explain(verbosity?: ExplainVerbosityLike | { verbosity?: ExplainVerbosityLike }): Promise<Document> {
    const { tailable: _, awaitData: __, ...options } = this.#find;
    const command = findCommand(this.namespace.collection, this.#filter, options);
    const explain = { explain: command, verbosity: explainVerbosity(verbosity) };
    return this.client.execute(new Command(this.namespace.db, explain, this.bson, this.options.signal));
  }

  filter(filter: Document): this {
    this.throwIfStarted();
    this.#filter = filter;
    return this;
  }

  sort(sort: Sort, direction?: SortDirection): this {
    return this.#set('sort', formatSort(sort, direction) as Sort);
  }

  skip(value: number): this {
    if (typeof value !== 'number') throw new MongoInvalidArgumentError('Operation "skip" requires an integer');
    return this.#set('skip', value);
  }

  limit(value: number): this {
    if (typeof value !== 'number') throw new MongoInvalidArgumentError('Operation "limit" requires an integer');
    return this.#set('limit', value);
  }

  project<T = Document>(value: Document): FindCursor<T> {
    return this.#set('projection', value) as unknown as FindCursor<T>;
  }

  hint(hint: Hint): this {
    return this.#set('hint', hint);
  }

  min(min: Document): this {
    return this.#set('min', min);
  }

  max(max: Document): this {
    return this.#set('max', max);
  }

  returnKey(value: boolean): this {
    return this.#set('returnKey', value);
  }

  showRecordId(value: boolean): this {
    return this.#set('showRecordId', value);
  }

  comment(value: unknown): this {
    return this.#set('comment', value);
  }

  collation(value: CollationOptions): this {
    return this.#set('collation', value);
  }

  maxAwaitTimeMS(value: number): this {
    if (typeof value !== 'number') throw new MongoInvalidArgumentError('Argument for maxAwaitTimeMS must be a number');
    return this.#set('maxAwaitTimeMS', value);
  }

  allowDiskUse(allow = true): this {
    if (this.#find.sort === undefined) throw new MongoInvalidArgumentError('Option "allowDiskUse" requires a sort specification');
    return this.#set('allowDiskUse', allow);
  }

  #set<K extends keyof FindOptions>(name: K, value: FindOptions[K]): this {
    this.throwIfStarted();
    this.#find[name] = value;
    return this;
  }
}

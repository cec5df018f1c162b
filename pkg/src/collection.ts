/** A collection: the operations on its documents and indexes. */
import type { BSONSerializeOptions, Document } from './bson/types.js';
import type { MongoClient } from './client.js';
import type { PkFactory, WriteConcern } from './connection_string.js';
import { AggregationCursor, type AggregateOptions } from './cursor/aggregation_cursor.js';
import { FindCursor } from './cursor/find_cursor.js';
import { ListIndexesCursor, type ListIndexesOptions } from './cursor/list_cursors.js';
import { isDocument } from './cursor/find_command.js';
import type { Db } from './db.js';
import { MongoAPIError, MongoInvalidArgumentError, MongoServerError } from './error.js';
import { CommandWithValues, PlainCommand } from './exchange.js';
import {
  findAndModifyCommand, type FindOneAndDeleteOptions, type FindOneAndReplaceOptions, type FindOneAndUpdateOptions, type Modification,
  type ModifyResult,
} from './find_and_modify.js';
import { FindOne } from './find_one.js';
import {
  compactIndexes, describeIndex, indexKey, type CreateIndexCommandOptions, type CreateIndexesOptions, type IndexDescription, type IndexDirection,
  type IndexSpecification,
} from './indexes.js';
import { identify, InsertBatch, InsertOne, InsertTally } from './inserting.js';
import { Namespace } from './namespace.js';
import {
  bsonOptions, copyDefined, copyReadConcern, type CollationOptions, type ExplainVerbosityLike, type FindOneOptions, type FindOptions, type OperationOptions,
  type ReadOptions, type WriteOptions,
} from './options.js';
import type { DeleteResult, InsertManyResult, InsertOneResult, UpdateResult } from './results.js';
import type { Hint } from './sort.js';
import type { Filter, InferIdType, OptionalUnlessRequiredId, UpdateFilter, WithId, WithoutId } from './types.js';
import {
  deleteResult, deleteStatement, explained, hasAtomicOperators, updateResult, updateStatement, type DeleteOptions, type ReplaceOptions,
  type UpdateOptions,
} from './writing.js';

export interface CollectionOptions extends BSONSerializeOptions {
  writeConcern?: WriteConcern;
  pkFactory?: PkFactory;
}

export interface InsertOneOptions extends WriteOptions {
  bypassDocumentValidation?: boolean;
  /** The engine makes a missing `_id`, and the caller's object is left alone. */
  forceServerObjectId?: boolean;
}

export interface InsertManyOptions extends InsertOneOptions {
  /** Stop at the first error. Default true. */
  ordered?: boolean;
}

export interface CountOptions extends ReadOptions {
  skip?: number;
  limit?: number;
  hint?: Hint;
  collation?: CollationOptions;
}

export interface DistinctOptions extends ReadOptions {
  hint?: Hint;
  collation?: CollationOptions;
  explain?: ExplainVerbosityLike;
}

/** What MongoDB answers to the `$match` stage that the driver makes of a filter for `countDocuments`. */
const NO_MATCH_FILTER = { ok: 0, errmsg: 'the match filter must be an expression in an object', code: 15959, codeName: 'Location15959' };

export class Collection<TSchema extends Document = Document> {
  readonly client: MongoClient;
  readonly db: Db;
  readonly #namespace: Namespace;
  readonly #bson: BSONSerializeOptions;
  readonly #writeConcern: WriteConcern | undefined;
  readonly #pkFactory: PkFactory | undefined;

  constructor(db: Db, name: string, options?: CollectionOptions) {
    if (typeof name !== 'string') throw new MongoInvalidArgumentError('Collection name must be a String');
    if (name === '') throw new MongoInvalidArgumentError('Collection names cannot be empty');
    this.db = db;
    this.client = db.client;
    this.#namespace = new Namespace(db.databaseName, name);
    this.#bson = bsonOptions(db.bsonOptions, options);
    this.#writeConcern = options?.writeConcern ?? db.writeConcern;
    this.#pkFactory = options?.pkFactory ?? db.pkFactory;
  }

  get collectionName(): string {
    return this.#namespace.collection;
  }

  get dbName(): string {
    return this.#namespace.db;
  }

  get namespace(): string {
    return this.#namespace.toString();
  }

  get bsonOptions(): BSONSerializeOptions {
    return this.#bson;
  }

  get writeConcern(): WriteConcern | undefined {
    return this.#writeConcern;
  }

  // —— reading ——

  /** The first document that the filter finds, or null. */
  findOne(): Promise<WithId<TSchema> | null>;
  findOne(filter: Filter<TSchema>, options?: FindOneOptions): Promise<WithId<TSchema> | null>;
  findOne<T>(filter?: Filter<TSchema>, options?: FindOneOptions): Promise<T | null>;
  findOne(filter?: unknown, options?: FindOneOptions): Promise<unknown> {
    if (options?.explain) return this.find(filter as Filter<TSchema>, { ...options, limit: 1, singleBatch: true }).next();
    const bson = options === undefined ? this.#bson : bsonOptions(this.#bson, options);
    return this.client.execute(new FindOne(this.#namespace.db, this.#namespace.collection, filter, options, bson));
  }

  /** The documents that the filter finds; nothing is sent before the first is asked for. */
  find(): FindCursor<WithId<TSchema>>;
  find(filter: Filter<TSchema>, options?: FindOptions): FindCursor<WithId<TSchema>>;
  find<T extends Document>(filter: Filter<TSchema>, options?: FindOptions): FindCursor<T>;
  find(filter: unknown = {}, options: FindOptions = {}): FindCursor<WithId<TSchema>> {
    return new FindCursor(this.client, this.#namespace, filter, options, bsonOptions(this.#bson, options));
  }

  /** How many documents the filter finds. */
  async countDocuments(filter: Filter<TSchema> = {}, options: CountOptions = {}): Promise<number> {
    if (!isDocument(filter)) throw new MongoServerError(NO_MATCH_FILTER);
    return this.#count(filter, options);
  }

  /** How many documents there are, from what the catalog knows. */
  async estimatedDocumentCount(options: ReadOptions = {}): Promise<number> {
    return this.#count(undefined, options);
  }

  async #count(filter: unknown, options: CountOptions): Promise<number> {
    const command: Document = { count: this.collectionName };
    if (filter !== undefined) command.query = filter;
    copyDefined(command, options, ['skip', 'limit', 'hint', 'collation', 'comment', 'maxTimeMS']);
    copyReadConcern(command, options);
    return Number((await this.#run(command, options)).n);
  }

  /** The distinct values of a field among the documents that the filter finds. */
  async distinct(key: string, filter: Filter<TSchema> = {}, options: DistinctOptions = {}): Promise<unknown[]> {
    const command: Document = { distinct: this.collectionName, key, query: filter };
    copyDefined(command, options, ['hint', 'collation', 'comment', 'maxTimeMS']);
    copyReadConcern(command, options);
    const reply = await this.#runForUser(explained(command, options.explain), options, ['values']);
    return options.explain ? (reply as unknown as unknown[]) : (reply.values as unknown[]);
  }

  /** The documents that a pipeline makes of the collection's. */
  aggregate<T extends Document = Document>(pipeline: Document[] = [], options: AggregateOptions = {}): AggregationCursor<T> {
    if (!Array.isArray(pipeline)) throw new MongoInvalidArgumentError('Argument "pipeline" must be an array of aggregation stages');
    return new AggregationCursor<T>(this.client, this.#namespace, pipeline, options, bsonOptions(this.#bson, options));
  }

  // —— inserting ——

  async insertOne(document: OptionalUnlessRequiredId<TSchema>, options: InsertOneOptions = {}): Promise<InsertOneResult<TSchema>> {
    const id = options.forceServerObjectId === true ? undefined : identify(document, this.#pkFactory);
    const command = this.#insertCommand(true, options);
    const bson = bsonOptions(this.#bson, options);
    await this.client.execute(new InsertOne(this.dbName, command, document, id, bson, options.signal));
    const insertedId = id === undefined ? (document as { _id?: unknown })._id : id._id;
    return { acknowledged: this.#acknowledged(options), insertedId: insertedId as InferIdType<TSchema> };
  }

  /** Inserts documents in batches; with `ordered` (the default) it stops at the first that fails. */
  async insertMany(documents: ReadonlyArray<OptionalUnlessRequiredId<TSchema>>, options: InsertManyOptions = {}): Promise<InsertManyResult<TSchema>> {
    if (!Array.isArray(documents)) throw new MongoInvalidArgumentError('Argument "docs" must be an array of documents');
    if (documents.length === 0) throw new MongoInvalidArgumentError('Invalid BulkOperation, Batch cannot be empty');
    const ordered = options.ordered ?? true;
    // The caller may change its array while we wait.
    const given = documents.slice() as unknown[];
    const ids = given.map((document) => (options.forceServerObjectId === true ? undefined : identify(document, this.#pkFactory)));
    const tally = new InsertTally(given, ids);
    const command = this.#insertCommand(ordered, options);
    const bson = bsonOptions(this.#bson, options);
    let next = 0;
    let carry: Uint8Array | undefined;
    while (next < given.length) {
      const batch = new InsertBatch(this.dbName, command, given, ids, next, carry, bson, options.signal);
      const failed = tally.add(await this.client.execute(batch), next, batch.end);
      if (failed && ordered) break;
      next = batch.end;
      carry = batch.carry;
    }
    const error = tally.error(ordered);
    if (error !== undefined) throw error;
    const insertedIds = tally.ids(ordered) as InsertManyResult<TSchema>['insertedIds'];
    return { acknowledged: this.#acknowledged(options), insertedCount: tally.count, insertedIds };
  }

  #insertCommand(ordered: boolean, options: InsertOneOptions): Document {
    const command: Document = { insert: this.collectionName, ordered };
    return this.#withWriteOptions(command, options, ['bypassDocumentValidation']);
  }

  // —— changing and deleting ——

  async updateOne(filter: Filter<TSchema>, update: UpdateFilter<TSchema> | Document[], options: UpdateOptions = {}): Promise<UpdateResult<TSchema>> {
    return this.#update(filter, update, false, options);
  }

  async updateMany(filter: Filter<TSchema>, update: UpdateFilter<TSchema> | Document[], options: UpdateOptions = {}): Promise<UpdateResult<TSchema>> {
    return this.#update(filter, update, true, options);
  }

  async replaceOne(filter: Filter<TSchema>, replacement: WithoutId<TSchema>, options: ReplaceOptions = {}): Promise<UpdateResult<TSchema>> {
    const statement = updateStatement(filter, replacement, false, options);
    if (hasAtomicOperators(replacement)) throw new MongoInvalidArgumentError('Replacement document must not contain atomic operators');
    return this.#runUpdate(statement, options);
  }

  async #update(filter: unknown, update: Document | Document[], multi: boolean, options: UpdateOptions): Promise<UpdateResult<TSchema>> {
    const statement = updateStatement(filter, update, multi, options);
    const { ignoreUndefined } = bsonOptions(this.#bson, options);
    if (!hasAtomicOperators(update, { ignoreUndefined: ignoreUndefined === true })) {
      throw new MongoInvalidArgumentError('Update document requires atomic operators');
    }
    return this.#runUpdate(statement, options);
  }

  async #runUpdate(statement: Document, options: UpdateOptions): Promise<UpdateResult<TSchema>> {
    const command: Document = { update: this.collectionName, updates: [statement], ordered: true };
    this.#withWriteOptions(command, options, ['bypassDocumentValidation', 'let']);
    const reply = await this.#runForUser(explained(command, options.explain), options, ['upserted']);
    return options.explain ? (reply as unknown as UpdateResult<TSchema>) : updateResult(reply, this.#acknowledged(options));
  }

  async deleteOne(filter: Filter<TSchema> = {}, options: DeleteOptions = {}): Promise<DeleteResult> {
    return this.#delete(deleteStatement(filter, 1, options), options);
  }

  async deleteMany(filter: Filter<TSchema> = {}, options: DeleteOptions = {}): Promise<DeleteResult> {
    return this.#delete(deleteStatement(filter, 0, options), options);
  }

  async #delete(statement: Document, options: DeleteOptions): Promise<DeleteResult> {
    const command: Document = { delete: this.collectionName, deletes: [statement], ordered: true };
    this.#withWriteOptions(command, options, ['let']);
    const reply = await this.#run(explained(command, options.explain), options);
    return options.explain ? (reply as unknown as DeleteResult) : deleteResult(reply, this.#acknowledged(options));
  }

  /** Changes one document by operators and gives it, as it was unless `returnDocument: 'after'`. */
  findOneAndUpdate(filter: Filter<TSchema>, update: UpdateFilter<TSchema> | Document[], options: FindOneAndUpdateOptions & { includeResultMetadata: true }): Promise<ModifyResult<TSchema>>;
  findOneAndUpdate(filter: Filter<TSchema>, update: UpdateFilter<TSchema> | Document[], options?: FindOneAndUpdateOptions): Promise<WithId<TSchema> | null>;
  async findOneAndUpdate(filter: unknown, update: unknown, options: FindOneAndUpdateOptions = {}): Promise<unknown> {
    return this.#findAndModify(filter, { update }, options);
  }

  /** Replaces one document and gives it, as it was unless `returnDocument: 'after'`. */
  findOneAndReplace(filter: Filter<TSchema>, replacement: WithoutId<TSchema>, options: FindOneAndReplaceOptions & { includeResultMetadata: true }): Promise<ModifyResult<TSchema>>;
  findOneAndReplace(filter: Filter<TSchema>, replacement: WithoutId<TSchema>, options?: FindOneAndReplaceOptions): Promise<WithId<TSchema> | null>;
  async findOneAndReplace(filter: unknown, replacement: unknown, options: FindOneAndReplaceOptions = {}): Promise<unknown> {
    return this.#findAndModify(filter, { replacement }, options);
  }

  /** Deletes one document and gives it. */
  findOneAndDelete(filter: Filter<TSchema>, options: FindOneAndDeleteOptions & { includeResultMetadata: true }): Promise<ModifyResult<TSchema>>;
  findOneAndDelete(filter: Filter<TSchema>, options?: FindOneAndDeleteOptions): Promise<WithId<TSchema> | null>;
  async findOneAndDelete(filter: unknown, options: FindOneAndDeleteOptions = {}): Promise<unknown> {
    return this.#findAndModify(filter, { remove: true }, options);
  }

  async #findAndModify(filter: unknown, modification: Modification, options: FindOneAndUpdateOptions): Promise<unknown> {
    const { ignoreUndefined } = bsonOptions(this.#bson, options);
    const command = findAndModifyCommand(this.collectionName, filter, modification, options, ignoreUndefined === true);
    const writeConcern = options.writeConcern ?? this.#writeConcern;
    if (writeConcern !== undefined) command.writeConcern = writeConcern;
    const reply = await this.#runForUser(explained(command, options.explain), options, ['value']);
    return options.includeResultMetadata === true ? reply : (reply.value ?? null);
  }

  // —— indexes ——

  /**
   * Creates an index; gives its name. As in the driver: with the options of the command given apart, what is in those of the index goes to
   * the engine, which refuses what it does not know; without them, only what is known as an option of indexes does.
   */
  async createIndex(specification: IndexSpecification, options: CreateIndexesOptions = {}, commandOptions?: CreateIndexCommandOptions): Promise<string> {
    const description = { ...options, key: indexKey(specification) } as IndexDescription;
    const [name] = await this.createIndexes([description], commandOptions ?? options, commandOptions !== undefined);
    return name as string;
  }

  /** Creates indexes; gives their names. With `allowUnknownIndexOptions`, options that are not known as such go to the engine too. */
  async createIndexes(
    specifications: readonly IndexDescription[], options: CreateIndexesOptions = {}, allowUnknownIndexOptions = false,
  ): Promise<string[]> {
    const indexes = specifications.map((specification) => describeIndex(specification, allowUnknownIndexOptions));
    const command: Document = { createIndexes: this.collectionName, indexes };
    await this.#run(this.#withWriteOptions(command, options, ['commitQuorum']), options);
    return indexes.map(({ name }) => name);
  }

  async dropIndex(name: string, options: WriteOptions = {}): Promise<Document> {
    const command: Document = { dropIndexes: this.collectionName, index: name };
    return this.#run(this.#withWriteOptions(command, options, []), options);
  }

  /** Drops all indexes but that on `_id`; false if that failed. */
  async dropIndexes(options: WriteOptions = {}): Promise<boolean> {
    try {
      await this.dropIndex('*', options);
      return true;
    } catch (error) {
      // The driver's answer to an error of the server. Others (a broken engine, a closed client) are not swallowed.
      if (error instanceof MongoServerError) return false;
      throw error;
    }
  }

  listIndexes(options: ListIndexesOptions = {}): ListIndexesCursor {
    return new ListIndexesCursor(this.client, this.#namespace, options, bsonOptions(this.#bson, options));
  }

  /** The indexes as they are described; with `full: false` only their keys, by name. */
  async indexes(options: ListIndexesOptions & { full: false }): Promise<Record<string, [string, IndexDirection][]>>;
  async indexes(options?: ListIndexesOptions & { full?: boolean }): Promise<Document[]>;
  async indexes(options: ListIndexesOptions & { full?: boolean } = {}): Promise<Document[] | Record<string, [string, IndexDirection][]>> {
    const found = await this.listIndexes(options).toArray();
    return options.full === false ? compactIndexes(found) : found;
  }

  /** The keys of the indexes by their names; with `full: true` the indexes as they are described. */
  async indexInformation(options: ListIndexesOptions & { full: true }): Promise<Document[]>;
  async indexInformation(options?: ListIndexesOptions & { full?: boolean }): Promise<Record<string, [string, IndexDirection][]>>;
  async indexInformation(options: ListIndexesOptions & { full?: boolean } = {}): Promise<Document[] | Record<string, [string, IndexDirection][]>> {
    return this.indexes({ ...options, full: (options.full ?? false) as false });
  }

  /** True if there are indexes of all these names. */
  async indexExists(names: string | readonly string[], options: ListIndexesOptions = {}): Promise<boolean> {
    const wanted = typeof names === 'string' ? [names] : names;
    const present = new Set((await this.listIndexes(options).toArray()).map(({ name }) => name as string));
    return wanted.every((name) => present.has(name));
  }

  // —— the collection itself ——

  /** The options that the collection was created with. */
  async options(options?: OperationOptions): Promise<Document> {
    const [info] = await this.db.listCollections({ name: this.collectionName }, options).toArray();
    if (info === undefined) throw new MongoAPIError(`collection ${this.namespace} not found`);
    return info.options ?? {};
  }

  async isCapped(options?: OperationOptions): Promise<boolean> {
    return (await this.options(options)).capped === true;
  }

  /** Gives the collection another name, in the same database. */
  async rename(newName: string, options: OperationOptions & { dropTarget?: boolean } = {}): Promise<Collection> {
    const command = { renameCollection: this.namespace, to: `${this.dbName}.${newName}`, dropTarget: options.dropTarget === true };
    await this.client.execute(new PlainCommand('admin', command, bsonOptions(this.#bson, options), options.signal));
    return new Collection(this.db, newName, { ...this.#bson, writeConcern: this.#writeConcern, pkFactory: this.#pkFactory });
  }

  /** Drops the collection; false if there is none. */
  async drop(options?: WriteOptions): Promise<boolean> {
    return this.db.dropCollection(this.collectionName, options);
  }

  #acknowledged(options: WriteOptions): boolean {
    return (options.writeConcern ?? this.#writeConcern)?.w !== 0;
  }

  #withWriteOptions(command: Document, options: WriteOptions, names: readonly string[]): Document {
    copyDefined(command, options, names);
    const writeConcern = options.writeConcern ?? this.#writeConcern;
    if (writeConcern !== undefined) command.writeConcern = writeConcern;
    copyDefined(command, options, ['comment', 'maxTimeMS']);
    return command;
  }

  /** A command whose reply holds nothing of the user's. */
  #run(command: Document, options: OperationOptions): Promise<Document> {
    return this.client.execute(new PlainCommand(this.dbName, command, bsonOptions(this.#bson, options), options.signal));
  }

  /** A command in whose reply the fields named hold values of the user's. */
  #runForUser(command: Document, options: OperationOptions, fields: readonly string[]): Promise<Document> {
    return this.client.execute(new CommandWithValues(this.dbName, command, bsonOptions(this.#bson, options), fields, options.signal));
  }
}

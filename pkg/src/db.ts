/** A database. */
import { Admin } from './admin.js';
import type { BSONSerializeOptions, Document } from './bson/types.js';
import { setOwn } from './bson/values.js';
import type { MongoClient } from './client.js';
import { Collection, type CollectionOptions } from './collection.js';
import type { PkFactory, WriteConcern } from './connection_string.js';
import { AggregationCursor, type AggregateOptions } from './cursor/aggregation_cursor.js';
import { ListCollectionsCursor, type CollectionInfo, type ListCollectionsOptions } from './cursor/list_cursors.js';
import { MongoServerError } from './error.js';
import { Command, PlainCommand } from './exchange.js';
import { Namespace } from './namespace.js';
import { bsonOptions, copyDefined, type CollationOptions, type OperationOptions, type WriteOptions } from './options.js';

export interface DbOptions extends BSONSerializeOptions {
  writeConcern?: WriteConcern;
  pkFactory?: PkFactory;
}

export interface CreateCollectionOptions extends WriteOptions {
  capped?: boolean;
  size?: number;
  max?: number;
  validator?: Document;
  validationLevel?: string;
  validationAction?: string;
  viewOn?: string;
  pipeline?: Document[];
  collation?: CollationOptions;
  clusteredIndex?: Document;
  timeseries?: Document;
  expireAfterSeconds?: number;
  changeStreamPreAndPostImages?: { enabled: boolean };
  storageEngine?: Document;
  indexOptionDefaults?: Document;
  pkFactory?: PkFactory;
}

/** Options of `createCollection` that are not the command's. Whatever else is given goes to the engine, which knows what there is. */
const NOT_OF_CREATE: ReadonlySet<string> = new Set([
  'w', 'wtimeout', 'timeoutMS', 'j', 'fsync', 'pkFactory', 'raw', 'readPreference', 'session', 'readConcern', 'writeConcern', 'fieldsAsRaw',
  'useBigInt64', 'promoteLongs', 'promoteValues', 'promoteBuffers', 'bsonRegExp', 'serializeFunctions', 'ignoreUndefined',
  'enableUtf8Validation', 'signal',
]);

const NAMESPACE_NOT_FOUND = 26;

export class Db {
  readonly client: MongoClient;
  readonly databaseName: string;
  readonly #bson: BSONSerializeOptions;
  readonly #writeConcern: WriteConcern | undefined;
  readonly #pkFactory: PkFactory | undefined;

  constructor(client: MongoClient, databaseName: string, options?: DbOptions) {
    this.client = client;
    this.databaseName = databaseName;
    this.#bson = bsonOptions(client.bsonOptions, options);
    this.#writeConcern = options?.writeConcern ?? client.writeConcern;
    this.#pkFactory = options?.pkFactory ?? client.pkFactory;
  }

  get namespace(): string {
    return this.databaseName;
  }

  get bsonOptions(): BSONSerializeOptions {
    return this.#bson;
  }

  get writeConcern(): WriteConcern | undefined {
    return this.#writeConcern;
  }

  get pkFactory(): PkFactory | undefined {
    return this.#pkFactory;
  }

  collection<TSchema extends Document = Document>(name: string, options?: CollectionOptions): Collection<TSchema> {
    return new Collection<TSchema>(this, name, options);
  }

  admin(): Admin {
    return new Admin(this);
  }

  /** Runs any command and gives its reply. */
  async command(command: Document, options?: OperationOptions): Promise<Document> {
    const sent = withoutDb(command);
    return this.client.execute(new Command(this.databaseName, sent, bsonOptions(this.#bson, options), options?.signal));
  }

  async createCollection<TSchema extends Document = Document>(name: string, options?: CreateCollectionOptions): Promise<Collection<TSchema>> {
    const command: Document = { create: name };
    for (const [option, value] of Object.entries(options ?? {})) {
      const isOfCommand = value !== undefined && value !== null && typeof value !== 'function' && !NOT_OF_CREATE.has(option);
      if (isOfCommand) setOwn(command, option, value);
    }
    copyDefined(command, { writeConcern: this.#writeConcern, ...options }, ['writeConcern']);
    await this.#run(command, options);
    return new Collection<TSchema>(this, name, options);
  }

  /** Drops a collection; false if there is none of that name. */
  async dropCollection(name: string, options?: WriteOptions): Promise<boolean> {
    const command: Document = { drop: name };
    copyDefined(command, { writeConcern: this.#writeConcern, ...options }, ['writeConcern', 'comment', 'maxTimeMS']);
    try {
      await this.#run(command, options);
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return false;
      throw error;
    }
  }

  async dropDatabase(options?: WriteOptions): Promise<boolean> {
    const command: Document = { dropDatabase: 1 };
    copyDefined(command, { writeConcern: this.#writeConcern, ...options }, ['writeConcern', 'comment', 'maxTimeMS']);
    await this.#run(command, options);
    return true;
  }

  listCollections(filter?: Document, options?: ListCollectionsOptions & { nameOnly: true }): ListCollectionsCursor<Pick<CollectionInfo, 'name' | 'type'>>;
  listCollections(filter?: Document, options?: ListCollectionsOptions): ListCollectionsCursor;
  listCollections(filter: Document = {}, options: ListCollectionsOptions = {}): ListCollectionsCursor {
    return new ListCollectionsCursor(this.client, this.databaseName, filter, options, bsonOptions(this.#bson, options));
  }

  /** All collections that can be used as such. */
  async collections(options?: ListCollectionsOptions): Promise<Collection[]> {
    const found = await this.listCollections({}, { ...options, nameOnly: true }).toArray();
    return found.filter(({ name }) => !name.includes('$')).map(({ name }) => new Collection(this, name));
  }

  /** The documents that a pipeline makes which starts from no collection. */
  aggregate<T extends Document = Document>(pipeline: Document[] = [], options: AggregateOptions = {}): AggregationCursor<T> {
    const namespace = new Namespace(this.databaseName, '');
    return new AggregationCursor<T>(this.client, namespace, pipeline, options, bsonOptions(this.#bson, options));
  }

  /** Gives a collection another name. */
  async renameCollection(from: string, to: string, options?: OperationOptions & { dropTarget?: boolean }): Promise<Collection> {
    return this.collection(from).rename(to, options);
  }

  /** Sizes and counts of the database. */
  async stats(options?: OperationOptions & { scale?: number }): Promise<Document> {
    const command: Document = { dbStats: true };
    copyDefined(command, options, ['scale']);
    return this.command(command, options);
  }

  /** Creates an index on the collection `name`; gives the index's name. */
  async createIndex(...given: [name: string, ...Parameters<Collection['createIndex']>]): Promise<string> {
    const [name, ...rest] = given;
    return this.collection(name).createIndex(...rest);
  }

  #run(command: Document, options: OperationOptions | undefined): Promise<Document> {
    return this.client.execute(new PlainCommand(this.databaseName, command, bsonOptions(this.#bson, options), options?.signal));
  }
}

/** `$db` is said once, by the database that the command is run on. */
function withoutDb(command: Document): Document {
  if (command instanceof Map) {
    const copy = new Map(command as Map<string, unknown>);
    copy.delete('$db');
    return copy;
  }
  if (typeof command !== 'object' || command === null || !Object.hasOwn(command, '$db')) return command;
  const { $db: _, ...rest } = command;
  return rest;
}

/** A client: the databases of one name, in the shape of the official driver's. */
import { Admin } from './admin.js';
import type { BSONSerializeOptions, Document } from './bson/types.js';
import { parseConnection, type ConnectionSettings, type MongoClientOptions, type PkFactory, type WriteConcern } from './connection_string.js';
import { Db, type DbOptions } from './db.js';
import { MongoInvalidArgumentError, MongoNotConnectedError } from './error.js';
import { EventSource } from './events.js';
import type { Exchange } from './exchange.js';
import type { EngineInstance } from './instance.js';
import { SharedEngine, type EngineListener } from './shared_engine.js';

/**
 * Events: `close`; `connection-lost` with a text, when the browser closed the connection to the store or the engine cannot go on with it: what
 * is under way is answered, the next operation connects again; `storage-lost` with a text, when the data was deleted from outside.
 */
export class MongoClient extends EventSource implements AsyncDisposable {
  readonly #settings: ConnectionSettings;
  readonly #listener: EngineListener = (name, detail) => this.emit(name, detail);
  #engine: SharedEngine | undefined;
  #closed = false;

  /**
   * `indexeddb://name[/defaultDb][?options]` for databases that the browser keeps under `name`, or `memory://`. Opens nothing yet:
   * the first operation does, or `connect`.
   */
  constructor(uri: string, options?: MongoClientOptions) {
    super();
    this.#settings = parseConnection(uri, options);
  }

  static async connect(uri: string, options?: MongoClientOptions): Promise<MongoClient> {
    return new MongoClient(uri, options).connect();
  }

  get bsonOptions(): BSONSerializeOptions {
    return this.#settings.bson;
  }

  get writeConcern(): WriteConcern | undefined {
    return this.#settings.writeConcern;
  }

  /** Makes the `_id` of documents that have none; undefined stands for ObjectId. */
  get pkFactory(): PkFactory | undefined {
    return this.#settings.pkFactory;
  }

  /** Opens the store, so that its errors show here and not at the first operation. */
  async connect(): Promise<this> {
    this.#closed = false;
    await this.#running();
    return this;
  }

  /**
   * Closes the store, unless another client uses it. What is pending is settled first, for at most `openTimeoutMS`; with nothing pending
   * it needs no further task, so that it may be called when the page goes away.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const engine = this.#engine;
    this.#engine = undefined;
    await engine?.release(this.#listener);
    this.emit('close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A database; without a name, the one that the connection string names, or `test`. */
  db(name?: string, options?: DbOptions): Db {
    if (name !== undefined && typeof name !== 'string') throw new MongoInvalidArgumentError('Database name must be a string');
    return new Db(this, name || this.#settings.defaultDb, options);
  }

  /** Counters of the engine: pages and records read and written, sizes. Opens nothing: undefined before the first operation. */
  engineStats(): Document | undefined {
    return this.#engine?.running?.stats() as Document | undefined;
  }

  /** Runs one command of the classes of this package. */
  execute<T>(exchange: Exchange<T>): Promise<T> {
    const running = this.#engine?.running;
    return running !== undefined ? running.execute(exchange) : this.#open(exchange);
  }

  async #open<T>(exchange: Exchange<T>): Promise<T> {
    if (this.#closed) throw new MongoNotConnectedError('Client must be connected before running operations');
    return (await this.#running()).execute(exchange);
  }

  #running(): Promise<EngineInstance> {
    const { engine, module } = this.#settings;
    this.#engine ??= SharedEngine.acquire(engine, this.#listener);
    return this.#engine.open(engine, module);
  }

  /** For the commands about all databases. */
  admin(): Admin {
    return this.db('admin').admin();
  }
}

/**
 * Engines by the name of their database: all clients of one name in a page use one engine, and with it one page cache.
 *
 * 1. The engine is opened by the first command and closed when the last client has been closed.
 * 2. The settings are those of the client whose command opened it.
 * 3. After it broke or lost its store, the next command opens a fresh instance on what is stored.
 * 4. If that finds another database than before, because the data was cleared meanwhile, the clients hear `storage-lost`.
 */
import type { EngineConfig } from './binding.js';
import { within } from './deadline.js';
import { InternalError, MongoEnvironmentError } from './error.js';
import { createGlue } from './glue.js';
import { EngineInstance } from './instance.js';
import { loadModule, type EngineModuleSource } from './loader.js';

export type EngineListener = (name: string, detail: string) => void;

const INTERRUPTED_AT_SHUTDOWN = 11600;

const shared = new Map<string, SharedEngine>();

export class SharedEngine {
  readonly #key: string | undefined;
  #config: EngineConfig;
  #module: EngineModuleSource | undefined;
  readonly #listeners = new Set<EngineListener>();
  #instance: EngineInstance | undefined;
  #opening: Promise<EngineInstance> | undefined;
  #closing: Promise<void> | undefined;
  #databaseId: string | undefined;

  private constructor(key: string | undefined, config: EngineConfig) {
    this.#key = key;
    this.#config = config;
  }

  /** The engine for `config`, for one more client that hears its events. A memory store without a name is the client's own. */
  static acquire(config: EngineConfig, listener: EngineListener): SharedEngine {
    const key = config.store === 'memory' && config.name === '' ? undefined : `${config.store}:${config.name}`;
    let engine = key === undefined ? undefined : shared.get(key);
    if (engine === undefined) {
      engine = new SharedEngine(key, config);
      if (key !== undefined) shared.set(key, engine);
    }
    engine.#listeners.add(listener);
    return engine;
  }

  /** The running engine, if there is one. */
  get running(): EngineInstance | undefined {
    const instance = this.#instance;
    return instance !== undefined && instance.alive ? instance : undefined;
  }

  /** The running engine, opened with these settings if need be. */
  open(config: EngineConfig, module: EngineModuleSource | undefined): Promise<EngineInstance> {
    const running = this.running;
    if (running !== undefined) return Promise.resolve(running);
    if (this.#opening === undefined) {
      this.#config = config;
      this.#module = module;
      this.#opening = this.#start().finally(() => {
        this.#opening = undefined;
      });
    }
    return this.#opening;
  }

  async #start(): Promise<EngineInstance> {
    if (this.#config.store === 'indexeddb') needIndexedDb(this.#config.name);
    await this.#closing;
    const module = await loadModule(this.#module);
    const instance = await this.#connect(module).catch((error: unknown) => {
      // Somebody deleted the database just then, or the browser closed the connection: it may well open now.
      if ((error as { code?: unknown }).code !== INTERRUPTED_AT_SHUTDOWN) throw error;
      return this.#connect(module);
    });
    this.#instance = instance;
    const before = this.#databaseId;
    this.#databaseId = instance.databaseId;
    if (this.#config.store === 'indexeddb' && before !== undefined && before !== this.#databaseId) {
      this.#tell('storage-lost', `the data of indexeddb://${this.#config.name} was deleted while it was in use; the database is a new one`);
    }
    return instance;
  }

  #connect(module: WebAssembly.Module): Promise<EngineInstance> {
    return EngineInstance.start(createGlue(), module, this.#config, (name, detail) => this.#tell(name, detail));
  }

  #tell(name: string, detail: string): void {
    for (const listener of [...this.#listeners]) listener(name, detail);
  }

  /** The client of `listener` needs the engine no more. Closes it with the last one. */
  async release(listener: EngineListener): Promise<void> {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    const opening = this.#opening;
    const close = async (): Promise<void> => {
      try {
        await opening;
      } catch (error) {
        // Its own caller has been told.
        if (error instanceof InternalError) return;
      }
      // A client that came meanwhile keeps it open.
      if (this.#listeners.size > 0) return;
      const instance = this.#instance;
      this.#instance = undefined;
      await instance?.close();
      if (this.#key !== undefined && this.#listeners.size === 0) shared.delete(this.#key);
    };
    this.#closing = close();
    await within(this.#config.openTimeoutMS, this.#closing);
  }
}

/** Throws if there is no IndexedDB. What refuses only when it is opened is told by the engine. */
function needIndexedDb(name: string): void {
  let cause: unknown;
  try {
    // Null or undefined where there is none; some browsers throw where it is not allowed.
    if ((globalThis as { indexedDB?: unknown }).indexedDB) return;
  } catch (reason) {
    cause = reason;
  }
  const error = new MongoEnvironmentError(
    `indexeddb://${name} cannot be opened: IndexedDB is not available here${cause instanceof Error ? ` (${cause.name}: ${cause.message})` : ''}. ` +
      'Write memory:// for a database that is gone when it is closed',
    cause === undefined ? undefined : { cause },
  );
  error.code = 6;
  error.codeName = 'HostUnreachable';
  throw error;
}

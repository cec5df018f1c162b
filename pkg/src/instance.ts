/**
 * One running engine: one instance of the WebAssembly module with one store.
 *
 * 1. A command is written into a region of its own, so that user code that runs while it is encoded may issue commands too.
 * 2. The engine first tries to answer at once. Only what must wait (a page to load, a commit) gets a ticket and is answered later.
 * 3. An exception out of the engine that has no code means that its state cannot be trusted: it is dead, everything pending is rejected with an
 *    `InternalError`, and it is never called again. Who holds it opens another one.
 * 4. No user code runs while the engine is on the stack: replies are decoded there, promises resolve after it has returned.
 * 5. An engine whose store is gone (the browser closed the connection, the data was cleared) is retired: what is under way ends as the
 *    engine answers it, then it is closed. Who holds it opens another one for what comes after.
 * 6. Closing ends within a given time, whatever the browser does not answer.
 */
import type { Engine, EngineConfig, Glue } from './binding.js';
import { Birth, type Born, type Pending } from './birth.js';
import type { Decoder } from './bson/decode.js';
import { Encoder } from './bson/encode.js';
import { within } from './deadline.js';
import { InternalError, MongoClientClosedError, openError } from './error.js';
import type { Exchange } from './exchange.js';
import { Region, type Memory } from './region.js';

interface Slot {
  readonly encoder: Encoder;
  readonly region: Region;
}

export class EngineInstance implements Born {
  readonly #engine: Engine;
  readonly #birth: Birth;
  readonly #memory: Memory;
  readonly #decoder: Decoder;
  readonly #pending: Map<number, Pending>;
  readonly #idle: Slot[] = [];
  readonly #lost: string;
  readonly #closeTimeoutMS: number;
  readonly #connection: IDBDatabase | undefined;
  #dead: InternalError | undefined;
  #closed = false;
  #retired = false;

  /** Changes when the data was cleared and the database made anew. */
  readonly databaseId: string | undefined;

  private constructor(engine: Engine, birth: Birth, config: EngineConfig) {
    this.#engine = engine;
    this.#birth = birth;
    this.#memory = birth.memory;
    this.#decoder = birth.decoder;
    this.#pending = birth.pending;
    this.#lost = config.store === 'memory' ? ' The data of this memory store is lost.' : '';
    this.#closeTimeoutMS = config.openTimeoutMS;
    this.#connection = engine.connection();
    this.databaseId = engine.databaseId();
  }

  /** Starts an engine of a fresh instance of `module`. Events of the store go to `onEvent`. */
  static async start(
    glue: Glue, module: WebAssembly.Module, config: EngineConfig, onEvent: (name: string, detail: string) => void,
  ): Promise<EngineInstance> {
    const birth = new Birth(glue, module, nameOf(config), onEvent);
    try {
      const engine = config.store === 'memory'
        ? glue.Engine.memory(config, birth.hooks)
        : await Promise.race([glue.Engine.open(config, birth.hooks), birth.failed]);
      return birth.complete(new EngineInstance(engine, birth, config));
    } catch (reason) {
      throw birth.error(reason);
    }
  }

  /** The same for a memory store, at once. */
  static startInMemory(glue: Glue, module: WebAssembly.Module, config: EngineConfig): EngineInstance {
    const birth = new Birth(glue, module, nameOf(config), () => undefined);
    try {
      return birth.complete(new EngineInstance(glue.Engine.memory(config, birth.hooks), birth, config));
    } catch (reason) {
      throw birth.error(reason);
    }
  }

  /** False once the engine has broken, has lost its store or was closed. */
  get alive(): boolean {
    return this.#dead === undefined && !this.#closed && !this.#retired;
  }

  get broken(): boolean {
    return this.#dead !== undefined;
  }

  /** Runs one command. */
  execute<T>(exchange: Exchange<T>): Promise<T> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    if (this.#closed) return Promise.reject(new MongoClientClosedError());
    if (exchange.signal?.aborted === true) return Promise.reject(exchange.signal.reason as Error);
    let slot: Slot | undefined;
    try {
      slot = this.#write(exchange);
      const ticket = this.#submit(slot);
      if (ticket !== 0) return this.#birth.early.size === 0 ? this.#wait(exchange, ticket) : this.#answered(exchange, ticket);
      return Promise.resolve(exchange.read(this.#reply()));
    } catch (reason) {
      return Promise.reject(this.#birth.explained(reason) as Error);
    } finally {
      if (slot !== undefined) this.#idle.push(slot);
    }
  }

  /** Runs one command to its end. Memory stores only. */
  executeSync<T>(exchange: Exchange<T>): T {
    if (this.#dead !== undefined) throw this.#dead;
    if (this.#closed) throw new MongoClientClosedError();
    const slot = this.#write(exchange);
    this.#idle.push(slot);
    const { encoder, region } = slot;
    const length = encoder.length;
    this.#call(() => this.#engine.requestSubmitSync(region.handle, length));
    return exchange.read(this.#reply());
  }

  /** Counters of the engine: pages, records read and written, bytes. */
  stats(): unknown {
    if (this.#dead !== undefined) throw this.#dead;
    return this.#call(() => this.#engine.stats());
  }

  /** Settles what is pending, then closes the store. What the browser does not answer in time is rejected. */
  async close(): Promise<void> {
    if (this.#closed || this.#dead !== undefined) return;
    this.#closed = true;
    await this.#end();
  }

  retire(): void {
    if (!this.alive) return;
    this.#retired = true;
    // The engine is on the stack now.
    queueMicrotask(() => void this.#end());
  }

  async #end(): Promise<void> {
    if (this.#dead !== undefined) return;
    try {
      await within(this.#closeTimeoutMS, this.#engine.close());
    } catch (reason) {
      this.fail(reason);
    } finally {
      this.#birth.rejectAll(new MongoClientClosedError());
      this.#disconnect();
    }
  }

  /** Closes the connection without the engine's help. Transactions that are under way end in the browser. */
  #disconnect(): void {
    if (this.#connection === undefined) return;
    this.#connection.onclose = null;
    this.#connection.onversionchange = null;
    this.#connection.close();
  }

  /** The engine broke with `reason`: it is dead from now on. */
  fail(reason: unknown): InternalError {
    if (this.#dead === undefined) {
      const text = this.#panicText || (reason instanceof Error ? reason.message : String(reason));
      this.#dead = new InternalError(`The engine stopped: ${text}.${this.#lost}`, { cause: reason });
      this.#birth.rejectAll(this.#dead);
      this.#disconnect();
    }
    return this.#dead;
  }

  #panicText = '';

  /** The engine said why it is about to break. */
  panicked(text: string): void {
    this.#panicText = text;
    // A panic in a callback of the browser throws at nobody who could tell us.
    queueMicrotask(() => this.fail(new Error(text)));
  }

  #write(exchange: Exchange<unknown>): Slot {
    const slot = this.#idle.pop() ?? this.#newSlot();
    const { encoder, region } = slot;
    try {
      region.begin();
    } catch (reason) {
      throw this.#broken(reason);
    }
    try {
      encoder.begin(region, exchange.bson);
      exchange.write(encoder);
      // User code may have closed or broken the engine while it was asked for values.
      if (this.#dead !== undefined) throw this.#dead;
      return slot;
    } catch (reason) {
      encoder.forget();
      if (this.#dead === undefined) this.#call(() => this.#engine.requestCancel(region.handle));
      this.#idle.push(slot);
      throw reason;
    }
  }

  #newSlot(): Slot {
    return { encoder: new Encoder(), region: new Region(this.#engine, this.#memory, (reason) => this.#broken(reason)) };
  }

  #submit({ encoder, region }: Slot): number {
    const length = encoder.length;
    this.#birth.submitting++;
    try {
      return this.#engine.requestSubmit(region.handle, length);
    } catch (reason) {
      throw this.#broken(reason);
    } finally {
      this.#birth.submitting--;
    }
  }

  #reply(): Decoder {
    const start = this.#engine.replyPtr() >>> 0;
    const end = start + (this.#engine.replyLen() >>> 0);
    const bytes = this.#memory.bytes;
    this.#decoder.begin(bytes, this.#memory.view, start, end);
    return this.#decoder;
  }

  /** For a ticket whose reply may have come before we knew the ticket. */
  #answered<T>(exchange: Exchange<T>, ticket: number): Promise<T> {
    const { early } = this.#birth;
    const reply = early.get(ticket);
    early.clear();
    if (reply === undefined) return this.#wait(exchange, ticket);
    this.#decoder.begin(reply, new DataView(reply.buffer), 0, reply.length);
    return Promise.resolve(exchange.read(this.#decoder));
  }

  #wait<T>(exchange: Exchange<T>, ticket: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const pending: Pending = { exchange, resolve: resolve as (value: unknown) => void, reject, onAbort: undefined };
      this.#pending.set(ticket, pending);
      const signal = exchange.signal;
      if (signal === undefined || signal === null) return;
      pending.onAbort = () => {
        if (!this.#pending.delete(ticket)) return;
        reject(signal.reason as Error);
        if (this.#dead === undefined && !this.#closed) this.#call(() => this.#engine.abort(ticket));
      };
      signal.addEventListener('abort', pending.onAbort, { once: true });
    });
  }

  #call<T>(call: () => T): T {
    try {
      return call();
    } catch (reason) {
      throw this.#broken(reason);
    }
  }

  /** What to throw for an exception out of the engine: it either refused the call, with a code, or broke. */
  #broken(reason: unknown): Error {
    const { codeName } = reason as { codeName?: unknown };
    return typeof codeName === 'string' ? openError(reason) : this.fail(reason);
  }
}

function nameOf(config: EngineConfig): string {
  return `${config.store}://${config.name}`;
}

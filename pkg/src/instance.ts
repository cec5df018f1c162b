/**
 * One running engine: one instance of the WebAssembly module with one store.
 *
 * 1. A command is written into a region of its own, so that user code that runs while it is encoded may issue commands too.
 * 2. The engine first tries to answer at once. Only what must wait (a page to load, a commit) gets a ticket and is answered later.
 * 3. An exception out of the engine that has no code means that its state cannot be trusted: it is dead, everything pending is rejected with an
 *    `InternalError`, and it is never called again. Who holds it opens another one.
 * 4. No user code runs while the engine is on the stack: replies are decoded there, promises resolve after it has returned.
 */
import type { Engine, EngineConfig, EngineHooks, Glue } from './binding.js';
import { Decoder } from './bson/decode.js';
import { Encoder } from './bson/encode.js';
import { ByteTarget } from './bson/target.js';
import { InternalError, MongoClientClosedError, openError } from './error.js';
import type { Exchange } from './exchange.js';
import { scheduler } from './schedule.js';

const REGION_BYTES = 1024;

/**
 * Steps in which the engine's memory grows. Its allocator asks for 64 KiB at a time, and each time V8 counts the whole memory as
 * newly allocated: inserting 100,000 documents set off a hundred full garbage collections and took six times as long.
 */
const GROWTH_BYTES_MIN = 1024 * 1024;
const GROWTH_BYTES_MAX = 8 * 1024 * 1024;
/** Beyond this size memory may be short, and is taken only as it is needed. */
const GROWTH_SIZE_MAX = 1024 * 1024 * 1024;
/** What is made ready at most for one large request. */
const REQUEST_GROWTH_BYTES_MAX = 64 * 1024 * 1024;

interface Pending {
  readonly exchange: Exchange<unknown>;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  onAbort: (() => void) | undefined;
}

/** The memory of an instance, with the views of it that are taken anew only when it has grown. */
class Memory {
  readonly #memory: WebAssembly.Memory;
  #bytes: Uint8Array;
  #view: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  get bytes(): Uint8Array {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
      this.#view = new DataView(this.#memory.buffer);
    }
    return this.#bytes;
  }

  /** To be asked for after `bytes`. */
  get view(): DataView {
    return this.#view;
  }
}

/** A region of the engine's memory that a request is written to. */
class Region extends ByteTarget {
  readonly #engine: Engine;
  readonly #memory: Memory;
  readonly #failed: (reason: unknown) => Error;
  handle = 0;

  constructor(engine: Engine, memory: Memory, failed: (reason: unknown) => Error) {
    super();
    this.#engine = engine;
    this.#memory = memory;
    this.#failed = failed;
  }

  begin(): void {
    this.handle = this.#engine.requestBegin(REGION_BYTES);
    this.start = this.#engine.requestPtr(this.handle) >>> 0;
    this.end = this.start + REGION_BYTES;
  }

  override reserve(_used: number, size: number): void {
    if (this.start + size > this.end) {
      const capacity = Math.max(size, (this.end - this.start) * 2);
      try {
        this.start = this.#engine.requestGrow(this.handle, capacity) >>> 0;
      } catch (reason) {
        throw this.#failed(reason);
      }
      this.end = this.start + capacity;
    }
    this.bytes = this.#memory.bytes;
    this.view = this.#memory.view;
  }
}

interface Slot {
  readonly encoder: Encoder;
  readonly region: Region;
}

export class EngineInstance {
  readonly #engine: Engine;
  readonly #birth: Birth;
  readonly #memory: Memory;
  readonly #decoder: Decoder;
  readonly #pending: Map<number, Pending>;
  readonly #idle: Slot[] = [];
  readonly #lost: string;
  #dead: InternalError | undefined;
  #closed = false;

  private constructor(engine: Engine, birth: Birth, lost: string) {
    this.#engine = engine;
    this.#birth = birth;
    this.#memory = birth.memory;
    this.#decoder = birth.decoder;
    this.#pending = birth.pending;
    this.#lost = lost;
  }

  /** Starts an engine of a fresh instance of `module`. Events of the store go to `onEvent`. */
  static async start(
    glue: Glue, module: WebAssembly.Module, config: EngineConfig, onEvent: (name: string, detail: string) => void,
  ): Promise<EngineInstance> {
    const birth = new Birth(glue, module, onEvent);
    try {
      const engine = config.store === 'memory' ? glue.Engine.memory(config, birth.hooks) : await glue.Engine.open(config, birth.hooks);
      return birth.complete(new EngineInstance(engine, birth, lossOf(config)));
    } catch (reason) {
      throw birth.error(reason);
    }
  }

  /** The same for a memory store, at once. */
  static startInMemory(glue: Glue, module: WebAssembly.Module, config: EngineConfig): EngineInstance {
    const birth = new Birth(glue, module, () => undefined);
    try {
      return birth.complete(new EngineInstance(glue.Engine.memory(config, birth.hooks), birth, lossOf(config)));
    } catch (reason) {
      throw birth.error(reason);
    }
  }

  /** False once the engine has broken or was closed. */
  get alive(): boolean {
    return this.#dead === undefined && !this.#closed;
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
      return Promise.reject(reason as Error);
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
    this.keepRoom(length);
    this.#call(() => this.#engine.requestSubmitSync(region.handle, length));
    return exchange.read(this.#reply());
  }

  /** Counters of the engine: pages, records read and written, bytes. */
  stats(): unknown {
    if (this.#dead !== undefined) throw this.#dead;
    return this.#call(() => this.#engine.stats());
  }

  /** Settles what is pending, then closes the store. */
  async close(): Promise<void> {
    if (this.#closed || this.#dead !== undefined) return;
    this.#closed = true;
    try {
      await this.#engine.close();
    } finally {
      rejectAll(this.#pending, new MongoClientClosedError());
    }
  }

  /** The engine broke with `reason`: it is dead from now on. */
  fail(reason: unknown): InternalError {
    if (this.#dead === undefined) {
      const text = this.#panicText || (reason instanceof Error ? reason.message : String(reason));
      this.#dead = new InternalError(`The engine stopped: ${text}.${this.#lost}`, { cause: reason });
      rejectAll(this.#pending, this.#dead);
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
    this.keepRoom(length);
    this.#birth.submitting++;
    try {
      return this.#engine.requestSubmit(region.handle, length);
    } catch (reason) {
      throw this.#broken(reason);
    } finally {
      this.#birth.submitting--;
    }
  }

  /** Memory that was grown up to here, in one step, is still free beyond what the engine uses. */
  #roomUpTo = 0;

  /** If the memory has grown by itself, or a large request comes, lets it grow by a large step: asked for and given back, it stays free. */
  keepRoom(requestBytes = 0): void {
    const size = this.#memory.bytes.length;
    const large = requestBytes > GROWTH_BYTES_MIN;
    if ((size <= this.#roomUpTo && !large) || size > GROWTH_SIZE_MAX || this.#dead !== undefined || this.#closed) return;
    const step = Math.min(Math.max(size >> 2, GROWTH_BYTES_MIN), GROWTH_BYTES_MAX);
    const wanted = Math.max(step, large ? Math.min(Math.ceil(requestBytes * 1.5), REQUEST_GROWTH_BYTES_MAX) : 0);
    this.#call(() => this.#engine.requestCancel(this.#engine.requestBegin(wanted)));
    this.#roomUpTo = this.#memory.bytes.length;
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

/** What an engine needs before it exists: its memory, and hooks that find it once it does. */
class Birth {
  readonly memory: Memory;
  readonly decoder = new Decoder();
  /** How many calls of `requestSubmit` are on the stack, and replies that came during them for tickets not yet known. */
  submitting = 0;
  readonly early = new Map<number, Uint8Array>();
  readonly pending = new Map<number, Pending>();
  readonly hooks: EngineHooks;
  #instance: EngineInstance | undefined;
  #panic = '';

  constructor(glue: Glue, module: WebAssembly.Module, onEvent: (name: string, detail: string) => void) {
    const { memory } = glue.initSync({ module });
    this.memory = new Memory(memory);
    this.hooks = {
      reply: (ticket, pointer, length) => this.#answer(ticket, pointer >>> 0, length >>> 0),
      event: (name, detail) => queueMicrotask(() => onEvent(name, detail)),
      panic: (text) => {
        this.#panic = text;
        this.#instance?.panicked(text);
      },
      schedule: scheduler(() => this.#instance?.keepRoom(), (reason) => this.#instance?.fail(reason)),
    };
  }

  #answer(ticket: number, pointer: number, length: number): void {
    const waiting = this.pending.get(ticket);
    if (waiting === undefined) {
      // Its caller is yet to learn the ticket, or has gone (aborted).
      if (this.submitting > 0) this.early.set(ticket, this.memory.bytes.slice(pointer, pointer + length));
      return;
    }
    this.pending.delete(ticket);
    release(waiting);
    try {
      this.decoder.begin(this.memory.bytes, this.memory.view, pointer, pointer + length);
      waiting.resolve(waiting.exchange.read(this.decoder));
    } catch (reason) {
      waiting.reject(reason);
    }
  }

  complete(instance: EngineInstance): EngineInstance {
    this.#instance = instance;
    return instance;
  }

  error(reason: unknown): Error {
    if (this.#panic === '' && !(reason instanceof WebAssembly.RuntimeError)) return openError(reason);
    return new InternalError(`The engine stopped: ${this.#panic || (reason as Error).message}`, { cause: reason });
  }
}

function lossOf(config: EngineConfig): string {
  return config.store === 'memory' ? ' The data of this memory store is lost.' : '';
}

function rejectAll(pending: Map<number, Pending>, reason: Error): void {
  for (const waiting of pending.values()) {
    release(waiting);
    waiting.reject(reason);
  }
  pending.clear();
}

function release(waiting: Pending): void {
  if (waiting.onAbort !== undefined) waiting.exchange.signal?.removeEventListener('abort', waiting.onAbort);
}

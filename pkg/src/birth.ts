/**
 * What an engine needs before it exists: its memory, and hooks that find its instance once there is one.
 *
 * 1. Every way by which the browser calls into the engine is guarded here: nobody else would hear that it trapped.
 * 2. A callback of an engine that has broken is not called any more, and a transaction that waits for its callback is aborted: what is
 *    left of the engine's memory must not reach the store.
 */
import type { EngineHooks, Glue } from './binding.js';
import { Decoder } from './bson/decode.js';
import { InternalError, MongoServerError, openError } from './error.js';
import type { Exchange } from './exchange.js';
import { Memory } from './region.js';
import { scheduler } from './schedule.js';

/** A command that is under way. */
export interface Pending {
  readonly exchange: Exchange<unknown>;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  onAbort: (() => void) | undefined;
}

/** The instance as its hooks see it. */
export interface Born {
  readonly broken: boolean;
  fail(reason: unknown): Error;
  panicked(text: string): void;
  /** The engine's store is gone. Called while the engine is on the stack. */
  retire(): void;
}

type Listener = (event?: Event) => void;

/** OperationFailed, InterruptedAtShutdown, OutOfDiskSpace: what the engine answers when the browser refused it something. */
const STORE_ERRORS = new Set<unknown>([96, 11600, 14031]);

export class Birth {
  readonly memory: Memory;
  readonly decoder = new Decoder();
  /** How many calls of `requestSubmit` are on the stack, and replies that came during them for tickets not yet known. */
  submitting = 0;
  readonly early = new Map<number, Uint8Array>();
  readonly pending = new Map<number, Pending>();
  readonly hooks: EngineHooks;
  /** Rejected if the engine breaks before there is an instance. */
  readonly failed: Promise<never>;
  readonly #where: string;
  #reject: (reason: unknown) => void = () => undefined;
  #instance: Born | undefined;
  #panic = '';
  #storeError: unknown;

  constructor(glue: Glue, module: WebAssembly.Module, where: string, onEvent: (name: string, detail: string) => void) {
    const { memory } = glue.initSync({ module });
    this.memory = new Memory(memory);
    this.#where = where;
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // Heard while the engine is being opened; later nobody waits for it.
    this.failed.catch(() => undefined);
    this.hooks = {
      reply: (ticket, pointer, length) => this.#answer(ticket, pointer >>> 0, length >>> 0),
      event: (name, detail) => this.#event(name, detail, onEvent),
      storeError: (error) => {
        this.#storeError = error;
        // It belongs to the replies of this turn.
        queueMicrotask(() => {
          this.#storeError = undefined;
        });
      },
      panic: (text) => {
        this.#panic = text;
        if (this.#instance !== undefined) this.#instance.panicked(text);
        else queueMicrotask(() => this.#broke(new Error(text)));
      },
      schedule: scheduler((reason) => this.#broke(reason)),
      guard: (callback) => (event) => this.#run(callback, event),
    };
  }

  complete<T extends Born>(instance: T): T {
    this.#instance = instance;
    return instance;
  }

  /** What opening fails with. */
  error(reason: unknown): Error {
    if (this.#panic === '' && !(reason instanceof WebAssembly.RuntimeError)) return openError(reason, this.#where);
    return new InternalError(`The engine stopped: ${this.#panic || (reason as Error).message}`, { cause: reason });
  }

  /** The error of a reply, with the browser's own error behind it where there is one. */
  explained(reason: unknown): unknown {
    if (this.#storeError !== undefined && reason instanceof MongoServerError && STORE_ERRORS.has(reason.code)) {
      reason.cause ??= this.#storeError as Error;
    }
    return reason;
  }

  /** Rejects everything that is under way. */
  rejectAll(reason: Error): void {
    for (const waiting of this.pending.values()) {
      release(waiting);
      waiting.reject(reason);
    }
    this.pending.clear();
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
      waiting.reject(this.explained(reason));
    }
  }

  #event(name: string, detail: string, onEvent: (name: string, detail: string) => void): void {
    // While it is being opened, the error of opening says it.
    if (this.#instance === undefined) return;
    this.#instance.retire();
    queueMicrotask(() => onEvent(name, detail));
  }

  #run(callback: Listener, event: Event | undefined): void {
    if (this.#instance?.broken === true) return abandon(event);
    try {
      callback(event);
    } catch (reason) {
      this.#broke(reason);
      // Where the browser sees it too, it aborts the transaction whose callback this was.
      throw reason;
    }
  }

  #broke(reason: unknown): void {
    if (this.#instance !== undefined) this.#instance.fail(reason);
    else this.#reject(reason);
  }
}

/** Nobody goes on with the transaction that an event is about. */
function abandon(event: Event | undefined): void {
  if (event?.type !== 'success') return;
  try {
    (event.target as IDBRequest).transaction?.abort();
  } catch {
    // It has ended already.
  }
}

function release(waiting: Pending): void {
  if (waiting.onAbort !== undefined) waiting.exchange.signal?.removeEventListener('abort', waiting.onAbort);
}

// A binding in place of wasm-bindgen's: the engine is a function from commands to replies, its memory moves when it grows.
import { deserialize, serialize } from 'bson';

/** What a command may be answered with besides a document. */
export const LATER = Symbol('answered by a ticket');
export const TRAP = Symbol('unreachable');
/** Answered by a ticket, but before the ticket is known. */
export const EARLY = Symbol('answered before the ticket is known');

export class FakeEngine {
  memory = new WebAssembly.Memory({ initial: 1, maximum: 4096 });
  commands = [];
  aborted = [];
  cancelled = 0;
  pending = new Map();
  closed = false;
  #top = 1024;
  #regions = new Map();
  #next = 1;
  #reply = { pointer: 0, length: 0 };

  constructor(hooks, answer) {
    this.hooks = hooks;
    this.answer = answer;
  }

  #allocate(size) {
    const pointer = this.#top;
    this.#top += size;
    const missing = this.#top - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65536));
    return pointer;
  }

  requestBegin(capacity) {
    this.#regions.set(this.#next, { pointer: this.#allocate(capacity), capacity });
    return this.#next++;
  }

  requestPtr(handle) {
    return this.#regions.get(handle).pointer;
  }

  requestGrow(handle, capacity) {
    const region = this.#regions.get(handle);
    const pointer = this.#allocate(capacity);
    new Uint8Array(this.memory.buffer).copyWithin(pointer, region.pointer, region.pointer + region.capacity);
    this.#regions.set(handle, { pointer, capacity });
    return pointer;
  }

  requestCancel(handle) {
    const { pointer, capacity } = this.#regions.get(handle);
    this.#regions.delete(handle);
    if (pointer + capacity === this.#top) this.#top = pointer;
    this.cancelled++;
  }

  #put(reply) {
    const bytes = serialize(reply);
    const pointer = this.#allocate(bytes.length);
    new Uint8Array(this.memory.buffer).set(bytes, pointer);
    return { pointer, length: bytes.length };
  }

  requestSubmit(handle, length) {
    const { pointer } = this.#regions.get(handle);
    this.#regions.delete(handle);
    const command = deserialize(new Uint8Array(this.memory.buffer).slice(pointer, pointer + length));
    this.commands.push(command);
    const reply = this.answer(command, this);
    if (reply === TRAP) this.trap('index out of bounds: the len is 3');
    if (reply === EARLY) {
      const early = this.#put({ ok: 1, early: true });
      this.hooks.reply(handle, early.pointer, early.length);
      return handle;
    }
    if (reply instanceof Error) throw reply;
    if (reply === LATER) {
      this.pending.set(handle, command);
      return handle;
    }
    this.#reply = this.#put(reply);
    return 0;
  }

  requestSubmitSync(handle, length) {
    if (this.requestSubmit(handle, length) !== 0) throw new Error('a ticket from a synchronous call');
  }

  trap(text) {
    this.hooks.panic(text);
    throw new WebAssembly.RuntimeError('unreachable');
  }

  /** Answers a ticket from a task of the engine's own. */
  settle(ticket, reply) {
    return new Promise((resolve) => {
      this.hooks.schedule(() => {
        this.pending.delete(ticket);
        const { pointer, length } = this.#put(reply);
        resolve();
        this.hooks.reply(ticket, pointer, length);
      });
    });
  }

  replyPtr() {
    return this.#reply.pointer;
  }

  replyLen() {
    return this.#reply.length;
  }

  abort(ticket) {
    this.aborted.push(ticket);
  }

  databaseId() {
    return 'fake';
  }

  connection() {
    return undefined;
  }

  stats() {
    return { commands: this.commands.length };
  }

  async close() {
    for (const ticket of [...this.pending.keys()]) await this.settle(ticket, { ok: 1, settled: true });
    this.closed = true;
  }
}

/** A glue whose engines answer by `answer`; `made` collects them. */
export function fakeGlue(answer, { made = [], openError } = {}) {
  let engine;
  const make = (config, hooks) => {
    engine.hooks = hooks;
    engine.config = config;
    made.push(engine);
    return engine;
  };
  return {
    initSync() {
      engine = new FakeEngine(undefined, answer);
      return { memory: engine.memory };
    },
    Engine: {
      memory: make,
      open: async (config, hooks) => {
        if (openError !== undefined) throw openError;
        return make(config, hooks);
      },
    },
  };
}

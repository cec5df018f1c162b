/** Where requests are written: regions of the engine's memory, which moves when it grows. */
import type { Engine } from './binding.js';
import { ByteTarget } from './bson/target.js';

const REGION_BYTES = 1024;

/** The memory of an instance, with the views of it that are taken anew only when it has grown. */
export class Memory {
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
export class Region extends ByteTarget {
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

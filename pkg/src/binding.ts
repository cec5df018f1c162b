/**
 * What the engine exports, as `wasm-bindgen` presents it. One command is one BSON document with `$db` in it, one reply one document.
 *
 * Every call may grow the memory, so pointers stay valid and views do not.
 */

/** How an engine is to be opened. */
export interface EngineConfig {
  store: 'memory' | 'indexeddb';
  /** Name of the IndexedDB database; of no meaning for a memory store. */
  name: string;
  cacheBytesMax: number;
  durability: 'relaxed' | 'strict';
  openTimeoutMS: number;
  /** The version of MongoDB whose answers are given where versions differ. */
  version: '6.0' | '8.0';
}

/** What the engine calls. None of them may call back into the engine before it has returned. */
export interface EngineHooks {
  reply(ticket: number, pointer: number, length: number): void;
  /** `connection-lost` or `storage-lost`: the engine answers what is under way and is then of no more use. */
  event(name: string, detail: string): void;
  /** The browser's own error behind the replies that follow in this turn. */
  storeError(error: unknown): void;
  panic(text: string): void;
  /** The engine has more to do: `run` in a task of its own, so that the page can breathe. */
  schedule(run: () => void): void;
  /** Makes of a callback what the browser is to be given instead, so that it is heard when the engine breaks in it. */
  guard(callback: (event?: Event) => void): (event?: Event) => void;
}

export interface Engine {
  /** A region of its own for one request; returns its handle. */
  requestBegin(capacity: number): number;
  requestPtr(handle: number): number;
  /** Keeps the contents; returns the new pointer. */
  requestGrow(handle: number, capacity: number): number;
  requestCancel(handle: number): void;
  /** 0: the reply is at `replyPtr`. Otherwise a ticket, answered by `hooks.reply`. */
  requestSubmit(handle: number, length: number): number;
  /** Memory stores only: runs to the end. */
  requestSubmitSync(handle: number, length: number): void;
  replyPtr(): number;
  replyLen(): number;
  abort(ticket: number): void;
  stats(): unknown;
  databaseId(): string | undefined;
  connection(): IDBDatabase | undefined;
  close(): Promise<void>;
  free(): void;
}

export interface EngineClass {
  open(config: EngineConfig, hooks: EngineHooks): Promise<Engine>;
  memory(config: EngineConfig, hooks: EngineHooks): Engine;
}

/** One instance of the module: its exports are shared with no other. */
export interface Glue {
  initSync(options: { module: WebAssembly.Module }): { readonly memory: WebAssembly.Memory };
  Engine: EngineClass;
}

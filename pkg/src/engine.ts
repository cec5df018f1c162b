/**
 * The engine without a client: commands in and replies out as BSON, over a fresh memory store. For tests, tools and servers.
 *
 * Loading WebAssembly takes a moment; from then on every command is synchronous.
 */
import { serialize } from 'bson';
import type { EngineConfig } from './binding.js';
import { Decoder } from './bson/decode.js';
import type { Encoder } from './bson/encode.js';
import { InternalError, MongoClientClosedError } from './error.js';
import type { Exchange } from './exchange.js';
import { createGlue } from './glue.js';
import { EngineInstance } from './instance.js';
import { loadModule, type EngineModuleSource } from './loader.js';

export type { EngineModuleSource } from './loader.js';

export interface CreateEngineOptions {
  /** The version of MongoDB whose answers are given where they differ. Default 6.0. */
  version?: '6.0' | '8.0';
  /** Memory for the pages that are kept at hand, in bytes. Default 32 MiB. */
  cacheBytesMax?: number;
  /** Where the engine's WebAssembly comes from, if not from beside the package. */
  module?: EngineModuleSource;
}

/** An engine over a memory store of its own. */
export interface SynchronousEngine {
  /**
   * Runs the command whose BSON is `bytes` on the database `db` and returns the BSON of its reply. Errors are replies with `ok: 0`.
   * Arguments of other types throw a TypeError. If the engine breaks, the reply is an InternalError with the text of the panic; the next call starts on an empty store.
   */
  command(db: string, bytes: Uint8Array): Uint8Array;
  /** Ends it. A command after that throws. */
  close(): Promise<void>;
}

/** Makes an engine with an empty memory store. */
export async function createEngine(options: CreateEngineOptions = {}): Promise<SynchronousEngine> {
  const config: EngineConfig = {
    store: 'memory',
    name: '',
    cacheBytesMax: options.cacheBytesMax ?? 32 * 1024 * 1024,
    durability: 'relaxed',
    openTimeoutMS: 10_000,
    version: options.version ?? '6.0',
  };
  const module = await loadModule(options.module);
  const start = (): EngineInstance => EngineInstance.startInMemory(createGlue(), module, config);
  let instance = start();
  let closed = false;
  return {
    command(db, bytes) {
      if (closed) throw new MongoClientClosedError();
      checkArguments(db, bytes);
      if (!instance.alive) instance = start();
      try {
        return instance.executeSync(new RawCommand(db, bytes));
      } catch (error) {
        if (error instanceof InternalError) return failure(error.message, 1, 'InternalError');
        if (error instanceof InvalidCommand) return failure(error.message, 22, 'InvalidBSON');
        throw error;
      }
    },
    async close() {
      closed = true;
      await instance.close();
    },
  };
}

function checkArguments(db: unknown, bytes: unknown): void {
  if (typeof db !== 'string') throw new TypeError(`engine.command: "db" must be the name of a database, not ${named(db)}`);
  if (!ArrayBuffer.isView(bytes) || typeName(bytes) !== 'Uint8Array') {
    throw new TypeError(`engine.command: "bytes" must be a Uint8Array with a command as BSON (serialize it), not ${named(bytes)}`);
  }
}

const typeName = (value: unknown): string => (Object.prototype.toString.call(value) as string).slice(8, -1);

/** What a value is, in words. */
function named(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const name = typeof value === 'object' && typeName(value) !== 'Object' ? typeName(value) : typeof value;
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
}

class InvalidCommand extends Error {}

function failure(errmsg: string, code: number, codeName: string): Uint8Array {
  return serialize({ ok: 0, errmsg, code, codeName });
}

/** A command that is BSON already, whose reply is wanted as BSON. */
class RawCommand implements Exchange<Uint8Array> {
  readonly bson = undefined;
  readonly #db: string;
  readonly #bytes: Uint8Array;

  constructor(db: string, bytes: Uint8Array) {
    this.#db = db;
    this.#bytes = bytes;
  }

  write(encoder: Encoder): void {
    const start = encoder.open();
    for (const part of fieldsWithoutDb(this.#bytes)) encoder.bytes(part);
    encoder.field('$db', this.#db);
    encoder.close(start);
  }

  read(reply: Decoder): Uint8Array {
    return reply.copy();
  }
}

/** The fields of a command, as it came, without its `$db`. */
function fieldsWithoutDb(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  try {
    const decoder = new Decoder();
    decoder.use({ enableUtf8Validation: false });
    decoder.begin(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.length);
    const end = decoder.root();
    let from = 4;
    for (;;) {
      const before = decoder.offset;
      const name = decoder.next(end);
      if (name === undefined) break;
      decoder.skip(decoder.type, end);
      if (name !== '$db') continue;
      parts.push(bytes.subarray(from, before));
      from = decoder.offset;
    }
    parts.push(bytes.subarray(from, end - 1));
    return parts;
  } catch (error) {
    throw new InvalidCommand((error as Error).message);
  }
}

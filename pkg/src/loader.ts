/**
 * Finds, checks and compiles the engine's WebAssembly.
 *
 * 1. Importing this file does nothing; the engine is fetched when the first database is opened, once for all of them.
 * 2. `new URL('./engine.wasm', import.meta.url)` stands here literally, since bundlers look for that text.
 * 3. Whatever arrives is checked for WebAssembly's magic bytes before it is compiled: a server that answers an unknown path with its
 *    start page is the usual fault, and gets an error that says so.
 */
import { MongoEnvironmentError } from './error.js';

/** Where the engine comes from, if not from beside the package: compiled, as bytes, as a response, or the address of the file. */
export type EngineModuleSource =
  | WebAssembly.Module
  | BufferSource
  | Response
  | URL
  | string
  | Promise<WebAssembly.Module | BufferSource | Response>;

const ADVICE =
  'Serve the file engine.wasm of the package (import "pandodb/engine.wasm"), or pass it as the option `module`: ' +
  'a compiled WebAssembly.Module, its bytes, or its URL.';

let shipped: Promise<WebAssembly.Module> | undefined;

/** The compiled engine. Without `source` the one that lies beside this file; it is compiled once, and again if that failed. */
export function loadModule(source?: EngineModuleSource): Promise<WebAssembly.Module> {
  if (typeof WebAssembly !== 'object') {
    return Promise.reject(new MongoEnvironmentError('WebAssembly is not available here'));
  }
  if (source !== undefined) return compile(source);
  shipped ??= compile(new URL('./engine.wasm', import.meta.url)).catch((error: unknown) => {
    shipped = undefined;
    throw error;
  });
  return shipped;
}

async function compile(given: EngineModuleSource): Promise<WebAssembly.Module> {
  const source = await given;
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === 'string' || source instanceof URL) return compileUrl(source);
  if (typeof Response === 'function' && source instanceof Response) return compileResponse(source, source.url);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return compileBytes(source as BufferSource, 'the bytes given as `module`');
  throw new MongoEnvironmentError(`The option \`module\` is not a WebAssembly.Module, bytes, a Response or a URL. ${ADVICE}`);
}

async function compileUrl(address: string | URL): Promise<WebAssembly.Module> {
  const url = String(address);
  if (url.startsWith('file:')) return compileBytes(await readFile(url), url);
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new MongoEnvironmentError(`The engine cannot be fetched from ${url}. ${ADVICE}`, { cause });
  }
  return compileResponse(response, url);
}

/** Node and its like have no `fetch` for files. Asked for in this way, no bundler looks for the module. */
async function readFile(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const fs = process?.getBuiltinModule?.('node:fs/promises') as { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> } | undefined;
  if (fs === undefined) throw new MongoEnvironmentError(`The engine cannot be read from ${url}: pages must be served over http. ${ADVICE}`);
  try {
    return await fs.readFile(new URL(url));
  } catch (cause) {
    throw new MongoEnvironmentError(`The engine cannot be read from ${url}. ${ADVICE}`, { cause });
  }
}

async function compileResponse(response: Response, url: string): Promise<WebAssembly.Module> {
  if (!response.ok) throw new MongoEnvironmentError(`The engine cannot be fetched from ${url}: status ${response.status}. ${ADVICE}`);
  const streams = typeof WebAssembly.compileStreaming === 'function';
  if (streams && response.headers.get('Content-Type')?.startsWith('application/wasm')) {
    const copy = response.clone();
    try {
      return await WebAssembly.compileStreaming(response);
    } catch {
      // Say what arrived, or compile it after all if only the streaming failed.
      return compileBytes(await copy.arrayBuffer(), url);
    }
  }
  return compileBytes(await response.arrayBuffer(), url);
}

async function compileBytes(bytes: BufferSource, origin: string): Promise<WebAssembly.Module> {
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWasm = view.length > 8 && view[0] === 0 && view[1] === 0x61 && view[2] === 0x73 && view[3] === 0x6d;
  if (!isWasm) {
    throw new MongoEnvironmentError(`What came from ${origin} is not WebAssembly but ${described(view)}. ${ADVICE}`);
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw new MongoEnvironmentError(`The engine from ${origin} is damaged or this browser is too old for it. ${ADVICE}`, { cause });
  }
}

function described(view: Uint8Array): string {
  if (view.length === 0) return 'empty';
  const start = Array.from(view.subarray(0, 40), (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
  return start.trimStart().startsWith('<') ? `a page that begins with "${start}"` : `${view.length} bytes that begin with "${start}"`;
}

// Where the engine comes from, and what is said when it does not.
import { after, before, test } from 'node:test';
import { ok, rejects } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { loadModule } from '../../dist/loader.js';

const wasm = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 2, 1, 0x61);
const files = {
  '/good.wasm': ['application/wasm', wasm],
  '/untyped.wasm': ['application/octet-stream', wasm],
  '/page.wasm': ['text/html', '<!doctype html><title>My app</title>'],
  '/lying.wasm': ['application/wasm', '<!doctype html><title>My app</title>'],
  '/damaged.wasm': ['application/wasm', Uint8Array.of(0, 0x61, 0x73, 0x6d, 9, 9, 9, 9, 9)],
  '/empty.wasm': ['application/wasm', ''],
};
let server;
let base;
before(async () => {
  server = createServer((request, response) => {
    const file = files[request.url];
    response.writeHead(file === undefined ? 404 : 200, { 'Content-Type': file?.[0] ?? 'text/plain', Connection: 'close' });
    response.end(file?.[1] ?? 'not here');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

for (const [title, source] of Object.entries({
  'a compiled module': async () => WebAssembly.compile(wasm),
  'bytes': () => wasm,
  'an ArrayBuffer': () => wasm.buffer,
  'a promise of bytes': () => Promise.resolve(wasm),
  'a URL, streaming': () => new URL('/good.wasm', base),
  'a URL as text, not typed as WebAssembly': () => `${base}/untyped.wasm`,
  'a response': () => fetch(`${base}/good.wasm`),
})) {
  test(`loads from ${title}`, async () => ok((await loadModule(await source())) instanceof WebAssembly.Module));
}

for (const [title, source, message] of [
  ['a page instead of the file', () => `${base}/page.wasm`, /is not WebAssembly but a page that begins with "<!doctype html>.*engine\.wasm/s],
  ['a page that claims to be the file', () => `${base}/lying.wasm`, /is not WebAssembly but a page/],
  ['a file that is not there', () => `${base}/none.wasm`, /status 404.*Serve the file engine\.wasm/s],
  ['a damaged file', () => `${base}/damaged.wasm`, /damaged or this browser is too old/],
  ['an empty file', () => `${base}/empty.wasm`, /is not WebAssembly but empty/],
  ['a server that does not answer', () => 'http://127.0.0.1:1/engine.wasm', /cannot be fetched/],
  ['a file of the system that is not there', () => new URL('file:///nowhere/engine.wasm'), /cannot be read from file:/],
  ['bytes that are none', () => new TextEncoder().encode('hello, this is text'), /not WebAssembly but 19 bytes that begin with "hello/],
  ['something else', () => 42, /not a WebAssembly\.Module, bytes, a Response or a URL/],
]) {
  test(`says what is wrong: ${title}`, async () => {
    await rejects(loadModule(source()), (error) => error.name === 'MongoEnvironmentError' && message.test(error.message) || (console.error(error), false));
  });
}

// The pages of the benchmark: bundled as an app would be, served from the loopback interface.
import { createServer } from 'node:http';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { inRoot, LOCAL_CACHE, PACKAGE_DIST } from '../../scripts/places.mjs';

const SITE = join(LOCAL_CACHE, 'bench-site');
const ENTRIES = ['main', 'first-pando', 'first-raw', 'first-dexie'];
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
// Isolated pages get a clock of 5 µs instead of 100; nothing else here needs it.
const HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cache-Control': 'no-cache' };

/** Bundles every page, with the engine beside the script as the package's loader expects it. */
export async function buildSite() {
  const wasm = join(PACKAGE_DIST, 'engine.wasm');
  if (!existsSync(wasm)) throw new Error('pkg/dist/engine.wasm is missing: run `npm run build` first');
  rmSync(SITE, { recursive: true, force: true });
  mkdirSync(SITE, { recursive: true });
  await esbuild.build({
    entryPoints: ENTRIES.map((entry) => inRoot('bench', 'browser', 'page', `${entry}.mjs`)),
    outdir: SITE,
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
  copyFileSync(wasm, join(SITE, 'engine.wasm'));
  for (const entry of ENTRIES) {
    const script = `<script type="module" src="/${entry}.js"></script>`;
    writeFileSync(join(SITE, `${entry}.html`), `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>${entry}</title>${script}\n`);
  }
}

/** Serves them; gives the address and how to stop. */
export async function serveSite() {
  const server = createServer((request, response) => {
    const file = join(SITE, new URL(request.url, 'http://localhost').pathname.replace(/[^\w.-]/g, ''));
    if (!existsSync(file)) return response.writeHead(404, HEADERS).end();
    response.writeHead(200, { ...HEADERS, 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

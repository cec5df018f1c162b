// A page that imports the package as it is built, without a bundler, in a browser that the tests drive.
import { launch } from 'puppeteer-core';
import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM_ARGS, findBrowser, FIREFOX_ARGS } from '../../scripts/browsers.mjs';
import { inRoot, PACKAGE_DIST } from '../../scripts/places.mjs';
import { serve } from './server.mjs';

/** Machines that run these tests are often busy; a condition that is met sooner is seen sooner. */
const PATIENCE_MS = 60_000;

const page = (script) => ['text/html; charset=utf-8', `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>A page</title>
<script type="importmap">{"imports": {"pandodb": "/pkg/dist/index.js", "pandodb/engine": "/pkg/dist/engine.js", "bson": "/node_modules/bson/lib/bson.mjs"}}</script>
<script type="module">${script}</script>`];

// Tests run functions in the page; what they share there: the package, what became of a promise, and the connections that were opened.
const SCRIPT = `
  globalThis.loaded = import('pandodb').then((pandodb) => { globalThis.pandodb = pandodb; });
  globalThis.outcome = (promise) => promise.then((value) => ({ value }), (error) => ({
    name: error.name, code: error.code, codeName: error.codeName, message: error.message, cause: error.cause?.name, labels: error.errorLabels,
  }));
  globalThis.connections = [];
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...given) {
    const request = open.apply(this, given);
    request.addEventListener('success', () => connections.push(request.result));
    return request;
  };
  globalThis.settled = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
`;

const PAGES = {
  '/': page(SCRIPT),
  '/bare': page(''),
  // What a server with a single-page application answers to any path it does not know.
  '/not-the-engine.wasm': ['text/html', '<!doctype html><title>My app</title>'],
};

/** The package on a server of its own: `{ origin, close() }`. */
export function servePackage() {
  if (!existsSync(join(PACKAGE_DIST, 'engine.wasm'))) throw new Error('The package is not built: node scripts/build.mjs');
  return serve(inRoot(), PAGES);
}

const OPTIONS = {
  chromium: { browser: 'chrome', args: CHROMIUM_ARGS },
  firefox: { browser: 'firefox', args: FIREFOX_ARGS },
};

/** A browser on a profile of its own: `{ open(path), browser, close() }`. */
export async function startBrowser(kind, origin) {
  const executablePath = findBrowser(kind);
  if (!executablePath) throw new Error(`${kind} is not installed: node scripts/setup.mjs browsers`);
  const profile = mkdtempSync(join(tmpdir(), `pandodb-${kind}-`));
  const browser = await launch({
    ...OPTIONS[kind], executablePath, userDataDir: profile, headless: true, timeout: PATIENCE_MS, protocolTimeout: PATIENCE_MS,
  });
  return {
    browser,
    /** A tab on the page, once it has imported the package. */
    async open(path = '/') {
      const tab = await browser.newPage();
      tab.setDefaultTimeout(PATIENCE_MS);
      await visit(tab, `${origin}${path}`);
      return tab;
    },
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Goes to an address of the package's page and waits for the import. */
export async function visit(tab, address) {
  await tab.goto(address);
  await tab.evaluate(() => globalThis.loaded);
}

export async function reload(tab) {
  await tab.reload();
  await tab.evaluate(() => globalThis.loaded);
}

// The conformance files through the npm package in a page of Chromium, over memory and over IndexedDB.
//
// As in Node: 238 NotImplemented is shown as skipped with the feature it names, anything else that is not expected fails.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { build } from 'esbuild';
import { inRoot, PACKAGE_DIST } from '../../scripts/places.mjs';
import { newProfile, PATIENCE_MS } from './browsers.mjs';
import { serve } from './server.mjs';

const FILES = inRoot('tests', 'conformance');
const names = (await readdir(FILES, { recursive: true })).filter((name) => name.endsWith('.json')).sort();

const { outputFiles: [script] } = await build({
  entryPoints: [inRoot('tests', 'browser', 'conformance_page.mjs')], bundle: true, format: 'esm', write: false, logLevel: 'error',
});
// Beside `engine.wasm`, where the package looks for it.
const server = await serve(PACKAGE_DIST, {
  '/page.html': ['text/html', '<!doctype html><title>Conformance</title><script type="module" src="/page.js"></script>'],
  '/page.js': ['text/javascript', script.text],
});
after(() => server.close());

for (const uri of ['memory://conformance', 'indexeddb://conformance']) {
  describe(uri, { concurrency: 1 }, () => {
    let profile;
    let browser;
    let page;

    before(async () => {
      profile = newProfile('chromium');
      browser = await profile.start();
      page = await browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(`${server.origin}/page.html`);
      await page.waitForFunction(() => globalThis.runConformance !== undefined);
    });

    after(async () => {
      await browser?.close();
      profile?.remove();
    });

    for (const name of names) {
      test(name.replace(/\.json$/, ''), async (t) => {
        const results = await page.evaluate((to, text) => globalThis.runConformance(to, text), uri, await readFile(join(FILES, name), 'utf8'));
        assert.ok(results.length > 0);
        for (const { name: title, problem, skipped, notYet } of results) {
          const skip = skipped ? `needs ${skipped}` : notYet ? `not implemented: ${notYet}` : false;
          await t.test(title, { skip }, () => assert.equal(problem, undefined, problem));
        }
      });
    }
  });
}

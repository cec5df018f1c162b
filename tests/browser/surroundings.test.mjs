// The playground where something is missing, or comes from the system: no IndexedDB, files chosen in its dialog, a colour scheme.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { KINDS, newProfile } from './browsers.mjs';
import { asMultiset, films, plain } from './films.mjs';
import { Playground } from './playground.mjs';
import { playgroundBuild } from './playground_build.mjs';
import { serve } from './server.mjs';

const server = await serve(await playgroundBuild());
const folder = mkdtempSync(join(tmpdir(), 'pandodb-files-'));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

for (const kind of KINDS) {
  describe(kind, { concurrency: 1 }, () => {
    let profile;
    let browser;

    before(async () => {
      profile = newProfile(kind);
      browser = await profile.start();
    });

    after(async () => {
      await browser?.close();
      profile?.remove();
    });

    test('a browser that refuses storage is told of, and memory serves instead', async () => {
      const page = await browser.newPage();
      await page.setViewport({ width: 1280, height: 900 });
      await page.evaluateOnNewDocument(() => {
        Object.defineProperty(globalThis, 'indexedDB', { get: () => undefined, configurable: true });
      });
      const playground = new Playground(page, server.origin);
      await page.goto(`${server.origin}/`);
      assert.match(await playground.until(() => document.querySelector('.failed [role="alert"]')?.textContent), /cannot be opened.*MongoEnvironmentError/);
      await playground.press('button', 'Use memory');
      await playground.ready();
      assert.equal((await playground.importSample('movies')).state, 'done');
      assert.equal(await page.$eval('.header-fact', (fact) => fact.textContent), 'in memory: ends with this page');
      await page.reload();
      await playground.press('button', 'Use memory');
      await playground.ready();
      assert.deepEqual(await playground.collections(), {});
      assert.deepEqual(playground.complaints, []);
      await page.close();
    });

    test('files chosen by the button go into the collection that is named, one after the other', async () => {
      const parts = [films.slice(0, 1000), films.slice(1000)];
      const files = parts.map((part, number) => {
        const file = join(folder, `part-${number}.json`);
        writeFileSync(file, JSON.stringify(part, undefined, number));
        return file;
      });
      const playground = await Playground.open(browser, server.origin);
      await playground.page.type('.files-into input', 'films');
      await (await playground.page.$('#files')).uploadFile(...files);
      await playground.until((count) => document.querySelector('.collection-count')?.firstChild.textContent === count, films.length.toLocaleString('en'));
      await playground.openCollection('films');
      await playground.run({ filter: '{ "Production Budget": { $gt: 150000000 } }' });
      const found = (await playground.documents()).map(plain);
      assert.deepEqual(asMultiset(found), asMultiset(films.filter((film) => film['Production Budget'] > 150_000_000)));
      assert.deepEqual(playground.complaints, []);
      await playground.page.close();
    });

    test('a colour scheme that was chosen is there before the first paint of the next visit', async () => {
      const playground = await Playground.open(browser, server.origin);
      await playground.colours('dark');
      await playground.reload();
      assert.equal(await playground.page.evaluate(() => document.documentElement.dataset.theme), 'dark');
      await playground.page.close();
    });
  });
}

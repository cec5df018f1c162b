// Everybody can use the playground: by keyboard alone, with a reader of the page (axe-core's rules), in light and dark, from 360 px on.
// Screenshots of every view are left in .cache/screenshots for people to look at.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LOCAL_CACHE } from '../../scripts/places.mjs';
import { KINDS, newProfile } from './browsers.mjs';
import { films } from './films.mjs';
import { Playground } from './playground.mjs';
import { playgroundBuild } from './playground_build.mjs';
import { serve } from './server.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENSHOTS = join(LOCAL_CACHE, 'screenshots');
const STOPS_MAX = 60;

mkdirSync(SCREENSHOTS, { recursive: true });
const server = await serve(await playgroundBuild());
after(() => server.close());

/** What has the focus: its name, and whether one sees that it has. */
const focused = (page) => page.evaluate(() => {
  const element = document.activeElement;
  const label = element.getAttribute('aria-label') ?? (element.labels?.[0] ?? element).textContent;
  const outlined = (one) => one !== null && getComputedStyle(one).outlineStyle !== 'none' && Number.parseFloat(getComputedStyle(one).outlineWidth) > 0;
  return { id: element.id, tag: element.tagName, label: label.trim().replaceAll(/\s+/g, ' '), seen: outlined(element) || outlined(element.nextElementSibling) };
});

/** Presses Tab until `is` is true of what has the focus. */
async function tabTo(page, is, { backwards = false } = {}) {
  const stops = [];
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    if (backwards) await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    if (backwards) await page.keyboard.up('Shift');
    const found = await focused(page);
    stops.push(`${found.tag} ${found.label}`);
    if (found.tag === 'BODY' || found.tag === 'HTML') continue;
    assert.ok(found.seen, `one does not see that “${found.label}” (${found.tag}) has the focus`);
    if (is(found)) return found;
  }
  throw new assert.AssertionError({ message: `not reached by Tab; reached were\n${stops.join('\n')}` });
}

const named = (label) => (found) => found.label === label;

async function checkWithAxe(page, view) {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { violations: found } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html}\n  ${failureSummary}`).join('\n  ')}`);
  });
  assert.deepEqual(violations, [], view);
}

for (const kind of KINDS) {
  describe(kind, { concurrency: 1 }, () => {
    let profile;
    let browser;
    let playground;
    let page;

    before(async () => {
      profile = newProfile(kind);
      browser = await profile.start();
      playground = await Playground.open(browser, server.origin);
      ({ page } = playground);
    });

    after(async () => {
      await browser?.close();
      profile?.remove();
    });

    test('by keyboard alone: import, query, plan, index', async () => {
      await tabTo(page, named('Import movies'));
      await page.keyboard.press('Enter');
      assert.equal((await playground.imported('movies')).state, 'done');
      await tabTo(page, named('Open movies'), { backwards: true });
      await page.keyboard.press('Enter');
      await playground.answered();
      await tabTo(page, ({ id }) => id === 'query-filter');
      await page.keyboard.type('{ Director: "Steven Spielberg" }');
      await page.keyboard.down('Control');
      await page.keyboard.press('Enter');
      await page.keyboard.up('Control');
      const expected = films.filter(({ Director }) => Director === 'Steven Spielberg').length;
      await playground.until((count) => document.querySelector('.answer-line').textContent.startsWith(`${count} documents match`), expected);
      await tabTo(page, named('Documents'));
      await page.keyboard.press('ArrowRight');
      await page.waitForSelector('[data-stage="COLLSCAN"]');
      await page.keyboard.press('ArrowRight');
      await page.waitForSelector('.new-index');
      await tabTo(page, named('Field'));
      await page.keyboard.type('Director');
      await tabTo(page, ({ tag }) => tag === 'SELECT');
      await page.keyboard.press('ArrowDown');
      await tabTo(page, named('Unique'));
      await tabTo(page, named('Create index'));
      await page.keyboard.press('Enter');
      await playground.until(() => /^Director_-1 was built/.test(document.querySelector('.new-index [role="status"]').textContent));
      await playground.until(() => document.querySelector('.by-index')?.textContent === 'index Director_-1');
    });

    test('by keyboard alone: a question is left by Escape, which drops nothing, and the focus goes back', async () => {
      await tabTo(page, named('Drop movies'), { backwards: true });
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog[open]');
      assert.equal((await focused(page)).label, 'Keep it');
      await page.keyboard.press('Escape');
      await playground.until(() => document.querySelector('dialog[open]') === null);
      assert.equal((await focused(page)).label, 'Drop movies');
      assert.deepEqual(await playground.collections(), { movies: films.length });
    });

    for (const scheme of ['light', 'dark']) {
      test(`${scheme}: every view, wide and narrow, is clean by axe-core and fits`, async () => {
        const shoot = async (view) => {
          for (const width of [1280, 360]) {
            await page.setViewport({ width, height: 900 });
            const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            await page.screenshot({ path: join(SCREENSHOTS, `${kind}-${scheme}-${width}-${view}.png`) });
            assert.ok(wider <= 0, `${view} is ${wider} px wider than ${width} px`);
          }
          await checkWithAxe(page, view);
          await page.setViewport({ width: 1280, height: 900 });
        };
        await playground.colours(scheme);
        const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).slice(0, 3).map(Number));
        assert.ok(scheme === 'light' ? Math.min(...ground) > 200 : Math.max(...ground) < 50, `the ground is ${ground}`);

        await playground.openCollection('movies');
        await playground.run({ filter: '{ "IMDB Rating": { $gt: 8.5 } }', sort: '{ "IMDB Rating": -1 }', limit: '4' });
        for (const form of ['canonical', 'tree']) {
          await playground.show(form);
          await shoot(`documents-${form}`);
        }
        await playground.press('tab', 'Plan');
        await page.waitForSelector('.plan');
        await shoot('plan');
        await playground.press('tab', 'Indexes');
        await page.waitForSelector('tbody th');
        await shoot('indexes');
        await playground.press('button', 'Drop index Director_-1');
        await page.waitForSelector('dialog[open]');
        await shoot('question');
        await playground.press('button', 'Keep it');
        await playground.write('filter', '{ Title: { $nope: 1 } }');
        await playground.write('sort', '{ Title: down }');
        await playground.press('button', /^Run/);
        await page.waitForSelector('#query-sort-error');
        await playground.write('sort', '');
        await playground.press('tab', 'Documents');
        await playground.press('button', /^Run/);
        await page.waitForSelector('.panel [role="alert"]');
        await playground.write('sort', '{ Title: down }');
        await playground.press('button', /^Run/);
        await page.waitForSelector('#query-sort-error');
        await shoot('mistakes');
        await playground.run({ filter: '{ Title: "no such film" }' });
        await page.waitForSelector('.panel .empty');
        await shoot('nothing-found');
        await playground.drop(`broken-${scheme}.json`, '[{"deep": {"list": [1, {"a": null}]}}, nonsense]');
        await playground.imported(`broken-${scheme}`);
        await shoot('add-data');
      });
    }

    test('the page complained of nothing', () => assert.deepEqual(playground.complaints, []));
  });
}

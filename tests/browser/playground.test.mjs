// The playground's production build in Chromium and Firefox: import, reload, restart, queries by an index and by none compared with
// what plain JavaScript finds in the source file, files of one's own, cancelling, mistakes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { KINDS, newProfile } from './browsers.mjs';
import { asMultiset, films, grossingDramas, plain, wellRated, withoutDirector } from './films.mjs';
import { Playground } from './playground.mjs';
import { playgroundBuild } from './playground_build.mjs';
import { serve } from './server.mjs';

const WELL_RATED = '{ "IMDB Rating": { $gte: 8 } }';
const DRAMAS = '{ "Major Genre": "Drama", "US Gross": { $gt: 50000000 } }';

const NDJSON = [
  '{"_id": {"$oid": "507f1f77bcf86cd799439011"}, "n": 1, "name": "<img src=x onerror=alert(1)>"}',
  '{"_id": 2, "n": {"$numberLong": "9007199254740993"}, "when": {"$date": "2020-01-02T03:04:05Z"}}',
  '{"_id": "three", "n": {"$numberDecimal": "1.10"}, "deep": {"list": [1, {"a": null}]}}',
].join('\n');

/** What is imported must be what is found, whichever way it is found. */
function isAnswer(found, expected) {
  assert.equal(found.length, expected.length);
  assert.deepEqual(asMultiset(found.map(plain)), asMultiset(expected));
}

const server = await serve(await playgroundBuild());
after(() => server.close());

for (const kind of KINDS) {
  describe(kind, { concurrency: 1 }, () => {
    let profile;
    let browser;
    let page;

    before(async () => {
      profile = newProfile(kind);
      browser = await profile.start();
      page = await Playground.open(browser, server.origin);
    });

    after(async () => {
      await browser?.close();
      profile?.remove();
    });

    test('films are imported through the page', async () => {
      const { state, said } = await page.importSample('movies');
      assert.equal(state, 'done', said);
      assert.match(said, /^3,201 documents in /);
      assert.deepEqual(await page.collections(), { movies: films.length });
    });

    test('after a reload everything is there and is found without an index', async () => {
      await page.reload();
      assert.deepEqual(await page.collections(), { movies: films.length });
      await page.openCollection('movies');
      for (const [filter, expected] of [[WELL_RATED, wellRated], [DRAMAS, grossingDramas], ['{ Director: null }', withoutDirector]]) {
        await page.run({ filter });
        const { stages, figures } = await page.plan();
        assert.deepEqual(stages, ['COLLSCAN']);
        assert.equal(figures['Documents examined'], '3,201');
        isAnswer(await page.documents(), expected);
      }
    });

    test('indexes serve filters and sorts, with the same documents as before', async () => {
      assert.match(await page.createIndex({ 'IMDB Rating': 1 }), /^IMDB Rating_1 was built in /);
      assert.match(await page.createIndex({ 'Major Genre': 1, 'US Gross': -1 }), /^Major Genre_1_US Gross_-1 was built in /);
      await page.run({ filter: WELL_RATED, sort: '{ "IMDB Rating": -1 }' });
      const rated = await page.plan();
      assert.deepEqual(rated.stages, ['FETCH', 'IXSCAN']);
      assert.equal(rated.figures['Index used'], 'IMDB Rating_1');
      assert.equal(rated.figures['Documents examined'], String(wellRated.length));
      const found = (await page.documents()).map(plain);
      isAnswer(found, wellRated);
      const ratings = found.map((film) => film['IMDB Rating']);
      assert.deepEqual(ratings, ratings.toSorted((a, b) => b - a));

      await page.run({ filter: DRAMAS, sort: '{ "Major Genre": 1, "US Gross": -1 }', limit: '7', project: '{ _id: 0, "US Gross": 1 }' });
      const dramas = await page.plan();
      assert.ok(dramas.stages.includes('IXSCAN') && !dramas.stages.includes('SORT'), dramas.stages.join());
      const highest = grossingDramas.map((film) => film['US Gross']).sort((a, b) => b - a).slice(0, 7);
      assert.deepEqual((await page.documents()).map(plain), highest.map((gross) => ({ 'US Gross': gross })));
    });

    test('the place is kept over a reload: collection, query and view', async () => {
      await page.run({ filter: WELL_RATED, limit: '5' });
      await page.press('tab', 'Plan');
      await page.reload();
      await page.answered();
      assert.equal(await page.page.$eval('#query-filter', (field) => field.value), WELL_RATED);
      assert.equal(await page.page.$eval('#query-limit', (field) => field.value), '5');
      assert.equal(await page.page.$eval('[role="tab"][aria-selected="true"]', (tab) => tab.textContent), 'Plan');
      assert.equal((await page.documents()).length, 5);
    });

    test('a second start of the browser finds data, indexes and the last place', async () => {
      assert.deepEqual(page.complaints, []);
      await browser.close();
      browser = await profile.start();
      page = await Playground.open(browser, server.origin);
      assert.deepEqual(await page.collections(), { movies: films.length });
      await page.answered();
      assert.equal(await page.page.$eval('#query-filter', (field) => field.value), WELL_RATED);
      await page.run({ filter: WELL_RATED });
      assert.equal((await page.plan()).figures['Index used'], 'IMDB Rating_1');
      isAnswer(await page.documents(), wellRated);
    });

    test('a dropped file of NDJSON keeps its types, and its texts stay texts', async () => {
      await page.drop('three things.ndjson', NDJSON);
      const { state, said } = await page.imported('three things');
      assert.equal(state, 'done', said);
      await page.openCollection('three things');
      await page.show('tree');
      assert.equal(await page.page.$$eval('.document img', (found) => found.length), 0);
      const tree = await page.page.$$eval('.document', (found) => found.map((element) => element.textContent));
      assert.match(tree[0], /name "<img src=x onerror=alert\(1\)>" string/);
      assert.match(tree[1], /n 9007199254740993 long/);
      assert.deepEqual(await page.documents(), [
        { _id: { $oid: '507f1f77bcf86cd799439011' }, n: { $numberInt: '1' }, name: '<img src=x onerror=alert(1)>' },
        { _id: { $numberInt: '2' }, n: { $numberLong: '9007199254740993' }, when: { $date: { $numberLong: '1577934245000' } } },
        { _id: 'three', n: { $numberDecimal: '1.10' }, deep: { list: [{ $numberInt: '1' }, { a: null }] } },
      ]);
      await page.run({ filter: '{ when: ISODate("2020-01-02T03:04:05Z"), n: { $gt: NumberLong("9007199254740992") } }' });
      assert.equal((await page.documents()).length, 1);
    });

    test('a mistake in a file is told with its line, and what came before it stays', async () => {
      await page.drop('broken.json', '[{"a": 1},\n {"a": 2},\n {"a": }]');
      const { state, said, error } = await page.imported('broken');
      assert.equal(state, 'failed');
      assert.match(said, /^2 documents before the error stayed in broken/);
      assert.match(error, /Line 3, column 2/);
      assert.equal((await page.collections()).broken, 2);
    });

    test('an import that is cancelled says how many documents stayed, and they do', async () => {
      await page.press('button', /^Add data$/);
      await page.press('button', 'Import cities');
      // In one look, since the import goes on. What was read may be all of it already: how far a browser reads ahead is its affair.
      await page.until(() => {
        const job = document.querySelector('.job[data-collection="cities"]');
        return /^[1-9][\d,]* documents stored/.test(job?.querySelector('.job-outcome')?.textContent ?? '') && job.querySelector('progress').position > 0;
      });
      await page.press('button', 'Cancel the import of Towns of the world');
      const { state, said } = await page.imported('cities');
      assert.equal(state, 'cancelled', said);
      const stayed = Number(/^Cancelled\. ([\d,]+) documents stayed in cities/.exec(said)[1].replaceAll(',', ''));
      assert.ok(stayed > 0 && stayed < 171_075, said);
      await page.reload();
      assert.equal((await page.collections()).cities, stayed);
    });

    test('mistakes in a query are shown where they are, errors of the engine with code and name', async () => {
      await page.openCollection('movies');
      await page.write('filter', '{ Title: oops }');
      await page.press('button', /^Run/);
      await page.until(() => /oops is not a value.*at character 10/.test(document.querySelector('#query-filter-error')?.textContent ?? ''));
      await page.write('filter', '{ Title: { $nope: 1 } }');
      await page.press('button', /^Run/);
      await page.until(() => /MongoServerError · 2 · BadValue/.test(document.querySelector('.panel [role="alert"]')?.textContent ?? ''));
      await page.write('filter', '');
      await page.write('sort', '{ Title: "sideways" }');
      await page.press('button', /^Run/);
      await page.until(() => /MongoInvalidArgumentError.*sideways/.test(document.querySelector('.panel [role="alert"]')?.textContent ?? ''));
    });

    test('a unique index over values that are there twice is refused with the value', async () => {
      await page.run({});
      const said = await page.createIndex({ 'Major Genre': 1 }, { unique: true });
      assert.match(said, /MongoServerError · 11000 · DuplicateKey/);
      assert.match(said, /E11000 duplicate key error/);
    });

    test('a collection is dropped after a question, an index too', async () => {
      await page.press('button', 'Drop index IMDB Rating_1');
      await page.press('button', 'Drop index');
      await page.until(() => ![...document.querySelectorAll('tbody th')].some((cell) => cell.textContent.startsWith('IMDB Rating_1')));
      await page.press('button', 'Drop three things');
      await page.press('button', 'Keep it');
      await page.until(() => document.querySelector('dialog[open]') === null);
      assert.ok('three things' in (await page.collections()));
      await page.press('button', 'Drop three things');
      await page.press('button', 'Drop collection');
      await page.until(() => ![...document.querySelectorAll('.collection-name')].some((name) => name.textContent === 'three things'));
      await page.reload();
      assert.ok(!('three things' in (await page.collections())));
    });

    test('when the browser takes the data away, the page says so and can go on with an empty database', async () => {
      await page.openCollection('movies');
      await page.page.evaluate(() => new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase('pandodb-playground');
        request.onsuccess = () => resolve();
        request.onerror = () => reject(request.error);
      }));
      await page.until(() => document.querySelector('.notice[role="alert"]') !== null);
      await page.press('button', 'Open it again');
      await page.find('heading', 'There is no collection “movies”');
      assert.deepEqual(await page.collections(), {});
      assert.equal((await page.importSample('movies')).state, 'done');
    });

    test('the page complained of nothing and asked nobody else', () => assert.deepEqual(page.complaints, []));
  });
}

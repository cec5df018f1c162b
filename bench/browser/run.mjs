// Measures PandoDB in a headless Chromium beside raw IndexedDB and Dexie, in turns within one run, and prints medians,
// ratios and targets. Fails on errors only: a target that is missed is a figure like any other.
//
//   node bench/browser/run.mjs [--quick] [--json FILE]
//
//   --quick   small counts, under a minute: to see that it works, not what it costs
//   --json    writes all samples to a file too
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';
import { CHROMIUM_ARGS, findBrowser } from '../../scripts/browsers.mjs';
import { buildSite, serveSite } from './site.mjs';
import { evaluate, figure, machine, markdown, median } from './table.mjs';

const FULL = {
  turns: 5, bulk: 10_000, large: 100_000, largeTurns: 3, dexieLarge: true, filled: 10_000, singles: 1_000, singleTurns: 3, points: 10_000,
  range: 1_000, rounds: 10, reopenings: 7, cacheBytesMax: 4 * 1024 * 1024,
};
const QUICK = {
  turns: 1, bulk: 2_000, large: 20_000, largeTurns: 1, dexieLarge: false, filled: 2_000, singles: 50, singleTurns: 1, points: 500, range: 500,
  rounds: 1, reopenings: 1, cacheBytesMax: 1024 * 1024,
};

/** Calls a function of the page's `bench`; its errors become ours. */
const call = (page, name, options) =>
  page.evaluate((which, given) => globalThis.bench[which](given), name, options);

async function visit(browser, address) {
  const page = await browser.newPage();
  await page.goto(address);
  return page;
}

async function onPage(browser, origin, work) {
  const page = await visit(browser, `${origin}/main.html`);
  try {
    await page.waitForFunction('globalThis.bench !== undefined');
    return await work(page);
  } finally {
    await page.close();
  }
}

/** From the script of a new page running to its first document, in turns. */
async function reopenings(browser, origin, turns) {
  const samples = { pandodb: [], 'raw IndexedDB': [], dexie: [] };
  const pages = { pandodb: 'first-pando', 'raw IndexedDB': 'first-raw', dexie: 'first-dexie' };
  for (let turn = 0; turn <= turns; turn++) {
    for (const [name, entry] of Object.entries(pages)) {
      const page = await visit(browser, `${origin}/${entry}.html`);
      await page.waitForFunction('globalThis.firstAnswer !== undefined');
      const milliseconds = await page.evaluate(async (database) => {
        const start = performance.now();
        const found = await globalThis.firstAnswer(database);
        if (found?.k !== 77) throw new Error('the document is not there after the reload');
        return performance.now() - start;
      }, `filled-${name}`);
      await page.close();
      if (turn > 0) samples[name].push(milliseconds);
    }
  }
  return samples;
}

/**
 * Processor time that a bulk insert takes of the page's thread, in milliseconds: what is left of it when the machine
 * does other things.
 */
async function threadTimes(browser, origin, { count, turns }) {
  const samples = { pandodb: [], 'raw bytes': [] };
  await onPage(browser, origin, async (page) => {
    const session = await page.createCDPSession();
    await session.send('Performance.enable');
    const threadTime = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find((metric) => metric.name === 'ThreadTime').value * 1000;
    };
    for (let turn = 0; turn <= turns; turn++) {
      for (const name of Object.keys(samples)) {
        await call(page, 'prepareBulk', { database: `thread-${name}-${turn}`, count, bytesOnly: name === 'raw bytes' });
        const before = await threadTime();
        await call(page, 'runPrepared');
        const after = await threadTime();
        if (turn > 0) samples[name].push(after - before);
      }
    }
  });
  return samples;
}

async function measureAll(browser, origin, sizes, say) {
  const { turns } = sizes;
  const rows = [];
  const add = (row) => {
    rows.push({ ...row, ...evaluate(row) });
    say(rows.at(-1));
  };
  const number = (count) => count.toLocaleString('en');
  await onPage(browser, origin, async (page) => {
    add({ what: `insertMany of ${number(sizes.bulk)}, index on k`, target: { most: 100 },
      samples: await call(page, 'bulk', { count: sizes.bulk, turns, indexed: true }) });
    add({ what: `insertMany of ${number(sizes.large)}`, target: { ratio: 2, against: 'raw bytes' },
      samples: await call(page, 'bulk', { count: sizes.large, turns: sizes.largeTurns, peers: ['pandodb'] }) });
    const peers = ['pandodb', ...(sizes.dexieLarge ? ['dexie'] : [])];
    add({ what: `insertMany of ${number(sizes.large)}, index on k`,
      samples: await call(page, 'bulk', { count: sizes.large, turns: 1, indexed: true, peers }) });
  });
  add({ what: `… of ${number(sizes.large)}: the thread's processor time`,
    samples: await threadTimes(browser, origin, { count: sizes.large, turns: sizes.largeTurns }) });
  await onPage(browser, origin, async (page) => {
    await call(page, 'fill', { count: sizes.filled });
    add({ what: 'findOne by _id, warm', unit: 'µs', target: { most: 0.005 }, samples: await call(page, 'points', { count: sizes.points, turns }) });
    add({ what: `index range of ${number(sizes.range)}`, target: { most: 2 },
      samples: await call(page, 'ranges', { count: sizes.range, turns, rounds: sizes.rounds }) });
    add({ what: `filter over ${number(sizes.filled)} without an index`, target: { most: 1 },
      samples: await call(page, 'filters', { count: sizes.filled, turns, rounds: sizes.rounds }) });
    add({ what: 'insertOne, awaited', target: { most: 0.6 },
      samples: await call(page, 'singles', { count: sizes.singles, turns: sizes.singleTurns }) });
    await call(page, 'closeAll');
  });
  add({ what: `new page to first answer, ${number(sizes.filled)} documents`, target: { most: 130 },
    samples: await reopenings(browser, origin, sizes.reopenings) });
  const inside = await onPage(browser, origin, async (page) => ({
    engine: await call(page, 'engineOnly', { count: sizes.points, turns }),
    memory: await call(page, 'scanMemory', { cacheBytesMax: sizes.cacheBytesMax }),
  }));
  return { rows, ...inside };
}

/** Runs everything: { rows, engine, memory, machine }. `say` hears each row as it is ready. */
export async function run({ quick = false, say = () => undefined } = {}) {
  const executablePath = findBrowser('chromium');
  if (!executablePath) throw new Error('Chromium is missing: run `npm run setup`, or name it in PANDODB_CHROMIUM');
  await buildSite();
  const site = await serveSite();
  const userDataDir = mkdtempSync(join(tmpdir(), 'pandodb-bench-'));
  let browser;
  try {
    browser = await puppeteer.launch({ executablePath, args: CHROMIUM_ARGS, userDataDir, protocolTimeout: 20 * 60_000 });
    const version = await browser.version();
    const begin = machine(version);
    const result = await measureAll(browser, site.origin, quick ? QUICK : FULL, say);
    return { ...result, machine: begin };
  } finally {
    await browser?.close();
    site.stop();
    rmSync(userDataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

function report({ rows, engine, memory, machine: where }) {
  const { documents, cacheMiB, storedMiB, beforeMiB, afterMiB, heldMiB } = memory;
  const limit = cacheMiB + 16;
  const mib = (value) => `${value.toFixed(1)} MiB`;
  return [
    '',
    "Medians; PandoDB's best turn behind its median, its time divided by the other's behind the others.",
    '',
    markdown(rows),
    '',
    `Engine alone, bytes in to bytes out: find by _id ${figure(median(engine.point), 'µs')}, ` +
      `full scan with a filter ${figure(median(engine.scan), 'ns')} a document.`,
    `Memory of the module while it scans ${documents} documents (${mib(storedMiB)} stored) with a cache of ${mib(cacheMiB)}: ` +
      `${mib(beforeMiB)} before, ${mib(afterMiB)} after (pages held: ${mib(heldMiB)}); target ≤ ${mib(limit)}: ${afterMiB <= limit ? 'met' : 'missed'}.`,
    `Measured on ${where}.`,
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const words = process.argv.slice(2);
  const json = words.includes('--json') ? words[words.indexOf('--json') + 1] : undefined;
  const result = await run({
    quick: words.includes('--quick'),
    say: (row) => console.log(`${row.what}: ${Object.entries(row.medians).map(([name, value]) => `${name} ${figure(value, row.unit)}`).join(', ')}`),
  });
  console.log(report(result));
  if (json) writeFileSync(json, JSON.stringify(result, undefined, 1));
}

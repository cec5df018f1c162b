// Starting Chromium and Firefox, each with a profile that outlives the process, so that a second start finds what the first one left.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from 'puppeteer-core';
import { CHROMIUM_ARGS, findBrowser, FIREFOX_ARGS } from '../../scripts/browsers.mjs';

export const KINDS = ['chromium', 'firefox'];

/** Machines that run these tests are often busy; a condition that is met sooner is seen sooner. */
export const PATIENCE_MS = 120_000;

const OPTIONS = {
  chromium: { browser: 'chrome', args: CHROMIUM_ARGS },
  firefox: { browser: 'firefox', args: FIREFOX_ARGS },
};

/** A new profile. `start()` gives a browser on it; `remove()` when no browser uses it any more. */
export function newProfile(kind) {
  const executablePath = findBrowser(kind);
  if (!executablePath) throw new Error(`${kind} is not installed: node scripts/setup.mjs browsers`);
  const folder = mkdtempSync(join(tmpdir(), `pandodb-${kind}-`));
  return {
    start: () => launch({
      ...OPTIONS[kind], executablePath, userDataDir: folder, headless: true, timeout: PATIENCE_MS, protocolTimeout: PATIENCE_MS,
    }),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

// Finding the browsers that the tests drive, and the arguments they are started with.
// PANDODB_CHROMIUM, PANDODB_CHROMEDRIVER and PANDODB_FIREFOX name other ones.
import { existsSync } from 'node:fs';
import { onPath } from './places.mjs';

const PLACES = {
  chromium: {
    variable: 'PANDODB_CHROMIUM',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    files: [
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    ],
  },
  chromedriver: { variable: 'PANDODB_CHROMEDRIVER', names: ['chromedriver'], files: ['/usr/lib/chromium/chromedriver'] },
  firefox: {
    variable: 'PANDODB_FIREFOX',
    names: ['firefox-esr', 'firefox'],
    files: ['/Applications/Firefox.app/Contents/MacOS/firefox', 'C:\\Program Files\\Mozilla Firefox\\firefox.exe'],
  },
};

/** The path of `chromium`, `chromedriver` or `firefox`, or undefined. */
export function findBrowser(kind) {
  const place = PLACES[kind];
  const named = process.env[place.variable];
  if (named) return named;
  for (const name of place.names) {
    const file = onPath(name);
    if (file) return file;
  }
  return place.files.find((file) => existsSync(file));
}

/**
 * Arguments under which Chromium runs without a screen and asks nothing of the network. The sandbox cannot start
 * for root, so it is left out there and kept for everybody else.
 */
export const CHROMIUM_ARGS = [
  '--headless',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

export const FIREFOX_ARGS = ['--headless'];

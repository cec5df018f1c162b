// The production build of the playground, made when something that goes into it changed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { filesUnder, fingerprint, isFresh, remember } from '../../scripts/fingerprint.mjs';
import { inRoot, PACKAGE_DIST } from '../../scripts/places.mjs';

const WWW = inRoot('www');
const DIST = join(WWW, 'dist');

/** The folder of the build. */
export async function playgroundBuild() {
  if (!existsSync(join(PACKAGE_DIST, 'engine.wasm'))) throw new Error('The package is not built: node scripts/build.mjs');
  const sources = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json'].map((name) => join(WWW, name));
  const inputs = [...filesUnder(...sources, PACKAGE_DIST), inRoot('package-lock.json')];
  const print = fingerprint(inputs, process.version);
  if (!isFresh('www', print, [join(DIST, 'index.html')])) {
    await build({ root: WWW, logLevel: 'error' });
    remember('www', print);
  }
  return DIST;
}

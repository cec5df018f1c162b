// Where things are: the repository, what is built in it, and the cache that all clones on a machine share.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** Files about this clone only: fingerprints of what was built. Git-ignored, safe to delete. */
export const LOCAL_CACHE = join(ROOT, '.cache');

/**
 * Large tools that every clone on the machine can share (wasm-bindgen, oracle binaries), in folders that
 * carry their version. `PANDODB_CACHE` moves it. Safe to delete: the next set-up fills it again.
 */
export const SHARED_CACHE = process.env.PANDODB_CACHE
  ? resolve(process.env.PANDODB_CACHE)
  : join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pandodb');

export const PACKAGE_DIST = join(ROOT, 'pkg', 'dist');

/** A path inside the repository. */
export const inRoot = (...parts) => join(ROOT, ...parts);

/** The first existing file of that name on PATH, or undefined. */
export function onPath(name) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const suffix of suffixes) {
      const file = join(folder, name + suffix);
      if (folder && existsSync(file)) return file;
    }
  }
  return undefined;
}

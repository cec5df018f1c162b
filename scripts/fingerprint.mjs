// Knowing that a step has nothing to do: a hash over everything that goes into it, kept beside its outputs' names.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { LOCAL_CACHE, ROOT } from './places.mjs';

const SKIPPED = new Set(['node_modules', 'target', 'dist', '.cache', '.git']);

/** Every file under the given files and folders, in a fixed order. What does not exist is left out. */
export function filesUnder(...places) {
  const found = [];
  const walk = (place) => {
    if (!existsSync(place)) return;
    if (!statSync(place).isDirectory()) return void found.push(place);
    for (const name of readdirSync(place).sort()) {
      if (!SKIPPED.has(name)) walk(join(place, name));
    }
  };
  for (const place of places) walk(place);
  return found;
}

/** A hash over the names and bytes of files, and over any further strings (options, tool versions). */
export function fingerprint(files, ...strings) {
  const hash = createHash('sha256');
  for (const text of strings) hash.update(`${text.length}:${text}`);
  for (const file of files) {
    const bytes = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

const stampFile = (name) => join(LOCAL_CACHE, `${name}.stamp`);

/** Was this step last finished with the same fingerprint, and are its outputs still there? */
export function isFresh(name, print, outputs = []) {
  const file = stampFile(name);
  return existsSync(file) && readFileSync(file, 'utf8') === print && outputs.every((output) => existsSync(output));
}

/** Forget a step before it starts, so that one that dies half-way is done again. */
export function forget(name) {
  rmSync(stampFile(name), { force: true });
}

export function remember(name, print) {
  mkdirSync(LOCAL_CACHE, { recursive: true });
  writeFileSync(stampFile(name), print);
}

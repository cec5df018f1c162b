// The conformance files on disk, for runners in Node.

import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseFile } from './runner.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Every conformance file, by name, parsed: `{name: 'area/name', …}`. */
export async function conformanceFiles() {
  const names = (await readdir(here, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(names.map(async (name) => ({
    ...parseFile(await readFile(join(here, name), 'utf8')),
    name: name.replace(/\.json$/, ''),
  })));
}

// Node runs no TypeScript, so what is tested is bundled first; the packages it uses stay outside.
import { build } from 'esbuild';
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
// Inside the workspace, so that the packages are found from there.
const OUTPUT = fileURLToPath(new URL('../../.cache/www-test/', import.meta.url));

/** The module `name`, as in `data/split.ts`. */
export async function load(name) {
  mkdirSync(OUTPUT, { recursive: true });
  const outfile = join(OUTPUT, `${name.replaceAll(/[/.]/g, '-')}-${process.pid}.mjs`);
  await build({ entryPoints: [join(SOURCES, name)], outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' });
  const module = await import(pathToFileURL(outfile));
  rmSync(outfile);
  return module;
}

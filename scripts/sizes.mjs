// What the package weighs, part by part, against the budget in size-budget.json.
// A part's bytes are what an application would download: modules of the engine as they are, JavaScript bundled and
// minified. 1 KB is 1000 bytes.
import { existsSync, readFileSync } from 'node:fs';
import { constants, brotliCompressSync, gzipSync } from 'node:zlib';
import { inRoot, ROOT } from './places.mjs';
import { StepFailed } from './processes.mjs';
import { say, title, warn } from './progress.mjs';

const bytesOfFiles = (files) => Buffer.concat(files.map((file) => readFileSync(inRoot(file))));

/** esbuild measures what an application ships; it bundles as most applications' tools do. */
async function bytesOfBundle({ entry, external = [] }) {
  const { build } = await import('esbuild');
  const stdin = { contents: `export * from ${JSON.stringify(entry)};`, resolveDir: inRoot('pkg') };
  const result = await build({
    stdin, external, absWorkingDir: ROOT, bundle: true, minify: true, format: 'esm', platform: 'browser',
    target: 'es2022', write: false, logLevel: 'silent', loader: { '.wasm': 'empty' },
  });
  return Buffer.from(result.outputFiles[0].contents);
}

async function measure(part) {
  const present = (part.files ?? [part.bundle.needs]).every((file) => existsSync(inRoot(file)));
  if (!present) return undefined;
  const bytes = part.files ? bytesOfFiles(part.files) : await bytesOfBundle(part.bundle);
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length,
  };
}

const kb = (bytes) => (bytes / 1000).toFixed(1);

/** Prints the table and returns the names of the parts that are over their budget. */
export async function reportSizes() {
  const { parts } = JSON.parse(readFileSync(inRoot('size-budget.json'), 'utf8'));
  title('Sizes (KB)');
  const row = (name, ...cells) => say(`   ${name.padEnd(22)}${cells.map((cell) => String(cell).padStart(10)).join('')}`);
  row('part', 'raw', 'gzip', 'brotli', 'budget');
  const over = [];
  let total = 0;
  for (const part of parts) {
    const size = await measure(part);
    if (!size) {
      row(part.name, 'absent', '', '', part.gzip_kb_max);
      continue;
    }
    total += size.gzip;
    row(part.name, kb(size.raw), kb(size.gzip), kb(size.brotli), part.gzip_kb_max);
    if (size.gzip > (part.gzip_kb_goal ?? part.gzip_kb_max) * 1000) warn(`${part.name} is meant to have ${part.gzip_kb_goal ?? part.gzip_kb_max} KB`);
    if (size.gzip > part.gzip_kb_max * 1000) over.push(`${part.name}: ${kb(size.gzip)} KB, budget ${part.gzip_kb_max} KB`);
  }
  row('together', '', kb(total), '', parts.reduce((sum, part) => sum + part.gzip_kb_max, 0));
  return over;
}

export async function checkSizes() {
  const over = await reportSizes();
  if (over.length > 0) throw new StepFailed(`Over the size budget (gzip): ${over.join('; ')}`);
}

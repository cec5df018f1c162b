// The package as others use it: its types, its import without a browser, what it must not contain.
import { test } from 'node:test';
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const run = (args) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 60_000 });

test('the types accept what is right and refuse what is wrong', () => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { status, stdout, stderr } = run([tsc, '-p', 'test/types']);
  strictEqual(status, 0, stdout + stderr);
});

test('importing reads no global of a browser, fetches nothing and leaves nothing running', () => {
  // Not WebAssembly: Node reads that itself to load a module.
  const names = [
    'window', 'document', 'navigator', 'location', 'self', 'indexedDB', 'fetch', 'MessageChannel', 'BroadcastChannel', 'Worker',
    'setTimeout', 'setInterval', 'localStorage', 'performance', 'Response',
  ];
  const script = `
    for (const name of ${JSON.stringify(names)}) {
      Object.defineProperty(globalThis, name, { configurable: true, get() { console.log('read ' + name); } });
    }
    const before = Object.getOwnPropertyNames(globalThis).sort().join();
    await import('./dist/index.js');
    await import('./dist/engine.js');
    console.log(before === Object.getOwnPropertyNames(globalThis).sort().join() ? 'done' : 'left a global');
  `;
  const { stdout, stderr, status } = run(['--input-type=module', '--eval', script]);
  deepStrictEqual([stdout, stderr, status], ['done\n', '', 0]);
});

test('what is shipped evaluates no text and awaits nothing at its top', () => {
  const files = readdirSync(join(root, 'dist'), { recursive: true }).filter((file) => file.endsWith('.js'));
  ok(files.length > 20);
  for (const file of files) {
    const text = readFileSync(join(root, 'dist', file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    ok(!/\beval\s*\(|\bnew Function\b/.test(text), `${file} evaluates text`);
    ok(!/^(?:const .*=\s*)?await\b/m.test(text), `${file} awaits at its top`);
  }
});

test('bundlers find the engine by the literal they look for', () => {
  ok(readFileSync(join(root, 'dist', 'loader.js'), 'utf8').includes("new URL('./engine.wasm', import.meta.url)"));
});

test('what is packed is what is built, with the licences and nothing else', () => {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { stdout, stderr, status } = spawnSync(npm, ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8', timeout: 60_000 });
  strictEqual(status, 0, stderr);
  const files = JSON.parse(stdout)[0].files.map(({ path }) => path);
  const outside = files.filter((path) => !path.startsWith('dist/'));
  deepStrictEqual(outside.sort(), ['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'package.json']);
  for (const path of ['dist/engine.wasm', 'dist/glue.js', 'dist/glue.d.ts', 'dist/index.js', 'dist/index.d.ts', 'dist/engine.js']) {
    ok(files.includes(path), `${path} is not packed`);
  }
  const strange = files.filter((path) => path.startsWith('dist/') && !/\.(?:js|d\.ts|wasm)$/.test(path));
  deepStrictEqual(strange, []);
  // Every module has its source: nothing is left of files that are no more.
  const sources = new Set(readdirSync(join(root, 'src'), { recursive: true }).map((file) => file.replaceAll('\\', '/').replace(/(?:\.d)?\.ts$/, '')));
  deepStrictEqual(files.filter((path) => path.endsWith('.js') && !sources.has(path.slice('dist/'.length, -'.js'.length))), []);
});

// The types of the page agree with those of the package.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the page has no errors of types', () => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', fileURLToPath(new URL('../tsconfig.json', import.meta.url))], { encoding: 'utf8' });
  assert.equal(stdout, '');
  assert.equal(status, 0);
});

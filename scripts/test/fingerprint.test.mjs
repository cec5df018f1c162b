import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockedVersion } from '../bindgen.mjs';
import { filesUnder, fingerprint } from '../fingerprint.mjs';

const folder = mkdtempSync(join(tmpdir(), 'pandodb-scripts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a changed byte, a new name and an option each change the fingerprint', () => {
  const file = join(folder, 'a.rs');
  writeFileSync(file, 'one');
  const first = fingerprint([file], 'release');
  assert.equal(fingerprint([file], 'release'), first);
  assert.notEqual(fingerprint([file], 'fast'), first);
  writeFileSync(file, 'two');
  assert.notEqual(fingerprint([file], 'release'), first);
  const other = join(folder, 'b.rs');
  writeFileSync(other, 'one');
  assert.notEqual(fingerprint([other], 'release'), first);
});

test('strings that join alike are told apart', () => {
  assert.notEqual(fingerprint([], 'ab', 'c'), fingerprint([], 'a', 'bc'));
});

test('outputs and packages are no inputs, and what is absent is left out', () => {
  const tree = join(folder, 'tree');
  for (const name of ['src', 'node_modules', 'dist']) {
    mkdirSync(join(tree, name), { recursive: true });
    writeFileSync(join(tree, name, 'file.js'), '');
  }
  assert.deepEqual(filesUnder(tree, join(folder, 'absent')), [join(tree, 'src', 'file.js')]);
});

test('the version of a crate is that of the crate with exactly this name', () => {
  const lock = join(folder, 'Cargo.lock');
  writeFileSync(lock, '[[package]]\nname = "wasm-bindgen-futures"\nversion = "0.4.80"\n\n[[package]]\nname = "wasm-bindgen"\nversion = "0.2.130"\n');
  assert.equal(lockedVersion('wasm-bindgen', lock), '0.2.130');
  assert.equal(lockedVersion('bindgen', lock), undefined);
  assert.equal(lockedVersion('wasm-bindgen', join(folder, 'absent.lock')), undefined);
});

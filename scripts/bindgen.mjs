// wasm-bindgen's command line tools. Their version must be exactly that of the crate, so it is read from Cargo.lock,
// and each version lives in a folder of its own in the shared cache.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, ROOT, SHARED_CACHE } from './places.mjs';
import { ask, must, StepFailed } from './processes.mjs';
import { note, step } from './progress.mjs';

/** The locked version of a crate, or undefined when the lock file does not name it. */
export function lockedVersion(crate, lockFile = inRoot('Cargo.lock')) {
  if (!existsSync(lockFile)) return undefined;
  const text = readFileSync(lockFile, 'utf8');
  return new RegExp(`^name = "${crate}"\\r?\\nversion = "([^"]+)"`, 'm').exec(text)?.[1];
}

const suffix = process.platform === 'win32' ? '.exe' : '';

/** The path of `wasm-bindgen` or `wasm-bindgen-test-runner` in the version the lock file asks for. */
export function bindgenTool(name) {
  const version = lockedVersion('wasm-bindgen');
  if (!version) throw new StepFailed('Cargo.lock names no wasm-bindgen');
  return join(SHARED_CACHE, `wasm-bindgen-${version}`, 'bin', name + suffix);
}

/** Installs the tools of the locked version, unless they are there. */
export async function needBindgen() {
  const version = lockedVersion('wasm-bindgen');
  if (!version) return note('wasm-bindgen: not used by this crate yet');
  const tool = bindgenTool('wasm-bindgen');
  const answer = existsSync(tool) ? await ask(tool, ['--version']) : undefined;
  if (answer?.includes(version)) return note(answer);
  const folder = join(SHARED_CACHE, `wasm-bindgen-${version}`);
  // Not --locked: the lock file inside the published crate names versions that are gone again.
  const args = ['install', 'wasm-bindgen-cli', '--version', `=${version}`, '--root', folder, '--force', '--quiet'];
  await step(`wasm-bindgen-cli ${version}: compiling (a few minutes, once per machine)`, () =>
    must('cargo', args, { cwd: ROOT, minutes: 20 }),
  );
  if (!existsSync(tool)) throw new StepFailed(`wasm-bindgen-cli was installed, but ${tool} is not there`);
}

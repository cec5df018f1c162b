// Does the differential find faults? Each patch in `mutants/` puts one into a copy of the engine, a wrong line in an operator
// or in an order; the differential must find it within 20,000 commands.
//
//   node tests/oracle/mutants.mjs [part of a name …] [--seed S]
//
// Takes minutes: the engine is built natively once for each patch. A patch that no longer applies is a failure: write it anew.

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { fromEjson, toEjson } from '../conformance/values.mjs';
import { Coverage } from './coverage.mjs';
import { worldOf } from './generate/world.mjs';
import { unexplained } from './known.mjs';
import { startOracle } from './mongod.mjs';
import { nativeSide } from './native/process.mjs';
import { oracleSide } from './sides.mjs';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const COMMANDS_MAX = 20_000;
const COPIED = ['Cargo.toml', 'Cargo.lock', 'src', 'tests/oracle/native'];

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string', default: '1' } } });
const seed = Number(options.seed);

/** A fresh copy of the engine's sources in `folder`, with a patch. */
async function withPatch(folder, patch) {
  await rm(join(folder, 'src'), { recursive: true, force: true });
  for (const name of COPIED) await cp(join(root, name), join(folder, name), { recursive: true });
  await run('git', ['apply', '--recount', patch], { cwd: folder, env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) } });
}

/** How many commands it took to find a difference that `sound`, the engine as it is, does not show; or undefined. */
async function search(oracle, ours, sound) {
  const coverage = new Coverage();
  for (let world = 0; coverage.total < COMMANDS_MAX; world += 1) {
    const commands = worldOf(seed, world).map((command) => fromEjson(toEjson(command)));
    const found = await unexplained(commands, oracle, ours, { coverage });
    if (found && (await unexplained(commands, oracle, sound))?.index !== found.index) return { count: coverage.total, asked: toEjson(commands[found.index]), text: found.text };
  }
  return undefined;
}

async function tryPatch(folder, name, oracle, sound) {
  try {
    await withPatch(folder, join(here, 'mutants', name));
  } catch (error) {
    return `✗ ${name}: does not apply: ${error.stderr ?? error.message}`;
  }
  const ours = await nativeSide([], folder);
  const found = await search(oracle, ours, sound);
  ours.close();
  return found ? `✓ ${name}: found by command ${found.count}: ${found.asked.slice(0, 160)}` : `✗ ${name}: not found in ${COMMANDS_MAX} commands`;
}

async function main() {
  const names = (await readdir(join(here, 'mutants'))).filter((name) => name.endsWith('.patch') && (!positionals.length || positionals.some((part) => name.includes(part)))).sort();
  const folder = await mkdtemp(join(tmpdir(), 'pandodb-mutants-'));
  const server = await startOracle();
  const oracle = await oracleSide(server);
  const sound = await nativeSide();
  let failed = 0;
  try {
    for (const name of names) {
      const outcome = await tryPatch(folder, name, oracle, sound);
      if (outcome.startsWith('✗')) failed += 1;
      console.log(outcome);
    }
    console.log(`${names.length - failed} passed, ${failed} failed`);
    process.exitCode = failed ? 1 : 0;
  } finally {
    sound.close();
    oracle.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();

// npm run test:oracle: our answers beside those of a real MongoDB server.
//
//   node tests/oracle/run.mjs [--cases N] [--seed S] [--seconds T]     conformance files, real data, then N random commands
//                             [--data movies,earthquakes]   which data sets
//                             [--differences N]   stop after so many
//                             [--world K]    only the random world K of the seed
//                             [--self]       the oracle against itself without indexes: where MongoDB contradicts MongoDB
//                             [--native 'all|none|random:SEED [cache bytes]']   the engine built natively, with overflow checks
//                             [--without update,delete]   leaves out these commands
//                             [--conformance]   only the conformance files, through our engine
//                             [--verbose]    coverage by operator and trap
//
// Closes with `N passed, N failed`. Without an oracle (no pip, another platform) it says so and passes; in CI it fails.
// PANDODB_BOUNDED (set by `npm test`) takes few cases and a fixed seed.

import { parseArgs } from 'node:util';
import { conformanceFiles } from '../conformance/files.mjs';
import { runFile } from '../conformance/runner.mjs';
import { fromEjson, toEjson } from '../conformance/values.mjs';
import { Coverage } from './coverage.mjs';
import { worldOf } from './generate/world.mjs';
import { unexplained } from './known.mjs';
import { OracleAbsent, startOracle } from './mongod.mjs';
import { nativeSide } from './native/process.mjs';
import { commandsFor } from './real-data.mjs';
import { recheck } from './recheck.mjs';
import { shrink } from './shrink.mjs';
import { engineSide, oracleSide, withoutIndexes } from './sides.mjs';

const bounded = Boolean(process.env.PANDODB_BOUNDED);
const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: bounded ? '6000' : '20000' },
    seed: { type: 'string', default: bounded ? '1' : String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: bounded ? '60' : '3600' },
    data: { type: 'string', default: bounded ? 'movies,earthquakes' : 'movies,earthquakes,cities' },
    differences: { type: 'string', default: '8' },
    world: { type: 'string' },
    self: { type: 'boolean', default: false },
    native: { type: 'string' },
    without: { type: 'string', default: '' },
    conformance: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const leftOut = options.without.split(',').filter(Boolean);
/** Through text and back: documents and operators are all Maps then, as they are in a conformance file. */
const asked = (commands) => commands.map((command) => fromEjson(toEjson(command))).filter((command) => !leftOut.includes([...command.keys()][0]));
const [cases, seed, seconds] = [options.cases, options.seed, options.seconds].map(Number);

async function recheckAll(oracle) {
  const connection = await oracle.connect();
  const { checked, problems } = await recheck((db, document) => connection.command(db, document));
  connection.close();
  for (const problem of problems) console.log(`✗ ${problem}`);
  console.log(`conformance files against the oracle: ${checked} cases, ${problems.length} contradicted`);
  return { passed: checked - problems.length, failed: problems.length };
}

async function report(found, commands, world, left, right) {
  const fails = async (some) => (await unexplained(some, left, right)) !== undefined;
  const small = await shrink(commands.slice(0, found.index + 1), fails);
  const now = (await unexplained(small, left, right)) ?? found;
  const again = `node tests/oracle/run.mjs --seed ${seed} --world ${world}${options.self ? ' --self' : ''}${options.native === undefined ? '' : ` --native '${options.native}'`}`;
  console.log(`\n✗ a difference; again by: ${again}\n${small.map((command) => `  ${toEjson(command)}`).join('\n')}\n${now.text}`);
}

async function differential(left, right) {
  const coverage = new Coverage();
  const end = Date.now() + seconds * 1000;
  const first = options.world === undefined ? 0 : Number(options.world);
  const explained = new Map();
  const unbuilt = new Map();
  const notYet = (feature) => unbuilt.set(feature, (unbuilt.get(feature) ?? 0) + 1);
  let failed = 0;
  for (let world = first; coverage.total < cases && Date.now() < end && failed < Number(options.differences); world += 1) {
    const commands = asked(worldOf(seed, world, { note: coverage.note, unique: !options.self }));
    const found = await unexplained(commands, left, right, { coverage, note: (entry) => explained.set(entry, (explained.get(entry) ?? 0) + 1), notYet });
    if (found) {
      failed += 1;
      await report(found, commands, world, left, right);
    }
    if (options.world !== undefined) break;
  }
  console.log(`\nrandom commands: ${coverage.total} compared, seed ${seed}, ${failed} differing worlds`);
  for (const [entry, worlds] of explained) console.log(`explained by entry ${entry} of differences.md: ${worlds} worlds`);
  for (const [feature, times] of unbuilt) console.log(`not built yet, ${times} times: ${feature}`);
  console.log(options.verbose ? String(coverage) : String(coverage).split('\n').slice(0, 3).join('\n'));
  for (const problem of coverage.problems) console.log(`✗ coverage: ${problem}`);
  return { passed: coverage.total - failed, failed: failed + coverage.problems.length };
}

async function realData(left, right) {
  const counts = { passed: 0, failed: 0 };
  for (const name of options.data.split(',').filter(Boolean)) {
    const commands = asked(await commandsFor(name));
    const found = await unexplained(commands, left, right);
    counts[found ? 'failed' : 'passed'] += 1;
    const failing = found && toEjson(commands[found.index]);
    console.log(found ? `✗ ${name}, command ${found.index}: ${failing.slice(0, 400)}\n${found.text.slice(0, 2000)}` : `${name}: ${commands.length} commands alike`);
  }
  return counts;
}

/** Our engine: of the package, or built natively. */
const ourSide = () => (options.native === undefined ? engineSide() : nativeSide(options.native.split(' ').filter(Boolean)));

/** Prints what our engine answers otherwise than the conformance files say. */
async function conformance() {
  const ours = await ourSide();
  const counts = { passed: 0, failed: 0, notYet: 0 };
  for (const file of await conformanceFiles()) {
    const results = await runFile(file, ours.command, { fresh: ours.fresh });
    const wrong = results.filter(({ problem }) => problem);
    const missing = results.filter(({ notYet, skipped }) => notYet || skipped);
    for (const { name, problem } of wrong) console.log(`✗ ${file.name} › ${name}\n     ${problem}`);
    console.log(`${file.name}: ${results.length - wrong.length - missing.length} right, ${wrong.length} wrong, ${missing.length} not built yet`);
    counts.passed += results.length - wrong.length - missing.length;
    counts.failed += wrong.length;
    counts.notYet += missing.length;
  }
  ours.close();
  return counts;
}

async function runAll(oracle) {
  const onlyWorld = options.world !== undefined;
  const counts = options.self || onlyWorld ? { passed: 0, failed: 0 } : await recheckAll(oracle);
  const second = options.self ? await startOracle() : undefined;
  const left = await oracleSide(oracle);
  try {
    const right = second ? await withoutIndexes(second) : await ourSide();
    const parts = [counts, onlyWorld ? { passed: 0, failed: 0 } : await realData(left, right), await differential(left, right)];
    right.close();
    const sum = (what) => parts.reduce((total, part) => total + part[what], 0);
    return { passed: sum('passed'), failed: sum('failed') };
  } finally {
    left.close();
    await second?.stop();
  }
}

async function main() {
  if (options.conformance) {
    const { passed, failed, notYet } = await conformance();
    console.log(`${passed} passed, ${failed} failed, ${notYet} skipped`);
    process.exitCode = failed ? 1 : 0;
    return;
  }
  let oracle;
  try {
    oracle = await startOracle();
  } catch (error) {
    if (!(error instanceof OracleAbsent)) throw error;
    const absentIsWrong = Boolean(process.env.CI);
    console.log(`skipped: no oracle (${error.message})\n0 passed, ${absentIsWrong ? 1 : 0} failed, 1 skipped`);
    process.exitCode = absentIsWrong ? 1 : 0;
    return;
  }
  try {
    const { passed, failed } = await runAll(oracle);
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed ? 1 : 0;
  } finally {
    await oracle.stop();
  }
}

await main();

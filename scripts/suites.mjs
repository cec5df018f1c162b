// The suites of `npm test`, in the order they run: quick ones that need nothing built come first.
//
// A suite: name, what (it covers), minutes (its budget on two warm cores), run() → { passed, failed, skipped, output },
// optionally built (it uses what the suite `build` builds) and absent() → why it cannot run in this tree.
// JavaScript tests join by being there: every folder named in NODE_FOLDERS that holds `*.test.mjs` files is a suite of its
// own. Their `*.long.mjs` files, and the work that tests do only under PANDODB_LONG, are for scripts/long.mjs.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { build } from './build.mjs';
import { cargoCounts, cargoTargets, nodeCounts } from './counts.mjs';
import { filesUnder } from './fingerprint.mjs';
import { inRoot, ROOT } from './places.mjs';
import { run, StepFailed } from './processes.mjs';
import { note } from './progress.mjs';
import { runWasmTests, wasmTestTargets } from './wasm-test.mjs';

/**
 * Minutes after which a suite is ended, for its budget. Far beyond it: the budget is for a machine that has nothing else to
 * do and has compiled the dependencies before.
 */
const patience = (minutes) => Math.max(4 * minutes, 20);

const command = (minutes) => (program, args, options = {}) =>
  run(program, args, { cwd: ROOT, minutes: patience(minutes), ...options });

/** A check that is right or wrong as a whole. */
async function check(minutes, program, args) {
  const result = await command(minutes)(program, args);
  const good = result.code === 0;
  return { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0, output: result.output };
}

/** A runner's counts; a run that failed without saying of which test counts as one failure. */
function counted(result, counts) {
  const lost = result.code !== 0 && counts.failed === 0;
  const reason = result.timedOut ? '\nended: it went far over its budget\n' : '';
  return { ...counts, failed: counts.failed + (lost ? 1 : 0), output: result.output + reason };
}

async function rustTests(minutes) {
  const result = await command(minutes)('cargo', ['test', '--no-fail-fast'], { env: { CARGO_TERM_COLOR: 'never' } });
  for (const { target, passed, failed, seconds } of cargoTargets(result.output)) {
    if (passed + failed > 0) note(`${target.padEnd(36)}${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed ${seconds.toFixed(1).padStart(8)} s`);
  }
  return counted(result, cargoCounts(result.output));
}

/** Builds what the suites after it use, and checks the size budget (of a fast build there is none to check). */
async function buildSuite() {
  try {
    await build({ fast: process.argv.includes('--fast') });
    return { passed: 1, failed: 0, skipped: 0, output: '' };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return { passed: 0, failed: 1, skipped: 0, output: `Stopped: ${error.message}` };
  }
}

export const nodeTestFiles = (folder) => filesUnder(inRoot(folder)).filter((file) => /\.test\.mjs$/.test(file));

/** Runs test files with Node's runner; `concurrency` is how many at a time (undefined: as many as Node thinks). */
export async function runNodeTests(files, { minutes, concurrency, env, show }) {
  const flags = ['--test', '--test-reporter=spec', ...(concurrency ? [`--test-concurrency=${concurrency}`] : [])];
  const names = files.map((file) => relative(ROOT, file));
  const result = await run(process.execPath, [...flags, ...names], { cwd: ROOT, minutes, show, env: { NO_COLOR: '1', ...env } });
  return counted(result, nodeCounts(result.output));
}

// Folders of JavaScript tests: [folder, what they are, minutes, how many files at a time].
// Browsers are driven one at a time: two of them on two cores only make each other slow.
export const NODE_FOLDERS = [
  ['scripts/test', 'the scripts themselves', 0.5],
  ['pkg/test', 'the npm package in Node', 2],
  ['tests/conformance', 'conformance through the npm package', 2],
  ['www/test', 'the playground', 1],
  ['tests/browser', 'end to end in Chromium and Firefox', 5, 1],
  ['tests/oracle', "the oracle's own parts", 2, 1],
  ['bench/browser', 'benchmarks, a short run', 1.5, 1],
];

const nodeSuite = ([folder, what, minutes, concurrency]) => ({
  name: folder,
  what,
  minutes,
  built: folder !== 'scripts/test',
  absent: () => (nodeTestFiles(folder).length === 0 ? `no *.test.mjs in ${folder}` : undefined),
  run: () => runNodeTests(nodeTestFiles(folder), { minutes: patience(minutes), concurrency }),
});

const rootScripts = () => JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).scripts ?? {};

/** A suite that is a script of package.json, run within bounds; it prints its own counts in one of the known forms. */
const scriptSuite = (script, what, minutes, args = []) => ({
  name: script,
  what,
  minutes,
  built: true,
  absent: () => (rootScripts()[script] ? undefined : `no script ${script} in package.json`),
  run: async () => {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const result = await command(minutes)(npm, ['run', '--silent', script, ...(args.length ? ['--', ...args] : [])], { env: { NO_COLOR: '1', PANDODB_BOUNDED: '1' } });
    const plain = [...result.output.matchAll(/^(?:\S+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
    if (plain) return counted(result, { passed: +plain[1], failed: +plain[2], skipped: +(plain[3] ?? 0) });
    const [cargo, node] = [cargoCounts(result.output), nodeCounts(result.output)];
    return counted(result, cargo.passed + cargo.failed > 0 ? cargo : node);
  },
});

const folderSuite = (folder, what, minutes, work) => ({
  name: folder,
  what,
  minutes,
  absent: () => (existsSync(inRoot(folder)) ? undefined : `no ${folder}`),
  run: () => work(minutes),
});

async function cargoIn(folder, minutes, args) {
  const result = await command(minutes)('cargo', args, { cwd: inRoot(folder), env: { CARGO_TERM_COLOR: 'never' } });
  return { result, minutes };
}

async function nativeBenchSmoke(minutes) {
  // `--test` makes each benchmark run once: they must not rot, their figures do not matter here.
  const { result } = await cargoIn('bench/native', minutes, ['bench', '--', '--test']);
  const passed = (result.output.match(/^Success$/gm) ?? []).length;
  return counted(result, { passed, failed: 0, skipped: 0 });
}

async function fuzzLoops(minutes) {
  const { result } = await cargoIn('fuzz', minutes, ['test', '--no-fail-fast']);
  return counted(result, cargoCounts(result.output));
}

export const SUITES = [
  { name: 'format', what: 'cargo fmt --check', minutes: 0.2, run: () => check(1, 'cargo', ['fmt', '--check']) },
  {
    name: 'lint',
    what: 'cargo clippy, warnings are errors',
    minutes: 1.5,
    run: () => check(3, 'cargo', ['clippy', '--all-targets', '--quiet', '--', '-D', 'warnings']),
  },
  { name: 'rust', what: 'unit, property, model, crash, conformance, architecture', minutes: 6, run: () => rustTests(6) },
  nodeSuite(NODE_FOLDERS[0]),
  { name: 'build', what: 'engine, package and their sizes', minutes: 3, run: buildSuite },
  ...NODE_FOLDERS.slice(1, 4).map(nodeSuite),
  {
    name: 'wasm',
    what: 'wasm-bindgen tests in Chromium',
    minutes: 2.5,
    absent: () => (wasmTestTargets().length === 0 ? 'no test uses wasm_bindgen_test' : undefined),
    run: async () => {
      const result = await runWasmTests({ minutes: patience(2.5) });
      return counted(result, cargoCounts(result.output));
    },
  },
  ...NODE_FOLDERS.slice(4, 6).map(nodeSuite),
  scriptSuite('test:oracle', 'random commands against a real mongod, bounded', 3),
  scriptSuite('test:packaging', 'bundlers, bounded', 4),
  scriptSuite('test:driver', "the official driver's clients, bounded", 4),
  folderSuite('fuzz', 'fuzz targets as a bounded loop', 1.5, fuzzLoops),
  folderSuite('bench/native', 'benchmarks, each once', 2, nativeBenchSmoke),
  nodeSuite(NODE_FOLDERS[6]),
];

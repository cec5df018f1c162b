// Runs the whole suite, setting up what it needs, and closes with a line `N passed, N failed`.
//
//   node scripts/test.mjs [suite …] [--list] [--verbose] [--fast] [--install-system]
//
// With names it runs those suites only, and `build` before those that need it; `--fast` builds an engine that is quick to
// build and slow to run. The output of each suite goes to .cache/logs/; what failed is shown at once.
// The exit code is 1 when a test failed or a suite that is there ran no test.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureExcerpt } from './counts.mjs';
import { LOCAL_CACHE } from './places.mjs';
import { StepFailed } from './processes.mjs';
import { main, note, say, title, took, warn, withHeartbeat } from './progress.mjs';
import { setUpBrowsers, setUpBuild } from './setup.mjs';
import { SUITES } from './suites.mjs';

const LOGS = join(LOCAL_CACHE, 'logs');

const words = process.argv.slice(2);
const verbose = words.includes('--verbose');

async function runSuite(suite) {
  title(`${suite.name}: ${suite.what}`);
  const started = performance.now();
  const outcome = await withHeartbeat(async () => {
    try {
      return await suite.run();
    } catch (error) {
      // A suite that cannot start is a failure of that suite, and the others still run.
      const text = error instanceof StepFailed ? error.message : error.stack;
      return { passed: 0, failed: 1, skipped: 0, output: `Stopped: ${text}` };
    }
  });
  const minutes = (performance.now() - started) / 60_000;
  mkdirSync(LOGS, { recursive: true });
  const log = join(LOGS, `${suite.name.replaceAll(/[^\w-]/g, '-')}.log`);
  writeFileSync(log, outcome.output);
  if (verbose) say(outcome.output);
  else if (outcome.failed > 0) say(`${failureExcerpt(outcome.output)}\n   the whole output: ${log}`);
  const ranNone = outcome.passed + outcome.failed === 0;
  if (ranNone) warn('it ran no test, which counts as a failure');
  const failed = outcome.failed + (ranNone ? 1 : 0);
  note(`${outcome.passed} passed, ${failed} failed${outcome.skipped ? `, ${outcome.skipped} skipped` : ''} in ${took(minutes * 60)}`);
  return { ...outcome, failed, suite, minutes };
}

function printTable(outcomes, absent) {
  title('By suite');
  const cell = (value) => String(value).padStart(9);
  say(`   ${'suite'.padEnd(22)}${['passed', 'failed', 'skipped', 'minutes', 'budget'].map(cell).join('')}`);
  for (const { suite, passed, failed, skipped, minutes } of outcomes) {
    const over = minutes > suite.minutes ? '  over its budget' : '';
    say(`   ${suite.name.padEnd(22)}${[passed, failed, skipped, minutes.toFixed(1), suite.minutes].map(cell).join('')}${over}`);
  }
  const total = (pick) => outcomes.reduce((sum, outcome) => sum + pick(outcome), 0);
  say(`   ${'together'.padEnd(22)}${cell(total((o) => o.passed))}${cell(total((o) => o.failed))}${cell(total((o) => o.skipped))}` +
    `${cell(total((o) => o.minutes).toFixed(1))}${cell(total((o) => o.suite.minutes).toFixed(1))}`);
  for (const [suite, why] of absent) note(`absent: ${suite.name} (${why})`);
}

function chooseSuites() {
  const names = words.filter((word) => !word.startsWith('--'));
  const unknown = names.find((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown) throw new StepFailed(`No suite ${unknown}; there are ${SUITES.map((suite) => suite.name).join(', ')}`);
  const wanted = SUITES.filter((suite) => names.length === 0 || names.includes(suite.name));
  const building = wanted.some((suite) => suite.built && !suite.absent?.());
  return SUITES.filter((suite) => wanted.includes(suite) || (building && suite.name === 'build'));
}

await main(async () => {
  const chosen = chooseSuites();
  if (words.includes('--list')) {
    for (const { name, what, minutes } of SUITES) say(`${name.padEnd(22)}${String(minutes).padStart(4)} min  ${what}`);
    return;
  }
  const started = performance.now();
  await setUpBuild();
  await setUpBrowsers();
  const setUpSeconds = (performance.now() - started) / 1000;
  const outcomes = [];
  const absent = [];
  for (const suite of chosen) {
    const why = suite.absent?.();
    if (why) absent.push([suite, why]);
    else outcomes.push(await runSuite(suite));
  }
  printTable(outcomes, absent);
  note(`set-up took ${took(setUpSeconds)}, everything ${took((performance.now() - started) / 1000)}`);
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((key) => outcomes.reduce((sum, outcome) => sum + outcome[key], 0));
  if (passed === 0 || failed > 0) process.exitCode = 1;
  say(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
});

// What takes too long for `npm test`: the same tests with larger counts, and the measured limits that must hold.
//
//   node scripts/long.mjs [rust] [node] [words that filter the Rust tests]
//
// How a test takes part:
//   Rust        reads PANDODB_LONG and does more when it is set
//   JavaScript  the same in a `*.test.mjs`, or a file `*.long.mjs` beside those, which runs here only
// Whatever checked a limit prints, after it held, a line
//   must hold: NAME: COUNT
// (for example `must hold: keys compare as their values: 4000000 pairs`). Those lines are repeated at the end, one for
// each, with its result; what failed is listed there too.
import { readFileSync } from 'node:fs';
import { build } from './build.mjs';
import { cargoCounts, failureExcerpt } from './counts.mjs';
import { filesUnder } from './fingerprint.mjs';
import { inRoot, ROOT } from './places.mjs';
import { run } from './processes.mjs';
import { main, say, title } from './progress.mjs';
import { setUpBrowsers, setUpBuild } from './setup.mjs';
import { NODE_FOLDERS, runNodeTests } from './suites.mjs';

const LONG = { PANDODB_LONG: '1', CARGO_TERM_COLOR: 'never' };
const MINUTES = 60;

// Fast code that still checks itself.
const PROFILE = {
  inherits: '"release"', lto: '"off"', 'opt-level': '3', 'codegen-units': '16', 'debug-assertions': 'true', 'overflow-checks': 'true',
};

async function rust(words) {
  title('Long: Rust');
  const profile = Object.entries(PROFILE).flatMap(([key, value]) => ['--config', `profile.long.${key}=${value}`]);
  const args = ['test', '--profile', 'long', ...profile, '--no-fail-fast', '--lib', '--tests', '--', '--nocapture', ...words];
  const result = await run('cargo', args, { cwd: ROOT, env: LONG, minutes: MINUTES });
  const counts = cargoCounts(result.output);
  return { ...counts, failed: counts.failed || (result.code === 0 ? 0 : 1), output: result.output };
}

const takesPart = (file) => /\.long\.mjs$/.test(file) || (/\.test\.mjs$/.test(file) && readFileSync(file, 'utf8').includes('PANDODB_LONG'));

async function node() {
  const outcomes = [];
  for (const [folder] of NODE_FOLDERS) {
    const files = filesUnder(inRoot(folder)).filter(takesPart);
    if (files.length === 0) continue;
    title(`Long: ${folder}`);
    outcomes.push(await runNodeTests(files, { minutes: MINUTES, concurrency: 1, env: LONG }));
  }
  return outcomes;
}

/** The names of failed tests, as cargo and Node print them. */
const failedNames = (output) => [
  ...[...output.matchAll(/^test (\S+) \.\.\. FAILED/gm)].map(([, name]) => name),
  ...[...(output.split('✖ failing tests:')[1] ?? '').matchAll(/^✖ (.+?) \([\d.]+ms\)/gm)].map(([, name]) => name),
];

await main(async () => {
  const words = process.argv.slice(2);
  const both = !words.includes('rust') && !words.includes('node');
  await setUpBuild();
  const outcomes = [];
  if (both || words.includes('rust')) outcomes.push(await rust(words.filter((word) => word !== 'rust' && word !== 'node')));
  if (both || words.includes('node')) {
    await setUpBrowsers();
    await build();
    outcomes.push(...(await node()));
  }
  for (const { failed, output } of outcomes) if (failed > 0) say(failureExcerpt(output));
  title('Must hold');
  const all = outcomes.map(({ output }) => output).join('\n');
  for (const [, name, count] of all.matchAll(/must hold: (.+?): (.+)$/gm)) say(`   ${name}, ${count.trim()}, held`);
  for (const name of failedNames(all)) say(`   ${name}, FAILED`);
  const [passed, failed] = ['passed', 'failed'].map((key) => outcomes.reduce((sum, outcome) => sum + outcome[key], 0));
  if (failed > 0 || passed === 0) process.exitCode = 1;
  say(`\n${passed} passed, ${failed} failed`);
});

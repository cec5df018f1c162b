// Runs the tests that need a browser's own interfaces from Rust: wasm-bindgen-test in headless Chromium, with the
// arguments of webdriver.json.
//
//   node scripts/wasm-test.mjs [words passed to the tests, such as a filter]
//
// A test target takes part by using `wasm_bindgen_test`: tests/*.rs, which begin with `#![cfg(target_arch = "wasm32")]`,
// and the library itself when a file under src/ has such tests.
// Target features: what the compiler enables by default for wasm32-unknown-unknown (bulk-memory, multivalue,
// reference-types, sign-ext, nontrapping-fptoint, mutable-globals); Chromium, Firefox and Safari all run them.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bindgenTool } from './bindgen.mjs';
import { findBrowser } from './browsers.mjs';
import { filesUnder } from './fingerprint.mjs';
import { inRoot, ROOT } from './places.mjs';
import { run, StepFailed } from './processes.mjs';
import { main } from './progress.mjs';
import { wasmCargo } from './rust.mjs';
import { setUpBrowsers, setUpBuild } from './setup.mjs';

const MARK = /#\[(?:wasm_bindgen_test::)?wasm_bindgen_test\b/;
const isMarked = (file) => file.endsWith('.rs') && MARK.test(readFileSync(file, 'utf8'));

/** The cargo arguments that name the test targets with browser tests: `--test NAME`, `--lib`. */
export function wasmTestTargets() {
  const integration = filesUnder(inRoot('tests')).filter((file) => /tests[\\/][^\\/]+\.rs$/.test(file) && isMarked(file));
  const targets = integration.flatMap((file) => ['--test', basename(file, '.rs')]);
  if (filesUnder(inRoot('src')).some(isMarked)) targets.push('--lib');
  return targets;
}

/** Runs them and gives the result of the run (see processes.mjs). */
export async function runWasmTests({ minutes = 10, show = false, words = [] } = {}) {
  const targets = wasmTestTargets();
  if (targets.length === 0) throw new StepFailed('No test uses wasm_bindgen_test');
  const chromedriver = findBrowser('chromedriver');
  if (!chromedriver) throw new StepFailed('chromedriver is missing: run `node scripts/setup.mjs browsers`');
  const cargo = await wasmCargo();
  const env = {
    ...cargo.env,
    CARGO_TERM_COLOR: 'never',
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: bindgenTool('wasm-bindgen-test-runner'),
    CHROMEDRIVER: chromedriver,
    // Seconds without a result before a test counts as hanging; the machine may be busy.
    WASM_BINDGEN_TEST_TIMEOUT: '180',
  };
  const args = ['test', ...targets, ...cargo.args, '--no-fail-fast', ...(words.length ? ['--', ...words] : [])];
  return run(cargo.program, args, { cwd: ROOT, env, minutes, show });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setUpBuild();
    await setUpBrowsers();
    const result = await runWasmTests({ show: true, words: process.argv.slice(2) });
    if (result.code !== 0) throw new StepFailed('browser tests failed');
  });
}

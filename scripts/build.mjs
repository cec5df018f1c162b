// Builds the engine and the npm package into pkg/dist. Steps whose inputs did not change are skipped.
//
//   node scripts/build.mjs [engine] [package] [--fast] [--force]
//
//   --fast    for working on the code: hardly optimized, quick to build. Not for measuring, sizes are not checked.
//   --force   builds even what is up to date
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bindgenTool, lockedVersion } from './bindgen.mjs';
import { filesUnder, fingerprint, forget, isFresh, remember } from './fingerprint.mjs';
import { toGlue } from './glue.mjs';
import { inRoot, LOCAL_CACHE, PACKAGE_DIST, ROOT } from './places.mjs';
import { must, StepFailed } from './processes.mjs';
import { main, note, step, title } from './progress.mjs';
import { WASM_TARGET, wasmCargo } from './rust.mjs';
import { checkSizes, reportSizes } from './sizes.mjs';

const CRATE = 'pandodb';

// What the compiler emits for this target by default, and what all supported browsers run. wasm-opt must know, because
// wasm-bindgen's output does not always say.
const WASM_FEATURES = [
  'bulk-memory', 'bulk-memory-opt', 'nontrapping-float-to-int', 'sign-ext', 'mutable-globals', 'reference-types', 'multivalue',
];

// LLVM has inlined what pays. More of it makes the module smaller before compression and 6 % larger after it (measured).
const NO_INLINING = ['--one-caller-inline-max-function-size=0', '--always-inline-max-function-size=0'];

// The first 1024 bytes of memory are the far end of the stack: an address computed to lie there is an error anyway, so
// additions to addresses can be folded into the instructions that use them.
const MEMORY = '--low-memory-unused';

// The release profile is the one in Cargo.toml; this one trades its size and speed for a quick build.
const FAST_PROFILE = { inherits: '"release"', lto: '"off"', 'opt-level': '1', 'codegen-units': '16', incremental: 'true' };

function cargoProfile(fast) {
  if (!fast) return { folder: 'release', args: ['--release'] };
  const settings = Object.entries(FAST_PROFILE).flatMap(([key, value]) => ['--config', `profile.fast.${key}=${value}`]);
  return { folder: 'fast', args: ['--profile', 'fast', ...settings] };
}

async function compile(fast) {
  const cargo = await wasmCargo();
  const profile = cargoProfile(fast);
  const args = ['build', '--lib', ...profile.args, ...cargo.args];
  await step(`cargo build (${profile.folder}, ${cargo.kind})`, () =>
    must(cargo.program, args, { cwd: ROOT, env: cargo.env, minutes: 30 }),
  );
  return inRoot('target', 'wasm', WASM_TARGET, profile.folder, `${CRATE}.wasm`);
}

async function bind(module, folder) {
  rmSync(folder, { recursive: true, force: true });
  const args = ['--target', 'web', '--no-typescript', '--omit-default-module-path', '--remove-producers-section', '--out-name', 'generated',
    '--out-dir', folder, module];
  await step('wasm-bindgen', () => must(bindgenTool('wasm-bindgen'), args, { minutes: 5 }));
  if (existsSync(join(folder, 'snippets'))) {
    throw new StepFailed('The crate has inline JavaScript snippets, which the package does not ship: put it into pkg/src');
  }
  return join(folder, 'generated_bg.wasm');
}

async function optimize(module, output, fast) {
  if (fast) return copyFileSync(module, output);
  const features = WASM_FEATURES.map((feature) => `--enable-${feature}`);
  const args = [inRoot('node_modules', 'binaryen', 'bin', 'wasm-opt'), '-Oz', MEMORY, ...NO_INLINING, ...features, '--strip-debug', '--strip-producers',
    '--strip-target-features', module, '-o', output];
  await step('wasm-opt -Oz', () => must(process.execPath, args, { minutes: 15 }));
}

/** The files of the engine, kept apart by mode so that going from one to the other and back builds nothing. */
async function buildEngine({ fast, force }) {
  const mode = fast ? 'fast' : 'release';
  const folder = join(LOCAL_CACHE, 'engine', mode);
  const outputs = ['engine.wasm', 'glue.js'];
  const inputs = filesUnder(...['src', 'Cargo.toml', 'Cargo.lock', '.cargo', 'rust-toolchain.toml'].map((name) => inRoot(name)),
    ...['build.mjs', 'glue.mjs', 'rust.mjs'].map((name) => inRoot('scripts', name)));
  const { kind } = await wasmCargo();
  const binaryen = JSON.parse(readFileSync(inRoot('node_modules', 'binaryen', 'package.json'), 'utf8')).version;
  const print = fingerprint(inputs, mode, kind, binaryen);
  const name = `engine-${mode}`;
  if (!force && isFresh(name, print, outputs.map((file) => join(folder, file)))) {
    note(`engine (${mode}): up to date`);
  } else {
    if (!lockedVersion('wasm-bindgen')) throw new StepFailed('The crate has no WebAssembly interface: Cargo.lock names no wasm-bindgen');
    forget(name);
    mkdirSync(folder, { recursive: true });
    const generated = join(folder, 'generated');
    const module = await bind(await compile(fast), generated);
    await optimize(module, join(folder, 'engine.wasm'), fast);
    writeFileSync(join(folder, 'glue.js'), toGlue(readFileSync(join(generated, 'generated.js'), 'utf8')));
    remember(name, print);
  }
  mkdirSync(PACKAGE_DIST, { recursive: true });
  for (const file of outputs) copyFileSync(join(folder, file), join(PACKAGE_DIST, file));
}

/** Compiles the TypeScript of the package by its own `build` script. */
async function buildPackage({ force }) {
  if (!existsSync(inRoot('pkg', 'package.json'))) throw new StepFailed('There is no package in pkg/');
  // What is published carries the licences; the repository keeps them once.
  for (const file of ['LICENSE-MIT', 'LICENSE-APACHE']) copyFileSync(inRoot(file), inRoot('pkg', file));
  const inputs = filesUnder(...['src', 'package.json', 'tsconfig.json'].map((name) => inRoot('pkg', name)), inRoot('package-lock.json'));
  const print = fingerprint(inputs, process.version);
  if (!force && isFresh('package', print, [join(PACKAGE_DIST, 'index.js'), join(PACKAGE_DIST, 'index.d.ts')])) {
    return note('package: up to date');
  }
  forget('package');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await step('TypeScript of the package', () =>
    must(npm, ['run', '--silent', 'build', '--workspace', 'pkg'], { cwd: ROOT, minutes: 5 }),
  );
  // Declarations written by hand are not the compiler's to copy.
  copyFileSync(inRoot('pkg', 'src', 'glue.d.ts'), join(PACKAGE_DIST, 'glue.d.ts'));
  remember('package', print);
}

/**
 * options: engine and package (which parts, both by default), fast, force, budget (whether too large a part is a failure; it is
 * always told).
 */
export async function build({ engine = true, package: packageToo = true, fast = false, force = false, budget = true } = {}) {
  title(`Build${fast ? ' (fast)' : ''}`);
  // The package first: its compiler may empty pkg/dist, the engine is then copied in.
  if (packageToo) await buildPackage({ force });
  if (engine) await buildEngine({ fast, force });
  if (engine && packageToo && !fast) await (budget ? checkSizes() : reportSizes());
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    const words = process.argv.slice(2);
    const unknown = words.find((word) => !['engine', 'package', '--fast', '--force'].includes(word));
    if (unknown) throw new StepFailed(`Unknown word ${unknown}: build knows engine, package, --fast and --force`);
    const both = !words.includes('engine') && !words.includes('package');
    await build({
      engine: both || words.includes('engine'),
      package: both || words.includes('package'),
      fast: words.includes('--fast'),
      force: words.includes('--force'),
    });
  });
}

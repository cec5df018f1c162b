// The Rust side of the toolchain. Natively that is whatever `cargo` is there. For WebAssembly there are two ways:
//   rustup   the target's standard library, added by `rustup target add` (what almost everybody has)
//   debian   where that cannot be downloaded: Debian's compiler, which ships its sources, builds the standard library
// Both end in the same cargo commands; `wasmCargo` hides which one is used.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inRoot, onPath, ROOT } from './places.mjs';
import { ask, run, StepFailed } from './processes.mjs';
import { note, step } from './progress.mjs';
import { mayInstall, needPackages } from './system-packages.mjs';

export const WASM_TARGET = 'wasm32-unknown-unknown';
const DEBIAN_PACKAGES = ['rustc-web', 'cargo-web', 'rust-web-src'];

/** The oldest minor version of Rust 1 that will do: `rust-version` in Cargo.toml. */
function oldestMinor() {
  const found = /^rust-version = "1\.(\d+)/m.exec(readFileSync(inRoot('Cargo.toml'), 'utf8'));
  if (!found) throw new StepFailed('Cargo.toml has no rust-version');
  return Number(found[1]);
}

/** Checks that a Rust of the needed age and a C linker are there. */
export async function needRust() {
  const version = await ask('rustc', ['--version'], { cwd: ROOT });
  if (!version) throw new StepFailed('Rust is missing: install it with rustup, from https://rustup.rs');
  const [, major, minor] = /rustc (\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) === 1 && Number(minor) < oldestMinor()) {
    throw new StepFailed(`${version} is too old (1.${oldestMinor()} is needed): run \`rustup update stable\``);
  }
  if (process.platform === 'linux' && !onPath('cc')) {
    await needPackages(['gcc', 'libc6-dev'], 'A C linker is missing', 'install gcc');
  }
  note(version);
}

const sysroot = () => ask('rustc', ['--print', 'sysroot'], { cwd: ROOT });

async function rustupHasTarget() {
  const root = await sysroot();
  return root !== undefined && existsSync(join(root, 'lib', 'rustlib', WASM_TARGET, 'lib'));
}

/** Debian's compiler together with the sources of its standard library. */
async function debianCompiler() {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/rustc') || !existsSync('/usr/bin/cargo')) return undefined;
  const root = await ask('/usr/bin/rustc', ['--print', 'sysroot']);
  if (!root || !existsSync(join(root, 'lib/rustlib/src/rust/library/std/Cargo.toml'))) return undefined;
  return { rustc: '/usr/bin/rustc', sysroot: root };
}

async function wasmLinker() {
  const root = await sysroot();
  const host = /host: (\S+)/.exec((await ask('rustc', ['-vV'], { cwd: ROOT })) ?? '')?.[1];
  const file = root && host && join(root, 'lib', 'rustlib', host, 'bin', 'rust-lld');
  return file && existsSync(file) ? file : onPath('rust-lld') ?? onPath('wasm-ld');
}

/** Makes sure one of the two ways to compile for WebAssembly works. */
export async function needWasmTarget() {
  if (await rustupHasTarget()) return note(`${WASM_TARGET}: rustup's standard library`);
  if (await debianCompiler()) return note(`${WASM_TARGET}: Debian's compiler builds the standard library`);
  if (onPath('rustup')) {
    const added = await step(`rustup target add ${WASM_TARGET}`, () =>
      run('rustup', ['target', 'add', WASM_TARGET], { cwd: ROOT, minutes: 5 }),
    );
    if (added.code === 0 && (await rustupHasTarget())) return undefined;
    note('it cannot be downloaded here');
  }
  if (!mayInstall()) {
    throw new StepFailed(
      `No standard library for ${WASM_TARGET}: run \`rustup target add ${WASM_TARGET}\`` +
        ` (where that cannot be downloaded, Debian: sudo apt-get install -y ${DEBIAN_PACKAGES.join(' ')})`,
    );
  }
  await needPackages(DEBIAN_PACKAGES, `No standard library for ${WASM_TARGET}`, '');
  if (!(await debianCompiler())) throw new StepFailed("Debian's Rust compiler was installed but does not answer");
}

/** Paths of this machine must not be told by panic messages in what is shipped, and must not change a byte of it. */
function remapFlags(standardLibrary) {
  const cargoHome = process.env.CARGO_HOME || join(homedir(), '.cargo');
  const pairs = [[ROOT, '.'], [cargoHome, 'cargo'], [standardLibrary, 'rust']];
  return pairs.map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
}

// How much LLVM inlines: less than it does by itself for size (50, and 325 for what is marked `#[inline]`, as most of the
// standard library is). 7 % smaller after gzip; scans, reads by `_id` and inserts are as fast (docs/architecture.md, Size).
// `opt-level = "z"` is neither as small nor as fast: it also gives up what makes loops good.
const INLINING = ['-inline-threshold=10', '-inlinehint-threshold=45'].map((option) => `-Cllvm-args=${option}`);

const rustFlags = (standardLibrary) => [...remapFlags(standardLibrary), ...INLINING].join('\x1f');

/**
 * The command that compiles for WebAssembly: { program, args, env }, to be followed by `build …` or `test …` arguments.
 * `args` is what must come after the subcommand. Outputs go to `target/wasm`, so that the two compilers that may be at
 * work (native and Debian's) do not discard each other's.
 */
export async function wasmCargo() {
  const common = ['--target', WASM_TARGET, '--target-dir', inRoot('target', 'wasm')];
  if (await rustupHasTarget()) {
    const flags = rustFlags(join(await sysroot(), 'lib', 'rustlib', 'src', 'rust'));
    return { kind: 'rustup', program: 'cargo', args: common, env: { CARGO_ENCODED_RUSTFLAGS: flags } };
  }
  const debian = await debianCompiler();
  const linker = await wasmLinker();
  if (!debian || !linker) throw new StepFailed(`Nothing compiles for ${WASM_TARGET}: run \`node scripts/setup.mjs\``);
  return {
    kind: 'debian',
    program: '/usr/bin/cargo',
    args: [...common, '-Z', 'build-std=std,panic_abort'],
    env: {
      PATH: `/usr/bin${delimiter}${process.env.PATH}`,
      RUSTC: debian.rustc,
      // -Z flags on a release compiler; only for the standard library, our own code uses no unstable feature.
      RUSTC_BOOTSTRAP: '1',
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker,
      CARGO_ENCODED_RUSTFLAGS: rustFlags(join(debian.sysroot, 'lib/rustlib/src/rust')),
    },
  };
}

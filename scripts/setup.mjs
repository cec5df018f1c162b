// Brings everything a fresh machine lacks. Safe to run again and again; does nothing the second time.
//
//   node scripts/setup.mjs [build] [browsers] [--install-system]
//
// Without words it does both: `build` is what compiling needs, `browsers` what the browser tests drive.
// Big tools go to the cache that all clones share: PANDODB_CACHE, else $XDG_CACHE_HOME/pandodb, else ~/.cache/pandodb.
import { pathToFileURL } from 'node:url';
import { needBindgen } from './bindgen.mjs';
import { findBrowser } from './browsers.mjs';
import { needNpmPackages } from './packages.mjs';
import { ask, must, StepFailed } from './processes.mjs';
import { main, note, title } from './progress.mjs';
import { needRust, needWasmTarget } from './rust.mjs';
import { inRoot, ROOT } from './places.mjs';
import { needPackages } from './system-packages.mjs';
import { existsSync } from 'node:fs';

const OLDEST_NODE = [20, 19];

function needNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    throw new StepFailed(`Node ${process.versions.node} is too old: ${OLDEST_NODE.join('.')} or newer is needed`);
  }
  note(`node ${process.versions.node}`);
}

/** A clone without Cargo.lock (it is committed, so only a new crate is) gets one, since tool versions are read from it. */
async function needCargoLock() {
  if (existsSync(inRoot('Cargo.lock'))) return;
  await must('cargo', ['generate-lockfile', '--quiet'], { cwd: ROOT, minutes: 5 });
}

/** What compiling the engine and the package needs. */
export async function setUpBuild() {
  title('Set-up: compilers and packages');
  needNode();
  await needRust();
  await needWasmTarget();
  await needCargoLock();
  await needBindgen();
  await needNpmPackages();
}

const BROWSERS = [
  ['chromium', 'chromium', 'install Chrome or Chromium, or name it in PANDODB_CHROMIUM'],
  ['chromedriver', 'chromium-driver', 'install chromedriver, or name it in PANDODB_CHROMEDRIVER'],
  ['firefox', 'firefox-esr', 'install Firefox, or name it in PANDODB_FIREFOX'],
];

/** The browsers that the tests drive. */
export async function setUpBrowsers() {
  title('Set-up: browsers');
  const lacking = BROWSERS.filter(([kind]) => !findBrowser(kind));
  if (lacking.length > 0) {
    const what = `No ${lacking.map(([kind]) => kind).join(', ')}`;
    await needPackages(lacking.map(([, debian]) => debian), what, lacking.map(([, , how]) => how).join('; '));
  }
  for (const [kind] of BROWSERS) {
    const file = findBrowser(kind);
    if (!file) throw new StepFailed(`${kind} was installed, but it is not on PATH`);
    const version = await ask(file, ['--version']);
    note(`${kind}: ${version?.split('\n').at(-1) ?? file}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
    const unknown = words.find((word) => word !== 'build' && word !== 'browsers');
    if (unknown) throw new StepFailed(`Unknown word ${unknown}: setup knows build and browsers`);
    if (words.length === 0 || words.includes('build')) await setUpBuild();
    if (words.length === 0 || words.includes('browsers')) await setUpBrowsers();
  });
}

// The npm packages of the workspace, installed when the lock file or a package.json changed since the last time.
import { existsSync, readFileSync } from 'node:fs';
import { inRoot, ROOT } from './places.mjs';
import { must } from './processes.mjs';
import { fingerprint, forget, isFresh, remember } from './fingerprint.mjs';
import { note, step } from './progress.mjs';

function packageFiles() {
  const { workspaces = [] } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const files = ['package.json', 'package-lock.json', ...workspaces.map((folder) => `${folder}/package.json`)];
  return files.map((file) => inRoot(file)).filter((file) => existsSync(file));
}

export async function needNpmPackages() {
  const print = () => fingerprint(packageFiles(), process.version);
  if (isFresh('npm', print(), [inRoot('node_modules', '.package-lock.json')])) return note('npm packages: as locked');
  forget('npm');
  // In CI the lock file must agree with package.json; at a desk it may be brought up to date.
  const strict = process.env.CI && existsSync(inRoot('package-lock.json'));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = [strict ? 'ci' : 'install', '--no-audit', '--no-fund', '--loglevel=error'];
  await step(`npm ${args[0]}`, () => must(npm, args, { cwd: ROOT, minutes: 10 }));
  remember('npm', print());
}

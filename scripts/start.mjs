// Sets up what a fresh machine lacks, builds the engine and the package, and serves the playground on localhost.
//
//   node scripts/start.mjs [--fast] [--install-system] [words passed to Vite, such as --port 8080]
//
//   --fast   an engine that is quick to build and slow to run, for working on the code
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { build } from './build.mjs';
import { inRoot, ROOT } from './places.mjs';
import { StepFailed } from './processes.mjs';
import { main, title } from './progress.mjs';
import { setUpBuild } from './setup.mjs';

const OURS = ['--fast', '--install-system'];

/** Vite prints the URL and serves until it is ended; it shares our terminal and our signals. */
function serve(words) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['run', '--silent', 'dev', '--workspace', 'www', ...(words.length ? ['--', ...words] : [])];
  const child = spawn(npm, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.on('SIGINT', () => {}); // the terminal sends it to the child as well
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((done) => {
    child.on('error', (error) => done(error.message));
    child.on('close', (code, signal) => done(code && code !== 130 && !signal ? `it ended with code ${code}` : undefined));
  });
}

await main(async () => {
  const words = process.argv.slice(2);
  await setUpBuild();
  await build({ fast: words.includes('--fast') });
  if (!existsSync(inRoot('www', 'package.json'))) throw new StepFailed('There is no playground in www/');
  title('Playground (end it with Ctrl+C)');
  const trouble = await serve(words.filter((word) => !OURS.includes(word)));
  if (trouble) throw new StepFailed(`The playground's server stopped: ${trouble}`);
});

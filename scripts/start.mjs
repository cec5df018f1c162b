// Sets up what a fresh machine lacks, builds the engine and the package, and serves the playground on localhost.
//
//   node scripts/start.mjs [--fast] [--install-system] [words passed to Vite, such as --port 8080]
//
//   --fast   an engine that is quick to build and slow to run, for working on the code
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from './build.mjs';
import { inRoot } from './places.mjs';
import { StepFailed } from './processes.mjs';
import { main, title } from './progress.mjs';
import { setUpBuild } from './setup.mjs';

/** Codes of a process that ended itself on SIGINT or SIGTERM. */
const BY_SIGNAL = [130, 143];
const OURS = ['--fast', '--install-system'];

/** Vite prints the URL and serves until it is ended; it shares our terminal. Started by itself: npm between us would not pass a signal on. */
function serve(words) {
  const folder = inRoot('www');
  const vite = join(dirname(createRequire(join(folder, 'package.json')).resolve('vite/package.json')), 'bin', 'vite.js');
  const child = spawn(process.execPath, [vite, ...words], { cwd: folder, stdio: 'inherit' });
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.on('SIGINT', () => {}); // the terminal sends it to the child as well
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((done) => {
    child.on('error', (error) => done(error.message));
    child.on('close', (code, signal) => done(code && !BY_SIGNAL.includes(code) && !signal ? `it ended with code ${code}` : undefined));
  });
}

await main(async () => {
  const words = process.argv.slice(2);
  await setUpBuild();
  // Whoever wants to see the page is not kept from it by a budget that is ours to keep.
  await build({ fast: words.includes('--fast'), budget: false });
  if (!existsSync(inRoot('www', 'package.json'))) throw new StepFailed('There is no playground in www/');
  title('Playground (end it with Ctrl+C)');
  const trouble = await serve(words.filter((word) => !OURS.includes(word)));
  if (trouble) throw new StepFailed(`The playground's server stopped: ${trouble}`);
});

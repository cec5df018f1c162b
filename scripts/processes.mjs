// Running other programs: quietly with their output kept, or with their output shown as it comes.
// Every child gets a time limit, and the whole group of a child that overruns it is ended.
import { spawn } from 'node:child_process';

const live = new Set();

function endGroup(child, signal) {
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Already gone.
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of live) endGroup(child, 'SIGTERM');
    process.exit(130);
  });
}
process.on('exit', () => {
  for (const child of live) endGroup(child, 'SIGKILL');
});

/**
 * Runs a program to its end and never rejects.
 * options: cwd, env (merged over ours), minutes (limit, default 20), show (pass the output through as it comes).
 * Result: { code, output, seconds, timedOut, missing }; code is null when it was ended or never started.
 */
export function run(program, args, options = {}) {
  const { cwd, env, minutes = 20, show = false } = options;
  const started = performance.now();
  return new Promise((done) => {
    const windowsScript = process.platform === 'win32' && /\.cmd$/i.test(program);
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      shell: windowsScript,
    });
    live.add(child);
    let output = '';
    let timedOut = false;
    const take = (stream) => {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
        if (show) process.stdout.write(text);
      });
    };
    take(child.stdout);
    take(child.stderr);
    const limit = setTimeout(() => {
      timedOut = true;
      endGroup(child, 'SIGTERM');
      setTimeout(() => endGroup(child, 'SIGKILL'), 5_000).unref();
    }, minutes * 60_000);
    const finish = (code, missing = false) => {
      clearTimeout(limit);
      // What the program left behind (a browser, a server) goes with it.
      if (!missing) endGroup(child, 'SIGKILL');
      live.delete(child);
      done({ code, output, timedOut, missing, seconds: (performance.now() - started) / 1000 });
    };
    child.on('error', (error) => {
      output += String(error.message);
      finish(null, true);
    });
    child.on('close', (code) => finish(code));
  });
}

/** Runs a program and gives its trimmed output, or undefined if it failed or is missing. */
export async function ask(program, args, options) {
  const result = await run(program, args, { minutes: 1, ...options });
  return result.code === 0 ? result.output.trim() : undefined;
}

/** Runs a program with its output shown; throws a `StepFailed` that names the command when it fails. */
export async function must(program, args, options = {}) {
  const result = await run(program, args, { show: true, ...options });
  if (result.code === 0) return result;
  const why = result.missing ? 'is missing' : result.timedOut ? 'took too long' : `ended with code ${result.code}`;
  const tail = options.show === false ? `\n${lastLines(result.output, 40)}` : '';
  throw new StepFailed(`${[program, ...args].join(' ')}\n${why}${tail}`);
}

export const lastLines = (text, count) => text.trimEnd().split('\n').slice(-count).join('\n');

/** A step that cannot go on, with a message for the person at the terminal and no stack trace. */
export class StepFailed extends Error {}

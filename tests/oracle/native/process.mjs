// The engine as a native process (pipe.rs) as a side of the differential.

import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, double, encode } from '../../conformance/values.mjs';
import { withDatabase } from '../connection.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const ARGUMENTS_OF_BUILD = ['build', '--quiet', '--example', 'engine-pipe', '--message-format', 'json-render-diagnostics'];

function build(root) {
  const { status, stdout, error } = spawnSync('cargo', ARGUMENTS_OF_BUILD, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`cargo could not build the engine${error ? `: ${error.message}` : ''}`);
  const made = stdout.split('\n').filter((line) => line.includes('"executable":"')).map((line) => JSON.parse(line));
  return made.find(({ target }) => target.name === 'engine-pipe').executable;
}

class Pipe {
  #child;
  #received = Buffer.alloc(0);
  #waiting = [];
  #said = '';

  constructor(program, words) {
    this.#child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdout.on('data', (chunk) => this.#receive(chunk));
    this.#child.stderr.on('data', (chunk) => { this.#said = (this.#said + chunk).slice(-3000); });
    this.#child.stdin.on('error', () => {}); // the end of the process says it better
    this.#child.once('close', () => this.#end());
  }

  ended = false;

  /** Sends a frame; resolves with the next frame, rejects when the process ends first. */
  ask(frame) {
    if (this.ended) return Promise.reject(new Error('the engine has ended'));
    const head = Buffer.alloc(4);
    head.writeUInt32LE(frame.length);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(Buffer.concat([head, frame]));
    });
  }

  close() { this.#child.stdin.end(); }

  #receive(chunk) {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= 4 && this.#received.length >= 4 + this.#received.readUInt32LE(0)) {
      const end = 4 + this.#received.readUInt32LE(0);
      this.#waiting.shift().resolve(new Uint8Array(this.#received.subarray(4, end)));
      this.#received = this.#received.subarray(end);
    }
  }

  #end() {
    this.ended = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the engine ended: ${this.#said.trim()}`));
  }
}

/**
 * The engine, built natively from the sources in `root`. `words`: arguments of pipe.rs. A process that ended is replaced at
 * the next reset.
 */
export async function nativeSide(words = [], root = ROOT) {
  const program = build(root);
  let pipe = new Pipe(program, words);
  const command = async (db, document) => {
    try {
      return decode(await pipe.ask(withDatabase(Buffer.from(encode(document)), db)));
    } catch (error) { // errors are replies; this is a panic, or bytes that are no BSON
      return new Map([['ok', double(0)], ['code', 'ended'], ['codeName', error.name], ['errmsg', error.message]]);
    }
  };
  const reset = async () => {
    if (pipe.ended) pipe = new Pipe(program, words);
    await pipe.ask(Buffer.alloc(0));
  };
  return { command, reset, fresh: reset, close: () => pipe.close() };
}

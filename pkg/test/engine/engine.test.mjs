// `pandodb/engine`: BSON in, BSON out, over the real engine.
import { test } from 'node:test';
import { deepStrictEqual, ok, rejects, strictEqual, throws } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import { deserialize, serialize } from 'bson';
import { createEngine } from 'pandodb/engine';

const runner = (engine) => (command, db = 'test') => deserialize(engine.command(db, serialize(command)));

test('commands are answered at once', async () => {
  const engine = await createEngine();
  const run = runner(engine);
  deepStrictEqual(run({ ping: 1 }), { ok: 1 });
  strictEqual(run({ insert: 'c', documents: [{ _id: 1, a: 'x' }, { _id: 2, a: 'y' }] }).n, 2);
  deepStrictEqual(run({ find: 'c', filter: { a: 'y' } }).cursor.firstBatch, [{ _id: 2, a: 'y' }]);
  deepStrictEqual(run({ find: 'c', filter: {} }, 'other').cursor.firstBatch, []);
  await engine.close();
});

test('the database is the one given, whatever the command says', async () => {
  const engine = await createEngine();
  const run = runner(engine);
  run({ $db: 'nope', insert: 'c', documents: [{ _id: 1 }], ordered: true }, 'mine');
  strictEqual(run({ count: 'c', $db: 'mine' }, 'nope').n, 0);
  strictEqual(run({ count: 'c' }, 'mine').n, 1);
  await engine.close();
});

test('errors are replies', async () => {
  const engine = await createEngine();
  const run = runner(engine);
  const unknown = run({ noSuchCommand: 1 });
  deepStrictEqual([unknown.ok, unknown.code, unknown.codeName], [0, 59, 'CommandNotFound']);
  const wrong = run({ find: 5 });
  deepStrictEqual([wrong.ok, typeof wrong.code, typeof wrong.errmsg], [0, 'number', 'string']);
  for (const bytes of [new Uint8Array(0), Uint8Array.of(5, 0, 0, 0, 1), serialize({ ping: 1 }).slice(0, -2), Uint8Array.of(9, 0, 0, 0, 0x10, 97, 0, 1, 0)]) {
    const reply = deserialize(engine.command('test', bytes));
    deepStrictEqual([reply.ok, reply.code, reply.codeName], [0, 22, 'InvalidBSON']);
  }
  deepStrictEqual(run({ ping: 1 }), { ok: 1 });
  await engine.close();
});

test('every engine has a store of its own, and none after it was closed', async () => {
  const [one, two] = await Promise.all([createEngine(), createEngine({ version: '6.0' })]);
  runner(one)({ insert: 'c', documents: [{ _id: 1 }] });
  strictEqual(runner(two)({ count: 'c' }).n, 0);
  await one.close();
  throws(() => runner(one)({ ping: 1 }), { name: 'MongoClientClosedError' });
  deepStrictEqual(runner(two)({ ping: 1 }), { ok: 1 });
  await two.close();
});

test('the version decides what buildInfo says', async () => {
  for (const version of ['6.0', '8.0']) {
    const engine = await createEngine({ version });
    ok(runner(engine)({ buildInfo: 1 }).version.startsWith(version), version);
    await engine.close();
  }
});

test('the engine may be given as bytes or compiled; what is none is refused', async () => {
  const bytes = await readFile(new URL('../../dist/engine.wasm', import.meta.url));
  for (const module of [bytes, await WebAssembly.compile(bytes)]) {
    const engine = await createEngine({ module });
    deepStrictEqual(runner(engine)({ ping: 1 }), { ok: 1 });
    await engine.close();
  }
  await rejects(createEngine({ module: new TextEncoder().encode('<html></html>') }), { name: 'MongoEnvironmentError', message: /not WebAssembly but a page/ });
});

test('arguments that are none are named', async () => {
  const engine = await createEngine();
  const ping = serialize({ ping: 1 });
  for (const bytes of [{ ping: 1 }, undefined, null, 'ping', [...ping], ping.buffer.slice(0), new DataView(ping.buffer), new Int8Array(4)]) {
    throws(() => engine.command('test', bytes), { name: 'TypeError', message: /engine\.command: "bytes" must be a Uint8Array with a command as BSON/ });
  }
  for (const db of [undefined, null, 5, {}, ping]) {
    throws(() => engine.command(db, ping), { name: 'TypeError', message: /engine\.command: "db" must be the name of a database/ });
  }
  throws(() => engine.command('test', { ping: 1 }), { message: /, not an object$/ });
  throws(() => engine.command('test', new Int8Array(4)), { message: /, not an Int8Array$/ });
  throws(() => engine.command(null, ping), { message: /, not null$/ });
  deepStrictEqual(deserialize(engine.command('test', Buffer.from(ping))), { ok: 1 });
  deepStrictEqual(deserialize(engine.command('test', runInNewContext('Uint8Array').from(ping))), { ok: 1 });
  await engine.close();
});

// One engine behind the client: regions, tickets, traps, aborts, closing.
import { test } from 'node:test';
import { deepStrictEqual, ok, rejects, strictEqual, throws } from 'node:assert';
import { Command } from '../../dist/exchange.js';
import { InternalError, MongoClientClosedError, MongoEnvironmentError, MongoServerError } from '../../dist/error.js';
import { EngineInstance } from '../../dist/instance.js';
import { EARLY, fakeGlue, LATER, TRAP } from './fake_engine.mjs';

const config = { store: 'memory', name: '', cacheBytesMax: 1 << 20, durability: 'relaxed', openTimeoutMS: 1000, version: '8.0' };
const command = (document, signal) => new Command('db', document, undefined, signal);

async function start(answer, options = {}) {
  const made = [];
  const events = [];
  const instance = await EngineInstance.start(fakeGlue(answer, { made, ...options }), {}, { ...config, ...options.config }, (...event) => events.push(event));
  return { instance, engine: made[0], events };
}

test('a command is answered at once, with $db in it', async () => {
  const { instance, engine } = await start(() => ({ ok: 1, n: 5 }));
  deepStrictEqual(await instance.execute(command({ ping: 1 })), { ok: 1, n: 5 });
  deepStrictEqual(engine.commands, [{ ping: 1, $db: 'db' }]);
  deepStrictEqual(instance.stats(), { commands: 1 });
});

test('a command larger than its region, over memory that grows, arrives whole', async () => {
  const { instance, engine } = await start((received) => ({ ok: 1, size: received.text.length }));
  const text = 'é'.repeat(300_000);
  const reply = await instance.execute(command({ big: 1, list: Array.from({ length: 2000 }, (_, index) => ({ index })), text }));
  strictEqual(reply.size, text.length);
  deepStrictEqual(engine.commands[0].list[1999], { index: 1999 });
  strictEqual(engine.commands[0].text, text);
});

test('tickets are answered in any order, each to its caller', async () => {
  const { instance, engine } = await start(() => LATER);
  const first = instance.execute(command({ a: 1 }));
  const second = instance.execute(command({ b: 1 }));
  const [one, two] = [...engine.pending.keys()];
  await engine.settle(two, { ok: 1, is: 'second' });
  await engine.settle(one, { ok: 0, errmsg: 'no', code: 2, codeName: 'BadValue' });
  strictEqual((await second).is, 'second');
  await rejects(first, (error) => error instanceof MongoServerError && error.code === 2 && error.codeName === 'BadValue');
});

test('user code that runs while a command is encoded may run commands', async () => {
  let instance;
  const inner = [];
  const started = await start(() => ({ ok: 1 }));
  instance = started.instance;
  class Nosy {
    toBSON() {
      inner.push(instance.execute(command({ inner: 'x'.repeat(200_000) })));
      return { seen: true };
    }
  }
  await instance.execute(command({ outer: 1, list: [new Nosy(), { between: 1 }, new Nosy()], end: 'y' }));
  await Promise.all(inner);
  deepStrictEqual(started.engine.commands.map((received) => Object.keys(received)[0]), ['inner', 'inner', 'outer']);
  deepStrictEqual(started.engine.commands[2], { outer: 1, list: [{ seen: true }, { between: 1 }, { seen: true }], end: 'y', $db: 'db' });
});

test('a value that cannot be encoded leaves no request behind', async () => {
  const { instance, engine } = await start(() => ({ ok: 1 }));
  await rejects(instance.execute(command({ a: { b: [Symbol('x')] } })), (error) => error.path === 'a.b.0');
  strictEqual(engine.cancelled, 1);
  deepStrictEqual(engine.commands, []);
  await instance.execute(command({ fine: 1 }));
});

test('a trap kills the engine: what is pending is rejected with the text of the panic', async () => {
  const { instance, engine } = await start((received) => (received.trap ? TRAP : LATER));
  const pending = instance.execute(command({ wait: 1 }));
  const isTrap = (error) => error instanceof InternalError && error.code === 1 && /index out of bounds/.test(error.message) && /lost/.test(error.message);
  await rejects(instance.execute(command({ trap: 1 })), isTrap);
  await rejects(pending, isTrap);
  strictEqual(instance.alive, false);
  const before = engine.commands.length;
  await rejects(instance.execute(command({ ping: 1 })), isTrap);
  throws(() => instance.stats(), isTrap);
  strictEqual(engine.commands.length, before);
  await instance.close();
});

test('a trap in a task of its own, and a panic that throws at nobody, kill the engine too', async () => {
  for (const breakIt of [
    (engine) => engine.hooks.schedule(() => engine.trap('broken in a task')),
    (engine) => engine.hooks.panic('broken in a task'),
  ]) {
    const { instance, engine } = await start(() => LATER);
    const pending = instance.execute(command({ wait: 1 }));
    breakIt(engine);
    await rejects(pending, /broken in a task/);
    strictEqual(instance.alive, false);
  }
});

test('an aborted command rejects with the reason, and the engine is told', async () => {
  const { instance, engine } = await start(() => LATER);
  const controller = new AbortController();
  const pending = instance.execute(command({ wait: 1 }, controller.signal));
  const [ticket] = engine.pending.keys();
  controller.abort(new Error('enough'));
  await rejects(pending, /enough/);
  deepStrictEqual(engine.aborted, [ticket]);
  await engine.settle(ticket, { ok: 0, errmsg: 'interrupted', code: 11601 });
  await rejects(instance.execute(command({ again: 1 }, controller.signal)), /enough/);
  strictEqual(engine.commands.length, 1);
});

test('an abort after the answer changes nothing', async () => {
  const { instance, engine } = await start(() => LATER);
  const controller = new AbortController();
  const pending = instance.execute(command({ wait: 1 }, controller.signal));
  const [ticket] = engine.pending.keys();
  await engine.settle(ticket, { ok: 1 });
  await pending;
  controller.abort();
  deepStrictEqual(engine.aborted, []);
});

test('closing settles what is pending and refuses what comes after', async () => {
  const { instance, engine } = await start(() => LATER);
  const pending = instance.execute(command({ wait: 1 }));
  await instance.close();
  strictEqual((await pending).settled, true);
  ok(engine.closed);
  await rejects(instance.execute(command({ ping: 1 })), MongoClientClosedError);
});

test('events of the store reach the client', async () => {
  const { engine, events } = await start(() => ({ ok: 1 }));
  engine.hooks.event('storage-lost', 'cleared by the user');
  await Promise.resolve();
  deepStrictEqual(events, [['storage-lost', 'cleared by the user']]);
});

test('an engine that lost its store answers what is under way, is closed and takes nothing new', async () => {
  const { instance, engine, events } = await start(() => LATER);
  const pending = instance.execute(command({ wait: 1 }));
  engine.hooks.event('connection-lost', 'closed by the browser');
  strictEqual(instance.alive, false);
  strictEqual((await pending).settled, true);
  ok(engine.closed);
  deepStrictEqual(events, [['connection-lost', 'closed by the browser']]);
  await instance.close();
});

test('closing ends in time, also when the engine never does', async () => {
  const { instance, engine } = await start(() => LATER, { config: { openTimeoutMS: 20 } });
  const pending = rejects(instance.execute(command({ wait: 1 })), MongoClientClosedError);
  engine.close = () => new Promise(() => undefined);
  await instance.close();
  await pending;
});

test('a callback of the browser in which the engine traps kills it; later ones are not called, and their transactions aborted', async () => {
  const { instance, engine } = await start(() => LATER);
  const pending = rejects(instance.execute(command({ wait: 1 })), /out of bounds/);
  const trap = engine.hooks.guard(() => {
    throw new WebAssembly.RuntimeError('memory access out of bounds');
  });
  // The browser has to see it too: it aborts the transaction then.
  throws(() => trap({ type: 'success' }), WebAssembly.RuntimeError);
  await pending;
  strictEqual(instance.alive, false);
  const seen = [];
  const later = engine.hooks.guard(() => seen.push('called'));
  later({ type: 'success', target: { transaction: { abort: () => seen.push('aborted') } } });
  later({ type: 'complete', target: {} });
  deepStrictEqual(seen, ['aborted']);
});

test('what the browser refused is the cause of the error, and of that one only', async () => {
  const full = { ok: 0, errmsg: 'no room', code: 14031, codeName: 'OutOfDiskSpace' };
  const { instance, engine } = await start(() => LATER);
  const first = instance.execute(command({ a: 1 }));
  const second = instance.execute(command({ b: 1 }));
  const [one, two] = [...engine.pending.keys()];
  const cause = new Error('QuotaExceededError');
  const { reply } = engine.hooks;
  engine.hooks.reply = (ticket, ...given) => {
    if (ticket === one) engine.hooks.storeError(cause);
    reply(ticket, ...given);
  };
  const refused = [rejects(first, (error) => error.code === 14031 && error.cause === cause), rejects(second, (error) => error.cause === undefined)];
  await engine.settle(one, full);
  await engine.settle(two, full);
  await Promise.all(refused);
});

test('an error of opening keeps its code, name and cause', async () => {
  const cause = new Error('QuotaExceededError');
  const openError = Object.assign(new Error('The store is of a newer format', { cause }), { code: 999, codeName: 'NewerFormat' });
  await rejects(
    EngineInstance.start(fakeGlue(() => ({ ok: 1 }), { openError }), {}, { ...config, store: 'indexeddb' }, () => undefined),
    (error) => error instanceof MongoEnvironmentError && error.code === 999 && error.codeName === 'NewerFormat' && error.cause === cause,
  );
});

test('a reply that says neither yes nor no is an error', async () => {
  const { instance } = await start(() => ({ n: 1 }));
  await rejects(instance.execute(command({ ping: 1 })), { name: 'MongoUnexpectedServerResponseError' });
});

test('a reply that comes before its ticket is known is not lost', async () => {
  const { instance } = await start(() => EARLY);
  strictEqual((await instance.execute(command({ a: 1 }))).early, true);
});

test('a call that the engine refuses with a code does not kill it', async () => {
  let refuse = true;
  const busy = Object.assign(new Error('the engine was called while it was at work'), { code: 20, codeName: 'IllegalOperation' });
  const { instance } = await start(() => (refuse ? busy : { ok: 1 }));
  await rejects(instance.execute(command({ a: 1 })), (error) => error.code === 20 && error.codeName === 'IllegalOperation');
  refuse = false;
  strictEqual((await instance.execute(command({ a: 1 }))).ok, 1);
});

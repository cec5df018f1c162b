// The differential's own parts: a seed gives the same world, a difference is found wherever it hides and made small, and
// what MongoDB leaves open is not compared.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode, fromEjson, toEjson } from '../conformance/values.mjs';
import { Coverage } from './coverage.mjs';
import { compare } from './differential.mjs';
import { worldOf } from './generate/world.mjs';
import { definedness, leavesUnknown } from './order.mjs';
import { shrink } from './shrink.mjs';

const text = (commands) => commands.map(toEjson).join('\n');
const read = (...lines) => lines.map((line) => fromEjson(line));

test('a seed and a number give one world, another number another', () => {
  assert.equal(text(worldOf(3, 5)), text(worldOf(3, 5)));
  assert.notEqual(text(worldOf(3, 5)), text(worldOf(3, 6)));
  assert.notEqual(text(worldOf(3, 5)), text(worldOf(4, 5)));
});

test('every command of many worlds is BSON, and every operator of the issue comes up', () => {
  const coverage = new Coverage();
  for (let world = 0; world < 60; world += 1) {
    for (const command of worldOf(11, world, { note: coverage.note })) decode(encode(command));
  }
  const used = String(coverage);
  for (const name of ['$and', '$or', '$nor', '$not', '$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists', '$type', '$size', '$mod', '$all', '$elemMatch', '$set', '$unset', '$inc', '$push', 'upsert', 'multi', 'replacement', 'batchSize']) {
    assert.ok(used.includes(`${name} `), `${name} is never used`);
  }
});

test('the answer is compared as far as MongoDB defines it', () => {
  const of = (line, indexed = true) => definedness(fromEjson(line), indexed);
  assert.equal(of('{"find":"c","filter":{"a":1}}'), 'multiset');
  assert.equal(of('{"find":"c","filter":{"a":1}}', false), 'exact');
  assert.equal(of('{"find":"c","filter":{"_id":{"$gt":1}}}', false), 'multiset');
  assert.equal(of('{"find":"c","filter":{},"limit":1}'), 'undefined');
  assert.equal(of('{"find":"c","filter":{},"sort":{"a":1},"limit":1}'), 'undefined');
  assert.equal(of('{"find":"c","filter":{},"sort":{"a":1,"_id":1},"limit":1}'), 'exact');
  assert.equal(of('{"update":"c","updates":[{"q":{"a":1},"u":{}}]}'), 'undefined');
  assert.equal(of('{"update":"c","updates":[{"q":{"_id":1},"u":{}}]}'), 'exact');
  assert.equal(of('{"delete":"c","deletes":[{"q":{"a":1},"limit":0}]}'), 'exact');
  assert.equal(of('{"delete":"c","deletes":[{"q":{"_id":{"$gt":1}},"limit":1}]}'), 'undefined');
  const multi = fromEjson('{"update":"c","updates":[{"q":{},"u":{},"multi":true}]}');
  assert.ok(leavesUnknown(multi, fromEjson('{"writeErrors":[]}'), true));
  assert.ok(!leavesUnknown(multi, fromEjson('{"writeErrors":[]}'), false));
});

/** A server that knows inserts and answers finds with everything; `fault(reply, command)` may change a reply. */
function server(fault = (reply) => reply) {
  let stored = [];
  const answer = (command) => {
    if (command.has('insert')) stored.push(...(command.get('documents') ?? []));
    if (!command.has('find')) return new Map([['n', 1]]);
    return new Map([['cursor', new Map([['firstBatch', [...stored]], ['id', 0n], ['ns', 'test.c']])]]);
  };
  return {
    reset: async () => { stored = []; },
    command: async (db, command) => decode(encode(new Map([...fault(answer(command), command), ['ok', fromEjson('{"$numberDouble":"1.0"}')]]))),
  };
}

const world = read(
  '{"insert":"c","documents":[{"_id":1,"a":5,"b":[1,2,3]},{"_id":2},{"_id":3,"a":7}]}',
  '{"count":"c","query":{}}',
  '{"find":"c","filter":{"a":{"$gt":1}},"sort":{"_id":1}}',
);

test('equal servers do not differ, and the first difference of others is found', async () => {
  assert.equal(await compare(world, server(), server()), undefined);
  const wrongCount = server((reply, command) => (command.has('count') ? new Map([['n', 2]]) : reply));
  assert.equal((await compare(world, server(), wrongCount)).index, 1);
});

test('a write that answers rightly but stores wrongly is found at once', async () => {
  const forgetful = server((reply, command) => {
    if (command.has('find')) reply.get('cursor').get('firstBatch').pop();
    return reply;
  });
  const found = await compare(world, server(), forgetful);
  assert.equal(found.index, 0);
  assert.match(found.text, /but then the collection/);
});

test('a cursor may end with its last document or with an empty batch after it', async () => {
  const find = read('{"find":"c","filter":{},"sort":{"_id":1},"batchSize":1}');
  const batches = (...sizes) => {
    const left = [...sizes];
    const command = async (db, asked) => {
      const documents = Array.from({ length: left.shift() ?? 0 }, () => new Map([['_id', 1]]));
      const cursor = new Map([[asked.has('find') ? 'firstBatch' : 'nextBatch', documents], ['id', left.length ? 9n : 0n]]);
      return decode(encode(new Map([['cursor', cursor], ['ok', fromEjson('{"$numberDouble":"1.0"}')]])));
    };
    return { reset: async () => {}, command };
  };
  assert.equal(await compare(find, batches(1, 1), batches(1, 1, 0)), undefined);
  assert.equal(await compare(find, batches(0), batches(0, 0)), undefined);
  assert.match((await compare(find, batches(1, 1), batches(1))).text, /2 batches and 1/);
  assert.match((await compare(find, batches(1, 1), batches(1, 0, 1))).text, /getMore 1/);
});

test('a difference is shrunk to what it needs', async () => {
  const wrongOnFives = server((reply, command) => {
    const fives = command.has('find') && command.has('sort') && reply.get('cursor').get('firstBatch').some((one) => one.get('a') === 5);
    return fives ? new Map([['cursor', new Map([['firstBatch', []], ['id', 0n], ['ns', 'test.c']])]]) : reply;
  });
  const fails = async (commands) => (await compare(commands, server(), wrongOnFives)) !== undefined;
  assert.equal(text(await shrink(world, fails)), text(read('{"insert":"c","documents":[{"a":5}]}', '{"find":"c","sort":{}}')));
});

test('coverage complains of filters that match all or nothing and of updates that change nothing', () => {
  const coverage = new Coverage();
  const find = fromEjson('{"find":"c","filter":{"a":1}}');
  const none = fromEjson('{"cursor":{"firstBatch":[]},"ok":{"$numberDouble":"1.0"}}');
  const one = fromEjson('{"cursor":{"firstBatch":[{}]},"ok":{"$numberDouble":"1.0"}}');
  for (let i = 0; i < 400; i += 1) coverage.compared(find, none, 5);
  assert.equal(coverage.problems.length, 1);
  for (let i = 0; i < 400; i += 1) coverage.compared(find, one, 5);
  assert.deepEqual(coverage.problems, []);
});

// The runner itself: its rules of comparison (README.md), and that it tells right from wrong.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conformanceFiles } from './files.mjs';
import { normalReply, parseFile, prepare, runFile } from './runner.mjs';
import { fromEjson, toEjson } from './values.mjs';

const reply = (text) => fromEjson(text);
const normal = (text, setting = {}) => toEjson(normalReply(reply(text), { ids: new Set(), ...setting }));
const OK = '"ok":{"$numberDouble":"1.0"}';

test('what changes from run to run is dropped', () => {
  assert.equal(normal(`{"n":1,"opTime":{"t":1},"electionId":1,"$clusterTime":{},"operationTime":1,${OK}}`), normal(`{"n":1,${OK}}`));
  assert.equal(normal(`{"cursor":{"id":{"$numberLong":"77"},"ns":"test.c","firstBatch":[]},${OK}}`), normal(`{"cursor":{"firstBatch":[],"id":{"$numberLong":"5"},"ns":"test.c"},${OK}}`));
  assert.notEqual(normal(`{"cursor":{"id":{"$numberLong":"77"}},${OK}}`), normal(`{"cursor":{"id":{"$numberLong":"0"}},${OK}}`));
  assert.equal(normal('{"u":{"$oid":"0123456789abcdef01234567"}}'), '{"u":{"$oid":"000000000000000000000000"}}');
  assert.equal(normal('{"u":{"$oid":"0123456789abcdef01234567"}}', { ids: new Set(['0123456789abcdef01234567']) }), '{"u":{"$oid":"0123456789abcdef01234567"}}');
});

test('order inside documents and numeric types are compared', () => {
  const batch = (documents) => normal(`{"cursor":{"firstBatch":${documents}},${OK}}`);
  assert.notEqual(batch('[{"a":1,"b":2}]'), batch('[{"b":2,"a":1}]'));
  assert.notEqual(batch('[{"a":1},{"a":2}]'), batch('[{"a":2},{"a":1}]'));
  assert.notEqual(batch('[{"a":1}]'), batch('[{"a":{"$numberDouble":"1.0"}}]'));
  const sorted = (documents) => normal(`{"cursor":{"firstBatch":${documents}},${OK}}`, { unordered: true });
  assert.equal(sorted('[{"a":1},{"a":2}]'), sorted('[{"a":2},{"a":1}]'));
  assert.notEqual(sorted('[{"a":1},{"a":1}]'), sorted('[{"a":1}]'));
});

test('keep and ignore follow paths through arrays', () => {
  const text = '{"a":{"b":1,"c":2},"l":[{"x":1,"y":2},{"x":3}],"z":9}';
  assert.equal(normal(text, { keep: ['a.b', 'l.*.x', 'none'] }), normal('{"a":{"b":1},"l":[{"x":1},{"x":3}]}'));
  assert.equal(normal(text, { keep: ['l.1'] }), normal('{"l":[{"x":3}]}'));
  assert.equal(normal(text, { ignore: ['a.b', 'l.*.x', 'z'] }), normal('{"a":{"c":2},"l":[{"y":2},{}]}'));
});

test('messages of write errors are compared for duplicate keys only', () => {
  const errors = (code, message) => normal(`{"writeErrors":[{"index":0,"code":${code},"errmsg":"${message}"}],${OK}}`);
  assert.equal(errors(14, 'one'), errors(14, 'other'));
  assert.notEqual(errors(11000, 'one'), errors(11000, 'other'));
});

test('placeholders become what they stand for', () => {
  const { db, command } = prepare(fromEjson('{"getMore":"<cursor>","s":"<x*3>","d":"<deep*2>","$db":"other","t":"<cursor>!"}'), 9n);
  assert.equal(db, 'other');
  assert.equal(toEjson(command), '{"getMore":{"$numberLong":"9"},"s":"xxx","d":{"a":{"a":{"$numberInt":"1"}}},"t":"<cursor>!"}');
});

/** A server that always answers the same. */
const always = (text) => async (db, command) => fromEjson(command.has('listDatabases') ? `{"databases":[],${OK}}` : text);
const file = (expect) => parseFile(`{"cases":[{"name":"one","command":{"ping":1},"expect":${expect}}]}`);
const problem = async (expect, answer) => (await runFile(file(expect), always(answer)))[0].problem;

test('a right answer passes, a wrong one is told', async () => {
  const right = `{"reply":{"n":{"$numberInt":"1"},${OK}}}`;
  assert.equal(await problem(right, `{"n":{"$numberInt":"1"},${OK}}`), undefined);
  assert.match(await problem(right, `{"n":{"$numberLong":"1"},${OK}}`), /numberLong/);
  assert.match(await problem(right, '{"ok":{"$numberDouble":"0.0"},"code":2,"codeName":"BadValue","errmsg":"x"}'), /error 2 BadValue/);
  const error = '{"error":{"code":2,"codeName":"BadValue","said":"x"}}';
  assert.equal(await problem(error, '{"ok":{"$numberDouble":"0.0"},"code":2,"codeName":"BadValue","errmsg":"y"}'), undefined);
  assert.match(await problem(error, '{"ok":{"$numberDouble":"0.0"},"code":3,"codeName":"BadValue","errmsg":"y"}'), /error 3/);
  assert.match(await problem(error, `{${OK}}`), /expected error 2/);
});

test('a case that needs a feature is skipped by name, a server that throws is a failure', async () => {
  const needy = parseFile(`{"requires":["text"],"cases":[{"name":"one","command":{"ping":1},"expect":{"reply":{${OK}}}}]}`);
  assert.deepEqual(await runFile(needy, always(`{${OK}}`)), [{ name: 'one', skipped: 'text' }]);
  assert.equal((await runFile(needy, always(`{${OK}}`), { features: new Set(['text']) }))[0].problem, undefined);
  const broken = async () => { throw new Error('trap'); };
  assert.match((await runFile(file(`{"reply":{${OK}}}`), broken))[0].problem, /trap/);
});

test('a command that is not built yet is neither right nor wrong', async () => {
  const [result] = await runFile(file(`{"reply":{${OK}}}`), always('{"ok":{"$numberDouble":"0.0"},"code":238,"codeName":"NotImplemented","errmsg":"$text"}'));
  assert.deepEqual(result, { name: 'one', notYet: '$text' });
});

test('every file can be read, names are unique, every case has expectations', async () => {
  const files = await conformanceFiles();
  assert.ok(files.length >= 20);
  for (const { name, cases } of files) {
    assert.equal(new Set(cases.map((one) => one.name)).size, cases.length, name);
    for (const one of cases) assert.equal([one.expect].flat().length, (one.commands ?? [one.command]).length, `${name}: ${one.name}`);
  }
});

// Runs conformance files (README.md) against anything that answers commands: `async command(db, Map) -> Map`.
// Works in Node and in a page; touches no file itself.
//
// Invariants
//   1. The comparison is on the canonical text of both replies after the same normal form was applied to both.
//   2. Nothing is skipped silently: every case gives a result, `skipped` names the feature that was missing.

import { Tagged, encode, fieldsOf, fromEjson, toEjson } from './values.mjs';

const KEPT_DATABASES = new Set(['admin', 'config', 'local']);
const VOLATILE = ['$clusterTime', 'operationTime', 'opTime', 'electionId', 'commitQuorum'];
const CURSOR_LISTS = ['cursorsKilled', 'cursorsNotFound', 'cursorsAlive', 'cursorsUnknown'];
const READS = new Set(['find', 'getMore', 'killCursors', 'count', 'explain', 'listIndexes', 'listCollections', 'ping',
  'hello', 'isMaster', 'ismaster', 'buildInfo', 'buildinfo']);
const FRESH_ID = '0'.repeat(24);
const DUPLICATE_KEY = 11000;
const NOT_IMPLEMENTED = 238;

/** A conformance file's text, parsed. */
export function parseFile(text) {
  const file = fromEjson(text);
  return { ...Object.fromEntries(file), cases: file.get('cases').map((one) => ({ ...Object.fromEntries(one) })) };
}

export const commandsOf = (one) => (one.commands ?? [one.command]);
export const expectationsOf = (one) => (one.commands ? one.expect : [one.expect]);

// ------------------------------------------------------------------------------------------ walking values

/** A copy in which `change(value)` replaced each value for which it gave something other than undefined. */
export function rewrite(value, change) {
  const changed = change(value);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change));
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Tagged) {
    if (value.type !== 'codeWithScope') return value;
    return new Tagged(value.type, { ...value.value, scope: rewrite(value.value.scope, change) });
  }
  return new Map([...fieldsOf(value)].map(([name, item]) => [name, rewrite(item, change)]));
}

function deepDocument(levels) {
  let found = new Map([['a', 1]]);
  for (let level = 1; level < levels; level += 1) found = new Map([['a', found]]);
  return found;
}

/** The command as it is sent: placeholders filled in, `$db` taken out. */
export function prepare(command, lastCursor) {
  const filled = rewrite(command, (value) => {
    if (typeof value !== 'string' || value[0] !== '<') return undefined;
    if (value === '<cursor>') return lastCursor ?? 0n;
    const repeated = /^<(.|deep)\*(\d+)>$/su.exec(value);
    if (!repeated) return undefined;
    const count = Number(repeated[2]);
    return repeated[1] === 'deep' ? deepDocument(count) : repeated[1].repeat(count);
  });
  const db = filled.get('$db') ?? 'test';
  filled.delete('$db');
  return { db, command: filled };
}

const split = (paths) => paths.map((path) => path.split('.'));

function without(value, paths) {
  if (value === null || typeof value !== 'object' || value instanceof Tagged) return value;
  const here = (name) => paths.filter(([head]) => head === '*' || head === name);
  const below = (name) => here(name).filter((path) => path.length > 1).map((path) => path.slice(1));
  const gone = (name) => here(name).some((path) => path.length === 1);
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => (gone(String(i)) ? [] : [without(item, below(String(i)))]));
  }
  return new Map([...value].filter(([name]) => !gone(name)).map(([name, item]) => [name, without(item, below(name))]));
}

function only(value, paths) {
  if (paths.length === 0) return undefined;
  if (paths.some((path) => path.length === 0)) return value;
  if (value === null || typeof value !== 'object' || value instanceof Tagged) return undefined;
  const below = (name) => paths.filter(([head]) => head === '*' || head === name).map((path) => path.slice(1));
  if (Array.isArray(value)) {
    return value.map((item, i) => only(item, below(String(i)))).filter((item) => item !== undefined);
  }
  const kept = new Map();
  for (const [name, item] of value) {
    const found = only(item, below(name));
    if (found !== undefined) kept.set(name, found);
  }
  return kept;
}

// ------------------------------------------------------------------------------------------ normal form

/** Every ObjectId in the commands of a case and in what it is given. */
export function knownIds(case_, given) {
  const known = new Set();
  rewrite([commandsOf(case_), given ?? null], (value) => {
    if (value instanceof Tagged && value.type === 'objectId') known.add(value.value);
    return undefined;
  });
  return known;
}

function normalCursor(cursor, unordered) {
  const copy = new Map(cursor);
  if (copy.has('id') && copy.get('id') !== 0n) copy.set('id', 1n);
  for (const batch of ['firstBatch', 'nextBatch']) {
    const entries = copy.get(batch);
    if (!Array.isArray(entries)) continue;
    const plain = entries.map((entry) => without(entry, [['info', 'uuid']]));
    copy.set(batch, unordered ? plain.map((e) => [toEjson(e), e]).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, e]) => e) : plain);
  }
  return copy;
}

function normalWriteError(error, withMessage) {
  if (error.get('code') === DUPLICATE_KEY) return error;
  return withMessage ? new Map(error).set('errmsg', withoutVolatile(error.get('errmsg'))) : without(error, [['errmsg']]);
}

/** The form in which replies are compared. `ids`: ObjectIds of the case; `cursors`: ids its replies gave; see README.md. */
export function normalReply(reply, { ids, cursors = new Set(), unordered, keep, ignore, withMessages }) {
  let normal = without(reply, VOLATILE.map((name) => [name]));
  if (normal.get('cursor') instanceof Map) normal.set('cursor', normalCursor(normal.get('cursor'), unordered));
  for (const list of CURSOR_LISTS) {
    const entries = normal.get(list);
    if (Array.isArray(entries)) normal.set(list, entries.map((id) => (cursors.has(id) ? 1n : id)));
  }
  const writeErrors = normal.get('writeErrors');
  if (Array.isArray(writeErrors)) normal.set('writeErrors', writeErrors.map((error) => normalWriteError(error, withMessages)));
  normal = rewrite(normal, (value) =>
    (value instanceof Tagged && value.type === 'objectId' && !ids.has(value.value) ? new Tagged('objectId', FRESH_ID) : undefined));
  if (keep) normal = only(normal, split(keep)) ?? new Map();
  return byName(ignore ? without(normal, split(ignore)) : normal);
}

/** The reply with the fields of its envelope in alphabetical order; what is inside documents stays as it is. */
function byName(reply) {
  const sorted = (map) => new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
  const envelope = new Map(reply);
  if (envelope.get('cursor') instanceof Map) envelope.set('cursor', sorted(envelope.get('cursor')));
  for (const list of ['writeErrors', 'upserted']) {
    if (Array.isArray(envelope.get(list))) envelope.set(list, envelope.get(list).map(sorted));
  }
  return sorted(envelope);
}

export const succeeded = (reply) => Number(reply.get('ok')?.value ?? reply.get('ok')) === 1;

// ------------------------------------------------------------------------------------------ running

async function must(command, db, document) {
  const reply = await command(db, document);
  if (succeeded(reply)) return reply;
  const error = new Error(`setting up, ${[...document.keys()][0]}: ${reply.get('code')} ${reply.get('errmsg')}`);
  throw Object.assign(error, { notYet: reply.get('code') === NOT_IMPLEMENTED ? reply.get('errmsg') : undefined });
}

async function dropEverything(command) {
  const list = await must(command, 'admin', new Map([['listDatabases', 1], ['nameOnly', true]]));
  for (const entry of list.get('databases')) {
    const name = entry.get('name');
    if (!KEPT_DATABASES.has(name)) await must(command, name, new Map([['dropDatabase', 1]]));
  }
}

/** Leaves nothing but the collections of `given`. `fresh`: a quicker way than dropping to have an empty server. */
export async function setUp(command, given, fresh = () => dropEverything(command)) {
  await fresh();
  for (const [name, collection] of given?.get('collections') ?? []) {
    await must(command, 'test', new Map([['create', name], ...(collection.get('options') ?? [])]));
    const indexes = collection.get('indexes') ?? [];
    if (indexes.length) await must(command, 'test', new Map([['createIndexes', name], ['indexes', indexes]]));
    const documents = collection.get('documents') ?? [];
    if (!documents.length) continue;
    const reply = await must(command, 'test', new Map([['insert', name], ['documents', documents]]));
    if (reply.has('writeErrors')) throw new Error(`setting up, insert: ${toEjson(reply.get('writeErrors'))}`);
  }
}

/** Sends a case's commands; gives each raw reply and what is needed to compare it. */
export async function ask(command, file, case_) {
  const setting = {
    ids: knownIds(case_, case_.given ?? file.given),
    cursors: new Set(),
    unordered: case_.unordered,
    keep: case_.keep ?? file.keep,
    ignore: case_.ignore,
  };
  const replies = [];
  let lastCursor;
  for (const document of commandsOf(case_)) {
    const prepared = prepare(document, lastCursor);
    const reply = await command(prepared.db, prepared.command);
    const cursor = reply.get('cursor');
    const id = cursor instanceof Map ? cursor.get('id') : undefined;
    if (typeof id === 'bigint' && id !== 0n) { lastCursor = id; setting.cursors.add(id); }
    replies.push(reply);
  }
  return { replies, setting };
}

/** A duplicate key message without what an index build says before it. */
export const fromE11000 = (message) => message?.slice(Math.max(0, message.indexOf('E11000')));

/** A message for people to read: ids of this run taken out, not longer than is worth reading. */
function withoutVolatile(message) {
  const plain = message.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>').replace(/\d{15,}/g, '<id>');
  return plain.length > 300 ? `${plain.slice(0, 300)}…` : plain;
}

/** The expectation that `reply` would fulfil. */
export function expectationFrom(reply, setting) {
  if (succeeded(reply)) return new Map([['reply', normalReply(reply, { ...setting, withMessages: true })]]);
  const { code = null, codeName = null, errmsg = null } = Object.fromEntries(reply);
  const message = code === DUPLICATE_KEY ? ['errmsg', fromE11000(errmsg)] : ['said', withoutVolatile(errmsg)];
  return new Map([['error', new Map([['code', code], ['codeName', codeName], message])]]);
}

/** Undefined if `reply` is as expected, else what is wrong, in a few lines. */
export function problemWith(reply, expected, setting) {
  const error = expected.get('error');
  if (!error) {
    if (!succeeded(reply)) return `expected a reply, got error ${reply.get('code')} ${reply.get('codeName')}: ${reply.get('errmsg')}`;
    const wanted = toEjson(normalReply(expected.get('reply'), setting));
    const found = toEjson(normalReply(reply, setting));
    return wanted === found ? undefined : `expected ${wanted}\n     got ${found}`;
  }
  const wanted = `error ${error.get('code')} ${error.get('codeName')}`;
  if (succeeded(reply)) return `expected ${wanted} (${error.get('errmsg') ?? error.get('said')})\n     got ${toEjson(reply)}`;
  const found = `error ${reply.get('code')} ${reply.get('codeName')}`;
  if (found !== wanted) return `expected ${wanted} (${error.get('errmsg') ?? error.get('said')})\n     got ${found} (${reply.get('errmsg')})`;
  const message = error.get('errmsg');
  return message === undefined || message === fromE11000(reply.get('errmsg')) ? undefined : `expected errmsg ${message}\n     got ${reply.get('errmsg')}`;
}

const isRead = (case_) => commandsOf(case_).every((document) => READS.has([...document.keys()][0]));

/** For a run over the cases of files: sets up what a case is given, unless it is there already. */
export function stage(command, fresh) {
  let current; // the `given` that is in place, untouched
  return async (file, case_) => {
    const given = case_.given ?? file.given;
    if (current === undefined || current !== given) await setUp(command, given, fresh);
    current = isRead(case_) && given !== undefined ? given : undefined;
  };
}

/**
 * Runs a parsed file. `features`: what the server has beyond the plain; `only(case)`: which cases; `fresh()`: see setUp.
 * @returns {Promise<Array<{name: string, problem?: string, skipped?: string, notYet?: string}>>} skipped: the feature that
 *   the runner lacks; notYet: what the server says it has not built (error 238 where MongoDB answers something else)
 */
export async function runFile(file, command, { features = new Set(), only: wanted, fresh } = {}) {
  const prepareStage = stage(command, fresh);
  const results = [];
  for (const case_ of file.cases) {
    if (wanted && !wanted(case_)) continue;
    const missing = [...(file.requires ?? []), ...(case_.requires ?? [])].find((name) => !features.has(name));
    if (missing) { results.push({ name: case_.name, skipped: missing }); continue; }
    results.push({ name: case_.name, ...(await runCase(file, case_, command, prepareStage)) });
  }
  return results;
}

/** What a reply says is not built yet: the message of an error 238, of the command or of one of its writes. */
export function notBuilt(reply) {
  const errors = [reply, ...(Array.isArray(reply.get('writeErrors')) ? reply.get('writeErrors') : [])];
  return errors.find((error) => error.get('code') === NOT_IMPLEMENTED)?.get('errmsg');
}

async function runCase(file, case_, command, prepareStage) {
  try {
    await prepareStage(file, case_);
    const { replies, setting } = await ask(command, file, case_);
    const expected = expectationsOf(case_);
    if (expected.length !== replies.length) return { problem: `${replies.length} commands but ${expected.length} expectations` };
    for (const [i, reply] of replies.entries()) {
      const missing = notBuilt(reply);
      if (missing !== undefined && expected[i].get('error')?.get('code') !== NOT_IMPLEMENTED) return { notYet: missing };
      const problem = problemWith(reply, expected[i], setting);
      if (problem) return { problem: replies.length > 1 ? `command ${i + 1}: ${problem}` : problem };
    }
    return {};
  } catch (error) {
    return error.notYet ? { notYet: error.notYet } : { problem: `failed: ${error.stack ?? error}` };
  }
}

/** `command(db, Map) -> Map` over anything that takes and gives BSON bytes. */
export const overBytes = (bytes, decode) => async (db, document) => decode(await bytes(db, encode(document)));

// The same commands to two servers, whole replies compared.
//
// Invariants
//   1. Both sides get the same bytes in the same order; a command whose answer MongoDB leaves open (order.mjs) goes to neither.
//   2. After every write, everything that is stored is compared, in its natural order.
//   3. The first difference ends the comparison: what follows it may only be its consequence.

import { fromE11000, knownIds, normalReply, notBuilt, prepare, succeeded } from '../conformance/runner.mjs';
import { toEjson } from '../conformance/values.mjs';
import { COLLECTION } from './generate/world.mjs';
import { definedness, hasIndexes, leavesUnknown } from './order.mjs';

const DATABASE = 'test';
const DUPLICATE_KEY = 11000;
const BATCHES_MAX = 60;
const EVERYTHING = new Map([['find', COLLECTION], ['hint', new Map([['$natural', 1]])], ['batchSize', 10000]]);
const CHANGES = ['insert', 'update', 'delete', 'createIndexes', 'dropIndexes', 'create'];
const STORES = ['insert', 'update', 'delete'];

const isWrite = (command) => CHANGES.some((name) => command.has(name));

/**
 * All replies that a command gives: a cursor is read to its end in batches of the size asked for. Whether a cursor ends with
 * its last document, or with an empty batch after it, depends on the plan: such a batch, and the ids, are not compared.
 */
async function repliesOf(side, command) {
  const replies = [await side.command(DATABASE, command)];
  for (let n = 0; n < BATCHES_MAX; n += 1) {
    const id = replies.at(-1).get('cursor')?.get?.('id');
    if (id === undefined || id === 0n) break;
    const size = command.get('batchSize') || 2;
    replies.push(await side.command(DATABASE, new Map([['getMore', id], ['collection', COLLECTION], ['batchSize', size]])));
  }
  const last = replies.at(-1).get('cursor')?.get?.('nextBatch');
  return replies.length > 1 && last?.length === 0 ? replies.slice(0, -1) : replies;
}

/** What is compared of one reply, as text. */
function comparable(command, reply, setting) {
  if (succeeded(reply)) return toEjson(normalReply(reply, { ...setting, ignore: ['cursor.id'] }));
  const message = reply.get('code') === DUPLICATE_KEY && !command.has('createIndexes') ? fromE11000(reply.get('errmsg')) : '';
  return `error ${reply.get('code')} ${reply.get('codeName')} ${message}`.trim();
}

const describe = (reply, text) => (succeeded(reply) ? text : `${text} (${reply.get('errmsg')})`);

function difference(command, left, right, setting) {
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    if (!left[i] || !right[i]) return `${left.length} batches and ${right.length} batches`;
    const [one, other] = [left[i], right[i]].map((reply) => comparable(command, reply, setting));
    if (one !== other) return `${i ? `getMore ${i}\n` : ''}  expected ${describe(left[i], one)}\n       got ${describe(right[i], other)}`;
  }
  return undefined;
}

/**
 * @param {Map[]} commands
 * @param {{command: Function, reset: Function}} oracle
 * @param {{command: Function, reset: Function, skips?: Function, instead?: Function}} ours  `skips(command)`: it gets `instead`
 * @param {{coverage?: Coverage, known?: Function, notYet?: Function}} options
 *   `known(command, difference)`: the number of an entry of differences.md;
 *   `notYet(message)` is told what is not built (238): such a read is not compared, and after such a write nothing is
 * @returns {Promise<undefined | {index: number, text: string}>} the first difference
 */
export async function compare(commands, oracle, ours, { coverage, known = () => undefined, notYet = () => {} } = {}) {
  const ids = knownIds({ commands });
  const indexed = hasIndexes(commands);
  let stored = 0;
  await Promise.all([oracle.reset(DATABASE, COLLECTION), ours.reset(DATABASE, COLLECTION)]);
  for (const [index, raw] of commands.entries()) {
    const { command } = prepare(raw);
    const defined = definedness(command, indexed);
    if (defined === 'undefined') continue;
    if (ours.skips?.(command)) {
      await Promise.all([oracle.command(DATABASE, command), ours.instead(DATABASE, command)]);
      continue;
    }
    const [left, right] = await Promise.all([repliesOf(oracle, command), repliesOf(ours, command)]);
    const missing = notBuilt(right[0]);
    if (missing !== undefined) {
      notYet(missing);
      if (isWrite(command)) return undefined;
      continue;
    }
    if (leavesUnknown(command, left[0], indexed) || leavesUnknown(command, right[0], indexed)) return undefined;
    coverage?.compared(command, left[0], stored);
    let text = difference(command, left, right, { ids, unordered: defined === 'multiset' });
    if (!text && STORES.some((name) => command.has(name))) {
      const [all, mine] = await Promise.all([oracle.command(DATABASE, EVERYTHING), ours.command(DATABASE, EVERYTHING)]);
      stored = all.get('cursor').get('firstBatch').length;
      const after = difference(EVERYTHING, [all], [mine], { ids });
      if (after) text = `the same reply, but then the collection\n${after}`;
    }
    if (!text) continue;
    if (known(command, text) === undefined) return { index, text };
    return undefined; // a known difference may have left other data behind
  }
  return undefined;
}

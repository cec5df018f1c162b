// dropIndexes by name, key, list and *; listIndexes.
import { double, given, index, numbered } from '../terms.mjs';

const dropped = (which, more = {}) => ({ commands: [{ dropIndexes: 'c', index: which, ...more }, { listIndexes: 'c' }] });
// In batches after the first MongoDB 6.0.5 puts `unique` before `key`: no unique index where those are read.
const plain = given(undefined, [index({ a: 1 }), index({ b: -1 }), index({ a: 1, b: 1 })]);
export default {
  given: given(numbered([1, 2]), [index({ a: 1 }), index({ b: -1 }), index({ a: 1, b: 1 }, { unique: true }), index({ 'a.b': 1 }, { name: 'dotted' })]),
  cases: [
    dropped('a_1'), dropped('dotted'), dropped('*'), dropped({ a: 1 }), dropped({ b: -1 }), dropped({ a: 1, b: 1 }), dropped({ a: double(1) }), dropped({ a: 1n }), dropped(['a_1']), dropped(['a_1', 'b_-1']), dropped([]), dropped(['a_1', 'nope']), dropped(['*']), dropped('nope'), dropped(''), dropped('_id_'), dropped(['_id_']), dropped({ _id: 1 }), dropped({ b: 1 }), dropped({ b: 1, a: 1 }), dropped({}), dropped(1), dropped(null), dropped([1]), dropped([{ a: 1 }]), dropped(['a_1', 'a_1']), dropped('a_1', { unknown: 1 }), dropped('a_1', { comment: 'x' }),
    { command: { dropIndexes: 'c' } }, { command: { dropIndexes: 'missing', index: 'a_1' } }, { command: { dropIndexes: 'missing', index: '*' } }, { command: { dropIndexes: 'c', index: 'a_1', $db: 'other' } }, { command: { dropIndexes: '', index: 'a_1' } }, { command: { dropIndexes: 1, index: 'a_1' } }, { commands: [{ dropIndexes: 'c', index: 'a_1' }, { dropIndexes: 'c', index: 'a_1' }] }, { commands: [{ deleteIndexes: 'c', index: 'a_1' }, { listIndexes: 'c' }] },
    { commands: [{ dropIndexes: 'c', index: 'a_1_b_1' }, { insert: 'c', documents: [{ _id: 3, a: 1 }] }] }, { commands: [{ dropIndexes: 'c', index: 'a_1' }, { createIndexes: 'c', indexes: [index({ a: 1 }, { unique: true })] }, { insert: 'c', documents: [{ _id: 3, a: 1 }] }] },
    { command: { listIndexes: 'c' } }, { command: { listIndexes: 'missing' } }, { command: { listIndexes: 'c', $db: 'other' } }, { command: { listIndexes: '' } }, { command: { listIndexes: 1 } }, { command: { listIndexes: 'c', unknown: 1 } }, { command: { listIndexes: 'c', cursor: {} } }, { command: { listIndexes: 'c', cursor: { batchSize: 10 } } }, { command: { listIndexes: 'c', cursor: 1 } }, { command: { listIndexes: 'c', cursor: { batchSize: -1 } } }, { commands: [{ listIndexes: 'c', cursor: { batchSize: 2 } }, { getMore: '<cursor>', collection: 'c' }], given: plain }, { commands: [{ listIndexes: 'c', cursor: { batchSize: 0 } }, { getMore: '<cursor>', collection: 'c' }], given: plain }, { command: { listIndexes: 'a$b' } },
  ],
};

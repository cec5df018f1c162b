// Unique indexes: which values are the same key, in inserts and updates.
import { decimal, double, given, index, undef } from '../terms.mjs';

const pair = (one, two, key = { a: 1 }) => ({
  command: { insert: 'c', documents: [{ _id: 1, ...one }, { _id: 2, ...two }] }, given: given(undefined, [index(key, { unique: true })]),
});
const a = (one, two) => pair({ a: one }, { a: two });
const ab = { a: 1, b: -1 };
const state = given([{ _id: 1, a: 1 }, { _id: 2, a: 2 }, { _id: 3, a: [3, 4] }], [index({ a: 1 }, { unique: true })]);
const change = (q, u, more = {}) => ({ commands: [{ update: 'c', updates: [{ q, u, ...more }] }, { find: 'c', sort: { _id: 1 } }], given: state });
export default {
  cases: [
    a(1, 1), a(1, 1n), a(1, double(1)), a(1, decimal('1')), a(1, decimal('1.00')), a(double(0.1), decimal('0.1')), a(double(-0), 0), a(double(NaN), decimal('NaN')), a(null, null), a(null, undef), a(9007199254740993n, double(9007199254740992)), a('a', 'A'), a('', ''), a('a', 'a'), a([], []), a([], undef), a([], null), a([1, 2], [2, 3]), a([1, 2], [3, 4]), a([1, 1], 2), a([1, 1], 1), a([[1]], [1]), a([[1]], [[1]]), a({}, {}), a({ x: 1 }, { x: double(1) }), a({ x: 1, y: 2 }, { y: 2, x: 1 }), a(true, true), a(true, 1), a('a"b\\', 'a"b\\'), a('é\n', 'é\n'),
    pair({ a: 1 }, {}), pair({}, {}), pair({}, { a: null }), pair({}, { a: [] }), pair({}, { a: [null] }),
    pair({ a: 1, b: 1 }, { a: 1, b: 1 }, ab), pair({ a: 1, b: 1 }, { a: 1, b: 2 }, ab), pair({ a: 1 }, { a: 1 }, ab), pair({ a: [1, 2], b: 1 }, { a: 2, b: 1 }, ab), pair({ a: [1, 2], b: 1 }, { a: 2, b: 2 }, ab), pair({ b: 'x' }, { b: 'x', a: null }, ab),
    pair({ a: { b: 1 } }, { a: { b: 1 } }, { 'a.b': 1 }), pair({ a: [{ b: 1 }, { b: 2 }] }, { a: { b: 2 } }, { 'a.b': 1 }), pair({ a: [{ b: 1 }, { b: 1 }] }, { a: {} }, { 'a.b': 1 }), pair({ a: 5 }, { a: {} }, { 'a.b': 1 }), pair({ a: [] }, { a: 1 }, { 'a.b': 1 }), pair({ a: { b: 1 } }, { a: [{ b: 1 }] }, { 'a.b': -1 }), pair({ a: [[{ b: 1 }]] }, { a: [] }, { 'a.b': 1 }),
    change({ _id: 1 }, { $set: { a: 2 } }), change({ _id: 1 }, { $set: { a: 1 } }), change({ _id: 1 }, { $set: { a: double(1) } }), change({ _id: 1 }, { $set: { a: [1, 4] } }), change({ _id: 1 }, { $unset: { a: 1 } }), change({ _id: 1 }, { a: 4 }), change({ _id: 1 }, { a: 5 }), change({}, { $set: { a: 9 } }, { multi: true }), change({}, { $inc: { b: 1 } }, { multi: true }), change({ _id: { $lte: 2 } }, { $inc: { a: 1 } }, { multi: true }), change({ _id: 3 }, { $push: { a: 2 } }), change({ _id: 3 }, { $push: { a: 3 } }), change({ _id: 7 }, { $set: { a: 1 } }, { upsert: true }), change({ a: 7 }, { $set: { b: 1 } }, { upsert: true }),
    { command: { insert: 'c', documents: [{ _id: 4, a: 1 }, { _id: 5, a: 5 }, { _id: 6, a: 4 }, { _id: 1, a: 9 }], ordered: false }, given: state }, { commands: [{ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }, { insert: 'c', documents: [{ _id: 4, a: 1 }] }, { insert: 'c', documents: [{ _id: 1, a: 1 }] }], given: state },
  ],
};

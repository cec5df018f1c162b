// sort, skip, limit: mixed types, arrays, dotted and compound keys; with and without an index, the answer is the same.
import { date, decimal, double, find, given, index, undef } from '../terms.mjs';

const documents = [
  { _id: 1, a: 3, b: 'x' }, { _id: 2, a: [5, 1], b: 'y' }, { _id: 3, a: null, b: 'x' }, { _id: 4, b: 'z' }, { _id: 5, a: [], b: 'y' }, { _id: 6, a: 'str', b: 1 },
  { _id: 7, a: double(NaN), b: 2 }, { _id: 8, a: { c: 1 }, b: [3, 0] }, { _id: 9, a: [{ c: 5 }, { c: 0 }], b: null }, { _id: 10, a: true }, { _id: 11, a: date(0), b: 'x' }, { _id: 12, a: decimal('2.5'), b: 'y' },
  { _id: 13, a: undef, b: {} }, { _id: 14, a: [[2]], b: [] }, { _id: 15, a: [null, 7], b: double(-0) }, { _id: 16, a: 3n, b: 0 }, { _id: 17, a: double(3), b: 'w' }, { _id: 18, a: { c: [9, 2] }, b: 'v' }, { _id: 19, a: [[], 4], b: 'u' }, { _id: 20, a: ['t', 2], b: 't' },
];
const sorts = [{ a: 1, _id: 1 }, { a: -1, _id: 1 }, { a: 1, _id: -1 }, { b: 1, _id: 1 }, { b: -1, _id: -1 }, { 'a.c': 1, _id: 1 }, { 'a.c': -1, _id: 1 }, { a: 1, b: 1 }, { b: 1, a: -1, _id: 1 }, { 'a.0': 1, _id: 1 },
  { 'a.0': -1, _id: 1 }, { _id: 1 }, { _id: -1 }, { missing: 1, _id: 1 }, { 'a.c.0': 1, _id: 1 }, { a: double(1), _id: 1n }, { a: decimal('-1'), _id: 1 }];
const indexes = [index({ a: 1 }), index({ b: 1, a: -1 }), index({ 'a.c': 1, _id: 1 })];
const shown = { projection: { _id: 1 } };
// An index on both a and b refuses arrays in both.
const indexable = documents.filter(({ a, b }) => !(Array.isArray(a) && Array.isArray(b)));
const indexed = given(indexable, indexes);
const onIndexes = (one) => ({ ...one, given: indexed });
const bad = [{ a: 0 }, { a: 2 }, { a: -2 }, { a: 'x' }, { a: null }, { a: true }, { a: double(1.5) }, { a: {} }, { a: { $meta: 'x' } }, { '': 1 }, { $a: 1 }, { 'a.': 1 }, { 'a..b': 1 }, { '.a': 1 }, { a: [] }, { 'a.$b': 1 }, { $natural: 0 }, { $natural: 1, a: 1 }];
export default {
  given: given(documents),
  cases: [
    ...sorts.map((sort) => find({}, { sort, ...shown })),
    ...[1, 2, 6].map((i) => find({ a: { $gte: 1 } }, { sort: sorts[i], ...shown })), find({ b: { $in: ['x', 'y', null] } }, { sort: { b: -1, _id: 1 }, ...shown }),
    find({}, { sort: { $natural: 1 }, ...shown }), find({}, { sort: { $natural: -1 }, ...shown }), find({ a: { $exists: true } }, { sort: { $natural: -1 }, limit: 2, ...shown }), find({}, { sort: {}, ...shown }),
    ...sorts.filter((_, i) => i % 3 !== 2).map((sort) => onIndexes(find({}, { sort, ...shown }))),
    onIndexes(find({ a: { $gte: 1 } }, { sort: { a: 1, _id: 1 }, ...shown })), onIndexes(find({ a: { $gt: 0 } }, { sort: { a: -1, _id: 1 }, ...shown })), onIndexes(find({ b: 'x' }, { sort: { a: -1, _id: 1 }, ...shown })), onIndexes(find({ a: { $in: [3, null, 't'] } }, { sort: { _id: 1 }, ...shown })),
    find({}, { sort: { a: 1, _id: 1 }, skip: 3, ...shown }), find({}, { sort: { a: 1, _id: 1 }, limit: 3, ...shown }), find({}, { sort: { a: -1, _id: 1 }, skip: 2, limit: 5, ...shown }), find({}, { sort: { _id: 1 }, skip: 19, limit: 5, ...shown }),
    find({}, { sort: { _id: 1 }, skip: 20, ...shown }), find({}, { sort: { _id: 1 }, limit: 0, ...shown }), find({}, { skip: 0, limit: 2, ...shown }), find({}, { skip: 2n, limit: double(2), ...shown }), find({}, { skip: decimal('1'), limit: 1, ...shown }), find({ a: 3 }, { skip: 1, ...shown }),
    find({}, { limit: double(2.9), ...shown }), find({}, { skip: double(1.9), limit: 1, ...shown }), find({}, { limit: 9223372036854775807n, ...shown }), find({}, { skip: 9223372036854775807n, limit: 9223372036854775807n }), find({}, { sort: { a: 1, _id: 1 }, skip: 9223372036854775807n, limit: 9223372036854775807n }),
    find({}, { skip: -1 }), find({}, { limit: -1 }), find({}, { limit: -2n }), find({}, { skip: 'x' }), find({}, { limit: 'x' }), find({}, { limit: null, ...shown }), find({}, { skip: null, limit: 1, ...shown }), find({}, { skip: true }), find({}, { limit: {} }), find({}, { limit: double(NaN), ...shown }), find({}, { limit: double(1e300) }),
    ...bad.map((sort) => find({}, { sort, ...shown })), find({}, { sort: 1 }), find({}, { sort: 'a' }), find({}, { sort: [] }), find({}, { sort: null, ...shown }), find({}, { sort: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1])) }),
  ],
};

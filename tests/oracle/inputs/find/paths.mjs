// Dotted paths over nested documents and arrays, positions, null and missing at the end of a path.
import { doc, given, match, undef } from '../terms.mjs';

const documents = [
  { _id: 1, a: { b: 1 } }, { _id: 2, a: { b: null } }, { _id: 3, a: {} }, { _id: 4, a: null }, { _id: 5 }, { _id: 6, a: 1 }, { _id: 7, a: [] }, { _id: 8, a: [1, 2] },
  { _id: 9, a: [{ b: 1 }, { b: 2 }] }, { _id: 10, a: [{ b: 1 }, {}] }, { _id: 11, a: [{ c: 1 }] }, { _id: 12, a: [{ b: [1, 2] }] }, { _id: 13, a: [[{ b: 1 }]] }, { _id: 14, a: [1, { b: 3 }] },
  { _id: 15, a: { b: [{ c: 1 }, { c: [2, 3] }] } }, { _id: 16, a: { b: { c: 1 } } }, { _id: 17, a: doc(['0', 5], ['1', { b: 1 }]) }, { _id: 18, a: [doc(['0', 7]), 8] }, { _id: 19, a: [[5, 6], [7]] },
  { _id: 20, a: [null, { b: null }] }, { _id: 21, a: [undef] }, { _id: 22, a: { b: [] } }, { _id: 23, a: [{ b: [] }, { b: {} }] }, { _id: 24, a: [[[{ b: 1 }]], 5] }, { _id: 25, a: { '': 1 } },
];
const paths = ['a.b', 'a.0', 'a.1', 'a.0.b', 'a.1.b', 'a.b.c', 'a.b.0', 'a.b.0.c', 'a.0.0', 'a.0.0.b', 'a.b.b', 'a.', 'a.00', 'a.-1', 'a.10'];
const operands = [1, null, 2, { $gt: 0 }, { $ne: 1 }, { $ne: null }, { $exists: false }];
export default {
  given: given(documents),
  cases: [
    ...paths.flatMap((path) => operands.slice(0, path.length < 6 || path === 'a.0.b' ? 7 : 3).map((v) => match({ [path]: v }))),
    match({ a: { $in: [null, 1] } }), match({ 'a.b': { $in: [null] } }), match({ 'a.b': { $nin: [null, 1] } }), match({ 'a.b': [] }), match({ 'a.b': {} }), match({ 'a.b': [1, 2] }), match({ 'a.0': [5, 6] }),
    match({ 'a.b.c': { $gte: 2 } }), match({ 'a.b': { $lte: null } }), match({ 'a.b': { $gte: null } }), match({ 'a.b': { $not: { $gt: 1 } } }), match({ 'a.b': { $size: 0 } }), match({ 'a.b': { $type: 'array' } }), match({ 'a.b': undef }),
    match({ a: { b: 1 } }), match({ a: { b: 1, c: 1 } }), match({ a: [{ b: 1 }, { b: 2 }] }), match({ a: { $elemMatch: { b: { $gt: 2 } } } }), match({ 'a.0.1': 6 }), match({ 'a.1.0': 7 }), match({ 'a.0': { $gt: [5] } }),
  ],
};

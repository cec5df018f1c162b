// $exists, $type (what it refuses; see type.mjs), $mod, $size, $all, $elemMatch.
import { code, date, decimal, double, given, match, maxKey, minKey, oid, regex, undef } from '../terms.mjs';

const documents = [
  { _id: 1, a: 1 }, { _id: 2, a: 4n }, { _id: 3, a: double(4.7) }, { _id: 4, a: decimal('8.9') }, { _id: 5, a: null }, { _id: 6 }, { _id: 7, a: undef }, { _id: 8, a: [] },
  { _id: 9, a: [1, 2, 3] }, { _id: 10, a: [[1, 2], [3]] }, { _id: 11, a: [{ b: 1, c: 2 }, { b: 2, c: 1 }] }, { _id: 12, a: [{ b: [1, 5] }, { b: [2] }] }, { _id: 13, a: 'x' },
  { _id: 14, a: ['x', 'y', 'xy'] }, { _id: 15, a: { b: 1 } }, { _id: 16, a: { b: [{ c: 1 }, { c: 2 }] } }, { _id: 17, a: double(NaN) }, { _id: 18, a: double(Infinity) }, { _id: 19, a: -5 },
  { _id: 20, a: [null] }, { _id: 21, a: [[]] }, { _id: 22, a: 9223372036854775807n }, { _id: 23, a: [8, 80] }, { _id: 24, a: date(0) }, { _id: 25, a: [{}, 1] }, { _id: 26, a: decimal('NaN') },
];
export default {
  given: given(documents),
  cases: [
    match({ a: { $exists: true } }), match({ a: { $exists: false } }), match({ a: { $exists: 1 } }), match({ a: { $exists: 0 } }), match({ a: { $exists: null } }), match({ a: { $exists: 'x' } }),
    match({ a: { $exists: double(0) } }), match({ a: { $exists: undef } }), match({ a: { $exists: [] } }), match({ 'a.b': { $exists: true } }), match({ 'a.b': { $exists: false } }), match({ 'a.0': { $exists: true } }),
    match({ 'a.b.c': { $exists: true } }), match({ 'a.1': { $exists: true } }), match({ 'a.0.0': { $exists: true } }), match({ 'a.0.b': { $exists: true } }), match({ a: { $exists: true, $ne: null } }),
    match({ a: { $type: [] } }), match({ a: { $type: 0 } }), match({ a: { $type: 20 } }), match({ a: { $type: 'Number' } }), match({ a: { $type: double(1.5) } }), match({ a: { $type: null } }),
    match({ a: { $type: {} } }), match({ a: { $type: 255 } }), match({ a: { $type: -2 } }), match({ a: { $type: ['x'] } }), match({ a: { $type: true } }), match({ 'a.b': { $type: 'int' } }), match({ 'a.b': { $type: 'array' } }), match({ 'a.0': { $type: 'array' } }),
    match({ a: { $mod: [4, 0] } }), match({ a: { $mod: [4, 1] } }), match({ a: { $mod: [5, 0] } }), match({ a: { $mod: [-4, 0] } }), match({ a: { $mod: [4, -1] } }), match({ a: { $mod: [double(4.9), double(0.9)] } }),
    match({ a: { $mod: [decimal('2'), 0n] } }), match({ a: { $mod: [10, 7] } }), match({ a: { $mod: [0, 0] } }), match({ a: { $mod: [1] } }), match({ a: { $mod: [] } }), match({ a: { $mod: [1, 2, 3] } }),
    match({ a: { $mod: 1 } }), match({ a: { $mod: ['a', 1] } }), match({ a: { $mod: [4, 'a'] } }), match({ a: { $mod: [double(0.5), 0] } }), match({ a: { $mod: [double(NaN), 0] } }), match({ a: { $mod: [4, double(Infinity)] } }), match({ a: { $mod: [null, 0] } }), match({ a: { $mod: [9223372036854775807n, 0] } }),
    match({ a: { $size: 0 } }), match({ a: { $size: 3 } }), match({ a: { $size: 2n } }), match({ a: { $size: double(1) } }), match({ a: { $size: decimal('2') } }), match({ 'a.b': { $size: 2 } }), match({ 'a.0': { $size: 2 } }),
    match({ a: { $size: -1 } }), match({ a: { $size: double(1.5) } }), match({ a: { $size: 'x' } }), match({ a: { $size: null } }), match({ a: { $size: 4294967296n } }), match({ a: { $size: [] } }),
    match({ a: { $all: [1] } }), match({ a: { $all: [1, 3] } }), match({ a: { $all: [] } }), match({ a: { $all: [null] } }), match({ a: { $all: [[1, 2]] } }), match({ a: { $all: [[1, 2], [3]] } }), match({ a: { $all: ['x', regex('^y')] } }),
    match({ a: { $all: [[]] } }), match({ 'a.b': { $all: [1, 2] } }), match({ a: { $all: [{ b: 1 }] } }), match({ a: { $all: [1, 1] } }), match({ a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } }),
    match({ a: { $all: 1 } }), match({ a: { $all: {} } }), match({ a: { $all: [{ $gt: 1 }] } }), match({ a: { $all: [{ $elemMatch: { b: 1 } }, 1] } }), match({ a: { $all: [1, { $elemMatch: { b: 1 } }] } }), match({ a: { $not: { $all: [1] } } }),
    match({ a: { $elemMatch: { b: 1 } } }), match({ a: { $elemMatch: { b: 1, c: 2 } } }), match({ a: { $elemMatch: { b: 1, c: 1 } } }), match({ 'a.b': 1, 'a.c': 1 }), match({ a: { $elemMatch: { $gt: 1, $lt: 3 } } }), match({ a: { $elemMatch: { $gt: 3, $lt: 8 } } }),
    match({ a: { $elemMatch: {} } }), match({ a: { $elemMatch: { $eq: null } } }), match({ a: { $elemMatch: { b: null } } }), match({ a: { $elemMatch: { b: { $exists: false } } } }), match({ a: { $elemMatch: { 0: 1 } } }), match({ a: { $elemMatch: { $elemMatch: { $gt: 1 } } } }),
    match({ a: { $elemMatch: { $size: 0 } } }), match({ a: { $elemMatch: { $in: [1, 'x'] } } }), match({ a: { $elemMatch: { $nin: [1, 'x'] } } }), match({ a: { $elemMatch: { $ne: 1 } } }), match({ a: { $elemMatch: { $not: { $gte: 2 } } } }), match({ a: { $elemMatch: { $or: [{ b: 1 }, { c: 1 }] } } }),
    match({ a: { $elemMatch: { b: { $elemMatch: { $gt: 4 } } } } }), match({ 'a.b': { $elemMatch: { c: 2 } } }), match({ a: { $elemMatch: 1 } }), match({ a: { $elemMatch: [] } }), match({ a: { $elemMatch: null } }), match({ a: { $elemMatch: { $bad: 1 } } }), match({ a: { $elemMatch: { $gt: 1, b: 1 } } }),
    match({ a: { $not: { $elemMatch: { b: 1 } } } }), match({ a: { $elemMatch: { b: 1 }, $size: 2 } }), match({ a: { $type: oid('000000000000000000000000') } }), match({ a: { $type: code('x') } }), match({ a: { $type: [minKey, maxKey] } }),
  ],
};

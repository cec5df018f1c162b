// $eq $ne $gt $gte $lt $lte $in $nin on values, null, missing, arrays.
import { date, decimal, double, given, match, regex, undef, minKey, maxKey } from '../terms.mjs';

const documents = [
  { _id: 1, a: 1 }, { _id: 2, a: 2n }, { _id: 3, a: double(2.5) }, { _id: 4, a: decimal('3') }, { _id: 5, a: null }, { _id: 6 },
  { _id: 7, a: undef }, { _id: 8, a: [] }, { _id: 9, a: [1, 3] }, { _id: 10, a: [[1, 3]] }, { _id: 11, a: [null] }, { _id: 12, a: [undef] },
  { _id: 13, a: '1' }, { _id: 14, a: '' }, { _id: 15, a: { b: 1 } }, { _id: 16, a: { b: 1, c: 2 } }, { _id: 17, a: [{ b: 1 }] }, { _id: 18, a: true },
  { _id: 19, a: date(-86400000) }, { _id: 20, a: date(0) }, { _id: 21, a: double(NaN) }, { _id: 22, a: [double(NaN), 5] }, { _id: 23, a: 'abc' },
  { _id: 24, a: ['abc', 'x'] }, { _id: 25, a: regex('b') }, { _id: 26, a: minKey }, { _id: 27, a: maxKey }, { _id: 28, a: [0, 10] }, { _id: 29, a: { c: 2, b: 1 } },
];
const operands = [1, 2, double(2.5), decimal('3'), null, [], [1, 3], [[1, 3]], [1], '1', '', { b: 1 }, {}, { c: 2, b: 1 }, true, false,
  date(-86400000), date(-1), double(NaN), minKey, maxKey, double(-0), 9007199254740993n, double(Infinity)];
export default {
  given: given(documents),
  cases: [
    ...operands.map((v) => match({ a: v })),
    ...operands.map((v) => match({ a: { $ne: v } })),
    ...operands.map((v) => match({ a: { $gte: v } })),
    ...operands.map((v) => match({ a: { $lt: v } })),
    match({ a: { $gt: 1, $lt: 3 } }), match({ a: { $gt: 1, $gt2: 3 } }), match({ a: { $gt: 9, $lt: 1 } }), match({ a: { $gte: '', $lt: 'b' } }),
    match({ a: regex('b') }), match({ a: { $ne: regex('b') } }), match({ a: { $gt: regex('b') } }), match({ a: { $eq: regex('b') } }), match({ a: { $eq: undef } }),
    match({ a: { $in: [] } }), match({ a: { $in: [1] } }), match({ a: { $in: [1, null] } }), match({ a: { $in: [null] } }), match({ a: { $in: [[]] } }),
    match({ a: { $in: [[1, 3], 'x'] } }), match({ a: { $in: [regex('b'), 1] } }), match({ a: { $in: [double(NaN)] } }), match({ a: { $in: [undef] } }),
    match({ a: { $in: [{ b: 1 }, { b: 1 }] } }), match({ a: { $in: 1 } }), match({ a: { $in: {} } }), match({ a: { $in: [{ $gt: 1 }] } }), match({ a: { $in: [minKey, maxKey] } }),
    match({ a: { $nin: [] } }), match({ a: { $nin: [1] } }), match({ a: { $nin: [null] } }), match({ a: { $nin: [1, 2, 'abc'] } }), match({ a: { $nin: [[]] } }),
    match({ a: { $nin: [regex('b')] } }), match({ a: { $nin: 1 } }), match({ a: { $nin: null } }), match({ a: { $in: [1], $nin: [3] } }),
    match({ a: { $gt: 1, b: 1 } }), match({ a: { b: 1, $gt: 1 } }), match({ a: { $unknown: 1 } }), match({ a: { $eq: { $gt: 1 } } }), match({ a: { $: 1 } }),
    match({ a: {} }), match({}), match({ _id: 1 }), match({ _id: { $in: [1, 3, 99, 3] } }), match({ _id: { $gt: 27 } }), match({ _id: null }), match({ _id: [1] }),
    match({ '': 1 }), match({ 'a.': 1 }), match({ '.a': 1 }), match({ 'a..b': 1 }), match({ $a: 1 }), match({ b: 1 }), match({ b: null }), match({ b: { $ne: null } }),
  ],
};

// $and $or $nor $not, nested and empty, and what is refused.
import { given, match, regex } from '../terms.mjs';

const documents = [
  { _id: 1, a: 1, b: 1 }, { _id: 2, a: 1, b: 2 }, { _id: 3, a: 2, b: 1 }, { _id: 4, a: [1, 2], b: [2, 3] }, { _id: 5, a: null, b: 1 }, { _id: 6, b: 1 },
  { _id: 7, a: 'x' }, { _id: 8, a: { c: 1 } }, { _id: 9, a: [] }, { _id: 10 },
];
export default {
  given: given(documents),
  cases: [
    match({ $and: [{ a: 1 }, { b: 1 }] }), match({ $and: [{ a: 1 }, { a: 2 }] }), match({ a: 1, b: 2 }), match({ $and: [{}] }), match({ $and: [{ a: { $gt: 0 } }, { a: { $lt: 2 } }], b: 1 }),
    match({ $or: [{ a: 1 }, { b: 1 }] }), match({ $or: [{ a: 2 }] }), match({ $or: [{}] }), match({ $or: [{ a: 1 }, { a: null }], b: 1 }), match({ $or: [{ $and: [{ a: 1 }, { b: 2 }] }, { a: 'x' }] }),
    match({ $nor: [{ a: 1 }, { b: 1 }] }), match({ $nor: [{ a: null }] }), match({ $nor: [{}] }), match({ $nor: [{ $or: [{ a: 1 }] }, { $nor: [{ a: 2 }] }] }),
    match({ a: { $not: { $gt: 1 } } }), match({ a: { $not: { $eq: null } } }), match({ a: { $not: { $not: { $eq: 1 } } } }), match({ a: { $not: { $gt: 0, $lt: 2 } } }),
    match({ a: { $not: regex('x') } }), match({ a: { $not: { $in: [1, null] } } }), match({ a: { $not: { $size: 0 } } }), match({ a: { $not: { $exists: true } } }), match({ 'a.c': { $not: { $eq: 1 } } }),
    match({ $and: [{ $or: [{ a: 1 }, { a: 2 }] }, { $or: [{ b: 1 }, { b: 3 }] }] }), match({ $and: [{ $nor: [{ a: 1 }] }, { b: { $exists: true } }] }),
    match({ $and: [] }), match({ $or: [] }), match({ $nor: [] }), match({ $and: 1 }), match({ $or: {} }), match({ $or: [1] }), match({ $nor: 'x' }), match({ $and: [[]] }),
    match({ a: { $not: 1 } }), match({ a: { $not: {} } }), match({ a: { $not: [] } }), match({ a: { $not: 'x' } }), match({ a: { $not: { b: 1 } } }), match({ $not: { a: 1 } }), match({ a: { $and: [{ b: 1 }] } }),
    match({ a: { $or: [] } }), match({ $and: [{ $bad: 1 }] }), match({ $unknown: [] }), match({ a: { $not: { $bad: 1 } } }), match({ $comment: 'hello', a: 1 }), match({ $comment: { x: 1 } }),
    match({ $alwaysTrue: 1 }), match({ $alwaysFalse: 1 }), match({ $alwaysTrue: 2 }),
  ],
};

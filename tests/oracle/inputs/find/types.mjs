// Every BSON type in comparisons: equality, order, type brackets.
import { everyType, given, match, numbered, find } from '../terms.mjs';

// Timestamps with both parts 0 are filled in by the server, so none is here.
const probes = everyType.filter((_, i) => i % 2 === 0 || i < 31);
const notForOrder = (v) => v && v.type === 'regex';
export default {
  given: given(numbered(everyType)),
  cases: [
    ...everyType.filter((v) => !notForOrder(v)).map((v) => match({ a: { $eq: v } })),
    ...everyType.filter(notForOrder).map((v) => match({ a: { $eq: v } })),
    ...probes.map((v) => match({ a: { $gt: v } })),
    ...probes.map((v) => match({ a: { $lte: v } })),
    find({}, { sort: { a: 1, _id: 1 }, projection: { _id: 1 } }),
    find({}, { sort: { a: -1, _id: 1 }, projection: { _id: 1 } }),
    find({ a: { $gte: null } }),
    find({ a: { $not: { $gt: 1 } } }, { projection: { _id: 1 } }),
  ],
};

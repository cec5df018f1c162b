// Inclusion and exclusion: nested paths, arrays, the place of _id, field order, and what cannot be mixed.
import { date, decimal, doc, double, find, given, undef } from '../terms.mjs';

const documents = [
  { _id: 1, a: 1, b: { c: 1, d: { e: 2, f: 3 } }, z: [1, { c: 1, d: 2 }, [{ c: 3, d: 4 }, 5], null] },
  { b: 5, _id: 2, a: { b: { c: 9 } }, z: { c: null, d: undef } },
  { _id: 3, b: [{ c: 1, d: 1 }, { c: 2 }, { d: 3 }, 7], a: [[{ b: 1, x: 2 }], { b: [{ c: 1, y: 1 }], x: 1 }], z: [] },
  { _id: { x: 1, y: 2 }, a: null, b: {}, z: doc(['0', 'zero'], ['1', { c: 'one' }]) },
  { _id: 5 },
];
const P = [
  { a: 1 }, { a: true }, { a: 5 }, { a: -1 }, { a: double(0.1) }, { a: 1n }, { a: decimal('1') }, { a: 0 }, { a: false }, { a: double(0) }, { a: 0n }, { a: double(-0) }, { a: decimal('0') }, { a: double(NaN) }, {},
  { _id: 1 }, { _id: 0 }, { _id: 0, a: 1 }, { a: 1, _id: 0 }, { _id: 1, a: 1 }, { _id: 1, a: 0 }, { _id: 0, a: 0 }, { a: 0, _id: 1 }, { z: 1, a: 1, b: 1 }, { missing: 1 }, { missing: 0 }, { '_id.x': 1 }, { '_id.x': 0 }, { '_id.x': 1, _id: 0 }, { a: 1, '_id.y': 0 },
  { 'b.c': 1 }, { 'b.c': 0 }, { 'b.d.e': 1 }, { 'b.d.e': 0 }, { 'b.d.e': 1, 'b.c': 1 }, { 'b.c': 1, a: 1 }, { b: { c: 1 } }, { b: { c: 0 } }, { b: { c: 1, d: { f: 1 } } }, { 'z.c': 1 }, { 'z.c': 0 }, { 'z.0': 1 }, { 'z.0': 0 }, { 'z.1.c': 1 }, { 'z.d': 0, 'z.c': 0 },
  { 'a.b': 1 }, { 'a.b': 0 }, { 'a.b.c': 1 }, { 'a.b.c': 0 }, { 'a.x': 1 }, { 'a.x': 0 }, { 'b.d': { e: 1 } }, { 'a.b.c': 1, 'z.d': 1, 'b.d.f': 1 }, { b: {} }, { 'b.missing': 1 }, { 'b.missing': 0 },
  { a: 1, b: 0 }, { a: 0, b: 1 }, { 'a.b': 1, c: 0 }, { a: 1, 'b.c': 0 }, { a: { b: 1, c: 0 } }, { a: 0, b: { c: 1 } }, { a: 1, 'a.b': 1 }, { 'a.b': 1, a: 1 }, { a: 0, 'a.b': 0 }, { 'a.b': 1, 'a.b.c': 1 }, { 'a.b.c': 1, 'a.b': 1 }, { a: { b: 1 }, 'a.b': 1 },
  { '': 1 }, { 'a.': 1 }, { '.a': 1 }, { 'a..b': 1 }, { $a: 1 }, { 'a.$b': 1 }, { $: 1 }, { 'a.b': 1, 'a.c': 0 }, { a: date(0), $x: 1 }, { a: { '': 1 } }, { a: { $bad: 1 } }, { a: { 'b.c': 1 } }, { _id: { x: 1 } }, { _id: 0, b: { c: 1 } },
];
export default {
  given: given(documents),
  cases: [
    ...P.map((projection) => find({}, { projection })),
    find({}, { projection: 1 }), find({}, { projection: 'a' }), find({}, { projection: [] }), find({}, { projection: null }), find({ a: 1 }, { projection: { b: 1 }, sort: { z: 1 } }), find({}, { projection: { _id: 1 }, sort: { 'b.c': -1, _id: -1 }, limit: 2 }),
  ],
};

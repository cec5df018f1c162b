// Replacement documents: _id kept, names checked, what counts as a change.
import { doc, double, given, regex, thenAll, undef, update } from '../terms.mjs';

const state = given([{ _id: 1, a: 1, b: 2 }, { _id: 2, a: 1 }, { b: 1, _id: { x: 1, y: 2 }, a: 3 }]);
export default {
  given: state,
  cases: [
    ...[{ a: 2 }, { b: 2, a: 1 }, { a: 1, b: 2 }, {}, { _id: 1, a: 5 }, { a: 5, _id: 1 }, { _id: double(1), a: 5 }, { _id: 2, a: 5 }, { _id: [1] }, { _id: null }, { a: double(1), b: 2 }, { a: { $x: 1 } }, { 'a.b': 1 }, { '': 1 }, { a: undef }, { a: { b: { c: [1, { d: 2 }] } } }, doc(['1', 1], ['0', 2])].map((u) => update({ _id: 1 }, u)),
    update({ a: 1 }, { a: 9 }), update({ a: 1 }, { _id: 2, a: 9 }), update({ a: 1 }, { c: 1 }, { multi: true }), update({ a: 1 }, {}, { multi: true }), update({ a: 3 }, { q: 1 }), update({ a: 3 }, { _id: { x: 1, y: 2 } }), update({ a: 3 }, { _id: { y: 2, x: 1 } }), update({ a: 3 }, { _id: { x: double(1), y: 2 } }), update({ a: 77 }, { q: 1 }), update({}, { q: 1 }),
    update({ _id: 1 }, { a: 1, $set: { b: 1 } }), update({ _id: 1 }, 1), update({ _id: 1 }, 'x'), update({ _id: 1 }, null), update({ _id: 1 }, undef), update({ _id: 1 }, [1]), update({ _id: 1 }, { $x: 1 }), update({ _id: 1 }, { a: 1, $y: 1 }), update({ _id: 1 }, { a: '<deep*100>' }), { name: 'a replacement too deep', ...thenAll({ update: 'c', updates: [{ q: { _id: 1 }, u: { a: '<deep*185>' } }] }) }, { name: 'a replacement too large', commands: [{ update: 'c', updates: [{ q: { _id: 1 }, u: { a: '<x*16777216>' } }] }, { find: 'c', filter: { _id: 1 } }] }, { name: 'a field set too large', commands: [{ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { c: '<x*16777190>' } } }] }, { find: 'c', filter: { _id: 1 } }] },
    { ...update({ a: regex('x') }, { q: 1 }), requires: ['regex'] },
  ],
};

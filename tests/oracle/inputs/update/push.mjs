// $push of one value and with $each.
import { decimal, double, given, undef, update } from '../terms.mjs';

const state = given([{ _id: 1, a: [1, 2], b: { c: [3] }, n: null, s: 'x', d: [{ e: [1] }, { e: [] }, {}] }]);
const push = ($push) => update({ _id: 1 }, { $push });
export default {
  given: state,
  cases: [
    ...[{ a: 3 }, { a: 1 }, { a: [3, 4] }, { a: null }, { a: undef }, { a: { x: 1 } }, { a: double(1) }, { new: 1 }, { 'b.c': 4 }, { 'b.new': 1 }, { 'x.y.z': 1 }, { 'd.0.e': 2 }, { 'd.2.e': 2 }, { 'd.e': 2 }, { 'd.5.e': 2 }, { 'a.5': 1 }, { 'a.0': 1 }, { n: 1 }, { s: 1 }, { 's.t': 1 }, { b: 1 }, { a: 1, 'b.c': 2 }, { a: 1, 'a.0': 1 }, { _id: 1 }, {}, { '': 1 }, { $a: 1 }, { a: decimal('1.0') }].map(push),
    ...[{ $each: [3, 4] }, { $each: [] }, { $each: [[3]] }, { $each: [{ $x: 1 }] }, { $each: [null] }, { $each: 1 }, { $each: {} }, { $each: null }, { $each: [1], $bad: 1 }, { $each: [1], x: 1 }, { $bad: 1 }, { x: 1, $each: [1] }, { $Each: [1] }].map((v) => push({ a: v })),
    push({ new: { $each: [1, 2] } }), push({ new: { $each: [] } }), push({ 'b.c': { $each: [1, 2] } }), push({ s: { $each: [] } }), push({ n: { $each: [1] } }), push({ a: { $each: [1] }, new: 1 }), push(1), push('x'), push(null), push([]), update({ _id: 1 }, { $push: { a: 9 }, $set: { 'b.c': 1 } }), update({ _id: 1 }, { $push: { a: 9 }, $set: { 'a.0': 1 } }), update({ _id: 1 }, { $push: { a: 9 }, $inc: { q: 1 } }), update({ _id: 2 }, { $push: { a: 9 } }, { upsert: true }), update({ _id: 2, a: [1] }, { $push: { a: 9 } }, { upsert: true }), update({ _id: 2, a: 1 }, { $push: { a: 9 } }, { upsert: true }),
  ],
};

// count with query, skip, limit, hint; wrong fields.
import { decimal, double, given, index, numbered, undef } from '../terms.mjs';

const count = (query, more = {}) => ({ command: { count: 'c', ...(query !== undefined && { query }), ...more } });
const cases = [
  count(), count({}), count({ a: 1 }), count({ a: null }), count({ a: { $exists: true } }), count({ $or: [{ a: 1 }, { a: 'x' }] }), count({ a: { $gt: 1 } }), count({ a: { $in: [1, [1, 2]] } }), count({ missing: { $ne: 1 } }), count({ _id: 3 }), count({ a: 99 }),
  count({}, { skip: 2 }), count({}, { skip: 99 }), count({}, { limit: 3 }), count({}, { limit: 0 }), count({}, { limit: -3 }), count({}, { skip: 7, limit: 3 }), count({ a: 1 }, { skip: 1 }), count({ a: 1 }, { limit: 1 }), count({}, { skip: 2n, limit: 2n }), count({}, { skip: double(2), limit: double(2) }), count({}, { limit: decimal('2') }), count({}, { limit: double(2.5) }), count({}, { limit: -9223372036854775808n }), count({ a: 1 }, { limit: -1 }),
  count({}, { skip: -1 }), count({}, { skip: 'x' }), count({}, { limit: 'x' }), count({}, { limit: null }), count({}, { skip: null }), count({}, { unknown: 1 }), count(1), count('x'), count([]), count(null), count(undef), count({ $bad: 1 }), count({ a: { $bad: 1 } }),
  { command: { count: 'missing' } }, { command: { count: '' } }, { command: { count: 1 } }, { command: { count: 'c', $db: 'other' } }, count({}, { hint: { _id: 1 } }), count({}, { hint: 'nope' }), count({}, { hint: 1 }), count({}, { fields: { a: 1 } }), count({}, { comment: 'x' }), count({}, { maxTimeMS: 100 }), count({}, { collation: {} }), count({}, { readConcern: { level: 'local' } }), count({ a: 1 }, { hint: 'a_1' }),
];
const documents = numbered([1, 1, 2, [1, 2], null, 'x', [], { b: 1 }, double(1)]).concat({ _id: 10 });
export default { given: given(documents, [index({ a: 1 })]), cases };

// delete with limit 0 and 1, batches, and its errors.
import { decimal, double, given, index, numbered, thenAll } from '../terms.mjs';

const del = (q, limit = 0) => thenAll({ delete: 'c', deletes: [{ q, limit }] });
const statement = (more) => ({ command: { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 0, ...more }] } });
const command = (more) => ({ command: { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 0 }], ...more } });
export default {
  given: given(numbered([1, 1, 2, [1, 3], null, 'x']).concat({ _id: 7 }), [index({ a: 1 })]),
  cases: [
    del({}), del({}, 1), del({ a: 1 }), del({ a: 1 }, 1), del({ a: null }), del({ a: null }, 1), del({ _id: 3 }), del({ _id: 3 }, 1), del({ _id: 99 }), del({ a: { $gt: 1 } }), del({ $or: [{ a: 1 }, { _id: 6 }] }), del({ a: { $exists: false } }), del({ a: { $ne: 1 } }), del({ a: 1 }, double(1)), del({ a: 1 }, 1n), del({ a: 1 }, double(0)), del({ a: 1 }, decimal('1')), del({ a: { $in: [2, 3] } }), del({ 'a.0': 1 }),
    { commands: [{ delete: 'c', deletes: [{ q: { a: 1 }, limit: 1 }] }, { find: 'c', filter: { a: 1 }, sort: { _id: 1 } }, { count: 'c' }, { insert: 'c', documents: [{ _id: 1, a: 1 }] }, { find: 'c' }] },
    thenAll({ delete: 'c', deletes: [{ q: { a: 1 }, limit: 1 }, { q: { a: 1 }, limit: 1 }, { q: { a: 'x' }, limit: 0 }] }), thenAll({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 0 }, { q: { $bad: 1 }, limit: 0 }, { q: { _id: 2 }, limit: 0 }] }), thenAll({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 0 }, { q: { $bad: 1 }, limit: 0 }, { q: { _id: 2 }, limit: 0 }], ordered: false }),
    statement({ limit: 2 }), statement({ limit: -1 }), statement({ limit: 'x' }), statement({ limit: null }), statement({ limit: true }), statement({ limit: double(0.5) }), statement({ limit: double(1.5) }), statement({ q: 1 }), statement({ q: null }), statement({ unknown: 1 }), statement({ hint: { _id: 1 } }), statement({ hint: 'nope' }), statement({ collation: {} }), statement({ multi: true }),
    { command: { delete: 'c', deletes: [{ q: {} }] } }, { command: { delete: 'c', deletes: [{ limit: 0 }] } }, { command: { delete: 'c', deletes: [{}] } }, { command: { delete: 'c', deletes: [] } }, { command: { delete: 'c', deletes: [1] } }, { command: { delete: 'c', deletes: 1 } }, { command: { delete: 'c' } }, { command: { delete: 'missing', deletes: [{ q: {}, limit: 0 }] } }, { command: { delete: '', deletes: [{ q: {}, limit: 0 }] } }, { command: { delete: 1, deletes: [{ q: {}, limit: 0 }] } }, { command: { delete: 'a$b', deletes: [{ q: {}, limit: 0 }] } }, { command: { delete: 'c', deletes: [{ q: {}, limit: 0 }], $db: 'other' } },
    command({ ordered: 'x' }), command({ unknown: 1 }), command({ comment: 'x' }), command({ writeConcern: { w: 1 } }), command({ let: {} }), command({ maxTimeMS: 1000 }), command({ bypassDocumentValidation: true }),
  ],
};

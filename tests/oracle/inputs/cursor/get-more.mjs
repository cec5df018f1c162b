// getMore and killCursors, over batches that end evenly or not, with writes in between.
import { decimal, double, given, numbered } from '../terms.mjs';

const start = (more = {}) => ({ find: 'c', batchSize: 2, ...more });
const next = (more = {}) => ({ getMore: '<cursor>', collection: 'c', ...more });
const kill = (cursors = ['<cursor>'], more = {}) => ({ killCursors: 'c', cursors, ...more });
const after = (...more) => ({ commands: [start(), ...more] });
const long = 123456789n;
export default {
  given: given(numbered([1, 2, 3, 4, 5])),
  cases: [
    after(next()), after(next({ batchSize: 2 }), next({ batchSize: 2 }), next()), after(next({ batchSize: 3 })), after(next({ batchSize: 4 })), after(next({ batchSize: 1 }), next({ batchSize: 1 }), next({ batchSize: 1 }), next({ batchSize: 1 })), after(next({ batchSize: 0 })),
    { commands: [start({ batchSize: 0 }), next({ batchSize: 5 }), next()] }, { commands: [start({ batchSize: 0, limit: 2 }), next()] }, { commands: [start({ batchSize: 0, limit: 2 }), next({ batchSize: 2 }), next()] }, { commands: [start({ limit: 3 }), next({ batchSize: 1 }), next()] },
    { commands: [start({ filter: { a: { $gt: 9 } }, batchSize: 0 }), next()] }, { commands: [start({ sort: { a: -1 } }), next({ batchSize: 2 }), next()] }, { commands: [start({ sort: { a: -1 }, skip: 1, limit: 3 }), next()] }, { commands: [start({ skip: 2 }), next()] }, { commands: [start({ projection: { _id: 0 } }), next()] }, { commands: [start({ singleBatch: true }), { getMore: long, collection: 'c' }] },
    after(next(), next()), after(next({ collection: 'd' })), after(next({ $db: 'other' })), after(kill(), next()), after(kill(), kill()), after(kill(['<cursor>', '<cursor>'])), after(kill(['<cursor>', long])), after(kill([])), after(kill(['<cursor>'], { killCursors: 'd' })), after(kill(['<cursor>'], { $db: 'other' })),
    { command: { getMore: long, collection: 'c' } }, { command: { getMore: 0n, collection: 'c' } }, { command: { getMore: 5, collection: 'c' } }, { command: { getMore: 'x', collection: 'c' } }, { command: { getMore: double(5), collection: 'c' } }, { command: { getMore: decimal('5'), collection: 'c' } }, { command: { getMore: null, collection: 'c' } }, { command: { getMore: -5n, collection: 'c' } },
    { command: { getMore: long } }, { command: { getMore: long, collection: 1 } }, { command: { getMore: long, collection: '' } }, after(next({ batchSize: -1 })), after(next({ batchSize: 'x' })), after(next({ unknown: 1 })), after(next({ maxTimeMS: 10 })), after(next({ comment: 'c' })), after(next({ batchSize: double(2.5) })), after(next({ batchSize: null })),
    { command: { killCursors: 'c', cursors: [long] } }, { command: { killCursors: 'c', cursors: [0n] } }, { command: { killCursors: 'c' } }, { command: { killCursors: 'c', cursors: 1n } }, { command: { killCursors: 'c', cursors: [1] } }, { command: { killCursors: 'c', cursors: ['x'] } }, { command: { killCursors: 1, cursors: [long] } }, { command: { killCursors: '', cursors: [long] } }, { command: { killCursors: 'c', cursors: [long], unknown: 1 } }, { command: { killCursors: 'missing', cursors: [long] } },
    after({ insert: 'c', documents: [{ _id: 6, a: 6 }] }, next()), after({ delete: 'c', deletes: [{ q: { _id: { $in: [2, 3, 4] } }, limit: 0 }] }, next()), after({ delete: 'c', deletes: [{ q: {}, limit: 0 }] }, next()), after({ update: 'c', updates: [{ q: {}, u: { $set: { b: 1 } }, multi: true }] }, next()), after({ drop: 'c' }, next()), after({ dropDatabase: 1 }, next()),
    { commands: [start({ filter: { a: { $gte: 1 } }, hint: { a: 1 } }), { update: 'c', updates: [{ q: { _id: 4 }, u: { $set: { a: 0 } } }] }, { insert: 'c', documents: [{ _id: 7, a: 7 }] }, next()], given: given(numbered([1, 2, 3, 4, 5]), [{ key: { a: 1 }, name: 'a_1' }]) },
    { commands: [start({ sort: { a: -1 }, hint: { a: 1 } }), { delete: 'c', deletes: [{ q: { a: 3 }, limit: 1 }] }, next()], given: given(numbered([1, 2, 3, 4, 5]), [{ key: { a: 1 }, name: 'a_1' }]) },
    { name: 'default batch of 101 then the rest', commands: [{ find: 'c', projection: { _id: 1 } }, { getMore: '<cursor>', collection: 'c' }], given: given(Array.from({ length: 104 }, (_, i) => ({ _id: i }))) }, { name: 'exactly 101 documents', command: { find: 'c', filter: {}, projection: { _id: 1 } }, given: given(Array.from({ length: 101 }, (_, i) => ({ _id: i }))) },
  ],
};

// drop and dropDatabase, and what is left after them.
import { given, index, numbered } from '../terms.mjs';

const state = given(numbered([1, 2]), [index({ a: 1 }), index({ a: -1, b: 1 })]);
const names = { listCollections: 1, nameOnly: true };
const databases = { listDatabases: 1, nameOnly: true, filter: { name: { $in: ['test', 'other'] } }, $db: 'admin' };
export default {
  given: state,
  cases: [
    { commands: [{ drop: 'c' }, names, { find: 'c' }, { count: 'c' }, { listIndexes: 'c' }, databases] }, { commands: [{ drop: 'c' }, { drop: 'c' }] }, { command: { drop: 'missing' } }, { command: { drop: 'c', $db: 'other' } }, { command: { drop: '' } }, { command: { drop: 1 } }, { command: { drop: null } }, { command: { drop: 'a$b' } }, { command: { drop: '.a' } }, { command: { drop: 'a.' } }, { command: { drop: 'c', unknown: 1 } }, { command: { drop: 'system.x' } }, { command: { drop: 'system.indexes' } }, { command: { drop: 'c', comment: 'x', writeConcern: { w: 1 } } },
    { commands: [{ drop: 'c' }, { insert: 'c', documents: [{ _id: 1, a: 1 }, { _id: 2, a: 1 }] }, { find: 'c' }, { listIndexes: 'c' }] },
    { commands: [{ dropDatabase: 1 }, names, { find: 'c' }, databases] }, { commands: [{ dropDatabase: 1 }, { dropDatabase: 1 }] }, { command: { dropDatabase: 1, $db: 'missing' } }, { command: { dropDatabase: 1, unknown: 1 } }, { command: { dropDatabase: 0 } }, { command: { dropDatabase: true } }, { command: { dropDatabase: 1, comment: 1 } }, { command: { dropDatabase: 1, $db: 'a b' } },
    { commands: [{ insert: 'x', documents: [{ _id: 1 }], $db: 'other' }, { dropDatabase: 1 }, databases, { find: 'x', $db: 'other' }] },
  ],
};

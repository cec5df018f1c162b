// Commands that do not exist, and what is wrong with any command.
import { double, given, numbered, undef } from '../terms.mjs';

export default {
  given: given(numbered([1])),
  cases: [
    { command: { nosuch: 1 } }, { command: { Find: 'c' } }, { command: { PING: 1 } }, { command: { '': 1 } }, { command: { $find: 'c' } }, { command: { 'find ': 'c' } }, { command: { filter: {}, find: 'c' } },
    { command: { ping: 1, $db: 'a.b' } }, { command: { ping: 1, $db: '' } }, { command: { ping: undef } }, { command: { ping: {} } }, { command: { ping: 1, $unknown: 1 } }, { command: { ping: 1, maxTimeMS: 5 } }, { command: { ping: 1, writeConcern: { w: 1 } } }, { command: { ping: 1, readConcern: {} } },
    { command: { count: 'c', writeConcern: { w: 1 } } }, { command: { insert: 'c', documents: [{ _id: 9 }], readConcern: { level: 'local' } } }, { command: { insert: 'c', documents: [{ _id: 9 }], writeConcern: { w: 1, j: true } } }, { command: { insert: 'c', documents: [{ _id: 9 }], writeConcern: 1 } },
    { command: { insert: 'c', documents: [{ _id: 9 }], writeConcern: { unknown: 1 } } }, { command: { insert: 'c', documents: [{ _id: 9 }], writeConcern: {} } }, { command: { insert: 'c', documents: [{ _id: 9 }], writeConcern: { w: double(1), wtimeout: 0 } } }, { command: { insert: 'c', documents: [{ _id: 9 }], maxTimeMS: 1000 } }, { command: { insert: 'c', documents: [{ _id: 9 }], maxTimeMS: 'x' } },
    { command: { listDatabases: 1 } }, { command: { dropDatabase: 2 } }, { command: { dropDatabase: 'x' } },
  ],
};

// create: names, options, what exists already.
import { double, given, numbered, undef } from '../terms.mjs';

const list = { listCollections: 1 };
const made = (name, more = {}) => ({ commands: [{ create: name, ...more }, list] });
const refused = (name, more = {}) => ({ command: { create: name, ...more } });
export default {
  given: given(numbered([1])),
  cases: [
    made('d'), made('d.e'), made('d e'), made('ünï'), made('D'), made('1'), made('-'), made('d..e'), made('<n*200>'), made('d', { comment: 'x' }), made('d', { writeConcern: { w: 1 } }), made('d', { autoIndexId: true }), made('d', { idIndex: { key: { _id: 1 }, name: '_id_' } }),
    refused('c'), refused('c', { capped: false }), refused('c', { unknown: 1 }), refused('d', { unknown: 1 }), refused(''), refused('.d'), refused('d.'), refused('d$e'), refused('$d'), refused('system.x'), refused('system.users'), refused('d\u0000'), refused('<n*256>'), refused('<n*250>'), refused(1), refused(null), refused(undef), refused({}), refused('d', { $db: 'a b' }), refused('d', { $db: 'Test' }), refused('d', { $db: 'TEST' }), refused('d', { $db: '<d*64>' }), refused('d', { $db: 'new' }), refused('d', { $db: 'b"c' }), refused('d', { $db: 'b*c' }), refused('d', { $db: '$external' }), refused('d', { $db: 'é' }),
    refused('d', { capped: 'x' }), refused('d', { capped: true }), refused('d', { size: 100 }), refused('d', { max: 5 }), refused('d', { size: 'x' }), refused('d', { capped: true, size: 0 }), refused('d', { capped: true, size: -1 }), refused('d', { validator: 1 }), refused('d', { validator: { $bad: 1 } }), refused('d', { validationLevel: 'x' }), refused('d', { validationAction: 'x' }), refused('d', { viewOn: 1 }), refused('d', { pipeline: [] }), refused('d', { collation: 1 }), refused('d', { collation: {} }), refused('d', { storageEngine: 1 }), refused('d', { timeseries: 1 }), refused('d', { expireAfterSeconds: 5 }), refused('d', { clusteredIndex: 1 }), refused('d', { flags: 1 }), refused('d', { temp: true }), refused('d', { autoIndexId: false }),
    { commands: [{ create: 'd' }, { create: 'd' }] }, { commands: [{ create: 'd' }, { drop: 'd' }, { create: 'd' }] }, { commands: [{ create: 'd', capped: false }, { create: 'd' }] }, { commands: [{ insert: 'd', documents: [{ _id: 1 }] }, { create: 'd' }] }, { command: { create: 'd', size: double(4096.5) } },
  ].map((one) => (one.commands ? { ...one, unordered: true } : one)),
};

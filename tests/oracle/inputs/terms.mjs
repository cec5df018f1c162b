// Words for writing case inputs shortly.
export * from '../../conformance/values.mjs';
import { double, decimal, oid, date, timestamp, binary, regex, code, codeWithScope, symbol, dbPointer, undef, minKey, maxKey } from '../../conformance/values.mjs';

/** `given` with one collection `c`. */
export const given = (documents, indexes, options) => ({
  collections: { c: { ...(options && { options }), ...(indexes && { indexes }), ...(documents && { documents }) } },
});
/** Documents `{_id: 1, a: value}`, `_id` counting up. */
export const numbered = (values) => values.map((a, i) => ({ _id: i + 1, a }));
/** A find on `c` that shows ids only: for what a filter matches. */
export const match = (filter) => ({ command: { find: 'c', filter, projection: { _id: 1 } } });
/** A find on `c` with further fields. */
export const find = (filter, more = {}) => ({ command: { find: 'c', filter, ...more } });
/** An index specification. */
export const index = (key, more = {}) => ({
  key, name: Object.entries(key).map(([name, way]) => `${name}_${way?.value ?? way}`).join('_'), ...more,
});
/** A command, then the whole collection `c` in the order of `_id`. */
export const thenAll = (command) => ({ commands: [command, { find: 'c', sort: { _id: 1 } }] });
/** An update of `c` by one statement, then the whole collection. */
export const update = (q, u, more = {}, command = {}) => thenAll({ update: 'c', updates: [{ q, u, ...more }], ...command });

/** A value or several of every BSON type. */
export const everyType = [
  minKey, undef, null,
  double(NaN), double(-Infinity), -1, double(-0), 0, 0n, decimal('0'), double(0.1), decimal('0.1'), 1, 1n, double(1), decimal('1'), decimal('1.0'),
  double(1.5), 2147483647, 2147483648n, 9007199254740991n, 9007199254740992n, 9007199254740993n, double(9007199254740992),
  9223372036854775807n, double(9223372036854775807), decimal('9223372036854775808'), decimal('1E+6000'), double(Infinity), decimal('Infinity'), decimal('NaN'),
  '', 'a', 'A', 'ab', 'b', 'é', '😀', 'a\u0000b', symbol('a'), symbol('c'),
  {}, { a: 1 }, { a: 1n }, { a: 1, b: 2 }, { b: 1 }, { a: { a: 1 } }, { a: null },
  [], [1], [1, 2], [[]], [[1]], [null], [{ a: 1 }], ['a'],
  binary(''), binary('AQ=='), binary('Ag=='), binary('AQI='), binary('AQ==', 5), binary('AAECAwQFBgcICQoLDA0ODw==', 4),
  oid('000000000000000000000001'), oid('ffffffffffffffffffffffff'),
  false, true, date(-1), date(0), date(1), date(253402300800000), timestamp(0, 1), timestamp(1, 0), timestamp(4294967295, 1),
  regex('a'), regex('a', 'i'), regex('b'), dbPointer('c.d', '000000000000000000000001'),
  code('x'), code('y'), codeWithScope('x', {}), codeWithScope('x', { a: 1 }), maxKey,
];

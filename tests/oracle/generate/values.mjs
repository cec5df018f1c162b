// Random values and documents, with the traps of MongoDB's comparison in them more often than real data has.
//
// Absent on purpose: the timestamp 0,0 (the server fills it in), Decimal128 and doubles whose sums differ by rounding mode.

import { binary, code, codeWithScope, date, dbPointer, decimal, double, fieldsOf, maxKey, minKey, oid, regex, symbol, timestamp, undef, Tagged } from '../../conformance/values.mjs';

const NUMBERS = [
  0, 1, 2, 3, -1, 7, 10, 0n, 1n, 2n, -5n, double(0), double(-0), double(1), double(1.5), double(-2.5), double(0.1), decimal('0'), decimal('-0'), decimal('1'), decimal('1.0'), decimal('1.50'), decimal('0.1'), decimal('1E+3'),
  double(NaN), decimal('NaN'), double(Infinity), double(-Infinity), decimal('Infinity'), decimal('-Infinity'), 2147483647, -2147483648, 2147483648n, 9007199254740992n, 9007199254740993n, double(9007199254740992),
  9223372036854775807n, -9223372036854775808n, double(9223372036854775807), decimal('9223372036854775807'), decimal('9223372036854775808'), double(5e-324), double(1.7976931348623157e308), decimal('1E-6176'), decimal('9.999999999999999999999999999999999E+6144'),
];
const STRINGS = ['', 'a', 'b', 'ab', 'A', 'aa', 'é', 'z', '1', '\u0000', 'a\u0000', 'a\u0000b', '😀', '\uffff', 'x y', '$a', 'a.b'];
const OTHERS = [
  null, null, null, undef, true, false, date(0), date(-1), date(86400000), date(-62135596800000), date(253402300799999), timestamp(0, 1), timestamp(1, 0), timestamp(4294967295, 4294967295), oid('000000000000000000000001'), oid('abcdefabcdefabcdefabcdef'),
  binary(''), binary('AA=='), binary('AQ=='), binary('AAE='), binary('AQ==', 5), binary('AAECAwQFBgcICQoLDA0ODw==', 4), minKey, maxKey, symbol('a'), code('a'), codeWithScope('a', new Map([['b', 1]])), dbPointer('a.b', '000000000000000000000001'),
];
const REGEXES = [regex('a'), regex('a', 'i')];
const NAMES = [[30, 'a'], [30, 'b'], [20, 'c'], [8, 'd'], [2, '0'], [2, '1'], [1, ''], [1, 'é'], [1, 'a b']];

/** A value that is no array, document or regular expression. */
export const scalar = (random) => random.weighted([
  [40, () => random.int(0, 5)], [25, () => random.pick(NUMBERS)], [20, () => random.pick(STRINGS)], [20, () => random.pick(OTHERS)],
])();

/** A value; `depth` is how many levels of arrays and documents it may have. */
export function value(random, depth = 2) {
  if (depth > 0) {
    const nested = random.next();
    if (nested < 0.22) return random.times(random.weighted([[15, 0], [30, 1], [35, 2], [20, 3]]), () => value(random, depth - 1));
    if (nested < 0.42) return fields(random, depth - 1, random.weighted([[10, 0], [50, 1], [30, 2], [10, 3]]));
  }
  return random.chance(0.01) ? random.pick(REGEXES) : scalar(random);
}

/** A document of about `count` fields with names that other documents have too. */
export function fields(random, depth, count) {
  const made = new Map();
  for (let i = 0; i < count; i += 1) made.set(random.weighted(NAMES), value(random, depth));
  return made;
}

/** A document to store: a, b, c mostly there, sometimes null, sometimes missing. */
export function storedDocument(random, _id) {
  const made = fields(random, 2, random.weighted([[5, 0], [15, 1], [40, 2], [30, 3], [10, 4]]));
  if (_id === undefined) return made;
  return random.chance(0.9) ? new Map([['_id', _id], ...made]) : new Map([...made, ['_id', _id]]);
}

/** Ids that are different for MongoDB too: numbers mostly, all kinds in some collections. */
export function ids(random, count) {
  if (random.chance(0.7)) return random.times(count, (i) => (i % 7 === 6 ? double(i) : i));
  const kinds = [0, 1n, double(1.5), decimal('2'), '', 'a', 'A', null, true, date(0), oid('000000000000000000000002'), new Map(), new Map([['a', 1]]), new Map([['a', [1]]]), binary('AQ=='), minKey, maxKey, timestamp(1, 1), double(NaN), 'a\u0000'];
  return [...random.some(kinds, Math.min(count, kinds.length)), ...random.times(Math.max(0, count - kinds.length), (i) => 100 + i)];
}

/** A value near another one: the same in another type, a neighbour, a part or a wrapping of it. */
export function near(random, v) {
  if (Array.isArray(v)) return random.pick([v, v.slice(1), [...v].reverse(), [v], v[0] ?? null]);
  if (v instanceof Map) return random.pick([v, new Map([...v].reverse()), new Map([...v].slice(1)), [v]]);
  if (typeof v === 'number') return random.pick([v, BigInt(v), double(v), decimal(String(v)), double(v + 0.5), v + 1, v - 1, [v]]);
  if (typeof v === 'bigint') return random.pick([v, v - (v > 0n ? 1n : 0n), double(Number(v)), decimal(String(v))]);
  if (typeof v === 'string') return random.pick([v, `${v}a`, v.slice(1), symbol(v), v.toUpperCase()]);
  if (v instanceof Tagged && v.type === 'double' && Number.isFinite(v.value)) return random.pick([v, double(v.value + 1), double(-v.value), Math.trunc(v.value) | 0]);
  if (v instanceof Tagged && v.type === 'date') return date(v.value + BigInt(random.int(-1, 1)));
  return v;
}

/** Every dotted path through documents, with the values that are there: arrays by position and straight through. */
export function pathsOf(documents) {
  const found = new Map();
  const note = (path, v) => {
    if (!found.has(path)) found.set(path, []);
    const list = found.get(path);
    if (list.length < 40) list.push(v);
  };
  const walk = (path, v, depth) => {
    if (path && path !== '_id') note(path, v);
    if (depth === 0 || v === null || typeof v !== 'object' || v instanceof Tagged) return;
    const join = (name) => (path ? `${path}.${name}` : name);
    if (Array.isArray(v)) {
      v.forEach((item, i) => {
        walk(join(i), item, depth - 1);
        if (item instanceof Map) for (const [name, inner] of item) if (usable(name)) walk(join(name), inner, depth - 1);
        if (path) note(path, item); // an element is what a filter on the array usually asks for
      });
    } else {
      for (const [name, inner] of fieldsOf(v)) if (usable(name)) walk(join(name), inner, depth - 1);
    }
  };
  for (const one of documents) walk('', one, 4);
  return found;
}

const usable = (name) => name !== '' && !name.includes('.') && !name.startsWith('$');

export const isRegex = (v) => v instanceof Tagged && v.type === 'regex';

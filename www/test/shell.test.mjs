// Queries as they are written in the shell: what they mean, and where a mistake is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BSON } from 'pandodb';
import { load } from './modules.mjs';

const { parseDocumentSource, parseValue, ShellError, writeName } = await load('data/shell.ts');

const canonical = (source) => BSON.EJSON.stringify(parseValue(source), { relaxed: false });

const MEANINGS = [
  ['{a: 1, "b c": -2.5, \'d\': "x", e: `y`}', '{"a":{"$numberInt":"1"},"b c":{"$numberDouble":"-2.5"},"d":"x","e":"y"}'],
  ['{ $or: [ { a: null }, { "b.c": { $gte: 5, $lt: 1e3 } } ], }', '{"$or":[{"a":null},{"b.c":{"$gte":{"$numberInt":"5"},"$lt":{"$numberInt":"1000"}}}]}'],
  ['{t: /^a.b/i} // a remark', '{"t":{"$regularExpression":{"pattern":"^a.b","options":"i"}}}'],
  ['{_id: ObjectId("507f1f77bcf86cd799439011")}', '{"_id":{"$oid":"507f1f77bcf86cd799439011"}}'],
  ['{_id: {$oid: "507f1f77bcf86cd799439011"}}', '{"_id":{"$oid":"507f1f77bcf86cd799439011"}}'],
  ['{d: ISODate("2020-01-02"), e: new Date(5)}', '{"d":{"$date":{"$numberLong":"1577923200000"}},"e":{"$date":{"$numberLong":"5"}}}'],
  ['{a: NumberLong("9007199254740993"), b: 5n, c: -5n, d: NumberDecimal("1.10"), e: NumberInt(3), f: Double(1)}',
    '{"a":{"$numberLong":"9007199254740993"},"b":{"$numberLong":"5"},"c":{"$numberLong":"-5"},"d":{"$numberDecimal":"1.10"},"e":{"$numberInt":"3"},"f":{"$numberDouble":"1.0"}}'],
  ['{a: {$numberLong: "7"}, b: {$date: "2020-01-02T00:00:00Z"}, c: {$minKey: 1}, d: MaxKey()}',
    '{"a":{"$numberLong":"7"},"b":{"$date":{"$numberLong":"1577923200000"}},"c":{"$minKey":1},"d":{"$maxKey":1}}'],
  ['{a: NaN, b: -Infinity}', '{"a":{"$numberDouble":"NaN"},"b":{"$numberDouble":"-Infinity"}}'],
  ['{a: UUID("00112233-4455-6677-8899-aabbccddeeff"), b: BinData(0, "AQID")}',
    '{"a":{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}},"b":{"$binary":{"base64":"AQID","subType":"00"}}}'],
  ['[1, [2], {}]', '[{"$numberInt":"1"},[{"$numberInt":"2"}],{}]'],
];

for (const [source, meaning] of MEANINGS) {
  test(`${source} is understood`, () => assert.equal(canonical(source), meaning));
}

test('blank is nothing', () => {
  assert.equal(parseDocumentSource(' \n'), undefined);
});

test('a field named __proto__ is a field', () => {
  const parsed = parseDocumentSource('{__proto__: {a: 1}}');
  assert.ok(Object.hasOwn(parsed, '__proto__'));
  assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
});

const MISTAKES = [
  ['{a: 1', 5, /./],
  ['{a: }', 4, /./],
  ['{a: b}', 4, /b is not a value/],
  ['{a: 1} {b: 2}', 7, /./],
  ['{a: 1}); ({b: 2}', 9, /./],
  ['{a: alert(1)}', 4, /cannot be called here/],
  ['{a: (() => 1)()}', 5, /cannot be called here/],
  ['{a: constructor("x")}', 4, /cannot be called here/],
  ['{a: ObjectId("x")}', 4, /ObjectId\("x"\)/],
  ['{a: ISODate("soon")}', 4, /not a date/],
  ['{a: NumberLong("1.5")}', 4, /integer is expected/],
  ['{a: NumberLong("9223372036854775808")}', 4, /64 bits/],
  ['{a: 1 + 1}', 4, /not a value/],
  ['{a: `${b}`}', 4, /not a value/],
  ['{[a]: 1}', 1, /name: value/],
  ['{a}', 1, /name: value/],
  ['{...a}', 1, /name: value/],
  ['{a: function() {}}', 4, /not a value/],
  ['{a: {$date: "soon"}}', 4, /./],
  ['5', 0, /document in braces/],
  ['ObjectId("507f1f77bcf86cd799439011")', 0, /document in braces/],
];

for (const [source, at, said] of MISTAKES) {
  test(`${source} is refused at character ${at}`, () => {
    assert.throws(() => parseDocumentSource(source), (error) => {
      assert.ok(error instanceof ShellError, error.stack);
      assert.match(error.message, said);
      assert.equal(error.at, at);
      return true;
    });
  });
}

test('nothing that is written is run', () => {
  globalThis.ran = false;
  for (const source of ['{a: (globalThis.ran = true)}', '{get a() { globalThis.ran = true }}', '[globalThis.ran = true]', 'new (class { static { globalThis.ran = true } })']) {
    assert.throws(() => parseDocumentSource(source), ShellError);
  }
  assert.equal(globalThis.ran, false);
});

test('names are quoted where they must be', () => {
  assert.deepEqual(['a', '$a', 'a.b', 'Major Genre', '1'].map(writeName), ['a', '$a', '"a.b"', '"Major Genre"', '"1"']);
});

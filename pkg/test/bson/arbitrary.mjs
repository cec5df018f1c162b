// Generators of documents for the property tests. Every failure prints its seed (fast-check's report).
import {
  Binary, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID,
} from 'bson';
import fc from 'fast-check';

const bytes = (size) => fc.uint8Array({ minLength: size, maxLength: size });
// Lone surrogates too, and lengths on both sides of the limit between the two ways of encoding.
export const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 70 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: 'grapheme-ascii', minLength: 60, maxLength: 400 }),
);
export const name = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 10 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('_id', 'a', '$ref', '$id', '$db', '0', '1', '10', 'constructor', 'toString', '__proto__'),
).map((value) => value.replaceAll('\0', ''));

export const number = fc.oneof(
  fc.double(), fc.integer(), fc.constantFrom(0, -0, 1.5, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53, NaN, Infinity),
);
export const bigint = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const long = bigint.map((value) => Long.fromBigInt(value));
const objectId = bytes(12).map((id) => new ObjectId(id));
const pattern = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
const options = fc.subarray([...'imxlsu']).map((letters) => letters.join(''));
const regExp = fc.tuple(pattern, fc.subarray([...'gimu'])).map(([source, flags]) => {
  try {
    return new RegExp(source, flags.join(''));
  } catch {
    return /fallback/;
  }
});
const bsonRegExp = fc.tuple(pattern, options).map(([source, flags]) => new BSONRegExp(source, flags));
const date = fc.date({ noInvalidDate: true });
const binary = fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(0, 1, 2, 3, 5, 6, 7, 8, 128, 255))
  .map(([data, subtype]) => new Binary(data, subtype));

/** Values that JavaScript and the official decoder (promoting) give back as they were. */
export const promoted = fc.oneof(
  text, number, fc.boolean(), fc.constant(null), date, objectId, bytes(16).map((data) => new Decimal128(data)),
);

export const scalar = fc.oneof(
  { weight: 6, arbitrary: promoted },
  { weight: 3, arbitrary: fc.oneof(
    fc.constant(undefined), bigint, long, regExp, bsonRegExp, binary, fc.uint8Array({ maxLength: 40 }),
    fc.double().map((value) => new Double(value)), fc.integer().map((value) => new Int32(value)),
    bigint.map((value) => new Timestamp(BigInt.asUintN(64, value))), bytes(16).map((data) => new UUID(data)),
    text.map((code) => new Code(code)), text.map((value) => new BSONSymbol(value)),
    fc.constantFrom(new MinKey(), new MaxKey()), fc.tuple(name, objectId).map(([to, id]) => new DBRef(to, id, 'db', { x: 1 })),
  ) },
);

function record(entries) {
  const object = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

/** Documents of `leaf` values: objects, arrays, maps and code with scope, nested. */
export function documents(leaf) {
  const { object } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('object'), tie('array'), tie('map'), tie('code')),
    array: fc.array(tie('value'), { maxLength: 12 }),
    map: fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
    code: fc.tuple(text, tie('object')).map(([code, scope]) => new Code(code, scope)),
    object: fc.array(fc.tuple(name, tie('value')), { maxLength: 8 }).map(record),
  }));
  return object;
}

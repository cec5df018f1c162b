// The numeric tower: int, long, double, Decimal128 compare by exact value.
import { date, decimal, double, find, given, match, numbered, timestamp } from '../terms.mjs';

const values = [
  0, double(-0), decimal('-0'), decimal('0E+10'), 1, decimal('1.000'), double(0.1), decimal('0.1'), decimal('0.1000000000000000055511151231257827'), double(1e-320), decimal('1E-6176'),
  9007199254740992n, 9007199254740993n, double(9007199254740992), double(9007199254740994), decimal('9007199254740993'), 9223372036854775807n, double(9223372036854775807),
  -9223372036854775808n, double(-9223372036854775808), decimal('9223372036854775807'), decimal('9223372036854775807.5'), double(1.7976931348623157e308), decimal('1E+400'), double(Infinity), decimal('Infinity'),
  double(-Infinity), decimal('-Infinity'), double(NaN), decimal('NaN'), -1, double(-1.5), decimal('-1.5'), 2147483647, 2147483648n, double(2147483648), double(5e-324), decimal('4.940656458412465441765687928682214E-324'),
  decimal('9.999999999999999999999999999999999E+6144'), date(0), timestamp(0, 1),
];
export default {
  given: given(numbered(values)),
  cases: [
    ...values.slice(0, -2).flatMap((v) => [match({ a: v }), match({ a: { $lt: v } })]),
    ...values.slice(0, -2).filter((_, i) => i % 3 === 0).flatMap((v) => [match({ a: { $gte: v } }), match({ a: { $in: [v, 7] } })]),
    find({}, { sort: { a: 1, _id: 1 } }), find({}, { sort: { a: -1, _id: 1 } }), match({ a: { $mod: [2, 1] } }), match({ a: { $mod: [3, 0] } }),
  ],
};

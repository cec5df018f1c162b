//! Arithmetic on numbers of mixed types, with the promotion rules of `$inc` and `$mul`.
//!
//! Rules, as mongod
//! 1. A decimal on either side makes the result a decimal; a double meets it rounded to 15 digits.
//! 2. Otherwise a double on either side makes it a double.
//! 3. Otherwise a long makes it a long; two ints give an int, or a long where an int cannot hold the result.
//! 4. What a long cannot hold is an error: nothing wraps, and nothing turns into a double by itself.

use super::decimal128::Decimal128;
use super::raw::Value;

/// Why two values have no sum or product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// The result does not fit in a long.
    LongOverflow,
    /// One of the values is no number.
    NotANumber,
}

/// `a` + `b` after the rules of `$inc`.
pub fn add(a: &Value<'_>, b: &Value<'_>) -> Result<Value<'static>, NumberError> {
    combine(a, b, i64::checked_add, |x, y| x + y, Decimal128::add)
}

/// `a` · `b` after the rules of `$mul`.
pub fn multiply(a: &Value<'_>, b: &Value<'_>) -> Result<Value<'static>, NumberError> {
    combine(a, b, i64::checked_mul, |x, y| x * y, Decimal128::multiply)
}

/// The number as a decimal the way MongoDB's arithmetic takes it (rule 1); `None` for other types.
pub fn to_decimal(value: &Value<'_>) -> Option<Decimal128> {
    Some(match value {
        Value::Int32(n) => Decimal128::from_i64(i64::from(*n)),
        Value::Int64(n) => Decimal128::from_i64(*n),
        Value::Double(v) => Decimal128::from_f64_15_digits(*v),
        Value::Decimal128(bytes) => Decimal128::from_bytes(*bytes),
        _ => return None,
    })
}

/// The number as the nearest double; `None` for other types.
pub fn to_double(value: &Value<'_>) -> Option<f64> {
    Some(match value {
        Value::Int32(n) => f64::from(*n),
        Value::Int64(n) => *n as f64,
        Value::Double(v) => *v,
        Value::Decimal128(bytes) => Decimal128::from_bytes(*bytes).to_f64(),
        _ => return None,
    })
}

/// The integer that the number equals exactly, whatever its type: 5, 5.0 and decimal 5.00 are 5. `None` for a fraction,
/// a number outside of a long, NaN, the infinities, and other types.
pub fn to_i64_exact(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Int32(n) => Some(i64::from(*n)),
        Value::Int64(n) => Some(*n),
        Value::Double(v) => double_to_i64_exact(*v),
        Value::Decimal128(bytes) => Decimal128::from_bytes(*bytes).to_i64_exact(),
        _ => None,
    }
}

/// The integer that a double equals exactly, if it fits in a long. −0 is 0.
pub fn double_to_i64_exact(double: f64) -> Option<i64> {
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    ((-TWO_63..TWO_63).contains(&double) && double.trunc() == double).then_some(double as i64)
}

fn combine(
    a: &Value<'_>,
    b: &Value<'_>,
    of_longs: fn(i64, i64) -> Option<i64>,
    of_doubles: fn(f64, f64) -> f64,
    of_decimals: fn(Decimal128, Decimal128) -> Decimal128,
) -> Result<Value<'static>, NumberError> {
    if !a.is_number() || !b.is_number() {
        return Err(NumberError::NotANumber);
    }
    let not_a_number = NumberError::NotANumber;
    match (a, b) {
        (Value::Decimal128(_), _) | (_, Value::Decimal128(_)) => {
            let (x, y) = to_decimal(a).zip(to_decimal(b)).ok_or(not_a_number)?;
            Ok(Value::Decimal128(of_decimals(x, y).to_bytes()))
        }
        (Value::Double(_), _) | (_, Value::Double(_)) => {
            let (x, y) = to_double(a).zip(to_double(b)).ok_or(not_a_number)?;
            Ok(Value::Double(of_doubles(x, y)))
        }
        _ => {
            let (x, y) = to_i64_exact(a).zip(to_i64_exact(b)).ok_or(not_a_number)?;
            let result = of_longs(x, y).ok_or(NumberError::LongOverflow)?;
            Ok(match (a, b, i32::try_from(result)) {
                (Value::Int32(_), Value::Int32(_), Ok(small)) => Value::Int32(small),
                _ => Value::Int64(result),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bson::property::{cases, number, rng};
    use num_bigint::BigInt;

    fn decimal(text: &str) -> Value<'static> {
        Value::Decimal128(text.parse::<Decimal128>().unwrap().to_bytes())
    }

    fn show(result: Result<Value<'_>, NumberError>) -> String {
        match result {
            Ok(Value::Int32(n)) => format!("int {n}"),
            Ok(Value::Int64(n)) => format!("long {n}"),
            Ok(Value::Double(v)) => format!("double {v}"),
            Ok(Value::Decimal128(bytes)) => format!("decimal {}", Decimal128::from_bytes(bytes)),
            other => format!("{other:?}"),
        }
    }

    /// The results are those of mongod 6.0.5.
    #[test]
    fn sums() {
        let (int, long, double) = (Value::Int32, Value::Int64, Value::Double);
        for (a, b, sum) in [
            (int(1), int(2), "int 3"),
            (int(i32::MAX), int(1), "long 2147483648"),
            (int(1), long(2), "long 3"),
            (long(i64::MAX), int(1), "Err(LongOverflow)"),
            (long(i64::MAX), double(1.0), "double 9223372036854775807"),
            (long(9007199254740993), double(0.0), "double 9007199254740992"),
            (int(5), decimal("0.1"), "decimal 5.1"),
            (double(0.1), decimal("0.1"), "decimal 0.200000000000000"),
            (double(1.0 / 3.0), decimal("0"), "decimal 0.333333333333333"),
            (double(123456789.125), decimal("0"), "decimal 123456789.125000"),
            (double(1e16), decimal("1"), "decimal 10000000000000001"),
            (double(1e300), decimal("1"), "decimal 1.000000000000000000000000000000000E+300"),
            (double(0.0), decimal("0.00"), "decimal 0.00"),
            (double(-0.0), decimal("0"), "decimal 0"),
            (double(f64::NAN), decimal("1"), "decimal NaN"),
            (Value::Null, int(1), "Err(NotANumber)"),
        ] {
            let expected = sum.replace("9223372036854775807", &format!("{}", i64::MAX as f64));
            assert_eq!(show(add(&a, &b)), expected, "{a:?} + {b:?}");
            assert_eq!(show(add(&b, &a)), expected, "{b:?} + {a:?}");
        }
    }

    /// The results are those of mongod 6.0.5.
    #[test]
    fn products() {
        let (int, long, double) = (Value::Int32, Value::Int64, Value::Double);
        for (a, b, product) in [
            (int(65536), int(65536), "long 4294967296"),
            (int(i32::MIN), int(-1), "long 2147483648"),
            (int(5), long(2), "long 10"),
            (long(i64::MAX), long(2), "Err(LongOverflow)"),
            (long(i64::MIN), int(-1), "Err(LongOverflow)"),
            (double(2.5), decimal("2"), "decimal 5.00000000000000"),
            (double(f64::INFINITY), decimal("0"), "decimal NaN"),
        ] {
            assert_eq!(show(multiply(&a, &b)), product, "{a:?} * {b:?}");
        }
    }

    #[test]
    fn integers_never_wrap() {
        let mut rng = rng();
        for _ in 0..cases(20_000) {
            let (a, b) = (number(&mut rng), number(&mut rng));
            let integer = |v: &Value<'_>| match v {
                Value::Int32(n) => Some(BigInt::from(*n)),
                Value::Int64(n) => Some(BigInt::from(*n)),
                _ => None,
            };
            let Some((x, y)) = integer(&a).zip(integer(&b)) else { continue };
            for (result, exact) in [(add(&a, &b), &x + &y), (multiply(&a, &b), &x * &y)] {
                match result {
                    Ok(value) => assert_eq!(integer(&value), Some(exact), "{a:?} {b:?}"),
                    Err(_) => assert!(i64::try_from(&exact).is_err(), "{a:?} {b:?}"),
                }
            }
        }
    }

    #[test]
    fn whole_numbers_of_any_type() {
        let (long, double) = (Value::Int64, Value::Double);
        for (value, whole) in [
            (double(5.0), Some(5)),
            (double(-0.0), Some(0)),
            (double(5.5), None),
            (double(-9223372036854775808.0), Some(i64::MIN)),
            (double(9223372036854775808.0), None),
            (double(f64::NAN), None),
            (decimal("5.00"), Some(5)),
            (decimal("5.01"), None),
            (long(i64::MAX), Some(i64::MAX)),
            (Value::Bool(true), None),
        ] {
            assert_eq!(to_i64_exact(&value), whole, "{value:?}");
        }
    }
}

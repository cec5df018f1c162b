//! Numbers as operands that must be integers, with the words MongoDB refuses others in.

use super::super::show;
use crate::bson::Value;
use crate::bson::decimal128::{Decimal128, Parts};

const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// An operand that is exactly a 64-bit integer, in any numeric type; otherwise why not (without a prefix).
pub fn exact(name: &str, value: &Value<'_>) -> Result<i64, String> {
    let shown = || show::element(name, value);
    match value {
        Value::Int32(v) => Ok(i64::from(*v)),
        Value::Int64(v) => Ok(*v),
        Value::Double(v) if v.is_nan() => Err(format!("Expected an integer, but found NaN in: {}", shown())),
        Value::Double(v) if !(-TWO_63..TWO_63).contains(v) => {
            Err(format!("Cannot represent as a 64-bit integer: {}", shown()))
        }
        Value::Double(v) if v.fract() != 0.0 => Err(format!("Expected an integer: {}", shown())),
        Value::Double(v) => Ok(*v as i64),
        Value::Decimal128(bytes) => Decimal128::from_bytes(*bytes)
            .to_i64_exact()
            .ok_or_else(|| format!("Cannot represent as a 64-bit integer: {}", shown())),
        _ => Err(format!("Expected a number in: {}", shown())),
    }
}

/// A value cut to a 64-bit integer, towards zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncated {
    Integer(i64),
    NotNumber,
    NotFinite,
    TooLarge,
}

/// Cuts a number towards zero.
pub fn truncated(value: &Value<'_>) -> Truncated {
    match value {
        Value::Int32(v) => Truncated::Integer(i64::from(*v)),
        Value::Int64(v) => Truncated::Integer(*v),
        Value::Double(v) if !v.is_finite() => Truncated::NotFinite,
        Value::Double(v) if (-TWO_63..TWO_63).contains(v) => Truncated::Integer(*v as i64),
        Value::Double(_) => Truncated::TooLarge,
        Value::Decimal128(bytes) => truncated_decimal(Decimal128::from_bytes(*bytes)),
        _ => Truncated::NotNumber,
    }
}

fn truncated_decimal(number: Decimal128) -> Truncated {
    let Parts::Finite { negative, coefficient, exponent } = number.parts() else {
        return Truncated::NotFinite;
    };
    let magnitude = match u32::try_from(exponent) {
        _ if coefficient == 0 => Some(0),
        Ok(up) => 10i128.checked_pow(up).and_then(|scale| scale.checked_mul(coefficient as i128)),
        // Below 10^34 by definition: 10^39 and more cut everything off.
        Err(_) => {
            Some(10i128.checked_pow(exponent.unsigned_abs()).map_or(0, |scale| coefficient as i128 / scale))
        }
    };
    let signed = magnitude.map(|m| if negative { -m } else { m });
    match signed.and_then(|v| i64::try_from(v).ok()) {
        Some(v) => Truncated::Integer(v),
        None => Truncated::TooLarge,
    }
}

/// A number as a double, for messages and small codes.
pub fn to_double(value: &Value<'_>) -> f64 {
    match value {
        Value::Int32(v) => f64::from(*v),
        Value::Int64(v) => *v as f64,
        Value::Double(v) => *v,
        Value::Decimal128(bytes) => Decimal128::from_bytes(*bytes).to_f64(),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(negative: bool, coefficient: u128, exponent: i32) -> Value<'static> {
        let number = Decimal128::from_parts(Parts::Finite { negative, coefficient, exponent });
        Value::Decimal128(number.unwrap().to_bytes())
    }

    #[test]
    fn cuts_towards_zero() {
        assert_eq!(truncated(&Value::Double(-2.9)), Truncated::Integer(-2));
        assert_eq!(truncated(&decimal(true, 29, -1)), Truncated::Integer(-2));
        assert_eq!(truncated(&decimal(false, 1, -6000)), Truncated::Integer(0));
        assert_eq!(truncated(&decimal(false, 9, 18)), Truncated::Integer(9_000_000_000_000_000_000));
        assert_eq!(truncated(&decimal(true, 9223372036854775808, 0)), Truncated::Integer(i64::MIN));
        assert_eq!(truncated(&decimal(false, 1, 19)), Truncated::TooLarge);
        assert_eq!(truncated(&decimal(false, 0, 6000)), Truncated::Integer(0));
        assert_eq!(truncated(&Value::Double(f64::NAN)), Truncated::NotFinite);
        assert_eq!(truncated(&Value::Double(9.3e18)), Truncated::TooLarge);
        assert_eq!(truncated(&Value::Null), Truncated::NotNumber);
    }

    #[test]
    fn refuses_with_mongodbs_words() {
        let why = |value: Value<'_>| exact("$size", &value).unwrap_err();
        assert_eq!(why(Value::Double(1e30)), "Cannot represent as a 64-bit integer: $size: 1e+30.0");
        assert_eq!(why(Value::Double(f64::NAN)), "Expected an integer, but found NaN in: $size: nan.0");
        assert_eq!(why(Value::Double(-1.5)), "Expected an integer: $size: -1.5");
        assert_eq!(why("a".into()), "Expected a number in: $size: \"a\"");
        assert_eq!(exact("$size", &Value::Double(-0.0)), Ok(0));
    }
}

//! Decimals from and to integers and doubles.

use super::exact::{digits_of, nearest_f64};
use super::{Decimal128, Parts, digit_count, pow10};
use std::cmp::Ordering;

impl Decimal128 {
    /// The integer, exact, with exponent 0.
    pub fn from_i64(n: i64) -> Decimal128 {
        Decimal128::finite_unchecked(n < 0, u128::from(n.unsigned_abs()), 0)
    }

    /// The integer that the value equals; `None` where it has a fraction, or is outside of an i64, or not finite.
    pub fn to_i64_exact(self) -> Option<i64> {
        let Parts::Finite { negative, coefficient, exponent } = self.parts() else { return None };
        if coefficient == 0 {
            return Some(0);
        }
        if exponent > 19 || exponent <= -(digit_count(coefficient)) {
            return None;
        }
        let magnitude = if exponent >= 0 {
            coefficient.checked_mul(pow10(exponent as u32))?
        } else {
            let divisor = pow10(-exponent as u32);
            if coefficient % divisor != 0 {
                return None;
            }
            coefficient / divisor
        };
        let value = i128::try_from(magnitude).ok()?;
        i64::try_from(if negative { -value } else { value }).ok()
    }

    /// The double nearest to the value, ties to even; infinities and NaN as themselves.
    pub fn to_f64(self) -> f64 {
        match self.parts() {
            Parts::NaN => f64::NAN,
            Parts::Infinity { negative } => {
                if negative {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
            Parts::Finite { negative, coefficient, exponent } => {
                let magnitude = nearest_f64(coefficient, exponent);
                if negative { -magnitude } else { magnitude }
            }
        }
    }

    /// The double with the same value, if there is one (−0 stays −0; NaN and infinities have one).
    pub fn to_f64_exact(self) -> Option<f64> {
        let double = self.to_f64();
        (self.compare_f64(double) == Ordering::Equal).then_some(double)
    }

    /// The double nearest to the value in the direction of zero. Not for NaN.
    pub(crate) fn to_f64_truncated(self) -> f64 {
        let magnitude = self.abs();
        let nearest = magnitude.to_f64();
        let double = if magnitude.compare_f64(nearest) == Ordering::Less {
            f64::from_bits(nearest.to_bits() - 1)
        } else {
            nearest
        };
        if self.is_negative() { -double } else { double }
    }
}

impl Decimal128 {
    /// The decimal nearest to a double: all its digits, rounded to 34.
    pub fn from_f64(double: f64) -> Decimal128 {
        Decimal128::from_f64_digits(double, super::DIGITS)
    }

    /// MongoDB's decimal of a double where it meets one: rounded to the 15 digits that every double keeps, and those
    /// written out: 5.0 gives 5.00000000000000. Zero has exponent 0.
    pub fn from_f64_15_digits(double: f64) -> Decimal128 {
        const KEPT: i32 = 15;
        let rounded = Decimal128::from_f64_digits(double, KEPT);
        let Parts::Finite { negative, coefficient, exponent } = rounded.parts() else { return rounded };
        if coefficient == 0 {
            return rounded;
        }
        let zeros = KEPT - digit_count(coefficient);
        Decimal128::finite_unchecked(negative, coefficient * pow10(zeros as u32), exponent - zeros)
    }

    /// The double's exact value, rounded to `digits_max` (at most 34) digits, ties to even.
    fn from_f64_digits(double: f64, digits_max: i32) -> Decimal128 {
        if double.is_nan() {
            return Decimal128::NAN;
        }
        let negative = double.is_sign_negative();
        if double.is_infinite() {
            return Decimal128::infinity(negative);
        }
        let magnitude = double.abs();
        if magnitude < 1e15 && magnitude.fract() == 0.0 {
            return Decimal128::finite_unchecked(negative, magnitude as u128, 0);
        }
        let rounded = digits_of(magnitude, digits_max as u32);
        let (mut coefficient, mut exponent) = (rounded.digits, rounded.exponent - (digits_max - 1));
        while coefficient % 10 == 0 {
            coefficient /= 10;
            exponent += 1;
        }
        Decimal128::finite_unchecked(negative, coefficient, exponent)
    }
}

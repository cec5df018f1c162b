//! Decimals from and to integers and doubles.

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
        let double =
            if magnitude.compare_f64(nearest) == Ordering::Less { nearest.next_down() } else { nearest };
        if self.is_negative() { -double } else { double }
    }
}

/// The double nearest to c·10^e.
fn nearest_f64(c: u128, e: i32) -> f64 {
    if c < 1 << 53 && (-22..=22).contains(&e) {
        // Both operands are exact, so the one operation rounds correctly.
        let power = 10f64.powi(e.abs());
        return if e < 0 { c as f64 / power } else { c as f64 * power };
    }
    // The standard library's parser rounds correctly; the text goes through a buffer on the stack.
    let mut text = super::text::ShortText::new();
    text.integer(c);
    text.byte(b'e');
    if e < 0 {
        text.byte(b'-');
    }
    text.integer(u128::from(e.unsigned_abs()));
    text.as_str().parse().unwrap_or(0.0)
}

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
        let double = if magnitude.compare_f64(nearest) == Ordering::Less {
            f64::from_bits(nearest.to_bits() - 1)
        } else {
            nearest
        };
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
        let mut exact = Digits {
            kept: 0,
            count: 0,
            max: digits_max + 1,
            sticky: false,
            exponent: 0,
            phase: Phase::Digits,
        };
        // 766 digits behind the first are enough for every double: the text is its exact value.
        let _ = std::fmt::write(&mut exact, format_args!("{magnitude:.766e}"));
        exact.finish(negative)
    }
}

/// Takes the exact text `d.ddd…e±x` of a double, keeping one digit more than asked for.
struct Digits {
    kept: u128,
    count: i32,
    max: i32,
    sticky: bool,
    exponent: i32,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Digits,
    Exponent,
    NegativeExponent,
}

impl std::fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            let digit = byte.wrapping_sub(b'0');
            match (byte, self.phase) {
                (b'e', _) => self.phase = Phase::Exponent,
                (b'-', _) => self.phase = Phase::NegativeExponent,
                (b'.', _) => {}
                (_, Phase::Digits) if self.count < self.max => {
                    self.kept = self.kept * 10 + u128::from(digit);
                    self.count += 1;
                }
                (_, Phase::Digits) => self.sticky |= digit != 0,
                _ => self.exponent = self.exponent * 10 + i32::from(digit),
            }
        }
        Ok(())
    }
}

impl Digits {
    fn finish(self, negative: bool) -> Decimal128 {
        let first_digit = if self.phase == Phase::NegativeExponent { -self.exponent } else { self.exponent };
        let (mut coefficient, last) = (self.kept / 10, self.kept % 10);
        let up = last > 5 || last == 5 && (self.sticky || coefficient & 1 == 1);
        coefficient += u128::from(up);
        // The exponent of the digit before the last of those kept.
        let mut exponent = first_digit - (self.count - 2);
        while coefficient != 0 && coefficient % 10 == 0 {
            coefficient /= 10;
            exponent += 1;
        }
        Decimal128::finite_unchecked(negative, coefficient, exponent)
    }
}

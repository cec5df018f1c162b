//! The exact order of decimals among themselves, and against integers and doubles.

use super::big::Big;
use super::{Decimal128, Parts, digit_count, pow10};
use std::cmp::Ordering;

impl Decimal128 {
    /// MongoDB's order of numbers: by value, NaN lowest (and equal to itself), −0 = 0, whatever the exponents.
    pub fn compare(self, other: Decimal128) -> Ordering {
        match (self.parts(), other.parts()) {
            (Parts::NaN, Parts::NaN) => Ordering::Equal,
            (Parts::NaN, _) => Ordering::Less,
            (_, Parts::NaN) => Ordering::Greater,
            (Parts::Infinity { negative: a }, Parts::Infinity { negative: b }) => b.cmp(&a),
            (Parts::Infinity { negative }, _) => signed(negative, Ordering::Greater),
            (_, Parts::Infinity { negative }) => signed(negative, Ordering::Less),
            (
                Parts::Finite { negative: a, coefficient: c, exponent: e },
                Parts::Finite { negative: b, coefficient: d, exponent: f },
            ) => match (c, d) {
                (0, 0) => Ordering::Equal,
                (0, _) => signed(b, Ordering::Less),
                (_, 0) => signed(a, Ordering::Greater),
                _ if a != b => b.cmp(&a),
                _ => signed(a, magnitude_order(c, e, d, f)),
            },
        }
    }

    /// The order against an integer.
    pub fn compare_i64(self, other: i64) -> Ordering {
        self.compare(Decimal128::from_i64(other))
    }

    /// The order against a double, exact: neither side is rounded.
    pub fn compare_f64(self, other: f64) -> Ordering {
        let (negative, coefficient, exponent) = match self.parts() {
            Parts::NaN if other.is_nan() => return Ordering::Equal,
            Parts::NaN => return Ordering::Less,
            _ if other.is_nan() => return Ordering::Greater,
            Parts::Infinity { negative } if other.is_infinite() => {
                return other.is_sign_negative().cmp(&negative);
            }
            Parts::Infinity { negative } => return signed(negative, Ordering::Greater),
            Parts::Finite { negative, coefficient, exponent } => (negative, coefficient, exponent),
        };
        if other.is_infinite() {
            return signed(other < 0.0, Ordering::Less);
        }
        match (coefficient == 0, other == 0.0) {
            (true, true) => return Ordering::Equal,
            (true, false) => return signed(other < 0.0, Ordering::Less),
            (false, true) => return signed(negative, Ordering::Greater),
            (false, false) => {}
        }
        if negative != (other < 0.0) {
            return signed(negative, Ordering::Greater);
        }
        signed(negative, magnitude_order_f64(coefficient, exponent, other.abs()))
    }
}

fn signed(negative: bool, order: Ordering) -> Ordering {
    if negative { order.reverse() } else { order }
}

/// The order of c·10^e and d·10^f, both above 0.
fn magnitude_order(c: u128, e: i32, d: u128, f: i32) -> Ordering {
    let by_size = (digit_count(c) + e).cmp(&(digit_count(d) + f));
    by_size.then_with(|| {
        // The first digits stand at the same place, so the exponents differ by less than 34.
        if e >= f { (c * pow10((e - f) as u32)).cmp(&d) } else { c.cmp(&(d * pow10((f - e) as u32))) }
    })
}

/// The order of c·10^e and `double`, both above 0 and finite.
fn magnitude_order_f64(c: u128, e: i32, double: f64) -> Ordering {
    let first_digit = digit_count(c) + e - 1;
    if first_digit > 308 {
        return Ordering::Greater;
    }
    if first_digit < -324 {
        return Ordering::Less;
    }
    if e.abs() < 290 && first_digit.abs() < 290 {
        // Wrong by less than 1e-12 of its value, so a larger distance decides.
        let near = c as f64 * 10f64.powi(e);
        if (near - double).abs() > 1e-10 * near.max(double) {
            return if near < double { Ordering::Less } else { Ordering::Greater };
        }
    }
    let (mantissa, power) = binary_parts(double);
    let (mut left, mut right) = (Big::new(c), Big::new(u128::from(mantissa)));
    if e >= 0 {
        left.multiply_pow5(e as u32);
    } else {
        right.multiply_pow5(-e as u32);
    }
    // What is left to compare is left·2^e with right·2^power.
    let shift = e - power;
    (left.bit_len() + shift).cmp(&right.bit_len()).then_with(|| {
        if shift >= 0 {
            left.shift_left(shift as u32);
        } else {
            right.shift_left(-shift as u32);
        }
        left.compare(&right)
    })
}

/// A finite double above 0 as mantissa · 2^power.
pub(crate) fn binary_parts(double: f64) -> (u64, i32) {
    let bits = double.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52) as i32 & 0x7FF {
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased - 1075),
    }
}

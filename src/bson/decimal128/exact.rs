//! Doubles to decimal digits and back, exactly, by long division of natural numbers.
//!
//! The standard library does this faster, with tables of 12 KB and several algorithms: 25 KB of WebAssembly in all. Here
//! it is needed where a decimal meets a double and in the text of messages only.

use super::big::Big;
use std::cmp::Ordering;

/// Bits of a double's fraction.
const FRACTION_BITS: u32 = 52;
/// The exponent of the smallest normal double.
const NORMAL_MIN: i32 = -1022;

/// A number as a quotient.
struct Ratio {
    numerator: Big,
    denominator: Big,
}

impl Ratio {
    /// `n`·5^`power`; the power may be negative.
    fn new(n: u128, power: i32) -> Ratio {
        let mut ratio = Ratio { numerator: Big::new(n), denominator: Big::new(1) };
        let scaled = if power < 0 { &mut ratio.denominator } else { &mut ratio.numerator };
        scaled.multiply_pow5(power.unsigned_abs());
        ratio
    }

    /// Multiplies by 2^`power`, which may be negative.
    fn shift(&mut self, power: i32) {
        let shifted = if power < 0 { &mut self.denominator } else { &mut self.numerator };
        shifted.shift_left(power.unsigned_abs());
    }

    fn is_less_than_one(&self) -> bool {
        self.numerator.compare(&self.denominator) == Ordering::Less
    }

    /// Takes the whole part away, which must be small.
    fn take_whole(&mut self) -> u8 {
        let mut whole = 0;
        while !self.is_less_than_one() {
            self.numerator.subtract(&self.denominator);
            whole += 1;
        }
        whole
    }
}

/// The double nearest to c·10^e, ties to even. `c` has at most 34 digits.
pub(super) fn nearest_f64(c: u128, e: i32) -> f64 {
    if c < 1 << 53 && (-22..=22).contains(&e) {
        // Both operands are exact, so the one operation rounds correctly.
        let power = 10f64.powi(e.abs());
        return if e < 0 { c as f64 / power } else { c as f64 * power };
    }
    match e {
        _ if c == 0 => return 0.0,
        309.. => return f64::INFINITY,
        ..-358 => return 0.0,
        _ => {}
    }
    let mut ratio = Ratio::new(c, e);
    // Scaled to be from 1 to below 2, the value is ratio·2^exponent.
    let mut scale = ratio.denominator.bit_len() - ratio.numerator.bit_len();
    ratio.shift(scale);
    if ratio.is_less_than_one() {
        ratio.numerator.shift_left(1);
        scale += 1;
    }
    let exponent = e - scale;
    if exponent > 1023 {
        return f64::INFINITY;
    }
    let kept_bits = (FRACTION_BITS as i32 + 1).min(FRACTION_BITS as i32 + 1 + exponent - NORMAL_MIN);
    if kept_bits < 0 {
        return 0.0;
    }
    let mut fraction = 0;
    for _ in 0..kept_bits {
        fraction = fraction << 1 | u64::from(ratio.take_whole());
        ratio.numerator.shift_left(1);
    }
    // What is left, in units of the last bit, is half of the ratio.
    let up = match ratio.numerator.compare(&ratio.denominator) {
        Ordering::Greater => true,
        Ordering::Equal => fraction & 1 == 1,
        Ordering::Less => false,
    };
    // The leading bit of a normal number adds one to the exponent field, and so does a carry out of the fraction.
    let field = (exponent - NORMAL_MIN).max(0) as u64;
    f64::from_bits((field << FRACTION_BITS) + fraction + u64::from(up))
}

/// The first decimal digits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    /// As many digits as were asked for, as one number.
    pub digits: u128,
    /// The power of ten of the first one.
    pub exponent: i32,
}

/// The exact value of a positive finite double, rounded to `count` digits (1 to 36), ties to even.
pub(crate) fn digits_of(double: f64, count: u32) -> Digits {
    let bits = double.to_bits();
    let (field, fraction) = ((bits >> FRACTION_BITS) as i32, bits & ((1 << FRACTION_BITS) - 1));
    let significand = if field == 0 { fraction } else { fraction | 1 << FRACTION_BITS };
    let power_of_two = field.max(1) - 1 + NORMAL_MIN - FRACTION_BITS as i32;
    // log₁₀ 2 is 315653 / 2^20, nearly; what is wrong by one is put right below.
    let binary_exponent = power_of_two + significand.ilog2() as i32;
    let mut exponent = (binary_exponent * 315_653) >> 20;
    let mut ratio = Ratio::new(u128::from(significand), -exponent);
    ratio.shift(power_of_two - exponent);
    let mut tenfold = ratio.denominator;
    tenfold.multiply(10);
    if ratio.is_less_than_one() {
        ratio.numerator.multiply(10);
        exponent -= 1;
    } else if ratio.numerator.compare(&tenfold) != Ordering::Less {
        ratio.denominator = tenfold;
        exponent += 1;
    }
    let mut digits = 0;
    for _ in 0..count {
        digits = digits * 10 + u128::from(ratio.take_whole());
        ratio.numerator.multiply(10);
    }
    // What is left is ten times too large by now.
    ratio.denominator.multiply(5);
    let up = match ratio.numerator.compare(&ratio.denominator) {
        Ordering::Greater => true,
        Ordering::Equal => digits & 1 == 1,
        Ordering::Less => false,
    };
    digits += u128::from(up);
    if digits == super::pow10(count) {
        Digits { digits: digits / 10, exponent: exponent + 1 }
    } else {
        Digits { digits, exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::{digits_of, nearest_f64};
    use crate::bson::property::{cases, rng};

    /// Doubles of every size, those with few digits, and those beside powers of two and ten.
    fn double(random: &mut fastrand::Rng) -> f64 {
        let double = match random.u8(0..4) {
            0 => f64::from_bits(random.u64(..)),
            1 => f64::from_bits(random.u64(..) & (0xfff << 52) | random.u64(0..3)),
            2 => 10f64.powi(random.i32(-323..309)) * f64::from(random.u32(1..100)),
            _ => f64::from_bits(random.u64(..) >> random.u32(4..64)),
        };
        if double.is_finite() && double != 0.0 { double.abs() } else { 1.5 }
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        let mut random = rng();
        for _ in 0..cases(20_000) {
            let (value, count) = (double(&mut random), random.u32(1..37));
            let text = format!("{:.*e}", count as usize - 1, value);
            let found = digits_of(value, count);
            let digits = found.digits.to_string();
            let point = if count > 1 { "." } else { "" };
            assert_eq!(format!("{}{point}{}e{}", &digits[..1], &digits[1..], found.exponent), text);
        }
    }

    #[test]
    fn doubles_are_those_of_the_standard_library() {
        let mut random = rng();
        let exact = |c: u128, e: i32| format!("{c}e{e}").parse::<f64>().unwrap();
        for _ in 0..cases(20_000) {
            // Digits of doubles and of points half way between two, and any.
            let value = double(&mut random);
            let (c, e) = match random.u8(0..3) {
                0 => {
                    let found = digits_of(value, 17);
                    (found.digits, found.exponent - 16)
                }
                1 => {
                    let found = digits_of(value, 34);
                    (found.digits + u128::from(random.u8(0..2)), found.exponent - 33)
                }
                _ => {
                    let limit = 10u128.pow(random.u32(1..35));
                    (random.u128(0..limit), random.i32(-400..330))
                }
            };
            assert_eq!(nearest_f64(c, e), exact(c, e), "{c}e{e}");
        }
        // Half of the smallest double, beside it, and the largest and beyond.
        for (c, e) in [
            (2_470_328_229_206_232_720_882_843_964_341_106, -357),
            (2_470_328_229_206_232_720_882_843_964_341_107, -357),
            (17_976_931_348_623_157, 292),
            (17_976_931_348_623_159, 292),
            ((1 << 53) + 1, 0),
            ((1 << 53) + 3, 0),
            ((1 << 54) + 2, 0),
            (1, 308),
            (1, 309),
            (9, 400),
            (1, -358),
        ] {
            assert_eq!(nearest_f64(c, e), exact(c, e), "{c}e{e}");
        }
    }
}

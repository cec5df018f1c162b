//! Numbers in keys: int, long, double and decimal in one order of bytes, exact.
//!
//! The first byte tells NaN, the sign and the size class; the bytes after it, complemented for negative numbers, are
//! the magnitude:
//! - zero, NaN: nothing;
//! - an integer part i from 1 to 2^63 − 1: i · 2, plus 1 if there is a fraction, in as few bytes as possible. Then the
//!   fraction, if any, in just enough bytes for a double with that integer part, its last bit saying *rest*;
//! - below 1, and from 2^63 on: the bits of the double next to it in the direction of zero (its sign is 0), shifted
//!   by one, the last bit saying *rest*.
//!
//! *Rest* means that the number is a decimal above what the bits say. It follows whole: the place of its first digit
//! (+ 7000, two bytes), then its digits without zeros at the end, two per byte: twice their number, plus 1 if
//! more follow. Doubles and integers never have a rest, so it compares decimals with decimals only.

use super::tag;
use crate::bson::decimal128::{Decimal128, Parts, digit_count, pow10};
use crate::bson::raw::Value;

const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const PLACE_BIAS: i32 = 7000;

/// A number as its key has it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    NaN,
    Integer(i64),
    Double(f64),
    /// In the form with the fewest digits.
    Decimal(Decimal128),
}

/// The bytes of one number, collected here so that the key grows once.
struct Bytes {
    /// 1 first byte, 8 of the integer part, 7 of the fraction, 2 + 17 of the rest; and room to write 8 bytes at a time.
    buffer: [u8; 48],
    len: usize,
}

impl Bytes {
    fn push(&mut self, byte: u8) {
        self.buffer[self.len] = byte;
        self.len += 1;
    }

    /// The lowest `bytes` bytes of `word`, most significant first; from 1 to 8.
    fn word(&mut self, word: u64, bytes: usize) {
        let aligned = word << (64 - 8 * bytes);
        self.buffer[self.len..self.len + 8].copy_from_slice(&aligned.to_be_bytes());
        self.len += bytes;
    }
}

/// Appends the key of a number; tells what [`read`] will make of it.
pub(super) fn write(value: &Value<'_>, out: &mut Vec<u8>) -> Number {
    match value {
        Value::Int32(n) => write_integer(i64::from(*n), out),
        Value::Int64(n) => write_integer(*n, out),
        Value::Double(v) => write_double(*v, out),
        Value::Decimal128(bytes) => write_decimal(Decimal128::from_bytes(*bytes), out),
        _ => Number::NaN,
    }
}

fn write_integer(n: i64, out: &mut Vec<u8>) -> Number {
    if n == 0 {
        out.push(tag::ZERO);
    } else if n == i64::MIN {
        return write_double(n as f64, out);
    } else {
        signed(n < 0, out, |out| write_whole(n.unsigned_abs(), false, out));
    }
    Number::Integer(n)
}

fn write_double(v: f64, out: &mut Vec<u8>) -> Number {
    if v.is_nan() {
        out.push(tag::NAN);
        return Number::NaN;
    }
    let magnitude = v.abs();
    if magnitude < TWO_63 && magnitude.trunc() == magnitude {
        return write_integer(v as i64, out);
    }
    signed(v < 0.0, out, |out| {
        if !(1.0..TWO_63).contains(&magnitude) {
            return write_bits(magnitude, false, out);
        }
        let whole = magnitude as u64;
        let size = write_whole(whole, true, out);
        let bytes = fraction_bytes(whole);
        // Exact: the fraction has fewer bits than that.
        let fraction = (magnitude.fract() * (1u64 << (bytes * 8 - 1)) as f64) as u64;
        out.word(fraction << 1, bytes);
        size
    });
    Number::Double(v)
}

fn write_decimal(decimal: Decimal128, out: &mut Vec<u8>) -> Number {
    let (negative, coefficient, exponent) = match decimal.parts() {
        Parts::NaN => {
            out.push(tag::NAN);
            return Number::NaN;
        }
        Parts::Infinity { .. } => return write_double(decimal.to_f64(), out),
        Parts::Finite { coefficient: 0, .. } => return write_integer(0, out),
        Parts::Finite { negative, coefficient, exponent } => (negative, coefficient, exponent),
    };
    let place = digit_count(coefficient) + exponent;
    let split = if (1..=19).contains(&place) { split(coefficient, exponent) } else { None };
    let Some((whole, above, below)) = split else {
        let double = decimal.to_f64_truncated();
        let has_rest = !decimal.compare_f64(double).is_eq();
        signed(negative, out, |out| {
            let size = write_bits(double.abs(), has_rest, out);
            if has_rest {
                write_rest(coefficient, exponent, out);
            }
            size
        });
        return if has_rest { Number::Decimal(shortest(decimal)) } else { Number::Double(double) };
    };
    if above == 0 {
        return write_integer(if negative { -(whole as i64) } else { whole as i64 }, out);
    }
    let bytes = fraction_bytes(whole);
    let (fraction, rest) = fraction_bits(above, below, bytes * 8 - 1);
    let has_rest = rest != 0;
    signed(negative, out, |out| {
        let size = write_whole(whole, true, out);
        out.word(fraction << 1 | u64::from(has_rest), bytes);
        if has_rest {
            write_rest(coefficient, exponent, out);
        }
        size
    });
    if has_rest {
        return Number::Decimal(shortest(decimal));
    }
    whole_and_fraction(negative, whole, fraction, bytes * 8 - 1).unwrap_or(Number::Decimal(shortest(decimal)))
}

/// Writes the first byte and the magnitude; `write` tells the size class, from 1 to 10.
#[inline]
fn signed(negative: bool, out: &mut Vec<u8>, write: impl FnOnce(&mut Bytes) -> u8) {
    let mut bytes = Bytes { buffer: [0; 48], len: 1 };
    let class = write(&mut bytes);
    let written = &mut bytes.buffer[..bytes.len];
    written[0] = tag::ZERO + class;
    if negative {
        written.iter_mut().for_each(|byte| *byte = !*byte);
        written[0] = tag::ZERO - class;
    }
    out.extend_from_slice(written);
}

/// Writes the integer part, which is below 2^63; gives the size class.
fn write_whole(whole: u64, has_fraction: bool, out: &mut Bytes) -> u8 {
    let word = whole << 1 | u64::from(has_fraction);
    let bytes = 8 - word.leading_zeros() as usize / 8;
    out.word(word, bytes);
    1 + bytes as u8
}

/// Writes the bits of a double below 1 or from 2^63 on; gives the size class.
fn write_bits(magnitude: f64, has_rest: bool, out: &mut Bytes) -> u8 {
    out.word(magnitude.to_bits() << 1 | u64::from(has_rest), 8);
    if magnitude < 1.0 { 1 } else { 10 }
}

/// How many bytes the fraction after this integer part takes: the bits that a double has left, and one.
fn fraction_bytes(whole: u64) -> usize {
    let bits_left = 53usize.saturating_sub(64 - whole.leading_zeros() as usize);
    bits_left / 8 + 1
}

/// The integer part of c·10^e and its fraction; `None` from 2^63 on. The integer part has 1 to 19 digits.
fn split(c: u128, e: i32) -> Option<(u64, u128, u128)> {
    let (whole, above, below) = match e {
        0.. => (c * pow10(e as u32), 0, 1),
        _ => {
            let below = pow10(-e as u32);
            (c / below, c % below, below)
        }
    };
    (whole < 1 << 63).then_some((whole as u64, above, below))
}

/// The first `bits` binary digits of above/below < 1, and what is left. `below` is at most 10^33.
fn fraction_bits(mut above: u128, below: u128, bits: usize) -> (u64, u128) {
    let mut fraction = 0u64;
    let mut left = bits;
    while left > 0 {
        let step = left.min(17);
        let scaled = above << step;
        fraction = fraction << step | (scaled / below) as u64;
        above = scaled % below;
        left -= step;
    }
    (fraction, above)
}

fn write_rest(coefficient: u128, exponent: i32, out: &mut Bytes) {
    let place = digit_count(coefficient) + exponent - 1 + PLACE_BIAS;
    out.word(place as u64, 2);
    // 34 digits from the first on.
    let mut digits = coefficient * pow10((34 - digit_count(coefficient)) as u32);
    let mut unit = pow10(32);
    while digits != 0 {
        let pair = digits / unit;
        digits %= unit;
        out.push(pair as u8 * 2 + u8::from(digits != 0));
        unit /= 100;
    }
}

fn shortest(decimal: Decimal128) -> Decimal128 {
    let Parts::Finite { negative, mut coefficient, mut exponent } = decimal.parts() else { return decimal };
    while coefficient != 0 && coefficient % 10 == 0 && exponent < crate::bson::decimal128::EXPONENT_MAX {
        coefficient /= 10;
        exponent += 1;
    }
    Decimal128::finite_unchecked(negative, coefficient, exponent)
}

/// The double, or else the decimal, of ±(whole + fraction/2^bits).
fn whole_and_fraction(negative: bool, whole: u64, fraction: u64, bits: usize) -> Option<Number> {
    let scale = (1u64 << bits) as f64;
    let double = whole as f64 + fraction as f64 / scale;
    let is_exact = double < TWO_63 && double as u64 == whole && (double.fract() * scale) as u64 == fraction;
    if is_exact {
        return Some(Number::Double(if negative { -double } else { double }));
    }
    let bits = bits as u32 - fraction.trailing_zeros().min(bits as u32);
    let above = fraction.checked_shr(fraction.trailing_zeros())?;
    // fraction/2^bits = fraction·5^bits/10^bits
    let digits = u128::from(whole).checked_mul(10u128.checked_pow(bits)?)?;
    let coefficient = digits.checked_add(u128::from(above).checked_mul(5u128.checked_pow(bits)?)?)?;
    let exponent = -(bits as i32);
    Decimal128::from_parts(Parts::Finite { negative, coefficient, exponent })
        .map(|d| Number::Decimal(shortest(d)))
}

/// Reads a number whose first byte is `first`; `next` gives the bytes after it. `None` where they are no number.
pub(super) fn read(first: u8, mut next: impl FnMut() -> Option<u8>) -> Option<Number> {
    if first == tag::NAN {
        return Some(Number::NaN);
    }
    let negative = first < tag::ZERO;
    let mask = if negative { 0xFF } else { 0 };
    let mut next = || next().map(|byte| byte ^ mask);
    let mut word = |bytes: usize| (0..bytes).try_fold(0u64, |word, _| Some(word << 8 | u64::from(next()?)));
    match first.abs_diff(tag::ZERO) {
        0 => Some(Number::Integer(0)),
        class @ 2..=9 => {
            let word_read = word(usize::from(class) - 1)?;
            let whole = word_read >> 1;
            if word_read & 1 == 0 {
                return Some(Number::Integer(if negative { -(whole as i64) } else { whole as i64 }));
            }
            let bytes = fraction_bytes(whole);
            let fraction = word(bytes)?;
            if fraction & 1 == 1 {
                return read_rest(negative, next);
            }
            whole_and_fraction(negative, whole, fraction >> 1, bytes * 8 - 1)
        }
        1 | 10 => {
            let bits = word(8)?;
            if bits & 1 == 1 {
                return read_rest(negative, next);
            }
            let double = f64::from_bits(bits >> 1);
            let number = Number::Double(if negative { -double } else { double });
            (!double.is_nan()).then_some(number)
        }
        _ => None,
    }
}

fn read_rest(negative: bool, mut next: impl FnMut() -> Option<u8>) -> Option<Number> {
    let place = i32::from(u16::from_be_bytes([next()?, next()?])) - PLACE_BIAS;
    let mut coefficient = 0u128;
    let mut digits = 0;
    loop {
        let byte = next()?;
        if byte >= 200 || digits == 34 {
            return None;
        }
        coefficient = coefficient * 100 + u128::from(byte / 2);
        digits += 2;
        if byte & 1 == 0 {
            break;
        }
    }
    let mut exponent = place + 1 - digits;
    // The last pair may end in a zero that the exponent has no room for.
    while coefficient != 0 && coefficient.is_multiple_of(10) {
        coefficient /= 10;
        exponent += 1;
    }
    // The first digits of large values, with zeros after them, may be above the range of exponents.
    let over = (exponent - crate::bson::decimal128::EXPONENT_MAX).clamp(0, 34);
    let coefficient = coefficient.checked_mul(10u128.checked_pow(over as u32)?)?;
    let exponent = exponent - over;
    Decimal128::from_parts(Parts::Finite { negative, coefficient, exponent }).map(Number::Decimal)
}

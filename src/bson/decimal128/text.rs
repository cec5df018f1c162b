//! Decimals as text, after the BSON Decimal128 specification.

use super::arithmetic::{Exact, round};
use super::wide::Wide;
use super::{Decimal128, Parts};
use std::fmt;
use std::str::FromStr;

/// Why a text is no decimal128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseDecimalError {
    /// Not the text of a number.
    Syntax,
    /// The number has more digits than a decimal128 holds, or is out of its range.
    Inexact,
}

impl FromStr for Decimal128 {
    type Err = ParseDecimalError;

    /// Takes a number exactly, as the specification asks drivers to.
    fn from_str(text: &str) -> Result<Decimal128, ParseDecimalError> {
        match Decimal128::parse_rounded(text)? {
            (value, false) => Ok(value),
            (_, true) => Err(ParseDecimalError::Inexact),
        }
    }
}

impl Decimal128 {
    /// Takes a number, rounded to nearest, ties to even, as `$toDecimal` does; also tells whether that was needed.
    pub fn parse_rounded(text: &str) -> Result<(Decimal128, bool), ParseDecimalError> {
        let (negative, body) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        if body.eq_ignore_ascii_case(b"nan") {
            return Ok((Decimal128::NAN, false));
        }
        if body.eq_ignore_ascii_case(b"inf") || body.eq_ignore_ascii_case(b"infinity") {
            return Ok((Decimal128::infinity(negative), false));
        }
        let (number, exponent) = match body.iter().position(|b| b.eq_ignore_ascii_case(&b'e')) {
            Some(at) => (&body[..at], parse_exponent(&body[at + 1..])?),
            None => (body, 0),
        };
        let digits = parse_digits(number)?;
        // Far beyond all limits, yet far from overflow in what follows.
        let exponent = (digits.exponent + exponent).clamp(-100_000, 100_000) as i32;
        let coefficient = Wide::new(digits.kept);
        Ok(round(Exact { negative, coefficient, exponent, sticky: digits.sticky }))
    }
}

struct ParsedDigits {
    /// Up to 38 digits from the first that is not 0.
    kept: u128,
    sticky: bool,
    exponent: i64,
}

fn parse_digits(number: &[u8]) -> Result<ParsedDigits, ParseDecimalError> {
    const KEPT_MAX: u32 = 38;
    let mut parsed = ParsedDigits { kept: 0, sticky: false, exponent: 0 };
    let (mut kept_count, mut digit_seen, mut point_seen) = (0, false, false);
    for &byte in number {
        match byte {
            b'.' if !point_seen => point_seen = true,
            b'0'..=b'9' => {
                digit_seen = true;
                if kept_count < KEPT_MAX {
                    parsed.kept = parsed.kept * 10 + u128::from(byte - b'0');
                    kept_count += u32::from(parsed.kept != 0);
                    parsed.exponent -= i64::from(point_seen);
                } else {
                    parsed.sticky |= byte != b'0';
                    parsed.exponent += i64::from(!point_seen);
                }
            }
            _ => return Err(ParseDecimalError::Syntax),
        }
    }
    if digit_seen { Ok(parsed) } else { Err(ParseDecimalError::Syntax) }
}

fn parse_exponent(text: &[u8]) -> Result<i64, ParseDecimalError> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(ParseDecimalError::Syntax);
    }
    let magnitude = digits.iter().fold(0i64, |n, &b| (n * 10 + i64::from(b - b'0')).min(1 << 40));
    Ok(if negative { -magnitude } else { magnitude })
}

impl fmt::Display for Decimal128 {
    /// The specification's text: scientific where the exponent is above 0 or the first digit is more than six places
    /// behind the point, plain otherwise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_text().as_str())
    }
}

impl Decimal128 {
    /// The text that `Display` writes, without an allocation.
    pub(crate) fn to_text(self) -> ShortText {
        let mut out = ShortText::new();
        let (negative, coefficient, exponent) = match self.parts() {
            Parts::NaN => {
                out.bytes(b"NaN");
                return out;
            }
            Parts::Infinity { negative } => {
                out.bytes(if negative { b"-Infinity" } else { b"Infinity" });
                return out;
            }
            Parts::Finite { negative, coefficient, exponent } => (negative, coefficient, exponent),
        };
        if negative {
            out.byte(b'-');
        }
        let mut digits = ShortText::new();
        digits.integer(coefficient);
        let digits = digits.as_str().as_bytes();
        let first_digit = exponent + digits.len() as i32 - 1;
        if exponent > 0 || first_digit < -6 {
            out.byte(digits[0]);
            if digits.len() > 1 {
                out.byte(b'.');
                out.bytes(&digits[1..]);
            }
            out.bytes(if first_digit < 0 { b"E-" } else { b"E+" });
            out.integer(u128::from(first_digit.unsigned_abs()));
        } else if exponent == 0 {
            out.bytes(digits);
        } else if first_digit >= 0 {
            let (whole, fraction) = digits.split_at(first_digit as usize + 1);
            out.bytes(whole);
            out.byte(b'.');
            out.bytes(fraction);
        } else {
            out.bytes(b"0.");
            out.bytes(&b"000000"[..(-first_digit - 1) as usize]);
            out.bytes(digits);
        }
        out
    }
}

/// Text of up to 48 ASCII bytes on the stack: the longest decimal has 42.
#[derive(Clone, Copy)]
pub(crate) struct ShortText {
    buffer: [u8; 48],
    len: usize,
}

impl ShortText {
    pub(crate) fn new() -> ShortText {
        ShortText { buffer: [0; 48], len: 0 }
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes(&[byte]);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.buffer[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    pub(crate) fn integer(&mut self, mut n: u128) {
        let mut digits = [0u8; 39];
        let mut start = digits.len();
        loop {
            start -= 1;
            digits[start] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.bytes(&digits[start..]);
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.buffer[..self.len]).unwrap_or("")
    }
}

//! Decimals as text, after the BSON Decimal128 specification.

use super::{Decimal128, Parts};
use std::fmt;

/// Why a text is no decimal128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseDecimalError;

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

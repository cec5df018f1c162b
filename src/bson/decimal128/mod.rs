//! IEEE 754-2008 decimal128 in the binary integer encoding, as BSON stores it.
//!
//! Purpose: read and write the 16 bytes, order values exactly, compute, and convert to and from text.
//! Source of the rules: the BSON Decimal128 specification and IEEE 754-2008.
//!
//! Invariants
//! 1. Every pattern of 128 bits is a value: a coefficient above 10^34 − 1 (non-canonical) is zero.
//! 2. Results are rounded once, to nearest, ties to even, from the exact value; what does not fit becomes infinity,
//!    what is too small a subnormal or zero.
//! 3. Deliberately absent: signalling (a signalling NaN is a NaN), status flags, other rounding directions.

mod arithmetic;
mod big;
pub(crate) mod compare;
mod convert;
mod exact;
#[cfg(test)]
mod tests;
mod text;
mod wide;

pub(crate) use exact::digits_of;
pub use text::ParseDecimalError;
pub(crate) use text::ShortText;

/// The largest coefficient plus one: 10^34.
pub(crate) const COEFFICIENT_END: u128 = 10u128.pow(34);
/// Significant digits of a value.
pub(crate) const DIGITS: i32 = 34;
/// The exponent of the last digit of the smallest subnormal.
pub(crate) const EXPONENT_MIN: i32 = -6176;
/// The exponent of the last digit of the largest value.
pub(crate) const EXPONENT_MAX: i32 = 6111;

const SIGN: u128 = 1 << 127;
const NAN_BITS: u128 = 0x7C << 120;
const INFINITY_BITS: u128 = 0x78 << 120;

/// A decimal128 value. `Eq` and `Hash` are of the bits; the order of values is [`Decimal128::compare`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal128 {
    bits: u128,
}

/// What the bits of a [`Decimal128`] mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    NaN,
    Infinity {
        negative: bool,
    },
    /// ±`coefficient` · 10^`exponent`, the coefficient below 10^34.
    Finite {
        negative: bool,
        coefficient: u128,
        exponent: i32,
    },
}

impl Decimal128 {
    /// Positive zero with exponent 0.
    pub const ZERO: Decimal128 = Decimal128::finite_unchecked(false, 0, 0);
    /// The quiet NaN.
    pub const NAN: Decimal128 = Decimal128 { bits: NAN_BITS };
    /// Positive infinity.
    pub const INFINITY: Decimal128 = Decimal128 { bits: INFINITY_BITS };
    /// Negative infinity.
    pub const NEG_INFINITY: Decimal128 = Decimal128 { bits: INFINITY_BITS | SIGN };

    /// Takes the 16 bytes of a BSON value (little-endian).
    pub const fn from_bytes(bytes: [u8; 16]) -> Decimal128 {
        Decimal128 { bits: u128::from_le_bytes(bytes) }
    }

    /// The 16 bytes of the BSON value.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.bits.to_le_bytes()
    }

    /// The meaning of the bits.
    pub fn parts(self) -> Parts {
        let negative = self.bits & SIGN != 0;
        let top = (self.bits >> 122) as u32 & 0x1F;
        if top == 0x1F {
            return Parts::NaN;
        }
        if top == 0x1E {
            return Parts::Infinity { negative };
        }
        // With the two top bits set the coefficient would start at 2^113 > 10^34: always non-canonical, hence zero.
        let (biased, coefficient) = if top >> 3 == 3 {
            ((self.bits >> 111) as i32 & 0x3FFF, 0)
        } else {
            ((self.bits >> 113) as i32 & 0x3FFF, self.bits & ((1 << 113) - 1))
        };
        let coefficient = if coefficient < COEFFICIENT_END { coefficient } else { 0 };
        Parts::Finite { negative, coefficient, exponent: biased + EXPONENT_MIN }
    }

    /// The value of `parts` without any rounding; `None` where a coefficient or an exponent is out of range.
    pub fn from_parts(parts: Parts) -> Option<Decimal128> {
        match parts {
            Parts::NaN => Some(Decimal128::NAN),
            Parts::Infinity { negative } => Some(Decimal128::infinity(negative)),
            Parts::Finite { negative, coefficient, exponent } => {
                let fits = coefficient < COEFFICIENT_END && (EXPONENT_MIN..=EXPONENT_MAX).contains(&exponent);
                fits.then(|| Decimal128::finite_unchecked(negative, coefficient, exponent))
            }
        }
    }

    /// Whether the value is a NaN.
    pub fn is_nan(self) -> bool {
        matches!(self.parts(), Parts::NaN)
    }

    /// Whether the value is an infinity.
    pub fn is_infinite(self) -> bool {
        matches!(self.parts(), Parts::Infinity { .. })
    }

    /// Whether the value is a zero of either sign.
    pub fn is_zero(self) -> bool {
        matches!(self.parts(), Parts::Finite { coefficient: 0, .. })
    }

    /// Whether the sign bit is set.
    pub fn is_negative(self) -> bool {
        self.bits & SIGN != 0
    }

    /// The value with its sign turned over.
    pub fn negate(self) -> Decimal128 {
        Decimal128 { bits: self.bits ^ SIGN }
    }

    /// The value without its sign.
    pub fn abs(self) -> Decimal128 {
        Decimal128 { bits: self.bits & !SIGN }
    }

    pub(crate) const fn infinity(negative: bool) -> Decimal128 {
        if negative { Decimal128::NEG_INFINITY } else { Decimal128::INFINITY }
    }

    /// The caller guarantees the ranges of coefficient and exponent.
    pub(crate) const fn finite_unchecked(negative: bool, coefficient: u128, exponent: i32) -> Decimal128 {
        let sign = if negative { SIGN } else { 0 };
        Decimal128 { bits: sign | (((exponent - EXPONENT_MIN) as u128) << 113) | coefficient }
    }
}

impl std::fmt::Debug for Decimal128 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decimal128({self})")
    }
}

/// 10^`n` for `n` up to 38.
pub(crate) fn pow10(n: u32) -> u128 {
    10u128.pow(n)
}

/// The number of decimal digits of `n`, 0 for 0.
pub(crate) fn digit_count(n: u128) -> i32 {
    n.checked_ilog10().map_or(0, |log| log as i32 + 1)
}

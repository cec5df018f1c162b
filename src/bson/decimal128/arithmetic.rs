//! Arithmetic: the exact result in [`Wide`], rounded once by [`round`].

use super::wide::Wide;
use super::{COEFFICIENT_END, DIGITS, Decimal128, EXPONENT_MAX, EXPONENT_MIN, Parts, digit_count, pow10};
use std::cmp::Ordering;

/// An exact finite result before rounding: ±(`coefficient` + something in (0, 1) if `sticky`) · 10^`exponent`.
#[derive(Clone, Copy)]
pub(super) struct Exact {
    pub(super) negative: bool,
    pub(super) coefficient: Wide,
    pub(super) exponent: i32,
    pub(super) sticky: bool,
}

/// Rounds to 34 digits and the range of exponents, to nearest, ties to even. Tells whether that changed the value.
///
/// With `sticky` the coefficient must have more than 34 digits, or an exponent so low that digits are dropped anyway.
pub(super) fn round(exact: Exact) -> (Decimal128, bool) {
    let Exact { negative, mut coefficient, mut exponent, mut sticky } = exact;
    let over = coefficient.digit_count() - DIGITS;
    let drop = over.max(EXPONENT_MIN.saturating_sub(exponent)).max(0);
    if drop > 0 {
        // All but the last dropped digit only tell whether the rest is a tie.
        let mut left = (drop - 1).min(80);
        while left > 0 {
            let step = left.min(33);
            let (quotient, remainder) = coefficient.divide(pow10(step as u32));
            sticky |= remainder != 0;
            coefficient = quotient;
            left -= step;
        }
        let (quotient, digit) = coefficient.divide(10);
        let is_odd = quotient.narrow().is_some_and(|q| q & 1 == 1);
        let up = digit > 5 || digit == 5 && (sticky || is_odd);
        coefficient = quotient.plus(Wide::new(u128::from(up)));
        sticky |= digit != 0;
        exponent = exponent.saturating_add(drop);
    }
    // At most 10^34, by the count of dropped digits and the rounding up.
    let mut coefficient = coefficient.narrow().unwrap_or(0);
    if coefficient == COEFFICIENT_END {
        coefficient /= 10;
        exponent += 1;
    }
    if coefficient == 0 {
        let exponent = exponent.clamp(EXPONENT_MIN, EXPONENT_MAX);
        return (Decimal128::finite_unchecked(negative, 0, exponent), sticky);
    }
    if exponent > EXPONENT_MAX {
        // Zeros at the end may bring the exponent into range.
        if digit_count(coefficient).saturating_add(exponent - EXPONENT_MAX) > DIGITS {
            return (Decimal128::infinity(negative), true);
        }
        coefficient *= pow10((exponent - EXPONENT_MAX) as u32);
        exponent = EXPONENT_MAX;
    }
    (Decimal128::finite_unchecked(negative, coefficient, exponent), sticky)
}

// Named as the arithmetic they are, like `divide` and `remainder`; operators would hide that they round.
#[allow(clippy::should_implement_trait)]
impl Decimal128 {
    /// The sum.
    pub fn add(self, other: Decimal128) -> Decimal128 {
        let (a, b) = match (self.parts(), other.parts()) {
            (Parts::NaN, _) | (_, Parts::NaN) => return Decimal128::NAN,
            (Parts::Infinity { negative: a }, Parts::Infinity { negative: b }) => {
                return if a == b { Decimal128::infinity(a) } else { Decimal128::NAN };
            }
            (Parts::Infinity { negative }, _) | (_, Parts::Infinity { negative }) => {
                return Decimal128::infinity(negative);
            }
            (
                Parts::Finite { negative: m, coefficient: c, exponent: e },
                Parts::Finite { negative: n, coefficient: d, exponent: f },
            ) => ((m, c, e), (n, d, f)),
        };
        if a.2 >= b.2 { add_finite(a, b) } else { add_finite(b, a) }
    }

    /// The difference.
    pub fn subtract(self, other: Decimal128) -> Decimal128 {
        // NaN keeps no sign, so turning the sign over does no harm.
        self.add(other.negate())
    }

    /// The product.
    pub fn multiply(self, other: Decimal128) -> Decimal128 {
        let negative = self.is_negative() != other.is_negative();
        match (self.parts(), other.parts()) {
            (Parts::NaN, _) | (_, Parts::NaN) => Decimal128::NAN,
            (Parts::Infinity { .. }, _) | (_, Parts::Infinity { .. }) => {
                if self.is_zero() || other.is_zero() {
                    Decimal128::NAN
                } else {
                    Decimal128::infinity(negative)
                }
            }
            (
                Parts::Finite { coefficient: c, exponent: e, .. },
                Parts::Finite { coefficient: d, exponent: f, .. },
            ) => {
                let coefficient = Wide::product(c, d);
                round(Exact { negative, coefficient, exponent: e + f, sticky: false }).0
            }
        }
    }

    /// The quotient; x/0 is an infinity, 0/0 NaN.
    pub fn divide(self, other: Decimal128) -> Decimal128 {
        let negative = self.is_negative() != other.is_negative();
        let ((c, e), (d, f)) = match (self.parts(), other.parts()) {
            (Parts::NaN, _) | (_, Parts::NaN) => return Decimal128::NAN,
            (Parts::Infinity { .. }, Parts::Infinity { .. }) => return Decimal128::NAN,
            (Parts::Infinity { .. }, _) => return Decimal128::infinity(negative),
            (_, Parts::Infinity { .. }) => return Decimal128::finite_unchecked(negative, 0, EXPONENT_MIN),
            (
                Parts::Finite { coefficient: c, exponent: e, .. },
                Parts::Finite { coefficient: d, exponent: f, .. },
            ) => ((c, e), (d, f)),
        };
        match (c, d) {
            (0, 0) => return Decimal128::NAN,
            (_, 0) => return Decimal128::infinity(negative),
            (0, _) => {
                return round(Exact { negative, coefficient: Wide::new(0), exponent: e - f, sticky: false })
                    .0;
            }
            _ => {}
        }
        // So many zeros that the quotient has at least 35 digits.
        let zeros = DIGITS + 1 + digit_count(d) - digit_count(c);
        let (mut coefficient, remainder) = Wide::new(c).times_pow10(zeros as u32).divide(d);
        let mut exponent = e - f - zeros;
        // An exact quotient has the exponent nearest to the ideal one, e − f.
        while remainder == 0 && exponent < e - f {
            let (shorter, digit) = coefficient.divide(10);
            if digit != 0 {
                break;
            }
            coefficient = shorter;
            exponent += 1;
        }
        round(Exact { negative, coefficient, exponent, sticky: remainder != 0 }).0
    }

    /// The remainder of the division that is cut off towards zero; it has the sign of `self`. x rem 0 is NaN.
    pub fn remainder(self, other: Decimal128) -> Decimal128 {
        let negative = self.is_negative();
        let ((c, e), (d, f)) = match (self.parts(), other.parts()) {
            (Parts::NaN | Parts::Infinity { .. }, _) | (_, Parts::NaN) => return Decimal128::NAN,
            (_, Parts::Finite { coefficient: 0, .. }) => return Decimal128::NAN,
            (_, Parts::Infinity { .. }) => return self,
            (
                Parts::Finite { coefficient: c, exponent: e, .. },
                Parts::Finite { coefficient: d, exponent: f, .. },
            ) => ((c, e), (d, f)),
        };
        if e >= f {
            // c·10^(e−f) mod d, four digits at a time: d < 2^113, so the product has at most 127 bits.
            let mut rest = c % d;
            let mut zeros = (e - f) as u32;
            while zeros > 0 && rest > 0 {
                let step = zeros.min(4);
                rest = rest * pow10(step) % d;
                zeros -= step;
            }
            return Decimal128::finite_unchecked(negative, rest, f);
        }
        let zeros = f - e;
        if digit_count(d) + zeros > DIGITS + 1 {
            return Decimal128::finite_unchecked(negative, c, e);
        }
        Decimal128::finite_unchecked(negative, c % (d * pow10(zeros as u32)), e)
    }

    /// The value with the exponent `exponent`, rounded to nearest, ties to even; NaN where it then had more than 34
    /// digits. Infinities and NaN stay.
    pub fn quantize(self, exponent: i32) -> Decimal128 {
        let Parts::Finite { negative, coefficient, exponent: from } = self.parts() else { return self };
        if !(EXPONENT_MIN..=EXPONENT_MAX).contains(&exponent) {
            return Decimal128::NAN;
        }
        if exponent <= from {
            let zeros = from - exponent;
            if coefficient != 0 && digit_count(coefficient) + zeros > DIGITS {
                return Decimal128::NAN;
            }
            let coefficient = if coefficient == 0 { 0 } else { coefficient * pow10(zeros as u32) };
            return Decimal128::finite_unchecked(negative, coefficient, exponent);
        }
        let drop = exponent - from;
        if drop > DIGITS {
            return Decimal128::finite_unchecked(negative, 0, exponent);
        }
        let unit = pow10(drop as u32);
        let (kept, rest) = (coefficient / unit, coefficient % unit);
        let up = match rest.cmp(&(unit / 2)) {
            Ordering::Less => false,
            Ordering::Equal => kept & 1 == 1,
            Ordering::Greater => true,
        };
        Decimal128::finite_unchecked(negative, kept + u128::from(up), exponent)
    }
}

type Finite = (bool, u128, i32);

/// The sum of two finite values; the exponent of `a` is not below that of `b`.
fn add_finite(a: Finite, b: Finite) -> Decimal128 {
    // Scaled by this many digits, all of a lies above what b loses, with room to round: 34 + 40 < 77.
    const ZEROS_MAX: i32 = 40;
    let ((a_negative, c, e), (b_negative, d, f)) = (a, b);
    if c == 0 && d == 0 {
        let negative = a_negative && b_negative;
        return Decimal128::finite_unchecked(negative, 0, f);
    }
    if c == 0 {
        return Decimal128::finite_unchecked(b_negative, d, f);
    }
    if d == 0 {
        let zeros = (DIGITS - digit_count(c)).min(e - f);
        return Decimal128::finite_unchecked(a_negative, c * pow10(zeros as u32), e - zeros);
    }
    let zeros = (e - f).min(ZEROS_MAX);
    let left = Wide::new(c).times_pow10(zeros as u32);
    let cut = e - zeros - f;
    let (right, sticky) = match cut {
        0 => (d, false),
        1..=33 => (d / pow10(cut as u32), d % pow10(cut as u32) != 0),
        _ => (0, true),
    };
    let mut right = Wide::new(right);
    let exponent = e - zeros;
    if a_negative == b_negative {
        return round(Exact { negative: a_negative, coefficient: left.plus(right), exponent, sticky }).0;
    }
    if sticky {
        // b is a little more than `right`: take one more away, and be a little above that.
        right = right.plus(Wide::new(1));
    }
    let (negative, coefficient) =
        if left >= right { (a_negative, left.minus(right)) } else { (b_negative, right.minus(left)) };
    // An exact zero is positive when rounding to nearest.
    let negative = negative && (sticky || !coefficient.is_zero());
    round(Exact { negative, coefficient, exponent, sticky }).0
}

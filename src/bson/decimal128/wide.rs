//! A natural number of 256 bits, for the exact results of decimal arithmetic before they are rounded.

/// `high` · 2^128 + `low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide {
    high: u128,
    low: u128,
}

impl Wide {
    pub(super) const fn new(n: u128) -> Wide {
        Wide { high: 0, low: n }
    }

    /// The exact product.
    pub(super) fn product(a: u128, b: u128) -> Wide {
        const HALF: u128 = u64::MAX as u128;
        let (a1, a0, b1, b0) = (a >> 64, a & HALF, b >> 64, b & HALF);
        let lowest = a0 * b0;
        let (middle_a, middle_b) = (a1 * b0, a0 * b1);
        let carried = (lowest >> 64) + (middle_a & HALF) + (middle_b & HALF);
        let high = a1 * b1 + (middle_a >> 64) + (middle_b >> 64) + (carried >> 64);
        Wide { high, low: carried << 64 | lowest & HALF }
    }

    /// The product with `factor`; the caller knows that it fits.
    pub(super) fn times(self, factor: u128) -> Wide {
        let low = Wide::product(self.low, factor);
        Wide { high: low.high + self.high * factor, low: low.low }
    }

    /// The product with 10^`n`; the caller knows that it fits.
    pub(super) fn times_pow10(self, n: u32) -> Wide {
        if n <= 38 { self.times(super::pow10(n)) } else { self.times(super::pow10(38)).times_pow10(n - 38) }
    }

    pub(super) fn plus(self, other: Wide) -> Wide {
        let (low, carry) = self.low.overflowing_add(other.low);
        Wide { high: self.high + other.high + u128::from(carry), low }
    }

    /// `self` − `other`, which must not be greater.
    pub(super) fn minus(self, other: Wide) -> Wide {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Wide { high: self.high - other.high - u128::from(borrow), low }
    }

    /// Quotient and remainder; `divisor` is from 1 to 2^120.
    pub(super) fn divide(self, divisor: u128) -> (Wide, u128) {
        if self.high == 0 {
            return (Wide::new(self.low / divisor), self.low % divisor);
        }
        let mut remainder = self.high % divisor;
        let mut low = 0u128;
        for byte in self.low.to_be_bytes() {
            let current = remainder << 8 | u128::from(byte);
            low = (low << 8) | (current / divisor);
            remainder = current % divisor;
        }
        (Wide { high: self.high / divisor, low }, remainder)
    }

    pub(super) fn is_zero(self) -> bool {
        self.high == 0 && self.low == 0
    }

    /// The number, if it has 128 bits.
    pub(super) fn narrow(self) -> Option<u128> {
        (self.high == 0).then_some(self.low)
    }

    /// The number of decimal digits, 0 for 0.
    pub(super) fn digit_count(self) -> i32 {
        if self.high == 0 {
            return super::digit_count(self.low);
        }
        // 2^128 has 39 digits.
        let mut digits = 39;
        let mut power = Wide::new(super::pow10(38)).times(10);
        while digits < 77 && self >= power {
            digits += 1;
            power = power.times(10);
        }
        digits
    }
}

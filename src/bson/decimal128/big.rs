//! A natural number of up to 1024 bits on the stack, for exact comparison and conversion of doubles and decimals.
//!
//! Sizes: the callers compare c·10^e with m·2^k where c < 2^113, m < 2^53, −358 ≤ e ≤ 308: at most 887 bits before
//! the shift, and they shift only to a length that the other side has.

use std::cmp::Ordering;

const LIMBS: usize = 16;

#[derive(Clone, Copy)]
pub(super) struct Big {
    limbs: [u64; LIMBS],
}

impl Big {
    pub(super) fn new(n: u128) -> Big {
        let mut limbs = [0; LIMBS];
        limbs[0] = n as u64;
        limbs[1] = (n >> 64) as u64;
        Big { limbs }
    }

    pub(super) fn multiply(&mut self, factor: u64) {
        let mut carry = 0u128;
        for limb in &mut self.limbs {
            let product = u128::from(*limb) * u128::from(factor) + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
        debug_assert_eq!(carry, 0);
    }

    pub(super) fn multiply_pow5(&mut self, mut power: u32) {
        const STEP: u32 = 27;
        while power >= STEP {
            self.multiply(5u64.pow(STEP));
            power -= STEP;
        }
        self.multiply(5u64.pow(power));
    }

    /// Takes away `other`, which must not be greater.
    pub(super) fn subtract(&mut self, other: &Big) {
        let mut borrow = false;
        for (limb, taken) in self.limbs.iter_mut().zip(&other.limbs) {
            let (without, first) = limb.overflowing_sub(*taken);
            let (rest, second) = without.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (rest, first || second);
        }
        debug_assert!(!borrow);
    }

    pub(super) fn bit_len(&self) -> i32 {
        let top = self.limbs.iter().rposition(|&limb| limb != 0);
        top.map_or(0, |i| (i as i32 + 1) * 64 - self.limbs[i].leading_zeros() as i32)
    }

    pub(super) fn shift_left(&mut self, bits: u32) {
        let (whole, part) = ((bits / 64) as usize, bits % 64);
        for i in (0..LIMBS).rev() {
            let high = if i >= whole { self.limbs[i - whole] } else { 0 };
            let low = if i > whole { self.limbs[i - whole - 1] } else { 0 };
            self.limbs[i] = if part == 0 { high } else { high << part | low >> (64 - part) };
        }
    }

    pub(super) fn compare(&self, other: &Big) -> Ordering {
        self.limbs.iter().rev().cmp(other.limbs.iter().rev())
    }
}

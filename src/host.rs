//! What the engine cannot make itself: time and randomness. Everything else of the outside reaches it as effects.

/// The world outside the engine, given at open. The engine is a function of the store, the commands and these.
pub trait Host {
    /// Milliseconds since 1970 in UTC.
    fn now_ms(&mut self) -> i64;

    /// Fills `out` with random bytes that nobody can guess.
    fn random(&mut self, out: &mut [u8]);
}

/// A host for tests and replays: a clock that stands still, and bytes from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct SeededHost {
    state: u64,
    now_ms: i64,
}

impl SeededHost {
    /// A host whose every answer follows from `seed`.
    pub fn new(seed: u64) -> SeededHost {
        SeededHost { state: seed, now_ms: 1_700_000_000_000 }
    }
}

impl Host for SeededHost {
    fn now_ms(&mut self) -> i64 {
        self.now_ms
    }

    fn random(&mut self, out: &mut [u8]) {
        for chunk in out.chunks_mut(8) {
            self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^= z >> 31;
            chunk.copy_from_slice(&z.to_le_bytes()[..chunk.len()]);
        }
    }
}

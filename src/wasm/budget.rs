//! How many rows a command may look at before it gives the thread back: as many as take [`SLICE_MS`] here and now.
//!
//! A row that is compared takes half a microsecond on a desk, a hundred times as long on a phone or if it is deleted from
//! five indexes; so the budget follows what slices took. Replies do not depend on it.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn now_ms() -> f64;
}

/// The work between two turns of the page, in milliseconds.
const SLICE_MS: f64 = 4.0;
/// About 1 ms of what is compared and not returned (0.5 µs a row of 300 B, measured in wasm).
pub const ROWS_AT_FIRST: u32 = 2_000;
const ROWS_MIN: u32 = 16;
const ROWS_MAX: u32 = 16_000;

/// A budget that follows the time that slices take.
pub struct Budget {
    rows: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { rows: ROWS_AT_FIRST }
    }
}

/// When a slice began.
pub struct Begun(f64);

impl Budget {
    /// The rows of the next slice.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// A slice begins.
    pub fn begin(&self) -> Begun {
        Begun(now_ms())
    }

    /// A slice has used its budget. It is followed down faster than up: a long task is felt, a short one is not.
    pub fn used_up(&mut self, begun: &Begun) {
        let took_ms = (now_ms() - begun.0).max(0.01);
        let rows = f64::from(self.rows) * (SLICE_MS / took_ms).clamp(1.0 / 16.0, 2.0);
        self.rows = (rows as u32).clamp(ROWS_MIN, ROWS_MAX);
    }
}

//! Keeps free memory at hand, so that the module's memory grows in few large steps.
//!
//! The allocator asks for 64 KiB at a time, and each time V8 counts the whole memory as newly allocated and may collect all
//! garbage of the page: inserting 100,000 documents set off a hundred full collections and took six times as long.
//! Memory that is asked for in one piece and given back stays with the allocator.
//!
//! 1. Nothing is taken as long as the memory has not grown past what was taken last: a small database stays small.
//! 2. A step is a quarter of the memory, at least [`STEP_BYTES_MIN`] and at most [`STEP_BYTES_MAX`].

use std::hint::black_box;

const STEP_BYTES_MIN: usize = 1024 * 1024;
const STEP_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Beyond this size memory may be short, and is taken only as it is needed.
const SIZE_BYTES_MAX: usize = 1024 * 1024 * 1024;
/// A request is copied into pages and a record; taken at most for one.
const REQUEST_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How far memory was grown in steps.
pub struct Room {
    up_to_bytes: usize,
}

/// What the module begins with has been there before the page did anything.
impl Default for Room {
    fn default() -> Room {
        Room { up_to_bytes: memory_bytes() }
    }
}

impl Room {
    /// Takes a step if the memory has grown by itself since the last.
    pub fn keep(&mut self) {
        let size = memory_bytes();
        if size > self.up_to_bytes && size < SIZE_BYTES_MAX {
            self.take((size / 4).clamp(STEP_BYTES_MIN, STEP_BYTES_MAX));
        }
    }

    /// Makes room for the work on a request. Small ones make do with what is there.
    pub fn keep_for(&mut self, request_bytes: usize) {
        let wanted = (request_bytes + request_bytes / 2).min(REQUEST_BYTES_MAX);
        if request_bytes > STEP_BYTES_MIN && memory_bytes() < SIZE_BYTES_MAX {
            self.take(wanted);
        }
        self.keep();
    }

    fn take(&mut self, bytes: usize) {
        let mut piece: Vec<u8> = Vec::new();
        // Where there is no more, things go on with what there is.
        let _ = piece.try_reserve_exact(bytes);
        drop(black_box(piece));
        self.up_to_bytes = memory_bytes();
    }
}

/// The size of the module's memory.
pub fn memory_bytes() -> usize {
    core::arch::wasm32::memory_size::<0>() * 65536
}

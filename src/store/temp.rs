//! Temporary chunks: what a task puts aside while it works, outside the main data.
//!
//! 1. They belong to one handle of a store and vanish with it (contract, 9).
//! 2. A request that fails has changed nothing.
//!
//! Deliberately absent: what the bytes mean, and who asked.

use super::{StoreError, VALUE_BYTES_MAX};
use crate::sorted::SortedMap;

/// Names a temporary chunk of one handle. Given by the engine, from 1 up, never again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct TempKey(pub u64);

/// One transaction over the temporary chunks: deletions, then puts, then gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TempRequest {
    /// No value exceeds [`VALUE_BYTES_MAX`].
    pub puts: Vec<(TempKey, Vec<u8>)>,
    pub gets: Vec<TempKey>,
    pub deletes: Vec<TempKey>,
}

impl TempRequest {
    /// The bytes that it puts.
    pub fn put_bytes(&self) -> usize {
        self.puts.iter().map(|(_, value)| value.len()).sum()
    }
}

/// The temporary chunks of one handle as a plain map: what the memory store and the simulated one keep.
#[derive(Debug, Default)]
pub struct TempChunks {
    chunks: SortedMap<TempKey, Vec<u8>>,
}

impl TempChunks {
    /// Does a request.
    ///
    /// # Errors
    /// `Aborted` where a chunk is not there or a value is too large.
    pub fn perform(&mut self, request: TempRequest) -> Result<Vec<Vec<u8>>, StoreError> {
        let is_there = |key: &TempKey| {
            let puts = request.puts.iter().any(|(put, _)| put == key);
            puts || (self.chunks.contains_key(key) && !request.deletes.contains(key))
        };
        if let Some(key) = request.gets.iter().find(|key| !is_there(key)) {
            return Err(not_there(*key));
        }
        if let Some((key, _)) = request.puts.iter().find(|(_, value)| value.len() > VALUE_BYTES_MAX) {
            return Err(StoreError::Aborted(format!("the temporary chunk {} is too large", key.0)));
        }
        for key in &request.deletes {
            self.chunks.remove(key);
        }
        self.chunks.extend(request.puts);
        Ok(request.gets.iter().filter_map(|key| self.chunks.get(key).cloned()).collect())
    }

    /// How many chunks there are.
    pub fn count(&self) -> usize {
        self.chunks.len()
    }

    /// The bytes of all chunks.
    pub fn bytes(&self) -> usize {
        self.chunks.values().map(Vec::len).sum()
    }
}

/// The failure of a get in vain.
pub(super) fn not_there(key: TempKey) -> StoreError {
    StoreError::Aborted(format!("the temporary chunk {} is not there", key.0))
}

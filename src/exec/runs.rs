//! Sorted runs in temporary storage: written row by row, merged row by row.
//!
//! A run is a stream of rows in order, cut into chunks without regard to rows. A row is: the lengths of key and document
//! (`u32` each), the row's number and record id (`u64` each), all little-endian, then the key and the document.
//!
//! 1. A stop leaves everything as it was: a request is a function of the state, and the state moves on when the answer
//!    is taken.
//! 2. A run read to its end has given all its chunks back; one that is dropped gives back what is left of it.
//! 3. A merge holds of each run its next row and what was read ahead, both bounded by [`MergeBudget`], but always of at
//!    least two runs: else nothing could be merged.
//!
//! Deliberately absent: when to write a run and which ones to merge (`sort`).

use super::ExecContext;
use super::sort::Placed;
use crate::exec::{Document, Row};
use crate::records::RecordId;
use crate::step::{SpillReply, SpillRequest, Step, Stop, TempChunk};
use std::collections::VecDeque;

/// The bytes of a chunk, well below what a store takes.
const CHUNK_BYTES: usize = 56 * 1024;

/// The most chunks of one request: 4 MB.
const REQUEST_CHUNKS_MAX: usize = 73;

const REQUEST_BYTES_MAX: usize = REQUEST_CHUNKS_MAX * CHUNK_BYTES;

/// The most chunks read ahead for a run: 1 MB. More would save no time.
const READ_AHEAD_CHUNKS_MAX: usize = 18;

/// The most runs of a merge: each row costs a comparison with each.
const FAN_IN_MAX: usize = 32;

const HEAD_BYTES: usize = 24;

/// A sorted run.
#[derive(Debug, Default)]
pub(super) struct Run {
    chunks: VecDeque<TempChunk>,
    row_bytes_max: usize,
}

/// Writes a run.
#[derive(Debug, Default)]
pub(super) struct RunWriter {
    run: Run,
    /// What is not written yet.
    buffer: Vec<u8>,
}

impl RunWriter {
    /// Takes a row, which must not come before those taken.
    pub fn push(&mut self, placed: &Placed) {
        let (key, document) = (placed.key.as_slice(), placed.row.bytes());
        let before = self.buffer.len();
        for length in [key.len(), document.len()] {
            self.buffer.extend((length as u32).to_le_bytes());
        }
        self.buffer.extend(placed.number.to_le_bytes());
        self.buffer.extend(placed.row.id.0.to_le_bytes());
        self.buffer.extend(key);
        self.buffer.extend(document);
        self.run.row_bytes_max = self.run.row_bytes_max.max(self.buffer.len() - before);
    }

    /// Writes what is full, or everything.
    pub fn write(&mut self, cx: &mut ExecContext<'_>, everything: bool) -> Step<()> {
        while self.buffer.len() >= REQUEST_BYTES_MAX || (everything && !self.buffer.is_empty()) {
            let length = self.buffer.len().min(REQUEST_BYTES_MAX);
            let Some(reply) = cx.spilled.take() else {
                let puts = self.buffer[..length].chunks(CHUNK_BYTES).map(<[u8]>::to_vec).collect();
                return Err(Stop::Spill(SpillRequest { puts, gets: Vec::new() }));
            };
            self.buffer.drain(..length);
            self.run.chunks.extend(reply.chunks);
        }
        Ok(())
    }

    /// The run, once everything is written.
    pub fn finish(&mut self) -> Run {
        self.buffer = Vec::new();
        std::mem::take(&mut self.run)
    }
}

/// Reads a run from its beginning.
#[derive(Debug)]
struct RunReader {
    run: Run,
    buffer: Vec<u8>,
    /// Where the next row begins in `buffer`.
    at: usize,
    read_ahead_chunks: usize,
}

impl RunReader {
    fn length_at(&self, at: usize) -> Option<usize> {
        let bytes = self.buffer.get(at..at + 4)?;
        Some(bytes.iter().rev().fold(0, |length, byte| (length << 8) | usize::from(*byte)))
    }

    fn number_at(&self, at: usize) -> u64 {
        let bytes = self.buffer.get(at..at + 8).unwrap_or_default();
        bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }

    /// The lengths of the next row's key and document, as far as they are there.
    fn lengths(&self) -> Option<(usize, usize)> {
        Some((self.length_at(self.at)?, self.length_at(self.at + 4)?))
    }

    /// Makes the next row be there. `false`: there is none.
    fn ready(&mut self, cx: &mut ExecContext<'_>) -> Step<bool> {
        loop {
            let there = self.buffer.len() - self.at;
            let wanted = self.lengths().map_or(HEAD_BYTES, |(key, document)| HEAD_BYTES + key + document);
            if there >= wanted {
                return Ok(true);
            }
            if self.run.chunks.is_empty() {
                return Ok(false);
            }
            let missing = (wanted - there).div_ceil(CHUNK_BYTES);
            let count = missing.max(self.read_ahead_chunks).min(REQUEST_CHUNKS_MAX);
            match cx.spilled.take() {
                Some(SpillReply { bytes, .. }) => {
                    self.buffer.drain(..self.at);
                    self.at = 0;
                    self.buffer.reserve_exact(bytes.iter().map(Vec::len).sum());
                    self.run.chunks.drain(..bytes.len().min(self.run.chunks.len()));
                    bytes.iter().for_each(|chunk| self.buffer.extend(chunk));
                }
                None => {
                    let gets = self.run.chunks.iter().take(count).map(TempChunk::key).collect();
                    return Err(Stop::Spill(SpillRequest { puts: Vec::new(), gets }));
                }
            }
        }
    }

    /// The place of the next row, which is there.
    fn place(&self) -> (&[u8], u64) {
        let (key, _) = self.lengths().unwrap_or_default();
        let begin = self.at + HEAD_BYTES;
        (self.buffer.get(begin..begin + key).unwrap_or_default(), self.number_at(self.at + 8))
    }

    /// Takes the next row, which is there.
    fn take(&mut self) -> Placed {
        let (key, document) = self.lengths().unwrap_or_default();
        let (number, id) = (self.number_at(self.at + 8), self.number_at(self.at + 16));
        let begin = self.at + HEAD_BYTES;
        let bytes = |from: usize, length: usize| self.buffer.get(from..from + length).unwrap_or_default();
        let (key_bytes, document_bytes) = (bytes(begin, key), bytes(begin + key, document));
        let document = Document::Apart(document_bytes.into());
        let row = Row { id: RecordId(id), document: Some(document) };
        let placed = Placed { key: key_bytes.to_vec(), number, row };
        self.at = begin + key_bytes.len() + document_bytes.len();
        placed
    }
}

/// The bytes that a merge may hold of its runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct MergeBudget {
    pub bytes_max: usize,
}

impl MergeBudget {
    /// How many of the first runs one merge can take: those whose longest rows fit half of the budget.
    pub fn fan_in<'a>(self, runs: impl Iterator<Item = &'a Run>) -> usize {
        let mut bytes = 0;
        let fits = |run: &&Run| {
            bytes += run.row_bytes_max + CHUNK_BYTES;
            bytes <= self.bytes_max / 2
        };
        runs.take(FAN_IN_MAX).take_while(fits).count().max(2)
    }

    fn read_ahead_chunks(self, runs: usize) -> usize {
        (self.bytes_max / 2 / runs.max(1) / CHUNK_BYTES).clamp(1, READ_AHEAD_CHUNKS_MAX)
    }
}

/// Merges runs, and rows that are in memory.
#[derive(Debug)]
pub(super) struct Merge {
    readers: Vec<RunReader>,
    memory: VecDeque<Placed>,
    /// How many rows are asked for yet.
    left: u64,
}

impl Merge {
    /// Of runs and of rows in order; gives the first `keep` rows.
    pub fn new(runs: Vec<Run>, memory: VecDeque<Placed>, keep: u64, budget: MergeBudget) -> Merge {
        let read_ahead_chunks = budget.read_ahead_chunks(runs.len());
        let reader = |run| RunReader { run, buffer: Vec::new(), at: 0, read_ahead_chunks };
        Merge { readers: runs.into_iter().map(reader).collect(), memory, left: keep }
    }

    /// The next row in order.
    pub fn next(&mut self, cx: &mut ExecContext<'_>) -> Step<Option<Placed>> {
        if self.left == 0 {
            self.readers.clear();
            self.memory.clear();
            return Ok(None);
        }
        let mut index = 0;
        while let Some(reader) = self.readers.get_mut(index) {
            if reader.ready(cx)? {
                index += 1;
            } else {
                self.readers.remove(index);
            }
        }
        let first =
            (0..self.readers.len()).min_by(|a, b| self.readers[*a].place().cmp(&self.readers[*b].place()));
        let placed = match (first, self.memory.front()) {
            (Some(first), Some(row)) if row.place() < self.readers[first].place() => self.memory.pop_front(),
            (Some(first), _) => Some(self.readers[first].take()),
            (None, _) => self.memory.pop_front(),
        };
        self.left -= u64::from(placed.is_some());
        Ok(placed)
    }
}

#[cfg(test)]
impl RunWriter {
    pub fn held_bytes(&self) -> usize {
        self.buffer.len()
    }
}

#[cfg(test)]
impl Merge {
    pub fn held_bytes(&self) -> usize {
        let read: usize = self.readers.iter().map(|reader| reader.buffer.capacity()).sum();
        read + self.memory.iter().map(Placed::bytes).sum::<usize>()
    }
}

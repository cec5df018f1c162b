//! Scans of records and of indexes.

use super::{ExecContext, Row, Work};
use crate::bson::RawDoc;
use crate::bson::order::Direction;
use crate::btree::{Cursor, Tree};
use crate::catalog::{Collection, Index};
use crate::error::{Code, Error};
use crate::key::KeyReader;
use crate::plan::{IndexAccess, KeyRange};
use crate::query::Expr;
use crate::records::{RecordId, record_of_entry};
use crate::step::Step;
use std::collections::BTreeSet;

/// All records in the order of their ids.
#[derive(Debug)]
pub struct CollectionScan {
    cursor: Cursor,
    pub(super) direction: Direction,
    pub(super) filter: Option<Expr>,
    pub(super) docs_examined: u64,
    pub(super) is_done: bool,
}

impl CollectionScan {
    pub(super) fn new(collection: &Collection, direction: Direction, filter: Option<Expr>) -> CollectionScan {
        let mut cursor = Cursor::new(collection.records);
        if direction == Direction::Descending {
            cursor.seek_end();
        }
        CollectionScan { cursor, direction, filter, docs_examined: 0, is_done: false }
    }

    pub(super) fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        if self.is_done {
            return Ok(Work::Eof);
        }
        let CollectionScan { cursor, direction, filter, docs_examined, is_done } = self;
        let mut scan = cursor.scan(&cx.pages);
        loop {
            if cx.rows_spent >= super::ROWS_PER_STEP {
                return Ok(Work::NeedTime);
            }
            let entry = match direction {
                Direction::Ascending => scan.next()?,
                Direction::Descending => scan.prev()?,
            };
            let Some(entry) = entry else {
                *is_done = true;
                return Ok(Work::Eof);
            };
            cx.rows_spent += 1;
            *docs_examined += 1;
            if filter.as_ref().is_none_or(|filter| filter.matches(RawDoc::from_validated(entry.value()))) {
                let id = RecordId::from_key(entry.key).ok_or_else(damaged)?;
                let document = Some(super::Document::InPage(entry.value_bytes()));
                return Ok(Work::Row(Row { id, document }));
            }
        }
    }
}

/// Ranges of an index's keys, in order.
#[derive(Debug)]
pub struct IndexScan {
    cursor: Cursor,
    pub(super) access: IndexAccess,
    unique: bool,
    /// How many ranges are done with.
    ranges_done: usize,
    /// Whether the cursor was placed at the current range.
    is_placed: bool,
    checks: Vec<FieldCheck>,
    /// The ids given so far, where a document can have several keys.
    given: Option<BTreeSet<RecordId>>,
    pub(super) keys_examined: u64,
    pub(super) seeks: u64,
    /// Whether nobody looks at the rows.
    pub(super) only_counts: bool,
}

/// The ranges that one field of a key must be in.
#[derive(Debug)]
struct FieldCheck {
    direction: Direction,
    ranges: Vec<KeyRange>,
}

enum Outcome {
    Row(RecordId),
    RangeDone,
    TreeDone,
    NeedTime,
}

impl IndexScan {
    pub(super) fn new(index: &Index, access: IndexAccess, only_counts: bool) -> IndexScan {
        let checks = match access.check_from {
            from if from == index.fields.len() => Vec::new(),
            _ => index
                .fields
                .iter()
                .zip(&access.fields)
                .map(|(field, bounds)| FieldCheck {
                    direction: field.direction,
                    ranges: bounds.key_ranges(field.direction),
                })
                .collect(),
        };
        IndexScan {
            cursor: Cursor::new(index.tree),
            unique: index.unique,
            ranges_done: 0,
            is_placed: false,
            checks,
            given: index.multikey.is_multikey().then(BTreeSet::new),
            keys_examined: 0,
            seeks: 0,
            only_counts,
            access,
        }
    }

    /// Whether the scan is known to give nothing more.
    pub(super) fn is_done(&self) -> bool {
        self.ranges_done == self.access.ranges.len()
    }

    fn place(&self) -> Option<usize> {
        let left = self.access.ranges.len().checked_sub(self.ranges_done + 1)?;
        Some(match self.access.direction {
            Direction::Ascending => self.ranges_done,
            Direction::Descending => left,
        })
    }

    pub(super) fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        loop {
            let Some(place) = self.place() else { return Ok(Work::Eof) };
            if !self.is_placed {
                let range = &self.access.ranges[place];
                match self.access.direction {
                    Direction::Ascending => self.cursor.seek_before(&range.low),
                    Direction::Descending => self.cursor.seek_before(&range.high),
                }
                self.is_placed = true;
                self.seeks += 1;
            }
            match self.scan_range(place, cx)? {
                Outcome::Row(id) => return Ok(Work::Row(Row { id, document: None })),
                Outcome::NeedTime => return Ok(Work::NeedTime),
                Outcome::TreeDone => self.ranges_done = self.access.ranges.len(),
                Outcome::RangeDone => {
                    self.ranges_done += 1;
                    self.is_placed = false;
                }
            }
        }
    }

    fn scan_range(&mut self, place: usize, cx: &mut ExecContext<'_>) -> Step<Outcome> {
        let range = &self.access.ranges[place];
        let mut scan = self.cursor.scan(&cx.pages);
        loop {
            if cx.rows_spent >= super::ROWS_PER_STEP {
                return Ok(Outcome::NeedTime);
            }
            let (entry, is_inside) = match self.access.direction {
                Direction::Ascending => {
                    let entry = scan.next()?;
                    (entry, entry.is_some_and(|entry| entry.key < range.high.as_slice()))
                }
                Direction::Descending => {
                    let entry = scan.prev()?;
                    (entry, entry.is_some_and(|entry| entry.key >= range.low.as_slice()))
                }
            };
            let Some(entry) = entry else { return Ok(Outcome::TreeDone) };
            if !is_inside {
                return Ok(Outcome::RangeDone);
            }
            cx.rows_spent += 1;
            self.keys_examined += 1;
            if !passes(&self.checks, entry.key) {
                continue;
            }
            let id = record_of_entry(self.unique, entry.key, entry.value()).ok_or_else(damaged)?;
            if self.given.as_mut().is_none_or(|given| given.insert(id)) {
                return Ok(Outcome::Row(id));
            }
        }
    }
}

/// Whether every field of a key is in its ranges. Keys that cannot be read pass: the document decides.
fn passes(checks: &[FieldCheck], key: &[u8]) -> bool {
    let mut reader = KeyReader::new(key, &[]);
    let mut value = Vec::new();
    for check in checks {
        let from = reader.offset();
        value.clear();
        if reader.value(check.direction, &mut value).is_err() {
            return true;
        }
        let field = &key[from..reader.offset()];
        // The last range that does not begin after the field.
        let at = check.ranges.partition_point(|range| range.low.as_slice() <= field);
        let is_inside = at > 0 && field < check.ranges[at - 1].high.as_slice();
        if !is_inside {
            return false;
        }
    }
    true
}

pub(super) fn damaged() -> Error {
    Error::new(Code::DataCorruptionDetected, "an entry of a tree does not name a record")
}

/// The tree and the key of the record of an id value.
#[derive(Debug)]
pub struct IdLookup {
    pub(super) index: Tree,
    pub(super) records: Tree,
    pub(super) key: Vec<u8>,
    pub(super) is_done: bool,
    pub(super) examined: u64,
}

impl IdLookup {
    pub(super) fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        if self.is_done {
            return Ok(Work::Eof);
        }
        let Some(entry) = self.index.get(&cx.pages, &self.key)? else {
            self.is_done = true;
            return Ok(Work::Eof);
        };
        let id = RecordId::from_key(&entry).ok_or_else(damaged)?;
        let document = self.records.get(&cx.pages, &id.to_key())?;
        self.is_done = true;
        cx.rows_spent += 1;
        self.examined += 1;
        match document {
            Some(bytes) => Ok(Work::Row(Row { id, document: Some(super::Document::InPage(bytes)) })),
            None => Ok(Work::Eof),
        }
    }
}

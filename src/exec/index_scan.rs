//! Scans of records and of indexes.

use super::key_bounds::{KeyBounds, Verdict};
use super::{ExecContext, Row, Work};
use crate::bson::RawDoc;
use crate::bson::order::Direction;
use crate::btree::{Cursor, Tree};
use crate::catalog::{Collection, Index};
use crate::error::{Code, Error};
use crate::plan::IndexAccess;
use crate::query::Expr;
use crate::records::{RecordId, bits_of_entry, covered, record_of_entry};
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

/// The keys of an index that are within the bounds, in order. What lies between two bounds is jumped over.
#[derive(Debug)]
pub struct IndexScan {
    cursor: Cursor,
    pub(super) access: IndexAccess,
    unique: bool,
    state: State,
    /// The index, if its keys give the fields that are asked for.
    covering: Option<Index>,
    bounds: KeyBounds,
    /// The ids given so far, where a document can have several keys.
    given: Option<BTreeSet<RecordId>>,
    pub(super) keys_examined: u64,
    pub(super) seeks: u64,
    /// Whether nobody looks at the rows.
    pub(super) only_counts: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    NotBegun,
    Scanning,
    Done,
}

enum Outcome {
    Row(Row),
    /// Go on before this key.
    Seek(Vec<u8>),
    Done,
    NeedTime,
}

impl IndexScan {
    pub(super) fn new(index: &Index, access: IndexAccess, only_counts: bool) -> IndexScan {
        let bounds = KeyBounds::new(index, &access);
        IndexScan {
            cursor: Cursor::new(index.tree),
            unique: index.unique,
            covering: access.covers.is_some().then(|| index.clone()),
            state: if bounds.is_empty() { State::Done } else { State::NotBegun },
            bounds,
            given: index.multikey.is_multikey().then(BTreeSet::new),
            keys_examined: 0,
            seeks: 0,
            only_counts,
            access,
        }
    }

    /// Whether the scan is known to give nothing more.
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    pub(super) fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        if self.state == State::NotBegun {
            self.cursor.seek_before(self.bounds.begin());
            self.state = State::Scanning;
            self.seeks += 1;
        }
        while self.state == State::Scanning {
            match self.scan(cx)? {
                Outcome::Row(row) => return Ok(Work::Row(row)),
                Outcome::NeedTime => return Ok(Work::NeedTime),
                Outcome::Done => self.state = State::Done,
                Outcome::Seek(key) => {
                    self.cursor.seek_before(&key);
                    self.seeks += 1;
                }
            }
        }
        Ok(Work::Eof)
    }

    fn end_of_range(&mut self) -> Outcome {
        self.keys_examined += u64::from(self.is_count_scan());
        Outcome::Done
    }

    /// Whether this is what MongoDB calls a count scan.
    pub(super) fn is_count_scan(&self) -> bool {
        self.only_counts && self.bounds.is_one_range()
    }

    fn scan(&mut self, cx: &mut ExecContext<'_>) -> Step<Outcome> {
        let mut scan = self.cursor.scan(&cx.pages);
        loop {
            if cx.rows_spent >= super::ROWS_PER_STEP {
                return Ok(Outcome::NeedTime);
            }
            let entry = match self.access.direction {
                Direction::Ascending => scan.next()?,
                Direction::Descending => scan.prev()?,
            };
            let Some(entry) = entry else { return Ok(self.end_of_range()) };
            let verdict = self.bounds.check(entry.key);
            // As MongoDB counts: the key that ends a single range is not looked at, but when only counting.
            if matches!(verdict, Verdict::Done) && self.bounds.is_one_range() {
                return Ok(self.end_of_range());
            }
            cx.rows_spent += 1;
            self.keys_examined += 1;
            match verdict {
                Verdict::Inside => {}
                Verdict::Seek(key) => return Ok(Outcome::Seek(key)),
                Verdict::Done => return Ok(Outcome::Done),
            }
            let id = record_of_entry(self.unique, entry.key, entry.value()).ok_or_else(damaged)?;
            if self.given.as_mut().is_none_or(|given| given.insert(id)) {
                let covered = match (&self.covering, &self.access.covers) {
                    (Some(index), Some(places)) => {
                        covered(index, places, entry.key, bits_of_entry(self.unique, entry.value()))
                    }
                    _ => None,
                };
                let document = covered.map(|bytes| super::Document::Apart(bytes.into()));
                return Ok(Outcome::Row(Row { id, document }));
            }
        }
    }
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
        let id = record_of_entry(true, &self.key, &entry).ok_or_else(damaged)?;
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

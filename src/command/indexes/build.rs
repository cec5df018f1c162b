//! Building indexes: keys of all documents, sorted piece by piece, put into new trees.
//!
//! Documents are read until the keys of a piece fill a bounded buffer; the piece is sorted and put in order, so that
//! neighbours share pages and the first piece packs them. A commit may be cut between two entries: nobody sees the
//! trees before the last step.

use super::spec::Spec;
use crate::bson::RawDoc;
use crate::btree::{Cursor, Tree};
use crate::catalog::{self, Collection, Index, garbage};
use crate::command::running::Context;
use crate::command::write;
use crate::error::{Code, Error};
use crate::records::{self, IndexKey, RecordId, index_keys};
use crate::sorted::sort_by;
use crate::step::Step;
use std::rc::Rc;

/// Bytes of keys that are sorted at a time.
const PIECE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Documents read, or entries put, in one step.
const ROWS_A_STEP: u32 = 64;

/// How long a build may pause before its trees are taken for abandoned, in milliseconds.
const LEASE_MS: i64 = 60_000;

/// How far a build is.
pub enum Built {
    More,
    /// The indexes are in the catalog.
    Complete,
}

/// A running build of one or more indexes of a collection.
pub struct Build {
    collection: Rc<Collection>,
    indexes: Vec<Index>,
    cursor: Cursor,
    at_end: bool,
    piece: Vec<Entry>,
    piece_bytes: usize,
    /// How many entries of the piece are put; it is sorted when the first is.
    put: usize,
    sorted: bool,
    lease_until_ms: i64,
}

struct Entry {
    /// The index's place in the build.
    index: usize,
    key: IndexKey,
    record: RecordId,
}

impl Build {
    /// Makes the trees. Changes nothing when it stops.
    pub fn begin(cx: &mut Context<'_>, collection: Rc<Collection>, specs: &[&Spec]) -> Step<Build> {
        let lease_until_ms = cx.host.now_ms() + LEASE_MS;
        garbage::locate_end(&cx.writer())?;
        let mut indexes = Vec::new();
        for spec in specs {
            let mut view = cx.writer();
            let id = view.allocate_tree();
            let tree = Tree::create(&mut view, id);
            garbage::lease(&mut view, tree, lease_until_ms)?;
            let index = Index::new(spec.bytes.clone(), tree).ok_or_else(|| {
                Error::new(Code::InternalError, "an index specification cannot be read back")
            })?;
            indexes.push(index);
        }
        let cursor = Cursor::new(collection.records);
        Ok(Build {
            collection,
            indexes,
            cursor,
            at_end: false,
            piece: Vec::new(),
            piece_bytes: 0,
            put: 0,
            sorted: false,
            lease_until_ms,
        })
    }

    /// The number of indexes before and after.
    pub fn counts(&self) -> (usize, usize) {
        let before = self.collection.indexes.len();
        (before, before + self.indexes.len())
    }

    /// Reads documents, or puts entries, or makes the indexes visible.
    pub fn step(&mut self, cx: &mut Context<'_>) -> Step<Built> {
        self.renew_lease(cx)?;
        if self.piece_bytes < PIECE_BYTES_MAX && !self.at_end && self.put == 0 {
            return self.gather(cx);
        }
        if self.put < self.piece.len() {
            return self.put_some(cx);
        }
        self.piece.clear();
        (self.piece_bytes, self.put, self.sorted) = (0, 0, false);
        if self.at_end { self.complete(cx) } else { Ok(Built::More) }
    }

    fn renew_lease(&mut self, cx: &mut Context<'_>) -> Step<()> {
        let now_ms = cx.host.now_ms();
        if self.lease_until_ms - now_ms > LEASE_MS / 2 {
            return Ok(());
        }
        for index in &self.indexes {
            garbage::lease(&mut cx.writer(), index.tree, now_ms + LEASE_MS)?;
        }
        self.lease_until_ms = now_ms + LEASE_MS;
        Ok(())
    }

    fn gather(&mut self, cx: &mut Context<'_>) -> Step<Built> {
        for _ in 0..ROWS_A_STEP {
            let view = cx.pager.writer();
            let Some(entry) = self.cursor.next(&view)? else {
                self.at_end = true;
                break;
            };
            cx.rows_spent += 1;
            let record = RecordId::from_key(entry.key)
                .ok_or_else(|| Error::new(Code::DataCorruptionDetected, "a record has no record id"))?;
            let doc = RawDoc::from_validated(entry.value());
            for (place, index) in self.indexes.iter_mut().enumerate() {
                let found = index_keys(index, doc).map_err(|error| write::key_error(&error))?;
                index.multikey.merge(&found.multikey);
                for key in found.keys {
                    self.piece_bytes += key.key.len() + key.bits.len() + size_of::<Entry>();
                    self.piece.push(Entry { index: place, key, record });
                }
            }
            if self.piece_bytes >= PIECE_BYTES_MAX {
                break;
            }
        }
        Ok(Built::More)
    }

    fn put_some(&mut self, cx: &mut Context<'_>) -> Step<Built> {
        if !self.sorted {
            sort_by(&mut self.piece, |a, b| {
                (a.index, &a.key.key, a.record).cmp(&(b.index, &b.key.key, b.record))
            });
            self.sorted = true;
        }
        for _ in 0..ROWS_A_STEP {
            let Some(entry) = self.piece.get(self.put) else { break };
            let index = &self.indexes[entry.index];
            let mut view = cx.pager.writer();
            if index.unique && index.tree.contains(&view, &entry.key.key)? {
                let Some(bytes) = records::document(&view, &self.collection, entry.record)? else {
                    return Err(Error::new(Code::DataCorruptionDetected, "a record is gone").into());
                };
                let doc = RawDoc::from_validated(&bytes);
                let namespace = &self.collection.namespace;
                return Err(write::duplicate_key_of(namespace, index, &entry.key.key, doc).into());
            }
            let (key, value) = records::entry(index.unique, &entry.key, entry.record);
            index.tree.put(&mut view, &key, &value)?;
            cx.rows_spent += 1;
            self.put += 1;
        }
        Ok(Built::More)
    }

    fn complete(&mut self, cx: &mut Context<'_>) -> Step<Built> {
        let mut collection = (*self.collection).clone();
        collection.indexes.extend(self.indexes.iter().cloned());
        let mut view = cx.writer();
        for index in &self.indexes {
            garbage::locate(&view, index.tree.id)?;
        }
        catalog::put(&mut view, &collection)?;
        for index in &self.indexes {
            garbage::take(&mut view, index.tree.id)?;
        }
        Ok(Built::Complete)
    }

    /// The trees are to be freed at once.
    pub fn discard(&self, cx: &mut Context<'_>) -> Step<()> {
        for index in &self.indexes {
            garbage::discard(&mut cx.writer(), index.tree)?;
        }
        Ok(())
    }
}

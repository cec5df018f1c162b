//! The changes of one commit: pages put and removed, over the state they were built on.

use super::cache::IdMap;
use super::meta::{Nonce, Roots};
use super::record::{CommitRecord, PageChange};
use super::{CommitNumber, Page, PageId};
use crate::sorted::sort_by;
use std::rc::Rc;

/// The changes that gather until they are sent. Every step of a writer looks here first, many times.
pub type Changes = IdMap<PageId, Change>;

/// What a set does to one page.
#[derive(Clone, Debug)]
pub enum Change {
    Put(Rc<Page>),
    Deleted,
}

/// The set that writes go into.
#[derive(Debug)]
pub struct WriteSet {
    pub changes: Changes,
    pub roots: Roots,
    /// Counts changes, so that one can tell whether somebody made any.
    pub mutations: u64,
    /// Bytes of the pages put, as last summed.
    summed_bytes: usize,
    summed_len: usize,
    looks_since_sum: u32,
}

impl WriteSet {
    /// An empty set over a state with these roots.
    pub fn over(roots: Roots) -> WriteSet {
        WriteSet {
            changes: Changes::default(),
            roots,
            mutations: 0,
            summed_bytes: 0,
            summed_len: 0,
            looks_since_sum: 0,
        }
    }

    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Bytes of the pages put: exact when their number changed, at most 64 looks old otherwise, since each document
    /// written asks and summing is linear.
    pub fn dirty_bytes(&mut self) -> usize {
        self.looks_since_sum += 1;
        if self.summed_len != self.changes.len() || self.looks_since_sum >= 64 {
            self.summed_len = self.changes.len();
            self.looks_since_sum = 0;
            self.summed_bytes = self
                .changes
                .values()
                .map(|change| match change {
                    Change::Put(page) => page.size(),
                    Change::Deleted => 0,
                })
                .sum();
        }
        self.summed_bytes
    }
}

/// A set that was sent: frozen, with all that is needed to learn what became of it.
#[derive(Debug)]
pub struct Attempt {
    /// The commit it was built on. The engine's own number plays no part once it is sent.
    pub base: CommitNumber,
    pub nonce: Nonce,
    pub changes: Changes,
    pub roots: Roots,
    /// Whether it moves the checkpoint to itself.
    pub checkpoint: bool,
}

impl Attempt {
    /// The number that the attempt gets if it lands.
    pub fn number(&self) -> CommitNumber {
        self.base.next()
    }

    /// The changes in the order of page ids, in which they are written.
    pub fn in_order(&self) -> Vec<(PageId, &Change)> {
        let mut changes: Vec<_> = self.changes.iter().map(|(id, change)| (*id, change)).collect();
        sort_by(&mut changes, |(a, _), (b, _)| a.cmp(b));
        changes
    }

    /// The commit record.
    pub fn record(&self) -> CommitRecord {
        let pages = self.in_order().into_iter().map(|(id, change)| {
            let change = match change {
                Change::Put(_) => PageChange::Imaged,
                Change::Deleted => PageChange::Deleted,
            };
            (id, change)
        });
        CommitRecord {
            checkpoint: self.checkpoint,
            nonce: self.nonce,
            base: self.base,
            roots: self.roots,
            pages: pages.collect(),
            sessions: Vec::new(),
            changes: Vec::new(),
        }
    }
}

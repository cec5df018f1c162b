//! The pager's state in one context: committed pages, the attempt in flight, the set that gathers.
//!
//! The rules are those of `docs/architecture.md`, "Commits"; numbers in comments are theirs. This version commits page
//! images behind the callback fence, one context at a time: when it learns that another context committed, it starts
//! over from the store (rule 25), and the writes that were not committed are done again.

use super::cache::Cache;
use super::codec::Unreadable;
use super::meta::{DatabaseId, Meta, Nonce, Roots, WriterEntry, remember_writer};
use super::page::FORMAT_VERSION;
use super::record::{CommitRecord, PageChange};
use super::views::{ReadView, WriteView};
use super::write_set::{Attempt, Change, WriteSet};
use super::{CommitNumber, Damage, Page, PageId};
use crate::sorted::SortedMap;
use crate::store::{CommitRequest, Durability, Fence, MetaKey, ReadReply};
use std::rc::Rc;

/// A commit holds at most so many bytes of dirty pages, unless one document alone needs more.
pub const DIRTY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A commit changes at most about so many pages, so that its record stays under the store's limit.
pub const DIRTY_PAGES_MAX: usize = 6_000;

/// How many small commits are made before one of them moves the checkpoint. Opening reads at most as many records.
const COMMITS_PER_CHECKPOINT: u64 = 8;

/// A commit of so many page images moves the checkpoint along: two more records cost little then.
const CHECKPOINT_PAGES_MIN: usize = 16;

/// How many records at and below the checkpoint are kept (W, rule 32).
const RECORDS_KEPT: u64 = 1;

/// What is wrong with a store that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// Written by a newer version of PandoDB, which had this format number.
    NewerFormat(u16),
    /// Meta or commit records that were not written by us, or lost.
    Damaged(String),
    /// The database is another one than before: its data was cleared.
    Replaced,
}

/// What became of a loaded page set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// Whatever could be taken was taken; the task runs again.
    Ready,
    /// The store is ahead of this context, or a page is not where it should be: catch up first.
    CatchUp,
    /// A page is not what was written.
    Damaged(Damage),
}

/// The pager of one context.
pub struct Pager {
    database: DatabaseId,
    number: CommitNumber,
    checkpoint: CommitNumber,
    roots: Roots,
    writers: Vec<WriterEntry>,
    evicted_through: CommitNumber,
    pub(super) committed: Cache,
    /// What the records above the checkpoint did, by commit number; needed to judge loaded images (rule 19).
    retained: SortedMap<CommitNumber, Vec<(PageId, bool)>>,
    pub(super) inflight: Option<Attempt>,
    pub(super) next: WriteSet,
    writer: u64,
    sequence: u64,
}

impl Pager {
    /// The pager of an opened store (rule 27), from one read of metas and records.
    pub fn open(reply: &ReadReply, cache_bytes_max: usize, writer: u64) -> Result<Pager, OpenError> {
        let meta = read_meta(reply)?;
        let mut pager = Pager {
            database: meta.database,
            number: meta.checkpoint,
            checkpoint: meta.checkpoint,
            roots: meta.roots,
            writers: Vec::new(),
            evicted_through: CommitNumber(0),
            committed: Cache::new(cache_bytes_max),
            retained: SortedMap::new(),
            inflight: None,
            next: WriteSet::over(meta.roots),
            writer,
            sequence: 0,
        };
        pager.start_from(meta, reply)?;
        Ok(pager)
    }

    /// Drops everything and stands where the store stands (rule 25). Nothing may be in flight.
    pub fn reset(&mut self, reply: &ReadReply) -> Result<(), OpenError> {
        assert!(self.inflight.is_none(), "a reset waits for the attempt in flight");
        let meta = read_meta(reply)?;
        if meta.database != self.database {
            return Err(OpenError::Replaced);
        }
        self.start_from(meta, reply)
    }

    fn start_from(&mut self, meta: Meta, reply: &ReadReply) -> Result<(), OpenError> {
        self.committed.clear();
        self.retained.clear();
        self.number = meta.checkpoint;
        self.checkpoint = meta.checkpoint;
        self.roots = meta.roots;
        self.writers = meta.writers;
        self.evicted_through = meta.evicted_through;
        for (number, bytes) in reply.records.iter().filter(|(number, _)| *number > meta.checkpoint) {
            let record = CommitRecord::decode(bytes).map_err(open_error)?;
            if *number != self.number.next() {
                return Err(OpenError::Damaged(format!("commit {} is missing", self.number.0 + 1)));
            }
            if record.base != self.number {
                return Err(OpenError::Damaged(format!(
                    "commit {} was built on {}",
                    number.0, record.base.0
                )));
            }
            self.learn(*number, &record)?;
        }
        self.next = WriteSet::over(self.roots);
        Ok(())
    }

    fn learn(&mut self, number: CommitNumber, record: &CommitRecord) -> Result<(), OpenError> {
        let mut changed = Vec::with_capacity(record.pages.len());
        for (id, change) in &record.pages {
            match change {
                PageChange::Imaged => changed.push((*id, true)),
                PageChange::Deleted => changed.push((*id, false)),
                PageChange::Whole(_) | PageChange::Ranges(_) => {
                    return Err(OpenError::Damaged(format!(
                        "commit {} holds page changes of another version",
                        number.0
                    )));
                }
            }
        }
        self.number = number;
        self.roots = record.roots;
        self.enter_writer(record.nonce, number);
        self.retained.insert(number, changed);
        Ok(())
    }

    fn enter_writer(&mut self, nonce: Nonce, commit: CommitNumber) {
        if let Some(gone) = remember_writer(&mut self.writers, WriterEntry { nonce, commit }) {
            self.evicted_through = self.evicted_through.max(gone);
        }
    }

    /// The commit that reads see.
    pub fn number(&self) -> CommitNumber {
        self.number
    }

    /// K, with which a load is stamped.
    pub fn checkpoint(&self) -> CommitNumber {
        self.checkpoint
    }

    /// The database's random id.
    pub fn database(&self) -> DatabaseId {
        self.database
    }

    /// The committed pages in memory.
    pub fn cache(&self) -> &Cache {
        &self.committed
    }

    /// The committed pages in memory, to pin, unpin and shrink.
    pub fn cache_mut(&mut self) -> &mut Cache {
        &mut self.committed
    }

    /// Committed pages to read.
    pub fn reader(&self) -> ReadView<'_> {
        ReadView::of(self)
    }

    /// Pages to read and change, the newest changes first.
    pub fn writer(&mut self) -> WriteView<'_> {
        WriteView::of(self)
    }

    /// The roots that reads see.
    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The roots that writes see and change.
    pub fn roots_mut(&mut self) -> &mut Roots {
        &mut self.next.roots
    }

    /// How often the set that gathers was changed.
    pub fn mutations(&self) -> u64 {
        self.next.mutations
    }

    /// Whether the set that gathers holds anything.
    pub fn has_changes(&self) -> bool {
        !self.next.is_empty()
    }

    /// Whether the set that gathers has reached what one commit should hold.
    pub fn is_set_full(&mut self) -> bool {
        self.next.changes.len() >= DIRTY_PAGES_MAX || self.next.dirty_bytes() >= DIRTY_BYTES_MAX
    }

    /// Whether an attempt is in flight.
    pub fn is_sending(&self) -> bool {
        self.inflight.is_some()
    }

    /// Freezes the set and makes the commit of it (rules 7 to 10, 29). Nothing may be in flight.
    pub fn send(&mut self, durability: Durability) -> CommitRequest {
        assert!(self.inflight.is_none(), "one attempt at a time");
        let set = std::mem::replace(&mut self.next, WriteSet::over(self.roots));
        self.next.roots = set.roots;
        self.sequence += 1;
        let number = self.number.next();
        let attempt = Attempt {
            base: self.number,
            nonce: Nonce { writer: self.writer, sequence: self.sequence },
            checkpoint: set.changes.len() >= CHECKPOINT_PAGES_MIN
                || number.0 >= self.checkpoint.0 + COMMITS_PER_CHECKPOINT,
            changes: set.changes,
            roots: set.roots,
        };
        let mut request = CommitRequest {
            durability,
            fence: Fence::Callback { expected: number },
            record: attempt.record().encode(),
            puts: Vec::new(),
            deletes: Vec::new(),
            metas: vec![(MetaKey::IMAGE_TAG, attempt.nonce.image_tag())],
            prune_through: None,
        };
        for (id, change) in attempt.in_order() {
            match change {
                Change::Put(page) => request.puts.push((id, page.encode(id, number))),
                Change::Deleted => request.deletes.push(id),
            }
        }
        if attempt.checkpoint {
            let meta = self.meta_after(&attempt).encode();
            request.metas.push((MetaKey::META, meta.clone()));
            request.metas.push((MetaKey::META_COPY, meta));
            request.prune_through = number.0.checked_sub(RECORDS_KEPT).map(CommitNumber);
        }
        self.inflight = Some(attempt);
        request
    }

    fn meta_after(&self, attempt: &Attempt) -> Meta {
        let mut meta = Meta {
            database: self.database,
            checkpoint: attempt.number(),
            roots: attempt.roots,
            writers: self.writers.clone(),
            evicted_through: self.evicted_through,
            encryption: Vec::new(),
        };
        let entry = WriterEntry { nonce: attempt.nonce, commit: attempt.number() };
        if let Some(gone) = remember_writer(&mut meta.writers, entry) {
            meta.evicted_through = meta.evicted_through.max(gone);
        }
        meta
    }

    /// The attempt in flight is in the store (rule 12).
    pub fn landed(&mut self) {
        let attempt = self.inflight.take().expect("an attempt is in flight");
        let number = attempt.number();
        let mut changed = Vec::with_capacity(attempt.changes.len());
        for (id, change) in attempt.in_order() {
            match change {
                Change::Put(page) => {
                    changed.push((id, true));
                    self.committed.insert(id, Rc::clone(page));
                }
                Change::Deleted => {
                    changed.push((id, false));
                    self.committed.remove(id);
                }
            }
        }
        self.enter_writer(attempt.nonce, number);
        self.number = number;
        self.roots = attempt.roots;
        if attempt.checkpoint {
            self.checkpoint = number;
            self.retained.clear();
        } else {
            self.retained.insert(number, changed);
        }
        self.committed.shrink();
    }

    /// The attempt in flight is not in the store: it and what was built on it are dropped (rule 13).
    pub fn failed(&mut self) {
        self.inflight = None;
        self.drop_changes();
    }

    /// Drops the set that gathers.
    pub fn drop_changes(&mut self) {
        let roots = self.inflight.as_ref().map_or(self.roots, |attempt| attempt.roots);
        self.next = WriteSet::over(roots);
    }

    /// Takes in loaded pages (rules 18 and 19) and pins them through `pin`. `verify` checks what a checksum cannot: that
    /// the payload is well formed.
    pub fn loaded(
        &mut self,
        issued_at: CommitNumber,
        reply: ReadReply,
        verify: fn(&Page) -> Result<(), String>,
        mut pinned: impl FnMut(PageId),
    ) -> Loaded {
        if issued_at != self.checkpoint {
            return Loaded::Ready;
        }
        for (id, bytes) in reply.pages {
            if self.committed.contains(id) {
                if self.committed.pin(id) {
                    pinned(id);
                }
                continue;
            }
            let Some(bytes) = bytes else {
                if self.was_deleted(id) {
                    continue;
                }
                return Loaded::CatchUp;
            };
            let page = match Page::decode(id, &bytes) {
                Ok(page) => page,
                Err(damage) => return Loaded::Damaged(damage),
            };
            if page.header.commit > self.number {
                return Loaded::CatchUp;
            }
            if self.changed_after(id, page.header.commit) {
                continue;
            }
            if let Err(what) = verify(&page) {
                return Loaded::Damaged(Damage { page: Some(id), what });
            }
            self.committed.insert(id, Rc::new(page));
            self.committed.pin(id);
            pinned(id);
        }
        self.committed.shrink();
        Loaded::Ready
    }

    fn was_deleted(&self, id: PageId) -> bool {
        self.retained.values().any(|pages| pages.contains(&(id, false)))
    }

    fn changed_after(&self, id: PageId, commit: CommitNumber) -> bool {
        self.retained.from(&commit.next()).iter().any(|(_, pages)| pages.iter().any(|(page, _)| *page == id))
    }
}

fn read_meta(reply: &ReadReply) -> Result<Meta, OpenError> {
    let stored = |key: MetaKey| reply.metas.iter().find(|(found, _)| *found == key).map(|(_, bytes)| bytes);
    let mut problem = OpenError::Damaged("there is no meta record".to_string());
    for key in [MetaKey::META, MetaKey::META_COPY] {
        let Some(bytes) = stored(key) else { continue };
        match Meta::decode(bytes) {
            Ok(meta) => return Ok(meta),
            Err(Unreadable::NewerFormat(format)) => return Err(OpenError::NewerFormat(format)),
            Err(Unreadable::Damaged(what)) => problem = OpenError::Damaged(format!("meta record: {what}")),
        }
    }
    Err(problem)
}

fn open_error(error: Unreadable) -> OpenError {
    match error {
        Unreadable::NewerFormat(format) => OpenError::NewerFormat(format),
        Unreadable::Damaged(what) => OpenError::Damaged(format!("commit record: {what}")),
    }
}

/// The first meta records of a store that is being created.
pub fn first_metas(database: DatabaseId) -> Vec<(MetaKey, Vec<u8>)> {
    let meta = Meta::first(database).encode();
    let tag = Nonce { writer: 0, sequence: 0 }.image_tag();
    vec![(MetaKey::META, meta.clone()), (MetaKey::IMAGE_TAG, tag), (MetaKey::META_COPY, meta)]
}

/// The format version that this build writes and the largest that it reads.
pub const fn format_version() -> u16 {
    FORMAT_VERSION
}

//! Where pages, commit records and meta records are kept: the contract, and its implementations.
//!
//! A store is asked by requests that are plain values and answers by events that are plain values, in any order
//! between independent requests. So the engine and its host need no `async`: a memory store answers at once, the
//! simulated one answers when its seed says so, IndexedDB answers when its transaction has ended.
//!
//! # The contract
//! 1. A request is one transaction: what it reads is one snapshot, what it writes happens entirely or not at all.
//! 2. Commits are serial. `commits` numbers its records itself: 1, 2, 3, …; a number moves only with a landed
//!    transaction, is put back by an abort and never given again after a deletion (IndexedDB's key generator).
//! 3. A commit with [`Fence::Callback`] whose record would get another number than the expected one changes nothing
//!    and answers [`Outcome::Conflict`].
//! 4. After [`Outcome::Landed`] the whole transaction is durable as [`Durability`] says, and every read begun
//!    afterwards, by any store opened on the same data, sees it.
//! 5. After [`Outcome::Failed`] nothing of the request is in the store, except for [`StoreError::ConnectionLost`],
//!    where a commit may have landed or may still land.
//! 6. Every request is answered exactly once, unless the context dies.
//! 7. Bytes come back as they were put. No value exceeds [`VALUE_BYTES_MAX`].
//! 8. A commit names a page at most once, in `puts` or in `deletes`, and a meta key at most once.
//! 9. Temporary chunks belong to one handle: no other sees them, and they are gone with it, however it ends. They are
//!    no part of the snapshots of 1 and of no commit. The [`Request::Temp`] of a handle are done in the order in which they
//!    were begun, each whole or not at all: deletions (also of what is not there), then puts, then gets. A get of a
//!    chunk that is not there fails the request with [`StoreError::Aborted`]. A key is put once, ever.
//!
//! 2, 3, 8 and 9 bind the caller as well as the store: see [`checker`], which panics at either's breach, and
//! [`contract`], the list of cases that every implementation passes.
//!
//! Deliberately absent: locks, leaders, notices between contexts, and any knowledge of what the bytes mean.

pub mod checker;
pub mod contract;
pub mod data;
#[cfg(target_arch = "wasm32")]
pub mod idb;
pub mod memory;
pub mod simulated;
pub mod temp;

pub use memory::MemoryStore;
pub use temp::{TempKey, TempRequest};

use std::fmt;

/// No stored value is larger (from 64 KiB on Chromium keeps values in files of their own: slower, and those are what
/// goes missing).
pub const VALUE_BYTES_MAX: usize = 60 * 1024;

/// The id of a page: monotonic, never reused, from 1 up. Below 2^53, as IndexedDB's keys are doubles.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PageId(pub u64);

/// The number that `commits` gave a record, from 1 up; 0 is the state that the first meta record describes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct CommitNumber(pub u64);

impl CommitNumber {
    /// The number after this one.
    pub fn next(self) -> CommitNumber {
        CommitNumber(self.0 + 1)
    }
}

/// The keys of the `meta` store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MetaKey(pub u8);

impl MetaKey {
    /// The meta record.
    pub const META: MetaKey = MetaKey(0);
    /// The image tag: who wrote pages last.
    pub const IMAGE_TAG: MetaKey = MetaKey(1);
    /// The second copy of the meta record, read where the first one is damaged.
    pub const META_COPY: MetaKey = MetaKey(2);
}

/// What a landed commit survives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Durability {
    /// The kill of the tab, the browser or the process.
    #[default]
    Relaxed,
    /// Power loss too.
    Strict,
}

/// One transaction to be done.
#[derive(Clone, Debug)]
pub enum Request {
    Read(ReadRequest),
    Commit(CommitRequest),
    Temp(TempRequest),
}

/// Reads of one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadRequest {
    /// Whether to read all meta records.
    pub metas: bool,
    /// Reads the commit records with larger numbers, in order.
    pub records_after: Option<CommitNumber>,
    pub pages: Vec<PageId>,
}

/// What [`ReadRequest`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReply {
    pub metas: Vec<(MetaKey, Vec<u8>)>,
    /// Ascending by number.
    pub records: Vec<(CommitNumber, Vec<u8>)>,
    /// In the order of the request; `None` where there is no such page.
    pub pages: Vec<(PageId, Option<Vec<u8>>)>,
}

/// How a commit is kept from landing on a state that it was not built on (`docs/architecture.md`, "Commits").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fence {
    /// The store adds the record, compares its number with the expected one in the `add`'s own callback, and only then
    /// puts the rest: for commits that write pages.
    Callback { expected: CommitNumber },
}

/// A commit: one record added, pages and metas put and deleted, old records pruned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRequest {
    pub durability: Durability,
    pub fence: Fence,
    pub record: Vec<u8>,
    pub puts: Vec<(PageId, Vec<u8>)>,
    pub deletes: Vec<PageId>,
    pub metas: Vec<(MetaKey, Vec<u8>)>,
    /// Deletes the records up to and with this number.
    pub prune_through: Option<CommitNumber>,
}

/// Names a request until its event was taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequestId(pub u64);

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Read(ReadReply),
    /// The commit is in the store under this number.
    Landed(CommitNumber),
    /// The fence held: the record would have got the number `found`. Nothing was changed.
    Conflict {
        found: CommitNumber,
    },
    /// The chunks that a [`TempRequest`] got, in its order.
    Temp(Vec<Vec<u8>>),
    Failed(StoreError),
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// No room (QuotaExceededError). The text is the browser's.
    Quota(String),
    /// The transaction was aborted for another reason; nothing was applied.
    Aborted(String),
    /// The connection is gone; a commit may or may not have landed.
    ConnectionLost(String),
    /// There is no store to be had: IndexedDB is missing, refused, or did not answer in time.
    Unavailable(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Quota(text) => write!(f, "no room in the store: {text}"),
            StoreError::Aborted(text) => write!(f, "the store's transaction was aborted: {text}"),
            StoreError::ConnectionLost(text) => write!(f, "the connection to the store was lost: {text}"),
            StoreError::Unavailable(text) => write!(f, "the store is not available: {text}"),
        }
    }
}

impl std::error::Error for StoreError {}

/// A store of pages (see the contract above).
pub trait PageStore {
    /// Begins a request. Its event is taken by [`PageStore::take_event`], now or later.
    fn begin(&mut self, request: Request) -> RequestId;

    /// Takes the next event that has arrived, if any.
    fn take_event(&mut self) -> Option<(RequestId, Outcome)>;
}

impl<S: PageStore + ?Sized> PageStore for Box<S> {
    fn begin(&mut self, request: Request) -> RequestId {
        (**self).begin(request)
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        (**self).take_event()
    }
}

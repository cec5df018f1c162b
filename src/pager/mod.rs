//! Pages: their form, the cache, sets of changes, meta and commit records.
//!
//! The pager knows bytes, ids and commits. It does not know what a tree is, and nothing above it knows what a commit is.
//!
//! Invariants
//! 1. A page that was handed out is immutable ([`Rc<Page>`]); a change makes a new one in the write set.
//! 2. Reads see committed pages only; writes see the write set, then the one in flight, then the committed pages.
//! 3. A page that is not resident is a [`Fault::Missing`], never an error; a page whose checksum does not vouch for it
//!    is a [`Fault::Damaged`], never data.
//! 4. Ids are monotonic and never reused.

pub mod cache;
pub mod codec;
pub mod meta;
pub mod page;
pub mod record;
pub mod state;
pub mod views;
pub mod write_set;

pub use crate::store::{CommitNumber, PageId};
pub use page::{Header, Page, PageKind};

use std::rc::Rc;

/// The largest page as stored, header included (an extent chunk may be larger: [`EXTENT_CHUNK_BYTES_MAX`]).
pub const PAGE_BYTES_MAX: usize = 32 * 1024;

/// The largest chunk of an extent, without its header.
pub const EXTENT_CHUNK_BYTES_MAX: usize = 56 * 1024;

/// The id of a B+tree, from 1 up, never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TreeId(pub u64);

/// Ids of pages to be loaded, in the order of need, without repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSet(pub Vec<PageId>);

impl PageSet {
    /// A set of one page.
    pub fn one(id: PageId) -> PageSet {
        PageSet(vec![id])
    }

    /// Adds an id that is not in the set yet.
    pub fn insert(&mut self, id: PageId) {
        if !self.0.contains(&id) {
            self.0.push(id);
        }
    }
}

/// What is wrong with a page, and with which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub page: Option<PageId>,
    pub what: String,
}

/// Why a walk over pages could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// These pages are to be loaded; then the walk is simply done again.
    Missing(PageSet),
    /// The store holds something that was not written by us, or lost something.
    Damaged(Damage),
}

/// The result of a walk over pages.
pub type Walk<T> = Result<T, Fault>;

/// Pages to read from.
pub trait Pages {
    /// The page, or [`Fault::Missing`] with its id.
    fn page(&self, id: PageId) -> Walk<Rc<Page>>;

    /// Whether [`Pages::page`] would give it now. Does not count as a use.
    fn is_resident(&self, id: PageId) -> bool;
}

/// Pages to change. The three methods never fail: a caller changes only what it has located, and a located page is
/// resident until the step ends.
pub trait PagesMut: Pages {
    /// The page of the write set, copied there on the first change. The page is resident.
    fn page_mut(&mut self, id: PageId) -> &mut Page;

    /// A new page with the next id.
    fn allocate(&mut self, page: Page) -> PageId;

    /// `count` new pages with consecutive ids, in order; gives the first id. For extents.
    fn allocate_run(&mut self, pages: Vec<Page>) -> PageId;

    /// Removes a page, resident or not. Nothing may refer to it any more.
    fn free(&mut self, id: PageId);
}

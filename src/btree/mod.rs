//! B+trees over pages: byte keys in `memcmp` order, byte values of any size.
//!
//! A change has two halves. `locate` walks, may miss pages and changes nothing; `apply` changes and can neither miss
//! nor fail. Several trees are changed together by locating in all of them before the first apply. Within one tree a
//! [`Put`] or [`Remove`] is good until the next apply to that tree, so several entries go one after the other
//! ([`Tree::put`], [`Tree::remove`]); applying a stale one is a fault of the program and panics.
//!
//! Invariants
//! 1. The root keeps its page id as long as the tree lives: when it splits, its content moves to two new children.
//! 2. Every page of a tree has the tree's id and the level that its depth asks for; a walk checks both, so a wrong
//!    pointer is damage and never a loop.
//! 3. The payload of a page is canonical for its prefix: cells in key order without gaps. The same operations give the
//!    same bytes.
//! 4. The root's head carries the exact [`Stats`]; every apply keeps them.
//! 5. Only the leftmost leaf carries a label, and only a leftmost leaf with a label may be empty in a tree of more
//!    than one page.
//! 6. There are no pointers between siblings: cursors go through the parents, and a leaf is unlinked without its
//!    neighbours.
//! 7. A payload that [`verify_page`] accepted can be walked and edited without a panic, whatever it holds.
//!
//! Deliberately absent: any knowledge of what keys and values mean, rebalancing by moving single cells between
//! siblings, a remembered insert position (each level tries its last cell first, which costs a comparison and needs no
//! trust), transactions.

mod builder;
mod check;
mod cursor;
mod edit;
mod extent;
mod free;
mod node;
mod put;
mod remove;
mod walk;

#[cfg(test)]
mod tests;

pub use builder::{Builder, NotAscending};
pub use check::{Checker, Report};
pub use cursor::{Cursor, Entry, Scan};
pub use node::verify_page;
pub use put::Put;
pub use remove::Remove;
pub use walk::ValueBytes;

use crate::pager::page::HEADER_BYTES;
use crate::pager::{PAGE_BYTES_MAX, Page, PageId, PageKind, Pages, PagesMut, TreeId, Walk};

/// The largest payload of a leaf or an interior page, in bytes.
pub const PAYLOAD_BYTES_MAX: usize = PAGE_BYTES_MAX - HEADER_BYTES;

/// The longest key that stands in a page as a whole; of a longer one this many bytes do, the rest is an extent.
pub const KEY_INLINE_MAX: usize = PAGE_BYTES_MAX / 8;

/// The longest value that stands in a leaf; a longer one is an extent.
pub const VALUE_INLINE_MAX: usize = PAGE_BYTES_MAX / 4;

/// The longest label that stands in its leaf; a longer one is an extent.
pub const LABEL_INLINE_MAX: usize = 1024;

/// The highest level of a page. With the largest separators a page has seven children, so this is never reached.
pub const LEVEL_MAX: u8 = 15;

/// The longest key, in bytes (a document's 16 MiB may double when its zero bytes are escaped).
pub const KEY_BYTES_MAX: usize = 48 * 1024 * 1024;

/// The longest value and the longest label, in bytes.
pub const VALUE_BYTES_MAX: usize = 48 * 1024 * 1024;

/// Names a tree: its id, which stands in all its pages, and its root page. Neither ever changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tree {
    pub id: TreeId,
    pub root: PageId,
}

/// What the root knows of its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    pub entries: u64,
    /// Sum of the lengths of keys and values, in bytes.
    pub bytes: u64,
}

impl Tree {
    /// A new, empty tree.
    pub fn create(pages: &mut impl PagesMut, id: TreeId) -> Tree {
        let root = pages.allocate(Page::new(PageKind::Leaf, 0, id, node::empty_payload()));
        Tree { id, root }
    }

    /// The tree's statistics.
    pub fn stats(&self, pages: &dyn Pages) -> Walk<Stats> {
        let totals = node::totals(&walk::load(pages, *self, self.root, None)?.payload);
        Ok(Stats { entries: totals.entries, bytes: totals.bytes })
    }

    /// The value of a key.
    pub fn get(&self, pages: &dyn Pages, key: &[u8]) -> Walk<Option<ValueBytes>> {
        walk::get(pages, *self, key)
    }

    /// Whether there is an entry of this key. Does not read its value.
    pub fn contains(&self, pages: &dyn Pages, key: &[u8]) -> Walk<bool> {
        let leaf = walk::descend(pages, *self, key)?;
        Ok(walk::search(pages, *self, &node::Node::of(&leaf.page), key)?.is_ok())
    }

    /// Finds the place for an entry, to be inserted or replaced by [`Put::apply`].
    ///
    /// # Panics
    /// If key or value are longer than [`KEY_BYTES_MAX`] and [`VALUE_BYTES_MAX`].
    pub fn locate_put<'a>(&self, pages: &dyn Pages, key: &'a [u8], value: &'a [u8]) -> Walk<Put<'a>> {
        Put::locate(pages, *self, key, value)
    }

    /// Finds an entry, to be removed by [`Remove::apply`]; `None` if there is none.
    pub fn locate_remove(&self, pages: &dyn Pages, key: &[u8]) -> Walk<Option<Remove>> {
        Remove::locate(pages, *self, key)
    }

    /// Inserts or replaces an entry; says whether it replaced one.
    pub fn put(&self, pages: &mut impl PagesMut, key: &[u8], value: &[u8]) -> Walk<bool> {
        let put = self.locate_put(pages, key, value)?;
        let replaces = put.replaces();
        put.apply(pages);
        Ok(replaces)
    }

    /// Removes an entry; says whether there was one.
    pub fn remove(&self, pages: &mut impl PagesMut, key: &[u8]) -> Walk<bool> {
        let Some(remove) = self.locate_remove(pages, key)? else { return Ok(false) };
        remove.apply(pages);
        Ok(true)
    }

    /// The label in the leftmost leaf; empty if none was set.
    pub fn label(&self, pages: &dyn Pages) -> Walk<Vec<u8>> {
        let leaf = walk::leftmost(pages, *self)?;
        match node::Node::of(&leaf.page).label() {
            node::Label::Inline(bytes) => Ok(bytes.to_vec()),
            node::Label::Extent(extent) => extent.read(pages, self.id),
        }
    }

    /// Sets the label in the leftmost leaf. Changes nothing when it misses pages.
    pub fn set_label(&self, pages: &mut impl PagesMut, label: &[u8]) -> Walk<()> {
        put::set_label(pages, *self, label)
    }

    /// Frees pages of the tree, at most about `pages_max` of them, and says whether the tree is gone. To be called
    /// until it is; between the calls the rest is a well-formed tree, though its statistics are no longer true.
    /// A value or key of many chunks is freed at once. Nothing else may use the tree any more.
    pub fn free_some(&self, pages: &mut impl PagesMut, pages_max: usize) -> Walk<bool> {
        free::free_some(pages, *self, pages_max)
    }
}

//! Bulk load: sorted entries into full pages, bottom-up. Holds one page of each level.

use super::edit::{self, Edit, Separator};
use super::extent::ExtentRef;
use super::node::{Body, Cell, Node, Totals, set_totals, totals};
use super::{KEY_BYTES_MAX, KEY_INLINE_MAX, LEVEL_MAX, Tree, VALUE_BYTES_MAX, VALUE_INLINE_MAX, walk};
use crate::pager::{Page, PageId, PageKind, Pages, PagesMut, Walk};

/// Fills an empty tree from sorted entries. Until [`Builder::finish`] the tree stays empty and the pages are not
/// reachable from it; a builder that is dropped leaves them behind.
pub struct Builder {
    tree: Tree,
    /// The page being filled at each level, leaves first.
    open: Vec<Page>,
    last_key: Option<Vec<u8>>,
    totals: Totals,
}

/// The key is not larger than the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAscending;

impl Builder {
    /// A builder for a tree that is empty; a label that it has is kept.
    ///
    /// # Panics
    /// If the tree has entries.
    pub fn new(pages: &dyn Pages, tree: Tree) -> Walk<Builder> {
        let mut first = (*walk::load(pages, tree, tree.root, None)?).clone();
        let totals = totals(&first.payload);
        assert!(
            first.header.kind == PageKind::Leaf && Node::of(&first).count == 0,
            "bulk load into a tree with entries"
        );
        set_totals(&mut first.payload, Totals::default());
        Ok(Builder { tree, open: vec![first], last_key: None, totals })
    }

    /// Adds an entry.
    ///
    /// # Panics
    /// As [`Tree::locate_put`].
    pub fn push(&mut self, pages: &mut impl PagesMut, key: &[u8], value: &[u8]) -> Result<(), NotAscending> {
        assert!(key.len() <= KEY_BYTES_MAX, "a key of {} bytes", key.len());
        assert!(value.len() <= VALUE_BYTES_MAX, "a value of {} bytes", value.len());
        if self.last_key.as_deref().is_some_and(|last| last >= key) {
            return Err(NotAscending);
        }
        let id = self.tree.id;
        let long = key.len() > KEY_INLINE_MAX;
        let rest = long.then(|| ExtentRef::write(pages, id, &key[KEY_INLINE_MAX..]));
        let body = if value.len() > VALUE_INLINE_MAX {
            Body::Extent(ExtentRef::write(pages, id, value))
        } else {
            Body::Inline(value)
        };
        self.totals.entries = self.totals.entries.wrapping_add(1);
        self.totals.bytes = self.totals.bytes.wrapping_add((key.len() + value.len()) as u64);
        self.totals.extents =
            self.totals.extents.wrapping_add(u64::from(rest.is_some()) + u64::from(body.extent().is_some()));
        let cell = Cell { prefix: &[], suffix: &key[..key.len().min(KEY_INLINE_MAX)], rest, body };
        let at = Node::of(&self.open[0]).count;
        let edit = Edit { at, cell, replaces: false };
        if !edit::fits(&self.open[0], &edit) {
            let separator = self.separator(pages, key);
            self.close(pages, 0, separator);
        }
        let at = Node::of(&self.open[0]).count;
        edit::put(&mut self.open[0], &Edit { at, ..edit });
        let last = self.last_key.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        Ok(())
    }

    /// Makes what was built the content of the tree.
    pub fn finish(mut self, pages: &mut impl PagesMut) -> Tree {
        let mut level = 0;
        while level + 1 < self.open.len() {
            let page = self.open[level].clone();
            let child = pages.allocate(page);
            self.set_last_child(level + 1, child);
            level += 1;
        }
        let mut top = self.open.pop().unwrap_or_else(|| unreachable!("there is always a leaf"));
        self.totals.applies = self.totals.applies.wrapping_add(1);
        set_totals(&mut top.payload, self.totals);
        let root = pages.page_mut(self.tree.root);
        root.header.kind = top.header.kind;
        root.header.level = top.header.level;
        root.payload = top.payload;
        self.tree
    }

    /// The shortest key between the last one and the next.
    fn separator(&mut self, pages: &mut impl PagesMut, next: &[u8]) -> Separator {
        let last = self.last_key.as_deref().unwrap_or(&[]);
        let key = &next[..=edit::common_bytes(last, next)];
        let rest = key.get(KEY_INLINE_MAX..).filter(|rest| !rest.is_empty());
        let rest = rest.map(|rest| ExtentRef::write(pages, self.tree.id, rest));
        self.totals.extents = self.totals.extents.wrapping_add(u64::from(rest.is_some()));
        Separator { inline: key[..key.len().min(KEY_INLINE_MAX)].to_vec(), rest }
    }

    /// Writes the page being filled at a level and begins the next one, before which `separator` stands.
    /// The last cell of each open interior page leads to the open page below and gets its id when that is written.
    fn close(&mut self, pages: &mut impl PagesMut, level: usize, separator: Separator) {
        let (kind, header_level) = (self.open[level].header.kind, self.open[level].header.level);
        let payload = match kind {
            PageKind::Interior => {
                edit::build(kind, (&[], false), &[edit::first_child(NOT_YET)], KEY_INLINE_MAX)
            }
            _ => super::node::empty_payload(),
        };
        let fresh = Page::new(kind, header_level, self.tree.id, payload);
        let full = std::mem::replace(&mut self.open[level], fresh);
        let child = pages.allocate(full);
        let above = level + 1;
        if above == self.open.len() {
            assert!(header_level < LEVEL_MAX, "a tree of more than {LEVEL_MAX} levels");
            let cells = [edit::first_child(NOT_YET)];
            let payload = edit::build(PageKind::Interior, (&[], false), &cells, KEY_INLINE_MAX);
            self.open.push(Page::new(PageKind::Interior, header_level + 1, self.tree.id, payload));
        }
        self.set_last_child(above, child);
        let at = Node::of(&self.open[above]).count;
        let edit = Edit { at, cell: separator.cell(NOT_YET), replaces: false };
        if edit::fits(&self.open[above], &edit) {
            return edit::put(&mut self.open[above], &edit);
        }
        self.close(pages, above, separator);
    }

    fn set_last_child(&mut self, level: usize, child: PageId) {
        let last = Node::of(&self.open[level]).count - 1;
        edit::set_child(&mut self.open[level], last, child);
    }
}

/// Stands for the child that is not written yet.
const NOT_YET: PageId = PageId(0);

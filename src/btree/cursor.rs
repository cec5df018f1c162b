//! Cursors: a position between keys, from which entries are taken forwards and backwards.
//!
//! Invariants
//! 1. The position is a gap: before or after a key, or at an end of the tree. `next` gives the first entry after the
//!    gap and moves the gap behind it; `prev` the other way round. So a position outlives every change of the tree.
//! 2. A fault leaves the position where it was.
//! 3. The leaf that is remembered is used only while the cache gives the very same page; otherwise the key is sought
//!    again. A remembered page is immutable, so the same page has the same entries.
//! 4. A scan that misses a leaf asks for the next ones of the same parent with it, more the longer it runs.

use super::Tree;
use super::node::{Body, Node};
use super::walk::{self, Leaf, Path, ValueBytes, damaged, descend_from, load, search};
use crate::pager::{Fault, Page, PageId, PageSet, Pages, Walk};
use std::rc::Rc;

/// The most leaves that a scan asks for at once.
const READ_AHEAD_MAX: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Gap {
    Start,
    BeforeKey,
    AfterKey,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    Forward,
    Backward,
}

/// A position in a tree. Bounds are the caller's: it looks at the keys it gets.
#[derive(Clone, Debug)]
pub struct Cursor {
    tree: Tree,
    gap: Gap,
    /// The key of the gap.
    key: Vec<u8>,
    here: Option<Here>,
    /// Leaves crossed since the last seek.
    crossed: u32,
}

/// The gap in a leaf.
#[derive(Clone, Debug)]
struct Here {
    id: PageId,
    page: Rc<Page>,
    /// Index of the cell after the gap.
    slot: usize,
    /// Whether the cursor's key begins with the page's prefix.
    prefixed: bool,
    /// The value given last, if it came from an extent or with a key that did.
    whole: Option<ValueBytes>,
}

/// An entry, borrowed from the cursor and its page.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub key: &'a [u8],
    value: EntryValue<'a>,
}

#[derive(Clone, Copy, Debug)]
enum EntryValue<'a> {
    Inline(&'a Rc<Page>, usize, usize),
    Whole(&'a ValueBytes),
}

impl<'a> Entry<'a> {
    /// The value.
    pub fn value(&self) -> &'a [u8] {
        match self.value {
            EntryValue::Inline(page, begin, end) => &page.payload[begin..end],
            EntryValue::Whole(bytes) => bytes,
        }
    }

    /// The value, to be kept longer than the entry. Copies only what comes from an extent.
    pub fn value_bytes(&self) -> ValueBytes {
        match self.value {
            EntryValue::Inline(page, begin, end) => walk::ValueBytes::of_page(page.clone(), begin, end),
            EntryValue::Whole(bytes) => bytes.clone(),
        }
    }
}

impl Cursor {
    /// A cursor at the start of the tree.
    pub fn new(tree: Tree) -> Cursor {
        Cursor { tree, gap: Gap::Start, key: Vec::new(), here: None, crossed: 0 }
    }

    /// Moves before the first entry.
    pub fn seek_start(&mut self) {
        self.place(Gap::Start, &[]);
    }

    /// Moves behind the last entry.
    pub fn seek_end(&mut self) {
        self.place(Gap::End, &[]);
    }

    /// Moves before the entries from `key` on: `next` gives `key` itself or what follows, `prev` what is smaller.
    pub fn seek_before(&mut self, key: &[u8]) {
        self.place(Gap::BeforeKey, key);
    }

    /// Moves behind the entries up to and with `key`: `next` gives what is larger, `prev` the key itself or smaller.
    pub fn seek_after(&mut self, key: &[u8]) {
        self.place(Gap::AfterKey, key);
    }

    /// Whether the cursor stands at a key, and at which: the last one given or sought.
    pub fn key(&self) -> Option<&[u8]> {
        matches!(self.gap, Gap::BeforeKey | Gap::AfterKey).then_some(&self.key)
    }

    /// The next entry, if there is one.
    pub fn next(&mut self, pages: &dyn Pages) -> Walk<Option<Entry<'_>>> {
        self.check_here(pages);
        self.step(pages, Direction::Forward)
    }

    /// The previous entry, if there is one.
    pub fn prev(&mut self, pages: &dyn Pages) -> Walk<Option<Entry<'_>>> {
        self.check_here(pages);
        self.step(pages, Direction::Backward)
    }

    /// The same with less work for each entry: as long as the scan lives nothing can be written, so the remembered
    /// leaf is checked once.
    pub fn scan<'a>(&'a mut self, pages: &'a dyn Pages) -> Scan<'a> {
        self.check_here(pages);
        Scan { cursor: self, pages }
    }

    fn place(&mut self, gap: Gap, key: &[u8]) {
        self.gap = gap;
        self.key.clear();
        self.key.extend_from_slice(key);
        self.here = None;
        self.crossed = 0;
    }

    /// Forgets the leaf unless the cache gives the same page.
    fn check_here(&mut self, pages: &dyn Pages) {
        let Some(here) = &self.here else { return };
        if !pages.page(here.id).is_ok_and(|page| Rc::ptr_eq(&page, &here.page)) {
            self.here = None;
        }
    }

    fn step(&mut self, pages: &dyn Pages, direction: Direction) -> Walk<Option<Entry<'_>>> {
        if self.here.is_none() {
            let leaf = self.find_leaf(pages)?;
            let slot = self.find_slot(pages, &leaf)?;
            self.here = Some(Here { id: leaf.id, page: leaf.page, slot, prefixed: false, whole: None });
        }
        let at_end = self.here.as_ref().is_none_or(|here| match direction {
            Direction::Forward => here.slot >= Node::of(&here.page).count,
            Direction::Backward => here.slot == 0,
        });
        if at_end && !self.cross(pages, direction)? {
            return Ok(None);
        }
        self.take(pages, direction)
    }

    /// Takes the entry beside the gap, which is in the leaf.
    fn take(&mut self, pages: &dyn Pages, direction: Direction) -> Walk<Option<Entry<'_>>> {
        let Cursor { tree, gap, key, here, .. } = self;
        let Some(here) = here else { return Ok(None) };
        let node = Node::of(&here.page);
        let (slot, after, gap_after) = match direction {
            Direction::Forward => (here.slot, here.slot + 1, Gap::AfterKey),
            Direction::Backward => (here.slot - 1, here.slot - 1, Gap::BeforeKey),
        };
        if let Some((suffix, begin, end)) = node.plain_entry(slot) {
            let prefix = node.prefix();
            if here.prefixed {
                key.truncate(prefix.len());
            } else {
                key.clear();
                key.extend_from_slice(prefix);
                here.prefixed = true;
            }
            key.extend_from_slice(suffix);
            here.slot = after;
            *gap = gap_after;
            return Ok(Some(Entry { key, value: EntryValue::Inline(&here.page, begin, end) }));
        }
        let cell = node.cell(slot);
        let value = match cell.body {
            Body::Extent(extent) => walk::value_in_extent(pages, *tree, extent)?,
            _ => walk::value_in_page(&here.page, slot),
        };
        let whole = walk::full_key(pages, *tree, &cell)?;
        // The order of keys that differ in their extents only is not known from the page, and a tree out of order
        // would send the cursor round in circles.
        let order = whole.cmp(key);
        let in_order = match (direction, *gap) {
            (_, Gap::Start | Gap::End) => true,
            (Direction::Forward, Gap::AfterKey) => order.is_gt(),
            (Direction::Forward, Gap::BeforeKey) => order.is_ge(),
            (Direction::Backward, Gap::BeforeKey) => order.is_lt(),
            (Direction::Backward, Gap::AfterKey) => order.is_le(),
        };
        if !in_order {
            return Err(damaged(here.id, "keys are out of order"));
        }
        *key = whole;
        here.prefixed = true;
        here.slot = after;
        *gap = gap_after;
        let value = EntryValue::Whole(here.whole.insert(value));
        Ok(Some(Entry { key, value }))
    }

    fn find_leaf(&self, pages: &dyn Pages) -> Walk<Leaf> {
        match self.gap {
            Gap::Start => walk::leftmost(pages, self.tree),
            Gap::End => walk::rightmost(pages, self.tree),
            Gap::BeforeKey | Gap::AfterKey => walk::descend(pages, self.tree, &self.key),
        }
    }

    fn find_slot(&self, pages: &dyn Pages, leaf: &Leaf) -> Walk<usize> {
        let node = Node::of(&leaf.page);
        Ok(match self.gap {
            Gap::Start => 0,
            Gap::End => node.count,
            Gap::BeforeKey => search(pages, self.tree, &node, &self.key)?.unwrap_or_else(|slot| slot),
            Gap::AfterKey => {
                search(pages, self.tree, &node, &self.key)?.map_or_else(|slot| slot, |slot| slot + 1)
            }
        })
    }

    /// Moves to the neighbouring leaf that has entries; `false` if there is none.
    fn cross(&mut self, pages: &dyn Pages, direction: Direction) -> Walk<bool> {
        let mut leaf = self.find_leaf(pages)?;
        loop {
            let Some(next) = self.neighbour(pages, leaf.path, direction)? else { return Ok(false) };
            leaf = next;
            let node = Node::of(&leaf.page);
            if node.count == 0 {
                continue;
            }
            let slot = if direction == Direction::Forward { 0 } else { node.count };
            // A tree out of order would otherwise send the cursor round in circles.
            if self.key().is_some() && self.find_slot(pages, &leaf)? != slot {
                return Err(damaged(leaf.id, "keys are out of order between leaves"));
            }
            self.here = Some(Here { id: leaf.id, page: leaf.page, slot, prefixed: false, whole: None });
            self.crossed = (self.crossed + 1).min(READ_AHEAD_MAX as u32);
            return Ok(true);
        }
    }

    /// The leaf before or after the one at the end of the path.
    fn neighbour(&self, pages: &dyn Pages, mut path: Path, direction: Direction) -> Walk<Option<Leaf>> {
        loop {
            let Some(mut step) = path.pop() else { return Ok(None) };
            let page = load(pages, self.tree, step.page, None)?;
            let node = Node::of(&page);
            match direction {
                Direction::Forward if step.slot + 1 < node.count => step.slot += 1,
                Direction::Backward if step.slot > 0 => step.slot -= 1,
                _ => continue,
            }
            path.push(step);
            let child = node.child(step.slot);
            if page.header.level == 1 && !pages.is_resident(child) {
                return Err(Fault::Missing(self.read_ahead(pages, &node, step.slot, direction)));
            }
            let below = load(pages, self.tree, child, Some(page.header.level - 1))?;
            let leaf = descend_from(pages, self.tree, path, child, below, |node| {
                Ok(if direction == Direction::Forward { 0 } else { node.count - 1 })
            })?;
            return Ok(Some(leaf));
        }
    }

    /// The missing leaf at the slot, and others that the scan comes to next.
    fn read_ahead(&self, pages: &dyn Pages, node: &Node, slot: usize, direction: Direction) -> PageSet {
        // 1, 2, 4, …: as many as were crossed in the batch before, and as many again.
        let wanted = READ_AHEAD_MAX.min(1 << (self.crossed + 1).ilog2());
        let slots: Vec<usize> = match direction {
            Direction::Forward => (slot..node.count.min(slot + wanted)).collect(),
            Direction::Backward => ((slot + 1).saturating_sub(wanted)..=slot).rev().collect(),
        };
        PageSet(slots.into_iter().map(|slot| node.child(slot)).filter(|id| !pages.is_resident(*id)).collect())
    }
}

/// A cursor while nothing is written. See [`Cursor::scan`].
pub struct Scan<'a> {
    cursor: &'a mut Cursor,
    pages: &'a dyn Pages,
}

impl Scan<'_> {
    /// The next entry, if there is one.
    #[allow(clippy::should_implement_trait)] // It lends from itself, which an iterator cannot.
    pub fn next(&mut self) -> Walk<Option<Entry<'_>>> {
        self.cursor.step(self.pages, Direction::Forward)
    }

    /// The previous entry, if there is one.
    pub fn prev(&mut self) -> Walk<Option<Entry<'_>>> {
        self.cursor.step(self.pages, Direction::Backward)
    }
}

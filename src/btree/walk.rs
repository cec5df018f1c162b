//! Descents: from the root to the leaf of a key, searching in place.

use super::extent::ExtentRef;
use super::node::{Body, Cell, Node, totals};
use super::{LEVEL_MAX, Tree};
use crate::pager::{Damage, Fault, Page, PageId, PageKind, Pages, Walk};
use std::cmp::Ordering;
use std::ops::Deref;
use std::rc::Rc;

/// An interior page on the way down, and the cell that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub page: PageId,
    pub slot: usize,
}

/// The interior pages from the root down to a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    steps: [Step; LEVEL_MAX as usize],
    len: usize,
}

impl Path {
    pub fn new() -> Path {
        Path { steps: [Step { page: PageId(0), slot: 0 }; LEVEL_MAX as usize], len: 0 }
    }

    /// There is always room: pages of a higher level than [`LEVEL_MAX`] are not accepted, and levels fall by one.
    pub fn push(&mut self, step: Step) {
        self.steps[self.len] = step;
        self.len += 1;
    }

    pub fn pop(&mut self) -> Option<Step> {
        self.len = self.len.checked_sub(1)?;
        Some(self.steps[self.len])
    }
}

/// A leaf and the way to it.
pub(super) struct Leaf {
    pub path: Path,
    pub id: PageId,
    pub page: Rc<Page>,
    /// The number of applies that the root stated.
    pub applies: u64,
}

/// A page of the tree; of the given level, except for the root, which has any.
pub(super) fn load(pages: &dyn Pages, tree: Tree, id: PageId, level: Option<u8>) -> Walk<Rc<Page>> {
    let page = pages.page(id)?;
    let header = &page.header;
    let wrong = if header.tree != tree.id {
        Some("belongs to another tree")
    } else if header.kind == PageKind::Extent {
        Some("is an extent chunk instead of a node")
    } else if level.is_some_and(|level| level != header.level) {
        Some("has the wrong level")
    } else {
        None
    };
    match wrong {
        None => Ok(page),
        Some(what) => Err(damaged(id, &format!("the page {what}"))),
    }
}

pub(super) fn damaged(id: PageId, what: &str) -> Fault {
    Fault::Damaged(Damage { page: Some(id), what: what.to_string() })
}

/// The leaf where the key is or would be.
pub(super) fn descend(pages: &dyn Pages, tree: Tree, key: &[u8]) -> Walk<Leaf> {
    let page = load(pages, tree, tree.root, None)?;
    let applies = totals(&page.payload).applies;
    let leaf =
        descend_from(pages, tree, Path::new(), tree.root, page, |node| child_slot(pages, tree, node, key))?;
    Ok(Leaf { applies, ..leaf })
}

/// The first leaf.
pub(super) fn leftmost(pages: &dyn Pages, tree: Tree) -> Walk<Leaf> {
    let page = load(pages, tree, tree.root, None)?;
    let applies = totals(&page.payload).applies;
    let leaf = descend_from(pages, tree, Path::new(), tree.root, page, |_| Ok(0))?;
    Ok(Leaf { applies, ..leaf })
}

/// The last leaf.
pub(super) fn rightmost(pages: &dyn Pages, tree: Tree) -> Walk<Leaf> {
    let page = load(pages, tree, tree.root, None)?;
    descend_from(pages, tree, Path::new(), tree.root, page, |node| Ok(node.count - 1))
}

/// From a page down to a leaf, by the slots that `choose` gives.
pub(super) fn descend_from(
    pages: &dyn Pages,
    tree: Tree,
    mut path: Path,
    mut id: PageId,
    mut page: Rc<Page>,
    choose: impl Fn(&Node) -> Walk<usize>,
) -> Walk<Leaf> {
    while page.header.kind == PageKind::Interior {
        let node = Node::of(&page);
        let slot = choose(&node)?;
        path.push(Step { page: id, slot });
        id = node.child(slot);
        let below = load(pages, tree, id, Some(page.header.level - 1))?;
        page = below;
    }
    Ok(Leaf { path, id, page, applies: 0 })
}

/// Where the key is among the keyed cells: `Ok` of its cell, or `Err` of the first cell with a larger key.
/// Tries the last cell first, which makes ascending inserts cheap.
pub(super) fn search(pages: &dyn Pages, tree: Tree, node: &Node, key: &[u8]) -> Walk<Result<usize, usize>> {
    let (mut low, mut high) = (node.first_keyed, node.count);
    if low == high {
        return Ok(Err(low));
    }
    let prefix = node.prefix();
    let rest = match key[..key.len().min(prefix.len())].cmp(prefix) {
        Ordering::Less => return Ok(Err(low)),
        Ordering::Greater => return Ok(Err(high)),
        Ordering::Equal => &key[prefix.len()..],
    };
    let mut middle = high - 1;
    while low < high {
        match compare_cell(pages, tree, node, middle, rest)? {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Ok(Ok(middle)),
        }
        middle = low + (high - low) / 2;
    }
    Ok(Err(low))
}

/// The cell of an interior page that leads to the key.
pub(super) fn child_slot(pages: &dyn Pages, tree: Tree, node: &Node, key: &[u8]) -> Walk<usize> {
    Ok(match search(pages, tree, node, key)? {
        Ok(slot) => slot,
        Err(slot) => slot - 1,
    })
}

/// Compares the key of a cell with one whose part after the page's prefix is `rest`.
#[inline]
fn compare_cell(pages: &dyn Pages, tree: Tree, node: &Node, index: usize, rest: &[u8]) -> Walk<Ordering> {
    let (suffix, goes_on) = node.suffix(index);
    if !goes_on {
        return Ok(suffix.cmp(rest));
    }
    match rest[..rest.len().min(suffix.len())].cmp(suffix) {
        Ordering::Equal => {
            let extent = node.cell(index).rest.expect("the key goes on");
            match &rest[suffix.len()..] {
                [] => Ok(Ordering::Greater),
                after => extent.compare(pages, tree.id, after),
            }
        }
        order => Ok(order.reverse()),
    }
}

/// The whole key of a cell.
pub(super) fn full_key(pages: &dyn Pages, tree: Tree, cell: &Cell) -> Walk<Vec<u8>> {
    let mut key = cell.inline_key();
    if let Some(rest) = cell.rest {
        rest.read_to(pages, tree.id, &mut key)?;
    }
    Ok(key)
}

pub(super) fn get(pages: &dyn Pages, tree: Tree, key: &[u8]) -> Walk<Option<ValueBytes>> {
    let leaf = descend(pages, tree, key)?;
    let node = Node::of(&leaf.page);
    let Ok(slot) = search(pages, tree, &node, key)? else { return Ok(None) };
    if let Some((_, begin, end)) = node.plain_entry(slot) {
        return Ok(Some(ValueBytes(Bytes::Page(leaf.page, begin, end))));
    }
    match node.cell(slot).body {
        Body::Extent(extent) => Ok(Some(ValueBytes(Bytes::Owned(extent.read(pages, tree.id)?)))),
        _ => Ok(Some(value_in_page(&leaf.page, slot))),
    }
}

/// The inline value of a cell of a leaf.
pub(super) fn value_in_page(page: &Rc<Page>, slot: usize) -> ValueBytes {
    let node = Node::of(page);
    let end = node.cell_at(slot + 1);
    let begin = end - node.cell(slot).body.encoded_bytes();
    ValueBytes(Bytes::Page(page.clone(), begin, end))
}

/// The content of an extent as a value.
pub(super) fn value_in_extent(pages: &dyn Pages, tree: Tree, extent: ExtentRef) -> Walk<ValueBytes> {
    Ok(ValueBytes(Bytes::Owned(extent.read(pages, tree.id)?)))
}

/// A value: bytes of a page that it keeps, or a copy put together from an extent.
#[derive(Clone, Debug)]
pub struct ValueBytes(Bytes);

#[derive(Clone, Debug)]
enum Bytes {
    Page(Rc<Page>, usize, usize),
    Owned(Vec<u8>),
}

impl ValueBytes {
    pub(super) fn of_page(page: Rc<Page>, begin: usize, end: usize) -> ValueBytes {
        ValueBytes(Bytes::Page(page, begin, end))
    }
}

impl Deref for ValueBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Page(page, begin, end) => &page.payload[*begin..*end],
            Bytes::Owned(bytes) => bytes,
        }
    }
}

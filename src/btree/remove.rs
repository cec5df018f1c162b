//! Removing an entry: locate, then apply, with merges where a sibling is resident.
//!
//! No page outside the path is needed. An empty leaf is unlinked from its parent: the neighbour to the left then covers
//! its keys, or the one to the right where there is none to the left. The leftmost leaf stays while it carries a label.

use super::edit::{self, Separator};
use super::node::{Node, Totals, set_totals};
use super::put::{begin_apply, resident};
use super::walk::{self, Path, Step};
use super::{PAYLOAD_BYTES_MAX, Tree};
use crate::pager::{PageId, PageKind, Pages, PagesMut, Walk};

/// A page is merged with a neighbour when it is smaller than this…
const MERGE_BELOW_BYTES: usize = PAYLOAD_BYTES_MAX / 4;
/// … and both together are no larger than this, so that the next insert does not split them again.
const MERGED_BYTES_MAX: usize = PAYLOAD_BYTES_MAX / 4 * 3;

/// An entry found by [`Tree::locate_remove`]; good until the next apply to the same tree.
#[must_use = "an entry that was only located is not removed"]
pub struct Remove {
    tree: Tree,
    applies: u64,
    path: Path,
    leaf: PageId,
    at: usize,
}

impl Remove {
    pub(super) fn locate(pages: &dyn Pages, tree: Tree, key: &[u8]) -> Walk<Option<Remove>> {
        let leaf = walk::descend(pages, tree, key)?;
        let found = walk::search(pages, tree, &Node::of(&leaf.page), key)?;
        Ok(found.ok().map(|at| Remove { tree, applies: leaf.applies, path: leaf.path, leaf: leaf.id, at }))
    }

    /// Removes the entry.
    ///
    /// # Panics
    /// If the tree was changed since this was located.
    pub fn apply(self, pages: &mut impl PagesMut) {
        let mut totals = begin_apply(pages, self.tree, self.applies);
        let page = resident(pages, self.leaf);
        let cell = Node::of(&page).cell(self.at);
        totals.entries = totals.entries.saturating_sub(1);
        totals.forget_bytes(cell.key_bytes() + cell.body.value_bytes());
        for extent in [cell.rest, cell.body.extent()].into_iter().flatten() {
            totals.forget_extent();
            extent.free(pages);
        }
        drop(page);
        edit::remove(pages.page_mut(self.leaf), self.at);
        shrink(pages, self.tree, &mut totals, self.path, self.leaf);
        set_totals(&mut pages.page_mut(self.tree.root).payload, totals);
    }
}

/// Merges or unlinks a page that became small, and its ancestors as far as needed.
pub(super) fn shrink(
    pages: &mut impl PagesMut,
    tree: Tree,
    totals: &mut Totals,
    mut path: Path,
    mut id: PageId,
) {
    while let Some(parent) = path.pop() {
        let page = resident(pages, id);
        let node = Node::of(&page);
        if page.payload.len() >= MERGE_BELOW_BYTES {
            return;
        }
        let empty = node.count == 0;
        let labelled = !node.raw_label().0.is_empty();
        drop(page);
        if empty && !labelled {
            unlink(pages, totals, parent, id);
        } else if !merge_at(pages, totals, parent.page, parent.slot, empty)
            && (parent.slot == 0 || !merge_at(pages, totals, parent.page, parent.slot - 1, empty))
        {
            break;
        }
        id = parent.page;
    }
    lower_root(pages, tree);
}

/// Merges the child at the slot with the one after it, if both are resident and small enough together.
fn merge_at(
    pages: &mut impl PagesMut,
    totals: &mut Totals,
    parent_id: PageId,
    slot: usize,
    whatever_size: bool,
) -> bool {
    let parent = resident(pages, parent_id);
    let node = Node::of(&parent);
    if slot + 1 >= node.count {
        return false;
    }
    let (left_id, right_id) = (node.child(slot), node.child(slot + 1));
    if !pages.is_resident(left_id) || !pages.is_resident(right_id) {
        return false;
    }
    let (left, right) = (resident(pages, left_id), resident(pages, right_id));
    let is_child = |header: &crate::pager::Header| {
        header.tree == parent.header.tree
            && header.level + 1 == parent.header.level
            && header.kind != PageKind::Extent
    };
    if !is_child(&left.header) || !is_child(&right.header) {
        return false;
    }
    let cell = node.cell(slot + 1);
    let separator = Separator { inline: cell.inline_key(), rest: cell.rest };
    let bytes_max = if whatever_size { PAYLOAD_BYTES_MAX } else { MERGED_BYTES_MAX };
    let Some(payload) = edit::merge(&left, &right, &separator, bytes_max) else { return false };
    let leaves = left.header.kind == PageKind::Leaf;
    drop((parent, left, right));
    pages.page_mut(left_id).payload = payload;
    pages.free(right_id);
    let rest = edit::remove(pages.page_mut(parent_id), slot + 1);
    if leaves {
        free_rest(pages, totals, rest);
    }
    true
}

fn unlink(pages: &mut impl PagesMut, totals: &mut Totals, parent: Step, id: PageId) {
    pages.free(id);
    let rest = edit::remove(pages.page_mut(parent.page), parent.slot);
    free_rest(pages, totals, rest);
}

fn free_rest(pages: &mut impl PagesMut, totals: &mut Totals, rest: Option<super::extent::ExtentRef>) {
    if let Some(extent) = rest {
        totals.forget_extent();
        extent.free(pages);
    }
}

/// Takes the root's only child into it, as often as there is one, and makes a root without children a leaf.
/// The totals are set by the caller.
fn lower_root(pages: &mut impl PagesMut, tree: Tree) {
    loop {
        let root = resident(pages, tree.root);
        let node = Node::of(&root);
        if root.header.kind == PageKind::Leaf || node.count > 1 {
            return;
        }
        let (child_id, below) =
            if node.count == 0 { (None, root.header.level) } else { (Some(node.child(0)), 0) };
        drop(root);
        let Some(child_id) = child_id else {
            debug_assert!(below > 0, "only an interior root loses its children");
            let root = pages.page_mut(tree.root);
            root.header.kind = PageKind::Leaf;
            root.header.level = 0;
            root.payload = super::node::empty_payload();
            return;
        };
        if !pages.is_resident(child_id) {
            return;
        }
        let child = resident(pages, child_id);
        if child.header.tree != tree.id || child.header.kind == PageKind::Extent {
            return;
        }
        let root = pages.page_mut(tree.root);
        root.header.kind = child.header.kind;
        root.header.level = child.header.level;
        root.payload.clone_from(&child.payload);
        drop(child);
        pages.free(child_id);
    }
}

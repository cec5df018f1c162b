//! Putting an entry: locate, then apply with splits up to the root. The label is set here too, as it may split a leaf.

use super::edit::{self, Edit, Separator};
use super::extent::ExtentRef;
use super::node::{Body, Cell, Label, Node, Totals, set_totals, totals};
use super::remove;
use super::walk::{self, Path};
use super::{
    KEY_BYTES_MAX, KEY_INLINE_MAX, LABEL_INLINE_MAX, LEVEL_MAX, PAYLOAD_BYTES_MAX, Tree, VALUE_BYTES_MAX,
    VALUE_INLINE_MAX,
};
use crate::pager::{Page, PageId, PageKind, Pages, PagesMut, Walk};
use std::rc::Rc;

/// A place for an entry, found by [`Tree::locate_put`]; good until the next apply to the same tree.
#[must_use = "an entry that was only located is not put"]
pub struct Put<'a> {
    tree: Tree,
    applies: u64,
    path: Path,
    leaf: PageId,
    at: usize,
    replaces: bool,
    key: &'a [u8],
    value: &'a [u8],
    split: Option<Split>,
}

/// Where the leaf is to be split, and the whole key that then separates the halves.
struct Split {
    index: usize,
    separator: Vec<u8>,
}

impl<'a> Put<'a> {
    pub(super) fn locate(pages: &dyn Pages, tree: Tree, key: &'a [u8], value: &'a [u8]) -> Walk<Put<'a>> {
        assert!(key.len() <= KEY_BYTES_MAX, "a key of {} bytes", key.len());
        assert!(value.len() <= VALUE_BYTES_MAX, "a value of {} bytes", value.len());
        let leaf = walk::descend(pages, tree, key)?;
        let (at, replaces) = match walk::search(pages, tree, &Node::of(&leaf.page), key)? {
            Ok(at) => (at, true),
            Err(at) => (at, false),
        };
        let mut put = Put {
            tree,
            applies: leaf.applies,
            path: leaf.path,
            leaf: leaf.id,
            at,
            replaces,
            key,
            value,
            split: None,
        };
        let cell = put.cell(rest_of(key).map(|rest| ExtentRef::placeholder(rest.len())), None);
        let edit = Edit { at, cell, replaces };
        if !edit::fits(&leaf.page, &edit) {
            put.split = Some(plan_split(pages, tree, &leaf.page, Some(&edit), key)?);
        }
        Ok(put)
    }

    /// Whether there is an entry of this key already.
    pub fn replaces(&self) -> bool {
        self.replaces
    }

    /// Puts the entry.
    ///
    /// # Panics
    /// If the tree was changed since this was located.
    pub fn apply(self, pages: &mut impl PagesMut) {
        let tree = self.tree;
        let mut totals = begin_apply(pages, tree, self.applies);
        let value_extent =
            (self.value.len() > VALUE_INLINE_MAX).then(|| ExtentRef::write(pages, tree.id, self.value));
        totals.extents = totals.extents.wrapping_add(u64::from(value_extent.is_some()));
        totals.bytes = totals.bytes.wrapping_add(self.value.len() as u64);
        let rest = if self.replaces {
            let page = resident(pages, self.leaf);
            let old = Node::of(&page).cell(self.at);
            totals.forget_bytes(old.body.value_bytes());
            if let Some(extent) = old.body.extent() {
                totals.forget_extent();
                extent.free(pages);
            }
            old.rest
        } else {
            totals.entries = totals.entries.wrapping_add(1);
            totals.bytes = totals.bytes.wrapping_add(self.key.len() as u64);
            let rest = rest_of(self.key).map(|rest| ExtentRef::write(pages, tree.id, rest));
            totals.extents = totals.extents.wrapping_add(u64::from(rest.is_some()));
            rest
        };
        let edit = Edit { at: self.at, cell: self.cell(rest, value_extent), replaces: self.replaces };
        match &self.split {
            None => {
                edit::put(pages.page_mut(self.leaf), &edit);
                if self.replaces {
                    remove::shrink(pages, tree, &mut totals, self.path, self.leaf);
                }
            }
            Some(split) => split_leaf(pages, tree, &mut totals, (self.path, self.leaf), Some(&edit), split),
        }
        set_totals(&mut pages.page_mut(tree.root).payload, totals);
    }

    fn cell(&self, rest: Option<ExtentRef>, value: Option<ExtentRef>) -> Cell<'a> {
        let body = match value {
            Some(extent) => Body::Extent(extent),
            None if self.value.len() > VALUE_INLINE_MAX => {
                Body::Extent(ExtentRef::placeholder(self.value.len()))
            }
            None => Body::Inline(self.value),
        };
        Cell { prefix: &[], suffix: &self.key[..self.key.len().min(KEY_INLINE_MAX)], rest, body }
    }
}

/// The part of a key that goes into an extent.
fn rest_of(key: &[u8]) -> Option<&[u8]> {
    key.get(KEY_INLINE_MAX..).filter(|rest| !rest.is_empty())
}

/// A page that a walk of this step has seen.
pub(super) fn resident(pages: &dyn Pages, id: PageId) -> Rc<Page> {
    match pages.page(id) {
        Ok(page) => page,
        Err(_) => unreachable!("a located page stays resident until the step ends"),
    }
}

/// The tree's totals for the apply that begins. Panics if there was one since `applies` was read.
pub(super) fn begin_apply(pages: &dyn Pages, tree: Tree, applies: u64) -> Totals {
    let mut totals = totals(&resident(pages, tree.root).payload);
    assert_eq!(totals.applies, applies, "the tree was changed after the place in it was located");
    totals.applies = totals.applies.wrapping_add(1);
    totals
}

/// Chooses where to split and reads what is needed for the separator. `key` is the key of the edit.
fn plan_split(pages: &dyn Pages, tree: Tree, page: &Page, edit: Option<&Edit>, key: &[u8]) -> Walk<Split> {
    let index = edit::split_index(page, edit);
    let (left, right) = edit::keys_at_split(page, edit, index);
    let (left_inline, right_inline) = (left.inline_key(), right.inline_key());
    let common = edit::common_bytes(&left_inline, &right_inline);
    if common < right_inline.len() {
        return Ok(Split { index, separator: right_inline[..=common].to_vec() });
    }
    // Only the parts in extents tell the keys apart. That of the edit is not written yet.
    let whole = |cell: &Cell, at: usize| match edit {
        Some(edit) if edit.at == at => Ok(key.to_vec()),
        _ => walk::full_key(pages, tree, cell),
    };
    let (left, mut right) = (whole(&left, index - 1)?, whole(&right, index)?);
    right.truncate(edit::common_bytes(&left, &right) + 1);
    Ok(Split { index, separator: right })
}

fn split_leaf(
    pages: &mut impl PagesMut,
    tree: Tree,
    totals: &mut Totals,
    (path, leaf): (Path, PageId),
    edit: Option<&Edit>,
    split: &Split,
) {
    let (left, right, _) = edit::split(&resident(pages, leaf), edit, split.index);
    let rest = rest_of(&split.separator).map(|rest| ExtentRef::write(pages, tree.id, rest));
    totals.extents = totals.extents.wrapping_add(u64::from(rest.is_some()));
    let inline = split.separator[..split.separator.len().min(KEY_INLINE_MAX)].to_vec();
    grow(pages, tree, path, leaf, (left, right, Separator { inline, rest }));
}

/// Puts the halves of a split page in its place, splitting upwards as far as needed.
fn grow(
    pages: &mut impl PagesMut,
    tree: Tree,
    mut path: Path,
    mut id: PageId,
    mut halves: (Vec<u8>, Vec<u8>, Separator),
) {
    loop {
        let (left, right, separator) = halves;
        let (kind, level) = {
            let page = resident(pages, id);
            (page.header.kind, page.header.level)
        };
        let right = pages.allocate(Page::new(kind, level, tree.id, right));
        let Some(step) = path.pop() else {
            return raise_root(pages, tree, (kind, level), (left, right), &separator);
        };
        pages.page_mut(id).payload = left;
        let edit = Edit { at: step.slot + 1, cell: separator.cell(right), replaces: false };
        let parent = resident(pages, step.page);
        if edit::fits(&parent, &edit) {
            drop(parent);
            return edit::put(pages.page_mut(step.page), &edit);
        }
        let index = edit::split_index(&parent, Some(&edit));
        let (left, right, goes_up) = edit::split(&parent, Some(&edit), index);
        halves = (left, right, goes_up.expect("the parent is interior"));
        id = step.page;
    }
}

/// Makes the root, which was split, the parent of its halves. Its totals are set by the caller.
fn raise_root(
    pages: &mut impl PagesMut,
    tree: Tree,
    (kind, level): (PageKind, u8),
    (left, right): (Vec<u8>, PageId),
    separator: &Separator,
) {
    assert!(level < LEVEL_MAX, "a tree of more than {LEVEL_MAX} levels");
    let left = pages.allocate(Page::new(kind, level, tree.id, left));
    let cells = [edit::first_child(left), separator.cell(right)];
    let payload = edit::build(PageKind::Interior, (&[], false), &cells, KEY_INLINE_MAX);
    let root = pages.page_mut(tree.root);
    root.header.kind = PageKind::Interior;
    root.header.level = level + 1;
    let totals = totals(&root.payload);
    root.payload = payload;
    set_totals(&mut root.payload, totals);
}

/// See [`Tree::set_label`].
pub(super) fn set_label(pages: &mut impl PagesMut, tree: Tree, label: &[u8]) -> Walk<()> {
    assert!(label.len() <= VALUE_BYTES_MAX, "a label of {} bytes", label.len());
    let leaf = walk::leftmost(pages, tree)?;
    let node = Node::of(&leaf.page);
    let encoded = if label.len() > LABEL_INLINE_MAX { super::extent::EXTENT_REF_BYTES } else { label.len() };
    let fits = leaf.page.payload.len() - node.raw_label().0.len() + encoded <= PAYLOAD_BYTES_MAX;
    let split = if fits { None } else { Some(plan_split(pages, tree, &leaf.page, None, &[])?) };
    let old = match node.label() {
        Label::Extent(extent) => Some(extent),
        Label::Inline(_) => None,
    };
    let (path, id, applies) = (leaf.path, leaf.id, leaf.applies);
    drop(leaf.page);

    let mut totals = begin_apply(pages, tree, applies);
    let mut id = id;
    if let Some(split) = split {
        split_leaf(pages, tree, &mut totals, (path, id), None, &split);
        if id == tree.root {
            id = Node::of(&resident(pages, tree.root)).child(0);
        }
    }
    if let Some(extent) = old {
        totals.forget_extent();
        extent.free(pages);
    }
    let label = if label.len() > LABEL_INLINE_MAX {
        totals.extents = totals.extents.wrapping_add(1);
        Label::Extent(ExtentRef::write(pages, tree.id, label))
    } else {
        Label::Inline(label)
    };
    edit::set_label(pages.page_mut(id), &label);
    set_totals(&mut pages.page_mut(tree.root).payload, totals);
    Ok(())
}

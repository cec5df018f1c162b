//! The edits of a node. All are functions of the page's bytes and their arguments: put a cell, replace one, remove
//! one, split, merge, and set the head's fields.
//!
//! The prefix of a page is made as long as its first and last key allow when the page is built (by a split or merge)
//! and shortened when a key comes that does not share it. Such a key sorts before or after all others, which is what
//! makes splitting a page whose cells would grow beyond it possible: the key gets a page of its own.

use super::extent::{EXTENT_REF_BYTES, ExtentRef};
use super::node::{
    Body, CELL_HEAD_BYTES, CHILD_BYTES, Cell, HEAD_BYTES, KEY_GOES_ON, LABEL_IS_EXTENT, Label, Node,
    SLOT_BYTES, VALUE_IS_EXTENT, set_totals, totals, u16_at,
};
use super::{KEY_INLINE_MAX, PAYLOAD_BYTES_MAX};
use crate::pager::{Page, PageId, PageKind};

/// A cell put at an index, before the one there or in its place.
#[derive(Clone, Copy)]
pub(super) struct Edit<'a> {
    pub at: usize,
    pub cell: Cell<'a>,
    pub replaces: bool,
}

/// A key as an interior page holds it, on its way from one page to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Separator {
    pub inline: Vec<u8>,
    pub rest: Option<ExtentRef>,
}

impl Separator {
    pub fn cell(&self, child: PageId) -> Cell<'_> {
        Cell { prefix: &[], suffix: &self.inline, rest: self.rest, body: Body::Child(child) }
    }
}

/// A cell without a key, as the first one of an interior page.
pub(super) fn first_child(child: PageId) -> Cell<'static> {
    Cell { prefix: &[], suffix: &[], rest: None, body: Body::Child(child) }
}

/// How many first bytes two slices have in common.
pub(super) fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Whether the edit leaves the page within its size.
pub(super) fn fits(page: &Page, edit: &Edit) -> bool {
    let node = Node::of(page);
    let prefix = node.prefix().len();
    let kept = kept_prefix(&node, &edit.cell);
    let keyed = node.count - node.first_keyed.min(node.count);
    let removed =
        if edit.replaces { node.cell_at(edit.at + 1) - node.cell_at(edit.at) + SLOT_BYTES } else { 0 };
    let put = edit.cell.encoded_bytes(kept) + SLOT_BYTES;
    let size = page.payload.len() + put - removed;
    let size = if keyed == 0 { size - prefix + kept } else { size + (keyed - 1) * (prefix - kept) };
    size <= PAYLOAD_BYTES_MAX
}

/// The length of the page's prefix once the cell is in it.
fn kept_prefix(node: &Node, cell: &Cell) -> usize {
    if node.count <= node.first_keyed {
        return cell.inline_key_bytes();
    }
    let prefix = node.prefix();
    let shared = common_bytes(prefix, cell.prefix);
    if shared < cell.prefix.len() { shared } else { shared + common_bytes(&prefix[shared..], cell.suffix) }
}

/// Puts a cell. It fits.
pub(super) fn put(page: &mut Page, edit: &Edit) {
    if edit.replaces && overwrite(page, edit) {
        return;
    }
    if edit.replaces {
        let edit = *edit;
        return replace(page, &edit);
    }
    insert(page, edit.at, &edit.cell);
}

fn insert(page: &mut Page, at: usize, cell: &Cell) {
    let node = Node::of(page);
    let kept = kept_prefix(&node, cell);
    if node.count <= node.first_keyed {
        set_prefix_of_unkeyed(page, &cell.inline_key());
    } else if kept < node.prefix().len() {
        shorten_prefix(page, kept);
    }
    let node = Node::of(page);
    let (begin, slots_at, count) = (node.cell_at(at), node.slots_at, node.count);
    let offset = (begin - node.cells_at) as u16;
    let size = cell.encoded_bytes(kept);
    let payload = &mut page.payload;
    let end = payload.len();
    reserve(payload, size + SLOT_BYTES);
    payload.resize(end + size + SLOT_BYTES, 0);
    payload.copy_within(slots_at + SLOT_BYTES * at..end, slots_at + size + SLOT_BYTES * (at + 1));
    payload.copy_within(begin..slots_at + SLOT_BYTES * at, begin + size);
    encode_cell(&mut payload[begin..begin + size], cell, kept);
    let slots = &mut payload[slots_at + size..];
    slots[SLOT_BYTES * at..SLOT_BYTES * (at + 1)].copy_from_slice(&offset.to_le_bytes());
    for slot in slots[SLOT_BYTES * (at + 1)..].chunks_exact_mut(SLOT_BYTES) {
        let moved = u16_at(slot, 0) + size as u16;
        slot.copy_from_slice(&moved.to_le_bytes());
    }
    set_count(payload, count + 1);
}

/// Grows by a third at most, not by doubling: pages fill a cache that counts their bytes.
fn reserve(payload: &mut Vec<u8>, more: usize) {
    if payload.capacity() - payload.len() < more {
        let wanted = (payload.len() + more).max(payload.len() * 4 / 3).min(PAYLOAD_BYTES_MAX);
        payload.reserve_exact(wanted.saturating_sub(payload.len()).max(more));
    }
}

/// Removes a cell. Removing the first child of an interior page makes the second one the first.
/// Gives the rest of the key that is gone with it, if it went on in an extent.
pub(super) fn remove(page: &mut Page, at: usize) -> Option<ExtentRef> {
    let node = Node::of(page);
    let mut at = at;
    if node.first_keyed == 1 && at == 0 && node.count > 1 {
        let child = node.child(1);
        set_child(page, 0, child);
        at = 1;
    }
    let node = Node::of(page);
    let rest = node.cell(at).rest;
    let (begin, end, slots_at, count) = (node.cell_at(at), node.cell_at(at + 1), node.slots_at, node.count);
    let size = end - begin;
    let payload = &mut page.payload;
    for slot in payload[slots_at + SLOT_BYTES * (at + 1)..].chunks_exact_mut(SLOT_BYTES) {
        let moved = u16_at(slot, 0) - size as u16;
        slot.copy_from_slice(&moved.to_le_bytes());
    }
    let length = payload.len();
    payload.copy_within(end..slots_at + SLOT_BYTES * at, begin);
    payload.copy_within(slots_at + SLOT_BYTES * (at + 1)..length, slots_at + SLOT_BYTES * at - size);
    payload.truncate(length - size - SLOT_BYTES);
    set_count(payload, count - 1);
    let node = Node::of(page);
    if node.count <= node.first_keyed {
        set_prefix_of_unkeyed(page, &[]);
    }
    rest
}

/// Writes a value of the same size over the old one.
fn overwrite(page: &mut Page, edit: &Edit) -> bool {
    let node = Node::of(page);
    let (begin, end, prefix) = (node.cell_at(edit.at), node.cell_at(edit.at + 1), node.prefix().len());
    if edit.cell.encoded_bytes(prefix) != end - begin {
        return false;
    }
    encode_cell(&mut page.payload[begin..end], &edit.cell, prefix);
    true
}

/// Replaces a cell by one of the same key, keeping the prefix.
fn replace(page: &mut Page, edit: &Edit) {
    let node = Node::of(page);
    let (begin, end, slots_at, prefix) =
        (node.cell_at(edit.at), node.cell_at(edit.at + 1), node.slots_at, node.prefix().len());
    let (old, new) = (end - begin, edit.cell.encoded_bytes(prefix));
    let payload = &mut page.payload;
    let length = payload.len();
    if new > old {
        reserve(payload, new - old);
        payload.resize(length + new - old, 0);
    }
    payload.copy_within(end..length, begin + new);
    payload.truncate(length + new - old);
    encode_cell(&mut payload[begin..begin + new], &edit.cell, prefix);
    let slots_at = slots_at + new - old;
    for slot in payload[slots_at + SLOT_BYTES * (edit.at + 1)..].chunks_exact_mut(SLOT_BYTES) {
        let moved = usize::from(u16_at(slot, 0)) + new - old;
        slot.copy_from_slice(&(moved as u16).to_le_bytes());
    }
}

/// Sets the child of a cell of an interior page.
pub(super) fn set_child(page: &mut Page, at: usize, child: PageId) {
    let end = Node::of(page).cell_at(at + 1);
    page.payload[end - CHILD_BYTES..end].copy_from_slice(&child.0.to_le_bytes());
}

/// Sets the label. It fits.
pub(super) fn set_label(page: &mut Page, label: &Label) {
    let (encoded, flag) = match label {
        Label::Inline(bytes) => (bytes.to_vec(), 0),
        Label::Extent(extent) => (extent.encode().to_vec(), LABEL_IS_EXTENT),
    };
    let old = Node::of(page).raw_label().0.len();
    let head = encoded.len() as u16 | flag;
    page.payload.splice(HEAD_BYTES..HEAD_BYTES + old, encoded);
    page.payload[4..6].copy_from_slice(&head.to_le_bytes());
}

/// The cells as they are after the edit.
fn edited<'a>(page: &'a Page, edit: Option<&Edit<'a>>) -> Vec<Cell<'a>> {
    let mut cells: Vec<Cell> = Node::of(page).cells().collect();
    match edit {
        Some(edit) if edit.replaces => cells[edit.at] = edit.cell,
        Some(edit) => cells.insert(edit.at, edit.cell),
        None => {}
    }
    cells
}

/// Where to split a page that the edit does not fit, counted in cells after the edit: the left page gets the cells
/// before. Both halves fit. A cell that is put at the end or the beginning goes into a page of its own, so that
/// ascending and descending inserts leave full pages behind.
pub(super) fn split_index(page: &Page, edit: Option<&Edit>) -> usize {
    let node = Node::of(page);
    if let Some(edit) = edit.filter(|edit| !edit.replaces) {
        if edit.at == node.count {
            return node.count;
        }
        if edit.at == node.first_keyed {
            return 1;
        }
    }
    let prefix = node.prefix().len();
    let sizes: Vec<usize> =
        edited(page, edit).iter().map(|cell| cell.encoded_bytes(prefix) + SLOT_BYTES).collect();
    let total: usize = sizes.iter().sum();
    let mut left = sizes[0];
    let mut index = 1;
    while index + 1 < sizes.len() && left + sizes[index] / 2 < total / 2 {
        left += sizes[index];
        index += 1;
    }
    index
}

/// The payloads of the two halves after the edit, and of an interior page the key that goes up between them.
/// The left half keeps the label.
pub(super) fn split(page: &Page, edit: Option<&Edit>, index: usize) -> (Vec<u8>, Vec<u8>, Option<Separator>) {
    let node = Node::of(page);
    let mut cells = edited(page, edit);
    let left = build(page.header.kind, node.raw_label(), &cells[..index], KEY_INLINE_MAX);
    let mut goes_up = None;
    if page.header.kind == PageKind::Interior {
        let cell = cells[index];
        goes_up = Some(Separator { inline: cell.inline_key(), rest: cell.rest });
        if let Body::Child(child) = cell.body {
            cells[index] = first_child(child);
        }
    }
    let right = build(page.header.kind, (&[], false), &cells[index..], KEY_INLINE_MAX);
    (left, right, goes_up)
}

/// The two keys between which a leaf is split there: the last of the left and the first of the right half.
pub(super) fn keys_at_split<'a>(
    page: &'a Page,
    edit: Option<&Edit<'a>>,
    index: usize,
) -> (Cell<'a>, Cell<'a>) {
    let node = Node::of(page);
    let cell = |index: usize| match edit {
        Some(edit) if index == edit.at => edit.cell,
        Some(edit) if index > edit.at && !edit.replaces => node.cell(index - 1),
        _ => node.cell(index),
    };
    (cell(index - 1), cell(index))
}

/// The payload of two neighbours together, if it is no larger than `bytes_max`. `separator` is the key between them.
pub(super) fn merge(left: &Page, right: &Page, separator: &Separator, bytes_max: usize) -> Option<Vec<u8>> {
    if left.payload.len() + right.payload.len() > bytes_max + 2 * HEAD_BYTES + KEY_INLINE_MAX {
        return None;
    }
    let node = Node::of(left);
    let mut cells: Vec<Cell> = node.cells().collect();
    let begin = cells.len();
    cells.extend(Node::of(right).cells());
    if right.header.kind == PageKind::Interior {
        cells[begin] = separator.cell(Node::of(right).child(0));
    }
    let payload = build(left.header.kind, node.raw_label(), &cells, KEY_INLINE_MAX);
    (payload.len() <= bytes_max).then_some(payload)
}

/// The payload of a page with these cells, with the longest prefix up to `prefix_max`. Sets no totals.
pub(super) fn build(kind: PageKind, label: (&[u8], bool), cells: &[Cell], prefix_max: usize) -> Vec<u8> {
    let keyed = cells.get(usize::from(kind == PageKind::Interior)..).unwrap_or(&[]);
    let prefix = match keyed {
        [] => Vec::new(),
        [first, .., last] => {
            let (mut first, last) = (first.inline_key(), last.inline_key());
            first.truncate(common_bytes(&first, &last).min(prefix_max));
            first
        }
        [only] => {
            let mut key = only.inline_key();
            key.truncate(prefix_max);
            key
        }
    };
    let cells_at = HEAD_BYTES + label.0.len() + prefix.len();
    let size: usize = cells.iter().map(|cell| cell.encoded_bytes(prefix.len()) + SLOT_BYTES).sum();
    let mut payload = vec![0; cells_at + size];
    let label_head = label.0.len() as u16 | if label.1 { LABEL_IS_EXTENT } else { 0 };
    set_count(&mut payload, cells.len());
    payload[2..4].copy_from_slice(&(prefix.len() as u16).to_le_bytes());
    payload[4..6].copy_from_slice(&label_head.to_le_bytes());
    payload[HEAD_BYTES..HEAD_BYTES + label.0.len()].copy_from_slice(label.0);
    payload[HEAD_BYTES + label.0.len()..cells_at].copy_from_slice(&prefix);
    let mut at = cells_at;
    let mut slot = payload.len() - SLOT_BYTES * cells.len();
    for cell in cells {
        let size = cell.encoded_bytes(prefix.len());
        encode_cell(&mut payload[at..at + size], cell, prefix.len());
        payload[slot..slot + SLOT_BYTES].copy_from_slice(&((at - cells_at) as u16).to_le_bytes());
        at += size;
        slot += SLOT_BYTES;
    }
    payload
}

fn encode_cell(out: &mut [u8], cell: &Cell, prefix: usize) {
    // The cell without a key in an interior page has less than the prefix.
    let (first, second) = match prefix.checked_sub(cell.prefix.len()) {
        None => (&cell.prefix[prefix..], cell.suffix),
        Some(cut) => (&[][..], cell.suffix.get(cut..).unwrap_or(&[])),
    };
    let key = first.len() + second.len();
    let mut head = key as u16;
    let mut at = CELL_HEAD_BYTES;
    out[at..at + first.len()].copy_from_slice(first);
    out[at + first.len()..at + key].copy_from_slice(second);
    at += key;
    if let Some(rest) = cell.rest {
        head |= KEY_GOES_ON;
        out[at..at + EXTENT_REF_BYTES].copy_from_slice(&rest.encode());
        at += EXTENT_REF_BYTES;
    }
    match cell.body {
        Body::Inline(value) => out[at..].copy_from_slice(value),
        Body::Child(child) => out[at..].copy_from_slice(&child.0.to_le_bytes()),
        Body::Extent(extent) => {
            head |= VALUE_IS_EXTENT;
            out[at..].copy_from_slice(&extent.encode());
        }
    }
    out[..CELL_HEAD_BYTES].copy_from_slice(&head.to_le_bytes());
}

/// Sets the prefix of a page without keys: that of the first key to come, or none.
fn set_prefix_of_unkeyed(page: &mut Page, key: &[u8]) {
    let node = Node::of(page);
    let (begin, end) = (node.cells_at - node.prefix().len(), node.cells_at);
    let length = key.len() as u16;
    page.payload.splice(begin..end, key.iter().copied());
    page.payload[2..4].copy_from_slice(&length.to_le_bytes());
}

fn shorten_prefix(page: &mut Page, prefix_bytes: usize) {
    let node = Node::of(page);
    let cells: Vec<Cell> = node.cells().collect();
    let mut payload = build(page.header.kind, node.raw_label(), &cells, prefix_bytes);
    set_totals(&mut payload, totals(&page.payload));
    page.payload = payload;
}

fn set_count(payload: &mut [u8], count: usize) {
    payload[..2].copy_from_slice(&(count as u16).to_le_bytes());
}

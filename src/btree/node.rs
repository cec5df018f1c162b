//! The payload of leaves and interior pages, read in place.
//!
//! | offset | bytes | what |
//! |---:|---:|---|
//! | 0 | 2 | number of cells n |
//! | 2 | 2 | length of the prefix that all keys of the page share |
//! | 4 | 2 | length of the label; bit 15: the label is an extent and this an extent reference |
//! | 6 | 2 | 0 |
//! | 8 | 8 | root: entries of the tree |
//! | 16 | 8 | root: bytes of all keys and values |
//! | 24 | 8 | root: number of applies so far |
//! | 32 | 8 | root: extent references in the tree |
//! | 40 | … | label, prefix, cells in key order, then n slots of 2 bytes: where each cell begins, from the first on |
//!
//! A cell: 2 bytes of which bits 0–12 are the length of the key's part after the prefix, bit 15 says that the key goes
//! on in an extent and bit 14 that the value is one; then that part; the key's extent reference if any; then to the
//! end of the cell the value, its extent reference, or the child's page id (8 bytes). A key that goes on in an extent
//! has exactly `KEY_INLINE_MAX` bytes in the page.
//!
//! Cell i of an interior page leads to the keys from its own on, up to that of cell i+1; cell 0 has no key, it leads
//! to everything below cell 1. An extent reference: page id of the first chunk (8 bytes), length in bytes (4 bytes).
//! All numbers are little-endian.

use super::extent::{EXTENT_REF_BYTES, ExtentRef};
use super::{KEY_INLINE_MAX, LABEL_INLINE_MAX, LEVEL_MAX, PAYLOAD_BYTES_MAX, VALUE_INLINE_MAX};
use crate::pager::{EXTENT_CHUNK_BYTES_MAX, Page, PageId, PageKind};

pub(super) const HEAD_BYTES: usize = 40;
pub(super) const CELL_HEAD_BYTES: usize = 2;
pub(super) const SLOT_BYTES: usize = 2;
pub(super) const CHILD_BYTES: usize = 8;

pub(super) const KEY_GOES_ON: u16 = 0x8000;
pub(super) const VALUE_IS_EXTENT: u16 = 0x4000;
pub(super) const LABEL_IS_EXTENT: u16 = 0x8000;
const KEY_LENGTH: u16 = 0x1FFF;
const PAGE_ID_MAX: u64 = 1 << 53;

/// What stands in a root's head about its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Totals {
    pub entries: u64,
    pub bytes: u64,
    pub applies: u64,
    pub extents: u64,
}

/// Saturating, as a damaged root may say anything.
impl Totals {
    pub fn forget_bytes(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    pub fn forget_extent(&mut self) {
        self.extents = self.extents.saturating_sub(1);
    }
}

/// What a cell holds besides its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Body<'a> {
    Inline(&'a [u8]),
    Extent(ExtentRef),
    Child(PageId),
}

impl Body<'_> {
    pub fn encoded_bytes(&self) -> usize {
        match self {
            Body::Inline(value) => value.len(),
            Body::Extent(_) => EXTENT_REF_BYTES,
            Body::Child(_) => CHILD_BYTES,
        }
    }

    /// The length of a leaf's value, wherever it stands.
    pub fn value_bytes(&self) -> u64 {
        match self {
            Body::Inline(value) => value.len() as u64,
            Body::Extent(extent) => u64::from(extent.bytes),
            Body::Child(_) => 0,
        }
    }

    pub fn extent(&self) -> Option<ExtentRef> {
        match self {
            Body::Extent(extent) => Some(*extent),
            _ => None,
        }
    }
}

/// A cell. The part of its key that stands in the page is `prefix` and `suffix` together; where the cut is does not
/// matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell<'a> {
    pub prefix: &'a [u8],
    pub suffix: &'a [u8],
    pub rest: Option<ExtentRef>,
    pub body: Body<'a>,
}

impl Cell<'_> {
    pub fn inline_key_bytes(&self) -> usize {
        self.prefix.len() + self.suffix.len()
    }

    pub fn key_bytes(&self) -> u64 {
        self.inline_key_bytes() as u64 + self.rest.map_or(0, |rest| u64::from(rest.bytes))
    }

    pub fn inline_key(&self) -> Vec<u8> {
        [self.prefix, self.suffix].concat()
    }

    /// The size in a page whose prefix has this length, without the slot.
    pub fn encoded_bytes(&self, prefix_bytes: usize) -> usize {
        let key = self.inline_key_bytes().saturating_sub(prefix_bytes);
        let rest = if self.rest.is_some() { EXTENT_REF_BYTES } else { 0 };
        CELL_HEAD_BYTES + key + rest + self.body.encoded_bytes()
    }
}

/// The label of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Label<'a> {
    Inline(&'a [u8]),
    Extent(ExtentRef),
}

/// A payload seen as cells.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    bytes: &'a [u8],
    pub count: usize,
    /// Index of the first cell with a key: 1 in interior pages.
    pub first_keyed: usize,
    prefix_at: usize,
    pub cells_at: usize,
    pub slots_at: usize,
}

impl<'a> Node<'a> {
    pub fn of(page: &'a Page) -> Node<'a> {
        let bytes = &page.payload[..];
        let count = usize::from(u16_at(bytes, 0));
        let prefix_at = HEAD_BYTES + usize::from(u16_at(bytes, 4) & !LABEL_IS_EXTENT);
        let cells_at = prefix_at + usize::from(u16_at(bytes, 2));
        let slots_at = bytes.len() - SLOT_BYTES * count;
        let first_keyed = usize::from(page.header.kind == PageKind::Interior);
        Node { bytes, count, first_keyed, prefix_at, cells_at, slots_at }
    }

    pub fn prefix(&self) -> &'a [u8] {
        &self.bytes[self.prefix_at..self.cells_at]
    }

    /// The label as it is encoded, and whether it is an extent reference.
    pub fn raw_label(&self) -> (&'a [u8], bool) {
        (&self.bytes[HEAD_BYTES..self.prefix_at], u16_at(self.bytes, 4) & LABEL_IS_EXTENT != 0)
    }

    pub fn label(&self) -> Label<'a> {
        match self.raw_label() {
            (bytes, true) => Label::Extent(ExtentRef::decode(bytes)),
            (bytes, false) => Label::Inline(bytes),
        }
    }

    /// Where the cell begins in the payload; of `count`, where the last one ends.
    #[inline(always)]
    pub fn cell_at(&self, index: usize) -> usize {
        if index == self.count {
            return self.slots_at;
        }
        self.cells_at + usize::from(u16_at(self.bytes, self.slots_at + SLOT_BYTES * index))
    }

    /// The part of the cell's key after the prefix, and whether the key goes on in an extent.
    #[inline(always)]
    pub fn suffix(&self, index: usize) -> (&'a [u8], bool) {
        let at = self.cell_at(index);
        let head = u16_at(self.bytes, at);
        let key_at = at + CELL_HEAD_BYTES;
        (&self.bytes[key_at..key_at + usize::from(head & KEY_LENGTH)], head & KEY_GOES_ON != 0)
    }

    /// Suffix, and the place of an inline value; `None` if key or value are extents. For leaves.
    #[inline]
    pub fn plain_entry(&self, index: usize) -> Option<(&'a [u8], usize, usize)> {
        let at = self.cell_at(index);
        let head = u16_at(self.bytes, at);
        if head & (KEY_GOES_ON | VALUE_IS_EXTENT) != 0 {
            return None;
        }
        let key_at = at + CELL_HEAD_BYTES;
        let value_at = key_at + usize::from(head & KEY_LENGTH);
        Some((&self.bytes[key_at..value_at], value_at, self.cell_at(index + 1)))
    }

    pub fn cell(&self, index: usize) -> Cell<'a> {
        let (suffix, goes_on) = self.suffix(index);
        let at = self.cell_at(index);
        let mut body_at = at + CELL_HEAD_BYTES + suffix.len();
        let rest = goes_on.then(|| ExtentRef::decode(&self.bytes[body_at..]));
        if goes_on {
            body_at += EXTENT_REF_BYTES;
        }
        let body = &self.bytes[body_at..self.cell_at(index + 1)];
        let body = if self.first_keyed == 1 {
            Body::Child(PageId(u64_at(body, 0)))
        } else if u16_at(self.bytes, at) & VALUE_IS_EXTENT != 0 {
            Body::Extent(ExtentRef::decode(body))
        } else {
            Body::Inline(body)
        };
        let prefix = if index < self.first_keyed { &[] } else { self.prefix() };
        Cell { prefix, suffix, rest, body }
    }

    /// The child of a cell of an interior page.
    #[inline(always)]
    pub fn child(&self, index: usize) -> PageId {
        PageId(u64_at(self.bytes, self.cell_at(index + 1) - CHILD_BYTES))
    }

    pub fn cells(&self) -> impl DoubleEndedIterator<Item = Cell<'a>> + use<'a> {
        let node = *self;
        (0..node.count).map(move |index| node.cell(index))
    }
}

/// The payload of a leaf without entries.
pub(super) fn empty_payload() -> Vec<u8> {
    vec![0; HEAD_BYTES]
}

pub(super) fn totals(payload: &[u8]) -> Totals {
    let at = |at| u64_at(payload, at);
    Totals { entries: at(8), bytes: at(16), applies: at(24), extents: at(32) }
}

pub(super) fn set_totals(payload: &mut [u8], totals: Totals) {
    payload[8..16].copy_from_slice(&totals.entries.to_le_bytes());
    payload[16..24].copy_from_slice(&totals.bytes.to_le_bytes());
    payload[24..32].copy_from_slice(&totals.applies.to_le_bytes());
    payload[32..40].copy_from_slice(&totals.extents.to_le_bytes());
}

#[inline(always)]
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

#[inline(always)]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Checks the structure of a page of a tree once, when it is loaded, so that it can be used without further checks.
/// Says what is wrong. Where keys and children lead is not looked at (see [`super::Checker`]).
pub fn verify_page(page: &Page) -> Result<(), String> {
    let (kind, level) = (page.header.kind, page.header.level);
    match kind {
        PageKind::Extent if level != 0 => Err("an extent chunk has a level".into()),
        PageKind::Extent if page.payload.is_empty() => Err("an extent chunk is empty".into()),
        PageKind::Extent if page.payload.len() > EXTENT_CHUNK_BYTES_MAX => {
            Err("an extent chunk is too long".into())
        }
        PageKind::Extent => Ok(()),
        PageKind::Leaf if level != 0 => Err("a leaf has a level".into()),
        PageKind::Interior if level == 0 => Err("an interior page has no level".into()),
        PageKind::Interior if level > LEVEL_MAX => Err("the level is too high".into()),
        PageKind::Leaf | PageKind::Interior => verify_node(page),
    }
}

fn verify_node(page: &Page) -> Result<(), String> {
    let bytes = &page.payload[..];
    let interior = page.header.kind == PageKind::Interior;
    if bytes.len() < HEAD_BYTES || bytes.len() > PAYLOAD_BYTES_MAX {
        return Err(format!("a node of {} bytes", bytes.len()));
    }
    let (count, prefix) = (usize::from(u16_at(bytes, 0)), usize::from(u16_at(bytes, 2)));
    let label = u16_at(bytes, 4);
    let label_bytes = usize::from(label & !LABEL_IS_EXTENT);
    let label_is_extent = label & LABEL_IS_EXTENT != 0;
    if u16_at(bytes, 6) != 0 || prefix > KEY_INLINE_MAX || label_bytes > LABEL_INLINE_MAX {
        return Err("the head is out of range".into());
    }
    if HEAD_BYTES + label_bytes + prefix + SLOT_BYTES * count > bytes.len() {
        return Err("the head says more than the page holds".into());
    }
    if label_is_extent && (label_bytes != EXTENT_REF_BYTES || !extent_is_sane(&bytes[HEAD_BYTES..])) {
        return Err("the label's extent is out of range".into());
    }
    if interior && (count == 0 || label_bytes != 0) {
        return Err("an interior page without children or with a label".into());
    }
    let node = Node::of(page);
    if count == 0 && node.cells_at != node.slots_at {
        return Err("bytes that belong to no cell".into());
    }
    let mut before: Option<(&[u8], bool)> = None;
    let mut expected = node.cells_at;
    for index in 0..count {
        let (at, end) = (node.cell_at(index), node.cell_at(index + 1));
        if at != expected || end < at + CELL_HEAD_BYTES || end > node.slots_at {
            return Err(format!("cell {index} is not where it should be"));
        }
        expected = end;
        verify_cell(&bytes[at..end], prefix, interior, index)
            .map_err(|what| format!("cell {index}: {what}"))?;
        let key = node.suffix(index);
        if before.is_some_and(|before| before.0 > key.0 || (before.0 == key.0 && !key.1)) {
            return Err(format!("cell {index} is out of order"));
        }
        before = (index >= node.first_keyed).then_some(key);
    }
    Ok(())
}

fn verify_cell(cell: &[u8], prefix: usize, interior: bool, index: usize) -> Result<(), &'static str> {
    let head = u16_at(cell, 0);
    let suffix = usize::from(head & KEY_LENGTH);
    if head & !(KEY_LENGTH | KEY_GOES_ON | VALUE_IS_EXTENT) != 0 {
        return Err("unknown flags");
    }
    if interior && index == 0 && head != 0 {
        return Err("the first child has a key");
    }
    let mut body_at = CELL_HEAD_BYTES + suffix;
    let key_bytes = prefix + suffix;
    if key_bytes > KEY_INLINE_MAX {
        return Err("the key is too long");
    }
    if head & KEY_GOES_ON != 0 {
        if key_bytes != KEY_INLINE_MAX || cell.len() < body_at + EXTENT_REF_BYTES {
            return Err("the key goes on but should not");
        }
        if !extent_is_sane(&cell[body_at..]) {
            return Err("the key's extent is out of range");
        }
        body_at += EXTENT_REF_BYTES;
    }
    let Some(body) = cell.get(body_at..) else { return Err("the key is cut") };
    let is_extent = head & VALUE_IS_EXTENT != 0;
    if interior {
        if is_extent || body.len() != CHILD_BYTES || !(1..PAGE_ID_MAX).contains(&u64_at(body, 0)) {
            return Err("not a child");
        }
    } else if is_extent && (body.len() != EXTENT_REF_BYTES || !extent_is_sane(body)) {
        return Err("the value's extent is out of range");
    } else if !is_extent && body.len() > VALUE_INLINE_MAX {
        return Err("the value is too long");
    }
    Ok(())
}

fn extent_is_sane(bytes: &[u8]) -> bool {
    let extent = ExtentRef::decode(bytes);
    (1..PAGE_ID_MAX).contains(&extent.first.0)
        && (1..=super::VALUE_BYTES_MAX as u64).contains(&u64::from(extent.bytes))
}

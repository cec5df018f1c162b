//! Extents: long keys and values as chunk pages with consecutive ids.
//!
//! All chunks but the last are full, so a reference needs only the first id and the length.

use super::node::u64_at;
use crate::pager::{
    Damage, EXTENT_CHUNK_BYTES_MAX, Fault, Page, PageId, PageKind, PageSet, Pages, PagesMut, TreeId, Walk,
};
use std::cmp::Ordering;
use std::rc::Rc;

/// Size of a reference in a page.
pub(super) const EXTENT_REF_BYTES: usize = 12;

/// Where an extent is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ExtentRef {
    pub first: PageId,
    pub bytes: u32,
}

impl ExtentRef {
    /// Reads a reference from the beginning of `bytes`, which has at least [`EXTENT_REF_BYTES`].
    pub fn decode(bytes: &[u8]) -> ExtentRef {
        let length = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
        ExtentRef { first: PageId(u64_at(bytes, 0)), bytes: length }
    }

    pub fn encode(&self) -> [u8; EXTENT_REF_BYTES] {
        let mut out = [0; EXTENT_REF_BYTES];
        out[..8].copy_from_slice(&self.first.0.to_le_bytes());
        out[8..].copy_from_slice(&self.bytes.to_le_bytes());
        out
    }

    /// A reference to nothing, for sizes. Lengths are bounded by the callers (`VALUE_BYTES_MAX`).
    pub fn placeholder(bytes: usize) -> ExtentRef {
        ExtentRef { first: PageId(0), bytes: bytes as u32 }
    }

    /// Writes new chunks.
    pub fn write(pages: &mut impl PagesMut, tree: TreeId, bytes: &[u8]) -> ExtentRef {
        let chunks = bytes.chunks(EXTENT_CHUNK_BYTES_MAX);
        let chunks = chunks.map(|chunk| Page::new(PageKind::Extent, 0, tree, chunk.to_vec())).collect();
        ExtentRef { first: pages.allocate_run(chunks), bytes: bytes.len() as u32 }
    }

    /// The ids of the chunks.
    pub fn chunks(&self) -> impl Iterator<Item = PageId> + use<> {
        let count = (self.bytes as usize).div_ceil(EXTENT_CHUNK_BYTES_MAX) as u64;
        (self.first.0..self.first.0 + count).map(PageId)
    }

    /// Frees the chunks, resident or not. A damaged reference must not take away a node that is in use.
    pub fn free(&self, pages: &mut impl PagesMut) {
        for id in self.chunks() {
            let node = pages.is_resident(id)
                && pages.page(id).is_ok_and(|page| page.header.kind != PageKind::Extent);
            if !node {
                pages.free(id);
            }
        }
    }

    /// The content. Asks for all missing chunks at once.
    pub fn read(&self, pages: &dyn Pages, tree: TreeId) -> Walk<Vec<u8>> {
        let mut out = Vec::new();
        self.read_to(pages, tree, &mut out)?;
        Ok(out)
    }

    /// Appends the content to `out`; leaves it alone when chunks are missing.
    pub fn read_to(&self, pages: &dyn Pages, tree: TreeId, out: &mut Vec<u8>) -> Walk<()> {
        self.require(pages, 0)?;
        let before = out.len();
        out.reserve(self.bytes as usize);
        for index in 0..self.chunks().count() {
            match self.chunk(pages, tree, index) {
                Ok(chunk) => out.extend_from_slice(&chunk.payload),
                Err(fault) => {
                    out.truncate(before);
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    /// Compares the content with `other`. Asks for the first chunk, and for all others only if that one ties.
    pub fn compare(&self, pages: &dyn Pages, tree: TreeId, other: &[u8]) -> Walk<Ordering> {
        let mut left = other;
        for index in 0..self.chunks().count() {
            if index == 1 {
                self.require(pages, 1)?;
            }
            let chunk = self.chunk(pages, tree, index)?;
            let (here, after) = left.split_at(left.len().min(chunk.payload.len()));
            let order = chunk.payload[..].cmp(here);
            if order != Ordering::Equal {
                return Ok(order);
            }
            left = after;
        }
        Ok(if left.is_empty() { Ordering::Equal } else { Ordering::Less })
    }

    /// One chunk, checked.
    pub fn chunk(&self, pages: &dyn Pages, tree: TreeId, index: usize) -> Walk<Rc<Page>> {
        let id = PageId(self.first.0 + index as u64);
        let page = pages.page(id)?;
        let expected = (self.bytes as usize - index * EXTENT_CHUNK_BYTES_MAX).min(EXTENT_CHUNK_BYTES_MAX);
        let header = &page.header;
        if header.kind != PageKind::Extent || header.tree != tree || page.payload.len() != expected {
            let what = "not the chunk of an extent that it should be".to_string();
            return Err(Fault::Damaged(Damage { page: Some(id), what }));
        }
        Ok(page)
    }

    fn require(&self, pages: &dyn Pages, from: usize) -> Walk<()> {
        let missing: Vec<PageId> = self.chunks().skip(from).filter(|id| !pages.is_resident(*id)).collect();
        if missing.is_empty() { Ok(()) } else { Err(Fault::Missing(PageSet(missing))) }
    }
}

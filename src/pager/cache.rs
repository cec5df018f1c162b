//! The cache of committed pages: bounded in bytes, second chance, pages of a running step kept.
//!
//! Invariants
//! 1. Every page here is exact at the pager's commit number.
//! 2. A pinned page is never given back; pins belong to a task and end when its step succeeds.
//! 3. The limit may be passed by what is pinned, and by nothing else.

use super::{Page, PageId, PageKind};
use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// A hasher with a fixed key for ids: one multiplication. Iteration order never reaches a reply.
#[derive(Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// A map keyed by ids, with a fixed hasher.
pub type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

struct Slot {
    id: PageId,
    page: Rc<Page>,
    /// How many times the hand passes the page by; set on use.
    chances: Cell<u8>,
    pins: u32,
}

/// Interior pages are few and on every path: the hand passes them by so many times after their last use.
const CHANCES_INTERIOR: u8 = 8;
const CHANCES_LEAF: u8 = 1;

/// The committed pages in memory.
pub struct Cache {
    slots: Vec<Slot>,
    places: IdMap<PageId, usize>,
    bytes: usize,
    bytes_max: usize,
    hand: usize,
}

impl Cache {
    /// A cache that holds about `bytes_max` bytes of pages.
    pub fn new(bytes_max: usize) -> Cache {
        Cache { slots: Vec::new(), places: IdMap::default(), bytes: 0, bytes_max, hand: 0 }
    }

    /// Bytes of pages held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of pages held.
    pub fn pages(&self) -> usize {
        self.slots.len()
    }

    /// The page, counting as a use.
    pub fn get(&self, id: PageId) -> Option<&Rc<Page>> {
        let slot = &self.slots[*self.places.get(&id)?];
        let interior = slot.page.header.kind == PageKind::Interior;
        slot.chances.set(if interior { CHANCES_INTERIOR } else { CHANCES_LEAF });
        Some(&slot.page)
    }

    /// Whether the page is here. Not a use.
    pub fn contains(&self, id: PageId) -> bool {
        self.places.contains_key(&id)
    }

    /// Takes a page in, in place of what was there. Nothing is given back before [`Cache::shrink`].
    pub fn insert(&mut self, id: PageId, page: Rc<Page>) {
        self.bytes += page.size();
        if let Some(&place) = self.places.get(&id) {
            self.bytes -= self.slots[place].page.size();
            self.slots[place].page = page;
            self.slots[place].chances.set(CHANCES_LEAF);
            return;
        }
        self.places.insert(id, self.slots.len());
        self.slots.push(Slot { id, page, chances: Cell::new(CHANCES_LEAF), pins: 0 });
    }

    /// Takes a page out.
    pub fn remove(&mut self, id: PageId) {
        let Some(place) = self.places.remove(&id) else { return };
        let slot = self.slots.swap_remove(place);
        self.bytes -= slot.page.size();
        if let Some(moved) = self.slots.get(place) {
            self.places.insert(moved.id, place);
        }
    }

    /// Keeps a page until [`Cache::unpin`]. Gives whether it is here.
    pub fn pin(&mut self, id: PageId) -> bool {
        let Some(&place) = self.places.get(&id) else { return false };
        self.slots[place].pins += 1;
        true
    }

    /// Ends one pin. A page that was taken out meanwhile has none.
    pub fn unpin(&mut self, id: PageId) {
        if let Some(&place) = self.places.get(&id) {
            let slot = &mut self.slots[place];
            slot.pins = slot.pins.saturating_sub(1);
        }
    }

    /// Gives pages back until the limit holds, or only pinned ones are left.
    pub fn shrink(&mut self) {
        let mut passes = 0;
        while self.bytes > self.bytes_max && passes <= self.slots.len() * (CHANCES_INTERIOR as usize + 1) {
            passes += 1;
            if self.hand >= self.slots.len() {
                self.hand = 0;
            }
            let Some(slot) = self.slots.get(self.hand) else { return };
            if slot.pins > 0 {
                self.hand += 1;
            } else if slot.chances.get() > 0 {
                slot.chances.set(slot.chances.get() - 1);
                self.hand += 1;
            } else {
                let id = slot.id;
                self.remove(id);
                passes = 0;
            }
        }
    }

    /// Gives back every page that is not pinned and for which `keep` says no. For the residency modes of tests.
    pub fn evict_unless(&mut self, mut keep: impl FnMut(PageId) -> bool) {
        let mut ids: Vec<PageId> = self.slots.iter().filter(|s| s.pins == 0).map(|s| s.id).collect();
        crate::sorted::sort(&mut ids);
        for id in ids {
            if !keep(id) {
                self.remove(id);
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.places.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::TreeId;
    use super::*;

    fn page(kind: PageKind, bytes: usize) -> Rc<Page> {
        Rc::new(Page::new(kind, 0, TreeId(1), vec![0; bytes]))
    }

    #[test]
    fn stays_under_the_limit_and_keeps_interior_and_pinned_pages() {
        let mut cache = Cache::new(100_000);
        cache.insert(PageId(1), page(PageKind::Interior, 10_000));
        cache.insert(PageId(2), page(PageKind::Leaf, 10_000));
        assert!(cache.pin(PageId(2)));
        for id in 3..200 {
            cache.get(PageId(1));
            cache.insert(PageId(id), page(PageKind::Leaf, 10_000));
            cache.shrink();
            assert!(cache.bytes() <= 100_000);
            assert!(cache.contains(PageId(1)), "the interior page is in use");
            assert!(cache.contains(PageId(2)), "the leaf is pinned");
        }
        cache.unpin(PageId(2));
        for id in 200..220 {
            cache.insert(PageId(id), page(PageKind::Leaf, 10_000));
            cache.shrink();
        }
        assert!(!cache.contains(PageId(2)));
        let counted: usize = cache.slots.iter().map(|slot| slot.page.size()).sum();
        assert_eq!(counted, cache.bytes());
    }
}

//! What readers and writers see of the pager.
//!
//! Readers see committed pages. Writers see the set that gathers, over the attempt in flight, over the committed pages.

use super::meta::Roots;
use super::state::Pager;
use super::write_set::Change;
use super::{Damage, Fault, Page, PageId, PageSet, Pages, PagesMut, TreeId, Walk};
use std::rc::Rc;

/// Committed pages.
#[derive(Clone, Copy)]
pub struct ReadView<'a> {
    pager: &'a Pager,
}

impl<'a> ReadView<'a> {
    pub(super) fn of(pager: &'a Pager) -> ReadView<'a> {
        ReadView { pager }
    }
}

impl Pages for ReadView<'_> {
    fn page(&self, id: PageId) -> Walk<Rc<Page>> {
        match self.pager.committed.get(id) {
            Some(page) => Ok(Rc::clone(page)),
            None => Err(Fault::Missing(PageSet::one(id))),
        }
    }

    fn is_resident(&self, id: PageId) -> bool {
        self.pager.committed.contains(id)
    }
}

/// The set that gathers over the attempt in flight over the committed pages.
pub struct WriteView<'a> {
    pager: &'a mut Pager,
}

impl<'a> WriteView<'a> {
    pub(super) fn of(pager: &'a mut Pager) -> WriteView<'a> {
        WriteView { pager }
    }

    fn change(&self, id: PageId) -> Option<&Change> {
        let inflight = || self.pager.inflight.as_ref().and_then(|attempt| attempt.changes.get(&id));
        self.pager.next.changes.get(&id).or_else(inflight)
    }

    /// The roots of the set that gathers.
    pub fn roots(&self) -> &Roots {
        &self.pager.next.roots
    }

    /// The roots of the set that gathers, to be changed.
    pub fn roots_mut(&mut self) -> &mut Roots {
        &mut self.pager.next.roots
    }

    /// Takes the next record id.
    pub fn allocate_record(&mut self) -> u64 {
        let id = self.pager.next.roots.next_record;
        self.pager.next.roots.next_record = id + 1;
        id
    }

    /// Takes the next tree id.
    pub fn allocate_tree(&mut self) -> TreeId {
        let id = self.pager.next.roots.next_tree;
        self.pager.next.roots.next_tree = TreeId(id.0 + 1);
        id
    }
}

impl Pages for WriteView<'_> {
    fn page(&self, id: PageId) -> Walk<Rc<Page>> {
        match self.change(id) {
            Some(Change::Put(page)) => Ok(Rc::clone(page)),
            Some(Change::Deleted) => {
                let what = "a page that was removed is still referred to".to_string();
                Err(Fault::Damaged(Damage { page: Some(id), what }))
            }
            None => self.pager.reader().page(id),
        }
    }

    fn is_resident(&self, id: PageId) -> bool {
        match self.change(id) {
            Some(Change::Put(_)) => true,
            Some(Change::Deleted) => false,
            None => self.pager.committed.contains(id),
        }
    }
}

impl PagesMut for WriteView<'_> {
    fn page_mut(&mut self, id: PageId) -> &mut Page {
        self.pager.next.mutations += 1;
        if !matches!(self.pager.next.changes.get(&id), Some(Change::Put(_))) {
            let page = match self.page(id) {
                Ok(page) => page,
                Err(Fault::Missing(_)) => unreachable!("page {} was located and is not resident", id.0),
                Err(Fault::Damaged(damage)) => unreachable!("page {} was located: {}", id.0, damage.what),
            };
            self.pager.next.changes.insert(id, Change::Put(page));
        }
        match self.pager.next.changes.get_mut(&id) {
            Some(Change::Put(page)) => Rc::make_mut(page),
            _ => unreachable!("it was just put there"),
        }
    }

    fn allocate(&mut self, page: Page) -> PageId {
        self.allocate_run(vec![page])
    }

    fn allocate_run(&mut self, pages: Vec<Page>) -> PageId {
        self.pager.next.mutations += 1;
        let first = self.pager.next.roots.next_page;
        self.pager.next.roots.next_page = PageId(first.0 + pages.len() as u64);
        for (offset, page) in pages.into_iter().enumerate() {
            self.pager.next.changes.insert(PageId(first.0 + offset as u64), Change::Put(Rc::new(page)));
        }
        first
    }

    fn free(&mut self, id: PageId) {
        self.pager.next.mutations += 1;
        self.pager.next.changes.insert(id, Change::Deleted);
    }
}

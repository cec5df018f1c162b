//! What the benchmarks share: documents, and pages in a vector, all resident, so that only the code above them is measured.

pub mod documents;
pub mod processor_time;

use pandodb::pager::{Fault, Page, PageId, PageSet, Pages, PagesMut, Walk};
use std::rc::Rc;

/// Pages in memory by id.
#[derive(Default)]
pub struct VecPages(Vec<Option<Rc<Page>>>);

impl VecPages {
    /// Number and bytes of the pages, headers included.
    pub fn size(&self) -> (usize, usize) {
        let pages = self.0.iter().flatten();
        (pages.clone().count(), pages.map(|page| page.size()).sum())
    }
}

impl Pages for VecPages {
    fn page(&self, id: PageId) -> Walk<Rc<Page>> {
        match self.0.get(id.0 as usize - 1) {
            Some(Some(page)) => Ok(page.clone()),
            _ => Err(Fault::Missing(PageSet::one(id))),
        }
    }

    fn is_resident(&self, id: PageId) -> bool {
        matches!(self.0.get(id.0 as usize - 1), Some(Some(_)))
    }
}

impl PagesMut for VecPages {
    fn page_mut(&mut self, id: PageId) -> &mut Page {
        Rc::make_mut(self.0[id.0 as usize - 1].as_mut().expect("the page exists"))
    }

    fn allocate(&mut self, page: Page) -> PageId {
        self.0.push(Some(Rc::new(page)));
        PageId(self.0.len() as u64)
    }

    fn allocate_run(&mut self, pages: Vec<Page>) -> PageId {
        let first = PageId(self.0.len() as u64 + 1);
        for page in pages {
            self.allocate(page);
        }
        first
    }

    fn free(&mut self, id: PageId) {
        self.0[id.0 as usize - 1] = None;
    }
}

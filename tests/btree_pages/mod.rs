//! Pages in memory for tests, which may pretend not to have them.
#![allow(dead_code)] // Each test file uses a part.

use pandodb::btree::verify_page;
use pandodb::pager::{CommitNumber, Damage, Fault, Page, PageId, PageSet, Pages, PagesMut, Walk};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Which pages are resident between two operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Residency {
    All,
    /// None: every operation loads all it needs.
    None,
    Random,
    /// Those that were loaded since.
    Loaded,
}

pub struct TestPages {
    pages: BTreeMap<PageId, Rc<Page>>,
    resident: BTreeSet<PageId>,
    residency: Residency,
    next: u64,
    random: fastrand::Rng,
    loads: usize,
    tolerant: bool,
}

impl TestPages {
    pub fn new(residency: Residency, seed: u64) -> TestPages {
        TestPages {
            pages: BTreeMap::new(),
            resident: BTreeSet::new(),
            residency,
            next: 1,
            random: fastrand::Rng::with_seed(seed),
            loads: 0,
            tolerant: false,
        }
    }

    /// Runs a walk, loading what it misses, until it ends.
    pub fn retry<T>(&mut self, mut walk: impl FnMut(&TestPages) -> Walk<T>) -> T {
        self.retry_mut(|pages| walk(pages))
    }

    /// The same for a walk that ends with a change.
    pub fn retry_mut<T>(&mut self, mut walk: impl FnMut(&mut TestPages) -> Walk<T>) -> T {
        loop {
            match walk(self) {
                Ok(value) => return value,
                Err(fault) => {
                    self.load(&fault);
                }
            }
        }
    }

    /// Loads what is missing; gives the number of pages.
    pub fn load(&mut self, fault: &Fault) -> usize {
        let Fault::Missing(set) = fault else { panic!("{fault:?}") };
        assert!(!set.0.is_empty());
        for id in &set.0 {
            assert!(self.pages.contains_key(id), "{id:?} does not exist");
            assert!(self.resident.insert(*id), "{id:?} was resident");
        }
        self.loads += set.0.len();
        set.0.len()
    }

    /// Lets pages be freed that do not exist: a damaged tree refers to anything.
    pub fn tolerate_damage(&mut self) {
        self.tolerant = true;
    }

    pub fn loads(&self) -> usize {
        self.loads
    }

    /// Evicts between operations.
    pub fn forget(&mut self) {
        match self.residency {
            Residency::All | Residency::Loaded => {}
            Residency::None => self.resident.clear(),
            Residency::Random => {
                let random = &mut self.random;
                self.resident.retain(|_| random.bool());
            }
        }
    }

    /// The same pages as after closing and opening: by way of their stored form.
    pub fn reopened(&self) -> TestPages {
        let mut pages = TestPages::new(self.residency, self.next);
        pages.next = self.next;
        pages.tolerant = self.tolerant;
        for (id, image) in self.images() {
            let page = Page::decode(id, &image).expect("a sound page");
            assert_eq!(verify_page(&page), Ok(()));
            pages.pages.insert(id, Rc::new(page));
        }
        if self.residency == Residency::All {
            pages.resident = pages.pages.keys().copied().collect();
        }
        pages
    }

    pub fn with_residency(&self, residency: Residency) -> TestPages {
        let mut pages = self.reopened();
        pages.residency = residency;
        pages.resident.clear();
        pages
    }

    pub fn ids(&self) -> Vec<PageId> {
        self.pages.keys().copied().collect()
    }

    pub fn images(&self) -> Vec<(PageId, Vec<u8>)> {
        self.pages.iter().map(|(id, page)| (*id, page.encode(*id, CommitNumber(1)))).collect()
    }

    /// Puts a page in the place of another, for damage.
    pub fn replace(&mut self, id: PageId, page: Page) {
        self.pages.insert(id, Rc::new(page));
    }
}

impl Pages for TestPages {
    fn page(&self, id: PageId) -> Walk<Rc<Page>> {
        match self.pages.get(&id) {
            None => Err(Fault::Damaged(Damage { page: Some(id), what: "the page is lost".into() })),
            Some(page) if self.resident.contains(&id) => Ok(page.clone()),
            Some(_) => Err(Fault::Missing(PageSet::one(id))),
        }
    }

    fn is_resident(&self, id: PageId) -> bool {
        self.resident.contains(&id)
    }
}

impl PagesMut for TestPages {
    fn page_mut(&mut self, id: PageId) -> &mut Page {
        assert!(self.resident.contains(&id), "{id:?} is changed but not resident");
        Rc::make_mut(self.pages.get_mut(&id).expect("the page exists"))
    }

    fn allocate(&mut self, page: Page) -> PageId {
        self.allocate_run(vec![page])
    }

    fn allocate_run(&mut self, pages: Vec<Page>) -> PageId {
        let first = PageId(self.next);
        for page in pages {
            let id = PageId(self.next);
            self.pages.insert(id, Rc::new(page));
            self.resident.insert(id);
            self.next += 1;
        }
        first
    }

    fn free(&mut self, id: PageId) {
        let existed = self.pages.remove(&id).is_some();
        assert!(existed || self.tolerant, "{id:?} is freed twice");
        self.resident.remove(&id);
    }
}

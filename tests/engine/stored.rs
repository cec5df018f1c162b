//! What is in a store, read without an engine: the whole database checked, and dumped for comparison.

use pandodb::bson::RawDoc;
use pandodb::btree::{Checker, Cursor, Report, Tree};
use pandodb::catalog::{self, CatalogCache, Collection};
use pandodb::pager::state::Pager;
use pandodb::pager::{CommitNumber, Fault, Page, PageId, PageSet, Pages, Walk};
use pandodb::records::{self, IndexKey, RecordId, index_keys};
use pandodb::store::ReadRequest;
use pandodb::store::data::Data;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// All pages of a store, decoded.
pub struct Stored {
    pages: BTreeMap<PageId, Rc<Page>>,
    pager: Pager,
}

impl Pages for Stored {
    fn page(&self, id: PageId) -> Walk<Rc<Page>> {
        self.pages.get(&id).cloned().ok_or_else(|| Fault::Missing(PageSet::one(id)))
    }

    fn is_resident(&self, id: PageId) -> bool {
        self.pages.contains_key(&id)
    }
}

/// A collection as a user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    pub documents: Vec<Vec<u8>>,
    pub indexes: Vec<Vec<u8>>,
}

impl Stored {
    /// Reads everything. Panics at damage.
    pub fn read(data: &Data) -> Stored {
        let head = ReadRequest { metas: true, records_after: Some(CommitNumber(0)), pages: Vec::new() };
        let pager = Pager::open(&data.read(&head), 1 << 30, 1).expect("the store can be opened");
        let ids: Vec<PageId> = data.page_ids().collect();
        let all = ReadRequest { pages: ids, ..ReadRequest::default() };
        let decode = |(id, bytes): (PageId, Option<Vec<u8>>)| {
            let page = Page::decode(id, &bytes.expect("it was listed")).expect("the page is whole");
            assert!(page.header.commit <= pager.number(), "page {} is of a later commit", id.0);
            (id, Rc::new(page))
        };
        let pages = data.read(&all).pages.into_iter().map(decode).collect();
        Stored { pages, pager }
    }

    /// The collections by name.
    pub fn collections(&self) -> Vec<Rc<Collection>> {
        let root = self.pager.roots().catalog;
        let names = catalog::names_after(self, root, None, None, usize::MAX).expect("the catalog is whole");
        let mut cache = CatalogCache::default();
        let read =
            |name| cache.collection(self, root, name).expect("the entry is whole").expect("it was listed");
        names.iter().map(read).collect()
    }

    /// What a user sees.
    pub fn dump(&self) -> BTreeMap<String, Dump> {
        let dump = |collection: Rc<Collection>| {
            let documents = self.entries(collection.records).into_iter().map(|(_, doc)| doc).collect();
            let indexes = collection.indexes.iter().map(|index| index.spec.clone()).collect();
            (collection.namespace.full(), Dump { documents, indexes })
        };
        self.collections().into_iter().map(dump).collect()
    }

    fn entries(&self, tree: Tree) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut cursor = Cursor::new(tree);
        let mut entries = Vec::new();
        while let Some(entry) = cursor.next(self).expect("all pages are here") {
            entries.push((entry.key.to_vec(), entry.value().to_vec()));
        }
        entries
    }

    /// Checks every tree, that every page belongs to exactly one, and that index entries and documents agree.
    pub fn check(&self) {
        let mut reached = BTreeSet::new();
        let mut reach = |tree: Tree| {
            let report: Report = Checker::new(tree).run(self).expect("no page is missing");
            assert!(report.damages.is_empty(), "{:?}", report.damages);
            for page in report.reached {
                assert!(reached.insert(page), "page {} is in two trees", page.0);
            }
            report.stats.entries
        };
        if let Some((id, root)) = self.pager.roots().catalog {
            reach(Tree { id, root });
        }
        for collection in self.collections() {
            let count = reach(collection.records);
            for index in &collection.indexes {
                reach(index.tree);
            }
            self.check_entries(&collection, count);
        }
        for tree in self.garbage() {
            reach(tree);
        }
        let stored: BTreeSet<PageId> = self.pages.keys().copied().collect();
        assert_eq!(stored, reached, "pages that no tree reaches, or that are not there");
    }

    fn garbage(&self) -> Vec<Tree> {
        let root = self.pager.roots().catalog;
        catalog::garbage::all(self, root).expect("the catalog is whole").into_iter().map(|g| g.tree).collect()
    }

    fn check_entries(&self, collection: &Collection, count: u64) {
        let documents = self.entries(collection.records);
        assert_eq!(documents.len() as u64, count);
        for index in &collection.indexes {
            let mut expected = BTreeSet::new();
            for (key, bytes) in &documents {
                let record = RecordId::from_key(key).expect("a record key");
                let found =
                    index_keys(index, RawDoc::from_validated(bytes)).expect("the document was stored");
                let mut multikey = index.multikey.clone();
                assert!(!multikey.merge(&found.multikey), "{}: an array is not noted", index.name);
                expected.extend(found.keys.into_iter().map(|key| (key, record)));
            }
            let mut actual = BTreeSet::new();
            for (mut key, value) in self.entries(index.tree) {
                let record = records::record_of_entry(index.unique, &key, &value).expect("an index entry");
                if !index.unique {
                    key.truncate(key.len() - 8);
                }
                let bits = records::bits_of_entry(index.unique, &value).to_vec();
                actual.insert((IndexKey { key, bits }, record));
            }
            assert_eq!(expected, actual, "entries of {}", index.name);
        }
    }
}

//! The catalog: which collections and indexes there are, and where their trees are.
//!
//! One tree for the whole database. Its keys:
//! - `c` database NUL collection: a BSON entry of the collection (`entry.rs`);
//! - `g` tree id (8 bytes, big-endian): a tree that nothing refers to any more, or not yet, to be freed (`garbage.rs`).
//!
//! Invariants
//! 1. An entry never changes because a tree grew: roots keep their page ids.
//! 2. An index is in its collection's entry only when it is complete.
//! 3. A tree is in an entry, or in the garbage, from the commit on that made it. Both change in one commit.
//!
//! Databases are implied by their collections, as in MongoDB.

mod entry;
pub mod garbage;
mod namespace;

pub use entry::{Collection, Index, IndexField};
pub use namespace::{Namespace, check_database};

use crate::btree::{Cursor, Tree};
use crate::error::{Code, Error};
use crate::pager::state::Pager;
use crate::pager::views::WriteView;
use crate::pager::{CommitNumber, PageId, Pages, TreeId, Walk};
use crate::sorted::SortedMap;
use crate::step::Step;
use std::rc::Rc;

/// Parsed entries. Each is kept with the bytes it was parsed from, and used only while the tree still has these bytes:
/// so one cache serves committed and changed pages alike, and nothing has to be told of a change.
#[derive(Default)]
pub struct CatalogCache {
    entries: SortedMap<Namespace, Known>,
}

struct Known {
    bytes: Vec<u8>,
    collection: Rc<Collection>,
    /// The last commit in which the entry was seen to be this: of one commit it need not be looked up again.
    seen_at: Option<CommitNumber>,
}

/// How many parsed entries are kept.
const ENTRIES_MAX: usize = 256;

impl CatalogCache {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The collection of a name, as the committed pages have it.
    pub fn committed_collection(
        &mut self,
        pager: &Pager,
        namespace: &Namespace,
    ) -> Step<Option<Rc<Collection>>> {
        let number = pager.number();
        if let Some(known) = self.entries.get(namespace)
            && known.seen_at == Some(number)
        {
            return Ok(Some(Rc::clone(&known.collection)));
        }
        let found = self.collection(&pager.reader(), pager.roots().catalog, namespace)?;
        if let Some(known) = self.entries.get_mut(namespace).filter(|_| found.is_some()) {
            known.seen_at = Some(number);
        }
        Ok(found)
    }

    /// The collection of a name, as these pages have it.
    pub fn collection(
        &mut self,
        pages: &dyn Pages,
        catalog: Option<(TreeId, PageId)>,
        namespace: &Namespace,
    ) -> Step<Option<Rc<Collection>>> {
        let Some(tree) = tree_of(catalog) else { return Ok(None) };
        let Some(bytes) = tree.get(pages, &namespace.key())? else { return Ok(None) };
        if let Some(known) = self.entries.get(namespace)
            && known.bytes.as_slice() == &bytes[..]
        {
            return Ok(Some(Rc::clone(&known.collection)));
        }
        let collection = Rc::new(read_entry(namespace.clone(), &bytes)?);
        if self.entries.len() >= ENTRIES_MAX {
            self.entries.clear();
        }
        let known = Known { bytes: bytes.to_vec(), collection: Rc::clone(&collection), seen_at: None };
        self.entries.insert(namespace.clone(), known);
        Ok(Some(collection))
    }
}

fn tree_of(catalog: Option<(TreeId, PageId)>) -> Option<Tree> {
    catalog.map(|(id, root)| Tree { id, root })
}

fn read_entry(namespace: Namespace, bytes: &[u8]) -> Step<Collection> {
    let full = namespace.full();
    Ok(Collection::decode(namespace, bytes).ok_or_else(|| {
        Error::new(Code::DataCorruptionDetected, format!("the catalog's entry of {full} cannot be read"))
    })?)
}

/// The catalog's tree in the set that gathers, made if there is none yet.
fn tree_for_write(view: &mut WriteView<'_>) -> Tree {
    if let Some(tree) = tree_of(view.roots().catalog) {
        return tree;
    }
    let id = view.allocate_tree();
    let tree = Tree::create(view, id);
    view.roots_mut().catalog = Some((tree.id, tree.root));
    tree
}

/// Walks to where a collection's entry is or would be, so that [`put`] misses no page of the catalog afterwards.
pub fn locate(view: &WriteView<'_>, namespace: &Namespace) -> Walk<()> {
    if let Some(tree) = tree_of(view.roots().catalog) {
        tree.contains(view, &namespace.key())?;
    }
    Ok(())
}

/// Makes or changes a collection's entry, and its copy in the first leaf of its records, from which a salvage learns
/// what the leaves belong to. Changes nothing when it stops.
pub fn put(view: &mut WriteView<'_>, collection: &Collection) -> Walk<()> {
    let tree = tree_for_write(view);
    let bytes = collection.encode();
    let key = collection.namespace.key();
    let put = tree.locate_put(view, &key, &bytes)?;
    collection.records.set_label(view, &bytes)?;
    put.apply(view);
    Ok(())
}

/// Removes a collection's entry; its trees become garbage. Changes nothing when it stops.
pub fn remove(view: &mut WriteView<'_>, collection: &Collection) -> Walk<()> {
    let tree = tree_for_write(view);
    // These walks bring in every page that the changes below touch, so that none of them stops half way.
    garbage::locate_all(view, tree)?;
    let key = collection.namespace.key();
    if tree.locate_remove(view, &key)?.is_none() {
        return Ok(());
    }
    for dead in collection.trees() {
        garbage::put(view, tree, dead, 0)?;
    }
    tree.remove(view, &key)?;
    Ok(())
}

/// The names of all collections, or of one database's, in order, after `after`, at most `count_max` of them.
pub fn names_after(
    pages: &dyn Pages,
    catalog: Option<(TreeId, PageId)>,
    database: Option<&str>,
    after: Option<&Namespace>,
    count_max: usize,
) -> Walk<Vec<Namespace>> {
    let Some(tree) = tree_of(catalog) else { return Ok(Vec::new()) };
    let prefix = database.map_or_else(|| b"c".to_vec(), Namespace::database_prefix);
    let mut names = Vec::new();
    let mut cursor = Cursor::new(tree);
    match after {
        Some(name) => cursor.seek_after(&name.key()),
        None => cursor.seek_before(&prefix),
    }
    while names.len() < count_max {
        let Some(entry) = cursor.next(pages)? else { break };
        if !entry.key.starts_with(&prefix) {
            break;
        }
        match Namespace::from_key(entry.key) {
            Some(name) => names.push(name),
            None => break,
        }
    }
    Ok(names)
}

/// The names of all databases, in order.
pub fn databases(pages: &dyn Pages, catalog: Option<(TreeId, PageId)>) -> Walk<Vec<String>> {
    let Some(tree) = tree_of(catalog) else { return Ok(Vec::new()) };
    let mut names: Vec<String> = Vec::new();
    let mut cursor = Cursor::new(tree);
    cursor.seek_before(b"c");
    while let Some(entry) = cursor.next(pages)? {
        let Some(namespace) = Namespace::from_key(entry.key) else { break };
        // Over the database's other collections at once: 1 is above the 0 that ends its name.
        let mut beyond = Namespace::database_prefix(&namespace.database);
        beyond.pop();
        beyond.push(1);
        cursor.seek_before(&beyond);
        names.push(namespace.database);
    }
    Ok(names)
}

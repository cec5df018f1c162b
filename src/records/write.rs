//! One document's write: checks first, then entry by entry.

use super::{RecordId, index_keys};
use crate::bson::RawDoc;
use crate::bson::path::KeyError;
use crate::btree::Tree;
use crate::catalog::{self, Collection};
use crate::pager::Walk;
use crate::pager::views::WriteView;

/// A key that a unique index has already.
#[derive(Clone, Debug)]
pub struct Duplicate {
    /// The index's place in its collection.
    pub index: usize,
    /// The encoded key.
    pub key: Vec<u8>,
}

/// How a document's write ended.
#[derive(Clone, Debug)]
pub enum Written {
    Done,
    /// Nothing was changed: a unique index has the key.
    Duplicate(Duplicate),
    /// Nothing was changed: an index has no keys for the document.
    NoKeys(KeyError),
}

/// A change of one entry.
struct EntryChange {
    tree: Tree,
    /// The index's place, for the duplicate; `None` for the record itself.
    index: Option<usize>,
    unique: bool,
    key: Vec<u8>,
    /// `None` removes the entry.
    value: Option<Vec<u8>>,
}

/// A write of one document, resumable at every miss.
///
/// First come all walks that can refuse (unique keys), and those that bring in the pages of every entry; then the
/// entries, one after the other. From the first changed entry to the last the document is half written.
pub struct DocumentWrite {
    changes: Vec<EntryChange>,
    /// The collection's entry with more multikey paths than before.
    grown: Option<Collection>,
    /// Why an index has no keys. A duplicate in an index before it is told first, as in MongoDB.
    no_keys: Option<KeyError>,
    checked: usize,
    applied: usize,
}

impl DocumentWrite {
    /// Writes a new record.
    pub fn insert(collection: &Collection, id: RecordId, doc: RawDoc<'_>) -> DocumentWrite {
        DocumentWrite::between(collection, id, None, Some(doc))
    }

    /// Writes a new version of a record.
    pub fn replace(collection: &Collection, id: RecordId, old: RawDoc<'_>, new: RawDoc<'_>) -> DocumentWrite {
        DocumentWrite::between(collection, id, Some(old), Some(new))
    }

    /// Removes a record.
    pub fn remove(collection: &Collection, id: RecordId, old: RawDoc<'_>) -> DocumentWrite {
        DocumentWrite::between(collection, id, Some(old), None)
    }

    fn between(
        collection: &Collection,
        id: RecordId,
        old: Option<RawDoc<'_>>,
        new: Option<RawDoc<'_>>,
    ) -> DocumentWrite {
        let mut changes = Vec::with_capacity(1 + 2 * collection.indexes.len());
        changes.push(EntryChange {
            tree: collection.records,
            index: None,
            unique: false,
            key: id.to_key().to_vec(),
            value: new.map(|doc| doc.as_bytes().to_vec()),
        });
        let mut grown: Option<Collection> = None;
        let mut no_keys = None;
        for (place, index) in collection.indexes.iter().enumerate() {
            let keys_of = |doc: Option<RawDoc<'_>>| match doc {
                Some(doc) => index_keys(index, doc),
                None => Ok(super::IndexKeys::default()),
            };
            let (before, after) = match (keys_of(old), keys_of(new)) {
                (Ok(before), Ok(after)) => (before, after),
                (Err(error), _) | (_, Err(error)) => {
                    no_keys = Some(error);
                    break;
                }
            };
            let mut multikey = index.multikey.clone();
            if multikey.merge(&after.multikey) {
                grown.get_or_insert_with(|| collection.clone()).indexes[place].multikey = multikey;
            }
            let mut change = |key: &Vec<u8>, add: bool| {
                let mut key = key.clone();
                let mut value = Vec::new();
                if index.unique {
                    value.extend_from_slice(&id.to_key());
                } else {
                    key.extend_from_slice(&id.to_key());
                }
                changes.push(EntryChange {
                    tree: index.tree,
                    index: Some(place),
                    unique: index.unique,
                    key,
                    value: add.then_some(value),
                });
            };
            for key in before.keys.iter().filter(|key| after.keys.binary_search(key).is_err()) {
                change(key, false);
            }
            for key in after.keys.iter().filter(|key| before.keys.binary_search(key).is_err()) {
                change(key, true);
            }
        }
        DocumentWrite { changes, grown, no_keys, checked: 0, applied: 0 }
    }

    /// Whether the document is half written.
    pub fn is_half_done(&self) -> bool {
        self.applied > 0 && self.applied < self.changes.len()
    }

    /// Goes on until the document is written or pages are missing; then it is to be called again.
    pub fn run(&mut self, view: &mut WriteView<'_>) -> Walk<Written> {
        while let Some(change) = self.changes.get(self.checked) {
            if let (true, Some(_), Some(index)) = (change.unique, &change.value, change.index) {
                if change.tree.contains(view, &change.key)? {
                    return Ok(Written::Duplicate(Duplicate { index, key: change.key.clone() }));
                }
            } else if change.index.is_some() {
                change.tree.contains(view, &change.key)?;
            }
            self.checked += 1;
        }
        if let Some(error) = &self.no_keys {
            return Ok(Written::NoKeys(error.clone()));
        }
        if let Some(grown) = &self.grown {
            catalog::put(view, grown)?;
            self.grown = None;
        }
        while let Some(change) = self.changes.get(self.applied) {
            match &change.value {
                Some(value) => change.tree.put(view, &change.key, value)?,
                None => change.tree.remove(view, &change.key)?,
            };
            self.applied += 1;
        }
        Ok(Written::Done)
    }
}

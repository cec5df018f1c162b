//! One document's write: checks first, then entry by entry.

use super::{IndexKey, RecordId, index_keys};
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

/// A change of one entry of an index.
struct EntryChange {
    tree: Tree,
    /// The index's place.
    index: usize,
    unique: bool,
    /// Whether the document had no such key before, so that nobody may have it if the index is unique.
    is_new: bool,
    adds: bool,
    key: Vec<u8>,
    /// Type bits, in a unique index behind the record id; empty without type bits.
    beside: Vec<u8>,
}

/// A write of one document, resumable at every miss.
///
/// First come all walks that can refuse (unique keys), and those that bring in the pages of every entry; then the
/// record and the entries, one after the other. From the first change to the last the document is half written.
pub struct DocumentWrite {
    records: Tree,
    id: [u8; 8],
    /// `None` removes the record.
    document: Option<Vec<u8>>,
    entries: Vec<EntryChange>,
    /// The collection's entry with more multikey paths than before.
    grown: Option<Collection>,
    /// Why an index has no keys. A duplicate in an index before it is told first, as in MongoDB.
    no_keys: Option<KeyError>,
    checked: usize,
    /// The record counts as the first.
    applied: usize,
}

impl DocumentWrite {
    /// Writes a new record.
    pub fn insert(collection: &Collection, id: RecordId, document: Vec<u8>) -> DocumentWrite {
        DocumentWrite::between(collection, id, None, Some(document))
    }

    /// Writes a new version of a record.
    pub fn replace(collection: &Collection, id: RecordId, old: RawDoc<'_>, new: Vec<u8>) -> DocumentWrite {
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
        new: Option<Vec<u8>>,
    ) -> DocumentWrite {
        let mut entries = Vec::with_capacity(collection.indexes.len());
        let mut grown: Option<Collection> = None;
        let mut no_keys = None;
        let new_doc = new.as_deref().map(RawDoc::from_validated);
        for (place, index) in collection.indexes.iter().enumerate() {
            let keys_of = |doc: Option<RawDoc<'_>>| match doc {
                Some(doc) => index_keys(index, doc),
                None => Ok(super::IndexKeys::default()),
            };
            let (before, after) = match (keys_of(old), keys_of(new_doc)) {
                (Ok(before), Ok(after)) => (before, after),
                (Err(error), _) | (_, Err(error)) => {
                    no_keys = Some(error);
                    break;
                }
            };
            if after.multikey.is_multikey() {
                let mut multikey = index.multikey.clone();
                if multikey.merge(&after.multikey) {
                    grown.get_or_insert_with(|| collection.clone()).indexes[place].multikey = multikey;
                }
            }
            let mut change = |found: IndexKey, is_new: bool, adds: bool| {
                let IndexKey { mut key, bits: mut beside } = found;
                match index.unique {
                    true if beside.is_empty() => {}
                    true => beside = [&id.to_key(), beside.as_slice()].concat(),
                    false => key.extend_from_slice(&id.to_key()),
                }
                let (tree, unique) = (index.tree, index.unique);
                entries.push(EntryChange { tree, index: place, unique, is_new, adds, key, beside });
            };
            let has_same_bits = |keys: &[IndexKey], key: &IndexKey| {
                keys.binary_search_by(|other| other.key.cmp(&key.key))
                    .ok()
                    .map(|at| keys[at].bits == key.bits)
            };
            for key in before.keys.iter().filter(|key| has_same_bits(&after.keys, key).is_none()) {
                change(key.clone(), false, false);
            }
            for key in after.keys {
                match has_same_bits(&before.keys, &key) {
                    None => change(key, true, true),
                    // Equal values of other types: 1 became 1.0.
                    Some(false) => change(key, false, true),
                    Some(true) => {}
                }
            }
        }
        let (records, id) = (collection.records, id.to_key());
        DocumentWrite { records, id, document: new, entries, grown, no_keys, checked: 0, applied: 0 }
    }

    /// The document as it will be; `None` if it is removed.
    pub fn document(&self) -> Option<RawDoc<'_>> {
        self.document.as_deref().map(RawDoc::from_validated)
    }

    /// Whether the collection's entry in the catalog changes with the document.
    pub fn grows_collection(&self) -> bool {
        self.grown.is_some()
    }

    /// Whether the document is half written.
    pub fn is_half_done(&self) -> bool {
        self.applied > 0 && self.applied <= self.entries.len()
    }

    /// Goes on until the document is written or pages are missing; then it is to be called again.
    pub fn run(&mut self, view: &mut WriteView<'_>) -> Walk<Written> {
        if self.is_plain_insert() {
            return self.insert_at_once(view);
        }
        while let Some(change) = self.entries.get(self.checked) {
            if change.tree.contains(view, &change.key)? && change.unique && change.is_new {
                return Ok(change.duplicate());
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
        if self.applied == 0 {
            match &self.document {
                Some(document) => self.records.put(view, &self.id, document)?,
                None => self.records.remove(view, &self.id)?,
            };
            self.applied = 1;
        }
        while let Some(change) = self.entries.get(self.applied - 1) {
            match change.adds {
                true => change.tree.put(view, &change.key, change.value(&self.id))?,
                false => change.tree.remove(view, &change.key)?,
            };
            self.applied += 1;
        }
        Ok(Written::Done)
    }

    /// Whether every tree gets one new entry, and nothing else happens: what most writes are.
    fn is_plain_insert(&self) -> bool {
        self.applied == 0
            && self.checked == 0
            && self.grown.is_none()
            && self.no_keys.is_none()
            && self.document.is_some()
            && self.entries.iter().all(|change| change.adds)
            && self.entries.windows(2).all(|pair| pair[0].index != pair[1].index)
    }

    /// Finds all places first, so that each tree is walked once, and then changes all of them.
    fn insert_at_once(&mut self, view: &mut WriteView<'_>) -> Walk<Written> {
        let document = self.document.as_deref().unwrap_or_default();
        let mut puts = Vec::with_capacity(self.entries.len());
        for change in &self.entries {
            let put = change.tree.locate_put(view, &change.key, change.value(&self.id))?;
            if change.unique && change.is_new && put.replaces() {
                return Ok(change.duplicate());
            }
            puts.push(put);
        }
        self.records.locate_put(view, &self.id, document)?.apply(view);
        puts.into_iter().for_each(|put| put.apply(view));
        self.applied = 1 + self.entries.len();
        Ok(Written::Done)
    }
}

impl EntryChange {
    fn value<'a>(&'a self, id: &'a [u8; 8]) -> &'a [u8] {
        if self.unique && self.beside.is_empty() { id } else { &self.beside }
    }

    fn duplicate(&self) -> Written {
        Written::Duplicate(Duplicate { index: self.index, key: self.key.clone() })
    }
}

//! Records: documents by record id, and the index entries that follow them.
//!
//! A record id is the order of insertion over the whole database and is never given again; `$natural` is its order.
//!
//! Invariants
//! 1. An index has an entry of a document exactly for each of its keys: `validate` counts on it.
//! 2. All that can fail is checked before the first change of a document ([`DocumentWrite`]).
//! 3. Entries: of a unique index, key → record id; of any other, key and record id → nothing; behind that in both the
//!    type bits of the key ([`IndexKey`]).
//!
//! Deliberately absent: what a document may contain (the commands check it), and which documents to write.

mod keys;
mod write;

pub use keys::{IndexKey, IndexKeys, covered, encode_key, index_keys};
pub use write::{DocumentWrite, Duplicate, Written};

use crate::btree::ValueBytes;
use crate::catalog::Collection;
use crate::pager::{Pages, Walk};

/// The id of a record, from 1 up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u64);

impl RecordId {
    /// The record tree's key, and the end of entries of indexes that are not unique.
    pub fn to_key(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// The id of a key of the record tree.
    pub fn from_key(key: &[u8]) -> Option<RecordId> {
        Some(RecordId(u64::from_be_bytes(key.try_into().ok()?)))
    }
}

/// The document of a record.
pub fn document(pages: &dyn Pages, collection: &Collection, id: RecordId) -> Walk<Option<ValueBytes>> {
    collection.records.get(pages, &id.to_key())
}

/// The length of a record id in an entry.
const ID_BYTES: usize = 8;

/// The entry of a key in an index: what the index's tree has for it.
pub fn entry(unique: bool, key: &IndexKey, id: RecordId) -> (Vec<u8>, Vec<u8>) {
    match unique {
        true => (key.key.clone(), [&id.to_key(), key.bits.as_slice()].concat()),
        false => ([key.key.as_slice(), &id.to_key()].concat(), key.bits.clone()),
    }
}

/// The record that an entry of an index names. `None` where the entry is not one.
pub fn record_of_entry(unique: bool, key: &[u8], value: &[u8]) -> Option<RecordId> {
    let id = if unique { value.get(..ID_BYTES)? } else { key.get(key.len().checked_sub(ID_BYTES)?..)? };
    RecordId::from_key(id)
}

/// What an entry of an index has beside its key and record id.
pub fn bits_of_entry(unique: bool, value: &[u8]) -> &[u8] {
    if unique { value.get(ID_BYTES..).unwrap_or(&[]) } else { value }
}

/// Bytes of a collection's documents, keys and index entries, as the trees count them.
pub fn bytes(pages: &dyn Pages, collection: &Collection) -> Walk<u64> {
    let mut bytes = 0;
    for tree in collection.trees() {
        bytes += tree.stats(pages)?.bytes;
    }
    Ok(bytes)
}

//! The keys that a document has in an index.

use crate::bson::path::{KeyError, MultikeyPaths, extract_keys};
use crate::bson::{RawDoc, Value};
use crate::catalog::Index;
use crate::key;

/// The keys of a document in one index: ascending, each once.
#[derive(Clone, Debug, Default)]
pub struct IndexKeys {
    pub keys: Vec<Vec<u8>>,
    /// The arrays on the way.
    pub multikey: MultikeyPaths,
}

/// The keys of a document in an index, without record ids.
///
/// # Errors
/// Where two of the index's paths lead through different arrays, or a part is both an index and a name.
pub fn index_keys(index: &Index, doc: RawDoc<'_>) -> Result<IndexKeys, KeyError> {
    let mut found = IndexKeys::default();
    let keys = &mut found.keys;
    extract_keys(doc, &index.paths, &mut found.multikey, &mut |tuple| {
        keys.push(encode_key(index, tuple));
    })?;
    if keys.len() > 1 {
        keys.sort_unstable();
        keys.dedup();
    }
    Ok(found)
}

/// The encoded key of a tuple of values, one for each field of the index.
pub fn encode_key(index: &Index, tuple: &[Option<Value<'_>>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(24 * tuple.len());
    for (value, field) in tuple.iter().zip(&index.fields) {
        key::encode_value(&value.unwrap_or(Value::Null), field.direction, &mut bytes);
    }
    bytes
}

//! The keys that a document has in an index, and what is stored beside them.
//!
//! The type bits of a key tell the exact values that it stands for. If several fields of the index stand in the document
//! in another order than in the index, a byte from 80 on before the bits tells in which: so a query answered from the
//! index alone gives the fields as the document has them.

use crate::bson::path::{KeyError, MultikeyPaths, Path, extract_keys};
use crate::bson::{DocBuilder, RawDoc, Type, Value};
use crate::catalog::Index;
use crate::key::{self, KeyReader, Part, TypeBits};
use crate::sorted::{sort, sort_by};
use std::ops::Range;

/// The most fields of an index whose order is written down.
const ORDERED_FIELDS_MAX: usize = 5;
/// The first byte of an order, to which its number is added.
const ORDER: u8 = 0x80;
/// The fields are in another order, and there are too many to say in which.
const ORDER_UNKNOWN: u8 = 0xFF;

/// A key of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexKey {
    /// Without the record id.
    pub key: Vec<u8>,
    /// What is stored beside it: the order of the fields if it is not the index's, and the type bits. Often empty.
    pub bits: Vec<u8>,
}

/// The keys of a document in one index: ascending, each once.
#[derive(Clone, Debug, Default)]
pub struct IndexKeys {
    pub keys: Vec<IndexKey>,
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
    let order = field_order(index, doc);
    let mut bits = TypeBits::new();
    extract_keys(doc, &index.paths, &mut found.multikey, &mut |tuple| {
        let mut key = Vec::with_capacity(24 * tuple.len());
        bits.clear();
        for (value, field) in tuple.iter().zip(&index.fields) {
            key::encode_with_bits(value.as_ref(), field.direction, &mut key, &mut bits);
        }
        keys.push(IndexKey { key, bits: order.iter().chain(bits.as_bytes()).copied().collect() });
    })?;
    if keys.len() > 1 {
        sort(keys);
        keys.dedup_by(|a, b| a.key == b.key);
    }
    Ok(found)
}

/// The byte that tells in which order the document has the index's fields; `None` if in the index's.
fn field_order(index: &Index, doc: RawDoc<'_>) -> Option<u8> {
    if index.paths.len() < 2 {
        return None;
    }
    let places: Vec<usize> = index.paths.iter().map(|path| place_in(doc, path)).collect();
    let there = || places.iter().copied().filter(|place| *place != usize::MAX);
    if there().zip(there().skip(1)).all(|(a, b)| a <= b) {
        return None;
    }
    if places.len() > ORDERED_FIELDS_MAX {
        return Some(ORDER_UNKNOWN);
    }
    let mut order: Vec<usize> = (0..places.len()).collect();
    sort_by(&mut order, |a, b| places[*a].cmp(&places[*b]));
    // The number of an order among all: a digit for each field, how many later ones stand before it.
    let mut number = 0;
    for (i, field) in order.iter().enumerate() {
        let smaller = order[i + 1..].iter().filter(|other| *other < field).count();
        number = number * (order.len() - i) + smaller;
    }
    Some(ORDER + number as u8)
}

/// Where the bytes of a value are in its document; `usize::MAX` if there is none outside of arrays.
fn place_in(doc: RawDoc<'_>, path: &Path) -> usize {
    let mut current = doc;
    for (i, part) in path.parts().enumerate() {
        let mut elements = current.iter();
        loop {
            let at = elements.offset_in(current);
            match elements.next() {
                Some(element) if element.name == part => {
                    if i + 1 == path.part_count() {
                        return current.as_bytes().as_ptr() as usize - doc.as_bytes().as_ptr() as usize + at;
                    }
                    let Value::Document(inner) = element.value else { return usize::MAX };
                    current = inner;
                    break;
                }
                Some(_) => {}
                None => return usize::MAX,
            }
        }
    }
    usize::MAX
}

/// The order that [`field_order`] numbered.
fn order_of(mut number: usize, fields: usize) -> Vec<usize> {
    let mut digits = vec![0; fields];
    for (i, digit) in digits.iter_mut().enumerate().rev() {
        *digit = number % (fields - i);
        number /= fields - i;
    }
    let mut left: Vec<usize> = (0..fields).collect();
    digits.into_iter().map(|digit| left.remove(digit)).collect()
}

/// The fields of a document that an index entry gives back: `wanted` are positions among the index's fields. No value
/// may have led through an array. `None` where the entry does not say enough and the document must be read.
pub fn covered(index: &Index, wanted: &[usize], key: &[u8], beside: &[u8]) -> Option<Vec<u8>> {
    let fields = index.fields.len();
    let (order, bits) = match beside.split_first() {
        Some((&ORDER_UNKNOWN, bits)) => (None, bits),
        Some((&first, bits)) if first >= ORDER => (Some(order_of(usize::from(first - ORDER), fields)), bits),
        _ => (Some((0..fields).collect()), beside),
    };
    // The order of a single field does not matter.
    let order = order.or_else(|| (wanted.len() == 1).then(|| (0..fields).collect()))?;
    let mut reader = KeyReader::new(key, bits);
    let mut bytes = Vec::with_capacity(64);
    let mut values: Vec<Option<(Type, Range<usize>)>> = Vec::with_capacity(fields);
    for field in &index.fields {
        let start = bytes.len();
        values.push(match reader.value(field.direction, &mut bytes).ok()? {
            Part::Missing => None,
            Part::Value(kind) => Some((kind, start..bytes.len())),
        });
    }
    let mut found: Vec<(Vec<&str>, Value<'_>)> = Vec::with_capacity(wanted.len());
    for place in order.into_iter().filter(|place| wanted.contains(place)) {
        let path = &index.paths[place];
        match &values[place] {
            Some((kind, range)) => {
                found.push((path.parts().collect(), Value::read(*kind, &bytes[range.clone()])?.0));
            }
            // Of a missing field in a document the document may be there.
            None if path.part_count() > 1 => return None,
            None => {}
        }
    }
    let mut doc = DocBuilder::with_capacity(bytes.len() + 32);
    push_nested(&found, 0, &mut doc);
    Some(doc.finish())
}

/// Appends values by their paths from the part `depth` on; those of one document stand together.
fn push_nested(mut values: &[(Vec<&str>, Value<'_>)], depth: usize, doc: &mut DocBuilder) {
    while let Some((path, value)) = values.first() {
        let name = path[depth];
        if path.len() == depth + 1 {
            doc.push(name, *value);
            values = &values[1..];
        } else {
            let count = values.iter().take_while(|(other, _)| other.get(depth) == Some(&name)).count();
            doc.document(name, |inner| push_nested(&values[..count], depth + 1, inner));
            values = &values[count..];
        }
    }
}

/// The encoded key of a tuple of values, one for each field of the index.
pub fn encode_key(index: &Index, tuple: &[Option<Value<'_>>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(24 * tuple.len());
    for (value, field) in tuple.iter().zip(&index.fields) {
        key::encode_value(&value.unwrap_or(Value::Null), field.direction, &mut bytes);
    }
    bytes
}

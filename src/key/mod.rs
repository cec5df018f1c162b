//! The order-preserving encoding of values: index keys that compare as bytes the way their values compare in MongoDB.
//!
//! Invariants
//! 1. `compare(a, b) == encode(a).cmp(encode(b))` for all values of all types, nested, and for tuples of them. Equal values
//!    have equal bytes: 1, 1L, 1.0 and decimal 1.00 are one key.
//! 2. No encoding is a prefix of another, so values concatenate to compound keys, and anything may follow a key.
//! 3. A descending value is the complement of its ascending bytes.
//! 4. Bytes of any origin decode to a value or an error, never to a panic.
//!
//! | first byte | value | what follows |
//! |---|---|---|
//! | 10 | MinKey | |
//! | 14 | undefined | |
//! | 18 | null, missing | |
//! | 20–35 | numbers | see [`number`] |
//! | 48 | string, symbol | bytes, 00 → 01 01, 01 → 01 02; 00 |
//! | 50 | object | per field: first byte of the type's range, name as a string, value; 00 |
//! | 58 | array | the elements; 00 |
//! | 60 | binData | length, subtype, bytes |
//! | 68 | objectId | 12 bytes |
//! | 70, 71 | false, true | |
//! | 78 | date | 8 bytes, sign turned over |
//! | 80 | timestamp | 8 bytes |
//! | 88 | regex | pattern, options as strings |
//! | 90 | dbPointer | length, namespace, 12 bytes |
//! | 98 | javascript | as a string |
//! | A0 | javascriptWithScope | as a string, then as an object |
//! | F0 | MaxKey | |
//!
//! A length is one byte up to EF, else F0 + n and n bytes, most significant first.
//!
//! What order does not tell apart (int or double, the digits of a decimal, string or symbol, null or missing) is kept in
//! [`TypeBits`] beside the key, for queries that are answered from the index alone.
//!
//! Deliberately absent: collation (the caller encodes the collator's bytes), record ids, prefix compression.

mod bits;
mod number;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use bits::TypeBits;
pub use read::{KeyReader, Part, decode};
pub use write::{encode, encode_missing, encode_value, encode_with_bits};

pub use crate::bson::order::Direction;
use crate::bson::raw::Type;

/// Why bytes are no key: the offset of the byte that cannot be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyDecodeError {
    pub offset: usize,
}

impl std::fmt::Display for KeyDecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not an index key at byte {}", self.offset)
    }
}

mod tag {
    pub(super) const MIN_KEY: u8 = 0x10;
    pub(super) const UNDEFINED: u8 = 0x14;
    pub(super) const NULL: u8 = 0x18;
    pub(super) const NUMBER_FIRST: u8 = 0x20;
    pub(super) const NAN: u8 = NUMBER_FIRST;
    /// The magnitude is below 1: `ZERO` ± 1. An integer part of n bytes: ± (1 + n). At least 2^63: ± 10.
    pub(super) const ZERO: u8 = 0x2B;
    pub(super) const NUMBER_LAST: u8 = 0x35;
    pub(super) const STRING: u8 = 0x48;
    pub(super) const DOCUMENT: u8 = 0x50;
    pub(super) const ARRAY: u8 = 0x58;
    pub(super) const BINARY: u8 = 0x60;
    pub(super) const OBJECT_ID: u8 = 0x68;
    pub(super) const FALSE: u8 = 0x70;
    pub(super) const TRUE: u8 = 0x71;
    pub(super) const DATE: u8 = 0x78;
    pub(super) const TIMESTAMP: u8 = 0x80;
    pub(super) const REGEX: u8 = 0x88;
    pub(super) const DB_POINTER: u8 = 0x90;
    pub(super) const CODE: u8 = 0x98;
    pub(super) const CODE_WITH_SCOPE: u8 = 0xA0;
    pub(super) const MAX_KEY: u8 = 0xF0;
    /// Ends texts, objects and arrays.
    pub(super) const END: u8 = 0x00;
    /// Stands before what 00 and 01 in texts become, one more than they are.
    pub(super) const ESCAPE: u8 = 0x01;
}

/// The first and the last first byte of the values that compare as `kind` does (all numbers are one range).
fn tags_of(kind: Type) -> (u8, u8) {
    let one = |tag| (tag, tag);
    match kind {
        Type::MinKey => one(tag::MIN_KEY),
        Type::Undefined => one(tag::UNDEFINED),
        Type::Null => one(tag::NULL),
        Type::Int32 | Type::Int64 | Type::Double | Type::Decimal128 => (tag::NUMBER_FIRST, tag::NUMBER_LAST),
        Type::String | Type::Symbol => one(tag::STRING),
        Type::Document => one(tag::DOCUMENT),
        Type::Array => one(tag::ARRAY),
        Type::Binary => one(tag::BINARY),
        Type::ObjectId => one(tag::OBJECT_ID),
        Type::Bool => (tag::FALSE, tag::TRUE),
        Type::DateTime => one(tag::DATE),
        Type::Timestamp => one(tag::TIMESTAMP),
        Type::Regex => one(tag::REGEX),
        Type::DbPointer => one(tag::DB_POINTER),
        Type::Code => one(tag::CODE),
        Type::CodeWithScope => one(tag::CODE_WITH_SCOPE),
        Type::MaxKey => one(tag::MAX_KEY),
    }
}

/// The keys of all values of the bracket of `kind`, as a range of first bytes: from the first, inclusive, to the
/// second, exclusive. Appended to the encoding of the fields before, they bound a compound key.
pub fn bracket(kind: Type, direction: Direction) -> (u8, u8) {
    let (first, last) = tags_of(kind);
    match direction {
        Direction::Ascending => (first, last + 1),
        Direction::Descending => (!last, !first + 1),
    }
}

/// The byte below all keys of a field.
pub const LOWEST: u8 = 0x0E;
/// The byte above all keys of a field.
pub const HIGHEST: u8 = 0xF1;

/// Turns `prefix` into the least bytes that are above everything that begins with it. `false` if there are none (the
/// prefix is empty or all FF), which no key has.
#[must_use]
pub fn prefix_successor(prefix: &mut Vec<u8>) -> bool {
    while let Some(last) = prefix.pop() {
        if last < 0xFF {
            prefix.push(last + 1);
            return true;
        }
    }
    false
}

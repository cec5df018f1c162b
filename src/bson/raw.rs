//! Borrowed BSON: documents, arrays and values as slices of validated bytes.
//!
//! The field scanner here is the hot path of every query: it compares name bytes and skips values by their size,
//! without looking at what it skips.

use super::field::RawField;
pub use super::kind::Type;
use std::fmt;

/// A run of UTF-8 bytes inside a document: a field name or the text of a string.
///
/// Bytes and not `&str`, because the scanner must not pay for checking again what the boundary checked.
/// Byte order is code point order, which is MongoDB's order of strings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Str<'a>(pub &'a [u8]);

impl<'a> Str<'a> {
    /// The bytes, without a terminator.
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text. Bytes that are not UTF-8 (which validation keeps out) give the text before them.
    pub fn as_str(self) -> &'a str {
        match std::str::from_utf8(self.0) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&self.0[..error.valid_up_to()]).unwrap_or(""),
        }
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> From<&'a str> for Str<'a> {
    fn from(text: &'a str) -> Self {
        Str(text.as_bytes())
    }
}

impl PartialEq<&str> for Str<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<str> for Str<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Display for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// One BSON value, borrowed. Cheap to copy.
///
/// `PartialEq` is identity of type and bits (as `byte-identical`), not MongoDB's equality, which is in `bson::order`.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Double(f64),
    String(Str<'a>),
    Document(RawDoc<'a>),
    Array(RawArray<'a>),
    Binary {
        subtype: u8,
        bytes: &'a [u8],
    },
    Undefined,
    ObjectId([u8; 12]),
    Bool(bool),
    /// Milliseconds since 1970 in UTC, negative before.
    DateTime(i64),
    Null,
    Regex {
        pattern: Str<'a>,
        options: Str<'a>,
    },
    DbPointer {
        namespace: Str<'a>,
        id: [u8; 12],
    },
    Code(Str<'a>),
    Symbol(Str<'a>),
    CodeWithScope {
        code: Str<'a>,
        scope: RawDoc<'a>,
    },
    Int32(i32),
    /// The upper 32 bits are seconds, the lower the ordinal.
    Timestamp(u64),
    Int64(i64),
    /// The 16 bytes as stored (little-endian, binary integer decimal).
    Decimal128([u8; 16]),
    MinKey,
    MaxKey,
}

impl<'a> Value<'a> {
    /// The type of the value.
    pub fn kind(&self) -> Type {
        match self {
            Value::Double(_) => Type::Double,
            Value::String(_) => Type::String,
            Value::Document(_) => Type::Document,
            Value::Array(_) => Type::Array,
            Value::Binary { .. } => Type::Binary,
            Value::Undefined => Type::Undefined,
            Value::ObjectId(_) => Type::ObjectId,
            Value::Bool(_) => Type::Bool,
            Value::DateTime(_) => Type::DateTime,
            Value::Null => Type::Null,
            Value::Regex { .. } => Type::Regex,
            Value::DbPointer { .. } => Type::DbPointer,
            Value::Code(_) => Type::Code,
            Value::Symbol(_) => Type::Symbol,
            Value::CodeWithScope { .. } => Type::CodeWithScope,
            Value::Int32(_) => Type::Int32,
            Value::Timestamp(_) => Type::Timestamp,
            Value::Int64(_) => Type::Int64,
            Value::Decimal128(_) => Type::Decimal128,
            Value::MinKey => Type::MinKey,
            Value::MaxKey => Type::MaxKey,
        }
    }

    /// Whether the value is an int, long, double or Decimal128.
    pub fn is_number(&self) -> bool {
        matches!(self, Value::Int32(_) | Value::Int64(_) | Value::Double(_) | Value::Decimal128(_))
    }

    /// Reads the value of type `kind` at the start of `bytes`; gives it and its size in bytes.
    /// `None` where the bytes do not hold one.
    pub fn read(kind: Type, bytes: &'a [u8]) -> Option<(Value<'a>, usize)> {
        let size = value_size(kind, bytes)?;
        let body = bytes.get(..size)?;
        let value = match kind {
            Type::Double => Value::Double(f64::from_le_bytes(body.try_into().ok()?)),
            Type::String => Value::String(text_of(body)?),
            Type::Symbol => Value::Symbol(text_of(body)?),
            Type::Code => Value::Code(text_of(body)?),
            Type::Document => Value::Document(RawDoc { bytes: body }),
            Type::Array => Value::Array(RawArray { doc: RawDoc { bytes: body } }),
            Type::Binary => binary_of(body)?,
            Type::Undefined => Value::Undefined,
            Type::ObjectId => Value::ObjectId(body.try_into().ok()?),
            Type::Bool => Value::Bool(body[0] != 0),
            Type::DateTime => Value::DateTime(i64::from_le_bytes(body.try_into().ok()?)),
            Type::Null => Value::Null,
            Type::Regex => {
                let end = body.iter().position(|&b| b == 0)?;
                Value::Regex { pattern: Str(&body[..end]), options: Str(&body[end + 1..body.len() - 1]) }
            }
            Type::DbPointer => Value::DbPointer {
                namespace: text_of(&body[..size - 12])?,
                id: body[size - 12..].try_into().ok()?,
            },
            Type::CodeWithScope => {
                let code_len = 4 + read_len(&body[4..])?;
                let code = text_of(body.get(4..4 + code_len)?)?;
                Value::CodeWithScope { code, scope: RawDoc { bytes: body.get(4 + code_len..)? } }
            }
            Type::Int32 => Value::Int32(i32::from_le_bytes(body.try_into().ok()?)),
            Type::Timestamp => Value::Timestamp(u64::from_le_bytes(body.try_into().ok()?)),
            Type::Int64 => Value::Int64(i64::from_le_bytes(body.try_into().ok()?)),
            Type::Decimal128 => Value::Decimal128(body.try_into().ok()?),
            Type::MinKey => Value::MinKey,
            Type::MaxKey => Value::MaxKey,
        };
        Some((value, size))
    }

    /// The document, if it is one.
    pub fn as_document(&self) -> Option<RawDoc<'a>> {
        match self {
            Value::Document(doc) => Some(*doc),
            _ => None,
        }
    }

    /// The array, if it is one.
    pub fn as_array(&self) -> Option<RawArray<'a>> {
        match self {
            Value::Array(array) => Some(*array),
            _ => None,
        }
    }

    /// The text of a string, if it is one.
    pub fn as_str(&self) -> Option<&'a str> {
        match self {
            Value::String(text) => Some(text.as_str()),
            _ => None,
        }
    }
}

/// A document: its bytes from the length to the closing zero.
#[derive(Clone, Copy)]
pub struct RawDoc<'a> {
    bytes: &'a [u8],
}

/// The empty document.
pub const EMPTY_DOCUMENT: RawDoc<'static> = RawDoc { bytes: &[5, 0, 0, 0, 0] };

impl<'a> RawDoc<'a> {
    /// Takes bytes that were validated (`bson::validate`) or built by us. Wrong bytes do no harm beyond wrong answers.
    pub fn from_validated(bytes: &'a [u8]) -> RawDoc<'a> {
        RawDoc { bytes }
    }

    /// All bytes, the length first.
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        self.bytes.len()
    }

    /// Whether the document has no elements.
    pub fn is_empty(self) -> bool {
        self.bytes.len() <= 5
    }

    /// The elements in stored order.
    pub fn iter(self) -> Elements<'a> {
        Elements { rest: self.bytes.get(4..).unwrap_or(&[]) }
    }

    /// The elements from the byte `offset` on, which is the start of one (see [`Elements::offset_in`]): so that a long
    /// walk can be left and taken up again.
    pub fn iter_from(self, offset: usize) -> Elements<'a> {
        Elements { rest: self.bytes.get(offset..).unwrap_or(&[]) }
    }

    /// The first element, if any.
    pub fn first(self) -> Option<Element<'a>> {
        self.iter().next()
    }

    /// The number of elements.
    pub fn count(self) -> usize {
        self.iter().count()
    }

    /// Whether some element is of this type. Reads no values.
    pub fn has_kind(self, kind: Type) -> bool {
        let mut rest = self.bytes.get(4..).unwrap_or(&[]);
        while let Some(found) = rest.first().and_then(|byte| Type::from_byte(*byte)) {
            if found == kind {
                return true;
            }
            let Some(name_len) = name_len(&rest[1..]) else { return false };
            let body = &rest[name_len + 2..];
            match value_size(found, body).and_then(|size| body.get(size..)) {
                Some(next) => rest = next,
                None => return false,
            }
        }
        false
    }

    /// The value of the first element named `name`.
    pub fn get(self, name: &str) -> Option<Value<'a>> {
        self.get_bytes(name.as_bytes())
    }

    /// The value of the first element with these name bytes.
    ///
    /// The scanner: names are compared in place, other values skipped by their size.
    pub fn get_bytes(self, name: &[u8]) -> Option<Value<'a>> {
        let mut rest = self.bytes.get(4..)?;
        loop {
            let field = RawField::at(rest)?;
            if field.is_named(name) {
                return field.value();
            }
            rest = field.behind()?;
        }
    }
}

/// Bytes before the zero that ends a name: eight at a time, as most names are shorter and a scan meets many.
#[inline(always)]
pub(super) fn name_len(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    while let Some(chunk) = bytes[at..].first_chunk() {
        let word = u64::from_le_bytes(*chunk);
        // The lowest set bit is exact: a borrow only runs upwards from a zero byte.
        let zeros = word.wrapping_sub(ONES) & !word & HIGHS;
        if zeros != 0 {
            return Some(at + zeros.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    bytes[at..].iter().position(|&b| b == 0).map(|end| at + end)
}

impl fmt::Debug for RawDoc<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|e| (e.name, e.value))).finish()
    }
}

/// An array: a document whose names are not looked at.
#[derive(Clone, Copy)]
pub struct RawArray<'a> {
    doc: RawDoc<'a>,
}

impl<'a> RawArray<'a> {
    /// Takes the bytes of a validated array (a document with the names "0", "1", …).
    pub fn from_validated(bytes: &'a [u8]) -> RawArray<'a> {
        RawArray { doc: RawDoc { bytes } }
    }

    /// The elements in order.
    pub fn iter(self) -> impl Iterator<Item = Value<'a>> + Clone {
        self.doc.iter().map(|element| element.value)
    }

    /// The element at `index`.
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        self.iter().nth(index)
    }

    /// The number of elements.
    pub fn count(self) -> usize {
        self.doc.count()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.doc.is_empty()
    }

    /// The same bytes as a document.
    pub fn as_document(self) -> RawDoc<'a> {
        self.doc
    }
}

impl fmt::Debug for RawArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A name and its value.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    pub name: Str<'a>,
    pub value: Value<'a>,
}

/// Iterator over the elements of a document; ends at the first malformed one.
#[derive(Clone)]
pub struct Elements<'a> {
    rest: &'a [u8],
}

impl Elements<'_> {
    /// The byte in `doc`, whose elements these are, at which the next element begins.
    pub fn offset_in(&self, doc: RawDoc<'_>) -> usize {
        doc.bytes.len() - self.rest.len()
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        let kind = Type::from_byte(*self.rest.first()?)?;
        let after_type = &self.rest[1..];
        let name_len = name_len(after_type)?;
        let body = &after_type[name_len + 1..];
        let (value, size) = Value::read(kind, body)?;
        self.rest = &body[size..];
        Some(Element { name: Str(&after_type[..name_len]), value })
    }
}

fn read_len(bytes: &[u8]) -> Option<usize> {
    let len = i32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    usize::try_from(len).ok()
}

/// The size in bytes of a value of type `kind` at the start of `bytes`, looking at no more than its lengths.
pub fn value_size(kind: Type, bytes: &[u8]) -> Option<usize> {
    let size = match kind {
        Type::Double | Type::DateTime | Type::Timestamp | Type::Int64 => 8,
        Type::Int32 => 4,
        Type::Bool => 1,
        Type::ObjectId => 12,
        Type::Decimal128 => 16,
        Type::Undefined | Type::Null | Type::MinKey | Type::MaxKey => 0,
        Type::String | Type::Code | Type::Symbol => match read_len(bytes)? {
            0 => return None,
            len => 4 + len,
        },
        Type::Document | Type::Array => match read_len(bytes)? {
            len if len >= 5 => len,
            _ => return None,
        },
        Type::CodeWithScope => match read_len(bytes)? {
            len if len >= 14 => len,
            _ => return None,
        },
        Type::Binary => 5 + read_len(bytes)?,
        Type::DbPointer => match read_len(bytes)? {
            0 => return None,
            len => 16 + len,
        },
        Type::Regex => {
            let pattern = bytes.iter().position(|&b| b == 0)? + 1;
            pattern + bytes[pattern..].iter().position(|&b| b == 0)? + 1
        }
    };
    (size <= bytes.len()).then_some(size)
}

fn text_of(body: &[u8]) -> Option<Str<'_>> {
    let len = read_len(body)?;
    Some(Str(body.get(4..4 + len.checked_sub(1)?)?))
}

fn binary_of(body: &[u8]) -> Option<Value<'_>> {
    let subtype = *body.get(4)?;
    let bytes = &body[5..];
    // Subtype 2 repeats the length inside; drivers hide the inner one, the stored bytes keep it.
    Some(Value::Binary { subtype, bytes })
}

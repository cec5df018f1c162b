//! Decoding keys.

use super::bits::{BitsReader, code};
use super::number::{self, Number};
use super::{Direction, KeyDecodeError, tag};
use crate::bson::build::{DocBuilder, write_value};
use crate::bson::decimal128::Decimal128;
use crate::bson::raw::{Type, Value};

/// Nesting that no stored value has.
const DEPTH_MAX: usize = 256;

/// One value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The document had no value there; only type bits tell that from null.
    Missing,
    /// A value of this type; its bytes were appended to the output.
    Value(Type),
}

/// Reads the values of a key one after the other.
#[derive(Clone, Debug)]
pub struct KeyReader<'k> {
    key: &'k [u8],
    at: usize,
    /// FF while a descending value is read.
    mask: u8,
    bits: BitsReader<'k>,
}

/// Decodes the values at the start of `key` into a document with the given names (missing values are left out), and
/// gives its bytes and the length of what was read. `bits` are those stored beside the key, or empty: then
/// numbers have a type of equal value, and symbols are strings.
pub fn decode(
    key: &[u8],
    fields: &[(&str, Direction)],
    bits: &[u8],
) -> Result<(Vec<u8>, usize), KeyDecodeError> {
    let mut reader = KeyReader::new(key, bits);
    let mut doc = DocBuilder::new();
    let mut bytes = Vec::new();
    for (name, direction) in fields {
        bytes.clear();
        if let Part::Value(kind) = reader.value(*direction, &mut bytes)? {
            let (value, _) = Value::read(kind, &bytes).ok_or(KeyDecodeError { offset: reader.at })?;
            doc.push(name, value);
        }
    }
    Ok((doc.finish(), reader.at))
}

impl<'k> KeyReader<'k> {
    /// Starts at the first value.
    pub fn new(key: &'k [u8], bits: &'k [u8]) -> KeyReader<'k> {
        KeyReader { key, at: 0, mask: 0, bits: BitsReader::new(bits) }
    }

    /// How many bytes of the key were read.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Reads the next value and appends its BSON bytes, without type and name, to `out`.
    pub fn value(&mut self, direction: Direction, out: &mut Vec<u8>) -> Result<Part, KeyDecodeError> {
        self.mask = if direction == Direction::Descending { 0xFF } else { 0 };
        let first = self.byte()?;
        if first == tag::NULL {
            return match self.bits.code() {
                code::LIKELY => Ok(Part::Value(Type::Null)),
                code::MISSING => Ok(Part::Missing),
                _ => self.error(),
            };
        }
        self.value_after(first, out, 0).map(Part::Value)
    }

    fn error<T>(&self) -> Result<T, KeyDecodeError> {
        Err(KeyDecodeError { offset: self.at.saturating_sub(1) })
    }

    fn next(&mut self) -> Option<u8> {
        let byte = *self.key.get(self.at)?;
        self.at += 1;
        Some(byte ^ self.mask)
    }

    fn byte(&mut self) -> Result<u8, KeyDecodeError> {
        match self.next() {
            Some(byte) => Ok(byte),
            None => Err(KeyDecodeError { offset: self.at }),
        }
    }

    fn value_after(&mut self, first: u8, out: &mut Vec<u8>, depth: usize) -> Result<Type, KeyDecodeError> {
        let kind = match first {
            tag::MIN_KEY => Type::MinKey,
            tag::UNDEFINED => Type::Undefined,
            tag::MAX_KEY => Type::MaxKey,
            tag::NULL => match self.bits.code() {
                code::LIKELY => Type::Null,
                _ => return self.error(),
            },
            tag::NUMBER_FIRST..=tag::NUMBER_LAST => return self.number(first, out),
            tag::STRING => {
                self.string(out)?;
                match self.bits.code() {
                    code::LIKELY => Type::String,
                    code::SYMBOL => Type::Symbol,
                    _ => return self.error(),
                }
            }
            tag::DOCUMENT => self.fields(out, depth).map(|()| Type::Document)?,
            tag::ARRAY => self.elements(out, depth).map(|()| Type::Array)?,
            tag::BINARY => {
                let len = self.length()?;
                out.extend_from_slice(&(len as u32).to_le_bytes());
                self.raw(1 + len, out)?;
                Type::Binary
            }
            tag::OBJECT_ID => self.raw(12, out).map(|()| Type::ObjectId)?,
            tag::FALSE | tag::TRUE => {
                out.push(first - tag::FALSE);
                Type::Bool
            }
            tag::DATE => self.word(out, 1 << 63).map(|()| Type::DateTime)?,
            tag::TIMESTAMP => self.word(out, 0).map(|()| Type::Timestamp)?,
            tag::REGEX => {
                self.terminated(out)?;
                self.terminated(out)?;
                Type::Regex
            }
            tag::DB_POINTER => {
                let len = self.length()?;
                out.extend_from_slice(&(len as u32 + 1).to_le_bytes());
                self.raw(len, out)?;
                out.push(0);
                self.raw(12, out)?;
                Type::DbPointer
            }
            tag::CODE => self.string(out).map(|()| Type::Code)?,
            tag::CODE_WITH_SCOPE => {
                let start = out.len();
                out.extend_from_slice(&[0; 4]);
                self.string(out)?;
                self.fields(out, depth)?;
                patch_length(out, start, 0);
                Type::CodeWithScope
            }
            _ => return self.error(),
        };
        Ok(kind)
    }

    fn number(&mut self, first: u8, out: &mut Vec<u8>) -> Result<Type, KeyDecodeError> {
        let Some(number) = number::read(first, || self.next()) else { return self.error() };
        let value = match (self.bits.code(), number) {
            (code::LIKELY, Number::NaN) => Value::Double(f64::NAN),
            (code::LIKELY, Number::Double(v)) => Value::Double(v),
            (code::LIKELY, Number::Decimal(d)) => Value::Decimal128(d.to_bytes()),
            (code::LIKELY, Number::Integer(n)) => match i32::try_from(n) {
                Ok(small) => Value::Int32(small),
                Err(_) => Value::Int64(n),
            },
            (code::LONG, Number::Integer(n)) => Value::Int64(n),
            // −2^63 is encoded with the large doubles.
            (code::LONG, Number::Double(v)) if v == i64::MIN as f64 => Value::Int64(i64::MIN),
            (code::DOUBLE, Number::Integer(n)) => Value::Double(n as f64),
            (code::NEGATIVE_ZERO, Number::Integer(0)) => Value::Double(-0.0),
            (code::NAN, Number::NaN) => match self.bits.bits() {
                Some(bits) => Value::Double(f64::from_le_bytes(bits)),
                None => return self.error(),
            },
            (code::DECIMAL, _) => match self.bits.bits().map(Decimal128::from_bytes) {
                Some(decimal) => Value::Decimal128(decimal.to_bytes()),
                None => return self.error(),
            },
            _ => return self.error(),
        };
        write_value(out, &value);
        Ok(value.kind())
    }

    fn fields(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<(), KeyDecodeError> {
        if depth == DEPTH_MAX {
            return self.error();
        }
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        while self.byte()? != tag::END {
            let kind_at = out.len();
            out.push(0);
            self.terminated(out)?;
            let first = self.byte()?;
            out[kind_at] = self.value_after(first, out, depth + 1)? as u8;
        }
        out.push(0);
        patch_length(out, start, 0);
        Ok(())
    }

    fn elements(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<(), KeyDecodeError> {
        if depth == DEPTH_MAX {
            return self.error();
        }
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        let mut index = 0usize;
        loop {
            let first = self.byte()?;
            if first == tag::END {
                break;
            }
            let kind_at = out.len();
            out.push(0);
            out.extend_from_slice(index.to_string().as_bytes());
            out.push(0);
            out[kind_at] = self.value_after(first, out, depth + 1)? as u8;
            index += 1;
        }
        out.push(0);
        patch_length(out, start, 0);
        Ok(())
    }

    /// A text with its length before and a zero after it.
    fn string(&mut self, out: &mut Vec<u8>) -> Result<(), KeyDecodeError> {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        self.text(out)?;
        out.push(0);
        patch_length(out, start, 4);
        Ok(())
    }

    /// A text that ends at its zero: a name, or a part of a regular expression. It has none inside.
    fn terminated(&mut self, out: &mut Vec<u8>) -> Result<(), KeyDecodeError> {
        let start = out.len();
        self.text(out)?;
        if out[start..].contains(&0) {
            return self.error();
        }
        out.push(0);
        Ok(())
    }

    fn text(&mut self, out: &mut Vec<u8>) -> Result<(), KeyDecodeError> {
        loop {
            match self.byte()? {
                tag::END => return Ok(()),
                tag::ESCAPE => match self.byte()? {
                    escaped @ 1..=2 => out.push(escaped - 1),
                    _ => return self.error(),
                },
                byte => out.push(byte),
            }
        }
    }

    fn length(&mut self) -> Result<usize, KeyDecodeError> {
        let first = self.byte()?;
        let bytes = match first {
            0..=0xEF => return Ok(usize::from(first)),
            0xF1..=0xF4 => first - 0xF0,
            _ => return self.error(),
        };
        let mut len = 0u32;
        for _ in 0..bytes {
            len = len << 8 | u32::from(self.byte()?);
        }
        // More than the key has left cannot be read anyway.
        if len as usize > self.key.len() { self.error() } else { Ok(len as usize) }
    }

    fn raw(&mut self, len: usize, out: &mut Vec<u8>) -> Result<(), KeyDecodeError> {
        let Some(bytes) = self.key.get(self.at..self.at + len) else {
            return Err(KeyDecodeError { offset: self.key.len() });
        };
        out.extend(bytes.iter().map(|byte| byte ^ self.mask));
        self.at += len;
        Ok(())
    }

    fn word(&mut self, out: &mut Vec<u8>, turned: u64) -> Result<(), KeyDecodeError> {
        let mut word = 0u64;
        for _ in 0..8 {
            word = word << 8 | u64::from(self.byte()?);
        }
        out.extend_from_slice(&(word ^ turned).to_le_bytes());
        Ok(())
    }
}

/// Writes the length of what follows `start`, less `not_counted`, into the four bytes there.
fn patch_length(out: &mut [u8], start: usize, not_counted: usize) {
    let len = (out.len() - start - not_counted) as u32;
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
}

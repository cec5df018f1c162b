//! Encoding values into keys.

use super::bits::{TypeBits, code};
use super::number::{self, Number};
use super::{Direction, tag, tags_of};
use crate::bson::decimal128::Decimal128;
use crate::bson::raw::{RawArray, RawDoc, Value};

/// Appends the key of a tuple of values.
pub fn encode<'v>(values: impl IntoIterator<Item = (Value<'v>, Direction)>, out: &mut Vec<u8>) {
    for (value, direction) in values {
        encode_value(&value, direction, out);
    }
}

/// Appends the key of one value.
pub fn encode_value(value: &Value<'_>, direction: Direction, out: &mut Vec<u8>) {
    write_in(direction, out, |out| Writer { out, bits: None }.value(value));
}

/// Appends the key of a missing value, which is that of null.
pub fn encode_missing(direction: Direction, out: &mut Vec<u8>) {
    encode_value(&Value::Null, direction, out);
}

/// Appends the key of one value, `None` for missing, and to `bits` what the key does not say.
pub fn encode_with_bits(
    value: Option<&Value<'_>>,
    direction: Direction,
    out: &mut Vec<u8>,
    bits: &mut TypeBits,
) {
    write_in(direction, out, |out| match value {
        Some(value) => Writer { out, bits: Some(bits) }.value(value),
        None => {
            out.push(tag::NULL);
            bits.push(code::MISSING, &[]);
        }
    });
}

fn write_in(direction: Direction, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    if direction == Direction::Descending {
        out[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    bits: Option<&'o mut TypeBits>,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value<'_>) {
        if value.is_number() {
            let read_as = number::write(value, self.out);
            if let Some(bits) = &mut self.bits {
                push_number_bits(value, read_as, bits);
            }
            return;
        }
        let (first, _) = tags_of(value.kind());
        self.out.push(first);
        match value {
            Value::String(text) => {
                self.text(text.as_bytes());
                self.push_bits(code::LIKELY);
            }
            Value::Symbol(text) => {
                self.text(text.as_bytes());
                self.push_bits(code::SYMBOL);
            }
            Value::Null => self.push_bits(code::LIKELY),
            Value::Document(doc) => self.fields(*doc),
            Value::Array(array) => self.elements(*array),
            Value::Binary { subtype, bytes } => {
                self.length(bytes.len());
                self.out.push(*subtype);
                self.out.extend_from_slice(bytes);
            }
            Value::ObjectId(id) => self.out.extend_from_slice(id),
            Value::Bool(v) => {
                self.out.pop();
                self.out.push(if *v { tag::TRUE } else { tag::FALSE });
            }
            Value::DateTime(v) => self.out.extend_from_slice(&(*v ^ i64::MIN).to_be_bytes()),
            Value::Timestamp(v) => self.out.extend_from_slice(&v.to_be_bytes()),
            Value::Regex { pattern, options } => {
                self.text(pattern.as_bytes());
                self.text(options.as_bytes());
            }
            Value::DbPointer { namespace, id } => {
                self.length(namespace.len());
                self.out.extend_from_slice(namespace.as_bytes());
                self.out.extend_from_slice(id);
            }
            Value::Code(code) => self.text(code.as_bytes()),
            Value::CodeWithScope { code, scope } => {
                self.text(code.as_bytes());
                self.fields(*scope);
            }
            Value::Undefined | Value::MinKey | Value::MaxKey => {}
            // Numbers were dealt with above.
            Value::Int32(_) | Value::Int64(_) | Value::Double(_) | Value::Decimal128(_) => {}
        }
    }

    fn fields(&mut self, doc: RawDoc<'_>) {
        for element in doc.iter() {
            self.out.push(tags_of(element.value.kind()).0);
            self.text(element.name.as_bytes());
            self.value(&element.value);
        }
        self.out.push(tag::END);
    }

    fn elements(&mut self, array: RawArray<'_>) {
        for element in array.iter() {
            self.value(&element);
        }
        self.out.push(tag::END);
    }

    fn text(&mut self, mut bytes: &[u8]) {
        if !needs_escape(bytes) {
            self.out.extend_from_slice(bytes);
            return self.out.push(tag::END);
        }
        while let Some(at) = bytes.iter().position(|&byte| byte <= tag::ESCAPE) {
            self.out.extend_from_slice(&bytes[..at]);
            self.out.extend_from_slice(&[tag::ESCAPE, bytes[at] + 1]);
            bytes = &bytes[at + 1..];
        }
        self.out.extend_from_slice(bytes);
        self.out.push(tag::END);
    }

    fn length(&mut self, len: usize) {
        if len < 0xF0 {
            return self.out.push(len as u8);
        }
        let bytes = (len as u32).to_be_bytes();
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        self.out.push(0xF0 + (4 - zeros) as u8);
        self.out.extend_from_slice(&bytes[zeros..]);
    }

    fn push_bits(&mut self, code: u8) {
        if let Some(bits) = &mut self.bits {
            bits.push(code, &[]);
        }
    }
}

/// Whether some byte is 00 or 01, eight bytes at a time.
fn needs_escape(bytes: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Borrows into the high bit of a byte below 2, where the byte had none.
    let below_two = |word: u64| word.wrapping_sub(2 * ONES) & !word & (ONES << 7) != 0;
    let mut words = bytes.chunks_exact(8);
    let in_words = words.any(|word| word.try_into().is_ok_and(|word| below_two(u64::from_le_bytes(word))));
    in_words || words.remainder().iter().any(|&byte| byte <= tag::ESCAPE)
}

/// What tells `value` from the number that reading its key gives.
fn push_number_bits(value: &Value<'_>, read_as: Number, bits: &mut TypeBits) {
    let fits_int = matches!(read_as, Number::Integer(n) if i32::try_from(n).is_ok());
    match (value, read_as) {
        (Value::Int32(_), _) => bits.push(code::LIKELY, &[]),
        (Value::Int64(_), Number::Integer(_)) if !fits_int => bits.push(code::LIKELY, &[]),
        (Value::Int64(_), _) => bits.push(code::LONG, &[]),
        (Value::Double(v), _) if v.is_nan() => match v.to_bits() == f64::NAN.to_bits() {
            true => bits.push(code::LIKELY, &[]),
            false => bits.push(code::NAN, &v.to_le_bytes()),
        },
        (Value::Double(v), _) if *v == 0.0 && v.is_sign_negative() => bits.push(code::NEGATIVE_ZERO, &[]),
        (Value::Double(_), Number::Double(_)) => bits.push(code::LIKELY, &[]),
        (Value::Double(_), _) => bits.push(code::DOUBLE, &[]),
        (Value::Decimal128(bytes), Number::Decimal(shortest))
            if Decimal128::from_bytes(*bytes) == shortest =>
        {
            bits.push(code::LIKELY, &[]);
        }
        (Value::Decimal128(bytes), _) => bits.push(code::DECIMAL, bytes),
        _ => {}
    }
}

//! The scan over a document's fields: names in place, values passed over by their size.

use super::raw::{RawDoc, Type, Value, name_len, value_size};
use std::ops::ControlFlow;

/// A field whose value was not read.
#[derive(Clone, Copy)]
pub struct RawField<'a> {
    name: &'a [u8],
    kind: u8,
    body: &'a [u8],
}

impl<'a> RawField<'a> {
    /// The field at the start of these bytes.
    pub(super) fn at(bytes: &'a [u8]) -> Option<RawField<'a>> {
        let (&kind, after_type) = bytes.split_first()?;
        let name_len = name_len(after_type)?;
        Some(RawField { name: &after_type[..name_len], kind, body: &after_type[name_len + 1..] })
    }

    /// Whether the field has this name. Names are short: a loop in place costs less than a call to compare memory.
    #[inline]
    pub fn is_named(self, name: &[u8]) -> bool {
        self.name.len() == name.len() && self.name.iter().zip(name).all(|(a, b)| a == b)
    }

    /// The value.
    pub fn value(self) -> Option<Value<'a>> {
        Some(Value::read(Type::from_byte(self.kind)?, self.body)?.0)
    }

    /// The bytes after the field.
    pub(super) fn behind(self) -> Option<&'a [u8]> {
        let size = match FIXED_SIZE[usize::from(self.kind)] {
            NOT_FIXED => value_size(Type::from_byte(self.kind)?, self.body)?,
            size => usize::from(size),
        };
        self.body.get(size..)
    }
}

impl<'a> RawDoc<'a> {
    /// Shows the fields in stored order until `visit` has seen enough. Values are read only if asked for.
    pub fn visit_fields(self, visit: &mut dyn FnMut(RawField<'a>) -> ControlFlow<()>) {
        let mut rest = self.as_bytes().get(4..).unwrap_or(&[]);
        while let Some(field) = RawField::at(rest) {
            match (visit(field), field.behind()) {
                (ControlFlow::Continue(()), Some(behind)) => rest = behind,
                _ => return,
            }
        }
    }
}

/// In [`FIXED_SIZE`], a type whose size its bytes tell, or none.
const NOT_FIXED: u8 = 0xFF;

/// The size in bytes of the values of a type, by its byte: what most fields are passed over by.
static FIXED_SIZE: [u8; 256] = {
    let mut sizes = [NOT_FIXED; 256];
    // double, date, timestamp, long
    sizes[0x01] = 8;
    sizes[0x09] = 8;
    sizes[0x11] = 8;
    sizes[0x12] = 8;
    // int, bool, ObjectId, decimal
    sizes[0x10] = 4;
    sizes[0x08] = 1;
    sizes[0x07] = 12;
    sizes[0x13] = 16;
    // undefined, null, MinKey, MaxKey
    sizes[0x06] = 0;
    sizes[0x0A] = 0;
    sizes[0xFF] = 0;
    sizes[0x7F] = 0;
    sizes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_sizes_are_those_of_the_types() {
        for byte in 0..=u8::MAX {
            let Some(kind) = Type::from_byte(byte) else {
                assert_eq!(FIXED_SIZE[usize::from(byte)], NOT_FIXED, "{byte}");
                continue;
            };
            // Lengths of 5 and of 14 are such that a text, a document and code with a scope have them.
            let sizes = [5u8, 14].map(|len| {
                let mut bytes = [0; 64];
                bytes[0] = len;
                value_size(kind, &bytes)
            });
            let is_fixed = sizes[0] == sizes[1] && kind != Type::Regex;
            let expected = if is_fixed { sizes[0].map_or(NOT_FIXED, |size| size as u8) } else { NOT_FIXED };
            assert_eq!(FIXED_SIZE[usize::from(byte)], expected, "{kind:?}");
        }
    }
}

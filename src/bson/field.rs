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
    /// The field at the start of these bytes. (Two calls for each field passed over would cost as much as the rest.)
    #[inline(always)]
    pub(super) fn at(bytes: &'a [u8]) -> Option<RawField<'a>> {
        let (&kind, after_type) = bytes.split_first()?;
        let name_len = name_len(after_type)?;
        Some(RawField { name: &after_type[..name_len], kind, body: &after_type[name_len + 1..] })
    }

    /// Whether the field has this name. Names are short: a loop in place costs less than a call to compare memory.
    #[inline(always)]
    pub fn is_named(self, name: &[u8]) -> bool {
        if self.name.len() != name.len() {
            return false;
        }
        let mut at = 0;
        while at < name.len() && self.name[at] == name[at] {
            at += 1;
        }
        at == name.len()
    }

    /// The value.
    pub fn value(self) -> Option<Value<'a>> {
        // The everyday type, without the way over its size.
        if self.kind == Type::Int32 as u8 {
            return self.body.first_chunk().map(|bytes| Value::Int32(i32::from_le_bytes(*bytes)));
        }
        Some(Value::read(Type::from_byte(self.kind)?, self.body)?.0)
    }

    /// The bytes after the field.
    #[inline(always)]
    pub(super) fn behind(self) -> Option<&'a [u8]> {
        self.body.get(value_size(Type::from_byte(self.kind)?, self.body)?..)
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

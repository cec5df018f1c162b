//! MongoDB Extended JSON v2: BSON as text, canonical and relaxed, and back.
//!
//! Source of the rules: the Extended JSON specification (v2), with its corpus of examples.
//!
//! Invariants
//! 1. Canonical text read back gives the same bytes (apart from the payload of NaN, non-canonical decimals, the order of
//!    the flags of a regular expression, and array element names).
//! 2. Reading gives a valid document within the limits or an error with the offset in the text; nothing panics, and
//!    recursion is bounded by the depth limit.
//! 3. A JSON object with a type wrapper's name (`$oid`, `$date`, …) is that type or an error. Names that are operators
//!    too (`$regex`, `$type`, `$ref`, `$scope`, `$options`) make a type only in the whole legacy form, and are data otherwise.
//!
//! The legacy forms that are read: `{$date: number}`, `{$binary: text, $type: hex}`, `{$regex: text, $options: text}`, and
//! `{$uuid: text}`. Deliberately absent: comments, single quotes, shell syntax such as `ISODate(…)`, writing legacy forms.

mod base64;
mod date;
mod double;
mod forms;
mod parse;
#[cfg(test)]
mod tests;
mod write;

pub use parse::{Parsed, parse_document, parse_prefix};
pub use write::{write_document, write_value};

/// Which of the two formats to write. Both are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every number and date says its type.
    Canonical,
    /// Numbers are JSON numbers, dates from 1970 to 9999 are ISO 8601 texts.
    Relaxed,
}

/// Why a text is not Extended JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Offset in bytes of what is wrong, or of the object that is no valid form of its type.
    pub offset: usize,
    pub kind: ParseErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// The text ends inside of a value.
    UnexpectedEnd,
    /// Something else than JSON has here; the text says what was expected.
    Expected(&'static str),
    /// Not UTF-8.
    NotUtf8,
    /// A number beyond the range of a double.
    NumberTooLarge,
    /// A field name or regular expression with a NUL.
    Nul,
    /// An object with the name of a type wrapper that is not a valid one.
    Wrapper(&'static str),
    /// Nested deeper than the limit.
    TooDeep { depth_max: usize },
    /// The document is larger than the limit.
    TooLarge { bytes_max: usize },
    /// Something follows the document.
    Trailing,
    /// The text is a value, and not a document.
    NotADocument,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let offset = self.offset;
        match &self.kind {
            ParseErrorKind::UnexpectedEnd => write!(f, "the text ends too early, at byte {offset}"),
            ParseErrorKind::Expected(what) => write!(f, "expected {what} at byte {offset}"),
            ParseErrorKind::NotUtf8 => write!(f, "not UTF-8 at byte {offset}"),
            ParseErrorKind::NumberTooLarge => write!(f, "a number out of range at byte {offset}"),
            ParseErrorKind::Nul => write!(f, "a NUL where there can be none, at byte {offset}"),
            ParseErrorKind::Wrapper(name) => write!(f, "not a valid {name} at byte {offset}"),
            ParseErrorKind::TooDeep { depth_max } => {
                write!(f, "nested deeper than {depth_max} levels at byte {offset}")
            }
            ParseErrorKind::TooLarge { bytes_max } => write!(f, "a document larger than {bytes_max} bytes"),
            ParseErrorKind::Trailing => write!(f, "unexpected text after the document at byte {offset}"),
            ParseErrorKind::NotADocument => write!(f, "not a document at byte {offset}"),
        }
    }
}

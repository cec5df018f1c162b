//! Updates: parsed once, applied to documents.
//!
//! Purpose: pure functions over BSON bytes. Parsing gives the errors that need no document, applying the others.
//! Source of the rules: mongod 6.0.5.
//!
//! Invariants
//! 1. Nothing here sees a page, a catalog, a clock or randomness. A new `_id` is the caller's to make, and so is the
//!    time that replaces an empty timestamp at the top of a replacement (`{t: Timestamp(0, 0)}`; operators keep it).
//! 2. An update that changes nothing gives no bytes, so nothing is written.
//! 3. Operators are rows of one table ([`operators::ALL`]); an operator is implemented, known but not yet (238), or
//!    unknown (9).
//! 4. Conflicts between paths are found when parsing, before a document is read.
//! 5. Operators are applied in the order of their paths, component by component, array indexes by number; new fields
//!    appear in that order. The order in which they were written has no meaning.
//!
//! Deliberately absent until built (238): pipelines, `$currentDate`, `$rename`, `$bit`, and the positional `$`, `$[]`,
//! `$[identifier]` with `arrayFilters`.

mod apply;
mod changed;
mod depth;
pub mod operators;
mod path;
mod replacement;
mod tree;
mod upsert;

#[cfg(test)]
mod tests;

pub use changed::Changed;

use crate::bson::{RawArray, RawDoc, Value};
use crate::error::{Code, Error, Result};
use crate::query::{Filter, OwnedValue};
use tree::Tree;

/// A parsed update.
#[derive(Clone, Debug)]
pub struct Update {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// The document that takes the place of the old one.
    Replacement(OwnedValue),
    /// Operators by path.
    Operators(Tree),
}

/// What an update is parsed with beside its document.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateOptions<'a> {
    /// `arrayFilters`, if given.
    pub array_filters: Option<RawArray<'a>>,
    /// `multi: true`, which replacements refuse.
    pub multi: bool,
}

/// What an update made of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The new bytes; `None` if nothing changed.
    pub document: Option<Vec<u8>>,
    /// The places that changed, so that indexes elsewhere are skipped.
    pub changed: Changed,
}

impl Update {
    /// Parses an update: a document of operators, a replacement, or a pipeline (238).
    ///
    /// # Errors
    /// 9 FailedToParse, 2, 14, 40, 52, 56 as MongoDB; 238 for what is not built yet.
    pub fn parse(update: &Value<'_>, options: UpdateOptions<'_>) -> Result<Update> {
        let doc = match update {
            Value::Document(doc) => *doc,
            Value::Array(_) => return Err(Error::not_implemented("an update with an aggregation pipeline")),
            _ => {
                let text = "Update argument must be either an object or an array";
                return Err(Error::new(Code::FailedToParse, text));
            }
        };
        if options.array_filters.is_some_and(|filters| !filters.is_empty()) {
            return Err(Error::not_implemented("arrayFilters in an update"));
        }
        let has_operators = doc.first().is_some_and(|first| first.name.as_bytes().first() == Some(&b'$'));
        if has_operators {
            return operators::parse(doc).map(|tree| Update { form: Form::Operators(tree) });
        }
        if options.multi {
            let text = "multi update is not supported for replacement-style update";
            return Err(Error::new(Code::FailedToParse, text));
        }
        replacement::check(doc)?;
        Ok(Update { form: Form::Replacement(OwnedValue::new(&Value::Document(doc))) })
    }

    /// Whether the update replaces whole documents.
    pub fn is_replacement(&self) -> bool {
        matches!(self.form, Form::Replacement(_))
    }

    /// Applies the update to a document.
    ///
    /// `filter` is the one the document was found by (for the positional `$`). `is_insert`: the document is that of an
    /// upsert, so `$setOnInsert` applies. An `_id` that the document has stays as it is in both cases.
    ///
    /// # Errors
    /// 28 PathNotViable, 2, 14, 66 ImmutableField, 34, 17419, 15, … as MongoDB.
    pub fn apply(&self, doc: RawDoc<'_>, filter: &Filter, is_insert: bool) -> Result<Applied> {
        // Only the positional `$`, which is refused when parsing, needs the filter.
        let _ = filter;
        match &self.form {
            Form::Replacement(new) => replacement::apply(
                new.get().as_document().unwrap_or(crate::bson::raw::EMPTY_DOCUMENT),
                doc,
                is_insert,
            ),
            Form::Operators(tree) => apply::apply(tree, doc, is_insert),
        }
    }

    /// The document an upsert inserts: the filter's equalities, then this update; `_id` first. Where neither gives an
    /// `_id`, `new_id` makes one, after everything that may fail.
    ///
    /// `filter` as parsed, not normalized: the form of a condition decides whether it gives a field.
    ///
    /// # Errors
    /// 54 NotSingleValueField, 111, 53, 52 and those of [`Update::apply`].
    pub fn upsert(&self, filter: &Filter, new_id: &mut dyn FnMut() -> [u8; 12]) -> Result<Vec<u8>> {
        upsert::document(self, filter, new_id)
    }
}

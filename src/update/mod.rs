//! Updates: parsed once, applied to documents.
//!
//! Purpose: pure functions over BSON bytes. Parsing gives the errors that need no document, applying the others.
//!
//! Invariants
//! 1. Nothing here sees a page, a catalog, a clock or randomness. A new `_id` and what a timestamp of zero becomes are
//!    the command layer's ([`Applied`] says where).
//! 2. An update that changes nothing gives no bytes, so nothing is written.
//! 3. Operators are rows of one table; an operator is implemented, known but not yet (238), or unknown (9).
//! 4. The conflicts between paths are found when parsing, before a document is read.

use crate::bson::{RawArray, RawDoc, Value};
use crate::error::{Error, Result};
use crate::query::Filter;

/// A parsed update.
#[derive(Clone, Debug)]
pub struct Update {}

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
    /// The places that changed, for indexes to be skipped; a replacement changes everything.
    pub changed: Changed,
}

/// Which places of a document an update changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Possibly everything.
    Everything,
    /// These dotted paths and what is below them. A path that leads through an array element has its index in it; a
    /// new field or element counts as a change of the path to it.
    Paths(Vec<String>),
}

impl Update {
    /// Parses an update: a document of operators, a replacement, or a pipeline (238).
    ///
    /// # Errors
    /// MongoDB's; 238 for what is not built yet.
    pub fn parse(update: &Value<'_>, _options: UpdateOptions<'_>) -> Result<Update> {
        let _ = update;
        Err(Error::not_implemented("update"))
    }

    /// Whether the update replaces whole documents.
    pub fn is_replacement(&self) -> bool {
        false
    }

    /// Applies the update to a document.
    ///
    /// `filter` is the one the document was found by (for the positional `$`). `is_insert`: the document is that of an
    /// upsert, `$setOnInsert` applies, and there is no `_id` yet that must stay.
    ///
    /// # Errors
    /// MongoDB's: 28, 2, 14, 66, 34, 10334, ….
    pub fn apply(&self, doc: RawDoc<'_>, filter: &Filter, is_insert: bool) -> Result<Applied> {
        let _ = (doc, filter, is_insert);
        Err(Error::not_implemented("update"))
    }

    /// The document an upsert inserts: the filter's equalities, then this update. It has an `_id` only if one of the two
    /// gives it.
    ///
    /// # Errors
    /// 54 NotSingleValueField where two equalities meet, and those of [`Update::apply`].
    pub fn upsert(&self, filter: &Filter) -> Result<Vec<u8>> {
        let _ = filter;
        Err(Error::not_implemented("upsert"))
    }
}

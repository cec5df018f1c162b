//! Plans: how the documents that a query asks for are found.
//!
//! Filter → normal form → bounds of each index → candidates → rules → choice. Nothing here reads a page.
//!
//! Invariants
//! 1. A plan never changes an answer: whatever index is taken, or none, the same documents come; with a sort in the same
//!    order up to ties.
//! 2. The choice depends on the query and the catalog only.
//!
//! Deliberately absent: trial runs, statistics, index intersection, merged sorts.

mod choose;
mod index_bounds;
mod interval;
mod leaf_bounds;
mod sort_order;
#[cfg(test)]
mod tests;

pub use choose::plan;
pub use index_bounds::{FieldBounds, KeyRange, corner};
pub use leaf_bounds::id_equality;

use crate::bson::order::Direction;
use crate::query::{Expr, Filter, OwnedValue, SortPattern};

/// What a query asks of a collection, parsed.
#[derive(Clone, Debug)]
pub struct Query {
    /// In normal form.
    pub filter: Filter,
    /// The value of `_id` if the filter is just that.
    pub id: Option<OwnedValue>,
    pub sort: SortPattern,
    pub skip: u64,
    /// `None` for no limit.
    pub limit: Option<u64>,
    pub hint: Option<Hint>,
    /// The paths that the caller looks at; `None` for whole documents.
    pub needs: Option<Vec<String>>,
}

impl Query {
    /// A query of all documents that match.
    ///
    /// # Errors
    /// Those of filters.
    pub fn of_filter(filter: crate::bson::RawDoc<'_>) -> crate::error::Result<Query> {
        Ok(Query {
            id: id_equality(filter).map(|value| OwnedValue::new(&value)),
            filter: Filter::parse(filter)?.normalize(),
            sort: SortPattern::none(),
            skip: 0,
            limit: None,
            hint: None,
            needs: None,
        })
    }
}

/// The plan that the caller wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    Natural(Direction),
    /// An index by its name.
    Name(String),
    /// An index by its key pattern: the bytes of the document.
    Pattern(Vec<u8>),
}

/// Where documents come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// There are none.
    Nothing,
    /// All records in the order of their insertion, or against it.
    Collection(Direction),
    /// The one record whose `_id` is this.
    Id(OwnedValue),
    Index(IndexAccess),
    /// Several index scans, each for one alternative of the filter.
    Any(Vec<IndexAccess>),
}

/// A scan of an index.
#[derive(Clone, Debug)]
pub struct IndexAccess {
    /// The index's place in its collection.
    pub index: usize,
    pub direction: Direction,
    pub fields: Vec<FieldBounds>,
    /// If the keys give all that is asked of the documents: the positions of those fields in the index.
    pub covers: Option<Vec<usize>>,
    /// What the document must be asked yet.
    pub filter: Option<Expr>,
    /// What the document is asked if it may have changed since its key was read.
    pub whole_filter: Expr,
}

/// A plan.
#[derive(Clone, Debug)]
pub struct Plan {
    pub source: Source,
    /// What a document must be asked that a collection scan found, or one of several scans.
    pub filter: Option<Expr>,
    /// The order that the source does not give.
    pub sort: Option<SortPattern>,
    pub skip: u64,
    pub limit: Option<u64>,
}

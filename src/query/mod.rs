//! Filters, projections and sort patterns: parsed once, evaluated over many documents.
//!
//! Purpose: pure functions over BSON bytes. Parsing gives every error MongoDB gives, before a document is read;
//! evaluating cannot fail.
//!
//! Invariants
//! 1. Nothing here sees a page, a catalog, a clock or randomness.
//! 2. A parsed [`Filter`] owns its bytes: it outlives the command that brought it.
//! 3. Operators are rows of two tables ([`operators::TOP_LEVEL`], [`operators::OF_FIELD`]); an operator is
//!    implemented, known but not yet (238), or unknown (MongoDB's own error). Nothing else dispatches on names.
//! 4. [`Filter::matches`] allocates nothing.

mod ast;
pub(crate) mod field_path;
mod known_expressions;
mod matches;
mod normalize;
pub mod operators;
mod parse;
pub mod projection;
pub mod sort;
#[cfg(test)]
pub(crate) mod tests;

pub use crate::bson::path::Path;
pub use crate::bson::show;
pub use ast::{Comparison, Expr, Filter, InSet, OwnedValue, Test, TypeSet, ValueTest};
pub use parse::Parser;
pub use projection::Projection;
pub use sort::SortPattern;

//! BSON as bytes: reading without copying, building, order, arithmetic, paths and Extended JSON.
//!
//! Purpose: everything above the pages works on raw BSON bytes. Documents are validated once, at the boundary
//! (`validate`), and from then on are read through [`RawDoc`] without further checks of structure.
//!
//! Invariants
//! 1. Nothing here allocates a tree of values; a value borrows from its document.
//! 2. A [`RawDoc`] was validated or built by [`DocBuilder`]; reading one never panics, even if it was not: a malformed
//!    element ends the iteration.
//! 3. Deliberately absent: clocks, randomness (object ids are the host's to make), and the `bson` crate, which is
//!    linked into native tests only.
//!
//! What the `bson` crate would cost: version 3.1, used for nothing but iterating raw documents, makes a WebAssembly module
//! 50 KB larger (gzip, after `wasm-opt -Oz`, without names: 4.7 to 55.1 KB; a few of these are descriptors that
//! `wasm-bindgen` takes out again), as it brings rand, time, uuid and getrandom. More than the 20 KB that it could
//! have had, so the readers of the bytes here are our own.

pub mod build;
pub mod decimal128;
pub mod ejson;
mod field;
mod kind;
pub mod number;
pub mod order;
pub mod path;
#[cfg(test)]
pub(crate) mod property;
pub mod raw;
pub mod show;
pub mod validate;

pub use build::{ArrayBuilder, DocBuilder};
pub use decimal128::Decimal128;
pub use field::RawField;
pub use order::{Direction, canonical_type, compare, compare_docs, equal};
pub use path::Path;
pub use raw::{Element, RawArray, RawDoc, Str, Type, Value};
pub use validate::{Limits, ValidateError, validate};

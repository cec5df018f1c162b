//! Commands on indexes: what a specification may say, building, dropping.

mod build;
pub mod create;
pub mod drop;
mod spec;

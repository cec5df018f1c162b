//! PandoDB's engine: MongoDB's document model over pages that may not be in memory.
#![forbid(unsafe_code)]

pub mod bson;
pub mod btree;
pub mod error;
pub mod pager;
pub mod query;
pub mod store;
pub mod update;

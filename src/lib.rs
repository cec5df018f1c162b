//! PandoDB's engine: MongoDB's document model over pages that may not be in memory.
#![forbid(unsafe_code)]

pub mod bson;
pub mod btree;
pub mod catalog;
pub mod command;
pub mod engine;
pub mod error;
pub mod exec;
pub mod host;
pub mod host_loop;
pub mod key;
pub mod pager;
pub mod plan;
pub mod query;
pub mod records;
pub mod session;
pub mod sorted;
pub mod step;
pub mod store;
pub mod update;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

//! The table of commands: every name that MongoDB has, with a parser where PandoDB has the command.

use super::running::Running;
use super::{
    Request, count, create, delete, drop, explain, find, get_more, hello, indexes, insert, kill_cursors,
    lists, update,
};
use crate::error::Result;

/// Parses a request of one command.
pub type Parse = fn(&Request<'_>) -> Result<Box<dyn Running>>;

/// One command.
pub struct Row {
    pub name: &'static str,
    /// `None`: known, but not built yet.
    pub parse: Option<Parse>,
    /// Whether it takes a `writeConcern`.
    pub writes: bool,
}

const fn reads(name: &'static str, parse: Parse) -> Row {
    Row { name, parse: Some(parse), writes: false }
}

const fn writes(name: &'static str, parse: Parse) -> Row {
    Row { name, parse: Some(parse), writes: true }
}

const fn later(name: &'static str) -> Row {
    Row { name, parse: None, writes: true }
}

/// All commands, in alphabetical order.
pub const COMMANDS: &[Row] = &[
    later("abortTransaction"),
    later("aggregate"),
    reads("buildInfo", hello::parse_build_info),
    reads("buildinfo", hello::parse_build_info),
    later("bulkWrite"),
    later("cloneCollectionAsCapped"),
    later("collMod"),
    later("collStats"),
    later("commitTransaction"),
    later("compact"),
    later("connectionStatus"),
    later("convertToCapped"),
    reads("count", count::parse),
    writes("create", create::parse),
    writes("createIndexes", indexes::create::parse),
    later("currentOp"),
    later("dataSize"),
    later("dbStats"),
    writes("delete", delete::parse),
    later("distinct"),
    writes("drop", drop::parse),
    writes("dropDatabase", drop::parse_database),
    writes("dropIndexes", indexes::drop::parse),
    later("endSessions"),
    writes("deleteIndexes", indexes::drop::parse),
    reads("explain", explain::parse),
    reads("find", find::parse),
    later("findAndModify"),
    later("findandmodify"),
    later("fsync"),
    later("getLog"),
    reads("getMore", get_more::parse),
    later("getParameter"),
    reads("hello", hello::parse_hello),
    later("hostInfo"),
    writes("insert", insert::parse),
    reads("isMaster", hello::parse_is_master),
    reads("ismaster", hello::parse_is_master),
    reads("killCursors", kill_cursors::parse),
    later("killOp"),
    later("killSessions"),
    reads("listCollections", lists::parse_collections),
    later("listCommands"),
    reads("listDatabases", lists::parse_databases),
    reads("listIndexes", lists::parse_indexes),
    later("logout"),
    later("mapReduce"),
    later("mapreduce"),
    reads("ping", hello::parse_ping),
    later("profile"),
    later("reIndex"),
    later("refreshSessions"),
    later("renameCollection"),
    later("serverStatus"),
    later("startSession"),
    later("top"),
    writes("update", update::parse),
    later("validate"),
    later("whatsmyuri"),
];

/// The row of a name. Names are compared as they are.
pub fn find(name: &str) -> Option<&'static Row> {
    COMMANDS.iter().find(|row| row.name == name)
}

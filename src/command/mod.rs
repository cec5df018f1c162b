//! Commands: one file each, found through one table.
//!
//! A request is one BSON document whose first field is the command, with `$db` beside it, as in OP_MSG; a reply is one
//! document with `ok`. Three outcomes of a name: a row with a parser; a row without, for what MongoDB has and PandoDB
//! has not yet (238); no row (59).
//!
//! Invariants
//! 1. Untrusted bytes are validated here, once, before anything looks at them.
//! 2. MongoDB's codes are made here and in the languages (`query/`, `update/`); a page fault never becomes one.

mod batch;
mod count;
mod count_request;
mod create;
mod cursor_reply;
mod delete;
mod drop;
mod explain;
pub mod fields;
mod find;
mod find_request;
mod get_more;
mod hello;
mod indexes;
mod insert;
mod kill_cursors;
mod let_variables;
mod lists;
pub mod running;
pub mod table;
mod update;
mod write;

use crate::bson::validate::Fault;
use crate::bson::{DocBuilder, Limits, RawDoc, ValidateError, Value, validate};
use crate::catalog::Namespace;
use crate::error::{Code, Error, Result};
use crate::store::Durability;
use std::rc::Rc;

pub use drop::sweep;
use running::{Access, Context, Progress, Running};

/// The largest document that is stored, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The largest request, in bytes, as a driver may send it.
pub const MESSAGE_BYTES_MAX: usize = 48_000_000;

/// The most operations of one write command.
pub const BATCH_OPERATIONS_MAX: usize = 100_000;

/// Which MongoDB the engine says it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Version {
    /// 6.0, wire version 17.
    #[default]
    V6,
    /// 8.0, wire version 25.
    V8,
}

/// What commands know of how the engine was opened.
#[derive(Clone, Debug)]
pub struct Settings {
    pub version: Version,
    /// The most bytes of documents in one reply of a cursor, unless one document has more. MongoDB's 16 MB; less where
    /// there is no network to be spared and memory is dear.
    pub batch_bytes_max: usize,
    /// How much one sort keeps in memory: MongoDB's `internalQueryMaxBlockingSortMemoryUsageBytes`.
    pub sort_bytes_max: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            version: Version::default(),
            batch_bytes_max: DOCUMENT_BYTES_MAX,
            sort_bytes_max: crate::exec::SortLimits::default().bytes_max,
        }
    }
}

/// A request whose envelope was read.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The command's name, as sent.
    pub name: &'a str,
    pub database: &'a str,
    /// The whole document.
    pub doc: RawDoc<'a>,
    /// The same bytes, for commands that keep them instead of a copy.
    pub bytes: &'a Rc<Vec<u8>>,
    pub settings: &'a Settings,
}

impl<'a> Request<'a> {
    /// The value of the command field itself.
    pub fn argument(&self) -> Value<'a> {
        self.doc.first().map_or(Value::Null, |element| element.value)
    }

    /// Whether the write is to survive power loss: `writeConcern: {j: true}`.
    pub fn durability(&self) -> Durability {
        let concern = self.doc.get("writeConcern").and_then(|concern| concern.as_document());
        match concern.and_then(|concern| concern.get("j")) {
            Some(Value::Bool(true)) => Durability::Strict,
            _ => Durability::Relaxed,
        }
    }

    /// `maxTimeMS`; 0 is no limit.
    pub fn time_limit_ms(&self) -> Option<u64> {
        let limit = self.doc.get("maxTimeMS").and_then(|value| fields::integer(&value))?;
        u64::try_from(limit).ok().filter(|limit| *limit > 0)
    }

    /// The collection that the command field names.
    ///
    /// # Errors
    /// 2 for what is no string, 73 for a bad name.
    pub fn namespace(&self) -> Result<Namespace> {
        match self.argument() {
            Value::String(name) => Namespace::new(self.database, name.as_str()),
            other => {
                let found = other.kind().alias();
                Err(Error::new(Code::BadValue, format!("collection name has invalid type {found}")))
            }
        }
    }
}

/// Parses a request into a command that runs.
///
/// # Errors
/// 22 for bytes that are no BSON, 59 and 238 for the name, and whatever the command's parser finds.
pub fn parse(bytes: &Rc<Vec<u8>>, settings: &Settings) -> Result<Box<dyn Running>> {
    if bytes.len() > MESSAGE_BYTES_MAX {
        let message = format!("the request of {} bytes is larger than {MESSAGE_BYTES_MAX}", bytes.len());
        return Err(Error::new(Code::BSONObjectTooLarge, message));
    }
    let limits = Limits { bytes_max: MESSAGE_BYTES_MAX, ..Limits::COMMAND };
    let doc = validate(bytes, limits).map_err(|error| invalid_bson(&error))?;
    let Some(first) = doc.first() else {
        return Err(Error::new(Code::CommandNotFound, "no such command: ''"));
    };
    let name = first.name.as_str();
    let Some(row) = table::find(name) else {
        return Err(Error::new(Code::CommandNotFound, format!("no such command: '{name}'")));
    };
    let database = match doc.get("$db") {
        Some(Value::String(database)) => database.as_str(),
        Some(other) => return Err(fields::wrong_type("$db", &other, fields::Kind::String)),
        None => return Err(fields::missing("OpMsgRequest", "$db")),
    };
    let request = Request { name, database, doc, bytes, settings };
    check_generic(&request, row)?;
    match row.parse {
        Some(parse) => parse(&request),
        None => Err(Error::not_implemented(format!("the command {name}"))),
    }
}

fn invalid_bson(error: &ValidateError) -> Error {
    let code = match error.fault {
        Fault::TooDeep { .. } => Code::Overflow,
        Fault::TooLarge { .. } => Code::BSONObjectTooLarge,
        _ => Code::InvalidBSON,
    };
    Error::new(code, error.to_string())
}

fn check_generic(request: &Request<'_>, row: &table::Row) -> Result<()> {
    match request.doc.get("maxTimeMS") {
        None => {}
        Some(value) if !value.is_number() => {
            return Err(Error::new(Code::BadValue, "maxTimeMS must be a number"));
        }
        Some(value) => match fields::integer(&value) {
            Some(v) if (0..=i64::from(i32::MAX)).contains(&v) => {}
            _ => {
                let message = "maxTimeMS is out of range [0,2147483647]";
                return Err(Error::new(Code::BadValue, message));
            }
        },
    }
    for name in ["startTransaction", "autocommit"] {
        if request.doc.get(name).is_some() {
            return Err(Error::not_implemented("a transaction"));
        }
    }
    match request.doc.get("writeConcern") {
        None => Ok(()),
        Some(Value::Document(concern)) if row.writes => check_write_concern(concern),
        Some(Value::Document(_)) => {
            Err(Error::new(Code::InvalidOptions, "Command does not support writeConcern"))
        }
        Some(other) => {
            let found = other.kind().alias();
            let message = format!("\"writeConcern\" had the wrong type. Expected object, found {found}");
            Err(Error::new(Code::TypeMismatch, message))
        }
    }
}

fn check_write_concern(concern: RawDoc<'_>) -> Result<()> {
    for element in concern.iter() {
        if !["w", "j", "wtimeout", "fsync", "getLastError", "provenance"].contains(&element.name.as_str()) {
            let message = format!("BSON field 'WriteConcernOptions.{}' is an unknown field.", element.name);
            return Err(Error::new(Code::location(40415), message));
        }
    }
    Ok(())
}

/// The reply of an error.
pub fn error_reply(error: &Error) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    doc.push("ok", 0.0)
        .push("errmsg", error.message.as_str())
        .push("code", error.code.0)
        .push("codeName", error.code.name().as_str());
    if let Some(details) = &error.details {
        for element in RawDoc::from_validated(details).iter() {
            doc.push(element.name, element.value);
        }
    }
    if !error.labels.is_empty() {
        doc.array("errorLabels", |labels| {
            for label in &error.labels {
                labels.push(*label);
            }
        });
    }
    doc.finish()
}

/// A reply of `fill`'s fields and `ok: 1`.
pub fn ok_reply(fill: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    fill(&mut doc);
    doc.push("ok", 1.0);
    doc.finish()
}

/// A command that answers at once, from what it was parsed with and the clock.
pub struct Immediate<F: FnMut(&mut Context<'_>) -> Vec<u8>>(pub F);

impl<F: FnMut(&mut Context<'_>) -> Vec<u8>> Running for Immediate<F> {
    fn access(&self) -> Access {
        Access::Read
    }

    fn step(&mut self, cx: &mut Context<'_>) -> crate::step::Step<Progress> {
        Ok(Progress::Reply((self.0)(cx)))
    }
}

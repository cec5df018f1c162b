//! `hello`, `isMaster`, `ping`, `buildInfo`: what this is.

use super::fields::{Field, Fields, Kind};
use super::running::Running;
use super::{
    BATCH_OPERATIONS_MAX, DOCUMENT_BYTES_MAX, Immediate, MESSAGE_BYTES_MAX, Request, Version, ok_reply,
};
use crate::bson::{DocBuilder, Value};
use crate::error::Result;

const HELLO_FIELDS: &[Field] = &[
    Field::optional("helloOk", Kind::Bool),
    Field::optional("client", Kind::Document),
    Field::optional("compression", Kind::Array),
    Field::optional("saslSupportedMechs", Kind::Any),
    Field::optional("speculativeAuthenticate", Kind::Document),
    Field::optional("topologyVersion", Kind::Document),
    Field::optional("maxAwaitTimeMS", Kind::Integer),
    Field::optional("loadBalanced", Kind::Bool),
    Field::optional("forShell", Kind::Any),
    Field::optional("hostInfo", Kind::Any),
    Field::optional("hangUpOnStepDown", Kind::Bool),
    Field::optional("internalClient", Kind::Document),
];

/// Parses `hello`.
pub fn parse_hello(request: &Request<'_>) -> Result<Box<dyn Running>> {
    hello(request, "isWritablePrimary")
}

/// Parses `isMaster`, the older name.
pub fn parse_is_master(request: &Request<'_>) -> Result<Box<dyn Running>> {
    hello(request, "ismaster")
}

fn hello(request: &Request<'_>, primary: &'static str) -> Result<Box<dyn Running>> {
    let fields = Fields::of_command(request.name, request.doc, HELLO_FIELDS)?;
    let hello_ok = fields.bool_or("helloOk", false);
    let version = request.settings.version;
    Ok(Box::new(Immediate(move |cx| {
        let now_ms = cx.host.now_ms();
        ok_reply(|doc| {
            if hello_ok {
                doc.push("helloOk", true);
            }
            doc.push(primary, true)
                .push("maxBsonObjectSize", DOCUMENT_BYTES_MAX as i32)
                .push("maxMessageSizeBytes", MESSAGE_BYTES_MAX as i32)
                .push("maxWriteBatchSize", BATCH_OPERATIONS_MAX as i32)
                .push("localTime", Value::DateTime(now_ms))
                .push("logicalSessionTimeoutMinutes", 30)
                .push("connectionId", 1)
                .push("minWireVersion", 0)
                .push("maxWireVersion", version.wire_version())
                .push("readOnly", false);
        })
    })))
}

/// Parses `ping`.
pub fn parse_ping(request: &Request<'_>) -> Result<Box<dyn Running>> {
    crate::catalog::check_database(request.database)?;
    Fields::of_command("ping", request.doc, &[])?;
    Ok(Box::new(Immediate(|_| ok_reply(|_| {}))))
}

/// Parses `buildInfo`.
pub fn parse_build_info(request: &Request<'_>) -> Result<Box<dyn Running>> {
    Fields::of_command(request.name, request.doc, &[])?;
    let version = request.settings.version;
    Ok(Box::new(Immediate(move |_| ok_reply(|doc| push_build_info(doc, version)))))
}

fn push_build_info(doc: &mut DocBuilder, version: Version) {
    let numbers = version.numbers();
    let text = format!("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
    doc.push("version", text.as_str())
        .push("gitVersion", "")
        .array("modules", |_| {})
        .push("allocator", "system")
        .push("javascriptEngine", "none")
        .push("sysInfo", "deprecated")
        .array("versionArray", |list| {
            for number in numbers {
                list.push(number);
            }
        })
        .push("bits", 64)
        .push("debug", false)
        .push("maxBsonObjectSize", DOCUMENT_BYTES_MAX as i32)
        .array("storageEngines", |list| {
            list.push("pandodb");
        })
        .push("pandodb", env!("CARGO_PKG_VERSION"));
}

impl Version {
    /// The largest wire version of the drivers' protocol that goes with it.
    pub fn wire_version(self) -> i32 {
        match self {
            Version::V6 => 17,
            Version::V8 => 25,
        }
    }

    fn numbers(self) -> [i32; 4] {
        match self {
            Version::V6 => [6, 0, 5, 0],
            Version::V8 => [8, 0, 0, 0],
        }
    }
}

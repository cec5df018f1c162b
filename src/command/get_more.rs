//! `getMore`: the next batch of a cursor.

use super::Request;
use super::cursor_reply::{Batch, Filled, check_alive};
use super::fields::{Field, Fields, Kind, missing};
use super::find_request::not_negative;
use super::running::{Access, Context, Progress, Running};
use crate::bson::Value;
use crate::catalog::Namespace;
use crate::error::{Code, Error, Result};
use crate::exec::{CursorId, OpenCursor, TakeError, Use};
use crate::step::Step;

const FIELDS: &[Field] = &[
    Field::required("collection", Kind::String),
    Field::optional("batchSize", Kind::Integer),
    Field::optional("term", Kind::Integer),
    Field::optional("lastKnownCommittedOpTime", Kind::Document),
    Field::optional("includeQueryStatsMetrics", Kind::Bool),
];

struct GetMore {
    id: CursorId,
    namespace: Namespace,
    batch_size: Option<u64>,
    has_time_limit: bool,
    filling: Option<(OpenCursor, Batch)>,
    /// Held while it works.
    used: Option<Use>,
}

/// Parses `getMore`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    let id = match request.argument() {
        Value::Int64(id) => CursorId(id),
        Value::Null | Value::Undefined => return Err(missing("getMore", "getMore")),
        other => return Err(not_a_long("getMore.getMore", &other)),
    };
    let fields = Fields::of_command("getMore", request.doc, FIELDS)?;
    let collection = fields.string("collection").unwrap_or("");
    if collection.is_empty() {
        return Err(Error::new(Code::InvalidNamespace, "Collection names cannot be empty"));
    }
    let namespace = Namespace::new(request.database, collection)?;
    let batch_size = not_negative(&fields, "batchSize")?.filter(|size| *size > 0);
    let has_time_limit = request.time_limit_ms().is_some();
    Ok(Box::new(GetMore { id, namespace, batch_size, has_time_limit, filling: None, used: None }))
}

/// The error of a cursor id that is no long.
pub(super) fn not_a_long(path: &str, value: &Value<'_>) -> Error {
    let found = value.kind().alias();
    let message = format!("BSON field '{path}' is the wrong type '{found}', expected type 'long'");
    Error::new(Code::TypeMismatch, message)
}

impl GetMore {
    fn take(&mut self, cx: &mut Context<'_>) -> Result<OpenCursor> {
        let now_ms = cx.host.now_ms();
        let (cursor, used) =
            cx.cursors.take(self.id, &self.namespace, now_ms).map_err(|error| match error {
                TakeError::NotFound => {
                    Error::new(Code::CursorNotFound, format!("cursor id {} not found", self.id.0))
                }
                TakeError::InUse => {
                    Error::new(Code::CursorInUse, format!("cursor id {} is already in use", self.id.0))
                }
                TakeError::OfOther(other) => Error::new(
                    Code::Unauthorized,
                    format!(
                        "Requested getMore on namespace '{}', but cursor belongs to a different namespace {}",
                        self.namespace.full(),
                        other.full()
                    ),
                ),
            })?;
        if self.has_time_limit {
            cx.cursors.put_back(self.id, cursor, now_ms);
            let message = "cannot set maxTimeMS on getMore command for a non-awaitData cursor";
            return Err(Error::new(Code::BadValue, message));
        }
        self.used = Some(used);
        Ok(cursor)
    }
}

impl Running for GetMore {
    fn access(&self) -> Access {
        Access::Read
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if self.filling.is_none() {
            let cursor = self.take(cx)?;
            self.filling = Some((cursor, Batch::new(self.batch_size, cx.settings)));
        }
        if self.used.as_ref().is_some_and(Use::was_killed) {
            return Err(Error::new(Code::CursorKilled, "operation was interrupted").into());
        }
        let Some((cursor, batch)) = &mut self.filling else { return Ok(Progress::More) };
        check_alive(cx, &cursor.namespace, cursor.uuid.as_ref(), &cursor.executor)?;
        let filled = batch.fill(cursor, cx)?;
        if filled == Filled::NotYet {
            return Ok(Progress::More);
        }
        let Some((cursor, batch)) = self.filling.take() else { return Ok(Progress::More) };
        let goes_on = filled == Filled::Full && !cursor.executor.is_eof();
        if goes_on {
            cx.cursors.put_back(self.id, cursor, cx.host.now_ms());
        }
        Ok(Progress::Reply(batch.reply("nextBatch", goes_on.then_some(self.id), &self.namespace)))
    }
}

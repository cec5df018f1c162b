//! `killCursors`: ends cursors.

use super::fields::{Field, Fields, Kind};
use super::get_more::not_a_long;
use super::running::Running;
use super::{Immediate, Request, ok_reply};
use crate::bson::Value;
use crate::error::Result;
use crate::exec::CursorId;

const FIELDS: &[Field] = &[Field::required("cursors", Kind::Array)];

/// Parses `killCursors`. As in MongoDB, the collection need not be the cursors'.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    request.namespace()?;
    let fields = Fields::of_command("killCursors", request.doc, FIELDS)?;
    let mut ids = Vec::new();
    for (place, value) in fields.array("cursors").into_iter().flat_map(|list| list.iter()).enumerate() {
        match value {
            Value::Int64(id) => ids.push(CursorId(id)),
            other => return Err(not_a_long(&format!("killCursors.cursors.{place}"), &other)),
        }
    }
    Ok(Box::new(Immediate(move |cx| {
        let now_ms = cx.host.now_ms();
        let (killed, unknown): (Vec<CursorId>, Vec<CursorId>) =
            ids.iter().copied().partition(|id| cx.cursors.kill(*id, now_ms));
        ok_reply(|reply| {
            for (name, list) in [("cursorsKilled", &killed), ("cursorsNotFound", &unknown)] {
                reply.array(name, |a| {
                    for id in list {
                        a.push(id.0);
                    }
                });
            }
            reply.array("cursorsAlive", |_| {}).array("cursorsUnknown", |_| {});
        })
    })))
}

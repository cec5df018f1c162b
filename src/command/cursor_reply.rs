//! Batches of documents, and the replies that carry them.

use super::running::Context;
use super::{Settings, ok_reply};
use crate::bson::{ArrayBuilder, DocBuilder, RawArray, RawDoc};
use crate::catalog::{Collection, Namespace};
use crate::error::{Code, Error};
use crate::exec::{CursorId, ExecContext, Executor, OpenCursor, ROWS_PER_STEP, Work};
use crate::step::Step;
use std::rc::Rc;

/// The documents of one reply.
#[derive(Debug)]
pub struct Batch {
    documents: ArrayBuilder,
    count_max: u64,
    bytes_max: usize,
}

/// How far a batch got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filled {
    /// Go on in the next step.
    NotYet,
    Full,
    /// The execution has ended.
    Ended,
}

impl Batch {
    /// An empty batch; `None` bounds its bytes only.
    pub fn new(count_max: Option<u64>, settings: &Settings) -> Batch {
        let count_max = count_max.unwrap_or(u64::MAX);
        Batch { documents: ArrayBuilder::new(), count_max, bytes_max: settings.batch_bytes_max }
    }

    /// Adds documents, for one step.
    pub fn fill(&mut self, cursor: &mut OpenCursor, cx: &mut Context<'_>) -> Step<Filled> {
        let reader = cx.pager.reader();
        let mut exec = ExecContext::new(&reader, cx.spilled);
        let filled = self.fill_from(cursor, &mut exec);
        cx.rows_spent += exec.rows_spent;
        filled
    }

    fn fill_from(&mut self, cursor: &mut OpenCursor, exec: &mut ExecContext<'_>) -> Step<Filled> {
        loop {
            if self.documents.count() as u64 >= self.count_max {
                return Ok(Filled::Full);
            }
            if exec.rows_spent >= ROWS_PER_STEP {
                return Ok(Filled::NotYet);
            }
            match cursor.executor.work(exec)? {
                Work::Row(row) => {
                    exec.rows_spent += 1;
                    let whole = RawDoc::from_validated(row.bytes());
                    let shown = shown(cursor, whole, row.id.0);
                    let doc = shown.as_deref().map_or(whole, RawDoc::from_validated);
                    if self.documents.count() > 0 && self.documents.size() + doc.size() > self.bytes_max {
                        cursor.executor.take_back(row);
                        return Ok(Filled::Full);
                    }
                    self.documents.push(doc);
                }
                Work::NeedTime => return Ok(Filled::NotYet),
                Work::Eof => return Ok(Filled::Ended),
            }
        }
    }

    /// The reply. `name` is `firstBatch` or `nextBatch`; no id means that there is nothing more.
    pub fn reply(self, name: &str, id: Option<CursorId>, namespace: &Namespace) -> Vec<u8> {
        let documents = self.documents.finish();
        let mut doc = DocBuilder::with_capacity(documents.len() + 128);
        doc.document("cursor", |cursor| {
            cursor.push(name, RawArray::from_validated(&documents));
            cursor.push("id", id.map_or(0, |id| id.0)).push("ns", namespace.full().as_str());
        });
        doc.push("ok", 1.0);
        doc.finish()
    }
}

/// The document as it is answered, if not as it is stored.
fn shown(cursor: &OpenCursor, doc: RawDoc<'_>, record: u64) -> Option<Vec<u8>> {
    if cursor.projection.is_none() && !cursor.shows_record_id {
        return None;
    }
    let mut out = DocBuilder::with_capacity(64);
    match &cursor.projection {
        Some(projection) => projection.apply_into(doc, &mut out),
        None => doc.iter().for_each(|element| {
            out.push(element.name, element.value);
        }),
    }
    if cursor.shows_record_id {
        out.push("$recordId", record as i64);
    }
    Some(out.finish())
}

/// The reply of a find on a collection that there is not.
pub fn empty_reply(namespace: &Namespace) -> Vec<u8> {
    ok_reply(|doc| {
        doc.document("cursor", |cursor| {
            cursor.push("id", 0_i64).push("ns", namespace.full().as_str());
            cursor.array("firstBatch", |_| {});
        });
    })
}

/// The collection as readers see it.
pub fn collection(cx: &mut Context<'_>, namespace: &Namespace) -> Step<Option<Rc<Collection>>> {
    cx.collection(namespace)
}

/// That what an execution reads is still there, as it was when it began.
///
/// # Errors
/// 175 `QueryPlanKilled`.
pub fn check_alive(
    cx: &mut Context<'_>,
    namespace: &Namespace,
    uuid: Option<&[u8; 16]>,
    executor: &Executor,
) -> Step<()> {
    let Some(uuid) = uuid else { return Ok(()) };
    let killed = |message: String| Err(Error::new(Code::QueryPlanKilled, message).into());
    match collection(cx, namespace)? {
        Some(found) if found.uuid == *uuid => match executor.lost_index(&found) {
            None => Ok(()),
            Some(index) => killed(format!("index '{index}' dropped")),
        },
        _ => killed(format!("collection dropped. UUID {}", uuid_text(uuid))),
    }
}

fn uuid_text(uuid: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (i, byte) in uuid.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

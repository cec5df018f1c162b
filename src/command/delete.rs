//! `delete`: removes the documents that match, one or all, for each operation of a batch.

use super::batch::{self, Finding, Pending, Position, Tally};
use super::fields::{self, Field, Fields, Kind};
use super::running::{Access, Context, Progress, Running, Saved};
use super::{Request, ok_reply, write};
use crate::bson::{RawDoc, Value};
use crate::catalog::{Collection, Namespace};
use crate::error::{Code, Error, Result};
use crate::plan::Query;
use crate::query::{Filter, show};
use crate::records::DocumentWrite;
use crate::step::Step;
use crate::store::Durability;
use std::rc::Rc;

const FIELDS: &[Field] = &[
    Field::optional("delete", Kind::Any),
    Field::required("deletes", Kind::Array),
    Field::optional("ordered", Kind::Bool),
    Field::optional("let", Kind::Document),
    Field::optional("bypassDocumentValidation", Kind::BoolOrNumber),
];

const OPERATION_FIELDS: &[Field] = &[
    Field::required("q", Kind::Document),
    Field::required("limit", Kind::Any),
    Field::optional("hint", Kind::Any),
    Field::optional("collation", Kind::Document),
];

/// One parsed delete.
pub struct DeleteOperation {
    pub query: Result<Query>,
    pub one: bool,
}

#[derive(Clone, Default)]
struct Counts {
    removed: i32,
}

impl Tally for Counts {
    fn add(&mut self, operation: &Self) {
        self.removed += operation.removed;
    }
}

struct Delete {
    namespace: Namespace,
    operations: Vec<DeleteOperation>,
    ordered: bool,
    durability: Durability,
    time_limit_ms: Option<u64>,
    position: Position<Counts>,
    finding: Option<Finding>,
    pending: Option<Pending>,
}

/// Parses `delete`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    let fields = Fields::of_command("delete", request.doc, FIELDS)?;
    let namespace = request.namespace()?;
    fields.document("let").map_or(Ok(()), super::let_variables::check)?;
    let operations = batch::operations(&fields, "delete", "deletes", parse_operation)?;
    namespace.check_creatable()?;
    Ok(Box::new(Delete {
        namespace,
        operations,
        ordered: fields.bool_or("ordered", true),
        durability: request.durability(),
        time_limit_ms: request.time_limit_ms(),
        position: Position::default(),
        finding: None,
        pending: None,
    }))
}

/// Parses one element of `deletes`. What is wrong with its filter is its own error, not the command's.
///
/// # Errors
/// 9, 14, 40414, 40415 for its form.
pub fn parse_operation(doc: RawDoc<'_>) -> Result<DeleteOperation> {
    let fields = Fields::of_document("delete.deletes", doc, OPERATION_FIELDS)?;
    let limit = doc.get("limit").unwrap_or(Value::Null);
    let exactly = |n: i32| crate::bson::equal(&limit, &Value::Int32(n));
    if limit.is_number() && !exactly(0) && !exactly(1) {
        let message =
            format!("The limit field in delete objects must be 0 or 1. Got {}", show::value(&limit));
        return Err(Error::new(Code::FailedToParse, message));
    }
    super::create::check_collation(&fields, "delete.deletes")?;
    let filter = fields.document("q").ok_or_else(|| fields::missing("delete.deletes", "q"))?;
    let query = Query::of_filter(filter).and_then(|query| {
        let hint = super::find_request::parse_hint(fields.get("hint"))?;
        Ok(Query { hint, ..query })
    });
    Ok(DeleteOperation { query, one: exactly(1) })
}

impl Delete {
    /// One step of the current operation: finding, or the next record.
    fn operate(&mut self, cx: &mut Context<'_>) -> Step<Result<(), Error>> {
        let operation = &self.operations[self.position.operation];
        let query = match &operation.query {
            Ok(query) => query,
            Err(error) => return Ok(Err(error.clone())),
        };
        let Some(collection) = batch::collection_of(cx, &self.namespace)? else {
            self.position.go_on();
            return Ok(Ok(()));
        };
        let Some(found) = self.position.found.clone() else {
            let (finding, found) = (&mut self.finding, &mut self.position.found);
            return batch::find(finding, found, cx, &collection, (query, operation.one));
        };
        let Some(id) = found.get(self.position.next).copied() else {
            self.position.go_on();
            return Ok(Ok(()));
        };
        let document = batch::document(cx, &collection, id)?;
        match document.filter(|bytes| still_matches(&query.filter, bytes)) {
            None => self.position.next += 1,
            Some(document) => self.pending = Some(removal(&collection, id, document)),
        }
        Ok(Ok(()))
    }
}

impl Delete {
    fn reply(&self) -> Vec<u8> {
        ok_reply(|doc| {
            doc.push("n", self.position.total.removed);
            write::push_write_errors(doc, &self.position.errors);
        })
    }
}

fn still_matches(filter: &Filter, bytes: &[u8]) -> bool {
    filter.matches(RawDoc::from_validated(bytes))
}

fn removal(collection: &Rc<Collection>, id: crate::records::RecordId, document: Vec<u8>) -> Pending {
    let write = DocumentWrite::remove(collection, id, RawDoc::from_validated(&document));
    Pending { collection: Rc::clone(collection), write }
}

impl Running for Delete {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if let Some(pending) = &mut self.pending {
            let written = pending.run(cx)?;
            self.pending = None;
            match written {
                Ok(()) => {
                    self.position.current.removed += 1;
                    self.position.next += 1;
                }
                Err(error) => self.position.refuse(error, self.ordered),
            }
            return Ok(Progress::More);
        }
        if self.position.ended || self.position.operation >= self.operations.len() {
            return Ok(Progress::Reply(self.reply()));
        }
        let outcome = match self.operate(cx) {
            Ok(outcome) => outcome,
            Err(stop) => Err(batch::operation_error(stop)?),
        };
        if let Err(error) = outcome {
            self.finding = None;
            self.position.refuse(error, self.ordered);
        }
        Ok(Progress::More)
    }

    fn is_mid_document(&self) -> bool {
        self.pending.as_ref().is_some_and(Pending::is_half_done)
    }

    fn save(&self) -> Saved {
        Box::new(self.position.clone())
    }

    fn restore(&mut self, saved: &Saved) {
        self.finding = None;
        self.pending = None;
        if let Some(position) = saved.downcast_ref::<Position<Counts>>() {
            self.position = position.clone();
        }
    }

    fn refused(&mut self, error: &Error) -> Option<Vec<u8>> {
        self.position.end_refused(error).then(|| self.reply())
    }

    fn durability(&self) -> Durability {
        self.durability
    }

    fn time_limit_ms(&self) -> Option<u64> {
        self.time_limit_ms
    }
}

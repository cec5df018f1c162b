//! `update`: changes the documents that match, one or all, for each operation of a batch; inserts where asked to and
//! none matches.

use super::batch::{self, Finding, Pending, Position, Tally};
use super::fields::{self, Field, Fields, Kind};
use super::insert;
use super::running::{Access, Context, Progress, Running, Saved};
use super::{Request, ok_reply, write};
use crate::bson::{DocBuilder, RawDoc, Value};
use crate::catalog::{Collection, Namespace};
use crate::error::{Code, Error, Result};
use crate::plan::Query;
use crate::query::{Filter, OwnedValue};
use crate::records::{DocumentWrite, RecordId};
use crate::step::Step;
use crate::store::Durability;
use crate::update::{Update, UpdateOptions};
use std::rc::Rc;

const FIELDS: &[Field] = &[
    Field::optional("update", Kind::Any),
    Field::required("updates", Kind::Array),
    Field::optional("ordered", Kind::Bool),
    Field::optional("let", Kind::Document),
    Field::optional("bypassDocumentValidation", Kind::BoolOrNumber),
];

const OPERATION_FIELDS: &[Field] = &[
    Field::required("q", Kind::Document),
    Field::required("u", Kind::Any),
    Field::optional("c", Kind::Document),
    Field::optional("multi", Kind::Bool),
    Field::optional("upsert", Kind::Bool),
    Field::optional("hint", Kind::Any),
    Field::optional("collation", Kind::Document),
    Field::optional("arrayFilters", Kind::Array),
];

/// One parsed update.
pub struct UpdateOperation {
    /// What is wrong with filter or update is the operation's error, not the command's.
    pub parsed: Result<ParsedUpdate>,
    pub multi: bool,
    pub upsert: bool,
}

/// The parts of an update that can be wrong on their own.
pub struct ParsedUpdate {
    pub query: Query,
    /// The filter as written, from which an upsert takes its fields.
    pub filter: Filter,
    pub update: Update,
}

#[derive(Clone, Default)]
struct Counts {
    matched: i32,
    modified: i32,
    /// Which operation inserted which `_id`.
    upserted: Vec<(usize, OwnedValue)>,
}

impl Tally for Counts {
    fn add(&mut self, operation: &Self) {
        self.matched += operation.matched;
        self.modified += operation.modified;
        self.upserted.extend(operation.upserted.iter().cloned());
    }
}

/// What a pending write is counted as.
enum Counted {
    Modified,
    Upserted(OwnedValue),
}

struct UpdateCommand {
    namespace: Namespace,
    operations: Vec<UpdateOperation>,
    ordered: bool,
    durability: Durability,
    time_limit_ms: Option<u64>,
    position: Position<Counts>,
    finding: Option<Finding>,
    /// The document of an upsert, kept over stops so that its `_id` is made once.
    prepared: Option<Vec<u8>>,
    pending: Option<(Pending, Counted)>,
}

/// Parses `update`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    let fields = Fields::of_command("update", request.doc, FIELDS)?;
    let namespace = request.namespace()?;
    fields.document("let").map_or(Ok(()), super::let_variables::check)?;
    let operations = batch::operations(&fields, "update", "updates", parse_operation)?;
    namespace.check_creatable()?;
    Ok(Box::new(UpdateCommand {
        namespace,
        operations,
        ordered: fields.bool_or("ordered", true),
        durability: request.durability(),
        time_limit_ms: request.time_limit_ms(),
        position: Position::default(),
        finding: None,
        prepared: None,
        pending: None,
    }))
}

/// Parses one element of `updates`.
///
/// # Errors
/// 14, 40414, 40415 for its form.
pub fn parse_operation(doc: RawDoc<'_>) -> Result<UpdateOperation> {
    let fields = Fields::of_document("update.updates", doc, OPERATION_FIELDS)?;
    let multi = fields.bool_or("multi", false);
    super::create::check_collation(&fields, "update.updates")?;
    let filter = fields.document("q").ok_or_else(|| fields::missing("update.updates", "q"))?;
    let update = doc.get("u").ok_or_else(|| fields::missing("update.updates", "u"))?;
    check_form(&update)?;
    let options = UpdateOptions { array_filters: fields.array("arrayFilters"), multi };
    let parsed = parse_parts(filter, &update, options, &fields);
    Ok(UpdateOperation { parsed, multi, upsert: fields.bool_or("upsert", false) })
}

/// That an update is a document or a pipeline of documents.
fn check_form(update: &Value<'_>) -> Result<()> {
    match update {
        Value::Document(_) => Ok(()),
        Value::Array(stages) if stages.iter().all(|stage| stage.as_document().is_some()) => Ok(()),
        Value::Array(_) => {
            Err(Error::new(Code::TypeMismatch, "Each element of the 'pipeline' array must be an object"))
        }
        _ => Err(Error::new(Code::FailedToParse, "Update argument must be either an object or an array")),
    }
}

fn parse_parts(
    filter: RawDoc<'_>,
    update: &Value<'_>,
    options: UpdateOptions<'_>,
    fields: &Fields<'_>,
) -> Result<ParsedUpdate> {
    let parsed = Update::parse(update, options)?;
    if fields.get("c").is_some() && update.as_array().is_none() {
        let message = "Constant values may only be specified for pipeline updates";
        return Err(Error::new(Code::location(51198), message));
    }
    let query =
        Query { hint: super::find_request::parse_hint(fields.get("hint"))?, ..Query::of_filter(filter)? };
    Ok(ParsedUpdate { query, filter: Filter::parse(filter)?, update: parsed })
}

impl UpdateCommand {
    /// One step of the current operation.
    fn operate(&mut self, cx: &mut Context<'_>) -> Step<Result<(), Error>> {
        let place = self.position.operation;
        let parsed = match &self.operations[place].parsed {
            Ok(parsed) => parsed,
            Err(error) => return Ok(Err(error.clone())),
        };
        let collection = batch::collection_of(cx, &self.namespace)?;
        let Some(found) = self.position.found.clone() else {
            let Some(collection) = collection else {
                self.position.found = Some(Rc::new(Vec::new()));
                return Ok(Ok(()));
            };
            let (finding, found) = (&mut self.finding, &mut self.position.found);
            return batch::find(
                finding,
                found,
                cx,
                &collection,
                (&parsed.query, !self.operations[place].multi),
            );
        };
        if let (Some(id), Some(collection)) = (found.get(self.position.next).copied(), collection) {
            return self.change(cx, &collection, id);
        }
        if found.is_empty() && self.operations[place].upsert {
            return self.upsert(cx);
        }
        self.position.go_on();
        Ok(Ok(()))
    }

    fn change(
        &mut self,
        cx: &mut Context<'_>,
        collection: &Rc<Collection>,
        id: RecordId,
    ) -> Step<Result<(), Error>> {
        let Ok(parsed) = &self.operations[self.position.operation].parsed else { return Ok(Ok(())) };
        let old = batch::document(cx, collection, id)?;
        let Some(old) = old.filter(|bytes| parsed.query.filter.matches(RawDoc::from_validated(bytes))) else {
            self.position.next += 1;
            return Ok(Ok(()));
        };
        let old = RawDoc::from_validated(&old);
        let applied = match parsed.update.apply(old, &parsed.filter, false) {
            Ok(applied) => applied,
            Err(error) => return Ok(Err(error)),
        };
        let Some(new) = applied.document else {
            self.position.current.matched += 1;
            self.position.next += 1;
            return Ok(Ok(()));
        };
        let document =
            if parsed.update.is_replacement() && insert::has_empty_timestamp(RawDoc::from_validated(&new)) {
                match insert::to_store(cx, RawDoc::from_validated(&new)) {
                    Ok(document) => document,
                    Err(error) => return Ok(Err(error)),
                }
            } else {
                new
            };
        let write = DocumentWrite::replace(collection, id, old, document);
        let pending = Pending { collection: Rc::clone(collection), write };
        self.pending = Some((pending, Counted::Modified));
        Ok(Ok(()))
    }

    fn upsert(&mut self, cx: &mut Context<'_>) -> Step<Result<(), Error>> {
        let Ok(parsed) = &self.operations[self.position.operation].parsed else { return Ok(Ok(())) };
        if self.prepared.is_none() {
            let made = parsed.update.upsert(&parsed.filter, &mut || cx.object_id()).and_then(|bytes| {
                let document = insert::to_store(cx, RawDoc::from_validated(&bytes))?;
                Ok(document)
            });
            match made {
                Ok(document) => self.prepared = Some(document),
                Err(error) => return Ok(Err(error)),
            }
        }
        let collection = write::ensure_collection(cx, &self.namespace)?;
        let Some(document) = self.prepared.take() else { return Ok(Ok(())) };
        let id = RecordId(cx.writer().allocate_record());
        let object_id = RawDoc::from_validated(&document).get("_id").unwrap_or(Value::Null);
        let object_id = OwnedValue::new(&object_id);
        let write = DocumentWrite::insert(&collection, id, document);
        self.pending = Some((Pending { collection, write }, Counted::Upserted(object_id)));
        Ok(Ok(()))
    }

    /// A document is written.
    fn written(&mut self, counted: Counted) {
        let position = &mut self.position;
        position.current.matched += 1;
        match counted {
            Counted::Modified => {
                position.current.modified += 1;
                position.next += 1;
            }
            Counted::Upserted(id) => {
                position.current.upserted.push((position.operation, id));
                position.go_on();
            }
        }
    }

    fn reply(&self) -> Vec<u8> {
        let total = &self.position.total;
        ok_reply(|doc: &mut DocBuilder| {
            doc.push("n", total.matched);
            if !total.upserted.is_empty() {
                doc.array("upserted", |list| {
                    for (index, id) in &total.upserted {
                        list.document(|entry| {
                            entry.push("index", *index as i32).push("_id", id.get());
                        });
                    }
                });
            }
            write::push_write_errors(doc, &self.position.errors);
            doc.push("nModified", total.modified);
        })
    }

    fn forget_transient(&mut self) {
        self.finding = None;
        self.prepared = None;
        self.pending = None;
    }
}

impl Running for UpdateCommand {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if let Some((pending, _)) = &mut self.pending {
            let written = pending.run(cx)?;
            let Some((_, counted)) = self.pending.take() else { return Ok(Progress::More) };
            match written {
                Ok(()) => self.written(counted),
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
            self.forget_transient();
            self.position.refuse(error, self.ordered);
        }
        Ok(Progress::More)
    }

    fn is_mid_document(&self) -> bool {
        self.pending.as_ref().is_some_and(|(pending, _)| pending.is_half_done())
    }

    fn save(&self) -> Saved {
        Box::new(self.position.clone())
    }

    fn restore(&mut self, saved: &Saved) {
        self.forget_transient();
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

//! `insert`: documents into a collection, which is made if it is not there.

use super::fields::{Field, Fields, Kind, wrong_type};
use super::running::{Access, Context, Progress, Running, Saved};
use super::write::{self, WriteError};
use super::{DOCUMENT_BYTES_MAX, Request, ok_reply};
use crate::bson::raw::EMPTY_DOCUMENT;
use crate::bson::{DocBuilder, Limits, RawDoc, Type, Value, validate};
use crate::catalog::{Collection, Namespace};
use crate::error::{Code, Error, Result};
use crate::records::{DocumentWrite, RecordId, Written};
use crate::step::{Step, Stop};
use crate::store::Durability;
use std::rc::Rc;

const FIELDS: &[Field] = &[
    Field::optional("insert", Kind::Any),
    Field::optional("documents", Kind::Array),
    Field::optional("ordered", Kind::Bool),
    Field::optional("bypassDocumentValidation", Kind::BoolOrNumber),
];

/// A document of fewer bytes is not too deep to be stored: a level takes a type byte, the zero of a name, a length and a
/// closing zero.
const DEEP_BYTES_MIN: usize = 7 * Limits::STORED.depth_max;

/// What a document costs in rows of a scan, for the step budget.
const ROWS_PER_DOCUMENT: u32 = 8;

/// A running `insert`.
struct Insert {
    namespace: Namespace,
    request: Rc<Vec<u8>>,
    ordered: bool,
    durability: Durability,
    time_limit_ms: Option<u64>,
    position: Position,
    /// The next document as it will be stored, and where the one after it begins: kept over stops, so that what the
    /// host gives for it is asked for once.
    prepared: Option<(Vec<u8>, usize)>,
    /// The document that is being written.
    current: Option<Current>,
    /// The collection, once it was looked up: while this writer runs, only its own documents change it.
    collection: Option<Rc<Collection>>,
}

/// How far the batch is done.
#[derive(Clone, Default)]
struct Position {
    /// The byte in `documents` at which the next one begins; 0 before the first.
    offset: usize,
    /// The place of the next document in the batch.
    index: usize,
    inserted: i32,
    errors: Vec<WriteError>,
}

struct Current {
    collection: Rc<Collection>,
    write: DocumentWrite,
    /// Where the document after it begins.
    next_offset: usize,
}

/// Parses `insert`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    let fields = Fields::of_command("insert", request.doc, FIELDS)?;
    write::check_is_list(request.doc, "documents")?;
    let namespace = request.namespace()?;
    let documents = fields.array("documents").ok_or_else(|| super::fields::missing("insert", "documents"))?;
    let mut count = 0;
    for (place, value) in documents.iter().enumerate() {
        match value {
            Value::Document(_) => count += 1,
            Value::Null => {}
            other => {
                return Err(wrong_type(&format!("insert.documents.{place}"), &other, Kind::Document));
            }
        }
    }
    write::check_batch_size(count)?;
    Ok(Box::new(Insert {
        namespace,
        request: Rc::clone(request.bytes),
        ordered: fields.bool_or("ordered", true),
        durability: request.durability(),
        time_limit_ms: request.time_limit_ms(),
        position: Position::default(),
        prepared: None,
        current: None,
        collection: None,
    }))
}

impl Insert {
    /// The next document of the batch, ready to be stored, and where the one after it begins. `None` at the end.
    fn next_document(&self, cx: &mut Context<'_>) -> Option<(Result<Vec<u8>>, usize)> {
        let command = RawDoc::from_validated(&self.request);
        let batch = command.get("documents")?.as_array()?.as_document();
        let mut elements = match self.position.offset {
            0 => batch.iter(),
            offset => batch.iter_from(offset),
        };
        loop {
            let element = elements.next()?;
            if let Value::Document(doc) = element.value {
                return Some((to_store(cx, doc), elements.offset_in(batch)));
            }
        }
    }

    /// Takes up the next document. Gives whether there was one.
    fn begin(&mut self, cx: &mut Context<'_>) -> Step<bool> {
        if self.prepared.is_none() {
            match self.next_document(cx) {
                None => return Ok(false),
                Some((Ok(document), next_offset)) => self.prepared = Some((document, next_offset)),
                Some((Err(error), next_offset)) => {
                    self.refuse(error, next_offset);
                    return Ok(true);
                }
            }
        }
        let collection = match self.collection(cx) {
            Ok(collection) => collection,
            Err(Stop::Failed(error)) if error.code == Code::DatabaseDifferCase => {
                let next_offset = self.prepared.take().map_or(usize::MAX, |(_, next_offset)| next_offset);
                self.refuse(error, next_offset);
                return Ok(true);
            }
            Err(stop) => return Err(stop),
        };
        let Some((document, next_offset)) = self.prepared.take() else { return Ok(false) };
        let id = RecordId(cx.writer().allocate_record());
        let write = DocumentWrite::insert(&collection, id, document);
        if write.grows_collection() {
            self.collection = None;
        }
        self.current = Some(Current { collection, write, next_offset });
        Ok(true)
    }

    fn collection(&mut self, cx: &mut Context<'_>) -> Step<Rc<Collection>> {
        if let Some(collection) = &self.collection {
            return Ok(Rc::clone(collection));
        }
        let collection = write::ensure_collection(cx, &self.namespace)?;
        self.collection = Some(Rc::clone(&collection));
        Ok(collection)
    }

    fn refuse(&mut self, error: Error, next_offset: usize) {
        self.position.errors.push(WriteError { index: self.position.index, error });
        self.go_on(next_offset);
        if self.ordered {
            self.position.offset = usize::MAX;
        }
    }

    fn go_on(&mut self, next_offset: usize) {
        self.position.offset = next_offset;
        self.position.index += 1;
        self.current = None;
    }

    fn reply(&self) -> Vec<u8> {
        ok_reply(|doc| {
            doc.push("n", self.position.inserted);
            write::push_write_errors(doc, &self.position.errors);
        })
    }
}

impl Running for Insert {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if self.current.is_none() && (self.position.offset == usize::MAX || !self.begin(cx)?) {
            return Ok(Progress::Reply(self.reply()));
        }
        let Some(current) = &mut self.current else { return Ok(Progress::More) };
        cx.rows_spent += ROWS_PER_DOCUMENT;
        let written = current.write.run(&mut cx.writer())?;
        let next_offset = current.next_offset;
        match written {
            Written::Done => {
                self.position.inserted += 1;
                self.go_on(next_offset);
            }
            Written::NoKeys(error) => self.refuse(write::key_error(&error), next_offset),
            Written::Duplicate(duplicate) => {
                let document = current.write.document().unwrap_or(EMPTY_DOCUMENT);
                let error = write::duplicate_key(&current.collection, &duplicate, document);
                self.refuse(error, next_offset);
            }
        }
        Ok(Progress::More)
    }

    fn is_mid_document(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.write.is_half_done())
    }

    fn save(&self) -> Saved {
        Box::new(self.position.clone())
    }

    fn restore(&mut self, saved: &Saved) {
        self.prepared = None;
        self.current = None;
        self.collection = None;
        if let Some(position) = saved.downcast_ref::<Position>() {
            self.position = position.clone();
        }
    }

    fn state_read_anew(&mut self) {
        self.collection = None;
        if !self.is_mid_document() {
            self.current = None;
        }
    }

    fn refused(&mut self, error: &Error) -> Option<Vec<u8>> {
        if self.position.inserted == 0 {
            return None;
        }
        self.position.errors.push(WriteError { index: self.position.index, error: error.clone() });
        Some(self.reply())
    }

    fn durability(&self) -> Durability {
        self.durability
    }

    fn time_limit_ms(&self) -> Option<u64> {
        self.time_limit_ms
    }
}

/// The document as it is stored: `_id` first, made if absent; empty timestamps filled in.
///
/// # Errors
/// 2 if too large, 15 if too deep, 53 and 52 for an `_id` that none may be.
pub fn to_store(cx: &mut Context<'_>, doc: RawDoc<'_>) -> Result<Vec<u8>> {
    if doc.size() > DOCUMENT_BYTES_MAX {
        let message = format!(
            "object to insert too large. size in bytes: {}, max size: {DOCUMENT_BYTES_MAX}",
            doc.size()
        );
        return Err(Error::new(Code::BadValue, message));
    }
    // The bytes are valid, as all that reaches commands; only their depth may be new, if they are enough for it.
    if doc.size() >= DEEP_BYTES_MIN
        && let Err(error) = validate(doc.as_bytes(), Limits::STORED)
    {
        return Err(Error::new(Code::Overflow, error.to_string()));
    }
    let id = doc.get("_id");
    if let Some(id) = &id {
        check_id(id)?;
    }
    let id_is_first = doc.first().is_some_and(|first| first.name == "_id");
    if id_is_first && !has_empty_timestamp(doc) {
        return Ok(doc.as_bytes().to_vec());
    }
    let mut stored = DocBuilder::with_capacity(doc.size() + 22);
    match id {
        Some(id) => stored.push("_id", id),
        None => stored.push("_id", Value::ObjectId(cx.object_id())),
    };
    let mut id_seen = false;
    for element in doc.iter() {
        if element.name == "_id" && !id_seen {
            id_seen = true;
        } else if matches!(element.value, Value::Timestamp(0)) {
            stored.push(element.name, Value::Timestamp(cx.timestamp()));
        } else {
            stored.push(element.name, element.value);
        }
    }
    let stored = stored.finish();
    if stored.len() > DOCUMENT_BYTES_MAX {
        let message = format!(
            "object to insert too large. size in bytes: {}, max size: {DOCUMENT_BYTES_MAX}",
            stored.len()
        );
        return Err(Error::new(Code::BadValue, message));
    }
    Ok(stored)
}

/// Whether a field other than `_id` is the empty timestamp, which stands for the time of the write.
pub fn has_empty_timestamp(doc: RawDoc<'_>) -> bool {
    doc.has_kind(Type::Timestamp)
        && doc.iter().any(|element| matches!(element.value, Value::Timestamp(0)) && element.name != "_id")
}

/// That a value may be an `_id`.
///
/// # Errors
/// 53 `InvalidIdField` for an array, a regular expression, undefined; 52 `DollarPrefixedFieldName` for a document with
/// a field that begins with `$`.
pub fn check_id(id: &Value<'_>) -> Result<()> {
    let refused = match id {
        Value::Array(_) => "an array",
        Value::Regex { .. } => "a regex",
        Value::Undefined => "undefined",
        Value::Document(doc) => return check_no_dollar_fields(*doc),
        _ => return Ok(()),
    };
    Err(Error::new(Code::InvalidIdField, format!("The '_id' value cannot be of type {refused}")))
}

fn check_no_dollar_fields(doc: RawDoc<'_>) -> Result<()> {
    for element in doc.iter() {
        let is_reference = ["$ref", "$id", "$db"].contains(&element.name.as_str());
        if element.name.as_bytes().first() == Some(&b'$') && !is_reference {
            let message = format!(
                "_id fields may not contain '$'-prefixed fields: {} is not valid for storage.",
                element.name
            );
            return Err(Error::new(Code::DollarPrefixedFieldName, message));
        }
        match element.value {
            Value::Document(inner) => check_no_dollar_fields(inner)?,
            Value::Array(inner) => check_no_dollar_fields(inner.as_document())?,
            _ => {}
        }
    }
    Ok(())
}

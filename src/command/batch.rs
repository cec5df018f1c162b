//! Batches of updates or deletes: one operation after the other, each with its own errors.
//!
//! An operation first finds the records (their ids are kept), then changes them one by one. So no record is changed
//! twice by one operation, whatever its own changes do to the order in which they were found.

use super::fields::{self, Fields, Kind};
use super::running::Context;
use super::write::WriteError;
use crate::bson::raw::EMPTY_DOCUMENT;
use crate::bson::{RawDoc, Value};
use crate::catalog::{Collection, Namespace};
use crate::error::{Code, Error};
use crate::exec::{Found, RecordFinder};
use crate::plan::Query;
use crate::records::{self, DocumentWrite, RecordId, Written};
use crate::step::{Step, Stop};
use std::rc::Rc;

/// How many records one step of finding gathers at most.
const FOUND_A_STEP: usize = 64;

/// How far a batch is done. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Position<T: Clone> {
    /// The operation.
    pub operation: usize,
    /// The records that it changes, once they are found.
    pub found: Option<Rc<Vec<RecordId>>>,
    /// The next of them.
    pub next: usize,
    /// What the current operation did so far.
    pub current: T,
    /// What the operations before did.
    pub total: T,
    pub errors: Vec<WriteError>,
    /// Whether an error ended the batch.
    pub ended: bool,
}

impl<T: Clone + Default> Default for Position<T> {
    fn default() -> Self {
        Position {
            operation: 0,
            found: None,
            next: 0,
            current: T::default(),
            total: T::default(),
            errors: Vec::new(),
            ended: false,
        }
    }
}

/// Counts of operations that add up.
pub trait Tally: Clone + Default {
    /// Adds what one operation did.
    fn add(&mut self, operation: &Self);
}

impl<T: Tally> Position<T> {
    /// The operation is done; the next begins.
    pub fn go_on(&mut self) {
        let current = std::mem::take(&mut self.current);
        self.total.add(&current);
        self.operation += 1;
        self.found = None;
        self.next = 0;
    }

    /// The store refused the set that gathers. What the operation did in earlier sets counts; gives whether anything was
    /// done at all.
    pub fn end_refused(&mut self, error: &Error) -> bool {
        let done_something = self.operation > 0 || self.next > 0;
        let current = std::mem::take(&mut self.current);
        self.total.add(&current);
        self.errors.push(WriteError { index: self.operation, error: error.clone() });
        self.ended = true;
        done_something
    }

    /// The operation failed; its counts are not told, as MongoDB does not tell them.
    pub fn refuse(&mut self, error: Error, ordered: bool) {
        self.errors.push(WriteError { index: self.operation, error });
        self.current = T::default();
        self.go_on();
        self.ended |= ordered;
    }
}

/// The operations of a batch: the elements of the command's list, a null counting as none.
///
/// # Errors
/// 40414 without the list, 14 for what is no document, 16 for too few or too many, and those of `parse`.
pub fn operations<T>(
    fields: &Fields<'_>,
    command: &str,
    list: &str,
    parse: fn(RawDoc<'_>) -> crate::error::Result<T>,
) -> crate::error::Result<Vec<T>> {
    let elements = fields.array(list).ok_or_else(|| fields::missing(command, list))?;
    let mut operations = Vec::new();
    for (place, value) in elements.iter().enumerate() {
        match value {
            Value::Document(doc) => operations.push(parse(doc)?),
            Value::Null => {}
            other => {
                let path = format!("{command}.{list}.{place}");
                return Err(fields::wrong_type(&path, &other, Kind::Document));
            }
        }
    }
    super::write::check_batch_size(operations.len())?;
    Ok(operations)
}

/// One step of finding: begins the search if it has not begun, and puts its records into `found` at the end. `Ok(Err)`
/// where the operation cannot be planned.
///
/// # Errors
/// Those of the plan.
pub fn find(
    finding: &mut Option<Finding>,
    found: &mut Option<Rc<Vec<RecordId>>>,
    cx: &mut Context<'_>,
    collection: &Collection,
    (query, one): (&Query, bool),
) -> Step<Result<(), Error>> {
    if finding.is_none() {
        match Finding::new(collection, query, one) {
            Ok(begun) => *finding = Some(begun),
            Err(error) => return Ok(Err(error)),
        }
    }
    let Some(running) = finding else { return Ok(Ok(())) };
    if let Some(ids) = running.step(cx)? {
        *finding = None;
        *found = Some(Rc::new(ids));
    }
    Ok(Ok(()))
}

/// Finding the records of one operation.
pub struct Finding {
    finder: RecordFinder,
    ids: Vec<RecordId>,
    /// Whether the first record is enough.
    one: bool,
}

impl Finding {
    /// Plans the search.
    ///
    /// # Errors
    /// Those of hints.
    pub fn new(collection: &Collection, query: &Query, one: bool) -> crate::error::Result<Finding> {
        Ok(Finding { finder: RecordFinder::new(collection, query)?, ids: Vec::new(), one })
    }

    /// Looks further. Gives all records at the end.
    ///
    /// # Errors
    /// Those of the plan.
    pub fn step(&mut self, cx: &mut Context<'_>) -> Step<Option<Vec<RecordId>>> {
        for _ in 0..FOUND_A_STEP {
            let view = cx.pager.writer();
            match self.finder.next(&view, cx.spilled, &mut cx.rows_spent)? {
                Found::Record(row) => self.ids.push(row.id),
                Found::NotYet => return Ok(None),
                Found::NoMore => return Ok(Some(std::mem::take(&mut self.ids))),
            }
            if self.one {
                return Ok(Some(std::mem::take(&mut self.ids)));
            }
        }
        Ok(None)
    }
}

/// The collection of a batch, if there is one.
///
/// # Errors
/// 73 for a name that no collection can have.
pub fn collection_of(cx: &mut Context<'_>, namespace: &Namespace) -> Step<Option<Rc<Collection>>> {
    namespace.check_creatable()?;
    cx.collection_for_write(namespace)
}

/// The record's document as writes see it.
pub fn document(cx: &mut Context<'_>, collection: &Collection, id: RecordId) -> Step<Option<Vec<u8>>> {
    Ok(records::document(&cx.writer(), collection, id)?.map(|bytes| bytes.to_vec()))
}

/// A document that is being written, with what its errors need.
pub struct Pending {
    pub collection: Rc<Collection>,
    pub write: DocumentWrite,
}

impl Pending {
    /// Goes on writing. `Ok(Err)` where a unique index refuses.
    pub fn run(&mut self, cx: &mut Context<'_>) -> Step<Result<(), Error>> {
        match self.write.run(&mut cx.writer())? {
            Written::Done => Ok(Ok(())),
            Written::NoKeys(error) => Ok(Err(super::write::key_error(&error))),
            Written::Duplicate(duplicate) => {
                let document = self.write.document().unwrap_or(EMPTY_DOCUMENT);
                Ok(Err(super::write::duplicate_key(&self.collection, &duplicate, document)))
            }
        }
    }

    /// Whether a commit may not be cut now.
    pub fn is_half_done(&self) -> bool {
        self.write.is_half_done()
    }
}

/// Tells an error of one operation from what ends or stops the command.
///
/// # Errors
/// The stop, where it is one, and damage.
pub fn operation_error(stop: Stop) -> Step<Error> {
    match stop {
        Stop::Failed(error) if error.code != Code::DataCorruptionDetected => Ok(error),
        other => Err(other),
    }
}

//! Execution: plans as operators that are pulled, row by row.
//!
//! Invariants
//! 1. An operator that returns a stop, or [`Work::NeedTime`], is as it was: the same call is made again later. A row that was
//!    taken from below and not given yet is kept by the operator.
//! 2. Between two calls an operator holds no borrow of pages, so the pages may change: scans go on from their key, and
//!    a document that was read in a later step than its key is asked the whole filter.
//! 3. No row comes twice from one execution: a scan of an index with arrays, and the union of scans, remember the
//!    record ids they gave.
//!
//! Deliberately absent: merged sorts.

mod cursors;
pub mod explain;
mod filter_shape;
mod index_scan;
mod key_bounds;
mod operators;
mod records_found;
mod runs;
mod sort;

pub use cursors::{CursorId, CursorTable, OpenCursor, TakeError, Use};
pub use operators::{Executor, Operator, Output, SortLimits};
pub use records_found::{Found, RecordFinder};

use crate::btree::ValueBytes;
use crate::pager::{Page, PageId, Pages, Walk};
use crate::records::RecordId;
use crate::step::SpillReply;
use std::ops::Deref;
use std::rc::Rc;

/// How many rows one step of a command looks at before it ends.
pub const ROWS_PER_STEP: u32 = 64;

/// Pages of any kind. One type, so that the operators are compiled once for readers and writers.
#[derive(Clone, Copy)]
pub struct View<'a>(pub &'a dyn Pages);

impl Pages for View<'_> {
    fn page(&self, id: PageId) -> Walk<Rc<Page>> {
        self.0.page(id)
    }

    fn is_resident(&self, id: PageId) -> bool {
        self.0.is_resident(id)
    }
}

/// What an operator works with during one call.
pub struct ExecContext<'a> {
    pub pages: View<'a>,
    /// Rows looked at in this step, keys and documents.
    pub rows_spent: u32,
    /// The answer to what an operator asked of the temporary storage, for that operator to take.
    pub spilled: &'a mut Option<SpillReply>,
}

impl<'a> ExecContext<'a> {
    /// A context at the beginning of a step.
    pub fn new(pages: &'a dyn Pages, spilled: &'a mut Option<SpillReply>) -> ExecContext<'a> {
        ExecContext { pages: View(pages), rows_spent: 0, spilled }
    }

    fn is_spent(&self) -> bool {
        self.rows_spent >= ROWS_PER_STEP
    }
}

/// A document: in its page, or kept apart so that the page can go.
#[derive(Clone, Debug)]
pub enum Document {
    InPage(ValueBytes),
    Apart(Box<[u8]>),
}

impl Deref for Document {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Document::InPage(bytes) => bytes,
            Document::Apart(bytes) => bytes,
        }
    }
}

impl Document {
    /// The same bytes, holding no page.
    pub fn apart(self) -> Document {
        match self {
            Document::InPage(bytes) => Document::Apart((*bytes).into()),
            apart => apart,
        }
    }
}

/// A record on its way through the operators.
#[derive(Clone, Debug)]
pub struct Row {
    pub id: RecordId,
    /// `None` until it was fetched.
    pub document: Option<Document>,
}

impl Row {
    /// The document's bytes; none before it was fetched.
    pub fn bytes(&self) -> &[u8] {
        self.document.as_deref().unwrap_or(&[5, 0, 0, 0, 0])
    }
}

/// What one call gave.
#[derive(Debug)]
pub enum Work {
    Row(Row),
    /// Nothing yet; the step has looked at enough rows.
    NeedTime,
    /// There is nothing more.
    Eof,
}

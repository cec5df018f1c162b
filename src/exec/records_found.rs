//! For commands that write: the records of a query, step by step.

use super::operators::{Executor, Output, SortLimits};
use super::{ExecContext, Row, Work};
use crate::catalog::Collection;
use crate::error::Result;
use crate::plan::{self, Query, Source};
use crate::step::{SpillReply, Step};

/// Finds the records that match, in plan order.
///
/// Ask with the pages that writers see. Between two calls the pages may change, also by what the caller writes: if that
/// can move a record in the plan's order ([`RecordFinder::reads_index`]), collect all rows before the first write.
#[derive(Debug)]
pub struct RecordFinder {
    executor: Executor,
    reads_index: bool,
}

impl RecordFinder {
    /// Plans and starts a query.
    ///
    /// # Errors
    /// Those of hints.
    pub fn new(collection: &Collection, query: &Query) -> Result<RecordFinder> {
        let (plan, _) = plan::plan(collection, query)?;
        let reads_index = matches!(plan.source, Source::Index(_) | Source::Any(_));
        Ok(RecordFinder {
            executor: Executor::new(collection, plan, SortLimits::default(), Output::Documents),
            reads_index,
        })
    }

    /// Whether the order in which records come is one that their contents decide.
    pub fn reads_index(&self) -> bool {
        self.reads_index
    }

    /// The next record with its document. A stop changes nothing: ask again.
    /// `rows_spent` is increased by the rows looked at.
    ///
    /// # Errors
    /// Those of sorts.
    pub fn next(
        &mut self,
        pages: &dyn crate::pager::Pages,
        spilled: &mut Option<SpillReply>,
        rows_spent: &mut u32,
    ) -> Step<Found> {
        let mut cx = ExecContext::new(pages, spilled);
        let work = self.executor.work(&mut cx);
        *rows_spent += cx.rows_spent;
        Ok(match work? {
            Work::Row(row) => Found::Record(row),
            Work::NeedTime => Found::NotYet,
            Work::Eof => Found::NoMore,
        })
    }

    /// The execution, for explain.
    pub fn executor(&self) -> &Executor {
        &self.executor
    }
}

/// What a call of [`RecordFinder::next`] gave.
#[derive(Debug)]
pub enum Found {
    Record(Row),
    /// Rows were looked at, none matched yet: end the step and ask again.
    NotYet,
    NoMore,
}

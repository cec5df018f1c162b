//! Sorting: all rows, or the first so many of them. Stable: ties stay in the order in which they came.
//!
//! External merge sort. Rows are gathered in memory; when they pass the limit, they are sorted and written as a run
//! ([`super::runs`]). At the end the runs and what is in memory are merged; if there are too many runs for one merge,
//! some of them are merged into one first.
//!
//! 1. Memory: while gathering, the limit and one row; while writing, that and a request of 4 MB; while merging, half of the
//!    limit for rows that were never written, half for what is read of the runs, and a request.
//! 2. A stop leaves everything as it was; what is asked of the temporary storage follows from the state.
//!
//! Deliberately absent: yielding while a run is sorted in memory.

use super::operators::{Operator, SortLimits};
use super::runs::{Merge, MergeBudget, Run, RunWriter};
use super::{ExecContext, Row, Work};
use crate::bson::order::Direction;
use crate::bson::{RawDoc, Value};
use crate::error::{Code, Error, Result};
use crate::key;
use crate::query::SortPattern;
use crate::sorted;
use crate::step::Step;
use std::collections::{BinaryHeap, VecDeque};

/// A row with its place in the order: the encoded sort key, then its number.
#[derive(Debug)]
pub(super) struct Placed {
    pub key: Vec<u8>,
    pub number: u64,
    pub row: Row,
}

impl Placed {
    pub fn bytes(&self) -> usize {
        self.key.len() + self.row.bytes().len() + size_of::<Placed>()
    }

    /// What decides the order; no two rows have the same.
    pub fn place(&self) -> (&[u8], u64) {
        (&self.key, self.number)
    }
}

impl PartialEq for Placed {
    fn eq(&self, other: &Placed) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Placed {}

impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Placed) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Placed {
    fn cmp(&self, other: &Placed) -> std::cmp::Ordering {
        self.place().cmp(&other.place())
    }
}

/// What a sort did, for explain.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SortFigures {
    /// The bytes of all rows that were kept for some time.
    pub bytes_sorted: u64,
    /// How many runs were written.
    pub spills: u64,
}

#[derive(Debug)]
enum Phase {
    Gathering,
    /// Rows in order become a run.
    Writing(VecDeque<Placed>, RunWriter),
    /// Some runs become one.
    Merging(Merge, RunWriter),
    Giving(Merge),
}

/// The sort operator.
#[derive(Debug)]
pub(super) struct Sort {
    pub below: Operator,
    pub pattern: SortPattern,
    /// How many rows are asked for; `None` for all.
    pub keep: Option<u64>,
    pub limits: SortLimits,
    pub figures: SortFigures,
    /// While `keep` is known: the rows so far, the last in order on top. Otherwise just rows.
    first: BinaryHeap<Placed>,
    all: Vec<Placed>,
    /// The bytes of the rows in memory.
    bytes: usize,
    /// The key of the last row of a run with all rows that are asked for: what does not come before it is not needed.
    cutoff: Option<Vec<u8>>,
    runs: VecDeque<Run>,
    phase: Phase,
    has_all: bool,
    count: u64,
    is_done: bool,
}

impl Sort {
    pub fn new(below: Operator, pattern: SortPattern, keep: Option<u64>, limits: SortLimits) -> Sort {
        Sort {
            below,
            pattern,
            keep,
            limits,
            figures: SortFigures::default(),
            first: BinaryHeap::new(),
            all: Vec::new(),
            bytes: 0,
            cutoff: None,
            runs: VecDeque::new(),
            phase: Phase::Gathering,
            has_all: false,
            count: 0,
            is_done: false,
        }
    }

    /// Whether the last row was given, and that was noticed.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    pub fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        loop {
            match &mut self.phase {
                Phase::Gathering if self.has_all => self.go_on(),
                Phase::Gathering => match self.below.work(cx)? {
                    Work::Row(row) => self.add(row)?,
                    Work::NeedTime => return Ok(Work::NeedTime),
                    Work::Eof => self.has_all = true,
                },
                Phase::Writing(rows, writer) => {
                    writer.write(cx, rows.is_empty())?;
                    match rows.pop_front() {
                        Some(placed) => writer.push(&placed),
                        None => self.run_written(),
                    }
                    cx.rows_spent += 1;
                }
                Phase::Merging(merge, writer) => {
                    writer.write(cx, false)?;
                    match merge.next(cx)? {
                        Some(placed) => writer.push(&placed),
                        None => {
                            writer.write(cx, true)?;
                            self.run_written();
                        }
                    }
                    cx.rows_spent += 1;
                }
                Phase::Giving(merge) => {
                    return Ok(match merge.next(cx)? {
                        Some(placed) => Work::Row(placed.row),
                        None => {
                            self.is_done = true;
                            Work::Eof
                        }
                    });
                }
            }
            if cx.is_spent() {
                return Ok(Work::NeedTime);
            }
        }
    }

    fn add(&mut self, mut row: Row) -> Result<()> {
        let key = sort_key(&self.pattern, RawDoc::from_validated(row.bytes()))?;
        let number = self.count;
        self.count += 1;
        if self.cutoff.as_ref().is_some_and(|cutoff| key >= *cutoff) {
            return Ok(());
        }
        if let Some(keep) = self.keep {
            let is_full = self.first.len() as u64 >= keep;
            if is_full && self.first.peek().is_none_or(|last| key >= last.key) {
                return Ok(());
            }
            if is_full && let Some(last) = self.first.pop() {
                self.bytes -= last.bytes();
            }
        }
        row.document = row.document.map(super::Document::apart);
        let placed = Placed { key, number, row };
        self.bytes += placed.bytes();
        self.figures.bytes_sorted += placed.bytes() as u64;
        if self.keep.is_some() {
            self.first.push(placed)
        } else {
            self.all.push(placed)
        }
        if self.bytes > self.limits.bytes_max {
            if !self.limits.may_spill {
                return Err(self.too_large());
            }
            self.write_run();
        }
        Ok(())
    }

    fn too_large(&self) -> Error {
        let bytes_max = self.limits.bytes_max;
        Error::new(
            Code::QueryExceededMemoryLimitNoDiskUseAllowed,
            format!(
                "Executor error during find command :: caused by :: Sort exceeded memory limit of {bytes_max} bytes, but did not opt in to external sorting."
            ),
        )
    }

    /// The rows in memory, in order.
    fn arrange(&mut self) -> VecDeque<Placed> {
        self.bytes = 0;
        if self.keep.is_some() {
            return std::mem::take(&mut self.first).into_sorted_vec().into();
        }
        let mut all = std::mem::take(&mut self.all);
        sorted::sort(&mut all);
        all.into()
    }

    /// Begins to write the rows in memory as a run.
    fn write_run(&mut self) {
        let rows = self.arrange();
        if self.keep.is_some_and(|keep| rows.len() as u64 >= keep) {
            // Later rows of the same key would come after it, and it comes before the cutoff there was.
            self.cutoff = rows.back().map(|last| last.key.clone());
        }
        self.figures.spills += 1;
        self.phase = Phase::Writing(rows, RunWriter::default());
    }

    fn run_written(&mut self) {
        if let Phase::Writing(_, writer) | Phase::Merging(_, writer) = &mut self.phase {
            self.runs.push_back(writer.finish());
        }
        self.phase = Phase::Gathering;
    }

    /// All rows are there: decides what is to be done next.
    fn go_on(&mut self) {
        let budget = MergeBudget { bytes_max: self.limits.bytes_max / 2 };
        if !self.runs.is_empty() && self.bytes > budget.bytes_max {
            return self.write_run();
        }
        let keep = self.keep.unwrap_or(u64::MAX);
        let (count, fan_in) = (self.runs.len(), budget.fan_in(self.runs.iter()));
        if count > fan_in {
            // The oldest ones, so that no row is merged much more often than another; and no more of them than it takes
            // for the last merge to have all.
            let merged = fan_in.min(count - fan_in + 1).max(2);
            let runs = self.runs.drain(..merged).collect();
            self.phase =
                Phase::Merging(Merge::new(runs, VecDeque::new(), keep, budget), RunWriter::default());
            return;
        }
        let runs = std::mem::take(&mut self.runs).into();
        self.phase = Phase::Giving(Merge::new(runs, self.arrange(), keep, budget));
    }
}

/// The encoded sort key: its bytes compare as the pattern orders documents.
fn sort_key(pattern: &SortPattern, doc: RawDoc<'_>) -> Result<Vec<u8>> {
    let mut values = Vec::new();
    pattern.key(doc, &mut values)?;
    let SortPattern::Fields { directions, .. } = pattern else { return Ok(Vec::new()) };
    let mut key = Vec::with_capacity(16 * values.len());
    for (value, direction) in values.iter().zip(directions) {
        let direction: Direction = *direction;
        key::encode_value(&value.unwrap_or(Value::Null), direction, &mut key);
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::super::operators::Kind;
    use super::*;
    use crate::bson::DocBuilder;
    use crate::pager::{Page, PageId};
    use crate::records::RecordId;
    use crate::step::{SpillReply, SpillRequest, Stop, TempChunk};
    use crate::store::{TempKey, TempRequest};

    fn row(id: u64, a: i32) -> Row {
        let mut doc = DocBuilder::new();
        doc.push("a", a);
        Row { id: RecordId(id), document: Some(Document::Apart(doc.finish().into())) }
    }

    fn sort(keep: Option<u64>, limits: SortLimits) -> Sort {
        let mut doc = DocBuilder::new();
        doc.push("a", -1);
        let doc = doc.finish();
        let pattern = SortPattern::parse(RawDoc::from_validated(&doc)).unwrap();
        Sort::new(Operator::from(Kind::Nothing), pattern, keep, limits)
    }

    fn ids(mut sort: Sort) -> Vec<u64> {
        sort.arrange().iter().map(|placed| placed.row.id.0).collect()
    }

    #[test]
    fn ties_stay_in_the_order_in_which_they_came() {
        let values = [1, 3, 2, 3, 1, 3];
        for keep in [None, Some(4), Some(6)] {
            let mut sorted = sort(keep, SortLimits::default());
            for (id, a) in values.iter().enumerate() {
                sorted.add(row(id as u64, *a)).unwrap();
            }
            let all = [1, 3, 5, 2, 0, 4];
            assert_eq!(ids(sorted), all[..keep.unwrap_or(6) as usize]);
        }
    }

    #[test]
    fn memory_is_bounded_by_what_is_kept() {
        let limits = SortLimits { bytes_max: 1_000, may_spill: false };
        let mut first = sort(Some(2), limits);
        for id in 0..1_000 {
            first.add(row(id, id as i32)).unwrap();
        }
        assert_eq!(ids(first), [999, 998]);
        let mut all = sort(None, limits);
        let error = (0..1_000).find_map(|id| all.add(row(id, 1)).err()).unwrap();
        assert_eq!(error.code, Code::QueryExceededMemoryLimitNoDiskUseAllowed);
    }

    /// What a sort holds, when a stop has just come.
    fn held_bytes(sort: &Sort) -> usize {
        let in_memory: usize = sort.first.iter().chain(&sort.all).map(Placed::bytes).sum();
        in_memory
            + match &sort.phase {
                Phase::Gathering => 0,
                Phase::Writing(rows, writer) => {
                    rows.iter().map(Placed::bytes).sum::<usize>() + writer.held_bytes()
                }
                Phase::Merging(merge, writer) => merge.held_bytes() + writer.held_bytes(),
                Phase::Giving(merge) => merge.held_bytes(),
            }
    }

    struct NoPages;

    impl crate::pager::Pages for NoPages {
        fn page(&self, id: PageId) -> crate::pager::Walk<std::rc::Rc<Page>> {
            panic!("{id:?} was asked for")
        }

        fn is_resident(&self, _: PageId) -> bool {
            false
        }
    }

    /// A sort whose temporary storage is a map.
    struct Driven {
        sort: Sort,
        temp: crate::store::temp::TempChunks,
        freed: crate::step::FreedChunks,
        last: u64,
        held_bytes_max: usize,
    }

    impl Driven {
        fn new(sort: Sort) -> Driven {
            let (temp, freed) = Default::default();
            Driven { sort, temp, freed, last: 0, held_bytes_max: 0 }
        }

        /// Calls the operator, and again after each stop, until it gives anything.
        fn work(&mut self, rows_spent: u32) -> Work {
            let mut spilled = None;
            loop {
                let mut cx = ExecContext::new(&NoPages, &mut spilled);
                cx.rows_spent = rows_spent;
                let work = self.sort.work(&mut cx);
                self.held_bytes_max = self.held_bytes_max.max(held_bytes(&self.sort));
                match work {
                    Ok(work) => return work,
                    Err(Stop::Spill(request)) => spilled = Some(self.perform(request)),
                    Err(other) => panic!("{other:?}"),
                }
            }
        }

        fn perform(&mut self, request: SpillRequest) -> SpillReply {
            let (mut puts, mut chunks) = (Vec::new(), Vec::new());
            for bytes in request.puts {
                self.last += 1;
                puts.push((TempKey(self.last), bytes));
                chunks.push(TempChunk::new(TempKey(self.last), &self.freed));
            }
            let deletes = std::mem::take(&mut *self.freed.borrow_mut());
            let bytes = self.temp.perform(TempRequest { puts, gets: request.gets, deletes }).unwrap();
            SpillReply { chunks, bytes }
        }

        fn add(&mut self, row: Row) {
            self.sort.add(row).unwrap();
            // One piece of work at a time, so that it does not begin to ask for more rows.
            while !matches!(self.sort.phase, Phase::Gathering) {
                assert!(matches!(self.work(super::super::ROWS_PER_STEP), Work::NeedTime));
            }
        }

        fn ids(&mut self) -> Vec<u64> {
            let mut ids = Vec::new();
            loop {
                match self.work(0) {
                    Work::Row(row) => ids.push(row.id.0),
                    Work::NeedTime => {}
                    Work::Eof => return ids,
                }
            }
        }
    }

    #[test]
    fn what_a_sort_holds_is_bounded_whatever_the_rows_are() {
        const MB: usize = 1 << 20;
        for (seed, bytes_max, pad_max) in
            [(1, MB, 3_000), (2, MB, 300_000), (3, 8 * MB, MB), (4, 300_000, 20_000)]
        {
            let mut random = fastrand::Rng::with_seed(seed);
            for keep in [None, Some(40), Some(100_000)] {
                let limits = SortLimits { bytes_max, may_spill: true };
                let mut driven = Driven::new(sort(keep, limits));
                let (mut rows, mut bytes) = (Vec::new(), 0);
                while bytes < 6 * bytes_max {
                    let (id, a, pad) = (rows.len() as u64, random.i32(0..50), random.usize(0..pad_max));
                    let mut doc = DocBuilder::new();
                    doc.push("a", a).push("pad", "x".repeat(pad).as_str());
                    let document = Some(Document::Apart(doc.finish().into()));
                    driven.add(Row { id: RecordId(id), document });
                    rows.push((-a, id));
                    bytes += pad + 100;
                }
                rows.sort_unstable();
                rows.truncate(keep.unwrap_or(u64::MAX) as usize);
                let ids: Vec<u64> = rows.iter().map(|(_, id)| *id).collect();
                assert!(driven.ids() == ids, "seed {seed}, keep {keep:?}");
                let spills = driven.sort.figures.spills;
                assert!(keep == Some(40) || spills >= 5, "seed {seed}, keep {keep:?}: {spills}");
                // A row, and requests of 4 MB with what they left over.
                let most = bytes_max + 2 * pad_max + 5 * MB;
                assert!(driven.held_bytes_max <= most, "seed {seed}: {} of {most}", driven.held_bytes_max);
                drop(driven.sort);
                assert_eq!(driven.freed.borrow().len(), driven.temp.count(), "every chunk was freed once");
            }
        }
    }
}

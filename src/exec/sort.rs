//! Sorting in memory: all rows, or the first so many of them. Stable: ties stay in the order in which they came.

use super::operators::{Operator, SortLimits};
use super::{ExecContext, Row, Work};
use crate::bson::order::Direction;
use crate::bson::{RawDoc, Value};
use crate::error::{Code, Error, Result};
use crate::key;
use crate::query::SortPattern;
use crate::step::Step;
use std::collections::BinaryHeap;

/// A row with its place in the order: the encoded sort key, then its number.
#[derive(Debug)]
struct Placed {
    key: Vec<u8>,
    number: u64,
    row: Row,
}

impl Placed {
    fn bytes(&self) -> usize {
        self.key.len() + self.row.bytes().len() + size_of::<Placed>()
    }

    fn place(&self) -> (&[u8], u64) {
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

/// The sort operator.
#[derive(Debug)]
pub(super) struct Sort {
    pub below: Operator,
    pub pattern: SortPattern,
    /// How many rows are asked for; `None` for all.
    pub keep: Option<u64>,
    pub limits: SortLimits,
    /// While `keep` is known: the rows so far, the last in order on top. Otherwise just rows.
    first: BinaryHeap<Placed>,
    all: Vec<Placed>,
    sorted: Option<std::vec::IntoIter<Placed>>,
    count: u64,
    bytes: usize,
    is_done: bool,
}

impl Sort {
    pub fn new(below: Operator, pattern: SortPattern, keep: Option<u64>, limits: SortLimits) -> Sort {
        let (first, all) = (BinaryHeap::new(), Vec::new());
        Sort { below, pattern, keep, limits, first, all, sorted: None, count: 0, bytes: 0, is_done: false }
    }

    /// Whether the last row was given, and that was noticed.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    pub fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        while self.sorted.is_none() {
            match self.below.work(cx)? {
                Work::Row(row) => self.add(row)?,
                Work::NeedTime => return Ok(Work::NeedTime),
                Work::Eof => self.sorted = Some(self.arrange().into_iter()),
            }
        }
        match self.sorted.as_mut().and_then(Iterator::next) {
            Some(placed) => Ok(Work::Row(placed.row)),
            None => {
                self.is_done = true;
                Ok(Work::Eof)
            }
        }
    }

    fn add(&mut self, mut row: Row) -> Result<()> {
        let key = sort_key(&self.pattern, RawDoc::from_validated(row.bytes()))?;
        let number = self.count;
        self.count += 1;
        if let Some(keep) = self.keep {
            let is_full = self.first.len() as u64 >= keep;
            if is_full && self.first.peek().is_none_or(|last| key.as_slice() >= last.key.as_slice()) {
                return Ok(());
            }
            if is_full && let Some(last) = self.first.pop() {
                self.bytes -= last.bytes();
            }
        }
        row.document = row.document.map(super::Document::apart);
        let placed = Placed { key, number, row };
        self.bytes += placed.bytes();
        if self.bytes > self.limits.bytes_max {
            return Err(self.too_large());
        }
        if self.keep.is_some() {
            self.first.push(placed)
        } else {
            self.all.push(placed)
        }
        Ok(())
    }

    fn too_large(&self) -> Error {
        let bytes_max = self.limits.bytes_max;
        if self.limits.may_spill {
            return Error::not_implemented(format!("a sort of more than {bytes_max} bytes"));
        }
        Error::new(
            Code::QueryExceededMemoryLimitNoDiskUseAllowed,
            format!(
                "Executor error during find command :: caused by :: Sort exceeded memory limit of {bytes_max} bytes, but did not opt in to external sorting."
            ),
        )
    }

    fn arrange(&mut self) -> Vec<Placed> {
        if self.keep.is_some() {
            return std::mem::take(&mut self.first).into_sorted_vec();
        }
        let mut all = std::mem::take(&mut self.all);
        all.sort_unstable();
        all
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
    use crate::records::RecordId;

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
        for (may_spill, code) in
            [(false, Code::QueryExceededMemoryLimitNoDiskUseAllowed), (true, Code::NotImplemented)]
        {
            let mut all = sort(None, SortLimits { may_spill, ..limits });
            let error = (0..1_000).find_map(|id| all.add(row(id, 1)).err()).unwrap();
            assert_eq!(error.code, code);
        }
    }
}

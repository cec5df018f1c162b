//! The operators above the scans, and the tree of them that a plan becomes.

use super::index_scan::{CollectionScan, IdLookup, IndexScan};
use super::sort::Sort;
use super::{Document, ExecContext, Row, Work};
use crate::bson::RawDoc;
use crate::bson::order::Direction;
use crate::btree::Tree;
use crate::catalog::Collection;
use crate::key;
use crate::plan::{IndexAccess, Plan, Source};
use crate::query::Expr;
use crate::records::RecordId;
use crate::step::Step;
use std::collections::{BTreeSet, VecDeque};

/// An operator and how many rows it gave.
#[derive(Debug)]
pub struct Operator {
    pub(super) kind: Kind,
    pub(super) returned: u64,
}

/// There are a handful for a whole execution, and the scan is the one that is worked most.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(super) enum Kind {
    Nothing,
    Collection(CollectionScan),
    Id(IdLookup),
    Index(IndexScan),
    Fetch(Box<Fetch>),
    Any(Any),
    Sort(Box<Sort>),
    Skip { below: Box<Operator>, left: u64, asked: u64 },
    Limit { below: Box<Operator>, left: u64, asked: u64 },
}

impl From<Kind> for Operator {
    fn from(kind: Kind) -> Operator {
        Operator { kind, returned: 0 }
    }
}

/// Reads the documents of rows that have none, and asks them the filter.
#[derive(Debug)]
pub(super) struct Fetch {
    pub below: Operator,
    records: Tree,
    pub filter: Option<Expr>,
    /// Asked instead if the row waited for its document.
    whole_filter: Option<Expr>,
    waiting: Option<Row>,
    /// Whether the keys give what is asked: only rows without a document are read, and nothing is shown of this.
    pub is_covered: bool,
    pub docs_examined: u64,
}

/// One scan after the other, each record once.
#[derive(Debug)]
pub(super) struct Any {
    pub below: Vec<Operator>,
    at: usize,
    given: BTreeSet<RecordId>,
}

impl Operator {
    /// The next row, or why there is none now.
    pub fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        let work = match &mut self.kind {
            Kind::Nothing => Ok(Work::Eof),
            Kind::Collection(scan) => scan.work(cx),
            Kind::Id(lookup) => lookup.work(cx),
            Kind::Index(scan) => scan.work(cx),
            Kind::Fetch(fetch) => fetch.work(cx),
            Kind::Any(any) => any.work(cx),
            Kind::Sort(sort) => sort.work(cx),
            Kind::Skip { below, left, .. } => loop {
                match below.work(cx)? {
                    Work::Row(_) if *left > 0 => *left -= 1,
                    other => break Ok(other),
                }
            },
            Kind::Limit { left: 0, .. } => Ok(Work::Eof),
            Kind::Limit { below, left, .. } => {
                let work = below.work(cx)?;
                *left -= u64::from(matches!(work, Work::Row(_)));
                Ok(work)
            }
        }?;
        self.returned += u64::from(matches!(work, Work::Row(_)));
        Ok(work)
    }

    /// Whether it is known already that nothing more comes.
    pub fn is_eof(&self) -> bool {
        match &self.kind {
            Kind::Nothing => true,
            Kind::Collection(scan) => scan.is_done,
            Kind::Id(lookup) => lookup.is_done,
            Kind::Index(scan) => scan.is_done(),
            Kind::Fetch(fetch) => fetch.waiting.is_none() && fetch.below.is_eof(),
            Kind::Any(any) => any.at >= any.below.len(),
            Kind::Sort(sort) => sort.is_done(),
            Kind::Skip { below, .. } => below.is_eof(),
            Kind::Limit { below, left, .. } => *left == 0 || below.is_eof(),
        }
    }
}

impl Fetch {
    fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        loop {
            let (mut row, has_waited) = match self.waiting.take() {
                Some(row) => (row, true),
                None => match self.below.work(cx)? {
                    Work::Row(row) => (row, false),
                    other => return Ok(other),
                },
            };
            if row.document.is_none() {
                match self.records.get(&cx.pages, &row.id.to_key()) {
                    Ok(Some(bytes)) => row.document = Some(Document::InPage(bytes)),
                    // It was removed since its key was read.
                    Ok(None) => continue,
                    Err(fault) => {
                        self.waiting = Some(row);
                        return Err(fault.into());
                    }
                }
                self.docs_examined += 1;
            }
            let filter = if has_waited { self.whole_filter.as_ref() } else { self.filter.as_ref() };
            if filter.is_none_or(|filter| filter.matches(RawDoc::from_validated(row.bytes()))) {
                return Ok(Work::Row(row));
            }
            if cx.is_spent() {
                return Ok(Work::NeedTime);
            }
        }
    }
}

impl Any {
    fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        while let Some(below) = self.below.get_mut(self.at) {
            match below.work(cx)? {
                Work::Row(row) if self.given.insert(row.id) => return Ok(Work::Row(row)),
                Work::Row(_) => {}
                Work::NeedTime => return Ok(Work::NeedTime),
                Work::Eof => self.at += 1,
            }
        }
        Ok(Work::Eof)
    }
}

fn fetch(collection: &Collection, below: Operator, filter: Option<Expr>, whole: Option<Expr>) -> Operator {
    let records = collection.records;
    let (waiting, is_covered) = (None, covers(&below));
    let fetch = Fetch { below, records, filter, whole_filter: whole, waiting, is_covered, docs_examined: 0 };
    Kind::Fetch(Box::new(fetch)).into()
}

/// Whether rows come with all that is asked of their documents, from the keys of an index.
pub(super) fn covers(operator: &Operator) -> bool {
    match &operator.kind {
        Kind::Index(scan) => scan.access.covers.is_some(),
        Kind::Fetch(fetch) => fetch.is_covered,
        Kind::Skip { below, .. } | Kind::Limit { below, .. } => covers(below),
        Kind::Sort(sort) => covers(&sort.below),
        _ => false,
    }
}

/// A plan that is being executed.
#[derive(Debug)]
pub struct Executor {
    root: Operator,
    /// Rows that come before those of the plan: one that was given and taken back, or a listing.
    held: VecDeque<Row>,
    /// The indexes that are read, by name and tree: if one is dropped, the execution ends.
    indexes: Vec<(String, Tree)>,
}

impl Executor {
    /// Starts the execution of a plan.
    pub fn new(collection: &Collection, plan: Plan, sort: SortLimits, output: Output) -> Executor {
        let mut indexes = Vec::new();
        let mut use_index = |access: &IndexAccess| {
            let index = &collection.indexes[access.index];
            indexes.push((index.name.clone(), index.tree));
        };
        match &plan.source {
            Source::Index(access) => use_index(access),
            Source::Any(scans) => scans.iter().for_each(&mut use_index),
            _ => {}
        }
        Executor { root: operators(collection, plan, sort, output), held: VecDeque::new(), indexes }
    }

    /// Gives these documents and reads nothing.
    pub fn of_documents(documents: Vec<Vec<u8>>) -> Executor {
        let row = |document: Vec<u8>| Row {
            id: RecordId(0),
            document: Some(Document::Apart(document.into_boxed_slice())),
        };
        Executor {
            root: Kind::Nothing.into(),
            held: documents.into_iter().map(row).collect(),
            indexes: Vec::new(),
        }
    }

    /// The next row, or why there is none now.
    pub fn work(&mut self, cx: &mut ExecContext<'_>) -> Step<Work> {
        match self.held.pop_front() {
            Some(row) => Ok(Work::Row(row)),
            None => self.root.work(cx),
        }
    }

    /// Takes back the row given last, to be given again.
    pub fn take_back(&mut self, row: Row) {
        self.held.push_front(row);
    }

    /// Whether it is known already that nothing more comes.
    pub fn is_eof(&self) -> bool {
        self.held.is_empty() && self.root.is_eof()
    }

    /// The tree of operators.
    pub fn root(&self) -> &Operator {
        &self.root
    }

    /// The name of an index that the execution reads and the collection has no more.
    pub fn lost_index(&self, collection: &Collection) -> Option<&str> {
        let is_there =
            |(name, tree): &&(String, Tree)| collection.index(name).is_some_and(|index| index.tree == *tree);
        self.indexes.iter().find(|index| !is_there(index)).map(|(name, _)| name.as_str())
    }
}

/// What is asked of the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    Documents,
    /// Their number only: what the keys decide is not fetched.
    Count,
}

/// How much a sort may keep, and what happens beyond.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SortLimits {
    pub bytes_max: usize,
    /// Whether the command lets it write to temporary storage what is beyond; if not, that is an error.
    pub may_spill: bool,
}

impl Default for SortLimits {
    /// MongoDB's 100 MB.
    fn default() -> SortLimits {
        SortLimits { bytes_max: 100 * 1024 * 1024, may_spill: false }
    }
}

/// The operators of a plan.
pub(super) fn operators(collection: &Collection, plan: Plan, limits: SortLimits, output: Output) -> Operator {
    let mut skip = plan.skip;
    let by_keys = output == Output::Count && plan.sort.is_none();
    let skipping = |below: Operator, skip: u64| -> Operator {
        match skip {
            0 => below,
            left => Kind::Skip { below: Box::new(below), left, asked: left }.into(),
        }
    };
    let mut root: Operator = match plan.source {
        Source::Nothing => Kind::Nothing.into(),
        Source::Collection(direction) => {
            Kind::Collection(CollectionScan::new(collection, direction, plan.filter)).into()
        }
        Source::Id(value) => {
            let mut key = Vec::new();
            key::encode_value(&value.get(), Direction::Ascending, &mut key);
            let index = collection.indexes[0].tree;
            let records = collection.records;
            Kind::Id(IdLookup { index, records, key, is_done: false, examined: 0 }).into()
        }
        Source::Index(mut access) => {
            let filter = access.filter.take();
            let whole = Some(access.whole_filter.clone());
            let index = &collection.indexes[access.index];
            let mut below: Operator =
                Kind::Index(IndexScan::new(index, access, by_keys && filter.is_none())).into();
            // What is skipped need not be read, if its keys say all about it and it needs no sorting.
            if filter.is_none() && plan.sort.is_none() {
                below = skipping(below, std::mem::take(&mut skip));
            }
            if by_keys && filter.is_none() { below } else { fetch(collection, below, filter, whole) }
        }
        Source::Any(scans) => {
            let mut wholes = Vec::new();
            let below = scans.into_iter().map(|mut access| {
                let filter = access.filter.take();
                wholes.push(access.whole_filter.clone());
                let whole = Some(access.whole_filter.clone());
                let index = &collection.indexes[access.index];
                let scan: Operator = Kind::Index(IndexScan::new(index, access, false)).into();
                match filter {
                    None => scan,
                    filter => fetch(collection, scan, filter, whole),
                }
            });
            let any = Any { below: below.collect(), at: 0, given: BTreeSet::new() };
            let any = Kind::Any(any).into();
            let mut whole = Expr::Or(wholes);
            if let Some(rest) = &plan.filter {
                whole = Expr::And(vec![whole, rest.clone()]);
            }
            let is_enough = by_keys && plan.filter.is_none();
            if is_enough { any } else { fetch(collection, any, plan.filter, Some(whole)) }
        }
    };
    if let Some(pattern) = plan.sort {
        let keep = plan.limit.map(|limit| limit.saturating_add(skip));
        root = Kind::Sort(Box::new(Sort::new(root, pattern, keep, limits))).into();
        // The sort keeps no more than the limit asks for.
        return skipping(root, skip);
    }
    // A limit stands above the fetch, a skip below it only as above.
    root = skipping(root, skip);
    match plan.limit {
        Some(left) => Kind::Limit { below: Box::new(root), left, asked: left }.into(),
        None => root,
    }
}

//! Executions as explain shows them: MongoDB's stage names and fields.
//!
//! `winningPlan` and `executionStages` are the same tree, with and without figures.

use super::filter_shape;
use super::index_scan::IndexScan;
use super::operators::{Executor, Fetch, Kind, Operator, Output, SortLimits, covers, operators};
use super::sort::Sort;
use crate::bson::order::Direction;
use crate::bson::{DocBuilder, Value};
use crate::catalog::{Collection, Index};
use crate::plan::{Plan, Query};
use crate::query::{Expr, SortPattern};

/// A stage that a command has above the plan: a projection, a count, a write.
#[derive(Clone, Debug)]
pub struct Above {
    pub stage: &'static str,
    /// Further fields of the stage: one document.
    pub fields: Vec<u8>,
    /// How many rows it gives, of those that come from below; `None`: all of them.
    pub returned: Option<u64>,
}

/// What an execution looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    pub returned: u64,
    pub keys_examined: u64,
    pub docs_examined: u64,
}

/// A count as an int where it fits, else a long.
pub fn number(n: u64) -> Value<'static> {
    i32::try_from(n).map_or(Value::Int64(n as i64), Value::Int32)
}

/// Appends the stages of a plan that is not executed.
pub fn push_plan(
    collection: &Collection,
    plan: Plan,
    limits: SortLimits,
    output: Output,
    above: &[Above],
    doc: &mut DocBuilder,
) {
    let root = operators(collection, plan, limits, output);
    push_above(collection, &root, above, false, doc);
}

/// Appends the stages of an execution, with figures.
pub fn push_execution(collection: &Collection, executor: &Executor, above: &[Above], doc: &mut DocBuilder) {
    push_above(collection, executor.root(), above, true, doc);
}

/// The figures of an execution.
pub fn totals(executor: &Executor) -> Totals {
    let mut totals = Totals { returned: executor.root().returned, ..Totals::default() };
    add(executor.root(), &mut totals);
    totals
}

fn add(operator: &Operator, totals: &mut Totals) {
    match &operator.kind {
        Kind::Nothing => {}
        Kind::Collection(scan) => totals.docs_examined += scan.docs_examined,
        Kind::Id(lookup) => {
            totals.keys_examined += lookup.examined;
            totals.docs_examined += lookup.examined;
        }
        Kind::Index(scan) => totals.keys_examined += scan.keys_examined,
        Kind::Fetch(fetch) => {
            totals.docs_examined += fetch.docs_examined;
            add(&fetch.below, totals);
        }
        Kind::Any(any) => any.below.iter().for_each(|below| add(below, totals)),
        Kind::Sort(sort) => add(&sort.below, totals),
        Kind::Skip { below, .. } | Kind::Limit { below, .. } => add(below, totals),
    }
}

fn push_above(
    collection: &Collection,
    root: &Operator,
    above: &[Above],
    figures: bool,
    doc: &mut DocBuilder,
) {
    let Some((first, rest)) = above.split_first() else { return push(collection, root, figures, doc) };
    let is_covered = first.stage.starts_with("PROJECTION") && covers(root);
    doc.push("stage", if is_covered { "PROJECTION_COVERED" } else { first.stage });
    if figures {
        doc.push("nReturned", number(first.returned.unwrap_or(root.returned)));
    }
    for element in crate::bson::RawDoc::from_validated(&first.fields).iter() {
        doc.push(element.name, element.value);
    }
    doc.document("inputStage", |d| push_above(collection, root, rest, figures, d));
}

fn push(collection: &Collection, operator: &Operator, figures: bool, doc: &mut DocBuilder) {
    let begin = |doc: &mut DocBuilder, name: &str, filter: Option<&Expr>| {
        doc.push("stage", name);
        if let Some(filter) = filter {
            doc.document("filter", |d| filter_shape::push(filter, d));
        }
        if figures {
            doc.push("nReturned", number(operator.returned));
        }
    };
    let below = |doc: &mut DocBuilder, below: &Operator| {
        doc.document("inputStage", |d| push(collection, below, figures, d));
    };
    match &operator.kind {
        Kind::Nothing => begin(doc, "EOF", None),
        Kind::Collection(scan) => {
            begin(doc, "COLLSCAN", scan.filter.as_ref());
            doc.push("direction", direction(scan.direction));
            if figures {
                doc.push("docsExamined", number(scan.docs_examined));
            }
        }
        Kind::Id(lookup) => {
            begin(doc, "IDHACK", None);
            if figures {
                doc.push("keysExamined", number(lookup.examined));
                doc.push("docsExamined", number(lookup.examined));
            }
        }
        Kind::Index(scan) => {
            begin(doc, if scan.is_count_scan() { "COUNT_SCAN" } else { "IXSCAN" }, None);
            push_scan(&collection.indexes[scan.access.index], scan, figures, doc);
        }
        Kind::Fetch(fetch) if fetch.is_covered => push(collection, &fetch.below, figures, doc),
        Kind::Fetch(fetch) => push_fetch(fetch, figures, doc, &begin, &below),
        Kind::Any(any) => {
            begin(doc, "OR", None);
            doc.array("inputStages", |a| {
                for each in &any.below {
                    a.document(|d| push(collection, each, figures, d));
                }
            });
        }
        Kind::Sort(sort) => {
            begin(doc, "SORT", None);
            push_sort(sort, figures, doc);
            below(doc, &sort.below);
        }
        Kind::Skip { below: inner, asked, .. } => {
            begin(doc, "SKIP", None);
            doc.push("skipAmount", number(*asked));
            below(doc, inner);
        }
        Kind::Limit { below: inner, asked, .. } => {
            begin(doc, "LIMIT", None);
            doc.push("limitAmount", number(*asked));
            below(doc, inner);
        }
    }
}

fn push_fetch(
    fetch: &Fetch,
    figures: bool,
    doc: &mut DocBuilder,
    begin: &dyn Fn(&mut DocBuilder, &str, Option<&Expr>),
    below: &dyn Fn(&mut DocBuilder, &Operator),
) {
    begin(doc, "FETCH", fetch.filter.as_ref());
    if figures {
        doc.push("docsExamined", number(fetch.docs_examined));
    }
    below(doc, &fetch.below);
}

fn push_sort(sort: &Sort, figures: bool, doc: &mut DocBuilder) {
    doc.document("sortPattern", |d| push_pattern(&sort.pattern, d));
    doc.push("memLimit", number(sort.limits.bytes_max as u64));
    if let Some(keep) = sort.keep {
        doc.push("limitAmount", number(keep));
    }
    doc.push("type", "simple");
    if figures {
        doc.push("totalDataSizeSorted", number(sort.figures.bytes_sorted));
        doc.push("usedDisk", sort.figures.spills > 0);
        doc.push("spills", number(sort.figures.spills));
    }
}

/// Appends the fields of a sort pattern.
pub fn push_pattern(pattern: &SortPattern, doc: &mut DocBuilder) {
    let sign = |direction: Direction| if direction == Direction::Ascending { 1 } else { -1 };
    match pattern {
        SortPattern::Natural(direction) => {
            doc.push("$natural", sign(*direction));
        }
        SortPattern::Fields { paths, directions } => {
            for (path, direction) in paths.iter().zip(directions) {
                doc.push(path.as_str(), sign(*direction));
            }
        }
    }
}

/// Appends the fields that name an index.
pub fn push_index(index: &Index, doc: &mut DocBuilder) {
    doc.push("keyPattern", index.key_pattern());
    doc.push("indexName", index.name.as_str());
    doc.push("isMultiKey", index.multikey.is_multikey());
    doc.document("multiKeyPaths", |d| {
        for (place, field) in index.fields.iter().enumerate() {
            d.array(field.name.as_str(), |a| {
                for part in index.multikey.parts_of(place) {
                    let parts = index.paths[place].parts().take(usize::from(*part) + 1);
                    let mut path = String::new();
                    for (i, part) in parts.enumerate() {
                        if i > 0 {
                            path.push('.');
                        }
                        path.push_str(part);
                    }
                    a.push(path.as_str());
                }
            });
        }
    });
    doc.push("isUnique", index.unique);
    doc.push("isSparse", false);
    doc.push("isPartial", false);
    doc.push("indexVersion", 2);
}

fn push_scan(index: &Index, scan: &IndexScan, figures: bool, doc: &mut DocBuilder) {
    push_index(index, doc);
    let backward = scan.access.direction == Direction::Descending;
    if scan.is_count_scan() {
        return push_count_bounds(index, scan, figures, doc);
    }
    doc.push("direction", direction(scan.access.direction));
    doc.document("indexBounds", |d| {
        for (field, bounds) in index.fields.iter().zip(&scan.access.fields) {
            let shown = match (field.direction, backward) {
                (Direction::Ascending, false) | (Direction::Descending, true) => Direction::Ascending,
                _ => Direction::Descending,
            };
            d.array(field.name.as_str(), |a| {
                let mut texts: Vec<String> = bounds.intervals.iter().map(|each| each.show(shown)).collect();
                if shown == Direction::Descending {
                    texts.reverse();
                }
                for text in &texts {
                    a.push(text.as_str());
                }
            });
        }
    });
    if figures {
        doc.push("keysExamined", number(scan.keys_examined));
        doc.push("seeks", number(scan.seeks));
    }
}

/// The ends of the one range of a count scan.
fn push_count_bounds(index: &Index, scan: &IndexScan, figures: bool, doc: &mut DocBuilder) {
    let mut ends = [(DocBuilder::new(), true), (DocBuilder::new(), true)];
    for (field, bounds) in index.fields.iter().zip(&scan.access.fields) {
        let Some(interval) = bounds.intervals.first() else { continue };
        let (first, last) = match field.direction {
            Direction::Ascending => (&interval.low, &interval.high),
            Direction::Descending => (&interval.high, &interval.low),
        };
        for ((key, inclusive), end) in ends.iter_mut().zip([first, last]) {
            key.push(field.name.as_str(), end.value.get());
            *inclusive &= end.inclusive;
        }
    }
    let [(start, start_inclusive), (end, end_inclusive)] = ends;
    let (start, end) = (start.finish(), end.finish());
    doc.document("indexBounds", |d| {
        d.push("startKey", crate::bson::RawDoc::from_validated(&start));
        d.push("startKeyInclusive", start_inclusive);
        d.push("endKey", crate::bson::RawDoc::from_validated(&end));
        d.push("endKeyInclusive", end_inclusive);
    });
    if figures {
        doc.push("keysExamined", number(scan.keys_examined));
    }
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Ascending => "forward",
        Direction::Descending => "backward",
    }
}

/// Appends the fields of a query's filter in normal form.
pub fn push_filter(query: &Query, doc: &mut DocBuilder) {
    match &query.id {
        Some(id) => {
            doc.document("_id", |d| {
                d.push("$eq", id.get());
            });
        }
        None => filter_shape::push(&query.filter.root, doc),
    }
}

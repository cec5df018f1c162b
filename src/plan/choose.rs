//! Candidates and the choice among them.
//!
//! The rules, the first that tells two candidates apart decides
//! 1. A hint is obeyed; a `$natural` sort is a collection scan; `{_id: value}` is one lookup.
//! 2. A unique index with a value for each field: one document at most.
//! 3. More leading fields with one value.
//! 4. A predicate that narrows the first field, or the order of a sort that a limit cuts short: neither reads everything.
//! 5. The order of the sort: nothing is kept in memory, and the first document comes at once.
//! 6. More fields with a list of values, then more fields with ranges.
//! 7. Nothing left to ask of the document.
//! 8. The keys give all that is asked: no document is read.
//! 9. Fewer fields, then the older index.
//!
//! An index that neither narrows nor orders is no candidate. An `$or`, alone or in a conjunction, whose alternatives all
//! have one is a scan for each.
//! Otherwise it is a collection scan.

use super::index_bounds::{IndexBounds, conjuncts};
use super::interval::Interval;
use super::{Hint, IndexAccess, Plan, Query, Source, sort_order};
use crate::bson::RawDoc;
use crate::bson::order::Direction;
use crate::catalog::{Collection, Index};
use crate::error::{Code, Error, Result};
use crate::query::{Expr, SortPattern};
use crate::sorted::sort_by;
use std::cmp::Reverse;

/// An index scan, with what the rules ask about it. The order of scores is the order of preference.
struct Candidate {
    access: IndexAccess,
    gives_order: bool,
    score: Score,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Score {
    is_unique_lookup: bool,
    equal_fields: usize,
    reads_part: bool,
    gives_order: bool,
    listed_fields: usize,
    ranged_fields: usize,
    narrows_at_all: bool,
    leaves_nothing: bool,
    covers: bool,
    fields: Reverse<usize>,
    age: Reverse<usize>,
}

/// The plan of a query, and those that were not taken.
///
/// # Errors
/// 2 for a hint that names no index.
pub fn plan(collection: &Collection, query: &Query) -> Result<(Plan, Vec<Plan>)> {
    let natural = match (&query.hint, &query.sort) {
        (_, SortPattern::Natural(direction)) | (Some(Hint::Natural(direction)), _) => Some(*direction),
        _ => None,
    };
    let needs_order = matches!(query.sort, SortPattern::Fields { .. }) && !query.sort.is_empty();
    let finish = |source: Source, filter: Option<Expr>, is_ordered: bool| Plan {
        source,
        filter,
        sort: (needs_order && !is_ordered).then(|| query.sort.clone()),
        skip: query.skip,
        limit: query.limit,
    };
    let all = || (!query.filter.is_empty()).then(|| query.filter.root.clone());
    if let Some(direction) = natural {
        return Ok((finish(Source::Collection(direction), all(), false), Vec::new()));
    }
    if let (Some(id), None) = (&query.id, &query.hint) {
        return Ok((finish(Source::Id(id.clone()), None, true), Vec::new()));
    }
    if matches!(query.filter.root, Expr::AlwaysFalse) {
        return Ok((finish(Source::Nothing, None, true), Vec::new()));
    }
    let of_candidate = |found: Candidate| finish(Source::Index(found.access), None, found.gives_order);
    if let Some(hint) = &query.hint {
        let place = hinted(collection, hint)?;
        let found = candidate(place, &collection.indexes[place], &query.filter.root, query);
        return Ok((of_candidate(found), Vec::new()));
    }
    let mut found = candidates(collection, &query.filter.root, query);
    if !found.first().is_some_and(|best| best.score.reads_part)
        && let Some((scans, rest)) = any_of(collection, query)
    {
        let rejected = found.into_iter().map(of_candidate).collect();
        return Ok((finish(Source::Any(scans), rest, false), rejected));
    }
    if found.is_empty() {
        return Ok((finish(Source::Collection(Direction::Ascending), all(), false), Vec::new()));
    }
    let rejected = found.split_off(1).into_iter().map(of_candidate).collect();
    let best = found.remove(0);
    Ok((of_candidate(best), rejected))
}

fn hinted(collection: &Collection, hint: &Hint) -> Result<usize> {
    let is_hinted = |index: &Index| match hint {
        Hint::Natural(_) => false,
        Hint::Name(name) => index.name == *name,
        Hint::Pattern(pattern) => same_pattern(index.key_pattern(), RawDoc::from_validated(pattern)),
    };
    collection.indexes.iter().position(is_hinted).ok_or_else(|| {
        let message = format!(
            "error processing query: ns={} planner returned error :: caused by :: hint provided does not correspond to an existing index",
            collection.namespace.full()
        );
        Error::new(Code::BadValue, message)
    })
}

/// Whether two key patterns have the same fields in the same directions.
fn same_pattern(a: RawDoc<'_>, b: RawDoc<'_>) -> bool {
    let equal = |x: &crate::bson::Value<'_>, y: &crate::bson::Value<'_>| crate::bson::order::equal(x, y);
    a.count() == b.count()
        && a.iter().zip(b.iter()).all(|(x, y)| x.name == y.name && equal(&x.value, &y.value))
}

/// All candidates, the best first.
fn candidates(collection: &Collection, filter: &Expr, query: &Query) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = collection
        .indexes
        .iter()
        .enumerate()
        .map(|(place, index)| candidate(place, index, filter, query))
        .filter(|found| found.score.narrows_at_all || found.gives_order)
        .collect();
    sort_by(&mut found, |a, b| b.score.cmp(&a.score));
    found
}

/// Scans for the alternatives of an `$or`, alone or in a conjunction, and what is left to ask then.
fn any_of(collection: &Collection, query: &Query) -> Option<(Vec<IndexAccess>, Option<Expr>)> {
    let parts = conjuncts(&query.filter.root);
    parts.iter().enumerate().find_map(|(place, part)| {
        let Expr::Or(alternatives) = part else { return None };
        let scans = scan_for_each(collection, alternatives, query)?;
        Some((scans, conjunction([&parts[..place], &parts[place + 1..]].concat())))
    })
}

fn scan_for_each(collection: &Collection, alternatives: &[Expr], query: &Query) -> Option<Vec<IndexAccess>> {
    let unordered = Query { sort: no_order(), limit: None, needs: None, ..query.clone() };
    let scan = |alternative: &Expr| {
        let mut found = candidates(collection, alternative, &unordered);
        (!found.is_empty()).then(|| found.remove(0).access)
    };
    alternatives.iter().map(scan).collect()
}

fn no_order() -> SortPattern {
    SortPattern::Fields { paths: Vec::new(), directions: Vec::new() }
}

fn candidate(place: usize, index: &Index, filter: &Expr, query: &Query) -> Candidate {
    let bounds = IndexBounds::new(index, filter);
    let order = match &query.sort {
        sort if sort.is_empty() => None,
        sort => sort_order::direction(index, &bounds.fields, sort),
    };
    let left: Vec<Expr> = conjuncts(filter)
        .iter()
        .enumerate()
        .filter(|(place, _)| !bounds.done.contains(place))
        .map(|(_, expr)| expr.clone())
        .collect();
    let covers = if left.is_empty() { covered_fields(index, query, order.is_some()) } else { None };
    let equal_fields = bounds.equal_fields();
    let is_list = |all: &[Interval]| all.len() > 1 && all.iter().all(Interval::is_point);
    let narrowing = bounds.fields.iter().filter(|field| field.is_selective);
    let (listed, ranged): (Vec<_>, Vec<_>) = narrowing.partition(|field| is_list(&field.intervals));
    let first = &bounds.fields[0];
    let score = Score {
        is_unique_lookup: index.unique && equal_fields == index.fields.len(),
        equal_fields,
        reads_part: first.is_selective || (order.is_some() && query.limit.is_some()),
        gives_order: order.is_some(),
        listed_fields: listed.len(),
        ranged_fields: ranged.len() - ranged.iter().filter(|field| field.is_single_point()).count(),
        narrows_at_all: first.is_bounded,
        leaves_nothing: left.is_empty(),
        covers: covers.is_some(),
        fields: Reverse(index.fields.len()),
        age: Reverse(place),
    };
    let access = IndexAccess {
        index: place,
        direction: order.unwrap_or(Direction::Ascending),
        fields: bounds.fields,
        covers,
        filter: conjunction(left),
        whole_filter: filter.clone(),
    };
    Candidate { access, gives_order: order.is_some(), score }
}

/// The positions of the fields of an index that the query looks at, its sort's too unless the scan gives the order. `None`
/// if it looks at others. A field with arrays has only a part of a document's values in a key.
fn covered_fields(index: &Index, query: &Query, is_ordered: bool) -> Option<Vec<usize>> {
    let place_of = |path: &str| {
        let place = index.fields.iter().position(|field| field.name == path)?;
        let is_plain = index.multikey.parts_of(place).is_empty() && !index.paths[place].has_array_index();
        is_plain.then_some(place)
    };
    let mut places: Vec<usize> =
        query.needs.as_ref()?.iter().map(|path| place_of(path)).collect::<Option<_>>()?;
    if let (SortPattern::Fields { paths, .. }, false) = (&query.sort, is_ordered) {
        for path in paths {
            places.push(place_of(path.as_str())?);
        }
    }
    Some(places)
}

fn conjunction(mut parts: Vec<Expr>) -> Option<Expr> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(Expr::And(parts)),
    }
}

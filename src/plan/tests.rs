//! Bounds and choices, on filters and indexes written as Extended JSON.

use super::{Hint, IndexAccess, Query, Source, plan};
use crate::bson::ejson::parse_document;
use crate::bson::order::Direction;
use crate::bson::{DocBuilder, Limits, RawDoc};
use crate::btree::Tree;
use crate::catalog::{Collection, Index, Namespace};
use crate::pager::{PageId, TreeId};
use crate::query::SortPattern;

fn json(text: &str) -> Vec<u8> {
    parse_document(text.as_bytes(), Limits::STORED).expect("the text is a document")
}

/// A collection with indexes of these key patterns; `arrays` are positions and parts that led through arrays.
fn collection(indexes: &[(&str, &[(usize, u16)])]) -> Collection {
    let tree = |id| Tree { id: TreeId(id), root: PageId(id) };
    let all = std::iter::once((r#"{"_id": 1}"#, &[][..])).chain(indexes.iter().copied());
    let indexes = all.enumerate().map(|(place, (key, arrays))| {
        let mut spec = DocBuilder::new();
        spec.push("v", 2).push("key", RawDoc::from_validated(&json(key)));
        spec.push("name", if place == 0 { "_id_" } else { key });
        let mut index = Index::new(spec.finish(), tree(place as u64 + 2)).expect("the spec is one");
        for (position, part) in arrays {
            index.multikey.insert(*position, *part);
        }
        index
    });
    Collection {
        namespace: Namespace::new("test", "c").expect("the names are good"),
        uuid: [0; 16],
        options: Vec::new(),
        records: tree(1),
        indexes: indexes.collect(),
    }
}

fn query(filter: &str, sort: &str) -> Query {
    let sort = SortPattern::parse(RawDoc::from_validated(&json(sort))).expect("the sort is valid");
    let query = Query::of_filter(RawDoc::from_validated(&json(filter))).expect("the filter is valid");
    Query { sort, ..query }
}

fn scan(collection: &Collection, query: &Query) -> IndexAccess {
    match plan(collection, query).expect("there is a plan").0.source {
        Source::Index(access) => access,
        other => panic!("{other:?}"),
    }
}

/// The bounds of each field of the index that is chosen, joined.
fn bounds(indexes: &[(&str, &[(usize, u16)])], filter: &str) -> Vec<String> {
    let access = scan(&collection(indexes), &query(filter, "{}"));
    let show = |field: &super::FieldBounds| {
        let shown: Vec<String> =
            field.intervals.iter().map(|interval| interval.show(Direction::Ascending)).collect();
        shown.join(" ")
    };
    access.fields.iter().map(show).collect()
}

#[test]
fn predicates_give_the_bounds_that_mongodb_shows() {
    let a = |filter: &str| bounds(&[(r#"{"a": 1}"#, &[])], filter).join("");
    assert_eq!(a(r#"{"a": 3}"#), "[3, 3]");
    assert_eq!(a(r#"{"a": {"$gte": 2, "$lt": 4}}"#), "[2, 4)");
    assert_eq!(a(r#"{"a": {"$gt": 7}}"#), "(7, inf.0]");
    assert_eq!(a(r#"{"a": {"$lte": 1}}"#), "[-inf.0, 1]");
    assert_eq!(a(r#"{"a": {"$gt": "x"}}"#), "(\"x\", {})");
    assert_eq!(a(r#"{"a": null}"#), "[undefined, undefined] [null, null]");
    assert_eq!(a(r#"{"a": {"$ne": 3}}"#), "[MinKey, 3) (3, MaxKey]");
    assert_eq!(a(r#"{"a": {"$not": {"$gt": 3}}}"#), "[MinKey, 3] (inf.0, MaxKey]");
    assert_eq!(a(r#"{"a": {"$in": [5, 1, 3]}}"#), "[1, 1] [3, 3] [5, 5]");
    assert_eq!(a(r#"{"a": {"$exists": true}}"#), "[MinKey, MaxKey]");
    assert_eq!(a(r#"{"a": [5, 6]}"#), "[5, 5] [[ 5, 6 ], [ 5, 6 ]]");
}

#[test]
fn two_predicates_on_a_path_with_arrays_are_not_intersected() {
    let with_arrays: (&str, &[(usize, u16)]) = (r#"{"a": 1}"#, &[(0, 0)]);
    assert_eq!(bounds(&[with_arrays], r#"{"a": {"$gt": 5, "$lt": 7}}"#), ["[-inf.0, 7)"]);
    assert_eq!(bounds(&[with_arrays], r#"{"a": {"$elemMatch": {"$gt": 5, "$lt": 7}}}"#), ["(5, 7)"]);
}

#[test]
fn fields_that_share_an_array_are_bounded_together_only_inside_elem_match() {
    let shared: (&str, &[(usize, u16)]) = (r#"{"a.b": 1, "a.c": 1}"#, &[(0, 0), (1, 0)]);
    assert_eq!(bounds(&[shared], r#"{"a.b": 1, "a.c": 2}"#), ["[1, 1]", "[MinKey, MaxKey]"]);
    assert_eq!(bounds(&[shared], r#"{"a": {"$elemMatch": {"b": 1, "c": 2}}}"#), ["[1, 1]", "[2, 2]"]);
    // The element of the inner array is another one.
    let nested: (&str, &[(usize, u16)]) = (r#"{"a.b": 1, "a.c": 1}"#, &[(0, 0), (0, 1), (1, 0)]);
    assert_eq!(bounds(&[nested], r#"{"a": {"$elemMatch": {"b": 1, "c": 2}}}"#), ["[1, 1]", "[2, 2]"]);
    let filter = r#"{"a": {"$elemMatch": {"b": {"$gt": 1, "$lt": 3}}}}"#;
    assert_eq!(bounds(&[nested], filter)[0], "[-inf.0, 3)");
}

#[test]
fn the_rules_prefer_equality_then_order_then_ranges() {
    let indexes = collection(&[(r#"{"a": 1}"#, &[]), (r#"{"b": 1}"#, &[]), (r#"{"a": 1, "b": -1}"#, &[])]);
    let chosen = |filter: &str, sort: &str| {
        let access = scan(&indexes, &query(filter, sort));
        (indexes.indexes[access.index].name.clone(), access.direction)
    };
    let name = |key: &str| key.to_string();
    assert_eq!(chosen(r#"{"a": 1}"#, "{}"), (name(r#"{"a": 1}"#), Direction::Ascending));
    assert_eq!(chosen(r#"{"a": 1, "b": 2}"#, "{}").0, r#"{"a": 1, "b": -1}"#);
    assert_eq!(chosen(r#"{"a": 1}"#, r#"{"b": 1}"#), (name(r#"{"a": 1, "b": -1}"#), Direction::Descending));
    assert_eq!(chosen(r#"{"b": {"$gt": 1}}"#, r#"{"b": -1}"#), (name(r#"{"b": 1}"#), Direction::Descending));
    assert_eq!(chosen("{}", r#"{"a": -1, "b": 1}"#).1, Direction::Descending);
}

#[test]
fn sources_other_than_one_index() {
    let indexes = collection(&[(r#"{"a": 1}"#, &[]), (r#"{"b": 1}"#, &[(0, 0)])]);
    let source = |filter: &str, sort: &str| plan(&indexes, &query(filter, sort)).expect("a plan").0;
    assert!(matches!(source(r#"{"_id": 5}"#, "{}").source, Source::Id(_)));
    assert!(matches!(source("{}", "{}").source, Source::Collection(Direction::Ascending)));
    assert!(matches!(
        source(r#"{"a": 1}"#, r#"{"$natural": -1}"#).source,
        Source::Collection(Direction::Descending)
    ));
    assert!(
        matches!(source(r#"{"$or": [{"a": 1}, {"b": 2}]}"#, "{}").source, Source::Any(scans) if scans.len() == 2)
    );
    assert!(matches!(source(r#"{"$or": [{"a": 1}, {"c": 2}]}"#, "{}").source, Source::Collection(_)));
    let inside = source(r#"{"c": 3, "$or": [{"a": 1}, {"b": 2}]}"#, "{}");
    assert!(matches!(inside.source, Source::Any(scans) if scans.len() == 2) && inside.filter.is_some());
    // A document stands in the index at each of its elements: that is no order.
    assert!(source("{}", r#"{"b": 1}"#).sort.is_some());
    assert!(source("{}", r#"{"a": 1}"#).sort.is_none());
}

#[test]
fn a_hint_is_obeyed_or_refused() {
    let indexes = collection(&[(r#"{"a": 1}"#, &[])]);
    let hinted = |hint: Hint| {
        let query = Query { hint: Some(hint), ..query(r#"{"b": 1}"#, "{}") };
        plan(&indexes, &query).map(|(plan, _)| plan.source)
    };
    assert!(
        matches!(hinted(Hint::Pattern(json(r#"{"a": 1}"#))), Ok(Source::Index(access)) if access.index == 1)
    );
    assert!(matches!(hinted(Hint::Name("_id_".into())), Ok(Source::Index(access)) if access.index == 0));
    assert_eq!(hinted(Hint::Name("none".into())).unwrap_err().code.0, 2);
    assert_eq!(hinted(Hint::Pattern(json(r#"{"a": -1}"#))).unwrap_err().code.0, 2);
}

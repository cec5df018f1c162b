//! What the tests of operators share, and properties of whole filters.

use super::*;
use crate::bson::RawDoc;
use crate::bson::ejson::parse_document;
use crate::bson::property::{cases, rng};
use crate::bson::validate::Limits;
use fastrand::Rng;

/// A document from Extended JSON.
pub(crate) fn json(text: &str) -> Vec<u8> {
    parse_document(text.as_bytes(), Limits::COMMAND).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

pub(crate) fn parse(filter: &str) -> crate::error::Result<Filter> {
    Filter::parse(RawDoc::from_validated(&json(filter)))
}

/// Which of the documents match, and that normalizing does not change it.
pub(crate) fn check(filter: &str, matching: &[&str], others: &[&str]) {
    let parsed = parse(filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
    let normal = parsed.clone().normalize();
    let wanted = matching.iter().map(|doc| (doc, true)).chain(others.iter().map(|doc| (doc, false)));
    for (doc, wanted) in wanted {
        let bytes = json(doc);
        let doc_bytes = RawDoc::from_validated(&bytes);
        assert_eq!(parsed.matches(doc_bytes), wanted, "{filter} on {doc}");
        assert_eq!(normal.matches(doc_bytes), wanted, "normalized {filter} on {doc}");
    }
}

/// The code and the message of the error of each filter, as mongod 6.0.5 gave them (238: ours).
pub(crate) fn refused(table: &[(&str, i32, &str)]) {
    for (filter, code, message) in table {
        let error = parse(filter).err().unwrap_or_else(|| panic!("{filter} is accepted"));
        assert_eq!((error.code.0, error.message.as_str()), (*code, *message), "{filter}");
    }
}

/// The parts of a conjunction share a scan: the answer must be that of each alone.
#[test]
fn a_conjunction_is_what_its_parts_are() {
    let documents = [
        "{}",
        r#"{"a": 1, "b": "x"}"#,
        r#"{"b": "x", "a": [0, 1], "c": null}"#,
        r#"{"c": {"d": 1}, "b": "y", "a": 2}"#,
        r#"{"a": {"b": 1}, "c": 3, "b": ["x"]}"#,
        r#"{"d": true, "c": 3, "a": 1}"#,
    ];
    let parts = [
        r#"{"a": 1}"#,
        r#"{"a": {"$gt": 0}}"#,
        r#"{"a": {"$ne": 2}}"#,
        r#"{"b": "x"}"#,
        r#"{"b": {"$exists": false}}"#,
        r#"{"c": null}"#,
        r#"{"c": {"$nin": [3]}}"#,
        r#"{"c.d": 1}"#,
        r#"{"$or": [{"a": 1}, {"d": true}]}"#,
        r#"{"d": {"$ne": false}}"#,
    ];
    for chosen in 0..1u32 << parts.len() {
        let chosen: Vec<&str> =
            parts.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, part)| *part).collect();
        let both = parse(&format!(r#"{{"$and": [{{}}, {}]}}"#, [&chosen[..], &["{}"]].concat().join(", ")));
        let both = both.expect("the filter is valid").normalize();
        for document in documents {
            let bytes =
                crate::bson::ejson::parse_document(document.as_bytes(), Limits::STORED).expect("a document");
            let doc = RawDoc::from_validated(&bytes);
            let expected = chosen.iter().all(|part| parse(part).expect("the filter is valid").matches(doc));
            assert_eq!(both.matches(doc), expected, "{chosen:?} {document}");
        }
    }
}

#[test]
fn names_that_are_no_operators() {
    let advice =
        "If you have a field name that starts with a '$' symbol, consider using $getField or $setField.";
    refused(&[
        (r#"{"a": {"$foo": 1}}"#, 2, "unknown operator: $foo"),
        (r#"{"a": {"$eq": 1, "b": 1}}"#, 2, "unknown operator: b"),
        (r#"{"a": {"$and": [{"$eq": 1}]}}"#, 2, "unknown operator: $and"),
        (r#"{"a": {"$": 1}}"#, 2, "unknown operator: $"),
        (r#"{"$foo": 1}"#, 2, &format!("unknown top level operator: $foo. {advice}")),
        (r#"{"$gt": 1}"#, 2, &format!("unknown top level operator: $gt. {advice}")),
        (
            r#"{"$not": {"a": 1}}"#,
            2,
            "unknown top level operator: $not. If you are trying to negate an entire expression, use $nor.",
        ),
    ]);
    // Not the first name: a document to be equal to.
    check(r#"{"a": {"b": 1, "$foo": 2}}"#, &[r#"{"a": {"b": 1, "$foo": 2}}"#], &[r#"{"a": {"b": 1}}"#]);
}

#[test]
fn everything_of_the_surface_is_built_or_says_that_it_is_not() {
    for row in operators::OF_FIELD {
        let error = parse(&format!(r#"{{"a": {{"{}": 1}}}}"#, row.name)).err();
        let is_238 = error.is_some_and(|error| error.code.0 == 238 && error.message.contains(row.name));
        assert_eq!(is_238, matches!(row.support, operators::Support::NotYet), "{}", row.name);
    }
    for row in operators::TOP_LEVEL {
        let error = parse(&format!(r#"{{"{}": 1}}"#, row.name)).err();
        let is_238 = error.is_some_and(|error| error.code.0 == 238 && error.message.contains(row.name));
        assert_eq!(is_238, matches!(row.support, operators::Support::NotYet), "{}", row.name);
    }
    let implicit = r#"{"a": {"$regularExpression": {"pattern": "x", "options": ""}}}"#;
    assert_eq!(parse(implicit).unwrap_err().code.0, 238);
}

#[test]
fn a_filter_nested_without_end_is_refused() {
    let deep = |levels: usize| {
        let mut filter = crate::bson::DocBuilder::new();
        filter.push("a", 1);
        let mut bytes = filter.finish();
        for _ in 0..levels {
            let mut outer = crate::bson::DocBuilder::new();
            outer.array("$and", |list| {
                list.push(RawDoc::from_validated(&bytes));
            });
            bytes = outer.finish();
        }
        Filter::parse(RawDoc::from_validated(&bytes)).map(|_| ()).map_err(|error| error.code.0)
    };
    assert_eq!(deep(99), Ok(()));
    assert_eq!(deep(5000), Err(15));
}

#[test]
fn paths() {
    check(
        r#"{"a.b": 1}"#,
        &[r#"{"a": {"b": 1}}"#, r#"{"a": [{"b": 2}, {"b": [1]}]}"#, r#"{"a": [[], {"b": 1}]}"#],
        &[r#"{"a": 1}"#, r#"{"a": [[{"b": 1}]]}"#, r#"{"a.b": 1}"#],
    );
    check(r#"{"a.b": null}"#, &["{}", r#"{"a": 5}"#, r#"{"a": [{}]}"#], &[r#"{"a": []}"#, r#"{"a": [1]}"#]);
    check(
        r#"{"a.1": 2}"#,
        &[r#"{"a": [1, 2]}"#, r#"{"a": {"1": 2}}"#, r#"{"a": [{"1": 2}]}"#],
        &[r#"{"a": [2, 1]}"#],
    );
}

fn random_value(rng: &mut Rng, depth: usize) -> String {
    const SCALARS: [&str; 12] =
        ["0", "1", "2", "1.5", "null", "true", "\"a\"", "\"\"", "-1", "2.0", r#"{"$minKey": 1}"#, "[]"];
    match rng.u8(0..8) {
        0 if depth > 0 => {
            let parts: Vec<_> = (0..rng.usize(0..3)).map(|_| random_value(rng, depth - 1)).collect();
            format!("[{}]", parts.join(","))
        }
        1 if depth > 0 => random_document(rng, depth - 1),
        _ => SCALARS[rng.usize(..SCALARS.len())].into(),
    }
}

fn random_document(rng: &mut Rng, depth: usize) -> String {
    let names = ["a", "b", "0", "1"];
    let parts: Vec<_> = names
        .iter()
        .filter_map(|name| match rng.bool() {
            true => Some(format!(r#""{name}":{}"#, random_value(rng, depth))),
            false => None,
        })
        .collect();
    format!("{{{}}}", parts.join(","))
}

fn random_filter(rng: &mut Rng, depth: usize) -> String {
    let path = ["a", "b", "a.b", "a.0", "b.1.a"][rng.usize(..5)];
    let value = random_value(rng, 2);
    match rng.u8(0..12) {
        kind @ 0..=2 if depth > 0 => {
            let parts: Vec<_> = (0..rng.usize(1..4)).map(|_| random_filter(rng, depth - 1)).collect();
            format!(r#"{{"{}":[{}]}}"#, ["$and", "$or", "$nor"][usize::from(kind)], parts.join(","))
        }
        3 => format!(r#"{{"{path}":{{"$in":[{value},{}]}}}}"#, random_value(rng, 1)),
        4 => format!(r#"{{"{path}":{{"$not":{{"$gte":{value},"$exists":true}}}}}}"#),
        5 => format!(r#"{{"{path}":{{"$elemMatch":{}}}}}"#, random_filter(rng, 0)),
        6 => format!(r#"{{"{path}":{{"$elemMatch":{{"$gt":{value},"$ne":1}}}}}}"#),
        7 => format!(r#"{{"{path}":{{"$ne":{value}}},"b":{{"$lt":2}}}}"#),
        8 => format!(r#"{{"{path}":{{"$gt":{value}}},"a":{{"$lte":{value}}}}}"#),
        _ => format!(r#"{{"{path}":{{"$eq":{value}}}}}"#),
    }
}

#[test]
fn normalizing_changes_no_answer() {
    let mut rng = rng();
    let mut matched = 0;
    let count = cases(3000);
    for _ in 0..count {
        let (filter, doc) = (random_filter(&mut rng, 3), json(&random_document(&mut rng, 3)));
        let parsed = parse(&filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
        let doc = RawDoc::from_validated(&doc);
        let answer = parsed.matches(doc);
        matched += usize::from(answer);
        assert_eq!(parsed.normalize().matches(doc), answer, "{filter} on {doc:?}");
    }
    assert!(matched > count / 10 && matched < count * 9 / 10, "the cases say little: {matched} of {count}");
}

//! Updates on documents: what mongod 6.0.5 answered.

use super::*;
use crate::bson::ejson::{Mode, write_document};
use crate::query::tests::json;

fn parsed(update: &str) -> Result<Update> {
    let bytes = json(update);
    Update::parse(&Value::Document(RawDoc::from_validated(&bytes)), UpdateOptions::default())
}

pub(crate) fn text(bytes: &[u8]) -> String {
    let mut out = String::new();
    write_document(RawDoc::from_validated(bytes), Mode::Relaxed, &mut out);
    out
}

/// The outcome on a document, as text: the new document, `same`, or the error.
pub(crate) fn outcome(doc: &str, update: &str) -> String {
    let bytes = json(doc);
    let applied = parsed(update).and_then(|u| u.apply(RawDoc::from_validated(&bytes), &Filter::all(), false));
    match applied {
        Ok(Applied { document: Some(new), .. }) => text(&new),
        Ok(Applied { document: None, changed }) => {
            assert_eq!(changed, Changed::Paths(Vec::new()), "{update} on {doc}");
            "same".into()
        }
        Err(error) => format!("{}: {}", error.code.0, error.message),
    }
}

/// Each update on the document.
pub(crate) fn check(doc: &str, table: &[(&str, &str)]) {
    for (update, wanted) in table {
        let wanted = match wanted.starts_with('{') {
            true => text(&json(wanted)),
            false => wanted.to_string(),
        };
        assert_eq!(outcome(doc, update), wanted, "{update} on {doc}");
    }
}

fn upserted(filter: &str, update: &str) -> String {
    let filter = crate::query::tests::parse(filter).unwrap();
    match parsed(update).and_then(|u| u.upsert(&filter, &mut || [0xAA; 12])) {
        Ok(new) => text(&new),
        Err(error) => format!("{}: {}", error.code.0, error.message),
    }
}

#[test]
fn forms_of_updates() {
    let unknown = |name: &str| {
        format!(
            "9: Unknown modifier: {name}. Expected a valid update modifier or pipeline-style update specified as an array"
        )
    };
    let wrong = "9: Modifiers operate on fields but we found type int instead. For example: {$mod: {<field>: ...}} not {$set: 1}";
    check(
        r#"{"_id": 1}"#,
        &[
            (r#"{"$foo": {}}"#, &unknown("$foo")),
            (r#"{"$set": {"a": 1}, "b": 1}"#, &unknown("b")),
            (r#"{"$set": 1}"#, wrong),
            (r#"{"$set": {}}"#, "same"),
            (
                r#"{"$rename": {"a": "b"}}"#,
                "238: the update operator $rename is not implemented in PandoDB yet",
            ),
        ],
    );
    let multi = UpdateOptions { multi: true, ..UpdateOptions::default() };
    let replacement = json(r#"{"a": 1}"#);
    let error = Update::parse(&Value::Document(RawDoc::from_validated(&replacement)), multi).unwrap_err();
    assert_eq!(error.message, "multi update is not supported for replacement-style update");
    let error = Update::parse(&Value::Int32(1), UpdateOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "FailedToParse (9): Update argument must be either an object or an array");
    let pipeline = Value::Array(RawArray::from_validated(&[5, 0, 0, 0, 0]));
    assert_eq!(Update::parse(&pipeline, UpdateOptions::default()).unwrap_err().code.0, 238);
}

#[test]
fn paths_that_no_operator_takes() {
    check(
        r#"{"_id": 1, "x": [1]}"#,
        &[
            (r#"{"$set": {"": 1}}"#, "56: An empty update path is not valid."),
            (
                r#"{"$inc": {"a.": "x"}}"#,
                "56: The update path 'a.' contains an empty field name, which is not allowed.",
            ),
            (
                r#"{"$set": {"$": 1}}"#,
                "2: Cannot have positional (i.e. '$') element in the first position in path '$'",
            ),
            (
                r#"{"$set": {"x.$": 1}}"#,
                "238: the positional update operator $ is not implemented in PandoDB yet",
            ),
            (
                r#"{"$set": {"x.$[].b": 1}}"#,
                "238: the positional update operator $[] is not implemented in PandoDB yet",
            ),
            (
                r#"{"$set": {"$a": 1}}"#,
                "52: The dollar ($) prefixed field '$a' in '$a' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
            ),
            (
                r#"{"a": 1, "$b": 1}"#,
                "52: The dollar ($) prefixed field '$b' in '$b' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
            ),
            (r#"{"$set": {"a.$b": 1}}"#, r#"{"_id": 1, "x": [1], "a": {"$b": 1}}"#),
        ],
    );
}

#[test]
fn conflicts() {
    let conflict =
        |path: &str, at: &str| format!("40: Updating the path '{path}' would create a conflict at '{at}'");
    check(
        r#"{"_id": 1}"#,
        &[
            (r#"{"$set": {"a": 1}, "$unset": {"a": 1}}"#, &conflict("a", "a")),
            (r#"{"$set": {"b": 1, "b.c": 2}}"#, &conflict("b.c", "b")),
            (r#"{"$set": {"b.c": 1, "b": 2}}"#, &conflict("b", "b")),
            (r#"{"$set": {"b.c": 1}, "$inc": {"b.c.d": 2}}"#, &conflict("b.c.d", "b.c")),
            (r#"{"$set": {"x.1": 1, "x.2": 2}}"#, r#"{"_id": 1, "x": {"1": 1, "2": 2}}"#),
        ],
    );
}

#[test]
fn new_fields_come_in_the_order_of_their_names() {
    check(
        r#"{"_id": 1, "a": 0}"#,
        &[
            (
                r#"{"$set": {"z": 1, "y.10": 2, "y.9": 3, "a": 4}}"#,
                r#"{"_id": 1, "a": 4, "y": {"9": 3, "10": 2}, "z": 1}"#,
            ),
            (
                r#"{"$set": {"10": 5, "9": 6, "09": 1, "q": 2, "010": 3, "0": 7}}"#,
                r#"{"_id": 1, "a": 0, "0": 7, "010": 3, "09": 1, "9": 6, "10": 5, "q": 2}"#,
            ),
            (r#"{"$unset": {"q.b": 1}, "$inc": {"q.c": 3}}"#, r#"{"_id": 1, "a": 0, "q": {"c": 3}}"#),
        ],
    );
}

#[test]
fn places_in_arrays() {
    check(
        r#"{"_id": 1, "x": [1, {"y": 1}]}"#,
        &[
            (r#"{"$set": {"x.0": 9}}"#, r#"{"_id": 1, "x": [9, {"y": 1}]}"#),
            (r#"{"$set": {"x.01.y": 9}}"#, r#"{"_id": 1, "x": [1, {"y": 9}]}"#),
            (r#"{"$set": {"x.4.z": 9}}"#, r#"{"_id": 1, "x": [1, {"y": 1}, null, null, {"z": 9}]}"#),
            (
                r#"{"$set": {"x.10": 5, "x.3": 6}}"#,
                r#"{"_id": 1, "x": [1, {"y": 1}, null, 6, null, null, null, null, null, null, 5]}"#,
            ),
            (r#"{"$unset": {"x.0": 1, "x.9": 1}}"#, r#"{"_id": 1, "x": [null, {"y": 1}]}"#),
            (r#"{"$set": {"x.1500003": 1}}"#, "34: can't backfill more than 1500000 elements"),
            (r#"{"$set": {"x.y": 9}}"#, "28: Cannot create field 'y' in element {x: [ 1, { y: 1 } ]}"),
            (
                r#"{"$set": {"x.0": 9, "x.y": 9}}"#,
                "28: Cannot create field 'y' in element {x: [ 9, { y: 1 } ]}",
            ),
            (r#"{"$set": {"x.0.z": 9}}"#, "28: Cannot create field 'z' in element {0: 1}"),
            (r#"{"$unset": {"x.y": 9, "x.0.z": 1}}"#, "same"),
            (
                r#"{"$pull": {"x.0.q": 1}}"#,
                "28: Cannot use the part (q) of (x.0.q) to traverse the element ({0: 1})",
            ),
        ],
    );
}

#[test]
fn the_id_stays() {
    let fixed = |path: &str| {
        format!("66: Performing an update on the path '{path}' would modify the immutable field '_id'")
    };
    check(
        r#"{"_id": {"a": 1, "b": 2}, "v": 1}"#,
        &[
            (r#"{"$set": {"_id": 2}}"#, &fixed("_id")),
            (r#"{"$unset": {"_id.a": 1}}"#, &fixed("_id.a")),
            (r#"{"$set": {"_id.a": 1}, "$inc": {"_id.b": 0}}"#, "same"),
            (
                r#"{"$set": {"_id.c": 1}}"#,
                "66: Updating the path '_id' to _id: { a: 1, b: 2, c: 1 } would modify the immutable field '_id'",
            ),
            (r#"{"_id": {"a": 1.0, "b": 2}}"#, r#"{"_id": {"a": 1.0, "b": 2}}"#),
            (
                r#"{"_id": 3}"#,
                "66: After applying the update, the (immutable) field '_id' was found to have been altered to _id: 3",
            ),
            (r#"{"z": 1, "_id": {"a": 1, "b": 2}}"#, r#"{"_id": {"a": 1, "b": 2}, "z": 1}"#),
        ],
    );
}

#[test]
fn sizes_and_depths() {
    let deep = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    let too_deep = "15: Document exceeds maximum nesting depth of 180";
    let doc = r#"{"_id": 1}"#;
    assert!(outcome(doc, &format!(r#"{{"$set": {{"b": {}}}}}"#, deep(179))).starts_with('{'));
    assert_eq!(outcome(doc, &format!(r#"{{"$set": {{"b": {}}}}}"#, deep(180))), too_deep);
    assert!(outcome(doc, &deep(180)).starts_with('{'));
    assert_eq!(outcome(doc, &deep(181)), too_deep);
    let path = |parts: usize| vec!["a"; parts].join(".");
    assert!(outcome(doc, &format!(r#"{{"$set": {{"{}": 1}}}}"#, path(180))).starts_with('{'));
    assert_eq!(outcome(doc, &format!(r#"{{"$set": {{"{}": 1}}}}"#, path(181))), too_deep);

    let long = "x".repeat((16 << 20) - 60);
    let big = format!(r#"{{"_id": 1, "s": "{long}"}}"#);
    let too_large = "17419: Resulting document after update is larger than 16777216";
    assert_eq!(outcome(&big, &format!(r#"{{"$set": {{"t": "{}"}}}}"#, "y".repeat(99))), too_large);
}

#[test]
fn what_an_upsert_inserts() {
    let set = r#"{"$set": {"z": 1}}"#;
    let id = r#""_id":{"$oid":"aaaaaaaaaaaaaaaaaaaaaaaa"}"#;
    for (filter, wanted) in [
        (r#"{"b": 1, "a": 2}"#, r#""a":2,"b":1,"z":1"#),
        (r#"{"a": {"$eq": 1, "$gt": 0}, "b.c": 1, "b.d": 2}"#, r#""a":1,"b":{"c":1,"d":2},"z":1"#),
        (r#"{"$and": [{"a": 1}, {"$or": [{"b": 2}]}]}"#, r#""a":1,"b":2,"z":1"#),
        (r#"{"a": {"$in": [1]}, "b": {"$all": [2]}}"#, r#""a":1,"b":2,"z":1"#),
        (
            r#"{"a": {"$in": [1, 2]}, "$or": [{"b": 1}, {"c": 1}], "$nor": [{"d": 1}], "e": {"$ne": 1}}"#,
            r#""z":1"#,
        ),
        (r#"{"a.0": 1}"#, r#""a":{"0":1},"z":1"#),
    ] {
        assert_eq!(upserted(filter, set), format!("{{{id},{wanted}}}"), "{filter}");
    }
    for (filter, update, wanted) in [
        (r#"{"_id": 5}"#, set, r#"{"_id":5,"z":1}"#),
        (r#"{"_id.a": 5}"#, set, r#"{"_id":{"a":5},"z":1}"#),
        (r#"{"a": 1}"#, r#"{"$setOnInsert": {"_id": 9}, "$inc": {"a": 2}}"#, r#"{"_id":9,"a":3}"#),
        (r#"{"_id": 5, "x": 1}"#, r#"{"a": 1}"#, r#"{"_id":5,"a":1}"#),
        (r#"{"x": 1}"#, r#"{"b": 1, "_id": 3}"#, r#"{"_id":3,"b":1}"#),
        (
            r#"{"a": 1, "$and": [{"a": 1}]}"#,
            set,
            "54: cannot infer query fields to set, path 'a' is matched twice",
        ),
        (
            r#"{"a.b": 2, "a": 1}"#,
            set,
            "54: cannot infer query fields to set, both paths 'a.b' and 'a' are matched",
        ),
        (r#"{"_id": [1]}"#, set, "53: The '_id' value cannot be of type array"),
        (
            r#"{"_id": {"b": {"$a": 1}}}"#,
            set,
            "52: _id fields may not contain '$'-prefixed fields: $a is not valid for storage.",
        ),
        (
            r#"{"_id.a": 1}"#,
            r#"{"a": 1}"#,
            "111: field at '_id' must be exactly specified, field at sub-path '_id.a'found",
        ),
        (
            r#"{"_id": 5}"#,
            r#"{"$set": {"_id": 6}}"#,
            "66: Performing an update on the path '_id' would modify the immutable field '_id'",
        ),
        (
            r#"{"a": 1}"#,
            r#"{"$push": {"a": 2}}"#,
            "2: The field 'a' must be an array but is of type int in document {no id}",
        ),
        (
            r#"{"a": 1}"#,
            r#"{"$push": {"_id": 1}}"#,
            "54: After applying the update to the document, the field '_id' was found to be an array or array descendant.",
        ),
        (r#"{"_id": 1}"#, r#"{"$set": {"$b": 1}}"#, r#"{"_id":1,"$b":1}"#),
        (r#"{"_id": 1}"#, r#"{"a": 1, "$b": 1}"#, r#"{"_id":1,"a":1,"$b":1}"#),
        (r#"{"": 1}"#, set, "20: Cannot call setValue on the root object"),
    ] {
        assert_eq!(upserted(filter, update), wanted, "{filter} {update}");
    }
}

#[test]
fn a_change_names_its_paths() {
    let update = parsed(r#"{"$set": {"y.9": 3, "a": 4, "x.0.q": 1}, "$unset": {"nothing": 1}}"#).unwrap();
    let doc = json(r#"{"_id": 1, "a": 4, "x": [{}]}"#);
    let applied = update.apply(RawDoc::from_validated(&doc), &Filter::all(), false).unwrap();
    assert_eq!(applied.changed, Changed::Paths(vec!["x.0.q".into(), "y.9".into()]));
}

//! Expectations on whole walks are what mongod 6.0.5 matches, and the keys it returns with `returnKey`.

use super::*;
use crate::bson::order::{Direction, equal};
use crate::bson::{ArrayBuilder, DocBuilder, RawArray, RawDoc, Value};
use std::ops::ControlFlow;

/// Builds a value from a JSON-like text of integers, nulls, arrays and documents: `{a:[1,{b:null}]}`.
fn document(text: &str) -> Vec<u8> {
    let bytes: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let mut at = 0;
    let mut doc = DocBuilder::new();
    fields(&bytes, &mut at, &mut doc);
    assert_eq!(at, bytes.len());
    doc.finish()
}

fn fields(text: &[u8], at: &mut usize, doc: &mut DocBuilder) {
    *at += 1;
    while text[*at] != b'}' {
        let start = *at;
        while text[*at] != b':' {
            *at += 1;
        }
        let name = &text[start..*at];
        *at += 1;
        match text[*at] {
            b'{' => drop(doc.document(name, |inner| fields(text, at, inner))),
            b'[' => drop(doc.array(name, |inner| elements(text, at, inner))),
            _ => drop(doc.push(name, scalar(text, at))),
        }
        if text[*at] == b',' {
            *at += 1;
        }
    }
    *at += 1;
}

fn elements(text: &[u8], at: &mut usize, array: &mut ArrayBuilder) {
    *at += 1;
    while text[*at] != b']' {
        match text[*at] {
            b'{' => drop(array.document(|inner| fields(text, at, inner))),
            b'[' => drop(array.array(|inner| elements(text, at, inner))),
            _ => drop(array.push(scalar(text, at))),
        }
        if text[*at] == b',' {
            *at += 1;
        }
    }
    *at += 1;
}

fn scalar(text: &[u8], at: &mut usize) -> Value<'static> {
    let start = *at;
    while !matches!(text[*at], b',' | b']' | b'}') {
        *at += 1;
    }
    match &text[start..*at] {
        b"null" => Value::Null,
        digits => Value::Int32(std::str::from_utf8(digits).unwrap().parse().unwrap()),
    }
}

fn show(value: &Value<'_>) -> String {
    match value {
        Value::Int32(n) => n.to_string(),
        Value::Null => "null".into(),
        Value::Undefined => "undefined".into(),
        Value::Array(array) => format!("[{}]", array.iter().map(|v| show(&v)).collect::<Vec<_>>().join(",")),
        Value::Document(doc) => {
            let fields = doc.iter().map(|e| format!("{}:{}", e.name, show(&e.value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        other => panic!("{other:?}"),
    }
}

/// What the walk finds: values, `-` for missing, `@i` for the array index.
fn walked(doc: &str, path: &str, leaf: LeafArrays) -> String {
    let bytes = document(doc);
    let mut found = Vec::new();
    let flow = walk(RawDoc::from_validated(&bytes), &Path::parse(path), leaf, &mut |f| {
        let index = f.array_index.map_or(String::new(), |i| format!("@{i}"));
        found.push(f.value.map_or("-".into(), |v| show(&v)) + &index);
        ControlFlow::Continue(())
    });
    assert_eq!(flow, ControlFlow::Continue(()));
    found.join(" ")
}

#[test]
fn walks_without_arrays() {
    for (doc, path, found) in [
        ("{a:1}", "a", "1"),
        ("{a:1}", "b", "-"),
        ("{a:1}", "a.b", "-"),
        ("{a:null}", "a", "null"),
        ("{a:null}", "a.b", "-"),
        ("{a:{b:{c:5}}}", "a.b.c", "5"),
        ("{a:{b:5}}", "a", "{b:5}"),
        ("{a:{0:5}}", "a.0", "5"),
        ("{:{:1}}", ".", "1"),
        ("{:1}", "", "1"),
    ] {
        assert_eq!(walked(doc, path, LeafArrays::Expand), found, "{doc} {path}");
        assert_eq!(walked(doc, path, LeafArrays::Whole), found, "{doc} {path}");
    }
}

#[test]
fn walks_through_arrays() {
    for (doc, path, found) in [
        ("{a:[1,2]}", "a", "1@0 2@1 [1,2]"),
        ("{a:[]}", "a", "[]"),
        ("{a:[[1,2]]}", "a", "[1,2]@0 [[1,2]]"),
        ("{a:[1,2]}", "a.b", ""),
        ("{a:[]}", "a.b", ""),
        ("{a:[{b:1},3,{c:2}]}", "a.b", "1@0 -@2"),
        ("{a:[[{b:1}]]}", "a.b", ""),
        ("{a:[{b:[0]},{b:[1,5]}]}", "a.b", "0@0 [0]@0 1@1 5@1 [1,5]@1"),
        // Indexes.
        ("{a:[5,6]}", "a.1", "6@1"),
        ("{a:[5]}", "a.00", ""),
        ("{a:[5]}", "a.1", ""),
        ("{a:[{b:1}]}", "a.0", "-@0 {b:1}@0"),
        ("{a:[5,{1:4}]}", "a.1", "4@1 {1:4}@1"),
        ("{a:[5,{b:4}]}", "a.1.b", "-@1 4"),
        ("{a:[{b:[0]},{b:[1,2]}]}", "a.1.b", "-@0 -@1 1@0 2@1 [1,2]"),
        ("{a:[[1,2]]}", "a.0", "[1,2]@0"),
        ("{a:[[1,2]]}", "a.0.1", "2@1"),
        ("{a:[[[1,2]]]}", "a.0.0", "[1,2]@0"),
        ("{a:[[{b:1}]]}", "a.0.b", "1@0"),
        ("{a:[[{b:1}]]}", "a.0.0.b", "-@0 1"),
        ("{a:[[]]}", "a.0.b", ""),
        ("{a:[5]}", "a.0.b", ""),
    ] {
        assert_eq!(walked(doc, path, LeafArrays::Expand), found, "{doc} {path}");
    }
}

#[test]
fn walks_with_whole_arrays() {
    for (doc, path, found) in [
        ("{a:[1,2]}", "a", "[1,2]"),
        ("{a:[{b:[0]},{b:1},2]}", "a.b", "[0]@0 1@1"),
        ("{a:[[1,2]]}", "a.0", "[1,2]@0"),
    ] {
        assert_eq!(walked(doc, path, LeafArrays::Whole), found, "{doc} {path}");
    }
}

#[test]
fn a_walk_stops_when_told() {
    let bytes = document("{a:[1,2,{b:1}]}");
    let mut seen = 0;
    let flow = walk(RawDoc::from_validated(&bytes), &Path::parse("a"), LeafArrays::Expand, &mut |_| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((flow, seen), (ControlFlow::Break(()), 2));
}

fn keys(doc: &str, paths: &str) -> Result<(String, String), KeyError> {
    let bytes = document(doc);
    let paths: Vec<Path> = paths.split(' ').map(Path::parse).collect();
    let mut multikey = MultikeyPaths::new();
    let mut tuples: Vec<String> = Vec::new();
    extract_keys(RawDoc::from_validated(&bytes), &paths, &mut multikey, &mut |tuple| {
        let values: Vec<String> = tuple.iter().map(|v| v.map_or("-".into(), |v| show(&v))).collect();
        let text = values.join("|");
        if !tuples.contains(&text) {
            tuples.push(text);
        }
    })?;
    let arrays = (0..paths.len()).map(|i| format!("{:?}", multikey.parts_of(i)));
    Ok((tuples.join(" "), arrays.collect::<Vec<_>>().join("")))
}

#[test]
fn index_keys() {
    for (doc, paths, tuples, multikey) in [
        ("{}", "a", "-", "[]"),
        ("{a:null}", "a", "null", "[]"),
        ("{a:1}", "a.b", "-", "[]"),
        ("{a:{b:1},c:2}", "a.b c", "1|2", "[][]"),
        ("{a:[]}", "a", "undefined", "[0]"),
        ("{a:[]}", "a.b", "-", "[0]"),
        ("{a:[5,5,6]}", "a", "5 6", "[0]"),
        ("{a:[[1,2]]}", "a", "[1,2]", "[0]"),
        ("{a:[[]]}", "a", "[]", "[0]"),
        ("{a:[1,{b:2},{b:[3,4]}]}", "a.b", "- 2 3 4", "[0, 1]"),
        ("{a:[[{b:1}]]}", "a.b", "-", "[0]"),
        ("{a:[1,2]}", "a a.b", "1|- 2|-", "[0][0]"),
        ("{a:[{b:[1]},{b:[3]}]}", "a.b a.c", "1|- 3|-", "[0, 1][0]"),
        ("{a:[{b:1,c:2},{b:3,c:4}]}", "a.b a.c", "1|2 3|4", "[0][0]"),
        ("{a:[1,2],b:7}", "b a", "7|1 7|2", "[][0]"),
        ("{a:[1,2],b:7,c:3,d:4,e:5}", "b a c d e", "7|1|3|4|5 7|2|3|4|5", "[][0][][][]"),
        // Indexes in the path.
        ("{a:[[1,2]]}", "a.0", "[1,2]", "[]"),
        ("{a:[[5,6],1]}", "a.0 a.1", "[5,6]|1", "[][]"),
        ("{a:[[5,6],1]}", "a.0.0", "5", "[]"),
        ("{a:[[5,[6]],1]}", "a.0 a.0.1", "[5,[6]]|[6]", "[][]"),
        ("{a:[{b:1}]}", "a.0.b", "1", "[]"),
        ("{a:[[{b:1}]]}", "a.0.b", "1", "[1]"),
        ("{a:[1,2]}", "a a.0", "1|1 2|1", "[0][]"),
        ("{a:[{1:7}]}", "a.1", "7", "[0]"),
    ] {
        let expected = Ok((tuples.to_owned(), multikey.to_owned()));
        assert_eq!(keys(doc, paths), expected, "{doc} {paths}");
    }
}

#[test]
fn documents_without_keys() {
    let parallel = |second: &str, first: &str| {
        Err(KeyError::ParallelArrays { second: second.into(), first: first.into() })
    };
    assert_eq!(keys("{a:[1],b:[2]}", "a b"), parallel("b", "a"));
    assert_eq!(keys("{a:[{b:[1],c:[2]}]}", "a.b a.c"), parallel("c", "b"));
    assert_eq!(keys("{x:{a:[]},b:[]}", "x.a b"), parallel("b", "a"));
    assert!(matches!(
        keys("{a:[{0:1}]}", "a.0"),
        Err(KeyError::AmbiguousPosition { field, .. }) if field == "0"
    ));
}

fn sorted_by(doc: &str, paths: &str, directions: &[Direction]) -> String {
    let bytes = document(doc);
    let paths: Vec<Path> = paths.split(' ').map(Path::parse).collect();
    let mut key = Vec::new();
    sort_key(RawDoc::from_validated(&bytes), &paths, directions, &mut key).unwrap();
    key.iter().map(|v| v.map_or("-".into(), |v| show(&v))).collect::<Vec<_>>().join("|")
}

#[test]
fn sort_keys() {
    use Direction::{Ascending, Descending};
    assert_eq!(sorted_by("{a:[3,1,2]}", "a", &[Ascending]), "1");
    assert_eq!(sorted_by("{a:[3,1,2]}", "a", &[Descending]), "3");
    assert_eq!(sorted_by("{a:[]}", "a", &[Descending]), "undefined");
    assert_eq!(sorted_by("{a:[1,{b:2}]}", "a.b", &[Ascending]), "-");
    assert_eq!(sorted_by("{a:[1,{b:2}]}", "a.b", &[Descending]), "2");
    let doc = "{a:[{b:1,c:5},{b:1,c:7},{b:2,c:9}]}";
    assert_eq!(sorted_by(doc, "a.b a.c", &[Ascending, Descending]), "1|7");
    assert_eq!(sorted_by(doc, "a.b a.c", &[Descending, Ascending]), "2|9");
}

#[test]
fn parts_and_indexes() {
    let path = Path::parse("a.0..01.4294967294.4294967295.x");
    assert_eq!(path.parts().collect::<Vec<_>>(), ["a", "0", "", "01", "4294967294", "4294967295", "x"]);
    let indexes: Vec<_> = (0..path.part_count()).map(|i| path.array_index(i)).collect();
    assert_eq!(indexes, [None, Some(0), None, None, Some(4294967294), None, None]);
    assert_eq!(Path::parse("").parts().collect::<Vec<_>>(), [""]);
}

#[test]
fn within() {
    let within = |a, b| Path::parse(a).is_within(&Path::parse(b));
    assert!(within("a.b", "a") && within("a", "a"));
    assert!(!within("ab", "a") && !within("a", "a.b"));
}

#[test]
fn the_documents_of_these_tests_are_what_they_say() {
    let bytes = document("{a:[1,{b:null}]}");
    let array = RawDoc::from_validated(&bytes).get("a").and_then(|v| v.as_array()).unwrap();
    let mut expected = ArrayBuilder::new();
    expected.push(1).document(|d| {
        d.push("b", Value::Null);
    });
    let expected = expected.finish();
    assert!(equal(&Value::Array(array), &Value::Array(RawArray::from_validated(&expected))));
}

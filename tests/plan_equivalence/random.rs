//! Documents, indexes, filters and sorts that are nasty where MongoDB is subtle.

use fastrand::Rng;
use pandodb::bson::{ArrayBuilder, DocBuilder, RawArray, RawDoc, Value};

const FIELDS: [&str; 3] = ["a", "b", "c"];
const PATHS: [&str; 8] = ["a", "b", "c", "a.b", "a.c", "b.a", "a.b.c", "a.0"];

/// A path, mostly a short one.
fn path(rng: &mut Rng) -> &'static str {
    let among = if rng.u8(0..3) > 0 { 3 } else { PATHS.len() };
    PATHS[rng.usize(0..among)]
}

const INDEXES: [(&str, &[(&str, i32)]); 13] = [
    ("a_1", &[("a", 1)]),
    ("b_-1", &[("b", -1)]),
    ("c_1", &[("c", 1)]),
    ("a_1_b_-1", &[("a", 1), ("b", -1)]),
    ("b_1_a_1_c_1", &[("b", 1), ("a", 1), ("c", 1)]),
    ("c_-1_a_1", &[("c", -1), ("a", 1)]),
    ("a.b_1", &[("a.b", 1)]),
    ("a.b_1_a.c_-1", &[("a.b", 1), ("a.c", -1)]),
    ("a.c_-1_b_1", &[("a.c", -1), ("b", 1)]),
    ("a.b.c_1_a.c_1", &[("a.b.c", 1), ("a.c", 1)]),
    ("b.a_1_c_1", &[("b.a", 1), ("c", 1)]),
    ("a.0_1", &[("a.0", 1)]),
    ("b_1__id_-1", &[("b", 1), ("_id", -1)]),
];

/// Some indexes: name and key pattern.
pub fn indexes(rng: &mut Rng) -> Vec<(String, Vec<u8>)> {
    let count = rng.usize(1..5);
    let chosen = rng.choose_multiple(INDEXES.iter(), count);
    let built = chosen.into_iter().map(|(name, fields)| {
        let mut key = DocBuilder::new();
        for (field, direction) in *fields {
            key.push(field, *direction);
        }
        (name.to_string(), key.finish())
    });
    built.collect()
}

/// Documents with `_id` 0, 1, ….
pub fn documents(rng: &mut Rng) -> Vec<Vec<u8>> {
    // Collections of plain values, of documents, of anything.
    let depth = rng.usize(0..3);
    let with_arrays = rng.bool();
    (0..rng.i32(5..90))
        .map(|id| {
            let mut doc = DocBuilder::new();
            doc.push("_id", id);
            for field in rng.choose_multiple(FIELDS.iter(), FIELDS.len()) {
                if rng.u8(0..8) > 0 {
                    push_value(rng, &mut doc, field, depth, with_arrays);
                }
            }
            doc.finish()
        })
        .collect()
}

fn push_value(rng: &mut Rng, doc: &mut DocBuilder, name: &str, depth: usize, with_arrays: bool) {
    with_value(rng, depth, with_arrays, &mut |value| {
        doc.push(name, value);
    });
}

fn with_value(rng: &mut Rng, depth: usize, with_arrays: bool, take: &mut dyn FnMut(Value<'_>)) {
    match rng.u8(0..10) {
        0..=2 if depth > 0 => {
            let mut inner = DocBuilder::new();
            for field in rng.choose_multiple(FIELDS.iter(), FIELDS.len()) {
                if rng.bool() {
                    push_value(rng, &mut inner, field, depth - 1, with_arrays);
                }
            }
            let bytes = inner.finish();
            take(Value::Document(RawDoc::from_validated(&bytes)));
        }
        3..=4 if with_arrays => {
            let mut list = ArrayBuilder::new();
            for _ in 0..rng.usize(0..4) {
                let below = depth.saturating_sub(rng.usize(0..2));
                let nested = depth > 0 && rng.u8(0..4) == 0;
                with_value(rng, below, nested, &mut |value| {
                    list.push(value);
                });
            }
            let bytes = list.finish();
            take(Value::Array(RawArray::from_validated(&bytes)));
        }
        _ => take(scalar(rng)),
    }
}

fn scalar(rng: &mut Rng) -> Value<'static> {
    const STRINGS: [&str; 5] = ["", "x", "xy", "y", "\u{1F600}"];
    match rng.u8(0..32) {
        0..=19 => Value::Int32(rng.i32(0..4)),
        20 => Value::Int64(rng.i64(0..6)),
        21 => Value::Double(f64::from(rng.i32(0..12)) / 2.0),
        22 => Value::Double([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0][rng.usize(0..4)]),
        23..=24 => Value::Null,
        25..=27 => Value::from(STRINGS[rng.usize(0..5)]),
        28 => Value::Bool(rng.bool()),
        29 => Value::DateTime(rng.i64(-2..3)),
        30 => Value::ObjectId([rng.u8(0..3); 12]),
        _ => [Value::MinKey, Value::MaxKey, Value::Timestamp(1), Value::Undefined][rng.usize(0..4)],
    }
}

/// An inclusion of up to three paths, often one that an index covers. Paths may collide.
pub fn projection(rng: &mut Rng) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    let count = rng.usize(0..4);
    for path in rng.choose_multiple(PATHS.iter(), count) {
        doc.push(path, 1);
    }
    if count > 0 && rng.u8(0..4) > 0 {
        doc.push("_id", 0);
    }
    doc.finish()
}

/// A sort that ends with `_id`, so that the order is total.
pub fn sort(rng: &mut Rng) -> Option<Vec<u8>> {
    if rng.bool() {
        return None;
    }
    let mut doc = DocBuilder::new();
    let count = rng.usize(0..3);
    for path in rng.choose_multiple(PATHS.iter(), count) {
        doc.push(path, if rng.bool() { 1 } else { -1 });
    }
    doc.push("_id", if rng.bool() { 1 } else { -1 });
    Some(doc.finish())
}

/// A filter of up to three parts.
pub fn filter(rng: &mut Rng) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    push_filter(rng, &mut doc, 2);
    doc.finish()
}

fn push_filter(rng: &mut Rng, doc: &mut DocBuilder, depth: usize) {
    if depth > 0 && rng.u8(0..6) == 0 {
        let name = ["$or", "$or", "$and", "$nor"][rng.usize(0..4)];
        doc.array(name, |list| {
            for _ in 0..rng.usize(1..4) {
                list.document(|inner| push_filter(rng, inner, depth - 1));
            }
        });
    }
    for _ in 0..1 + usize::from(rng.u8(0..3) == 0) {
        let path = path(rng);
        match rng.u8(0..10) {
            0..=1 => {
                let with_arrays = rng.u8(0..4) == 0;
                push_value(rng, doc, path, 1, with_arrays);
            }
            2 => {
                doc.document(path, |inner| {
                    let name = if rng.bool() { "$elemMatch" } else { "$not" };
                    if name == "$elemMatch" && rng.bool() {
                        inner.document(name, |inner| push_fields(rng, inner));
                    } else {
                        inner.document(name, |inner| push_operators(rng, inner, depth > 0));
                    }
                });
            }
            _ => {
                doc.document(path, |inner| push_operators(rng, inner, depth > 0));
            }
        }
    }
}

fn push_fields(rng: &mut Rng, doc: &mut DocBuilder) {
    let count = rng.usize(1..3);
    for field in rng.choose_multiple(FIELDS.iter(), count) {
        match rng.bool() {
            true => push_value(rng, doc, field, 0, false),
            false => {
                doc.document(field, |inner| push_operators(rng, inner, false));
            }
        }
    }
}

fn push_operators(rng: &mut Rng, doc: &mut DocBuilder, with_not: bool) {
    const RANGES: [&str; 4] = ["$gt", "$gte", "$lt", "$lte"];
    match rng.u8(0..10) {
        0 => {
            let with_arrays = rng.bool();
            push_value(rng, doc, "$eq", 1, with_arrays);
        }
        1 => push_value(rng, doc, "$ne", 0, false),
        2..=3 => {
            let name = if rng.u8(0..3) == 0 { "$nin" } else { "$in" };
            doc.array(name, |list| {
                for _ in 0..rng.usize(1..6) {
                    let with_arrays = rng.u8(0..3) == 0;
                    with_value(rng, 1, with_arrays, &mut |value| {
                        if !matches!(value, Value::Undefined) {
                            list.push(value);
                        }
                    });
                }
            });
        }
        4 => {
            doc.push("$exists", rng.bool());
        }
        5 => {
            doc.push(
                "$type",
                ["int", "string", "null", "array", "object", "number", "minKey", "bool"][rng.usize(0..8)],
            );
        }
        6 if with_not => {
            doc.document("$not", |inner| push_operators(rng, inner, false));
        }
        _ => {
            let count = 1 + usize::from(rng.u8(0..3) == 0);
            for name in rng.choose_multiple(RANGES.iter(), count) {
                match rng.u8(0..4) {
                    0 => push_value(rng, doc, name, 0, true),
                    _ => {
                        doc.push(name, rng.i32(0..4));
                    }
                }
            }
        }
    }
}

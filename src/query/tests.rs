//! Filters on documents, table by table: what mongod 6.0.5 answered.

use super::*;
use crate::bson::{DocBuilder, RawDoc, Value};

fn built(fill: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    fill(&mut doc);
    doc.finish()
}

fn matches(filter: impl FnOnce(&mut DocBuilder), doc: impl FnOnce(&mut DocBuilder)) -> bool {
    let (filter, doc) = (built(filter), built(doc));
    let parsed = Filter::parse(RawDoc::from_validated(&filter)).unwrap();
    let normal = parsed.clone().normalize();
    let doc = RawDoc::from_validated(&doc);
    assert_eq!(parsed.matches(doc), normal.matches(doc), "normalizing changed the answer of {parsed:?}");
    parsed.matches(doc)
}

#[test]
fn null_matches_missing_but_a_bracket_keeps_other_types_out() {
    let null = |d: &mut DocBuilder| {
        d.push("a", Value::Null);
    };
    assert!(matches(null, |_| {}));
    assert!(matches(null, null));
    assert!(!matches(null, |d| {
        d.push("a", 0);
    }));
    let above = |d: &mut DocBuilder| {
        d.document("a", |d| {
            d.push("$gt", 1);
        });
    };
    assert!(matches(above, |d| {
        d.push("a", 1.5);
    }));
    assert!(!matches(above, |d| {
        d.push("a", "2");
    }));
    assert!(matches(above, |d| {
        d.array("a", |a| {
            a.push("x").push(2);
        });
    }));
}

#[test]
fn errors_name_the_operator() {
    let error = |name: &str| {
        let doc = built(|d| {
            d.document("a", |d| {
                d.push(name, 1);
            });
        });
        Filter::parse(RawDoc::from_validated(&doc)).unwrap_err()
    };
    assert_eq!(error("$foo").to_string(), "BadValue (2): unknown operator: $foo");
    assert_eq!(error("$bitsAllSet").code.0, 238);
    assert!(error("$bitsAllSet").message.contains("$bitsAllSet"));
}

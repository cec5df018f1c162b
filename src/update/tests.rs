//! Updates on documents: what mongod 6.0.5 answered.

use super::*;
use crate::bson::DocBuilder;

fn built(fill: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    fill(&mut doc);
    doc.finish()
}

fn parsed(update: &[u8]) -> Result<Update> {
    Update::parse(&Value::Document(RawDoc::from_validated(update)), UpdateOptions::default())
}

#[test]
fn new_fields_come_in_the_order_of_their_names_and_a_change_names_its_paths() {
    let update = built(|d| {
        d.document("$set", |d| {
            d.push("z", 1).push("y.10", 2).push("y.9", 3).push("a", 4);
        });
    });
    let doc = built(|d| {
        d.push("_id", 1).push("a", 0);
    });
    let applied =
        parsed(&update).unwrap().apply(RawDoc::from_validated(&doc), &Filter::all(), false).unwrap();
    let wanted = built(|d| {
        d.push("_id", 1).push("a", 4);
        d.document("y", |d| {
            d.push("9", 3).push("10", 2);
        });
        d.push("z", 1);
    });
    assert_eq!(applied.document, Some(wanted));
    let paths = ["a", "y.9", "y.10", "z"].map(String::from).to_vec();
    assert_eq!(applied.changed, Changed::Paths(paths));
}

#[test]
fn conflicts_are_found_without_a_document() {
    let update = built(|d| {
        d.document("$set", |d| {
            d.push("b.c", 1);
        })
        .document("$unset", |d| {
            d.push("b", 2);
        });
    });
    let error = parsed(&update).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ConflictingUpdateOperators (40): Updating the path 'b' would create a conflict at 'b'"
    );
}

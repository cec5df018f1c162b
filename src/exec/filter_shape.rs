//! Parsed filters as documents again, as explain shows them: in normal form.

use crate::bson::{DocBuilder, Type};
use crate::query::{Expr, Test};

/// Appends the fields of a filter.
pub fn push(expr: &Expr, doc: &mut DocBuilder) {
    match expr {
        Expr::And(parts) if parts.is_empty() => {}
        Expr::And(parts) => list("$and", parts, doc),
        Expr::Or(parts) => list("$or", parts, doc),
        Expr::Nor(parts) => list("$nor", parts, doc),
        Expr::Not(inner) => match &**inner {
            Expr::Leaf { path, test } => {
                doc.document(path.as_str(), |d| {
                    d.document("$not", |d| push_test(test, d));
                });
            }
            other => list("$nor", std::slice::from_ref(other), doc),
        },
        Expr::Leaf { path, test } => {
            doc.document(path.as_str(), |d| push_test(test, d));
        }
        Expr::AlwaysTrue => {
            doc.push("$alwaysTrue", 1.0);
        }
        Expr::AlwaysFalse => {
            doc.push("$alwaysFalse", 1.0);
        }
    }
}

fn list(name: &str, parts: &[Expr], doc: &mut DocBuilder) {
    doc.array(name, |a| {
        for part in parts {
            a.document(|d| push(part, d));
        }
    });
}

/// Appends the operator of a test.
fn push_test(test: &Test, doc: &mut DocBuilder) {
    match test {
        Test::Compare(relation, value) => {
            doc.push(relation.name(), value.get());
        }
        Test::In(set) => {
            doc.array("$in", |a| {
                for value in set.values() {
                    a.push(value.get());
                }
            });
        }
        Test::Exists => {
            doc.push("$exists", true);
        }
        Test::Type(types) => {
            doc.array("$type", |a| {
                for kind in &types.types {
                    a.push(if *kind == Type::MinKey { -1 } else { *kind as i32 });
                }
            });
        }
        Test::ElemMatchDocument(filter) => {
            doc.document("$elemMatch", |d| push(filter, d));
        }
        Test::ElemMatchValue(tests) => {
            doc.document("$elemMatch", |d| push_element_tests(tests, d));
        }
        Test::Value(test) => test.push_to(doc),
    }
}

/// The tests of an element stand side by side without paths.
fn push_element_tests(tests: &Expr, doc: &mut DocBuilder) {
    match tests {
        Expr::And(parts) => parts.iter().for_each(|part| push_element_tests(part, doc)),
        Expr::Leaf { test, .. } => push_test(test, doc),
        Expr::Not(inner) => {
            doc.document("$not", |d| push_element_tests(inner, d));
        }
        other => push(other, doc),
    }
}

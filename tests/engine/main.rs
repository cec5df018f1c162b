//! The engine through its commands, on stores that answer at once.

mod bad_input;
mod cost;
mod crash;
mod faults;
mod scheduling;
mod spill;
mod stored;
mod support;

use pandodb::bson::{RawDoc, Value};
use pandodb::engine::{Config, Residency};
use support::{Database, command};

#[test]
fn inserted_documents_are_there_after_reopening_and_duplicates_are_refused() {
    for residency in [Residency::All, Residency::None, Residency::Random(7)] {
        let mut database = Database::memory(Config { residency, ..Config::default() });
        let reply = database.run(command("insert", "c", |doc| {
            doc.array("documents", |list| {
                for n in 0..2_000 {
                    list.document(|doc| {
                        doc.push("_id", n).push("text", "x".repeat(300).as_str());
                    });
                }
            });
        }));
        assert_eq!(int(&reply, "n"), 2_000, "{:?}", RawDoc::from_validated(&reply));

        let mut database = database.reopen(Config { residency, ..Config::default() });
        let reply = database.run(command("insert", "c", |doc| {
            doc.array("documents", |list| {
                for n in [5_000, 1_234, 6_000] {
                    list.document(|doc| {
                        doc.push("_id", n);
                    });
                }
            })
            .push("ordered", false);
        }));
        assert_eq!(int(&reply, "n"), 2);
        let errors = RawDoc::from_validated(&reply).get("writeErrors").and_then(|e| e.as_array()).unwrap();
        let error = errors.get(0).and_then(|e| e.as_document()).unwrap();
        assert!(matches!(error.get("index"), Some(Value::Int32(1))));
        assert!(matches!(error.get("code"), Some(Value::Int32(11000))));
        let value = error.get("keyValue").and_then(|v| v.as_document()).and_then(|v| v.get("_id"));
        assert!(matches!(value, Some(Value::Int32(1_234))));
    }
}

fn int(reply: &[u8], name: &str) -> i32 {
    match RawDoc::from_validated(reply).get(name) {
        Some(Value::Int32(n)) => n,
        other => panic!("{name} is {other:?}"),
    }
}

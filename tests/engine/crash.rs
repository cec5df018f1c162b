//! Every commit of a workload is a place to stop: before it, after it, after it without anybody hearing of it. What is
//! there after reopening is exactly the state after some commit, whole and checked, and holds all that was answered.

use crate::stored::{Dump, Stored};
use crate::support::command;
use pandodb::bson::{RawDoc, Value};
use pandodb::engine::{Config, Engine, Residency};
use pandodb::host::SeededHost;
use pandodb::session::Session;
use pandodb::store::simulated::{Faults, Simulated, SimulatedStore, StopKind};
use pandodb::store::{Outcome, PageStore, Request, RequestId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

type State = BTreeMap<String, Dump>;

/// A store that keeps what a user would see after each commit.
struct Recorder {
    inner: SimulatedStore,
    profile: Simulated,
    states: Rc<RefCell<Vec<State>>>,
}

impl PageStore for Recorder {
    fn begin(&mut self, request: Request) -> RequestId {
        self.inner.begin(request)
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        let event = self.inner.take_event()?;
        if matches!(event.1, Outcome::Landed(_)) {
            // One commit is in flight at a time, so what is stored now is the state after this one.
            let stored = Stored::read(&self.profile.data());
            stored.check();
            self.states.borrow_mut().push(stored.dump());
        }
        Some(event)
    }
}

fn open<S: PageStore>(store: S) -> Session<S> {
    let config = Config { cache_bytes_max: 1 << 20, residency: Residency::Random(3), ..Config::default() };
    Session::new(Engine::open(config, Box::new(SeededHost::new(5))), store)
}

fn profile() -> Simulated {
    Simulated::new(9, Faults::default(), Engine::first_metas(&mut SeededHost::new(4)))
}

/// Documents with arrays, large texts and small ones.
pub fn insert(from: i32, count: i32, text_bytes: usize) -> Vec<u8> {
    command("insert", "c", |doc| {
        doc.array("documents", |list| {
            for n in from..from + count {
                list.document(|doc| {
                    doc.push("_id", n).push("a", (n * 7919) % 1000).array("tags", |tags| {
                        tags.push(n % 5).push("x");
                    });
                    doc.push("text", "t".repeat(text_bytes).as_str());
                });
            }
        });
    })
}

fn create_index(name: &str, fields: &[(&str, i32)]) -> Vec<u8> {
    command("createIndexes", "c", |doc| {
        doc.array("indexes", |list| {
            list.document(|spec| {
                spec.document("key", |key| {
                    for (field, direction) in fields {
                        key.push(field, *direction);
                    }
                })
                .push("name", name);
            });
        });
    })
}

fn update(from: i32, to: i32, text_bytes: usize) -> Vec<u8> {
    command("update", "c", |doc| {
        doc.array("updates", |list| {
            list.document(|operation| {
                operation
                    .document("q", |q| {
                        q.document("_id", |range| {
                            range.push("$gte", from).push("$lt", to);
                        });
                    })
                    .document("u", |u| {
                        u.document("$set", |set| {
                            set.push("text", "u".repeat(text_bytes).as_str());
                        })
                        .document("$inc", |inc| {
                            inc.push("a", 1);
                        });
                    })
                    .push("multi", true);
            });
        });
    })
}

fn delete(from: i32, to: i32) -> Vec<u8> {
    command("delete", "c", |doc| {
        doc.array("deletes", |list| {
            list.document(|operation| {
                operation
                    .document("q", |q| {
                        q.document("a", |range| {
                            range.push("$gte", from).push("$lt", to);
                        });
                    })
                    .push("limit", 0);
            });
        });
    })
}

/// Small commits, commits cut at their size, extents, index builds, drops.
fn workload() -> Vec<Vec<u8>> {
    vec![
        insert(0, 3, 10),
        insert(3, 1, 100_000),
        create_index("a", &[("a", 1), ("_id", -1)]),
        insert(10, 900, 5_000),
        insert(1_000, 40, 300),
        create_index("tags", &[("tags", 1)]),
        update(0, 200, 20_000),
        update(1_000, 1_020, 5),
        delete(0, 300),
        command("dropIndexes", "c", |doc| {
            doc.push("index", "a");
        }),
        insert(5_000, 2, 10),
        command("create", "d", |_| {}),
        command("drop", "c", |_| {}),
        insert(1, 2, 10),
    ]
}

pub fn is_ok(reply: &[u8]) -> bool {
    let reply = RawDoc::from_validated(reply);
    matches!(reply.get("ok"), Some(Value::Double(1.0))) && reply.get("writeErrors").is_none()
}

/// Runs the workload until its end or the stop. Gives for each answered command how many commits it was answered after.
fn run<S: PageStore>(session: &mut Session<S>, profile: &Simulated) -> Vec<u64> {
    let mut answered = Vec::new();
    for request in workload() {
        match session.command(request) {
            Some(reply) => assert!(is_ok(&reply), "{:?}", RawDoc::from_validated(&reply)),
            None => break,
        }
        answered.push(profile.commits_landed());
    }
    answered
}

#[test]
fn a_stop_at_any_commit_leaves_exactly_the_commits_before_it() {
    let reference = profile();
    let states = Rc::new(RefCell::new(vec![State::new()]));
    let recorder =
        Recorder { inner: reference.open(), profile: reference.clone(), states: Rc::clone(&states) };
    let answered = run(&mut open(recorder), &reference);
    assert_eq!(answered.len(), workload().len());
    let states = states.borrow();
    let commits = states.len() as u64 - 1;
    assert!(commits >= 12, "the workload is cut into {commits} commits only");

    for commit in 1..=commits {
        for kind in StopKind::ALL {
            let profile = profile();
            profile.stop_at(commit, kind);
            let acknowledged = run(&mut open(profile.open()), &profile);
            assert!(profile.stopped(), "commit {commit} {kind:?}");
            let survives = if kind == StopKind::Before { commit - 1 } else { commit };

            let mut reopened = open(profile.open());
            reopened.pump();
            let stored = Stored::read(&profile.data());
            stored.check();
            assert_eq!(stored.dump(), states[survives as usize], "stopped at commit {commit} {kind:?}");
            let last_answer = acknowledged.last().copied().unwrap_or(0);
            assert!(last_answer <= survives, "an answered command is lost at commit {commit} {kind:?}");

            let reply = reopened.command(insert(100_000, 1, 10)).expect("the reopened store answers");
            assert!(is_ok(&reply), "{:?}", RawDoc::from_validated(&reply));
            let stored = Stored::read(&profile.data());
            stored.check();
            let documents = &stored.dump()["test.c"].documents;
            assert!(documents.iter().any(|doc| {
                matches!(RawDoc::from_validated(doc).get("_id"), Some(Value::Int32(100_000)))
            }));
        }
    }
}

//! The host loop natively: on stores that answer at once, late, and not any more.

use pandodb::bson::{DocBuilder, RawDoc, Value};
use pandodb::engine::{Config, Engine};
use pandodb::host::SeededHost;
use pandodb::host_loop::{HostLoop, Turn};
use pandodb::store::simulated::{Faults, Simulated, StopKind};
use pandodb::store::{MemoryStore, PageStore};

fn insert(id: i32) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    doc.push("insert", "things");
    doc.array("documents", |documents| {
        documents.document(|doc| {
            doc.push("_id", id);
        });
    });
    doc.push("$db", "test");
    doc.finish()
}

/// Runs a command, asking a store that is late again, at most `patience` times.
fn run<S: PageStore>(host: &mut HostLoop<S>, request: Vec<u8>, patience: u32) -> Option<Vec<u8>> {
    let task = host.engine.submit(request);
    let mut idle = 0;
    while idle <= patience {
        match host.turn(Some(task)) {
            Turn::Reply { task: done, bytes } => {
                assert_eq!(done, task);
                return Some(bytes);
            }
            Turn::Yield => host.engine.resume(),
            Turn::Idle => idle += 1,
        }
    }
    None
}

fn open<S: PageStore>(store: S) -> HostLoop<S> {
    HostLoop::new(Engine::open(Config::default(), Box::new(SeededHost::new(7))), store)
}

fn inserted(reply: &[u8]) -> bool {
    matches!(RawDoc::from_validated(reply).get("n"), Some(Value::Int32(1)))
}

#[test]
fn a_store_that_answers_at_once_needs_no_patience() {
    let mut host = open(MemoryStore::new(Engine::first_metas(&mut SeededHost::new(1))));
    for id in 0..10 {
        assert!(inserted(&run(&mut host, insert(id), 0).unwrap()));
    }
    assert!(!inserted(&run(&mut host, insert(3), 0).unwrap()), "a duplicate");
    assert_eq!(host.traffic.commits, 10);
    assert!(host.traffic.values_written >= 20 && host.traffic.bytes_written > 0);
}

#[test]
fn a_late_store_is_asked_again() {
    for seed in 0..50 {
        let faults = Faults { late_per_mille: 800, ..Faults::default() };
        let profile = Simulated::new(seed, faults, Engine::first_metas(&mut SeededHost::new(1)));
        let mut host = open(profile.open());
        for id in 0..5 {
            assert!(inserted(&run(&mut host, insert(id), 10_000).unwrap()), "seed {seed}");
        }
    }
}

#[test]
fn a_store_that_stops_leaves_the_command_without_a_reply() {
    for kind in StopKind::ALL {
        let profile = Simulated::new(1, Faults::default(), Engine::first_metas(&mut SeededHost::new(1)));
        let mut host = open(profile.open());
        assert!(inserted(&run(&mut host, insert(0), 0).unwrap()));
        profile.stop_at(profile.commits_landed() + 1, kind);
        let told = run(&mut host, insert(1), 100).is_some();
        assert_eq!(told, kind == StopKind::After, "{kind:?}");
        assert!(run(&mut host, insert(2), 100).is_none(), "{kind:?}");
        // On the data left, the document is there exactly if its commit landed.
        let mut host = open(profile.open());
        let again = inserted(&run(&mut host, insert(1), 100).unwrap());
        assert_eq!(again, kind == StopKind::Before, "{kind:?}");
    }
}

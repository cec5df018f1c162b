//! Who runs when: group commit, yielding, aborting, time limits, readers beside writers.

use crate::crash::{insert, is_ok};
use crate::support::command;
use pandodb::bson::{DocBuilder, RawDoc, Value};
use pandodb::engine::{Config, Effect, Engine};
use pandodb::host::{Host, SeededHost};
use pandodb::session::Session;
use pandodb::store::PageStore;
use pandodb::store::memory::MemoryStore;
use std::cell::Cell;
use std::rc::Rc;

fn store() -> MemoryStore {
    MemoryStore::new(Engine::first_metas(&mut SeededHost::new(4)))
}

fn open(store: MemoryStore, config: Config) -> Session<MemoryStore> {
    Session::new(Engine::open(config, Box::new(SeededHost::new(5))), store)
}

fn code(reply: &[u8]) -> i32 {
    match RawDoc::from_validated(reply).get("code") {
        Some(Value::Int32(code)) => code,
        _ => 0,
    }
}

fn count(filter: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    command("count", "c", |doc| {
        doc.document("query", filter);
    })
}

fn n(reply: &[u8]) -> i32 {
    match RawDoc::from_validated(reply).get("n") {
        Some(Value::Int32(n)) => n,
        other => panic!("n is {other:?}: {:?}", RawDoc::from_validated(reply)),
    }
}

#[test]
fn a_thousand_unawaited_inserts_share_a_few_commits() {
    let store = store();
    let mut session = open(store.another(), Config::default());
    session.pump();
    let before = store.data().borrow().last().0;
    let tasks: Vec<_> = (0..1_000).map(|id| session.submit(insert(id, 1, 100))).collect();
    session.pump();
    for task in tasks {
        assert!(is_ok(&session.take_reply(task).expect("all are answered")));
    }
    let commits = store.data().borrow().last().0 - before;
    assert!(commits <= 3, "{commits} commits");
}

#[test]
fn a_long_read_yields_and_a_short_one_gets_through() {
    let store = store();
    let mut session = open(store.another(), Config::default());
    assert!(is_ok(&session.command(insert(0, 5_000, 10)).unwrap()));
    session.host.engine.set_step_budget(Some(500));
    let long = session.host.engine.submit(count(|doc| {
        doc.push("text", "nowhere");
    }));
    let short = session.host.engine.submit(count(|doc| {
        doc.push("_id", 17);
    }));
    let (mut yields, mut answered) = (0, Vec::new());
    while answered.len() < 2 {
        match session.host.engine.advance(None) {
            Some((_, Effect::Yield)) => yields += 1,
            Some((_, Effect::Reply { task, bytes })) => answered.push((task, n(&bytes))),
            Some((_, other)) => panic!("pages are in memory: {other:?}"),
            None => session.host.engine.resume(),
        }
    }
    assert_eq!(answered, vec![(short, 1), (long, 0)]);
    assert!(yields >= 9, "5,000 rows in pieces of 500 gave {yields} yields");
}

#[test]
fn an_aborted_command_ends_with_11601_and_keeps_what_it_wrote_whole() {
    let store = store();
    let mut session = open(store.another(), Config::default());
    session.pump();
    session.host.engine.set_step_budget(Some(100));
    let task = session.host.engine.submit(insert(0, 1_000, 10));
    let first = session.host.engine.advance(Some(task));
    assert!(matches!(first, Some((_, Effect::Yield))), "{first:?}");
    session.host.engine.abort(task);
    session.host.engine.resume();
    session.pump();
    let reply = session.take_reply(task).expect("it is answered");
    assert_eq!(code(&reply), 11601);
    let written = n(&session.command(count(|_| {})).unwrap());
    assert!((1..1_000).contains(&written), "{written} documents");
    let listed = session.command(count(|doc| {
        doc.document("_id", |range| {
            range.push("$lt", written);
        });
    }));
    assert_eq!(n(&listed.unwrap()), written, "a prefix of the batch");
}

/// A clock that a test moves.
struct Clock {
    now_ms: Rc<Cell<i64>>,
    seeded: SeededHost,
}

impl Host for Clock {
    fn now_ms(&mut self) -> i64 {
        self.now_ms.get()
    }

    fn random(&mut self, out: &mut [u8]) {
        self.seeded.random(out);
    }
}

#[test]
fn a_command_over_its_time_limit_ends_with_50() {
    let store = store();
    assert!(is_ok(&open(store.another(), Config::default()).command(insert(0, 2_000, 10)).unwrap()));
    let now_ms = Rc::new(Cell::new(1_000));
    let host = Clock { now_ms: Rc::clone(&now_ms), seeded: SeededHost::new(1) };
    let config = Config { step_budget_rows: Some(100), ..Config::default() };
    let mut session = Session::new(Engine::open(config, Box::new(host)), store.another());
    let request = command("count", "c", |doc| {
        doc.document("query", |query| {
            query.push("text", "nowhere");
        })
        .push("maxTimeMS", 5);
    });
    let task = session.submit(request);
    for _ in 0..8 {
        session.pump_once();
    }
    now_ms.set(1_006);
    session.pump();
    assert_eq!(code(&session.take_reply(task).unwrap()), 50);
}

#[test]
fn readers_see_nothing_of_a_commit_that_is_on_its_way() {
    let store = store();
    let mut session = open(store.another(), Config::default());
    assert!(is_ok(&session.command(insert(0, 10, 10)).unwrap()));
    let write = session.host.engine.submit(insert(10, 10, 10));
    let sent = session.host.engine.advance(Some(write));
    let Some((token, Effect::Commit(commit))) = sent else { panic!("the write is not sent: {sent:?}") };
    let read = session.host.engine.submit(count(|_| {}));
    let Some((_, Effect::Reply { task, bytes })) = session.host.engine.advance(Some(read)) else {
        panic!("the count waits for nothing")
    };
    assert_eq!((task, n(&bytes)), (read, 10));
    session.host.store.begin(pandodb::store::Request::Commit(commit));
    let (_, outcome) = session.host.store.take_event().expect("a store in memory answers");
    session.host.engine.on_store_event(token, outcome);
    session.pump();
    assert!(is_ok(&session.take_reply(write).unwrap()));
    assert_eq!(n(&session.command(count(|_| {})).unwrap()), 20);
}

#[test]
fn a_dropped_collections_pages_are_freed_and_its_readers_told() {
    let store = store();
    let mut session = open(store.another(), Config::default());
    assert!(is_ok(&session.command(insert(0, 3_000, 1_000)).unwrap()));
    let bytes_before = store.data().borrow().bytes();
    let reply = session
        .command(command("find", "c", |doc| {
            doc.push("batchSize", 2);
        }))
        .unwrap();
    let cursor = RawDoc::from_validated(&reply).get("cursor").and_then(|c| c.as_document()).unwrap();
    let Some(Value::Int64(id)) = cursor.get("id") else { panic!("no cursor") };
    assert!(is_ok(&session.command(command("drop", "c", |_| {})).unwrap()));
    let mut more = DocBuilder::new();
    more.push("getMore", id).push("collection", "c").push("$db", "test");
    assert_eq!(code(&session.command(more.finish()).unwrap()), 175);
    let bytes_after = store.data().borrow().bytes();
    assert!(bytes_after < bytes_before / 100, "{bytes_after} of {bytes_before} bytes are left");
}

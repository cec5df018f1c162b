//! What goes wrong in a store, and what is left of it: conflicts, no room, aborts, lost connections, damage.

use crate::crash::{insert, is_ok};
use crate::stored::Stored;
use crate::support::command;
use pandodb::bson::{RawDoc, Value};
use pandodb::engine::{Config, Engine, Residency};
use pandodb::host::SeededHost;
use pandodb::session::Session;
use pandodb::store::PageId;
use pandodb::store::memory::MemoryStore;
use pandodb::store::simulated::{Faults, Simulated};
use std::collections::BTreeSet;

fn profile(seed: u64) -> Simulated {
    Simulated::new(seed, Faults::default(), Engine::first_metas(&mut SeededHost::new(4)))
}

fn open<S: pandodb::store::PageStore>(store: S, seed: u64) -> Session<S> {
    let config = Config { residency: Residency::Random(seed), ..Config::default() };
    Session::new(Engine::open(config, Box::new(SeededHost::new(seed))), store)
}

fn code(reply: &[u8]) -> i32 {
    match RawDoc::from_validated(reply).get("code") {
        Some(Value::Int32(code)) => code,
        _ => 0,
    }
}

fn ids(profile: &Simulated) -> BTreeSet<i32> {
    let stored = Stored::read(&profile.data());
    stored.check();
    let dump = stored.dump();
    let Some(collection) = dump.get("test.c") else { return BTreeSet::new() };
    let id = |doc: &Vec<u8>| match RawDoc::from_validated(doc).get("_id") {
        Some(Value::Int32(id)) => id,
        other => panic!("_id is {other:?}"),
    };
    let ids: BTreeSet<i32> = collection.documents.iter().map(id).collect();
    assert_eq!(ids.len(), collection.documents.len());
    ids
}

/// Runs all sessions in turn until each of the tasks is answered.
fn run_together(
    sessions: &mut [Session<impl pandodb::store::PageStore>],
    requests: Vec<(usize, Vec<u8>)>,
) -> Vec<Vec<u8>> {
    let mut tasks: Vec<_> =
        requests.into_iter().map(|(at, request)| (at, sessions[at].submit(request), None)).collect();
    loop {
        let mut moved = false;
        for session in sessions.iter_mut() {
            moved |= session.pump_once();
        }
        for (at, task, reply) in &mut tasks {
            if reply.is_none() {
                *reply = sessions[*at].take_reply(*task);
            }
        }
        if tasks.iter().all(|(_, _, reply)| reply.is_some()) {
            return tasks.into_iter().filter_map(|(_, _, reply)| reply).collect();
        }
        assert!(moved, "nobody moves and not all are answered");
    }
}

#[test]
fn contexts_that_write_at_once_lose_nothing_and_write_nothing_twice() {
    for seed in 0..20 {
        let profile = profile(seed);
        let mut sessions: Vec<_> = (0..3).map(|n| open(profile.open(), seed * 10 + n)).collect();
        let mut expected = BTreeSet::new();
        for round in 0..4 {
            let mut requests = Vec::new();
            for at in 0..3_i32 {
                let first = round * 1000 + at * 100;
                for part in 0..3 {
                    requests.push((at as usize, insert(first + part * 10, 10, 200)));
                    expected.extend(first + part * 10..first + part * 10 + 10);
                }
            }
            for reply in run_together(&mut sessions, requests) {
                assert!(is_ok(&reply), "seed {seed}: {:?}", RawDoc::from_validated(&reply));
            }
        }
        assert_eq!(ids(&profile), expected, "seed {seed}");
    }
}

#[test]
fn a_context_that_was_told_of_anothers_commit_answers_from_it() {
    for seed in 0..10 {
        let profile = profile(seed);
        let (mut one, mut other) = (open(profile.open(), seed), open(profile.open(), seed + 100));
        assert!(is_ok(&one.command(insert(0, 300, 500)).unwrap()));
        let all = || command("count", "c", |_| {});
        let n = |reply: &[u8]| match RawDoc::from_validated(reply).get("n") {
            Some(Value::Int32(n)) => n,
            other => panic!("n is {other:?}"),
        };
        assert_eq!(n(&other.command(all()).unwrap()), 300);
        assert!(is_ok(&one.command(insert(1_000, 7, 10)).unwrap()));
        let number = one.host.engine.pager().unwrap().number();
        let polls_before = other.host.traffic.reads;
        other.host.engine.learn_of(number);
        other.pump();
        assert_eq!(other.host.traffic.reads, polls_before, "nothing is read before anybody asks");
        let delete = command("delete", "c", |doc| {
            doc.array("deletes", |list| {
                list.document(|op| {
                    op.document("q", |q| {
                        q.push("_id", 1_003);
                    })
                    .push("limit", 1);
                });
            });
        });
        assert_eq!(n(&other.command(delete).unwrap()), 1, "seed {seed}");
        assert_eq!(n(&other.command(all()).unwrap()), 306);
        other.host.engine.learn_of(pandodb::store::CommitNumber(1_000_000));
        assert_eq!(n(&other.command(all()).unwrap()), 306, "a number that never comes stops nobody");
    }
}

#[test]
fn the_same_id_from_two_contexts_is_refused_in_one() {
    for seed in 0..20 {
        let profile = profile(seed);
        let mut sessions: Vec<_> = (0..2).map(|n| open(profile.open(), seed * 10 + n)).collect();
        let replies = run_together(&mut sessions, vec![(0, insert(1, 1, 10)), (1, insert(1, 1, 20))]);
        let landed = replies.iter().filter(|reply| is_ok(reply)).count();
        assert_eq!(landed, 1, "seed {seed}: both or none of two inserts of one _id");
        assert_eq!(ids(&profile), BTreeSet::from([1]));
    }
}

#[test]
fn without_room_writes_are_refused_reads_go_on_and_later_writes_work() {
    let profile = profile(1);
    let mut session = open(profile.open(), 1);
    assert!(is_ok(&session.command(insert(0, 50, 1_000)).unwrap()));
    profile.set_faults(Faults { quota_per_mille: 1000, ..Faults::default() });
    let reply = session.command(insert(100, 50, 1_000)).unwrap();
    assert_eq!(code(&reply), 14031, "{:?}", RawDoc::from_validated(&reply));
    assert_eq!(ids(&profile), (0..50).collect());
    let reply = session.command(command("count", "c", |_| {})).unwrap();
    assert!(matches!(RawDoc::from_validated(&reply).get("n"), Some(Value::Int32(50))));
    profile.set_faults(Faults::default());
    assert!(is_ok(&session.command(insert(100, 50, 1_000)).unwrap()));
    assert_eq!(ids(&profile), (0..50).chain(100..150).collect());
}

#[test]
fn what_landed_before_the_room_ran_out_is_counted() {
    let profile = profile(6);
    let mut session = open(profile.open(), 6);
    assert!(is_ok(&session.command(insert(0, 1, 10)).unwrap()));
    let before = profile.commits_landed();
    // Ten megabytes go in sets of four: the first lands, a later one finds no room.
    let task = session.submit(insert(1_000, 500, 20_000));
    while profile.commits_landed() == before {
        assert!(session.pump_once());
    }
    profile.set_faults(Faults { quota_per_mille: 1000, ..Faults::default() });
    session.pump();
    let reply = session.take_reply(task).expect("it is answered");
    let reply = RawDoc::from_validated(&reply);
    let landed = ids(&profile).len() as i32 - 1;
    assert!((1..500).contains(&landed), "{landed} documents landed");
    assert!(matches!(reply.get("n"), Some(Value::Int32(n)) if n == landed), "{reply:?}");
    let error = reply.get("writeErrors").and_then(|e| e.as_array()).and_then(|e| e.get(0));
    let error = error.and_then(|e| e.as_document()).expect("one write error");
    assert!(matches!(error.get("code"), Some(Value::Int32(14031))), "{error:?}");
    assert!(matches!(error.get("index"), Some(Value::Int32(at)) if at == landed), "{error:?}");
}

#[test]
fn a_refused_commit_does_not_take_the_next_writers_with_it() {
    let profile = profile(2);
    let mut session = open(profile.open(), 2);
    assert!(is_ok(&session.command(insert(0, 1, 10)).unwrap()));
    // The first is sent and finds no room; the second, of the same _id, gathers behind it and must not see it.
    let first = session.submit(insert(7, 1, 10));
    while !session.host.engine.pager().is_some_and(pandodb::pager::state::Pager::is_sending) {
        assert!(session.pump_once());
    }
    let second = session.submit(insert(7, 1, 20));
    profile.set_faults(Faults { quota_per_mille: 1000, ..Faults::default() });
    while session.host.engine.pager().is_some_and(pandodb::pager::state::Pager::is_sending) {
        assert!(session.pump_once());
    }
    profile.set_faults(Faults::default());
    session.pump();
    assert_eq!(code(&session.take_reply(first).unwrap()), 14031);
    assert!(is_ok(&session.take_reply(second).unwrap()));
    assert_eq!(ids(&profile), BTreeSet::from([0, 7]));
}

#[test]
fn a_lost_connection_fails_what_is_pending_with_labels_and_loses_nothing_answered() {
    for seed in 0..30 {
        let profile = profile(seed);
        let mut session = open(profile.open(), seed);
        assert!(is_ok(&session.command(insert(0, 20, 100)).unwrap()));
        let task = session.submit(insert(100, 20, 100));
        session.pump_once();
        session.host.store.lose_connection();
        session.pump();
        let _ = session.take_reply(task);
        let reply = session.command(insert(200, 1, 10)).unwrap();
        let labels = RawDoc::from_validated(&reply).get("errorLabels").and_then(|labels| labels.as_array());
        let is_retryable =
            labels.is_some_and(|l| l.iter().any(|l| l.as_str() == Some("RetryableWriteError")));
        assert!(is_retryable, "seed {seed}: {:?}", RawDoc::from_validated(&reply));
        assert!(session.host.engine.is_dead());

        let mut reopened = open(profile.open(), seed + 1);
        assert!(is_ok(&reopened.command(insert(300, 1, 10)).unwrap()));
        let found = ids(&profile);
        assert!((0..20).all(|id| found.contains(&id)), "seed {seed}: an answered insert is lost");
        let half = (100..120).filter(|id| found.contains(id)).count();
        assert!(half == 0 || half == 20, "seed {seed}: {half} of 20 documents of one small insert");
    }
}

fn filled() -> MemoryStore {
    let store = MemoryStore::new(Engine::first_metas(&mut SeededHost::new(4)));
    let mut session = open(store.another(), 1);
    assert!(is_ok(&session.command(insert(0, 300, 500)).unwrap()));
    assert!(is_ok(&session.command(insert(300, 2, 100_000)).unwrap()));
    store
}

#[test]
fn a_flipped_byte_in_any_page_is_told_and_never_returned() {
    let pages: Vec<PageId> = filled().data().borrow().page_ids().collect();
    let mut told = 0;
    for (n, id) in pages.iter().enumerate() {
        let store = filled();
        if let Some(page) = store.data().borrow_mut().page_mut(*id) {
            let at = (n * 7919) % page.len();
            page[at] ^= 0x40;
        }
        let mut session = open(store.another(), 1);
        let reply = session.command(command("find", "c", |doc| {
            doc.push("batchSize", 1000);
        }));
        let reply = reply.unwrap();
        if code(&reply) == 318 {
            told += 1;
        } else {
            // The page was none of those that the find reads (one of the index): then all documents came whole.
            let cursor = RawDoc::from_validated(&reply).get("cursor").and_then(|c| c.as_document());
            let batch = cursor.and_then(|c| c.get("firstBatch")).and_then(|b| b.as_array());
            assert_eq!(batch.map(|b| b.count()), Some(302), "{:?}", RawDoc::from_validated(&reply));
        }
    }
    assert!(told > pages.len() / 2, "{told} of {} damaged pages were told", pages.len());
}

#[test]
fn a_store_of_a_newer_format_is_refused_and_stays_as_it_was() {
    let store = filled();
    let data = store.data();
    for key in [pandodb::store::MetaKey::META, pandodb::store::MetaKey::META_COPY] {
        if let Some(meta) = data.borrow_mut().meta_mut(key) {
            meta[4] = 99;
        }
    }
    let before = data.borrow().clone();
    let reply = open(store.another(), 1).command(insert(9_000, 1, 10)).unwrap();
    assert_eq!(code(&reply), 12, "{:?}", RawDoc::from_validated(&reply));
    let message =
        RawDoc::from_validated(&reply).get("errmsg").and_then(|m| m.as_str()).unwrap_or("").to_string();
    assert!(message.contains("99"), "{message}");
    assert_eq!(*data.borrow(), before);
}

#[test]
fn a_damaged_meta_record_is_read_from_its_copy() {
    let store = filled();
    if let Some(meta) = store.data().borrow_mut().meta_mut(pandodb::store::MetaKey::META) {
        meta[20] ^= 1;
    }
    assert!(is_ok(&open(store.another(), 1).command(insert(9_000, 1, 10)).unwrap()));
}

//! Sorts that pass their limit: the same answers, and nothing left in temporary storage, however they end.

use crate::support::command;
use pandodb::bson::{ArrayBuilder, DocBuilder, RawArray, RawDoc, Value};
use pandodb::command::Settings;
use pandodb::engine::{Config, Engine, Residency};
use pandodb::host::SeededHost;
use pandodb::session::Session;
use pandodb::store::PageStore;
use pandodb::store::checker::{Checker, Ledger};
use pandodb::store::memory::MemoryStore;
use pandodb::store::simulated::{Faults, Simulated, SimulatedStore};

type Memory = Session<Checker<MemoryStore>>;

fn config(sort_bytes_max: usize, residency: Residency) -> Config {
    Config { residency, settings: Settings { sort_bytes_max, ..Settings::default() }, ..Config::default() }
}

fn memory(store: MemoryStore, config: Config) -> Memory {
    Session::new(Engine::open(config, Box::new(SeededHost::new(3))), Checker::new(store, Ledger::new()))
}

fn created() -> MemoryStore {
    MemoryStore::new(Engine::first_metas(&mut SeededHost::new(1)))
}

fn run<S: PageStore>(session: &mut Session<S>, request: Vec<u8>) -> Vec<u8> {
    session.command(request).expect("the store answers")
}

fn code(reply: &[u8]) -> i32 {
    match RawDoc::from_validated(reply).get("code") {
        Some(Value::Int32(code)) => code,
        _ => 0,
    }
}

fn insert<S: PageStore>(session: &mut Session<S>, documents: Vec<Vec<u8>>) {
    for part in documents.chunks(50) {
        let mut list = ArrayBuilder::new();
        part.iter().for_each(|document| {
            list.push(RawDoc::from_validated(document));
        });
        let list = list.finish();
        let request = command("insert", "c", |doc| {
            doc.push("documents", RawArray::from_validated(&list));
        });
        assert_eq!(code(&run(session, request)), 0);
    }
}

/// Documents with a field `a` of all sorts of values, many of them equal, and of very different sizes.
fn documents(random: &mut fastrand::Rng, count: i32, pad_max: usize) -> Vec<Vec<u8>> {
    let document = |id| {
        let mut doc = DocBuilder::new();
        doc.push("_id", id).push("b", random.i32(0..4));
        match random.u8(0..10) {
            0 => {}
            1 => {
                doc.push("a", Value::Null);
            }
            2 => {
                doc.push("a", f64::from(random.i8(-3..3)) / 2.0);
            }
            3 => {
                doc.push("a", ["", "x", "xy", "\0"][random.usize(0..4)]);
            }
            4 => {
                doc.array("a", |a| {
                    for _ in 0..random.usize(0..3) {
                        a.push(random.i32(-3..3));
                    }
                });
            }
            _ => {
                doc.push("a", random.i32(-3..3));
            }
        }
        let pad = random.usize(0..=pad_max) >> random.u8(0..12);
        doc.push("pad", ["y", "z"][random.usize(0..2)].repeat(pad).as_str());
        doc.finish()
    };
    (0..count).map(document).collect()
}

/// The cursor's id and the documents of a batch.
fn batch(reply: &[u8], name: &str) -> (i64, Vec<Vec<u8>>) {
    let Some(Value::Document(cursor)) = RawDoc::from_validated(reply).get("cursor") else {
        panic!("{:?}", RawDoc::from_validated(reply));
    };
    let (Some(Value::Int64(id)), Some(Value::Array(list))) = (cursor.get("id"), cursor.get(name)) else {
        panic!("{cursor:?}");
    };
    let bytes = |value: Value<'_>| value.as_document().expect("a document").as_bytes().to_vec();
    (id, list.iter().map(bytes).collect())
}

fn get_more(id: i64, size: i32) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    doc.push("getMore", id).push("collection", "c").push("batchSize", size).push("$db", "test");
    doc.finish()
}

/// All batches of a find.
fn all<S: PageStore>(session: &mut Session<S>, find: Vec<u8>, size: i32) -> Vec<Vec<u8>> {
    let (mut id, mut found) = batch(&run(session, find), "firstBatch");
    while id != 0 {
        let (next, more) = batch(&run(session, get_more(id, size)), "nextBatch");
        found.extend(more);
        id = next;
    }
    found
}

fn sorted_find(fields: &[(&str, i32)], fill: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    command("find", "c", |doc| {
        doc.document("sort", |sort| {
            for (name, direction) in fields {
                sort.push(*name, *direction);
            }
        });
        fill(doc);
    })
}

fn temp_count(session: &mut Memory) -> usize {
    session.pump();
    session.host.store.store().temp().count()
}

#[test]
fn sorts_that_spill_answer_as_sorts_that_do_not() {
    let sorts: [&[(&str, i32)]; 5] =
        [&[("a", 1)], &[("a", -1)], &[("b", 1), ("a", -1)], &[("pad", 1)], &[("a", 1), ("_id", -1)]];
    let (mut spilled, mut passes) = (0, 0);
    for seed in 0..24 {
        let mut random = fastrand::Rng::with_seed(seed);
        let residency = [Residency::All, Residency::None, Residency::Random(seed)][random.usize(0..3)];
        let pad_max = [300, 5_000, 200_000][random.usize(0..3)];
        let (count, limit) = (random.i32(1..400), random.usize(200..200_000));
        let mut unbounded = memory(created(), config(usize::MAX, Residency::All));
        insert(&mut unbounded, documents(&mut random, count, pad_max));
        let mut bounded = memory(unbounded.host.store.store().another(), config(limit, residency));
        for _ in 0..6 {
            let size = random.i32(1..200);
            let (skip, keep) = (random.i32(0..20), random.i32(0..300));
            let find = sorted_find(sorts[random.usize(0..5)], |doc| {
                doc.push("batchSize", size);
                if random.bool() {
                    doc.push("skip", skip);
                }
                if random.bool() {
                    doc.push("limit", keep);
                }
            });
            let before = bounded.host.traffic.spills;
            let found = all(&mut bounded, find.clone(), size);
            assert!(found == all(&mut unbounded, find, size), "seed {seed}, limit {limit}");
            assert_eq!(temp_count(&mut bounded), 0, "seed {seed}");
            spilled += u32::from(bounded.host.traffic.spills > before);
            passes += u32::from(bounded.host.traffic.spills > before + 40);
        }
        assert_eq!(unbounded.host.traffic.spills, 0);
    }
    assert!(spilled > 60 && passes > 20, "{spilled} spilled, {passes} in passes");
}

#[test]
fn documents_of_megabytes_are_sorted_within_a_limit_below_them() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut session = memory(created(), config(1_000_000, Residency::None));
    let mut expected = Vec::new();
    for id in 0..12 {
        let (a, length) = (random.i32(0..1000), [6_000_000, 900_000, 10][id as usize % 3]);
        let mut doc = DocBuilder::new();
        doc.push("_id", id).push("a", a).push("text", "t".repeat(length).as_str());
        insert(&mut session, vec![doc.finish()]);
        expected.push((a, id, length));
    }
    expected.sort_unstable();
    let found: Vec<_> = all(&mut session, sorted_find(&[("a", 1)], |_| ()), 3)
        .iter()
        .map(|bytes| {
            let doc = RawDoc::from_validated(bytes);
            match (doc.get("a"), doc.get("_id"), doc.get("text")) {
                (Some(Value::Int32(a)), Some(Value::Int32(id)), Some(Value::String(t))) => {
                    (a, id, t.as_str().len())
                }
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(found, expected);
    assert!(session.host.traffic.spill_bytes_written > 20_000_000);
    assert_eq!(temp_count(&mut session), 0);
}

fn small(session: &mut Session<impl PageStore>) {
    insert(session, documents(&mut fastrand::Rng::with_seed(5), 300, 500));
}

#[test]
fn a_cursor_that_is_killed_leaves_no_chunk() {
    let mut session = memory(created(), config(100_000, Residency::All));
    insert(&mut session, documents(&mut fastrand::Rng::with_seed(5), 300, 60_000));
    let (id, _) = batch(
        &run(
            &mut session,
            sorted_find(&[("a", 1)], |d| {
                d.push("batchSize", 2);
            }),
        ),
        "firstBatch",
    );
    assert!(temp_count(&mut session) > 0);
    run(&mut session, get_more(id, 5));
    assert!(temp_count(&mut session) > 0);
    let kill = command("killCursors", "c", |doc| {
        doc.array("cursors", |list| {
            list.push(id);
        });
    });
    assert_eq!(code(&run(&mut session, kill)), 0);
    assert_eq!(temp_count(&mut session), 0);
    // A batch that is not followed by another ends its cursor at once.
    let single = sorted_find(&[("a", 1)], |doc| {
        doc.push("singleBatch", true).push("batchSize", 2);
    });
    assert_eq!(batch(&run(&mut session, single), "firstBatch").1.len(), 2);
    assert_eq!(temp_count(&mut session), 0);
}

#[test]
fn an_abort_at_any_moment_leaves_no_chunk() {
    let mut session = memory(created(), config(3_000, Residency::Random(3)));
    small(&mut session);
    let mut aborted = 0;
    for moment in (0..).step_by(3) {
        let task = session.submit(sorted_find(&[("a", 1)], |doc| {
            doc.push("batchSize", 1_000);
        }));
        let moved = (0..moment).take_while(|_| session.pump_once()).count();
        session.host.engine.abort(task);
        session.pump();
        let reply = session.take_reply(task).expect("it is answered");
        assert_eq!(temp_count(&mut session), 0, "aborted after {moment}");
        if moved < moment {
            assert_eq!(code(&reply), 0);
            break;
        }
        aborted += u32::from(code(&reply) == 11601);
    }
    assert!(aborted > 20, "{aborted}");
}

#[test]
fn without_allow_disk_use_a_sort_ends_at_its_limit() {
    let mut session = memory(created(), config(3_000, Residency::All));
    small(&mut session);
    for limit in [0, 100] {
        let find = sorted_find(&[("a", 1)], |doc| {
            doc.push("allowDiskUse", false).push("limit", limit);
        });
        assert_eq!(code(&run(&mut session, find)), 292);
    }
    // The first few fit.
    let find = sorted_find(&[("b", 1)], |doc| {
        doc.push("allowDiskUse", false).push("limit", 1);
    });
    assert_eq!(batch(&run(&mut session, find), "firstBatch").1.len(), 1);
    assert_eq!(session.host.traffic.spills, 0);
}

#[test]
fn explain_tells_what_was_spilled() {
    let mut session = memory(created(), config(3_000, Residency::All));
    small(&mut session);
    let mut explain = |find: Vec<u8>| {
        let request = {
            let mut doc = DocBuilder::new();
            doc.push("explain", RawDoc::from_validated(&find));
            doc.push("verbosity", "executionStats").push("$db", "test");
            doc.finish()
        };
        let reply = run(&mut session, request);
        let stats = RawDoc::from_validated(&reply).get("executionStats").and_then(|v| v.as_document());
        let stages = stats.and_then(|v| v.get("executionStages")).and_then(|v| v.as_document());
        let sort = stages.expect("stages");
        assert_eq!(sort.get("stage").and_then(|v| v.as_str()), Some("SORT"));
        assert!(matches!(sort.get("memLimit"), Some(Value::Int32(3_000))));
        match (sort.get("usedDisk"), sort.get("spills"), sort.get("totalDataSizeSorted")) {
            (Some(Value::Bool(used)), Some(Value::Int32(spills)), Some(Value::Int32(bytes))) => {
                (used, spills, bytes)
            }
            other => panic!("{other:?}"),
        }
    };
    let (used, spills, bytes) = explain(sorted_find(&[("a", 1)], |_| ()));
    assert!(used && spills > 5 && bytes > spills * 3_000, "{used} {spills} {bytes}");
    let (used, spills, _) = explain(sorted_find(&[("b", 1)], |doc| {
        doc.push("limit", 1);
    }));
    assert_eq!((used, spills), (false, 0));
    assert_eq!(temp_count(&mut session), 0);
}

fn profile(seed: u64) -> (Simulated, Session<Checker<SimulatedStore>>) {
    let profile = Simulated::new(seed, Faults::default(), Engine::first_metas(&mut SeededHost::new(4)));
    let engine = Engine::open(config(3_000, Residency::Random(seed)), Box::new(SeededHost::new(seed)));
    let mut session = Session::new(engine, Checker::new(profile.open(), Ledger::new()));
    small(&mut session);
    (profile, session)
}

#[test]
fn no_room_and_aborts_fail_the_command_and_nothing_else() {
    let find = || {
        sorted_find(&[("a", 1)], |doc| {
            doc.push("batchSize", 1_000);
        })
    };
    let (mut no_room, mut aborted) = (0, 0);
    for seed in 0..20 {
        let (profile, mut session) = profile(seed);
        let expected = run(&mut session, find());
        let room = profile.data().bytes() + 20_000 + 3_000 * seed as usize;
        for faults in [
            Faults { quota_bytes: Some(room), ..Faults::default() },
            Faults { quota_per_mille: 30, abort_per_mille: 0, ..Faults::default() },
        ] {
            profile.set_faults(faults);
            let reply = run(&mut session, find());
            assert!(code(&reply) == 14031 || reply == expected, "seed {seed}: {}", code(&reply));
            no_room += u32::from(code(&reply) == 14031);
            profile.set_faults(Faults::default());
            assert!(run(&mut session, find()) == expected, "seed {seed}");
            session.pump();
            assert_eq!(session.host.store.store().temp_count(), 0, "seed {seed}");
        }
        profile.set_faults(Faults { late_per_mille: 200, ..Faults::default() });
        let task = session.submit(find());
        while session.host.traffic.spills % 7 != 6 {
            session.pump_once();
        }
        session.host.engine.abort(task);
        profile.set_faults(Faults::default());
        session.pump();
        aborted += u32::from(code(&session.take_reply(task).unwrap()) == 11601);
        assert_eq!(session.host.store.store().temp_count(), 0, "seed {seed}");
    }
    assert!(no_room >= 20 && aborted >= 15, "{no_room} found no room, {aborted} were aborted");
}

#[test]
fn a_lost_connection_ends_the_engine_and_the_data_is_whole() {
    let find = || {
        sorted_find(&[("a", 1)], |doc| {
            doc.push("batchSize", 1_000);
        })
    };
    for seed in 0..10 {
        let (profile, mut session) = profile(seed);
        let expected = run(&mut session, find());
        let task = session.submit(find());
        let spills = session.host.traffic.spills + seed;
        while session.host.traffic.spills <= spills {
            assert!(session.pump_once());
        }
        session.host.store.store().lose_connection();
        session.pump();
        let reply = session.take_reply(task).expect("it is answered");
        assert_eq!(code(&reply), 11600, "seed {seed}");
        assert!(session.host.engine.is_dead());
        let mut again = Session::new(
            Engine::open(config(3_000, Residency::All), Box::new(SeededHost::new(seed))),
            profile.open(),
        );
        assert_eq!(again.host.store.temp_count(), 0);
        assert!(run(&mut again, find()) == expected);
    }
}

#[test]
fn sorts_beside_each_other_and_beside_writes_do_not_mix() {
    for seed in 0..6 {
        let (profile, mut session) = profile(seed);
        let finds: Vec<Vec<u8>> = [("a", 1), ("a", -1), ("b", -1), ("pad", 1)]
            .iter()
            .map(|field| {
                sorted_find(&[*field], |doc| {
                    doc.push("batchSize", 1_000);
                })
            })
            .collect();
        let expected: Vec<_> = finds.iter().map(|find| run(&mut session, find.clone())).collect();
        profile.set_faults(Faults { late_per_mille: 100, ..Faults::default() });
        let tasks: Vec<_> = finds.into_iter().map(|find| session.submit(find)).collect();
        let write = command("insert", "other", |doc| {
            doc.array("documents", |list| {
                list.document(|doc| {
                    doc.push("_id", 1);
                });
            });
        });
        let write = session.submit(write);
        let mut replies = vec![None; tasks.len()];
        while replies.iter().any(Option::is_none) {
            session.pump_once();
            for (reply, task) in replies.iter_mut().zip(&tasks) {
                *reply = reply.take().or_else(|| session.take_reply(*task));
            }
        }
        profile.set_faults(Faults::default());
        session.pump();
        assert_eq!(session.take_reply(write).map(|reply| code(&reply)), Some(0));
        assert!(replies.into_iter().flatten().eq(expected), "seed {seed}");
        assert_eq!(session.host.store.store().temp_count(), 0);
    }
}

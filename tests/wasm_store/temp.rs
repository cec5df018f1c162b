//! Temporary chunks in IndexedDB: where they are kept, and that nothing of them stays.

use super::{Bell, fresh, open, outcome, script};
use pandodb::bson::{DocBuilder, RawDoc, Value};
use pandodb::command::Settings;
use pandodb::engine::{Config, Engine};
use pandodb::host::SeededHost;
use pandodb::host_loop::{HostLoop, Turn};
use pandodb::store::idb::{self, IdbStore, OpenError, OpenOptions};
use pandodb::store::{Outcome, PageStore, Request, StoreError, TempKey, TempRequest};
use wasm_bindgen_test::wasm_bindgen_test;

fn put(key: u64, bytes: &[u8]) -> Request {
    Request::Temp(TempRequest { puts: vec![(TempKey(key), bytes.to_vec())], ..TempRequest::default() })
}

fn get(key: u64) -> Request {
    Request::Temp(TempRequest { gets: vec![TempKey(key)], ..TempRequest::default() })
}

/// The temporary databases of a name.
const TEMPORARY: &str = "const temporary = async () => (await indexedDB.databases()).map((d) => d.name) \
    .filter((n) => n.startsWith(`${name}~temp-`)); \
    const turn = () => new Promise((ok) => setTimeout(ok, 5)); \
    const until = async (count) => { while ((await temporary()).length !== count) await turn(); };";

async fn temporary(name: &str, body: &str) -> Option<String> {
    script(name, &format!("{TEMPORARY} {body}")).await.as_string()
}

#[wasm_bindgen_test]
async fn chunks_are_in_a_locked_database_that_goes_with_the_store() {
    let (name, bell) = (fresh("temp life").await, Bell::default());
    let mut store = open(&name, &bell).await;
    assert_eq!(
        outcome(&mut store, &bell, Request::Temp(TempRequest::default())).await,
        Outcome::Temp(vec![])
    );
    temporary(&name, "await until(0)").await;
    assert_eq!(outcome(&mut store, &bell, put(1, &[7; 1000])).await, Outcome::Temp(vec![]));
    let found = temporary(
        &name,
        "const [own, ...more] = await temporary(); const locks = (await navigator.locks.query()).held; \
         const db = await ask(indexedDB.open(own)); \
         const [value] = await ask(db.transaction('chunks').objectStore('chunks').getAll()); \
         db.close(); const form = /~temp-\\d{13}-[0-9a-f]{12}$/.test(own); \
         return [form, more.length, locks.some((l) => l.name === own), value.buffer.byteLength].join()",
    )
    .await;
    assert_eq!(found.as_deref(), Some("true,0,true,1000"));
    drop(store);
    let after = temporary(
        &name,
        "await until(0); \
         while ((await navigator.locks.query()).held.some((l) => l.name.startsWith(`${name}~temp-`))) await turn(); \
         return 'gone'",
    )
    .await;
    assert_eq!(after.as_deref(), Some("gone"));
}

#[wasm_bindgen_test]
async fn what_dead_contexts_left_is_deleted_at_the_next_open_and_nothing_else() {
    let (name, bell) = (fresh("temp left").await, Bell::default());
    // One of a context that is gone, one whose context lives, and databases of others with names that are close.
    temporary(
        &name,
        "globalThis.names = ['1700000000000-0123456789ab', '1700000000001-0123456789ab', 'app', \
           '1700000000000-0123456789abc', '1700000000000-0123456789ab~temp-1'].map((n) => `${name}~temp-${n}`); \
         for (const n of names) (await ask(indexedDB.open(n, 1))).close(); \
         await new Promise((held) => navigator.locks.request(names[1], () => \
           new Promise((ok) => { globalThis.endLock = ok; held(); })));",
    )
    .await;
    drop(open(&name, &bell).await);
    let left =
        temporary(&name, "await until(4); return (await temporary()).includes(names[0]) ? 'wrong' : 'right'");
    assert_eq!(left.await.as_deref(), Some("right"));
    temporary(&name, "endLock(); while ((await navigator.locks.query()).held.some((l) => l.name === names[1])) await turn();")
        .await;
    drop(open(&name, &bell).await);
    let left =
        temporary(&name, "await until(3); return (await temporary()).includes(names[1]) ? 'wrong' : 'right'");
    assert_eq!(left.await.as_deref(), Some("right"));
    temporary(&name, "for (const n of names) await ask(indexedDB.deleteDatabase(n))").await;
}

#[wasm_bindgen_test]
async fn requests_that_come_while_the_database_is_made_wait_in_order() {
    let (name, bell) = (fresh("temp order").await, Bell::default());
    let mut store = open(&name, &bell).await;
    let (first, second, third) = (store.begin(put(1, b"one")), store.begin(get(1)), store.begin(get(2)));
    let mut events = Vec::new();
    while events.len() < 3 {
        match store.take_event() {
            Some(event) => events.push(event),
            None => bell.ring().await,
        }
    }
    events.sort_by_key(|(id, _)| *id);
    assert_eq!(events[..2], [(first, Outcome::Temp(vec![])), (second, Outcome::Temp(vec![b"one".to_vec()]))]);
    assert!(
        matches!(&events[2], (id, Outcome::Failed(StoreError::Aborted(_))) if *id == third),
        "{events:?}"
    );
}

#[wasm_bindgen_test]
async fn a_full_disk_is_a_quota_error_and_the_chunks_before_it_stay() {
    let (name, bell) = (fresh("temp quota").await, Bell::default());
    let mut store = open(&name, &bell).await;
    outcome(&mut store, &bell, put(1, b"one")).await;
    script(
        &name,
        "const was = IDBObjectStore.prototype.put; \
         IDBObjectStore.prototype.put = function (...a) { const r = was.apply(this, a); const t = this.transaction; \
           r.addEventListener('success', (e) => { e.stopImmediatePropagation(); \
             Object.defineProperty(t, 'error', { value: new DOMException('full', 'QuotaExceededError') }); t.abort(); }); \
           return r; }; \
         globalThis.restore = () => { IDBObjectStore.prototype.put = was; }",
    )
    .await;
    let failed = outcome(&mut store, &bell, put(2, b"two")).await;
    script(&name, "restore()").await;
    assert_eq!(failed, Outcome::Failed(StoreError::Quota("QuotaExceededError: full".into())));
    assert_eq!(outcome(&mut store, &bell, get(1)).await, Outcome::Temp(vec![b"one".to_vec()]));
    assert!(store.lost().is_none());
}

#[wasm_bindgen_test]
async fn a_temporary_database_deleted_from_outside_is_made_anew() {
    let (name, bell) = (fresh("temp deleted").await, Bell::default());
    let mut store = open(&name, &bell).await;
    outcome(&mut store, &bell, put(1, b"one")).await;
    temporary(&name, "for (const n of await temporary()) await ask(indexedDB.deleteDatabase(n))").await;
    let failed = outcome(&mut store, &bell, get(1)).await;
    assert!(matches!(failed, Outcome::Failed(StoreError::Aborted(_))), "{failed:?}");
    assert_eq!(outcome(&mut store, &bell, put(2, b"two")).await, Outcome::Temp(vec![]));
    assert_eq!(outcome(&mut store, &bell, get(2)).await, Outcome::Temp(vec![b"two".to_vec()]));
    assert!(store.lost().is_none());
}

#[wasm_bindgen_test]
async fn no_main_database_has_the_name_of_a_temporary_one() {
    let name = "app~temp-1700000000000-0123456789ab".to_string();
    let options =
        OpenOptions { name: name.clone(), open_timeout_ms: super::OPEN_TIMEOUT_MS, first_metas: vec![] };
    assert_eq!(idb::open(options, Box::new(|| ())).await.err(), Some(OpenError::Foreign(name)));
}

async fn reply(
    host: &mut HostLoop<IdbStore>,
    bell: &Bell,
    name: &str,
    fill: impl FnOnce(&mut DocBuilder),
) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    doc.push(name, "c");
    fill(&mut doc);
    doc.push("$db", "test");
    let asked = host.engine.submit(doc.finish());
    loop {
        match host.turn(Some(asked)) {
            Turn::Reply { task, bytes } if task == asked => return bytes,
            Turn::Reply { .. } => {}
            Turn::Yield => host.engine.resume(),
            Turn::Idle => bell.ring().await,
        }
    }
}

#[wasm_bindgen_test]
async fn a_sort_over_its_limit_goes_through_the_temporary_database_and_leaves_it_empty() {
    let (name, bell) = (fresh("temp sort").await, Bell::default());
    let options = OpenOptions {
        name: name.clone(),
        open_timeout_ms: super::OPEN_TIMEOUT_MS,
        first_metas: Engine::first_metas(&mut SeededHost::new(1)),
    };
    let store = idb::open(options, bell.notify()).await.unwrap();
    let settings = Settings { sort_bytes_max: 200_000, ..Settings::default() };
    let config = Config { settings, ..Config::default() };
    let mut host = HostLoop::new(Engine::open(config, Box::new(SeededHost::new(2))), store);
    let inserted = reply(&mut host, &bell, "insert", |doc| {
        doc.array("documents", |list| {
            for id in 0..500 {
                list.document(|doc| {
                    doc.push("_id", id).push("a", (id * 137) % 500).push("pad", "x".repeat(2_000).as_str());
                });
            }
        });
    })
    .await;
    assert!(matches!(RawDoc::from_validated(&inserted).get("n"), Some(Value::Int32(500))));
    let found = reply(&mut host, &bell, "find", |doc| {
        doc.document("sort", |sort| {
            sort.push("a", 1);
        });
        doc.push("batchSize", 1_000);
    })
    .await;
    let cursor =
        RawDoc::from_validated(&found).get("cursor").and_then(|cursor| cursor.as_document()).unwrap();
    let Some(Value::Array(batch)) = cursor.get("firstBatch") else { panic!("{cursor:?}") };
    let values: Vec<i32> = batch
        .iter()
        .map(|value| match value.as_document().and_then(|doc| doc.get("a")) {
            Some(Value::Int32(a)) => a,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(values, (0..500).collect::<Vec<i32>>());
    assert!(host.traffic.spill_bytes_written > 800_000, "{:?}", host.traffic);
    // What is left to be deleted is deleted now.
    loop {
        match host.turn(None) {
            Turn::Idle if host.engine.is_idle() => break,
            Turn::Idle => bell.ring().await,
            Turn::Yield => host.engine.resume(),
            Turn::Reply { .. } => {}
        }
    }
    let left = temporary(
        &name,
        "const db = await ask(indexedDB.open((await temporary())[0])); \
         const count = await ask(db.transaction('chunks').objectStore('chunks').count()); db.close(); return `${count}`",
    )
    .await;
    assert_eq!(left.as_deref(), Some("0"));
    drop(host);
    temporary(&name, "await until(0)").await;
}

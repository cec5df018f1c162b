//! The IndexedDB store in a real browser: the contract's cases, and what only IndexedDB can get wrong.
#![cfg(target_arch = "wasm32")]

#[path = "wasm_store/temp.rs"]
mod temp;

use js_sys::{Function, Promise, Uint8Array};
use pandodb::store::checker::{Checker, Ledger};
use pandodb::store::contract::{Case, Collected, Step, cases, commit, first_metas, read, reply};
use pandodb::store::idb::{self, IdbStore, OpenError, OpenOptions};
use pandodb::store::{
    CommitNumber, CommitRequest, Durability, MetaKey, Outcome, PageId, PageStore, ReadReply, Request,
    RequestId, StoreError,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Far above what an open takes, for a busy machine.
const OPEN_TIMEOUT_MS: u32 = 20_000;

/// Resolves a promise at each event of the stores that share it.
#[derive(Clone, Default)]
struct Bell {
    rung: Rc<Cell<bool>>,
    waiting: Rc<RefCell<Option<Function>>>,
}

impl Bell {
    fn notify(&self) -> Box<dyn Fn()> {
        let bell = self.clone();
        Box::new(move || {
            bell.rung.set(true);
            if let Some(resolve) = bell.waiting.borrow_mut().take() {
                resolve.call0(&JsValue::UNDEFINED).unwrap();
            }
        })
    }

    async fn ring(&self) {
        if !self.rung.replace(false) {
            let promise = Promise::new(&mut |resolve, _| *self.waiting.borrow_mut() = Some(resolve));
            JsFuture::from(promise).await.unwrap();
            self.rung.set(false);
        }
    }
}

/// Runs a body of JavaScript with an argument, as an async function.
async fn script(argument: &str, body: &str) -> JsValue {
    let text = format!("return (async () => {{ {ASK} {body} }})()");
    let promise =
        Function::new_with_args("name", &text).call1(&JsValue::UNDEFINED, &argument.into()).unwrap();
    JsFuture::from(promise.unchecked_into::<Promise>()).await.unwrap()
}

/// For [`script`]: `open(version)` opens, and `ask(request)` waits for a request.
const ASK: &str = "const ask = (r) => new Promise((ok, no) => { r.onsuccess = () => ok(r.result); \
    r.onerror = () => no(r.error); }); const open = (version) => ask(indexedDB.open(name, version));";

/// A name that no other test has; whatever an earlier run left under it is deleted.
async fn fresh(name: &str) -> String {
    let name = format!("test: {name}");
    idb::delete(name.clone(), OPEN_TIMEOUT_MS).await.unwrap();
    name
}

async fn open(name: &str, bell: &Bell) -> IdbStore {
    let options =
        OpenOptions { name: name.into(), open_timeout_ms: OPEN_TIMEOUT_MS, first_metas: first_metas() };
    idb::open(options, bell.notify()).await.unwrap()
}

async fn open_all(name: &str, handles: usize, bell: &Bell, ledger: &Ledger) -> Vec<Checker<IdbStore>> {
    let mut opened = Vec::new();
    for _ in 0..handles {
        opened.push(Checker::new(open(name, bell).await, ledger.clone()));
    }
    opened
}

async fn outcomes<S: PageStore>(
    handles: &mut [S],
    bell: &Bell,
    requests: &[(usize, Request)],
) -> Vec<Outcome> {
    let mut collected = Collected::begin(handles, requests);
    while !collected.poll(handles) {
        bell.ring().await;
    }
    collected.outcomes()
}

async fn outcome(store: &mut IdbStore, bell: &Bell, request: Request) -> Outcome {
    outcomes(std::slice::from_mut(store), bell, &[(0, request)]).await.remove(0)
}

async fn run(case: &Case) {
    let (name, bell, ledger) = (fresh(case.name).await, Bell::default(), Ledger::created(&first_metas()));
    let mut handles = open_all(&name, case.handles, &bell, &ledger).await;
    for step in &case.steps {
        match step {
            Step::Requests { requests, check } => check(&outcomes(&mut handles, &bell, requests).await),
            Step::Reopen => {
                handles.drain(..).for_each(Checker::finish);
                handles = open_all(&name, case.handles, &bell, &ledger).await;
            }
        }
    }
    handles.into_iter().for_each(Checker::finish);
}

fn put(expected: u64, bytes: &[u8]) -> Request {
    Request::Commit(CommitRequest { puts: vec![(PageId(1), bytes.to_vec())], ..commit(expected, b"record") })
}

#[wasm_bindgen_test]
async fn the_contract() {
    for case in cases() {
        console_log!("{}", case.name);
        run(&case).await;
    }
}

#[wasm_bindgen_test]
async fn two_contexts_race_for_a_hundred_commits_each() {
    let (name, bell) = (fresh("race").await, Bell::default());
    let mut handles = open_all(&name, 2, &bell, &Ledger::created(&first_metas())).await;
    let (mut next, mut landed) = ([1, 1], [0, 0]);
    let mut waiting: [Option<RequestId>; 2] = [None, None];
    while landed != [100, 100] {
        let mut quiet = true;
        for i in 0..2 {
            if waiting[i].is_none() && landed[i] < 100 {
                waiting[i] = Some(handles[i].begin(put(next[i], &[i as u8])));
            }
            while let Some((id, outcome)) = handles[i].take_event() {
                assert_eq!(Some(id), waiting[i].take());
                quiet = false;
                match outcome {
                    Outcome::Landed(number) => (landed[i], next[i]) = (landed[i] + 1, number.0 + 1),
                    Outcome::Conflict { found } => next[i] = found.0,
                    other => panic!("{other:?}"),
                }
            }
        }
        if quiet {
            bell.ring().await;
        }
    }
    let found = outcomes(&mut handles, &bell, &[(0, Request::Read(read(&[])))]).await;
    let numbers: Vec<u64> = reply(&found[0]).records.iter().map(|(number, _)| number.0).collect();
    assert_eq!(numbers, (1..=200).collect::<Vec<u64>>());
}

#[wasm_bindgen_test]
async fn stored_values_are_exactly_their_bytes() {
    let (name, bell) = (fresh("bytes").await, Bell::default());
    let mut store = open(&name, &bell).await;
    let landed = outcome(&mut store, &bell, put(1, &[7; 1000])).await;
    assert_eq!(landed, Outcome::Landed(CommitNumber(1)));
    let lengths = script(
        &name,
        "const db = await open(); const t = db.transaction(['pages', 'commits', 'meta']); \
         const page = await ask(t.objectStore('pages').get(1)), record = await ask(t.objectStore('commits').get(1)); \
         const meta = await ask(t.objectStore('meta').get(0)); db.close(); \
         return [page, record, meta].map((v) => [v.constructor.name, v.length, v.buffer.byteLength].join()).join(' ')",
    )
    .await;
    assert_eq!(lengths.as_string().unwrap(), "Uint8Array,1000,1000 Uint8Array,6,6 Uint8Array,6,6");
}

#[wasm_bindgen_test]
async fn the_layout_is_the_documented_one() {
    let (name, bell) = (fresh("layout").await, Bell::default());
    drop(open(&name, &bell).await);
    let layout = script(
        &name,
        "const db = await open(); const names = [...db.objectStoreNames]; const t = db.transaction(names); \
         const stores = names.map((n) => t.objectStore(n)) \
           .map((s) => `${s.name} ${s.keyPath} ${s.autoIncrement} ${s.indexNames.length}`); \
         const text = `${db.version}: ${stores.join(', ')}`; db.close(); return text",
    )
    .await;
    assert_eq!(layout.as_string().unwrap(), "1: commits null true 0, meta null false 0, pages null false 0");
}

#[wasm_bindgen_test]
async fn durability_is_asked_for_by_name() {
    let (name, bell) = (fresh("durability").await, Bell::default());
    let mut store = open(&name, &bell).await;
    script(
        &name,
        "const was = IDBDatabase.prototype.transaction; globalThis.asked = []; \
         IDBDatabase.prototype.transaction = function (...a) { const t = was.apply(this, a); \
         globalThis.asked.push([a[0].join('+'), t.mode, t.durability].join(' ')); return t; }; \
         globalThis.restore = () => { IDBDatabase.prototype.transaction = was; }",
    )
    .await;
    outcome(&mut store, &bell, put(1, b"x")).await;
    let strict = CommitRequest { durability: Durability::Strict, ..commit(2, b"strict") };
    outcome(&mut store, &bell, Request::Commit(strict)).await;
    outcome(&mut store, &bell, Request::Read(read(&[1]))).await;
    let asked = script(&name, "restore(); return asked.join(', ')").await.as_string().unwrap();
    assert_eq!(
        asked,
        "commits+pages readwrite relaxed, commits readwrite strict, meta+commits+pages readonly relaxed"
    );
}

#[wasm_bindgen_test]
async fn a_full_disk_is_a_quota_error_and_changes_nothing() {
    let (name, bell) = (fresh("quota").await, Bell::default());
    let mut store = open(&name, &bell).await;
    // A put that fails as it does on a full disk: asynchronously, after the record was added.
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
    let failed = outcome(&mut store, &bell, put(1, b"x")).await;
    script(&name, "restore()").await;
    assert_eq!(failed, Outcome::Failed(StoreError::Quota("QuotaExceededError: full".into())));
    let found = outcome(&mut store, &bell, Request::Read(read(&[1]))).await;
    let nothing = ReadReply { metas: first_metas(), records: vec![], pages: vec![(PageId(1), None)] };
    assert_eq!(reply(&found), &nothing);
    assert_eq!(outcome(&mut store, &bell, put(1, b"x")).await, Outcome::Landed(CommitNumber(1)));
}

#[wasm_bindgen_test]
async fn a_put_that_throws_aborts_the_commit() {
    let (name, bell) = (fresh("throw").await, Bell::default());
    let mut store = open(&name, &bell).await;
    script(
        &name,
        "const was = IDBObjectStore.prototype.put; \
         IDBObjectStore.prototype.put = () => { throw new DOMException('no', 'DataCloneError') }; \
         globalThis.restore = () => { IDBObjectStore.prototype.put = was; }",
    )
    .await;
    let failed = outcome(&mut store, &bell, put(1, b"x")).await;
    script(&name, "restore()").await;
    assert_eq!(failed, Outcome::Failed(StoreError::Aborted("DataCloneError: no".into())));
    assert_eq!(outcome(&mut store, &bell, put(1, b"x")).await, Outcome::Landed(CommitNumber(1)));
}

#[wasm_bindgen_test]
async fn a_foreign_value_is_an_error_that_names_it() {
    let (name, bell) = (fresh("foreign value").await, Bell::default());
    let mut store = open(&name, &bell).await;
    script(
        &name,
        "const db = await open(); await ask(db.transaction('pages', 'readwrite').objectStore('pages').put('text', 5)); \
         db.close()",
    )
    .await;
    let found = outcome(&mut store, &bell, Request::Read(read(&[5]))).await;
    assert_eq!(found, Outcome::Failed(StoreError::Aborted("the value of pages 5 is not bytes".into())));
}

#[wasm_bindgen_test]
async fn deletion_from_outside_goes_on_and_the_connection_is_lost() {
    let (name, bell) = (fresh("deleted").await, Bell::default());
    let mut store = open(&name, &bell).await;
    // The deletion waits for this commit, which therefore lands.
    let id = store.begin(put(1, b"x"));
    idb::delete(name.clone(), OPEN_TIMEOUT_MS).await.unwrap();
    assert_eq!(store.take_event(), Some((id, Outcome::Landed(CommitNumber(1)))));
    assert!(store.lost().is_some());
    let id = store.begin(put(2, b"y"));
    let Some((answered, Outcome::Failed(StoreError::ConnectionLost(_)))) = store.take_event() else {
        panic!("a lost connection takes no commit");
    };
    assert_eq!(answered, id);
    // A new connection finds a database created anew.
    let mut store = open(&name, &bell).await;
    assert_eq!(reply(&outcome(&mut store, &bell, Request::Read(read(&[]))).await).metas, first_metas());
}

#[wasm_bindgen_test]
async fn a_closed_connection_is_connection_lost() {
    let (name, bell) = (fresh("closed").await, Bell::default());
    let mut store = open(&name, &bell).await;
    // Closing leaves what was begun alone, and refuses the next transaction with InvalidStateError.
    script(
        &name,
        "const was = IDBDatabase.prototype.transaction; \
         IDBDatabase.prototype.transaction = function (...a) { this.close(); return was.apply(this, a); }; \
         globalThis.restore = () => { IDBDatabase.prototype.transaction = was; }",
    )
    .await;
    let failed = outcome(&mut store, &bell, put(1, b"x")).await;
    script(&name, "restore()").await;
    assert!(matches!(failed, Outcome::Failed(StoreError::ConnectionLost(_))), "{failed:?}");
}

#[wasm_bindgen_test]
async fn a_store_dropped_with_a_commit_under_way_leaves_it_to_the_browser() {
    let (name, bell) = (fresh("dropped").await, Bell::default());
    let mut store = open(&name, &bell).await;
    store.begin(put(1, b"x"));
    drop(store);
    let mut store = open(&name, &bell).await;
    let found = outcome(&mut store, &bell, Request::Read(read(&[1]))).await;
    assert_eq!(reply(&found).pages, [(PageId(1), Some(b"x".to_vec()))]);
}

#[wasm_bindgen_test]
async fn a_newer_database_is_refused_and_left_as_it_is() {
    let (name, bell) = (fresh("newer").await, Bell::default());
    drop(open(&name, &bell).await);
    script(&name, "(await open(2)).close()").await;
    let options =
        OpenOptions { name: name.clone(), open_timeout_ms: OPEN_TIMEOUT_MS, first_metas: first_metas() };
    let refused = idb::open(options, Box::new(|| ())).await.err();
    assert!(matches!(refused, Some(OpenError::Newer(_))), "{refused:?}");
    let version = script(&name, "const db = await open(); const v = db.version; db.close(); return v").await;
    assert_eq!(version.as_f64(), Some(2.0));
}

#[wasm_bindgen_test]
async fn the_database_of_another_program_is_refused() {
    let name = fresh("foreign").await;
    script(&name, "(await open(1)).close()").await;
    let options =
        OpenOptions { name: name.clone(), open_timeout_ms: OPEN_TIMEOUT_MS, first_metas: first_metas() };
    let refused = idb::open(options, Box::new(|| ())).await.err();
    assert_eq!(refused, Some(OpenError::Foreign(name)));
}

#[wasm_bindgen_test]
async fn an_open_that_waits_for_ever_is_given_up() {
    let name = fresh("blocked").await;
    // A connection that does not give way, and a deletion that waits for it: an open waits behind the deletion.
    script(&name, "globalThis.held = await open(1); globalThis.deletion = indexedDB.deleteDatabase(name)")
        .await;
    let options = OpenOptions { name: name.clone(), open_timeout_ms: 100, first_metas: first_metas() };
    let refused = idb::open(options, Box::new(|| ())).await.err();
    assert!(matches!(refused, Some(OpenError::Store(StoreError::Unavailable(_)))), "{refused:?}");
    let refused = idb::delete(name.clone(), 100).await.err();
    assert!(matches!(refused, Some(OpenError::Store(StoreError::Unavailable(_)))), "{refused:?}");
    // The late connection was closed: a deletion that waits for all connections ends.
    script(&name, "held.close()").await;
    idb::delete(name, OPEN_TIMEOUT_MS).await.unwrap();
}

#[wasm_bindgen_test]
async fn first_metas_of_every_length_are_kept() {
    let (name, bell) = (fresh("metas").await, Bell::default());
    let metas =
        vec![(MetaKey::META, vec![1; 5000]), (MetaKey::IMAGE_TAG, vec![]), (MetaKey::META_COPY, vec![2])];
    let options =
        OpenOptions { name: name.clone(), open_timeout_ms: OPEN_TIMEOUT_MS, first_metas: metas.clone() };
    drop(idb::open(options, Box::new(|| ())).await.unwrap());
    let mut store = open(&name, &bell).await;
    assert_eq!(reply(&outcome(&mut store, &bell, Request::Read(read(&[]))).await).metas, metas);
}

#[wasm_bindgen_test]
fn a_copy_has_a_buffer_of_its_own() {
    let bytes = vec![1u8; 100];
    assert_eq!(Uint8Array::from(&bytes[..]).buffer().byte_length(), 100);
}

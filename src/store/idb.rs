//! The store in IndexedDB.
//!
//! Object stores (see `docs/architecture.md`): `pages`, id → bytes; `commits`, `autoIncrement`, so that its key generator
//! numbers the commits; `meta`, [`MetaKey`] → bytes. The IndexedDB version is 1 for ever.
//!
//! 1. A transaction spans the object stores it needs and no other, so that loads of pages go beside commits of records.
//! 2. A read puts all its requests in one turn and then calls `commit()`; its bytes are copied out at `complete`.
//! 3. A commit is `add(record)`; in that request's own `success` callback the number is compared with the expected
//!    one, and only then the rest is requested; `commit()` comes after the success of the last request. Requests are
//!    executed in order, and a failed one aborts the transaction unless `commit()` was called before (where
//!    Firefox would go on without it), so the last success is everybody's.
//! 4. A transaction, its requests and its callbacks are kept until `complete` or `abort`.
//! 5. Every value handed over is a copy of exactly its bytes in a buffer of its own; a view of the module's memory would
//!    store all of it.
//! 6. An event is queued, then `notify` is called, never from inside `begin`: what is answered at once is there when
//!    `begin` returns.
//! 7. When somebody deletes the database or wants another version of it, the connection closes and gives way.
//! 8. Nobody in the browser catches what a callback throws, and a trap is thrown. Where [`IdbStore::guard`] was given a
//!    function, every callback of a transaction is handed over as what that function makes of it.
//!
//! Opening, creating and deleting are in [`open`], on `indexed_db_futures`. Transactions are on raw `web-sys`
//! objects and callbacks: that crate's futures resume in a microtask of their own, its `Transaction` aborts when dropped,
//! and the fence must act inside the `success` callback; loads use the same few lines so that there is one life of a
//! transaction, with one event and no future per page.
//!
//! Temporary chunks are in a database of their own: [`temp`].
//!
//! Deliberately absent: reconnecting (the engine starts again from the store), and `freeze` handlers.

mod connection;
mod open;
mod temp;
mod thrown;

pub(crate) use open::within;
pub use open::{OpenError, OpenOptions, delete, open};

use super::{
    CommitNumber, CommitRequest, Durability, Fence, MetaKey, Outcome, PageId, PageStore, ReadReply,
    ReadRequest, Request, RequestId, StoreError, TempKey,
};
use crate::sorted::SortedMap;
use connection::{Connection, Transaction};
use js_sys::{Array, Function, Uint8Array};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use thrown::Thrown;
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbKeyRange, IdbObjectStore, IdbRequest};

const PAGES: &str = "pages";
const COMMITS: &str = "commits";
const META: &str = "meta";

type Callback = Closure<dyn FnMut()>;

/// A transaction under way, and all that must live as long as it does.
struct Pending {
    transaction: Transaction,
    kind: Kind,
    callbacks: Vec<Callback>,
}

enum Kind {
    Read(Reading),
    Commit {
        expected: CommitNumber,
        /// The number that the fence found instead.
        conflict: Option<CommitNumber>,
        /// Why we ourselves aborted it.
        refused: Option<StoreError>,
    },
    /// The gets of temporary chunks.
    Temp(Vec<(TempKey, IdbRequest)>),
}

/// The requests of a read.
#[derive(Default)]
struct Reading {
    /// Keys and values.
    metas: Option<(IdbRequest, IdbRequest)>,
    records: Option<(IdbRequest, IdbRequest)>,
    pages: Vec<(PageId, IdbRequest)>,
}

struct State {
    last_request: u64,
    pending: SortedMap<RequestId, Pending>,
    events: VecDeque<(RequestId, Outcome)>,
    lost: Option<String>,
    /// What the browser threw or reported last.
    thrown: Option<JsValue>,
    /// Whether the store was dropped: nobody is to be notified any more.
    dropped: bool,
}

struct Shared {
    database: Connection,
    state: RefCell<State>,
    notify: Box<dyn Fn()>,
    guard: RefCell<Option<Function>>,
}

/// A connection to a database (see the module's text).
pub struct IdbStore {
    shared: Rc<Shared>,
    temp: temp::Temp,
    /// Of `onclose` and `onversionchange`.
    callbacks: [Callback; 2],
}

impl IdbStore {
    fn new(database: IdbDatabase, notify: Box<dyn Fn()>) -> IdbStore {
        let state = State {
            last_request: 0,
            pending: SortedMap::new(),
            events: VecDeque::new(),
            lost: None,
            thrown: None,
            dropped: false,
        };
        let temp = temp::Temp::of(&database.name());
        let shared = Rc::new(Shared {
            database: database.unchecked_into(),
            state: RefCell::new(state),
            notify,
            guard: RefCell::new(None),
        });
        let closed = on(&shared, |shared| shared.lose("the browser closed the connection"));
        let changed = on(&shared, |shared| {
            // Pending transactions still end, and are reported as they end; new ones are refused.
            shared.database.close();
            shared.state.borrow_mut().lost = Some("the database was deleted or changed from outside".into());
            (shared.notify)();
        });
        shared.database.set_onclose(Some(&shared.function(&closed)));
        shared.database.set_onversionchange(Some(&shared.function(&changed)));
        IdbStore { shared, temp, callbacks: [closed, changed] }
    }

    /// Why the connection is gone, where it is. All requests are answered with `ConnectionLost` then.
    pub fn lost(&self) -> Option<String> {
        self.shared.state.borrow().lost.clone()
    }

    /// The browser's own error behind the events since the last call, where it gave one.
    pub fn take_thrown(&self) -> Option<JsValue> {
        self.shared.state.borrow_mut().thrown.take()
    }

    /// From now on callbacks are given to the browser as what `guard` makes of them: a function of a function, whose result
    /// calls that and tells of what it throws.
    pub fn guard(&self, guard: &Function) {
        *self.shared.guard.borrow_mut() = Some(guard.clone());
        let [closed, changed] = &self.callbacks;
        self.shared.database.set_onclose(Some(&self.shared.function(closed)));
        self.shared.database.set_onversionchange(Some(&self.shared.function(changed)));
    }

    /// The `IDBDatabase`, for who must close it when this module cannot any more.
    pub fn connection(&self) -> JsValue {
        JsValue::from(&self.shared.database)
    }
}

/// Transactions under way end in the browser, unheard.
impl Drop for IdbStore {
    fn drop(&mut self) {
        self.shared.database.set_onclose(None);
        self.shared.database.set_onversionchange(None);
        self.shared.database.close();
        self.shared.state.borrow_mut().dropped = true;
    }
}

impl PageStore for IdbStore {
    fn begin(&mut self, request: Request) -> RequestId {
        let id = {
            let mut state = self.shared.state.borrow_mut();
            state.last_request += 1;
            RequestId(state.last_request)
        };
        let lost = self.lost().map(StoreError::ConnectionLost);
        let begun = match (lost, request) {
            (Some(error), _) => Err(error),
            (None, Request::Read(read)) => begin_read(&self.shared, id, &read),
            (None, Request::Commit(commit)) => begin_commit(&self.shared, id, commit),
            (None, Request::Temp(request)) => {
                self.temp.begin(&self.shared, id, request);
                return id;
            }
        };
        match begun {
            Ok(Some(pending)) => self.shared.put_pending(id, pending),
            Ok(None) => self.shared.put_event(id, Outcome::Read(ReadReply::default())),
            Err(error) => self.shared.put_event(id, Outcome::Failed(error)),
        }
        id
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        self.shared.state.borrow_mut().events.pop_front()
    }
}

impl Shared {
    fn transaction(
        &self,
        stores: &[&str],
        mode: &str,
        durability: Durability,
    ) -> Result<Transaction, StoreError> {
        self.database.begin(stores, mode, durability).map_err(|thrown| {
            let error = Thrown::of(&thrown).into_store_error();
            self.state.borrow_mut().thrown = Some(thrown);
            error
        })
    }

    /// A callback as the browser is to have it.
    fn function(&self, callback: &Callback) -> Function {
        let plain: &Function = callback.as_ref().unchecked_ref();
        let guarded =
            self.guard.borrow().as_ref().and_then(|guard| guard.call1(&JsValue::UNDEFINED, plain).ok());
        guarded.and_then(|guarded| guarded.dyn_into().ok()).unwrap_or_else(|| plain.clone())
    }

    fn put_event(&self, id: RequestId, outcome: Outcome) {
        self.state.borrow_mut().events.push_back((id, outcome));
    }

    fn put_pending(&self, id: RequestId, pending: Pending) {
        self.state.borrow_mut().pending.insert(id, pending);
    }

    fn notify(&self) {
        let dropped = self.state.borrow().dropped;
        if !dropped {
            (self.notify)();
        }
    }

    fn finish(&self, id: RequestId, outcome: impl FnOnce(Pending) -> Outcome) {
        let Some(pending) = self.state.borrow_mut().pending.remove(&id) else { return };
        let thrown = pending.transaction.error();
        let outcome = outcome(pending);
        {
            let mut state = self.state.borrow_mut();
            state.thrown = thrown.map(JsValue::from).or(state.thrown.take());
        }
        self.put_event(id, outcome);
        self.notify();
    }

    fn lose(&self, text: &str) {
        {
            let mut state = self.state.borrow_mut();
            let state = &mut *state;
            state.lost = Some(text.into());
            while let Some((id, pending)) = state.pending.pop_first() {
                // Its callbacks go with it: one that waits for them must not land in part. It mostly has ended already.
                pending.transaction.set_oncomplete(None);
                pending.transaction.set_onabort(None);
                let _ = pending.transaction.abort();
                let error = StoreError::ConnectionLost(text.into());
                state.events.push_back((id, Outcome::Failed(error)));
            }
        }
        (self.notify)();
    }
}

/// A callback that acts on the store while there is one.
fn on(shared: &Rc<Shared>, act: impl Fn(&Rc<Shared>) + 'static) -> Callback {
    let shared: Weak<Shared> = Rc::downgrade(shared);
    Closure::new(move || {
        if let Some(shared) = shared.upgrade() {
            act(&shared);
        }
    })
}

/// A callback that keeps the store alive: for transactions, which end by themselves and are forgotten then.
fn keeping(shared: &Rc<Shared>, act: impl Fn(&Rc<Shared>) + 'static) -> Callback {
    let shared = Rc::clone(shared);
    Closure::new(move || act(&shared))
}

fn aborted(thrown: JsValue) -> StoreError {
    StoreError::Aborted(Thrown::of(&thrown).text)
}

/// A copy in a buffer of its own.
fn value(bytes: &[u8]) -> Uint8Array {
    Uint8Array::from(bytes)
}

fn page_key(id: PageId) -> JsValue {
    JsValue::from_f64(id.0 as f64)
}

fn listen(shared: &Rc<Shared>, id: RequestId, transaction: &Transaction) -> Vec<Callback> {
    let complete = keeping(shared, move |shared| shared.finish(id, completed));
    let abort = keeping(shared, move |shared| shared.finish(id, failed));
    transaction.set_oncomplete(Some(&shared.function(&complete)));
    transaction.set_onabort(Some(&shared.function(&abort)));
    vec![complete, abort]
}

fn begin_read(shared: &Rc<Shared>, id: RequestId, read: &ReadRequest) -> Result<Option<Pending>, StoreError> {
    let wanted =
        [(META, read.metas), (COMMITS, read.records_after.is_some()), (PAGES, !read.pages.is_empty())];
    let stores: Vec<&str> = wanted.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect();
    if stores.is_empty() {
        return Ok(None);
    }
    let transaction = shared.transaction(&stores, "readonly", Durability::Relaxed)?;
    let reading = request_reads(&transaction, read).map_err(aborted)?;
    // Only hastens the end: a transaction without new requests completes by itself.
    let _ = transaction.commit();
    let callbacks = listen(shared, id, &transaction);
    Ok(Some(Pending { transaction, kind: Kind::Read(reading), callbacks }))
}

fn request_reads(transaction: &Transaction, read: &ReadRequest) -> Result<Reading, JsValue> {
    let mut reading = Reading::default();
    if read.metas {
        let store = transaction.object_store(META)?;
        reading.metas = Some((store.get_all_keys()?, store.get_all()?));
    }
    if let Some(after) = read.records_after {
        let store = transaction.object_store(COMMITS)?;
        let range = IdbKeyRange::lower_bound_with_open(&JsValue::from_f64(after.0 as f64), true)?;
        reading.records = Some((store.get_all_keys_with_key(&range)?, store.get_all_with_key(&range)?));
    }
    if !read.pages.is_empty() {
        let store = transaction.object_store(PAGES)?;
        for id in &read.pages {
            reading.pages.push((*id, store.get(&page_key(*id))?));
        }
    }
    Ok(reading)
}

fn begin_commit(
    shared: &Rc<Shared>,
    id: RequestId,
    commit: CommitRequest,
) -> Result<Option<Pending>, StoreError> {
    let writes_pages = !commit.puts.is_empty() || !commit.deletes.is_empty();
    let wanted = [(COMMITS, true), (META, !commit.metas.is_empty()), (PAGES, writes_pages)];
    let stores: Vec<&str> = wanted.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect();
    let transaction = shared.transaction(&stores, "readwrite", commit.durability)?;
    let added =
        transaction.object_store(COMMITS).and_then(|s| s.add(&value(&commit.record))).map_err(aborted)?;
    let Fence::Callback { expected } = commit.fence;
    let mut callbacks = listen(shared, id, &transaction);
    let request = added.clone();
    let rest = RefCell::new(Some(commit));
    let fence = keeping(shared, move |shared| {
        let found = request.result().ok().and_then(|key| key.as_f64()).unwrap_or_default() as u64;
        if let Some(commit) = rest.borrow_mut().take() {
            pass_fence(shared, id, CommitNumber(found), commit);
        }
    });
    added.set_onsuccess(Some(&shared.function(&fence)));
    callbacks.push(fence);
    let kind = Kind::Commit { expected, conflict: None, refused: None };
    Ok(Some(Pending { transaction, kind, callbacks }))
}

/// In the `success` callback of the record's `add`: goes on or turns back.
fn pass_fence(shared: &Rc<Shared>, id: RequestId, found: CommitNumber, rest: CommitRequest) {
    let mut state = shared.state.borrow_mut();
    let Some(Pending { transaction, kind, callbacks }) = state.pending.get_mut(&id) else { return };
    let Kind::Commit { expected, conflict, refused } = kind else { return };
    if found != *expected {
        *conflict = Some(found);
        // Fails only where the transaction is aborted already.
        let _ = transaction.abort();
        return;
    }
    match request_writes(transaction, rest) {
        Ok(Some(last)) => {
            let committing = transaction.clone();
            let commit = Closure::new(move || drop(committing.commit()));
            last.set_onsuccess(Some(&shared.function(&commit)));
            callbacks.push(commit);
        }
        Ok(None) => drop(transaction.commit()),
        Err(thrown) => {
            *refused = Some(aborted(thrown));
            let _ = transaction.abort();
        }
    }
}

/// Requests everything but the record; gives the last request, if there is any.
fn request_writes(transaction: &Transaction, commit: CommitRequest) -> Result<Option<IdbRequest>, JsValue> {
    let mut last = None;
    if !commit.deletes.is_empty() || !commit.puts.is_empty() {
        let pages: IdbObjectStore = transaction.object_store(PAGES)?;
        for id in &commit.deletes {
            last = Some(pages.delete(&page_key(*id))?);
        }
        for (id, bytes) in &commit.puts {
            last = Some(pages.put_with_key(&value(bytes), &page_key(*id))?);
        }
    }
    if !commit.metas.is_empty() {
        let metas = transaction.object_store(META)?;
        for (key, bytes) in &commit.metas {
            last = Some(metas.put_with_key(&value(bytes), &JsValue::from_f64(f64::from(key.0)))?);
        }
    }
    if let Some(through) = commit.prune_through {
        let range = IdbKeyRange::upper_bound(&JsValue::from_f64(through.0 as f64))?;
        last = Some(transaction.object_store(COMMITS)?.delete(&range)?);
    }
    Ok(last)
}

/// The outcome of a transaction that completed.
fn completed(pending: Pending) -> Outcome {
    match pending.kind {
        Kind::Temp(gets) => temp::completed(&gets),
        Kind::Commit { expected, .. } => Outcome::Landed(expected),
        Kind::Read(reading) => match copy_out(&reading) {
            Ok(reply) => Outcome::Read(reply),
            Err(what) => Outcome::Failed(StoreError::Aborted(format!("the value of {what} is not bytes"))),
        },
    }
}

/// The outcome of a transaction that was aborted, by us or by the browser: nothing of it is in the store.
fn failed(pending: Pending) -> Outcome {
    if let Kind::Commit { conflict: Some(found), .. } = pending.kind {
        return Outcome::Conflict { found };
    }
    if let Kind::Commit { refused: Some(error), .. } = pending.kind {
        return Outcome::Failed(error);
    }
    let thrown = Thrown::of(&pending.transaction.error().map(JsValue::from).unwrap_or_default());
    Outcome::Failed(match pending.kind {
        Kind::Temp(_) => temp::failed(thrown),
        _ => thrown.into_store_error(),
    })
}

fn copy_out(reading: &Reading) -> Result<ReadReply, String> {
    let mut reply = ReadReply::default();
    if let Some((keys, values)) = &reading.metas {
        for (key, bytes) in entries(keys, values, META)? {
            reply.metas.push((MetaKey(key as u8), bytes));
        }
    }
    if let Some((keys, values)) = &reading.records {
        for (key, bytes) in entries(keys, values, COMMITS)? {
            reply.records.push((CommitNumber(key as u64), bytes));
        }
    }
    for (id, request) in &reading.pages {
        let value = request.result().unwrap_or_default();
        let bytes = match value.dyn_ref::<Uint8Array>() {
            Some(array) => Some(array.to_vec()),
            None if value.is_undefined() => None,
            None => return Err(format!("{PAGES} {}", id.0)),
        };
        reply.pages.push((*id, bytes));
    }
    Ok(reply)
}

/// Keys and values of a store or a range, which two requests of one transaction list in the same order.
fn entries(keys: &IdbRequest, values: &IdbRequest, store: &str) -> Result<Vec<(f64, Vec<u8>)>, String> {
    let [keys, values] = [keys, values].map(|r| Array::from(&r.result().unwrap_or_default()));
    let entry = |index| {
        let key = keys.get(index).as_f64()?;
        Some((key, values.get(index).dyn_ref::<Uint8Array>()?.to_vec()))
    };
    (0..keys.length()).map(|index| entry(index).ok_or_else(|| format!("{store}, entry {index},"))).collect()
}

//! Temporary chunks: a second database for each context, `<name>~temp-<milliseconds>-<random>`, with one object store.
//!
//! 1. It is made at the first put and deleted when the store is dropped. Requests wait, in order, until it is there.
//! 2. As long as its context lives, the context holds the Web Lock of its name, from before the database is made. So
//!    a temporary database whose lock is free belongs to a context that is gone, and whoever opens the main database
//!    deletes it ([`sweep`]). Where there are no locks, one is left alone until the time in its name is a day old.
//! 3. Only databases with a name of exactly this form are ever deleted, and no main database may have one.
//! 4. When it is deleted from outside, its chunks are gone: gets of them fail, and the next put makes a new one.
//! 5. A failure never counts as the loss of the main connection.
//!
//! Deliberately absent: strict durability, and anything that would outlive a context.

use super::open::delete_database;
use super::{Callback, Connection, Kind, Pending, Shared, Thrown, Transaction, keeping, listen, value};
use crate::store::temp::not_there;
use crate::store::{Durability, Outcome, RequestId, StoreError, TempKey, TempRequest};
use indexed_db_futures::database::Database;
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::prelude::*;
use js_sys::{Array, Date, Function, Math, Object, Promise, Reflect, Uint8Array};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::{IdbKeyRange, IdbObjectStore, IdbRequest};

const CHUNKS: &str = "chunks";

const MARK: &str = "~temp-";

/// Without locks: how old a temporary database is before nobody can be using it any more.
const ABANDONED_MS: f64 = 24.0 * 60.0 * 60.0 * 1000.0;

#[wasm_bindgen]
extern "C" {
    type Global;

    #[wasm_bindgen(method, getter)]
    fn navigator(this: &Global) -> Option<Navigator>;

    #[wasm_bindgen(method, getter, js_name = indexedDB)]
    fn indexed_db(this: &Global) -> Option<Factory>;

    type Navigator;

    /// Missing outside secure contexts.
    #[wasm_bindgen(method, getter)]
    fn locks(this: &Navigator) -> Option<Locks>;

    type Locks;

    #[wasm_bindgen(method, catch)]
    fn request(this: &Locks, name: &str, options: &Object, held: &Function) -> Result<Promise, JsValue>;

    type Factory;

    /// Missing in Firefox before version 126: then it throws.
    #[wasm_bindgen(method, catch)]
    fn databases(this: &Factory) -> Result<Promise, JsValue>;
}

fn global() -> Global {
    js_sys::global().unchecked_into()
}

fn locks() -> Option<Locks> {
    global().navigator().and_then(|navigator| navigator.locks())
}

/// When the temporary database of this name was made; `None` if the name is not one of a temporary database of `main`,
/// or, with no `main`, of any.
fn made_at_ms(name: &str, main: Option<&str>) -> Option<f64> {
    let (of, rest) = name.rsplit_once(MARK)?;
    let (time, random) = rest.split_once('-')?;
    let is_random = random.len() == 12 && random.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let is_time = time.len() == 13 && time.bytes().all(|b| b.is_ascii_digit());
    let is_one = is_random && is_time && main.is_none_or(|main| main == of);
    // An integer of 13 digits; the parser of doubles would bring 12 KB of tables into the engine.
    time.parse::<u64>().ok().filter(|_| is_one).map(|time| time as f64)
}

/// Whether a database of this name is a temporary one.
pub(super) fn is_temporary(name: &str) -> bool {
    made_at_ms(name, None).is_some()
}

/// The temporary chunks of a store.
pub(super) struct Temp {
    /// The name of the main database.
    main: String,
    state: Rc<RefCell<State>>,
}

enum State {
    /// There is no database yet.
    None,
    Opening(Vec<(RequestId, TempRequest)>),
    Open(Opened),
}

/// A temporary database that is open.
struct Opened {
    name: String,
    database: Connection,
    /// Whether it was deleted from outside.
    lost: Rc<Cell<bool>>,
    /// Gives the lock back.
    release: Option<Function>,
    _deleted: Callback,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.database.set_onversionchange(None);
        self.database.close();
        let (name, release) = (self.name.clone(), self.release.take());
        spawn_local(async move {
            // What is left is deleted by whoever opens the main database next.
            let _ = delete_database(&name).await;
            give_back(release);
        });
    }
}

fn give_back(release: Option<Function>) {
    if let Some(release) = release {
        // The resolver of a promise does not throw.
        let _ = release.call0(&JsValue::UNDEFINED);
    }
}

impl Temp {
    /// Of a store whose main database has this name.
    pub fn of(main: &str) -> Temp {
        Temp { main: main.into(), state: Rc::new(RefCell::new(State::None)) }
    }

    pub fn begin(&self, shared: &Rc<Shared>, id: RequestId, request: TempRequest) {
        let mut state = self.state.borrow_mut();
        if matches!(&*state, State::Open(opened) if opened.lost.get()) {
            *state = State::None;
        }
        match &mut *state {
            State::Open(opened) => start(shared, &opened.database, id, &request),
            State::Opening(waiting) => waiting.push((id, request)),
            // Where nothing was put there is nothing to be had, and to be deleted.
            State::None if request.puts.is_empty() => {
                let missing = request.gets.first().map(|key| Outcome::Failed(not_there(*key)));
                shared.put_event(id, missing.unwrap_or(Outcome::Temp(Vec::new())));
            }
            State::None => {
                *state = State::Opening(vec![(id, request)]);
                let (main, weak) = (self.main.clone(), Rc::downgrade(&self.state));
                let shared = Rc::clone(shared);
                spawn_local(async move {
                    let made = make(&main, &shared).await;
                    opened(&shared, &weak, made);
                });
            }
        }
    }
}

/// The database is there, or cannot be had: the requests that wait go on.
fn opened(shared: &Rc<Shared>, state: &Weak<RefCell<State>>, made: Result<Opened, StoreError>) {
    let Some(state) = state.upgrade() else { return };
    let State::Opening(waiting) = state.replace(State::None) else { return };
    match made {
        Ok(opened) => {
            for (id, request) in waiting {
                start(shared, &opened.database, id, &request);
            }
            *state.borrow_mut() = State::Open(opened);
        }
        Err(error) => {
            for (id, _) in waiting {
                shared.put_event(id, Outcome::Failed(error.clone()));
            }
        }
    }
    // As a callback of the browser would tell it: guarded.
    let tell = keeping(shared, |shared| shared.notify());
    let _ = shared.function(&tell).call0(&JsValue::UNDEFINED);
}

async fn make(main: &str, shared: &Shared) -> Result<Opened, StoreError> {
    let random = (Math::random() * 281_474_976_710_656.0) as u64;
    let name = format!("{main}{MARK}{:013}-{random:012x}", Date::now() as u64);
    let release = hold(&name).await;
    let create = |_, database: Database| {
        database.create_object_store(CHUNKS).build()?;
        Ok(())
    };
    let connecting = async {
        let request =
            Database::open(name.clone()).with_version(1_u32).with_on_upgrade_needed(create).build()?;
        request.await
    };
    let database: Database = match connecting.await {
        Ok(database) => database,
        Err(error) => {
            give_back(release);
            return Err(match super::open::OpenError::from(error) {
                super::open::OpenError::Store(StoreError::Quota(text)) => StoreError::Quota(text),
                other => StoreError::Aborted(other.to_string()),
            });
        }
    };
    let database: Connection = database.into_sys().unchecked_into();
    let lost = Rc::new(Cell::new(false));
    let (is_lost, connection) = (Rc::clone(&lost), JsValue::from(&database));
    let deleted: Callback = Closure::new(move || {
        connection.unchecked_ref::<Connection>().close();
        is_lost.set(true);
    });
    database.set_onversionchange(Some(&shared.function(&deleted)));
    Ok(Opened { name, database, lost, release, _deleted: deleted })
}

/// Takes the lock of a name that nobody else has; gives what gives it back. `None` where there are no locks.
async fn hold(name: &str) -> Option<Function> {
    let locks = locks()?;
    let mut release = None;
    let released = Promise::new(&mut |resolve, _| release = Some(resolve));
    let mut tell = None;
    let granted = Promise::new(&mut |resolve, _| tell = Some(resolve));
    let tell = tell?;
    let refused = tell.clone();
    let held = Closure::once_into_js(move |_lock: JsValue| -> JsValue {
        let _ = tell.call1(&JsValue::UNDEFINED, &JsValue::TRUE);
        released.into()
    });
    let request = locks.request(name, &Object::new(), held.unchecked_ref()).ok()?;
    // Refused where storage is: then as without locks.
    spawn_local(async move {
        if JsFuture::from(request).await.is_err() {
            let _ = refused.call0(&JsValue::UNDEFINED);
        }
    });
    let granted = JsFuture::from(granted).await.ok()?;
    release.filter(|_| granted.is_truthy())
}

fn start(shared: &Rc<Shared>, database: &Connection, id: RequestId, request: &TempRequest) {
    let writes = !request.puts.is_empty() || !request.deletes.is_empty();
    let mode = if writes { "readwrite" } else { "readonly" };
    let begun = database.begin(&[CHUNKS], mode, Durability::Relaxed).and_then(|transaction| {
        let requested = request_all(&transaction, request);
        match requested {
            Ok(gets) => Ok((transaction, gets)),
            Err(thrown) => {
                let _ = transaction.abort();
                Err(thrown)
            }
        }
    });
    match begun {
        Ok((transaction, gets)) => {
            if !writes {
                // Only hastens the end. Not where a put may fail: Firefox would go on without it.
                let _ = transaction.commit();
            }
            let callbacks = listen(shared, id, &transaction);
            shared.put_pending(id, Pending { transaction, kind: Kind::Temp(gets), callbacks });
        }
        Err(thrown) => shared.put_event(id, Outcome::Failed(failed(Thrown::of(&thrown)))),
    }
}

fn request_all(
    transaction: &Transaction,
    request: &TempRequest,
) -> Result<Vec<(TempKey, IdbRequest)>, JsValue> {
    let chunks: IdbObjectStore = transaction.object_store(CHUNKS)?;
    let key = |key: TempKey| JsValue::from_f64(key.0 as f64);
    // What was put together is mostly freed together, in order: neighbours are deleted in one request.
    for run in request.deletes.chunk_by(|a, b| a.0 + 1 == b.0) {
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            chunks.delete(IdbKeyRange::bound(&key(*first), &key(*last))?.as_ref())?;
        }
    }
    for (put, bytes) in &request.puts {
        chunks.put_with_key(&value(bytes), &key(*put))?;
    }
    request.gets.iter().map(|get| Ok((*get, chunks.get(&key(*get))?))).collect()
}

/// The outcome of a transaction of chunks that completed.
pub(super) fn completed(gets: &[(TempKey, IdbRequest)]) -> Outcome {
    let mut chunks = Vec::with_capacity(gets.len());
    for (key, request) in gets {
        match request.result().unwrap_or_default().dyn_ref::<Uint8Array>() {
            Some(bytes) => chunks.push(bytes.to_vec()),
            None => return Outcome::Failed(not_there(*key)),
        }
    }
    Outcome::Temp(chunks)
}

/// What a failure of the temporary database is.
pub(super) fn failed(thrown: Thrown) -> StoreError {
    match thrown.name.as_str() {
        "QuotaExceededError" => StoreError::Quota(thrown.text),
        _ => StoreError::Aborted(thrown.text),
    }
}

/// Deletes the temporary databases that contexts left which are gone. Nobody waits for it.
pub(super) fn sweep(main: String) {
    spawn_local(async move {
        let Some(Ok(listing)) = global().indexed_db().map(|factory| factory.databases()) else { return };
        let Ok(databases) = JsFuture::from(listing).await else { return };
        for entry in Array::from(&databases).iter() {
            let name = Reflect::get(&entry, &"name".into()).ok().and_then(|name| name.as_string());
            let Some(name) = name else { continue };
            if let Some(made_at_ms) = made_at_ms(&name, Some(&main)) {
                delete_abandoned(name, made_at_ms).await;
            }
        }
    });
}

async fn delete_abandoned(name: String, made_at_ms: f64) {
    let Some(locks) = locks() else {
        if Date::now() - made_at_ms > ABANDONED_MS {
            let _ = delete_database(&name).await;
        }
        return;
    };
    let options = Object::new();
    // Setting a field of a new object cannot fail.
    let _ = Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE);
    let deleted = name.clone();
    let held = Closure::once_into_js(move |lock: JsValue| -> JsValue {
        if lock.is_null() {
            return JsValue::UNDEFINED;
        }
        let delete = async move {
            let _ = delete_database(&deleted).await;
            Ok(JsValue::UNDEFINED)
        };
        future_to_promise(delete).into()
    });
    if let Ok(request) = locks.request(&name, &options, held.unchecked_ref()) {
        let _ = JsFuture::from(request).await;
    }
}

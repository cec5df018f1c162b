//! Opening, creating and deleting the database.
//!
//! 1. All first records are written in the transaction that creates the object stores.
//! 2. A connection that comes after the deadline is closed at once.
//! 3. A database of a higher version, or with other object stores, is left as it is.

use super::{COMMITS, IdbStore, META, PAGES, Thrown, temp, value};
use crate::store::{MetaKey, StoreError};
use indexed_db_futures::database::Database;
use indexed_db_futures::error::{Error, OpenDbError};
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::prelude::*;
use js_sys::{Function, Promise, Reflect};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Formats are told apart by the meta record; this number exists only because IndexedDB wants one.
const INDEXED_DB_VERSION: u32 = 1;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, milliseconds: u32) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// The name of a database that is opened only to be told why none can be, and is deleted should it open after all.
const PROBE: &str = "pandodb refused";

/// What to open.
pub struct OpenOptions {
    /// The name of the IndexedDB database.
    pub name: String,
    /// When to give up: an open waits for ever behind a deletion that waits for another tab.
    pub open_timeout_ms: u32,
    /// The meta records of a database that has to be created.
    pub first_metas: Vec<(MetaKey, Vec<u8>)>,
}

/// Why there is no store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The database has our object stores and a higher IndexedDB version: a later PandoDB wrote it. The text is the browser's.
    Newer(String),
    /// The database has other object stores, whatever its version: another program wrote it.
    Foreign(String),
    /// `Unavailable` or `Quota`.
    Store(StoreError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Newer(text) => {
                write!(f, "the database was written by a newer version of PandoDB: {text}")
            }
            OpenError::Foreign(name) => {
                write!(f, "the IndexedDB database \"{name}\" is not one of PandoDB's")
            }
            OpenError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}

fn unavailable(text: String) -> OpenError {
    OpenError::Store(StoreError::Unavailable(text))
}

impl From<OpenDbError> for OpenError {
    fn from(error: OpenDbError) -> OpenError {
        let thrown = match error {
            OpenDbError::UnsupportedEnvironment | OpenDbError::NullFactory => {
                return unavailable("there is no IndexedDB here".into());
            }
            // The crate's name for whatever `open()` throws.
            OpenDbError::VersionZero => {
                return unavailable(format!("IndexedDB refused to open a database: {}", refusal()));
            }
            OpenDbError::Base(Error::DomException(exception)) => Thrown::from(JsValue::from(exception)),
            OpenDbError::Base(Error::Unknown(error)) => Thrown::from(JsValue::from(error)),
            // The crate's own complaints. Not their text: it would bring in the formatting of all their values.
            OpenDbError::Base(_) => return unavailable("IndexedDB gave no usable answer to the open".into()),
        };
        match thrown.name.as_str() {
            "VersionError" => OpenError::Newer(thrown.text),
            "QuotaExceededError" => OpenError::Store(StoreError::Quota(thrown.text)),
            _ => unavailable(thrown.text),
        }
    }
}

/// What `open()` throws here; the crate does not tell.
fn refusal() -> String {
    let open = || {
        let factory = Reflect::get(&js_sys::global(), &"indexedDB".into())?;
        let open: Function = Reflect::get(&factory, &"open".into())?.dyn_into()?;
        open.call1(&factory, &PROBE.into())?;
        let delete: Function = Reflect::get(&factory, &"deleteDatabase".into())?.dyn_into()?;
        delete.call1(&factory, &PROBE.into())
    };
    open().map_or_else(|thrown| Thrown::of(&thrown).text, |_| "it does not say why".into())
}

/// Opens a database, creating it where there is none. `notify` is called after every event of the store, when
/// nothing of the store is borrowed.
pub async fn open(options: OpenOptions, notify: Box<dyn Fn()>) -> Result<IdbStore, OpenError> {
    let OpenOptions { name, open_timeout_ms, first_metas } = options;
    if temp::is_temporary(&name) {
        return Err(OpenError::Foreign(name));
    }
    let connecting = connect(name.clone(), first_metas);
    let opened = within(open_timeout_ms, connecting, |late| {
        if let Ok(database) = late {
            database.close();
        }
    });
    let Some(result) = opened.await else {
        return Err(unavailable(format!("the database did not open within {open_timeout_ms} ms")));
    };
    let database = result?;
    if !has_our_stores(&database) {
        database.close();
        return Err(OpenError::Foreign(name));
    }
    temp::sweep(name);
    Ok(IdbStore::new(database.into_sys().unchecked_into(), notify))
}

fn has_our_stores(database: &Database) -> bool {
    let names: Vec<String> = database.object_store_names().collect();
    [COMMITS, META, PAGES].iter().all(|store| names.iter().any(|name| name == store))
}

/// Why a database of a higher version cannot be opened; `text` is what the browser says to that.
async fn of_higher_version(name: String, text: String) -> OpenError {
    // Without a version it opens as it is.
    let Ok(request) = Database::open(name.as_str()).build() else { return OpenError::Newer(text) };
    let Ok(database) = request.await else { return OpenError::Newer(text) };
    let ours = has_our_stores(&database);
    let made_just_now = database.object_store_names().next().is_none() && database.version() <= 1.0;
    database.close();
    if made_just_now {
        // The other one was deleted in the meantime. An empty one would be in the way of all that come.
        let _ = delete_database(&name).await;
    }
    if ours || made_just_now { OpenError::Newer(text) } else { OpenError::Foreign(name) }
}

async fn connect(name: String, first_metas: Vec<(MetaKey, Vec<u8>)>) -> Result<Database, OpenError> {
    let create = move |_, database: Database| {
        database.create_object_store(PAGES).build()?;
        database.create_object_store(COMMITS).with_auto_increment(true).build()?;
        let metas = database.create_object_store(META).build()?;
        for (key, bytes) in first_metas {
            // The request ends with the upgrade; its failure aborts that, and the open with it.
            metas.put(JsValue::from(value(&bytes))).with_key(f64::from(key.0)).primitive()?;
        }
        Ok(())
    };
    let request = Database::open(name.as_str())
        .with_version(INDEXED_DB_VERSION)
        .with_on_upgrade_needed(create)
        .build()?;
    match request.await.map_err(OpenError::from) {
        Err(OpenError::Newer(text)) => Err(of_higher_version(name, text).await),
        other => other,
    }
}

/// Deletes a database, once all its connections are closed. It is no error if there is none.
pub async fn delete(name: String, timeout_ms: u32) -> Result<(), OpenError> {
    temp::sweep(name.clone());
    let deleting = async move { delete_database(&name).await };
    let gave_up =
        || unavailable(format!("the database was not deleted within {timeout_ms} ms: it is open elsewhere"));
    within(timeout_ms, deleting, drop).await.unwrap_or_else(|| Err(gave_up()))
}

pub(super) async fn delete_database(name: &str) -> Result<(), OpenError> {
    let request = Database::delete_by_name(name)?;
    request.await.map_err(|e| OpenError::from(OpenDbError::from(e)))
}

/// The result of `work`, or `None` if it takes longer; then `late` gets what comes of it in the end.
pub(crate) async fn within<T: 'static>(
    milliseconds: u32,
    work: impl Future<Output = T> + 'static,
    late: impl FnOnce(T) + 'static,
) -> Option<T> {
    let race = Rc::new(RefCell::new(Race { over: false, result: None }));
    let mut resolve = None;
    let either = Promise::new(&mut |settle, _| resolve = Some(settle));
    let resolve = resolve?;
    let timer = set_timeout(&resolve, milliseconds);
    let working = Rc::clone(&race);
    spawn_local(async move {
        let result = work.await;
        if working.borrow().over {
            return late(result);
        }
        working.borrow_mut().result = Some(result);
        // Calling the resolver of a promise cannot fail.
        let _ = resolve.call0(&JsValue::UNDEFINED);
    });
    let _ = JsFuture::from(either).await;
    clear_timeout(&timer);
    let mut race = race.borrow_mut();
    race.over = true;
    race.result.take()
}

struct Race<T> {
    over: bool,
    result: Option<T>,
}

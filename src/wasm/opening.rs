//! Opening an engine on IndexedDB: the store, the notices of other contexts, the first read.

use super::notices::{self, Notices};
use super::outside::{Browser, not_opened};
use super::{Engine, EngineConfig, Hooks, Milestone, Shared, Store};
use crate::engine;
use crate::error::{Code, Error};
use crate::host_loop::HostLoop;
use crate::store::StoreError;
use crate::store::idb::{self, OpenError, OpenOptions};
use std::rc::{Rc, Weak};

/// Opens the database of a configuration, creating it where there is none.
///
/// # Errors
/// What keeps it from being opened, with MongoDB's code.
pub(super) async fn open(config: EngineConfig, hooks: Hooks) -> Result<Engine, Error> {
    if config.store() != "indexeddb" {
        return Err(Error::new(Code::BadValue, "Engine.open is for store 'indexeddb'; use Engine.memory"));
    }
    let shared = Shared::new(hooks);
    let mut host = Browser::new()?;
    let engine_config = config.to_config()?;
    let timeout_ms = config.open_timeout_ms() as u32;
    let options = OpenOptions {
        name: config.name(),
        open_timeout_ms: timeout_ms,
        first_metas: engine::Engine::first_metas(&mut host),
    };
    let weak: Weak<Shared> = Rc::downgrade(&shared);
    let notify = Box::new(move || {
        if let Some(shared) = weak.upgrade() {
            shared.pump(|_| ());
        }
    });
    let store = idb::open(options, notify).await.map_err(|error| not_opened(&error))?;
    if let Some(guard) = shared.hooks.guard() {
        store.guard(&guard);
    }
    let heard: Weak<Shared> = Rc::downgrade(&shared);
    let hear = move |text: String| {
        if let Some(shared) = heard.upgrade() {
            shared.pump(|work| notices::hear(&mut work.engine, &text));
        }
    };
    *shared.notices.borrow_mut() = Notices::open(&config.name(), shared.hooks.guard(), hear);
    let engine = engine::Engine::open(engine_config, Box::new(host));
    *shared.work.borrow_mut() = Some(HostLoop::new(engine, Store::IndexedDb(store)));
    shared.pump(|_| ());
    // The first read may have to wait behind a transaction of a frozen tab.
    let opening = Rc::clone(&shared);
    let opened = idb::within(timeout_ms, async move { opening.reach(Milestone::Opened).await }, drop).await;
    if opened.is_none() {
        let text = format!("the database did not answer within {timeout_ms} ms");
        return Err(not_opened(&OpenError::Store(StoreError::Unavailable(text))));
    }
    let failure = shared.work.borrow().as_ref().and_then(|work| work.engine.failure().cloned());
    match failure {
        Some(error) => Err(error),
        None => Ok(Engine { shared }),
    }
}

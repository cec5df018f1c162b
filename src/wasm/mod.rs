//! The engine as JavaScript sees it: the class `Engine` (its types are in the package, `binding.ts`).
//!
//! A command goes in by a region: `requestBegin`, bytes written at `requestPtr`, `requestSubmit`. The reply is there at
//! once (0, then `replyPtr` and `replyLen`), or comes later by `hooks.reply` for the ticket that was returned.
//!
//! 1. The engine is borrowed by nothing while a hook runs. A call that comes while it works all the same (user code
//!    inside a callback of the browser, a call after a trap) gets an error and changes nothing.
//! 2. A reply's bytes stay where they are until the next call, those of `hooks.reply` until the hook returns.
//! 3. Work never waits: what must be waited for is a ticket, what takes long is cut by the step budget and goes on in
//!    a task of its own (`hooks.schedule`).
//! 4. A panic is told to `hooks.panic`; the trap that follows ends this instance of the module.
//!
//! Deliberately absent: any knowledge of commands, and the encoding of documents (the package's codec).

mod budget;
mod notices;
mod opening;
mod outside;
mod regions;
mod room;

use crate::command::running::TaskId;
use crate::engine;
use crate::error::{Code, Error};
use crate::host_loop::{HostLoop, Turn};
use crate::store::idb::IdbStore;
use crate::store::{MemoryStore, Outcome, PageStore, Request, RequestId};
use budget::Budget;
use js_sys::{Function, Object, Promise, Reflect};
use notices::Notices;
use outside::{Browser, tell_of_panics, to_js_error};
pub use outside::{EngineConfig, Hooks};
use regions::Regions;
use room::{Room, memory_bytes};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

/// Either of the two stores.
enum Store {
    Memory(MemoryStore),
    IndexedDb(IdbStore),
}

impl Store {
    fn lost(&self) -> Option<String> {
        match self {
            Store::Memory(_) => None,
            Store::IndexedDb(store) => store.lost(),
        }
    }

    fn take_thrown(&self) -> Option<JsValue> {
        match self {
            Store::Memory(_) => None,
            Store::IndexedDb(store) => store.take_thrown(),
        }
    }
}

impl PageStore for Store {
    fn begin(&mut self, request: Request) -> RequestId {
        match self {
            Store::Memory(store) => store.begin(request),
            Store::IndexedDb(store) => store.begin(request),
        }
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        match self {
            Store::Memory(store) => store.take_event(),
            Store::IndexedDb(store) => store.take_event(),
        }
    }
}

/// What a promise of JavaScript waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Milestone {
    /// The first read was answered.
    Opened,
    /// No command is under way.
    Idle,
}

struct Shared {
    hooks: Hooks,
    /// `None` once it was closed.
    work: RefCell<Option<HostLoop<Store>>>,
    regions: RefCell<Regions>,
    room: RefCell<Room>,
    budget: RefCell<Budget>,
    reply: RefCell<Vec<u8>>,
    closing: Cell<bool>,
    told_lost: Cell<bool>,
    waiting: RefCell<Vec<(Milestone, Function)>>,
    /// What other contexts are told, and tell.
    notices: RefCell<Option<Notices>>,
    /// Runs after the thread was given back.
    resume: Closure<dyn FnMut()>,
    /// Itself, while `resume` is with the browser, which must not find it gone.
    kept: RefCell<Option<Rc<Shared>>>,
    this: Weak<Shared>,
}

/// What is to be told to JavaScript once the engine is borrowed no more.
#[derive(Default)]
struct Outbox {
    replies: Vec<(TaskId, Vec<u8>)>,
    schedule: bool,
    /// The event and what it says.
    lost: Option<(&'static str, String)>,
    thrown: Option<JsValue>,
    resolve: Vec<Function>,
}

impl Shared {
    fn new(hooks: Hooks) -> Rc<Shared> {
        tell_of_panics(&hooks);
        Rc::new_cyclic(|this: &Weak<Shared>| {
            let resumed = this.clone();
            let resume = Closure::new(move || {
                if let Some(shared) = resumed.upgrade() {
                    shared.kept.take();
                    shared.pump(|work| work.engine.resume());
                }
            });
            Shared {
                hooks,
                work: RefCell::new(None),
                regions: RefCell::default(),
                room: RefCell::default(),
                budget: RefCell::default(),
                reply: RefCell::default(),
                closing: Cell::new(false),
                told_lost: Cell::new(false),
                waiting: RefCell::default(),
                notices: RefCell::new(None),
                resume,
                kept: RefCell::new(None),
                this: this.clone(),
            }
        })
    }

    /// Has the engine work as far as it gets, then tells what came of it.
    fn pump(&self, first: impl FnOnce(&mut HostLoop<Store>)) {
        let mut outbox = Outbox::default();
        if let Ok(mut work) = self.work.try_borrow_mut() {
            if let Some(work) = work.as_mut() {
                first(work);
                self.drain(work, &mut outbox);
            }
        }
        self.tell(outbox);
    }

    /// One turn, with the memory it may need at hand; what a slice took decides about the next.
    fn turn(&self, work: &mut HostLoop<Store>, preferred: Option<TaskId>) -> Turn {
        let mut budget = self.budget.borrow_mut();
        let begun = budget.begin();
        let turn = work.turn(preferred);
        if matches!(turn, Turn::Yield) {
            budget.used_up(&begun);
            work.engine.set_step_budget(Some(budget.rows()));
        }
        self.room.borrow_mut().keep();
        turn
    }

    fn drain(&self, work: &mut HostLoop<Store>, outbox: &mut Outbox) {
        loop {
            match self.turn(work, None) {
                Turn::Reply { task, bytes } => outbox.replies.push((task, bytes)),
                Turn::Yield => outbox.schedule = true,
                Turn::Idle => break,
            }
        }
        if let Some(notices) = self.notices.borrow().as_ref() {
            match work.engine.is_dead() {
                true => notices.end(),
                false => notices.tell(&work.engine),
            }
        }
        if !self.told_lost.get() {
            outbox.lost = loss(work);
            self.told_lost.set(outbox.lost.is_some());
        }
        outbox.thrown = work.store.take_thrown();
        self.waiting.borrow_mut().retain(|(milestone, resolve)| {
            let reached = is_reached(*milestone, &work.engine);
            if reached {
                outbox.resolve.push(resolve.clone());
            }
            !reached
        });
    }

    /// Calls the hooks. Nothing is borrowed here.
    fn tell(&self, outbox: Outbox) {
        if outbox.schedule && self.kept.borrow().is_none() {
            self.kept.replace(self.this.upgrade());
            let _ = self.hooks.schedule(self.resume.as_ref());
        }
        if let Some(thrown) = outbox.thrown {
            let _ = self.hooks.store_error(&thrown);
        }
        if let Some((event, text)) = outbox.lost {
            let _ = self.hooks.event(event, &text);
        }
        for (task, bytes) in outbox.replies {
            let _ = self.hooks.reply(task.0 as f64, bytes.as_ptr() as u32, bytes.len() as u32);
        }
        for resolve in outbox.resolve {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    }

    fn is_reached(&self, milestone: Milestone) -> bool {
        match self.work.try_borrow() {
            Ok(work) => work.as_ref().is_none_or(|work| is_reached(milestone, &work.engine)),
            Err(_) => true,
        }
    }

    async fn reach(&self, milestone: Milestone) {
        if self.is_reached(milestone) {
            return;
        }
        let promise = Promise::new(&mut |resolve, _| self.waiting.borrow_mut().push((milestone, resolve)));
        // It is never rejected.
        let _ = JsFuture::from(promise).await;
    }

    /// Takes a region as a request and submits it. `sync` has it run to its end. `None`: the reply is in `reply`.
    fn submit(&self, handle: u32, length: u32, sync: bool) -> Result<Option<TaskId>, Error> {
        let mut outbox = Outbox::default();
        let mut answer = None;
        let task = {
            let mut work = self.work.try_borrow_mut().map_err(|_| busy())?;
            let request = self.regions.borrow_mut().take(handle, length as usize).ok_or_else(no_region)?;
            let work = work.as_mut().filter(|_| !self.closing.get()).ok_or_else(closed)?;
            self.room.borrow_mut().keep_for(request.len());
            if sync {
                work.engine.set_step_budget(None);
            }
            let task = work.engine.submit(request);
            loop {
                match self.turn(work, Some(task)) {
                    Turn::Reply { task: done, bytes } if done == task => answer = Some(bytes),
                    Turn::Reply { task, bytes } => outbox.replies.push((task, bytes)),
                    // Others, of before, may have been given a budget.
                    Turn::Yield if sync => work.engine.resume(),
                    Turn::Yield => outbox.schedule = true,
                    Turn::Idle => break,
                }
                if answer.is_some() {
                    break;
                }
            }
            if sync {
                work.engine.set_step_budget(Some(self.budget.borrow().rows()));
            }
            self.drain(work, &mut outbox);
            task
        };
        let answered = match answer {
            Some(bytes) => {
                *self.reply.borrow_mut() = bytes;
                true
            }
            None => false,
        };
        self.tell(outbox);
        Ok((!answered).then_some(task))
    }
}

fn is_reached(milestone: Milestone, engine: &engine::Engine) -> bool {
    match milestone {
        Milestone::Opened => engine.pager().is_some() || engine.is_dead(),
        Milestone::Idle => engine.is_idle(),
    }
}

/// Why the engine has to be opened anew, if it has: the event that tells of it, and its text.
fn loss(work: &HostLoop<Store>) -> Option<(&'static str, String)> {
    let Some(failure) = work.engine.failure() else {
        return work.store.lost().map(|text| ("connection-lost", text));
    };
    let cleared = failure.code == Code::InterruptedDueToStorageChange;
    Some((if cleared { "storage-lost" } else { "connection-lost" }, failure.message.clone()))
}

fn busy() -> Error {
    Error::new(Code::IllegalOperation, "the engine was called while it was at work, or after it had stopped")
}

fn closed() -> Error {
    Error::new(Code::InterruptedAtShutdown, "the engine is closed")
}

fn no_region() -> Error {
    Error::new(Code::IllegalOperation, "there is no such request region, or it is shorter than the request")
}

/// An engine with its store.
#[wasm_bindgen]
pub struct Engine {
    shared: Rc<Shared>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens the IndexedDB database of the configuration, creating it where there is none.
    #[wasm_bindgen(unchecked_return_type = "Engine")]
    pub async fn open(config: EngineConfig, hooks: Hooks) -> Result<Engine, JsValue> {
        opening::open(config, hooks).await.map_err(|error| to_js_error(&error))
    }

    /// A fresh memory store.
    pub fn memory(config: EngineConfig, hooks: Hooks) -> Result<Engine, JsValue> {
        let shared = Shared::new(hooks);
        let start = || -> Result<(), Error> {
            let mut host = Browser::new()?;
            let store = Store::Memory(MemoryStore::new(engine::Engine::first_metas(&mut host)));
            let engine = engine::Engine::open(config.to_config()?, Box::new(host));
            *shared.work.borrow_mut() = Some(HostLoop::new(engine, store));
            Ok(())
        };
        start().map_err(|error| to_js_error(&error))?;
        shared.pump(|_| ());
        Ok(Engine { shared })
    }

    /// A region for a request; gives its handle.
    #[wasm_bindgen(js_name = requestBegin)]
    pub fn request_begin(&self, capacity: u32) -> u32 {
        self.shared.regions.borrow_mut().begin(capacity as usize)
    }

    /// Where a region is.
    #[wasm_bindgen(js_name = requestPtr)]
    pub fn request_ptr(&self, handle: u32) -> Result<u32, JsValue> {
        let pointer = self.shared.regions.borrow_mut().pointer(handle).ok_or_else(no_region);
        pointer.map(|pointer| pointer as u32).map_err(|error| to_js_error(&error))
    }

    /// Makes a region larger, its bytes kept; gives where it is now.
    #[wasm_bindgen(js_name = requestGrow)]
    pub fn request_grow(&self, handle: u32, capacity: u32) -> Result<u32, JsValue> {
        let grown = self.shared.regions.borrow_mut().grow(handle, capacity as usize).ok_or_else(no_region);
        grown.map_err(|error| to_js_error(&error))?;
        self.request_ptr(handle)
    }

    /// Gives a region back. Nothing happens if there is none.
    #[wasm_bindgen(js_name = requestCancel)]
    pub fn request_cancel(&self, handle: u32) {
        drop(self.shared.regions.borrow_mut().take(handle, 0));
    }

    /// Submits the first `length` bytes of a region, which is given back. 0: the reply is there; else a ticket.
    #[wasm_bindgen(js_name = requestSubmit)]
    pub fn request_submit(&self, handle: u32, length: u32) -> Result<f64, JsValue> {
        match self.shared.submit(handle, length, false) {
            Ok(None) => Ok(0.0),
            Ok(Some(task)) => Ok(task.0 as f64),
            Err(error) => Err(to_js_error(&error)),
        }
    }

    /// Submits as `requestSubmit` and runs to the end: for memory stores.
    #[wasm_bindgen(js_name = requestSubmitSync)]
    pub fn request_submit_sync(&self, handle: u32, length: u32) -> Result<(), JsValue> {
        match self.shared.submit(handle, length, true) {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(to_js_error(&Error::new(
                Code::IllegalOperation,
                "a command cannot run to its end in one call on a store that has to be waited for",
            ))),
            Err(error) => Err(to_js_error(&error)),
        }
    }

    /// Where the reply is.
    #[wasm_bindgen(js_name = replyPtr)]
    pub fn reply_ptr(&self) -> u32 {
        self.shared.reply.borrow().as_ptr() as u32
    }

    /// The bytes of the reply.
    #[wasm_bindgen(js_name = replyLen)]
    pub fn reply_len(&self) -> u32 {
        self.shared.reply.borrow().len() as u32
    }

    /// Ends a command at its next row or document; it is answered with error 11601.
    pub fn abort(&self, ticket: f64) {
        self.shared.pump(|work| work.engine.abort(TaskId(ticket as u64)));
    }

    /// Counters of the cache and of what went to and came from the store.
    #[wasm_bindgen(unchecked_return_type = "Record<string, number>")]
    pub fn stats(&self) -> Result<Object, JsValue> {
        let work = self.shared.work.try_borrow().map_err(|_| to_js_error(&busy()))?;
        let work = work.as_ref().ok_or_else(|| to_js_error(&closed()))?;
        let cache = work.engine.pager().map(|pager| pager.cache());
        let traffic = &work.traffic;
        let counters = [
            ("cachePages", cache.map_or(0, |cache| cache.pages()) as f64),
            ("cacheBytes", cache.map_or(0, |cache| cache.bytes()) as f64),
            ("reads", traffic.reads as f64),
            ("recordsRead", traffic.values_read as f64),
            ("bytesRead", traffic.bytes_read as f64),
            ("commits", traffic.commits as f64),
            ("recordsWritten", traffic.values_written as f64),
            ("bytesWritten", traffic.bytes_written as f64),
            ("memoryBytes", memory_bytes() as f64),
        ];
        let stats = Object::new();
        for (name, count) in counters {
            Reflect::set(&stats, &name.into(), &count.into())?;
        }
        Ok(stats)
    }

    /// The random id of the database in hexadecimal, which changes when its data was cleared and it was made anew.
    #[wasm_bindgen(js_name = databaseId)]
    pub fn database_id(&self) -> Option<String> {
        let work = self.shared.work.try_borrow().ok()?;
        let id = work.as_ref()?.engine.pager()?.database();
        Some(id.0.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The `IDBDatabase`, for the package to close when this instance has trapped. Undefined over a memory store.
    pub fn connection(&self) -> JsValue {
        let Ok(work) = self.shared.work.try_borrow() else { return JsValue::UNDEFINED };
        match work.as_ref().map(|work| &work.store) {
            Some(Store::IndexedDb(store)) => store.connection(),
            Some(Store::Memory(_)) | None => JsValue::UNDEFINED,
        }
    }

    /// Takes no more commands; when those under way are answered, closes the store.
    pub fn close(&self) -> Promise {
        let shared = Rc::clone(&self.shared);
        shared.closing.set(true);
        future_to_promise(async move {
            shared.reach(Milestone::Idle).await;
            if let Ok(mut work) = shared.work.try_borrow_mut() {
                *work = None;
            }
            shared.notices.take();
            Ok(JsValue::UNDEFINED)
        })
    }
}

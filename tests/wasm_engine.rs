//! The class `Engine` as JavaScript uses it: regions, replies at once and later, persistence, errors.
#![cfg(target_arch = "wasm32")]

use js_sys::{Array, Function, Promise, Reflect, Uint8Array, WebAssembly};
use pandodb::bson::{DocBuilder, RawDoc};
use pandodb::store::idb;
use pandodb::wasm::{Engine, EngineConfig, Hooks};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const TIMEOUT_MS: u32 = 20_000;

/// The hooks of a test, in JavaScript: replies become resolved promises, the rest is logged.
const HOOKS: &str = "const log = [], settled = new Map(), waiting = new Map(); \
    return { log, \
      reply(ticket, pointer, length) { \
        const bytes = new Uint8Array(memory.buffer, pointer, length).slice(); \
        const resolve = waiting.get(ticket); if (resolve) resolve(bytes); else settled.set(ticket, bytes); }, \
      event(name, detail) { log.push(`event ${name}`); }, \
      panic(text) { log.push(`panic ${text}`); }, \
      schedule(run) { log.push('schedule'); setTimeout(run, 0); }, \
      wait: (ticket) => settled.has(ticket) ? Promise.resolve(settled.get(ticket)) \
        : new Promise((resolve) => waiting.set(ticket, resolve)) };";

fn javascript(parameters: &str, body: &str, arguments: &[JsValue]) -> JsValue {
    let arguments: Array = arguments.iter().collect();
    Function::new_with_args(parameters, body).apply(&JsValue::UNDEFINED, &arguments).unwrap()
}

fn hooks() -> Hooks {
    javascript("memory", HOOKS, &[wasm_bindgen::memory()]).unchecked_into()
}

/// What the hooks were told, but for replies.
fn log(hooks: &Hooks) -> String {
    javascript("hooks", "return hooks.log.join()", &[hooks.into()]).as_string().unwrap()
}

fn config(store: &str, name: &str) -> EngineConfig {
    let body = "return { store, name, cacheBytesMax: 8e6, durability: 'relaxed', openTimeoutMS: 20000, version: '6.0' }";
    javascript("store, name", body, &[store.into(), name.into()]).unchecked_into()
}

fn memory_view(pointer: u32, length: u32) -> Uint8Array {
    let memory: WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    Uint8Array::new_with_byte_offset_and_length(&memory.buffer(), pointer, length)
}

/// Writes a request as the package does, starting with too small a region.
fn write(engine: &Engine, request: &[u8]) -> u32 {
    let handle = engine.request_begin(8);
    let pointer = engine.request_ptr(handle).unwrap();
    memory_view(pointer, 8).copy_from(&request[..8]);
    let pointer = engine.request_grow(handle, request.len() as u32).unwrap();
    memory_view(pointer + 8, request.len() as u32 - 8).copy_from(&request[8..]);
    handle
}

async fn run(engine: &Engine, hooks: &Hooks, request: &[u8]) -> Vec<u8> {
    let ticket = engine.request_submit(write(engine, request), request.len() as u32).unwrap();
    if ticket == 0.0 {
        return memory_view(engine.reply_ptr(), engine.reply_len()).to_vec();
    }
    let promise = javascript("hooks, ticket", "return hooks.wait(ticket)", &[hooks.into(), ticket.into()]);
    let bytes = JsFuture::from(promise.unchecked_into::<Promise>()).await.unwrap();
    bytes.unchecked_into::<Uint8Array>().to_vec()
}

fn command(name: &str, argument: &str, fill: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    doc.push(name, argument);
    fill(&mut doc);
    doc.push("$db", "test");
    doc.finish()
}

fn insert(id: i32, text: &str) -> Vec<u8> {
    command("insert", "things", |doc| {
        doc.array("documents", |documents| {
            documents.document(|doc| drop(doc.push("_id", id).push("text", text)));
        });
    })
}

fn number(reply: &[u8], field: &str) -> Option<f64> {
    match RawDoc::from_validated(reply).get(field)? {
        pandodb::bson::Value::Int32(n) => Some(f64::from(n)),
        pandodb::bson::Value::Double(n) => Some(n),
        _ => None,
    }
}

fn has_write_errors(reply: &[u8]) -> bool {
    RawDoc::from_validated(reply).get("writeErrors").is_some()
}

fn stat(engine: &Engine, name: &str) -> f64 {
    Reflect::get(&engine.stats().unwrap(), &name.into()).unwrap().as_f64().unwrap()
}

async fn close(engine: &Engine) {
    JsFuture::from(engine.close()).await.unwrap();
}

fn field(error: &JsValue, name: &str) -> JsValue {
    Reflect::get(error, &name.into()).unwrap()
}

async fn fresh(name: &str) -> String {
    let name = format!("test engine: {name}");
    idb::delete(name.clone(), TIMEOUT_MS).await.unwrap();
    name
}

#[wasm_bindgen_test]
async fn a_memory_engine_answers_at_once() {
    let hooks = hooks();
    let engine = Engine::memory(config("memory", ""), hooks.clone()).unwrap();
    for request in [command("ping", "", |_| ()), insert(1, "one"), insert(2, "two")] {
        let handle = write(&engine, &request);
        assert_eq!(engine.request_submit(handle, request.len() as u32).unwrap(), 0.0);
        let reply = memory_view(engine.reply_ptr(), engine.reply_len()).to_vec();
        assert_eq!(number(&reply, "ok"), Some(1.0));
    }
    let request = insert(2, "again");
    engine.request_submit_sync(write(&engine, &request), request.len() as u32).unwrap();
    let reply = memory_view(engine.reply_ptr(), engine.reply_len()).to_vec();
    assert_eq!((number(&reply, "n"), has_write_errors(&reply)), (Some(0.0), true));
    assert_eq!(log(&hooks), "");
}

#[wasm_bindgen_test]
async fn long_work_gives_the_thread_back() {
    let hooks = hooks();
    let engine = Engine::memory(config("memory", ""), hooks.clone()).unwrap();
    for batch in 0..3 {
        let request = command("insert", "many", |doc| {
            doc.array("documents", |documents| {
                (0..20_000).for_each(|id| {
                    drop(documents.document(|doc| drop(doc.push("_id", batch * 20_000 + id))))
                });
            });
        });
        engine.request_submit_sync(write(&engine, &request), request.len() as u32).unwrap();
    }
    let count = command("count", "many", |doc| drop(doc.document("query", |q| drop(q.push("x", 1)))));
    let ticket = engine.request_submit(write(&engine, &count), count.len() as u32).unwrap();
    assert!(ticket > 0.0);
    assert_eq!(log(&hooks), "schedule");
    // Short work is not held up, and a synchronous call runs to its end.
    let ping = command("ping", "", |_| ());
    assert_eq!(engine.request_submit(write(&engine, &ping), ping.len() as u32).unwrap(), 0.0);
    engine.request_submit_sync(write(&engine, &count), count.len() as u32).unwrap();
    let reply = memory_view(engine.reply_ptr(), engine.reply_len()).to_vec();
    assert_eq!((number(&reply, "ok"), number(&reply, "n")), (Some(1.0), Some(0.0)));
    // An aborted one is answered with an error at its next row.
    let ticket = engine.request_submit(write(&engine, &count), count.len() as u32).unwrap();
    engine.abort(ticket);
    let promise = javascript("hooks, ticket", "return hooks.wait(ticket)", &[(&hooks).into(), ticket.into()]);
    let reply = JsFuture::from(promise.unchecked_into::<Promise>()).await.unwrap();
    assert_eq!(number(&reply.unchecked_into::<Uint8Array>().to_vec(), "code"), Some(11601.0));
    // An engine that goes while it waits for its turn is not missed by the browser.
    engine.request_submit(write(&engine, &count), count.len() as u32).unwrap();
    drop(engine);
}

#[wasm_bindgen_test]
async fn what_was_answered_is_there_after_reopening() {
    let name = fresh("reopening").await;
    let hooks = hooks();
    let engine = Engine::open(config("indexeddb", &name), hooks.clone()).await.unwrap();
    let reply = run(&engine, &hooks, &insert(1, "one")).await;
    assert_eq!((number(&reply, "ok"), number(&reply, "n")), (Some(1.0), Some(1.0)));
    assert!(stat(&engine, "commits") >= 1.0 && stat(&engine, "bytesWritten") > 0.0);
    // As when the page goes away, without a word of farewell.
    drop(engine);
    let engine = Engine::open(config("indexeddb", &name), hooks.clone()).await.unwrap();
    let reply = run(&engine, &hooks, &insert(1, "again")).await;
    assert_eq!((number(&reply, "n"), has_write_errors(&reply)), (Some(0.0), true));
    assert!(stat(&engine, "recordsRead") <= 20.0);
    close(&engine).await;
    idb::delete(name, TIMEOUT_MS).await.unwrap();
}

#[wasm_bindgen_test]
async fn commands_begun_together_share_commits() {
    let name = fresh("together").await;
    let hooks = hooks();
    let engine = Engine::open(config("indexeddb", &name), hooks.clone()).await.unwrap();
    run(&engine, &hooks, &insert(0, "the collection exists")).await;
    let before = stat(&engine, "commits");
    let tickets: Vec<f64> = (1..=50)
        .map(|id| {
            let request = insert(id, "text");
            engine.request_submit(write(&engine, &request), request.len() as u32).unwrap()
        })
        .collect();
    for ticket in tickets {
        assert!(ticket > 0.0);
        let promise =
            javascript("hooks, ticket", "return hooks.wait(ticket)", &[(&hooks).into(), ticket.into()]);
        let reply = JsFuture::from(promise.unchecked_into::<Promise>()).await.unwrap();
        assert_eq!(number(&reply.unchecked_into::<Uint8Array>().to_vec(), "n"), Some(1.0));
    }
    assert!(stat(&engine, "commits") - before <= 3.0, "{}", stat(&engine, "commits") - before);
    close(&engine).await;
}

#[wasm_bindgen_test]
async fn a_closed_engine_takes_no_command() {
    let name = fresh("closed").await;
    let hooks = hooks();
    let engine = Engine::open(config("indexeddb", &name), hooks.clone()).await.unwrap();
    // What is under way is answered before the store is closed.
    let request = insert(1, "one");
    let ticket = engine.request_submit(write(&engine, &request), request.len() as u32).unwrap();
    let closing = engine.close();
    let refused = engine.request_submit(write(&engine, &request), request.len() as u32).unwrap_err();
    assert_eq!(field(&refused, "code").as_f64(), Some(11600.0));
    JsFuture::from(closing).await.unwrap();
    let promise = javascript("hooks, ticket", "return hooks.wait(ticket)", &[(&hooks).into(), ticket.into()]);
    let reply = JsFuture::from(promise.unchecked_into::<Promise>()).await.unwrap();
    assert_eq!(number(&reply.unchecked_into::<Uint8Array>().to_vec(), "n"), Some(1.0));
    assert_eq!(field(&engine.stats().unwrap_err(), "code").as_f64(), Some(11600.0));
}

#[wasm_bindgen_test]
async fn a_deleted_database_is_told_and_commands_fail() {
    let name = fresh("deleted").await;
    let hooks = hooks();
    let engine = Engine::open(config("indexeddb", &name), hooks.clone()).await.unwrap();
    idb::delete(name, TIMEOUT_MS).await.unwrap();
    assert_eq!(log(&hooks), "event connection-lost");
    let reply = run(&engine, &hooks, &insert(1, "one")).await;
    assert_eq!(number(&reply, "ok"), Some(0.0));
    close(&engine).await;
}

#[wasm_bindgen_test]
async fn databases_that_cannot_be_opened_are_typed_errors() {
    let name = fresh("newer").await;
    let body = "return new Promise((ok) => { indexedDB.open(name, 2).onsuccess = (e) => { e.target.result.close(); ok(); } })";
    JsFuture::from(javascript("name", body, &[(&name).into()]).unchecked_into::<Promise>()).await.unwrap();
    let refused = Engine::open(config("indexeddb", &name), hooks()).await.err().unwrap();
    assert_eq!(field(&refused, "codeName").as_string().unwrap(), "UnsupportedFormat");
    assert!(refused.is_instance_of::<js_sys::Error>());
    let refused = Engine::open(config("memory", &name), hooks()).await.err().unwrap();
    assert_eq!(field(&refused, "code").as_f64(), Some(2.0));
}

#[wasm_bindgen_test]
fn requests_need_a_region_and_bytes() {
    let engine = Engine::memory(config("memory", ""), hooks()).unwrap();
    assert!(engine.request_submit(7, 10).is_err());
    assert!(engine.request_ptr(0).is_err());
    let handle = engine.request_begin(16);
    assert!(engine.request_submit(handle, 17).is_err());
    engine.request_cancel(handle);
    assert!(engine.request_submit(handle, 16).is_err());
    // Bytes that are no document are a reply like any other.
    let handle = engine.request_begin(16);
    assert_eq!(engine.request_submit(handle, 16).unwrap(), 0.0);
    let reply = memory_view(engine.reply_ptr(), engine.reply_len()).to_vec();
    assert_eq!(number(&reply, "ok"), Some(0.0));
}

#[wasm_bindgen_test]
async fn a_call_from_inside_a_hook_is_refused_or_served_but_never_breaks_the_engine() {
    let name = fresh("inside").await;
    let calls: Rc<RefCell<Vec<bool>>> = Rc::default();
    let inner: Rc<RefCell<Option<Rc<Engine>>>> = Rc::default();
    let (seen, engine_inside) = (Rc::clone(&calls), Rc::clone(&inner));
    let reply = Closure::<dyn FnMut(f64, u32, u32)>::new(move |_: f64, _: u32, _: u32| {
        if let Some(engine) = engine_inside.borrow().as_ref() {
            let request = command("ping", "", |_| ());
            seen.borrow_mut()
                .push(engine.request_submit(write(engine, &request), request.len() as u32).is_ok());
        }
    });
    let body = "return { reply, event() {}, panic() {}, schedule: (run) => setTimeout(run, 0) }";
    let hooks: Hooks = javascript("reply", body, &[reply.as_ref().clone()]).unchecked_into();
    let engine = Rc::new(Engine::open(config("indexeddb", &name), hooks).await.unwrap());
    *inner.borrow_mut() = Some(Rc::clone(&engine));
    let request = insert(1, "one");
    engine.request_submit(write(&engine, &request), request.len() as u32).unwrap();
    close(&engine).await;
    // Closing had begun when the reply came, and that is the error it got; the engine itself was not at work.
    assert_eq!(*calls.borrow(), [false]);
    *inner.borrow_mut() = None;
}

//! What JavaScript gives the engine, and what it is given: configuration, hooks, time, randomness, errors.

use super::budget::ROWS_AT_FIRST;
use crate::command::{Settings, Version};
use crate::engine::{Config, Residency};
use crate::error::{Code, Error};
use crate::host::Host;
use crate::store::idb::OpenError;
use crate::store::{Durability, StoreError};
use js_sys::{Date, Function, Reflect, Uint8Array};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `EngineConfig` of the package.
    pub type EngineConfig;

    #[wasm_bindgen(method, getter)]
    pub fn store(this: &EngineConfig) -> String;
    #[wasm_bindgen(method, getter)]
    pub fn name(this: &EngineConfig) -> String;
    #[wasm_bindgen(method, getter, js_name = cacheBytesMax)]
    fn cache_bytes_max(this: &EngineConfig) -> f64;
    #[wasm_bindgen(method, getter)]
    fn durability(this: &EngineConfig) -> String;
    #[wasm_bindgen(method, getter, js_name = openTimeoutMS)]
    pub fn open_timeout_ms(this: &EngineConfig) -> f64;
    #[wasm_bindgen(method, getter)]
    fn version(this: &EngineConfig) -> String;

    /// `EngineHooks` of the package. What a hook throws is its own affair and stops nothing here.
    #[derive(Clone)]
    pub type Hooks;

    #[wasm_bindgen(method, catch)]
    pub fn reply(this: &Hooks, ticket: f64, pointer: u32, length: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn event(this: &Hooks, name: &str, detail: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = storeError)]
    pub fn store_error(this: &Hooks, error: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, getter)]
    pub fn guard(this: &Hooks) -> Option<Function>;
    #[wasm_bindgen(method, catch)]
    fn panic(this: &Hooks, text: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn schedule(this: &Hooks, run: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(array: &Uint8Array) -> Result<JsValue, JsValue>;
}

/// Bytes of documents in one reply of a cursor over IndexedDB (over memory MongoDB's 16 MB): asking for the next ones costs microseconds here, and what a reply takes
/// is memory that the page never gets back.
const BATCH_BYTES_MAX: usize = 1024 * 1024;

impl EngineConfig {
    /// The engine's own form of it.
    pub fn to_config(&self) -> Result<Config, Error> {
        let durability = match self.durability().as_str() {
            "relaxed" => Durability::Relaxed,
            "strict" => Durability::Strict,
            other => return Err(bad_value("durability", "'relaxed' or 'strict'", other)),
        };
        let version = match self.version().as_str() {
            "6.0" => Version::V6,
            "8.0" => Version::V8,
            other => return Err(bad_value("version", "'6.0' or '8.0'", other)),
        };
        let mut settings = Settings { version, ..Settings::default() };
        if self.store() != "memory" {
            settings.batch_bytes_max = BATCH_BYTES_MAX;
        }
        Ok(Config {
            cache_bytes_max: self.cache_bytes_max() as usize,
            durability,
            residency: Residency::All,
            step_budget_rows: Some(ROWS_AT_FIRST),
            settings,
        })
    }
}

fn bad_value(option: &str, wanted: &str, found: &str) -> Error {
    Error::new(Code::BadValue, format!("{option} must be {wanted}, not '{found}'"))
}

/// The host's clock and randomness.
pub struct Browser {
    bytes: Uint8Array,
}

impl Browser {
    /// Fails where there is no `crypto`.
    pub fn new() -> Result<Browser, Error> {
        let bytes = Uint8Array::new_with_length(16);
        match get_random_values(&bytes) {
            Ok(_) => Ok(Browser { bytes }),
            Err(_) => Err(Error::new(Code::InternalError, "crypto.getRandomValues is missing here")),
        }
    }
}

impl Host for Browser {
    fn now_ms(&mut self) -> i64 {
        Date::now() as i64
    }

    fn random(&mut self, out: &mut [u8]) {
        for chunk in out.chunks_mut(16) {
            // Not `expect`: it would print the thrown value, its stack and all.
            assert!(get_random_values(&self.bytes).is_ok(), "crypto.getRandomValues has stopped working");
            self.bytes.subarray(0, chunk.len() as u32).copy_to(chunk);
        }
    }
}

/// A JavaScript `Error` with `code` and `codeName`.
pub fn to_js_error(error: &Error) -> JsValue {
    let thrown = js_sys::Error::new(&error.message);
    let fields = [("code", JsValue::from(error.code.0)), ("codeName", JsValue::from(error.code.name()))];
    for (field, value) in fields {
        // Fails on frozen objects only.
        let _ = Reflect::set(&thrown, &field.into(), &value);
    }
    thrown.into()
}

/// The error for a database that did not open.
pub fn not_opened(error: &OpenError) -> Error {
    let code = match error {
        OpenError::Newer(_) | OpenError::Foreign(_) => Code::UnsupportedFormat,
        OpenError::Store(StoreError::Quota(_)) => Code::OutOfDiskSpace,
        OpenError::Store(_) => Code::HostUnreachable,
    };
    Error::new(code, error.to_string())
}

thread_local! {
    static TOLD_OF_PANICS: RefCell<Option<Hooks>> = const { RefCell::new(None) };
}

/// Has panics told to these hooks, before the trap that follows.
pub fn tell_of_panics(hooks: &Hooks) {
    TOLD_OF_PANICS.set(Some(hooks.clone()));
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        TOLD_OF_PANICS.with_borrow(|hooks| hooks.as_ref().map(|hooks| hooks.panic(&text)));
    }));
}

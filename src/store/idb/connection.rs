//! The two objects of IndexedDB that `web-sys` does not show whole.

use crate::store::Durability;
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbTransaction};

#[wasm_bindgen]
extern "C" {
    /// `IDBDatabase`: the `durability` option of `transaction()` is behind a compiler flag in `web-sys`.
    #[wasm_bindgen(extends = IdbDatabase)]
    pub type Connection;

    /// `IDBTransaction`: `commit()` is marked there as deprecated, which it is not.
    #[wasm_bindgen(extends = IdbTransaction)]
    #[derive(Clone)]
    pub type Transaction;

    #[wasm_bindgen(method, catch)]
    pub fn commit(this: &Transaction) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn transaction(
        this: &Connection,
        stores: &Array,
        mode: &str,
        options: &Object,
    ) -> Result<Transaction, JsValue>;
}

impl Connection {
    /// Begins a transaction.
    pub fn begin(&self, stores: &[&str], mode: &str, durability: Durability) -> Result<Transaction, JsValue> {
        let names: Array = stores.iter().map(|name| JsValue::from_str(name)).collect();
        let options = Object::new();
        let durability = match durability {
            Durability::Relaxed => "relaxed",
            Durability::Strict => "strict",
        };
        Reflect::set(&options, &"durability".into(), &durability.into())?;
        self.transaction(&names, mode, &options)
    }
}

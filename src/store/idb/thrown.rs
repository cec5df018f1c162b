//! What the browser threw or reported, and what it means.

use crate::store::StoreError;
use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// What a browser threw or reported: its name and text.
pub(super) struct Thrown {
    pub name: String,
    pub text: String,
}

impl Thrown {
    pub fn of(value: &JsValue) -> Thrown {
        let field =
            |key: &str| Reflect::get(value, &key.into()).ok().and_then(|v| v.as_string()).unwrap_or_default();
        let (name, message) = (field("name"), field("message"));
        let text = if message.is_empty() { name.clone() } else { format!("{name}: {message}") };
        Thrown { name, text }
    }

    /// What it means for a transaction that could not be made, or was aborted without our doing.
    pub fn into_store_error(self) -> StoreError {
        match self.name.as_str() {
            "QuotaExceededError" => StoreError::Quota(self.text),
            // A connection that is closing refuses transactions with the first and aborts them with the second.
            "InvalidStateError" | "AbortError" | "" => StoreError::ConnectionLost(self.text),
            _ => StoreError::Aborted(self.text),
        }
    }
}

impl From<JsValue> for Thrown {
    fn from(value: JsValue) -> Thrown {
        Thrown::of(&value)
    }
}

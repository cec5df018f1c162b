//! What the contexts of one database tell each other: that a commit has landed, and its number.
//!
//! A notice costs nobody anything but freshness when it is late or lost: safety is the fence of the commits. It is a text,
//! the database's id and the number, over a BroadcastChannel of the database's name. Where there is none (some
//! embedded browsers), contexts learn of each other when they write.

use crate::engine::Engine;
use crate::pager::CommitNumber;
use js_sys::Function;
use std::cell::Cell;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `BroadcastChannel`.
    #[wasm_bindgen(js_name = BroadcastChannel)]
    type Channel;

    #[wasm_bindgen(constructor, catch, js_class = "BroadcastChannel")]
    fn new(name: &str) -> Result<Channel, JsValue>;
    #[wasm_bindgen(method, catch, js_name = postMessage)]
    fn post_message(this: &Channel, text: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, setter, js_name = onmessage)]
    fn set_onmessage(this: &Channel, hear: Option<&Function>);
    #[wasm_bindgen(method)]
    fn close(this: &Channel);

    /// `MessageEvent`.
    type Message;
    #[wasm_bindgen(method, getter)]
    fn data(this: &Message) -> JsValue;
}

/// The channel of one engine.
pub(super) struct Notices {
    channel: Channel,
    /// The last number that was told, or known when the channel was opened.
    told: Cell<u64>,
    _hear: Closure<dyn FnMut(Message)>,
}

impl Notices {
    /// Opens the channel of a database; `None` where the browser has no such thing. `hear` gets the texts of others.
    pub fn open(
        name: &str,
        guard: Option<Function>,
        mut hear: impl FnMut(String) + 'static,
    ) -> Option<Notices> {
        let channel = Channel::new(&format!("pandodb:{name}")).ok()?;
        let hear = Closure::new(move |message: Message| {
            if let Some(text) = message.data().as_string() {
                hear(text);
            }
        });
        let callback: &Function = hear.as_ref().unchecked_ref();
        let guarded = guard.and_then(|guard| guard.call1(&JsValue::UNDEFINED, callback).ok());
        match guarded.as_ref().and_then(|guarded| guarded.dyn_ref::<Function>()) {
            Some(guarded) => channel.set_onmessage(Some(guarded)),
            None => channel.set_onmessage(Some(callback)),
        }
        Some(Notices { channel, told: Cell::new(0), _hear: hear })
    }

    /// Tells the others where the engine stands, if that has moved.
    pub fn tell(&self, engine: &Engine) {
        let Some(pager) = engine.pager() else { return };
        let number = pager.number().0;
        if self.told.replace(number.max(self.told.get())) < number {
            let _ = self.channel.post_message(&format!("{}:{number}", hex(&pager.database().0)));
        }
    }
}

impl Notices {
    /// Closes the channel: nothing is told or heard any more.
    pub fn end(&self) {
        self.channel.set_onmessage(None);
        self.channel.close();
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        self.end();
    }
}

/// Tells an engine of another's commit. A text of another database of this name, or that is none of ours, is passed over.
pub(super) fn hear(engine: &mut Engine, text: &str) {
    let Some((database, number)) = text.split_once(':') else { return };
    let is_ours = engine.pager().is_some_and(|pager| hex(&pager.database().0) == database);
    if let (true, Ok(number)) = (is_ours, number.parse()) {
        engine.learn_of(CommitNumber(number));
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

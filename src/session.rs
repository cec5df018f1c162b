//! The host in its smallest form: performs the engine's effects on a store that answers at once, or on one that answers
//! when it is asked again. For tests, benchmarks, and the memory store behind synchronous calls.

use crate::command::running::TaskId;
use crate::engine::{Effect, EffectToken, Engine};
use crate::store::{PageStore, Request, RequestId};
use std::collections::BTreeMap;

/// An engine and its store.
pub struct Session<S: PageStore> {
    pub engine: Engine,
    pub store: S,
    begun: BTreeMap<RequestId, EffectToken>,
    replies: BTreeMap<TaskId, Vec<u8>>,
}

impl<S: PageStore> Session<S> {
    /// A session of an engine that was just opened.
    pub fn new(engine: Engine, store: S) -> Session<S> {
        Session { engine, store, begun: BTreeMap::new(), replies: BTreeMap::new() }
    }

    /// Submits a command; its reply is taken by [`Session::take_reply`].
    pub fn submit(&mut self, request: Vec<u8>) -> TaskId {
        self.engine.submit(request)
    }

    /// Runs until nothing more can be done without the store's next event. Gives whether anything was done.
    pub fn pump(&mut self) -> bool {
        let mut did_something = false;
        while self.pump_once() {
            did_something = true;
        }
        did_something
    }

    /// One effect performed, or one event taken. Gives whether there was any.
    pub fn pump_once(&mut self) -> bool {
        if let Some((token, effect)) = self.engine.advance(None) {
            self.perform(token, effect);
            return true;
        }
        let Some((id, outcome)) = self.store.take_event() else { return false };
        if let Some(token) = self.begun.remove(&id) {
            self.engine.on_store_event(token, outcome);
        }
        true
    }

    /// Runs a command to its end. `None` if the store never answers.
    pub fn command(&mut self, request: Vec<u8>) -> Option<Vec<u8>> {
        let task = self.submit(request);
        loop {
            if let Some(reply) = self.take_reply(task) {
                return Some(reply);
            }
            if !self.pump() {
                return self.take_reply(task);
            }
        }
    }

    /// The reply of a command, if it has come.
    pub fn take_reply(&mut self, task: TaskId) -> Option<Vec<u8>> {
        self.replies.remove(&task)
    }

    fn perform(&mut self, token: EffectToken, effect: Effect) {
        let request = match effect {
            Effect::Load(read) => Request::Read(read),
            Effect::Commit(commit) => Request::Commit(commit),
            Effect::Yield => return self.engine.resume(),
            Effect::Reply { task, bytes } => {
                self.replies.insert(task, bytes);
                return;
            }
        };
        let id = self.store.begin(request);
        self.begun.insert(id, token);
    }
}

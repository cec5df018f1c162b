//! The host in its smallest form, for tests and benchmarks: commands in, replies out, nothing in between.

use crate::command::running::TaskId;
use crate::engine::Engine;
use crate::host_loop::{HostLoop, Turn};
use crate::store::PageStore;
use std::collections::BTreeMap;

/// A host whose replies are kept until they are asked for.
pub struct Session<S: PageStore> {
    pub host: HostLoop<S>,
    replies: BTreeMap<TaskId, Vec<u8>>,
}

impl<S: PageStore> Session<S> {
    /// A session of an engine that was just opened.
    pub fn new(engine: Engine, store: S) -> Session<S> {
        Session { host: HostLoop::new(engine, store), replies: BTreeMap::new() }
    }

    /// Submits a command; its reply is taken by [`Session::take_reply`].
    pub fn submit(&mut self, request: Vec<u8>) -> TaskId {
        self.host.engine.submit(request)
    }

    /// One effect performed, or one event taken. Gives whether there was any.
    pub fn pump_once(&mut self) -> bool {
        match self.host.step() {
            None => return false,
            Some(Turn::Reply { task, bytes }) => {
                self.replies.insert(task, bytes);
            }
            Some(Turn::Yield) => self.host.engine.resume(),
            Some(Turn::Idle) => {}
        }
        true
    }

    /// Runs until nothing more can be done without the store's next event. Gives whether anything was done.
    pub fn pump(&mut self) -> bool {
        let mut did_something = false;
        while self.pump_once() {
            did_something = true;
        }
        did_something
    }

    /// Runs a command to its end. `None` if the store never answers.
    pub fn command(&mut self, request: Vec<u8>) -> Option<Vec<u8>> {
        let task = self.submit(request);
        loop {
            if let Some(reply) = self.take_reply(task) {
                return Some(reply);
            }
            if !self.pump_once() {
                return None;
            }
        }
    }

    /// The reply of a command, if it has come.
    pub fn take_reply(&mut self, task: TaskId) -> Option<Vec<u8>> {
        self.replies.remove(&task)
    }
}

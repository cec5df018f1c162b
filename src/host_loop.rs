//! The host's side of the engine, without the waiting: performs effects on a store and feeds events back, until
//! something has to be done elsewhere.
//!
//! 1. Every event of the store reaches the engine before the engine is asked for its next effect.
//! 2. [`Turn::Idle`] is said only when neither the engine nor the store has anything left; the next turn is due when
//!    the store has an event, or a command is submitted.
//!
//! Deliberately absent: what a reply is for, when to come back after a yield, and JavaScript.

use crate::command::running::TaskId;
use crate::engine::{Effect, EffectToken, Engine};
use crate::sorted::SortedMap;
use crate::store::{Outcome, PageStore, Request, RequestId};

/// What the host has to do itself.
pub enum Turn {
    /// A command is answered.
    Reply { task: TaskId, bytes: Vec<u8> },
    /// The thread is to be given back; then [`Engine::resume`].
    Yield,
    /// Nothing more can be done now.
    Idle,
}

/// What went to and came from the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub reads: u64,
    /// Values: pages, commit records and meta records.
    pub values_read: u64,
    pub bytes_read: u64,
    pub commits: u64,
    pub values_written: u64,
    pub bytes_written: u64,
    /// Requests of temporary chunks, and the bytes of chunks.
    pub spills: u64,
    pub spill_bytes_written: u64,
    pub spill_bytes_read: u64,
}

/// An engine at work on a store.
pub struct HostLoop<S> {
    pub engine: Engine,
    pub store: S,
    pub traffic: Traffic,
    begun: SortedMap<RequestId, EffectToken>,
}

impl<S: PageStore> HostLoop<S> {
    /// Puts an engine that was just opened to work.
    pub fn new(engine: Engine, store: S) -> HostLoop<S> {
        HostLoop { engine, store, traffic: Traffic::default(), begun: SortedMap::new() }
    }

    /// Works until something is to be done elsewhere; a preferred command first.
    pub fn turn(&mut self, preferred: Option<TaskId>) -> Turn {
        loop {
            let heard = self.hear();
            match self.perform_next(preferred) {
                Some(Turn::Idle) => {}
                Some(turn) => return turn,
                None if heard => {}
                None => return Turn::Idle,
            }
        }
    }

    /// The smallest piece of work: one effect, or one event. `Turn::Idle` is work that asks nothing of the host; `None`:
    /// there is nothing to be done. For tests that look between the pieces.
    pub fn step(&mut self) -> Option<Turn> {
        self.perform_next(None).or_else(|| self.hear_one().then_some(Turn::Idle))
    }

    fn perform_next(&mut self, preferred: Option<TaskId>) -> Option<Turn> {
        let (token, effect) = self.engine.advance(preferred)?;
        Some(match effect {
            Effect::Load(read) => self.begin(token, Request::Read(read)),
            Effect::Commit(commit) => self.begin(token, Request::Commit(commit)),
            Effect::Spill(temp) => self.begin(token, Request::Temp(temp)),
            Effect::Reply { task, bytes } => Turn::Reply { task, bytes },
            Effect::Yield => Turn::Yield,
        })
    }

    /// Tells the engine all events that are there, and whether there were any.
    fn hear(&mut self) -> bool {
        let mut heard = false;
        while self.hear_one() {
            heard = true;
        }
        heard
    }

    fn hear_one(&mut self) -> bool {
        let Some((id, outcome)) = self.store.take_event() else { return false };
        self.traffic.count_reply(&outcome);
        if let Some(token) = self.begun.remove(&id) {
            self.engine.on_store_event(token, outcome);
        }
        true
    }

    fn begin(&mut self, token: EffectToken, request: Request) -> Turn {
        self.traffic.count_request(&request);
        let id = self.store.begin(request);
        self.begun.insert(id, token);
        Turn::Idle
    }
}

impl Traffic {
    fn count_request(&mut self, request: &Request) {
        let commit = match request {
            Request::Commit(commit) => commit,
            Request::Read(_) => {
                self.reads += 1;
                return;
            }
            Request::Temp(temp) => {
                self.spills += 1;
                self.spill_bytes_written += temp.put_bytes() as u64;
                return;
            }
        };
        self.commits += 1;
        let values = commit.puts.iter().map(|(_, v)| v).chain(commit.metas.iter().map(|(_, v)| v));
        for value in values.chain([&commit.record]) {
            self.values_written += 1;
            self.bytes_written += value.len() as u64;
        }
    }

    fn count_reply(&mut self, outcome: &Outcome) {
        if let Outcome::Temp(chunks) = outcome {
            self.spill_bytes_read += chunks.iter().map(|chunk| chunk.len() as u64).sum::<u64>();
        }
        let Outcome::Read(reply) = outcome else { return };
        let pages = reply.pages.iter().filter_map(|(_, v)| v.as_ref());
        let values =
            pages.chain(reply.metas.iter().map(|(_, v)| v)).chain(reply.records.iter().map(|(_, v)| v));
        for value in values {
            self.values_read += 1;
            self.bytes_read += value.len() as u64;
        }
    }
}

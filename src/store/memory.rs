//! A store in memory that answers at once: for `memory://`, for servers and for most tests.
//!
//! 1. The event of a request is there when `begin` returns.
//! 2. Handles made by [`MemoryStore::another`] share one data, as the contexts of one browser do.
//!
//! Deliberately absent: anything that outlives the last handle.

use super::data::Data;
use super::temp::TempChunks;
use super::{MetaKey, Outcome, PageStore, Request, RequestId};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A handle on a store in memory.
pub struct MemoryStore {
    data: Rc<RefCell<Data>>,
    temp: TempChunks,
    last_request: u64,
    events: VecDeque<(RequestId, Outcome)>,
}

impl MemoryStore {
    /// Creates a store that holds these meta records.
    pub fn new(first_metas: Vec<(MetaKey, Vec<u8>)>) -> MemoryStore {
        MemoryStore::on(Rc::new(RefCell::new(Data::new(first_metas))))
    }

    /// Opens data that exists.
    pub fn on(data: Rc<RefCell<Data>>) -> MemoryStore {
        MemoryStore { data, temp: TempChunks::default(), last_request: 0, events: VecDeque::new() }
    }

    /// Another handle on the same data, with no requests of its own.
    pub fn another(&self) -> MemoryStore {
        MemoryStore::on(self.data())
    }

    /// The data, to be looked at or damaged by a test.
    pub fn data(&self) -> Rc<RefCell<Data>> {
        Rc::clone(&self.data)
    }

    /// The temporary chunks of this handle.
    pub fn temp(&self) -> &TempChunks {
        &self.temp
    }
}

impl PageStore for MemoryStore {
    fn begin(&mut self, request: Request) -> RequestId {
        let outcome = match request {
            Request::Read(read) => Outcome::Read(self.data.borrow().read(&read)),
            Request::Commit(commit) => match self.data.borrow_mut().commit(commit) {
                Ok(number) => Outcome::Landed(number),
                Err(found) => Outcome::Conflict { found },
            },
            Request::Temp(temp) => match self.temp.perform(temp) {
                Ok(chunks) => Outcome::Temp(chunks),
                Err(error) => Outcome::Failed(error),
            },
        };
        self.last_request += 1;
        let id = RequestId(self.last_request);
        self.events.push_back((id, outcome));
        id
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        self.events.pop_front()
    }
}

//! Loads: opening, pages for a task, catching up.

use super::{Awaited, Effect, Engine, Phase, TaskState, open_error};
use crate::command::running::TaskId;
use crate::error::{Code, Error};
use crate::pager::state::{Loaded, Pager};
use crate::pager::{CommitNumber, PageSet};
use crate::step::Stop;
use crate::store::{Outcome, ReadRequest, StoreError};

impl Engine {
    pub(super) fn opened(&mut self, outcome: Outcome) {
        let reply = match outcome {
            Outcome::Read(reply) => reply,
            other => return self.die(read_error(other)),
        };
        let mut writer = [0; 8];
        self.host.random(&mut writer);
        match Pager::open(&reply, self.config.cache_bytes_max, u64::from_le_bytes(writer)) {
            Ok(pager) => {
                self.pager = Some(pager);
                self.phase = Phase::Running;
            }
            Err(error) => self.die(open_error(error)),
        }
    }

    /// Asks for a task's missing pages.
    pub(super) fn load(&mut self, task: TaskId, pages: PageSet) {
        let Some(pager) = &self.pager else { return };
        let issued_at = pager.checkpoint();
        if let Some(task) = self.tasks.get_mut(&task) {
            task.state = TaskState::Loading;
        }
        let read = ReadRequest { metas: false, records_after: None, pages: pages.0 };
        self.emit(Effect::Load(read), Some(Awaited::Pages { task, issued_at }));
    }

    pub(super) fn pages_arrived(&mut self, id: TaskId, issued_at: CommitNumber, outcome: Outcome) {
        let reply = match outcome {
            Outcome::Read(reply) => reply,
            other => return self.die(read_error(other)),
        };
        let Some(pager) = &mut self.pager else { return };
        let mut pinned = Vec::new();
        let loaded = pager.loaded(issued_at, reply, self.verify_page, |page| pinned.push(page));
        let Some(task) = self.tasks.get_mut(&id) else {
            for page in pinned {
                pager.cache_mut().unpin(page);
            }
            return;
        };
        task.pins.append(&mut pinned);
        match loaded {
            Loaded::Ready => {
                task.lost_page = false;
                self.wake(id);
            }
            Loaded::CatchUp => {
                task.lost_page = true;
                self.wake(id);
                self.catch_up();
            }
            Loaded::Damaged(damage) => match Stop::from(crate::pager::Fault::Damaged(damage)) {
                Stop::Failed(error) => self.fail(id, error),
                Stop::Missing(_) | Stop::Yield | Stop::Spill(_) => unreachable!("damage is a failure"),
            },
        }
    }

    /// A task may go on.
    pub(super) fn wake(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get_mut(&id) else { return };
        task.state = TaskState::Runnable;
        if !task.writes && !self.readers.contains(&id) {
            self.readers.push_back(id);
        }
    }

    /// Reads where the store stands; until then nothing is sent. Waits for the attempt in flight, whose event decides.
    pub(super) fn catch_up(&mut self) {
        if !matches!(self.phase, Phase::Running) {
            return;
        }
        self.phase = Phase::CatchingUp;
        if !self.pager.as_ref().is_some_and(Pager::is_sending) {
            self.read_state();
        }
    }

    /// Catches up if another context is known to be ahead.
    pub(super) fn catch_up_if_behind(&mut self) {
        if self.pager.as_ref().is_some_and(|pager| pager.number() < self.heard_of) {
            self.catch_up();
        }
    }

    pub(super) fn read_state(&mut self) {
        let read = ReadRequest { metas: true, records_after: Some(CommitNumber(0)), pages: Vec::new() };
        self.emit(Effect::Load(read), Some(Awaited::CatchUp));
    }

    pub(super) fn caught_up(&mut self, outcome: Outcome) {
        let reply = match outcome {
            Outcome::Read(reply) => reply,
            other => return self.die(read_error(other)),
        };
        let Some(pager) = &mut self.pager else { return };
        let before = pager.number();
        if let Err(error) = pager.reset(&reply) {
            return self.die(open_error(error));
        }
        let nothing_new = pager.number() == before;
        // What was told and is not in the store by now, after the transaction that it was told of, is not to come.
        self.heard_of = pager.number();
        self.phase = Phase::Running;
        self.requeue_all();
        if nothing_new {
            self.missing_for_good();
        } else {
            for task in self.tasks.values_mut() {
                task.running.state_read_anew();
            }
        }
        for task in self.tasks.values_mut() {
            task.lost_page = false;
        }
    }

    /// The store stands where this context stands, and yet a page was not there: it is lost (rule 22).
    fn missing_for_good(&mut self) {
        let what = "a page that is referred to is not in the store";
        self.catalog.clear();
        let error = Error::new(Code::DataCorruptionDetected, format!("the stored data is damaged: {what}"));
        let suspects: Vec<TaskId> =
            self.tasks.iter().filter(|(_, t)| t.lost_page).map(|(id, _)| *id).collect();
        for id in suspects {
            self.fail(id, error.clone());
        }
    }
}

/// The error of a read that failed.
pub(super) fn read_error(outcome: Outcome) -> Error {
    match outcome {
        Outcome::Failed(StoreError::ConnectionLost(text)) => {
            let mut error = Error::new(
                Code::InterruptedAtShutdown,
                format!("the connection to the store was lost: {text}"),
            );
            error.labels.push("RetryableWriteError");
            error
        }
        Outcome::Failed(error) => Error::new(Code::OperationFailed, error.to_string()),
        Outcome::Read(_) | Outcome::Temp(_) | Outcome::Landed(_) | Outcome::Conflict { .. } => {
            Error::new(Code::InternalError, "the store answered a read with something else")
        }
    }
}

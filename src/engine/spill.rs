//! Temporary storage: what tasks put aside, and what becomes free again.
//!
//! 1. A chunk belongs to whoever holds its [`TempChunk`]; dropped, its key is on the list of freed ones, and is deleted
//!    with the next effect of temporary storage, or with one of its own once the engine is idle or many have gathered.
//! 2. An answer reaches the step that asked and no other: a task that was set back in between does not get it.
//!
//! Deliberately absent: what is in the chunks (`exec/`).

use super::load::read_error;
use super::{Awaited, Effect, Engine, TaskState};
use crate::command::running::TaskId;
use crate::error::{Code, Error};
use crate::step::{SpillReply, SpillRequest, TempChunk};
use crate::store::{Outcome, StoreError, TempKey, TempRequest};

/// How many freed chunks gather while the engine is busy.
const FREED_CHUNKS_MAX: usize = 256;

/// A request under way.
pub(super) struct Spilling {
    /// Who asked; nobody where chunks are only freed.
    task: Option<TaskId>,
    puts: Vec<TempKey>,
    deletes: Vec<TempKey>,
}

impl Engine {
    /// Performs what a task asks.
    pub(super) fn spill(&mut self, id: TaskId, request: SpillRequest) {
        let mut puts = Vec::with_capacity(request.puts.len());
        for bytes in request.puts {
            self.last_temp += 1;
            puts.push((TempKey(self.last_temp), bytes));
        }
        let deletes = self.take_freed();
        let keys = puts.iter().map(|(key, _)| *key).collect();
        let spilling = Spilling { task: Some(id), puts: keys, deletes: deletes.clone() };
        let request = TempRequest { puts, gets: request.gets, deletes };
        let token = self.emit(Effect::Spill(request), Some(Awaited::Spill(spilling)));
        if let Some(task) = self.tasks.get_mut(&id) {
            task.state = TaskState::Spilling(token);
        }
    }

    fn take_freed(&mut self) -> Vec<TempKey> {
        let mut keys = std::mem::take(&mut self.undeleted);
        keys.append(&mut self.freed.borrow_mut());
        keys
    }

    /// Deletes what was freed, if it is time. Gives whether there is an effect now.
    pub(super) fn free_chunks(&mut self) -> bool {
        let freed = self.freed.borrow().len();
        if freed == 0 || (freed < FREED_CHUNKS_MAX && !self.tasks.is_empty()) {
            return false;
        }
        let deletes = self.take_freed();
        let spilling = Spilling { task: None, puts: Vec::new(), deletes: deletes.clone() };
        let request = TempRequest { deletes, ..TempRequest::default() };
        self.emit(Effect::Spill(request), Some(Awaited::Spill(spilling)));
        true
    }

    /// The temporary storage has answered.
    pub(super) fn spilled(&mut self, token: super::EffectToken, spilling: Spilling, outcome: Outcome) {
        let asked = spilling.task.filter(|id| {
            let task = self.tasks.get(id);
            task.is_some_and(|task| matches!(task.state, TaskState::Spilling(other) if other == token))
        });
        match outcome {
            Outcome::Temp(bytes) => {
                let chunks = spilling.puts.iter().map(|key| TempChunk::new(*key, &self.freed)).collect();
                // Where nobody waits any more, dropping the answer frees its chunks.
                let reply = SpillReply { chunks, bytes };
                if let Some(id) = asked {
                    if let Some(task) = self.tasks.get_mut(&id) {
                        task.spilled = Some(reply);
                    }
                    self.wake(id);
                }
            }
            Outcome::Failed(StoreError::ConnectionLost(_)) => self.die(read_error(outcome)),
            Outcome::Failed(error) => {
                // These are tried again beside the next ones, not by themselves: that could go on for ever.
                self.undeleted.extend(spilling.deletes);
                if let Some(id) = asked {
                    self.fail(id, spill_error(&error));
                }
            }
            other => self.die(read_error(other)),
        }
    }
}

fn spill_error(error: &StoreError) -> Error {
    match error {
        StoreError::Quota(text) => Error::new(
            Code::OutOfDiskSpace,
            format!("the browser has no room for the temporary data of the operation: {text}"),
        ),
        StoreError::Aborted(_) | StoreError::ConnectionLost(_) | StoreError::Unavailable(_) => {
            Error::new(Code::OperationFailed, format!("the temporary storage failed: {error}"))
        }
    }
}

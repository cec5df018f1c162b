//! Which task runs, for how long, and what its stops become.

use super::{Effect, EffectToken, Engine, Phase, Residency, TaskState};
use crate::command::error_reply;
use crate::command::running::{Context, Progress, TaskId};
use crate::error::{Code, Error};
use crate::step::{Step, Stop};

impl Engine {
    /// The next effect, running tasks as far as they go; a preferred one first. `None`: nothing can be done before the
    /// host answers an effect, calls [`Engine::resume`] or submits.
    pub fn advance(&mut self, preferred: Option<TaskId>) -> Option<(EffectToken, Effect)> {
        loop {
            if let Some(effect) = self.effects.pop_front() {
                return Some(effect);
            }
            if matches!(self.phase, Phase::Running) && std::mem::take(&mut self.asks_for_state) {
                self.catch_up_if_behind();
                continue;
            }
            if !matches!(self.phase, Phase::Running) {
                return None;
            }
            match self.next_runnable(preferred) {
                Some(task) => self.run(task),
                None if self.should_send() => self.send(),
                None if self.free_chunks() => {}
                None => return None,
            }
        }
    }

    /// The thread was given back: tasks that yielded go on.
    pub fn resume(&mut self) {
        for task in self.tasks.values_mut() {
            if matches!(task.state, TaskState::Yielded) {
                task.state = TaskState::Runnable;
            }
        }
    }

    fn next_runnable(&mut self, preferred: Option<TaskId>) -> Option<TaskId> {
        let runnable =
            |id: &TaskId| self.tasks.get(id).is_some_and(|task| matches!(task.state, TaskState::Runnable));
        let writer = self.writers.front().copied().filter(runnable);
        if let Some(id) = preferred
            && runnable(&id)
            && (writer == Some(id) || self.readers.contains(&id))
        {
            return Some(id);
        }
        let reader = self.readers.iter().position(runnable);
        match reader {
            // Readers first: they are short, and a writer that waits for its commit gains nothing by being first.
            Some(place) => {
                let id = self.readers.remove(place)?;
                self.readers.push_back(id);
                Some(id)
            }
            None => writer,
        }
    }

    /// Runs a task until it stops, ends, or has used its budget.
    fn run(&mut self, id: TaskId) {
        let mut budget = self.config.step_budget_rows;
        loop {
            if self.end_if_due(id) || self.block_if_full(id) {
                return;
            }
            let (step, spent) = self.step(id);
            match step {
                Ok(Progress::More) => self.step_succeeded(id),
                Ok(Progress::Reply(reply)) => {
                    self.step_succeeded(id);
                    return self.done(id, reply);
                }
                Err(Stop::Missing(pages)) => return self.load(id, pages),
                Err(Stop::Yield) => return self.give_way(id),
                Err(Stop::Spill(request)) => {
                    self.step_succeeded(id);
                    return self.spill(id, request);
                }
                Err(Stop::Failed(error)) => return self.fail(id, error),
            }
            if let Some(rows) = &mut budget {
                match rows.checked_sub(spent + 1) {
                    Some(left) => *rows = left,
                    None => return self.give_way(id),
                }
            }
        }
    }

    fn give_way(&mut self, id: TaskId) {
        if let Some(task) = self.tasks.get_mut(&id) {
            task.state = TaskState::Yielded;
        }
        self.emit(Effect::Yield, None);
    }

    /// Ends a task that was aborted or is out of time, between two documents.
    fn end_if_due(&mut self, id: TaskId) -> bool {
        let Some(task) = self.tasks.get_mut(&id) else { return true };
        if task.running.is_mid_document() {
            return false;
        }
        if let Some(error) = task.aborted.take() {
            self.fail(id, error);
            return true;
        }
        let deadline = task.deadline_ms;
        if deadline.is_some_and(|deadline| self.host.now_ms() > deadline) {
            self.fail(id, Error::new(Code::MaxTimeMSExpired, "operation exceeded time limit"));
            return true;
        }
        false
    }

    /// A writer with a full set sends it and goes on; with another one still in flight it waits.
    fn block_if_full(&mut self, id: TaskId) -> bool {
        let Some(task) = self.tasks.get_mut(&id) else { return true };
        let Some(pager) = &mut self.pager else { return true };
        if !task.writes || task.running.is_mid_document() || !pager.has_changes() || !pager.is_set_full() {
            return false;
        }
        if pager.is_sending() {
            task.state = TaskState::Blocked;
            return true;
        }
        self.send();
        // The effect goes out before the writer fills the next set.
        true
    }

    fn step(&mut self, id: TaskId) -> (Step<Progress>, u32) {
        let is_writer = self.tasks.get(&id).is_some_and(|task| task.writes);
        if is_writer {
            self.join_set(id);
        }
        let (Some(task), Some(pager)) = (self.tasks.get_mut(&id), self.pager.as_mut()) else {
            return (Err(Stop::Yield), 0);
        };
        let mutations = pager.mutations();
        let mut cx = Context {
            pager,
            catalog: &mut self.catalog,
            host: &mut *self.host,
            cursors: &mut self.cursors,
            settings: &self.config.settings,
            last_timestamp: &mut self.last_timestamp,
            task: id,
            spilled: &mut task.spilled,
            rows_spent: 0,
        };
        let step = task.running.step(&mut cx);
        let spent = cx.rows_spent;
        if !matches!(step, Err(Stop::Missing(_) | Stop::Yield)) {
            // It was taken by whoever asked; if not, nobody asks any more.
            task.spilled = None;
        }
        if is_writer && self.pager.as_ref().is_some_and(|pager| pager.mutations() != mutations) {
            self.note_write(id);
        }
        (step, spent)
    }

    fn step_succeeded(&mut self, id: TaskId) {
        if self.tasks.get(&id).is_some_and(|task| !task.pins.is_empty()) {
            self.unpin(id);
        }
        let Some(pager) = &mut self.pager else { return };
        match self.config.residency {
            Residency::All => {}
            Residency::None => pager.cache_mut().evict_unless(|_| false),
            Residency::Random(_) => {
                let state = &mut self.random_state;
                pager.cache_mut().evict_unless(|_| {
                    *state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    *state >> 62 != 0
                });
            }
        }
    }

    fn done(&mut self, id: TaskId, reply: Vec<u8>) {
        if self.tasks.get(&id).is_some_and(|task| task.writes) {
            self.writer_done(id, reply);
        } else {
            self.finish(id, reply);
        }
    }

    /// Ends a task with an error. A writer that fails half way through a document takes the set with it, and the
    /// others that wrote there are done again.
    pub(super) fn fail(&mut self, id: TaskId, error: Error) {
        let Some(task) = self.tasks.get(&id) else { return };
        if !task.writes {
            return self.finish(id, error_reply(&error));
        }
        if task.running.is_mid_document() {
            self.drop_gathering_set();
            return self.finish(id, error_reply(&error));
        }
        self.writer_done(id, error_reply(&error));
    }
}

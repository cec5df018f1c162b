//! Commits: when a set is sent, and what becomes of its writers.

use super::{Awaited, Effect, Engine, Member, Phase, TaskState};
use crate::command::error_reply;
use crate::command::running::TaskId;
use crate::error::{Code, Error};
use crate::store::{Durability, Outcome, StoreError};

impl Engine {
    /// Whether the set that gathers should go now: nothing in flight, no document half written, and either it is full
    /// or nobody is just about to add to it.
    pub(super) fn should_send(&mut self) -> bool {
        let Some(pager) = &mut self.pager else { return false };
        if !matches!(self.phase, Phase::Running) || pager.is_sending() || !pager.has_changes() {
            return false;
        }
        let Some(front) = self.writers.front() else { return true };
        let Some(task) = self.tasks.get(front) else { return true };
        if task.running.is_mid_document() {
            return false;
        }
        // A command is not cut while it is under way, unless the set is full: a small one lands whole or not at all.
        pager.is_set_full() || !self.set_members.iter().any(|member| member.task == *front)
    }

    pub(super) fn send(&mut self) {
        let Some(pager) = &mut self.pager else { return };
        let durability = std::mem::replace(&mut self.set_durability, Durability::Relaxed);
        let request = pager.send(durability.max(self.config.durability));
        self.inflight_members = std::mem::take(&mut self.set_members);
        self.set += 1;
        self.emit(Effect::Commit(request), Some(Awaited::Commit));
    }

    /// Enters a writer into the set that gathers, with the position it had before it first ran there.
    pub(super) fn join_set(&mut self, id: TaskId) {
        let set = self.set;
        let Some(task) = self.tasks.get_mut(&id) else { return };
        if task.saved_in == Some(set) {
            return;
        }
        task.saved_in = Some(set);
        let saved = task.running.save();
        self.set_durability = self.set_durability.max(task.running.durability());
        self.set_members.push(Member { task: id, saved, wrote: false });
    }

    /// A writer has changed something in the set that gathers.
    pub(super) fn note_write(&mut self, id: TaskId) {
        if let Some(member) = self.set_members.iter_mut().find(|member| member.task == id) {
            member.wrote = true;
        }
    }

    /// A writer is done. It is answered once everything it saw and wrote is in the store.
    pub(super) fn writer_done(&mut self, id: TaskId, reply: Vec<u8>) {
        self.sweep_once();
        self.unpin(id);
        self.writers.retain(|other| *other != id);
        let Some(pager) = &self.pager else { return };
        if !pager.has_changes() {
            let Some(place) = self.set_members.iter().position(|member| member.task == id) else {
                return self.finish(id, reply);
            };
            let member = self.set_members.remove(place);
            if !pager.is_sending() {
                return self.finish(id, reply);
            }
            if !self.inflight_members.iter().any(|other| other.task == id) {
                self.inflight_members.push(member);
            }
        }
        if let Some(task) = self.tasks.get_mut(&id) {
            task.state = TaskState::Waiting(reply);
        }
    }

    pub(super) fn commit_ended(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Landed(_) => self.landed(),
            Outcome::Conflict { .. } => {
                self.phase = Phase::CatchingUp;
                self.drop_sets();
                self.read_state();
            }
            Outcome::Failed(StoreError::ConnectionLost(text)) => self.outcome_unknown(&text),
            Outcome::Failed(error) => self.rejected(&commit_error(&error)),
            Outcome::Read(_) | Outcome::Temp(_) => {
                self.die(Error::new(Code::InternalError, "the store answered a commit with something else"));
            }
        }
        if matches!(self.phase, Phase::CatchingUp)
            && !self.awaited.values().any(|awaited| matches!(awaited, Awaited::CatchUp))
        {
            self.read_state();
        }
    }

    fn landed(&mut self) {
        let Some(pager) = &mut self.pager else { return };
        pager.landed();
        for member in std::mem::take(&mut self.inflight_members) {
            let still_in_set = self.set_members.iter().any(|other| other.task == member.task);
            let Some(task) = self.tasks.get_mut(&member.task) else { continue };
            match &mut task.state {
                TaskState::Waiting(reply) if !still_in_set => {
                    let reply = std::mem::take(reply);
                    self.finish(member.task, reply);
                }
                TaskState::Blocked => task.state = TaskState::Runnable,
                _ => {}
            }
        }
        self.unblock();
    }

    /// The writer that waited for room may go on.
    fn unblock(&mut self) {
        if let Some(task) = self.writers.front().and_then(|id| self.tasks.get_mut(id))
            && matches!(task.state, TaskState::Blocked)
        {
            task.state = TaskState::Runnable;
        }
    }

    /// The attempt in flight is not in the store, for a reason that doing it again will not mend (rule 13): its writers
    /// fail, those after them are done again.
    fn rejected(&mut self, error: &Error) {
        let wrote = self.inflight_members.iter().filter(|member| member.wrote);
        let rejected: Vec<TaskId> = wrote.map(|member| member.task).collect();
        self.drop_sets();
        for id in rejected {
            let refused = self.tasks.get_mut(&id).and_then(|task| task.running.refused(error));
            self.finish(id, refused.unwrap_or_else(|| error_reply(error)));
        }
    }

    /// The store may or may not have taken the attempt. Its writers are told so; nothing is done again.
    fn outcome_unknown(&mut self, text: &str) {
        let mut error = Error::new(
            Code::InterruptedAtShutdown,
            format!("the connection to the store was lost while a commit was on its way: {text}"),
        );
        error.labels.push("UnknownTransactionCommitResult");
        error.labels.push("RetryableWriteError");
        let unknown: Vec<TaskId> = self.inflight_members.iter().map(|member| member.task).collect();
        for id in unknown {
            self.finish(id, error_reply(&error));
        }
        error.labels.remove(0);
        self.die(error);
    }

    /// Drops the attempt in flight and the set that gathers; their writers go back to where they were, in order.
    pub(super) fn drop_sets(&mut self) {
        if let Some(pager) = &mut self.pager {
            pager.failed();
        }
        self.catalog.clear();
        self.requeue_members();
    }

    /// Drops the set that gathers only: the attempt in flight stays.
    pub(super) fn drop_gathering_set(&mut self) {
        if let Some(pager) = &mut self.pager {
            pager.drop_changes();
        }
        self.catalog.clear();
        let members = std::mem::take(&mut self.set_members);
        self.restore(members);
    }

    pub(super) fn requeue_members(&mut self) {
        let mut members = std::mem::take(&mut self.inflight_members);
        members.append(&mut self.set_members);
        self.restore(members);
    }

    /// After the state was read anew, whatever was in the gathering set is gone.
    pub(super) fn requeue_all(&mut self) {
        self.catalog.clear();
        self.requeue_members();
    }

    fn restore(&mut self, members: Vec<Member>) {
        self.set += 1;
        self.set_durability = Durability::Relaxed;
        let mut again: Vec<TaskId> = Vec::new();
        for member in members {
            let Some(task) = self.tasks.get_mut(&member.task) else { continue };
            // The first position saved is the one before everything that was dropped.
            if again.contains(&member.task) {
                continue;
            }
            task.running.restore(&member.saved);
            if !matches!(task.state, TaskState::Loading | TaskState::Yielded) {
                task.state = TaskState::Runnable;
            }
            task.saved_in = None;
            task.spilled = None;
            again.push(member.task);
        }
        self.writers.retain(|id| !again.contains(id));
        for id in again.into_iter().rev() {
            self.writers.push_front(id);
        }
        self.unblock();
    }
}

fn commit_error(error: &StoreError) -> Error {
    match error {
        StoreError::Quota(text) => Error::new(
            Code::OutOfDiskSpace,
            format!("the browser has no room for the write, or for what was left of it: {text}"),
        ),
        StoreError::Aborted(_) | StoreError::ConnectionLost(_) | StoreError::Unavailable(_) => {
            Error::new(Code::OperationFailed, format!("the write was not stored: {error}"))
        }
    }
}

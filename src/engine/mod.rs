//! The engine: commands in, effects out. Synchronous, deterministic, no I/O.
//!
//! The host asks [`Engine::advance`] for the next [`Effect`], performs it, and tells the engine what came of it. That
//! is all there is: no thread, no future, no clock. The same engine runs in a page, in a worker and in a test.
//!
//! Invariants
//! 1. A reply is a function of the committed state, the command, and the host's time and randomness; never of what was
//!    cached, evicted or batched.
//! 2. Writers run one at a time, in the order of their submission; readers run between them and see committed pages.
//! 3. A writer is answered when the commit of everything that it saw and wrote has landed.
//! 4. Nothing is sent while an attempt is in flight, while a document is half written, or while catching up.
//!
//! Deliberately absent: knowledge of particular commands (`command/`), of stores (`store/`) and of JavaScript.

mod commit;
mod load;
mod schedule;
mod spill;

use crate::catalog::CatalogCache;
use crate::command::running::{Access, Running, Saved, TaskId};
use crate::command::{Settings, error_reply};
use crate::error::{Code, Error};
use crate::exec::CursorTable;
use crate::host::Host;
use crate::pager::meta::DatabaseId;
use crate::pager::state::{OpenError, Pager, first_metas};
use crate::pager::{CommitNumber, Page, PageId};
use crate::sorted::SortedMap;
use crate::step::{FreedChunks, SpillReply};
use crate::store::{CommitRequest, Durability, MetaKey, Outcome, ReadRequest, TempKey, TempRequest};
use std::collections::VecDeque;
use std::rc::Rc;

/// Names an effect until the host has answered it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EffectToken(pub u64);

/// What the host is to do.
#[derive(Debug)]
pub enum Effect {
    /// Begin this read; answer with [`Engine::on_store_event`].
    Load(ReadRequest),
    /// Begin this commit; answer with [`Engine::on_store_event`].
    Commit(CommitRequest),
    /// Begin this work on temporary chunks; answer with [`Engine::on_store_event`].
    Spill(TempRequest),
    /// Give the thread back, then call [`Engine::resume`]. Not answered otherwise.
    Yield,
    /// The command is answered.
    Reply { task: TaskId, bytes: Vec<u8> },
}

/// How pages stay in memory; replies are the same in every mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Residency {
    /// As the cache's limit says.
    #[default]
    All,
    /// No page outlives the step that needed it.
    None,
    /// After each step some pages go, as the seed says.
    Random(u64),
}

/// What an engine is opened with.
#[derive(Clone, Debug)]
pub struct Config {
    pub cache_bytes_max: usize,
    /// The default of writes that do not ask for more.
    pub durability: Durability,
    pub residency: Residency,
    /// Rows looked at before a task gives the thread back; `None` for never (synchronous callers).
    pub step_budget_rows: Option<u32>,
    pub settings: Settings,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            cache_bytes_max: 32 * 1024 * 1024,
            durability: Durability::Relaxed,
            residency: Residency::All,
            step_budget_rows: None,
            settings: Settings::default(),
        }
    }
}

enum Phase {
    /// The first read is on its way.
    Opening,
    Running,
    /// The store is ahead: no commit is sent, no page taken, until the state was read anew.
    CatchingUp,
    /// Nothing works any more; every command gets this error.
    Dead(Error),
}

enum TaskState {
    Runnable,
    /// Waits for pages.
    Loading,
    /// Waits for the temporary storage to answer this effect.
    Spilling(EffectToken),
    /// Waits for the commit in flight, since the set is full.
    Blocked,
    /// Waits for [`Engine::resume`].
    Yielded,
    /// Done; the reply goes out when the commit has landed.
    Waiting(Vec<u8>),
}

struct Task {
    running: Box<dyn Running>,
    writes: bool,
    state: TaskState,
    /// Pages loaded for the step that is being tried.
    pins: Vec<PageId>,
    /// The set in which the writer's position was saved last.
    saved_in: Option<u64>,
    /// Whether the store did not have a page that the task asked for.
    lost_page: bool,
    /// The answer to what the step that is being tried asked of the temporary storage.
    spilled: Option<SpillReply>,
    aborted: Option<Error>,
    /// Submitted by the engine itself: nobody waits for the reply.
    internal: bool,
    deadline_ms: Option<i64>,
}

/// A writer that ran in a set, and where it stood before.
struct Member {
    task: TaskId,
    saved: Saved,
    /// Whether it changed anything there. One that only looked is done again when the set is dropped, whatever the
    /// reason was; the reason is an answer to those who wrote.
    wrote: bool,
}

enum Awaited {
    Open,
    CatchUp,
    Pages { task: TaskId, issued_at: CommitNumber },
    Commit,
    Spill(spill::Spilling),
}

/// The engine of one database in one context.
pub struct Engine {
    host: Box<dyn Host>,
    config: Config,
    verify_page: fn(&Page) -> Result<(), String>,
    phase: Phase,
    pager: Option<Pager>,
    catalog: CatalogCache,
    cursors: CursorTable,
    tasks: SortedMap<TaskId, Task>,
    readers: VecDeque<TaskId>,
    /// The front holds the right to write.
    writers: VecDeque<TaskId>,
    /// Counts sets, to tell in which one a writer's position was saved.
    set: u64,
    set_members: Vec<Member>,
    set_durability: Durability,
    inflight_members: Vec<Member>,
    effects: VecDeque<(EffectToken, Effect)>,
    awaited: SortedMap<EffectToken, Awaited>,
    next_token: u64,
    next_task: u64,
    /// The last key that was given to a temporary chunk.
    last_temp: u64,
    freed: FreedChunks,
    /// Freed chunks whose deletion has failed.
    undeleted: Vec<TempKey>,
    random_state: u64,
    last_timestamp: u64,
    swept: bool,
    /// The highest commit of another context that this one was told of.
    heard_of: CommitNumber,
    /// Whether a command came since the state was last compared with that.
    asks_for_state: bool,
}

impl Engine {
    /// The first meta records of a store that is being created.
    pub fn first_metas(host: &mut dyn Host) -> Vec<(MetaKey, Vec<u8>)> {
        let mut id = [0; 16];
        host.random(&mut id);
        first_metas(DatabaseId(id))
    }

    /// An engine on a store that exists. Its first effect reads where the store stands.
    pub fn open(config: Config, host: Box<dyn Host>) -> Engine {
        let random_state = match config.residency {
            Residency::Random(seed) => seed,
            _ => 0,
        };
        let mut engine = Engine {
            host,
            config,
            verify_page: crate::btree::verify_page,
            phase: Phase::Opening,
            pager: None,
            catalog: CatalogCache::default(),
            cursors: CursorTable::default(),
            tasks: SortedMap::new(),
            readers: VecDeque::new(),
            writers: VecDeque::new(),
            set: 0,
            set_members: Vec::new(),
            set_durability: Durability::Relaxed,
            inflight_members: Vec::new(),
            effects: VecDeque::new(),
            awaited: SortedMap::new(),
            next_token: 0,
            next_task: 0,
            last_temp: 0,
            freed: FreedChunks::default(),
            undeleted: Vec::new(),
            random_state,
            last_timestamp: 0,
            swept: false,
            heard_of: CommitNumber(0),
            asks_for_state: false,
        };
        let read = ReadRequest { metas: true, records_after: Some(CommitNumber(0)), pages: Vec::new() };
        engine.emit(Effect::Load(read), Some(Awaited::Open));
        engine
    }

    /// Submits a command: one BSON document with `$db`. A malformed one is answered with an error, as any other.
    pub fn submit(&mut self, request: Vec<u8>) -> TaskId {
        self.next_task += 1;
        let id = TaskId(self.next_task);
        let parsed = match &self.phase {
            Phase::Dead(error) => Err(error.clone()),
            _ => crate::command::parse(&Rc::new(request), &self.config.settings),
        };
        match parsed {
            Ok(running) => self.enter(id, running, false),
            Err(error) => self.reply(id, error_reply(&error)),
        }
        id
    }

    fn enter(&mut self, id: TaskId, running: Box<dyn Running>, internal: bool) {
        self.asks_for_state = true;
        let writes = running.access() == Access::Write;
        let deadline_ms =
            running.time_limit_ms().map(|limit| self.host.now_ms().saturating_add_unsigned(limit));
        let task = Task {
            running,
            writes,
            state: TaskState::Runnable,
            pins: Vec::new(),
            saved_in: None,
            lost_page: false,
            spilled: None,
            aborted: None,
            internal,
            deadline_ms,
        };
        self.tasks.insert(id, task);
        if writes { self.writers.push_back(id) } else { self.readers.push_back(id) }
    }

    /// After the first write of an engine: frees what earlier ones left to be freed.
    fn sweep_once(&mut self) {
        if !std::mem::replace(&mut self.swept, true) {
            self.next_task += 1;
            self.enter(TaskId(self.next_task), crate::command::sweep(), true);
        }
    }

    /// Another context says that it has committed. The next command begins by catching up with it: an engine that is not
    /// asked anything does nothing.
    pub fn learn_of(&mut self, number: CommitNumber) {
        self.heard_of = self.heard_of.max(number);
    }

    /// Ends a command at its next row or document with 11601. What it wrote stays, as with `killOp`.
    pub fn abort(&mut self, task: TaskId) {
        if let Some(task) = self.tasks.get_mut(&task) {
            task.aborted = Some(Error::new(Code::Interrupted, "operation was interrupted"));
        }
    }

    /// Whether the engine has failed for good; a new one is to be opened on the store.
    pub fn is_dead(&self) -> bool {
        matches!(self.phase, Phase::Dead(_))
    }

    /// What it failed with.
    pub fn failure(&self) -> Option<&Error> {
        match &self.phase {
            Phase::Dead(error) => Some(error),
            _ => None,
        }
    }

    /// Whether nothing is pending: no command, no commit.
    pub fn is_idle(&self) -> bool {
        self.tasks.is_empty() && self.effects.is_empty() && self.awaited.is_empty()
    }

    /// The pager, once the store was opened.
    pub fn pager(&self) -> Option<&Pager> {
        self.pager.as_ref()
    }

    /// Sets how many rows a task may look at before it yields; `None` for no bound.
    pub fn set_step_budget(&mut self, rows: Option<u32>) {
        self.config.step_budget_rows = rows;
    }

    /// The store has answered an effect.
    pub fn on_store_event(&mut self, token: EffectToken, outcome: Outcome) {
        match self.awaited.remove(&token) {
            Some(Awaited::Open) => self.opened(outcome),
            Some(Awaited::CatchUp) => self.caught_up(outcome),
            Some(Awaited::Pages { task, issued_at }) => self.pages_arrived(task, issued_at, outcome),
            Some(Awaited::Commit) => self.commit_ended(outcome),
            Some(Awaited::Spill(spilling)) => self.spilled(token, spilling, outcome),
            None => {}
        }
    }

    fn emit(&mut self, effect: Effect, awaited: Option<Awaited>) -> EffectToken {
        self.next_token += 1;
        let token = EffectToken(self.next_token);
        if let Some(awaited) = awaited {
            self.awaited.insert(token, awaited);
        }
        self.effects.push_back((token, effect));
        token
    }

    fn reply(&mut self, task: TaskId, bytes: Vec<u8>) {
        self.emit(Effect::Reply { task, bytes }, None);
    }

    /// Ends a task with a reply.
    fn finish(&mut self, id: TaskId, bytes: Vec<u8>) {
        self.unpin(id);
        let internal = self.tasks.remove(&id).is_some_and(|task| task.internal);
        self.readers.retain(|other| *other != id);
        self.writers.retain(|other| *other != id);
        if !internal {
            self.reply(id, bytes);
        }
    }

    fn unpin(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get_mut(&id) else { return };
        let pins = std::mem::take(&mut task.pins);
        if let Some(pager) = &mut self.pager {
            for page in pins {
                pager.cache_mut().unpin(page);
            }
        }
    }

    /// Everything pending fails, and everything to come.
    fn die(&mut self, error: Error) {
        let pending: Vec<TaskId> = self.tasks.keys().copied().collect();
        for id in pending {
            self.finish(id, error_reply(&error));
        }
        self.set_members.clear();
        self.inflight_members.clear();
        self.awaited.clear();
        self.phase = Phase::Dead(error);
    }
}

/// The error of a store that cannot be opened.
fn open_error(error: OpenError) -> Error {
    match error {
        OpenError::NewerFormat(format) => Error::new(
            Code::UnsupportedFormat,
            format!(
                "the database has format version {format}, written by a newer version of PandoDB; this one reads up to {}",
                crate::pager::state::format_version()
            ),
        ),
        OpenError::Damaged(what) => {
            Error::new(Code::DataCorruptionDetected, format!("the stored data is damaged: {what}"))
        }
        OpenError::Replaced => Error::new(
            Code::InterruptedDueToStorageChange,
            "the database was cleared and made anew while it was open",
        ),
    }
}

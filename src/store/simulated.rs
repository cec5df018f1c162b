//! A store with the behaviour of IndexedDB and the faults of a browser, all drawn from a seed.
//!
//! One [`Simulated`] is one browser profile; [`Simulated::open`] is a context (a tab, a worker) with a connection.
//!
//! 1. Transactions over overlapping stores are serial in the order in which they began, across contexts, unless
//!    both only read. A read sees one state.
//! 2. A commit passes three stages: waiting for its turn; open, its fence held; committing. A context that dies takes
//!    its waiting and open transactions with it; a committing one lands or does not, unheard.
//! 3. Events of different transactions arrive in any order.
//! 4. A lost connection answers everything pending with `ConnectionLost`; its committing transaction has landed, or
//!    has not, or lands later. The context then gets `ConnectionLost` for all it asks, until it opens again.
//! 5. A dead browser takes all contexts with it and loses some suffix of the relaxed commits, never a strict commit
//!    or one before it.
//! 6. Time is the polls of `take_event`: a poll moves transactions, whosever they are, until there is an event for its
//!    context; a late one moves nothing. With no lateness, `None` means that no event will come: nothing is pending, or
//!    the context is dead. The same seed and the same calls give the same history.
//!
//! Deliberately absent: damaged bytes (a test damages [`Data`] itself) and cleared data (a new `Simulated`).

use super::data::Data;
use super::temp::TempChunks;
use super::{CommitRequest, Durability, MetaKey, Outcome, PageStore, Request, RequestId, StoreError};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How often what goes wrong. The default is: never, and no delay but the order of events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Polls of a thousand at which nothing moves.
    pub late_per_mille: u32,
    /// Transactions of a thousand that are aborted.
    pub abort_per_mille: u32,
    /// Commits of a thousand that find no room.
    pub quota_per_mille: u32,
    /// The bytes of values that the profile may hold.
    pub quota_bytes: Option<usize>,
    /// Moves of a thousand at which the moved transaction's context loses its connection.
    pub lose_connection_per_mille: u32,
}

/// Where a stop happens, seen from the commit it is set for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopKind {
    /// The commit does not land.
    Before,
    /// The commit lands and its context hears of it; no request after that gets an event.
    After,
    /// The commit lands and nobody hears of it.
    AfterUnreported,
}

impl StopKind {
    /// All of them.
    pub const ALL: [StopKind; 3] = [StopKind::Before, StopKind::After, StopKind::AfterUnreported];
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn chance(&mut self, per_mille: u32) -> bool {
        per_mille > 0 && self.below(1000) < per_mille as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ContextId(usize);

#[derive(Default)]
struct Context {
    dead: bool,
    lost: bool,
    last_request: u64,
    ready: Vec<(RequestId, Outcome)>,
    temp: TempChunks,
}

impl Context {
    fn dies(&mut self) {
        self.dead = true;
        self.ready.clear();
        self.temp = TempChunks::default();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Open,
    Committing,
}

struct Transaction {
    context: ContextId,
    id: RequestId,
    request: Request,
    stage: Stage,
    /// Whether its context still waits for the event.
    heard: bool,
}

impl Transaction {
    /// The stores it spans, as bits, and whether it writes.
    fn scope(&self) -> (u8, bool) {
        let bits = |metas: bool, commits: bool, pages: bool| {
            u8::from(metas) | u8::from(commits) << 1 | u8::from(pages) << 2
        };
        match &self.request {
            Request::Read(r) => (bits(r.metas, r.records_after.is_some(), !r.pages.is_empty()), false),
            Request::Commit(c) => {
                (bits(!c.metas.is_empty(), true, !c.puts.is_empty() || !c.deletes.is_empty()), true)
            }
            Request::Temp(_) => (1 << 3, true),
        }
    }

    fn waits_for(&self, earlier: &Transaction) -> bool {
        let ((stores, writes), (earlier_stores, earlier_writes)) = (self.scope(), earlier.scope());
        // Temporary chunks are each context's own.
        let is_apart = stores == 1 << 3 && self.context != earlier.context;
        stores & earlier_stores != 0 && (writes || earlier_writes) && !is_apart
    }
}

struct World {
    random: Random,
    faults: Faults,
    data: Data,
    /// What a dead browser keeps at least, and the commits since, oldest first.
    settled: Data,
    unsettled: Vec<CommitRequest>,
    /// In the order of their beginning.
    transactions: Vec<Transaction>,
    contexts: BTreeMap<ContextId, Context>,
    landed: u64,
    stop: Option<(u64, StopKind)>,
    stopped: bool,
}

/// A browser profile (see the module's text).
#[derive(Clone)]
pub struct Simulated {
    world: Rc<RefCell<World>>,
}

impl Simulated {
    /// A profile whose database was just created with these meta records.
    pub fn new(seed: u64, faults: Faults, first_metas: Vec<(MetaKey, Vec<u8>)>) -> Simulated {
        Simulated::on(seed, faults, Data::new(first_metas))
    }

    /// A profile with this database.
    pub fn on(seed: u64, faults: Faults, data: Data) -> Simulated {
        let world = World {
            random: Random(seed),
            faults,
            settled: data.clone(),
            data,
            unsettled: Vec::new(),
            transactions: Vec::new(),
            contexts: BTreeMap::new(),
            landed: 0,
            stop: None,
            stopped: false,
        };
        Simulated { world: Rc::new(RefCell::new(world)) }
    }

    /// Opens a context. After a stop this is the next start of the browser, on the data left.
    pub fn open(&self) -> SimulatedStore {
        let mut world = self.world.borrow_mut();
        if world.stopped {
            (world.stopped, world.stop) = (false, None);
        }
        let context = ContextId(world.contexts.len());
        world.contexts.insert(context, Context::default());
        SimulatedStore { world: Rc::clone(&self.world), context }
    }

    /// Stops all contexts at the commit that would be, or is, the `commit`-th to land in this profile (the first is
    /// 1, whatever its number; commits that conflict or fail do not count).
    pub fn stop_at(&self, commit: u64, kind: StopKind) {
        self.world.borrow_mut().stop = Some((commit, kind));
    }

    /// Whether the stop has happened. Then no context but one opened later gets another event.
    pub fn stopped(&self) -> bool {
        self.world.borrow().stopped
    }

    /// How many commits have landed in this profile.
    pub fn commits_landed(&self) -> u64 {
        self.world.borrow().landed
    }

    /// Kills every context; what is lost is a random suffix of the relaxed commits.
    pub fn browser_dies(&self) {
        self.world.borrow_mut().browser_dies();
    }

    /// Changes what goes wrong from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.world.borrow_mut().faults = faults;
    }

    /// A copy of what is in the store.
    pub fn data(&self) -> Data {
        self.world.borrow().data.clone()
    }
}

/// A context's connection.
pub struct SimulatedStore {
    world: Rc<RefCell<World>>,
    context: ContextId,
}

impl SimulatedStore {
    /// Kills the context.
    pub fn kill(&self) {
        self.world.borrow_mut().kill(self.context);
    }

    /// Loses the connection.
    pub fn lose_connection(&self) {
        self.world.borrow_mut().lose_connection(self.context);
    }

    /// How many temporary chunks the context has.
    pub fn temp_count(&self) -> usize {
        self.world.borrow_mut().context(self.context).temp.count()
    }
}

/// A context whose connection is dropped is gone: nobody could take its events.
impl Drop for SimulatedStore {
    fn drop(&mut self) {
        self.world.borrow_mut().kill(self.context);
    }
}

impl PageStore for SimulatedStore {
    fn begin(&mut self, request: Request) -> RequestId {
        let mut world = self.world.borrow_mut();
        let world = &mut *world;
        let context = world.contexts.get_mut(&self.context).expect("every handle has its context");
        context.last_request += 1;
        let id = RequestId(context.last_request);
        if context.dead || world.stopped {
            return id;
        }
        if context.lost {
            context.ready.push((id, Outcome::Failed(connection_lost())));
            return id;
        }
        let (stage, heard) = (Stage::Waiting, true);
        world.transactions.push(Transaction { context: self.context, id, request, stage, heard });
        id
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        let mut world = self.world.borrow_mut();
        let late = world.faults.late_per_mille;
        if world.random.chance(late) {
            return None;
        }
        loop {
            let moved = world.step();
            if let Some(event) = world.take_ready(self.context) {
                return Some(event);
            }
            if !moved && world.context(self.context).ready.is_empty() {
                return None;
            }
        }
    }
}

fn connection_lost() -> StoreError {
    StoreError::ConnectionLost("the simulated connection is closing".into())
}

impl World {
    fn context(&mut self, id: ContextId) -> &mut Context {
        self.contexts.get_mut(&id).expect("contexts are never removed")
    }

    fn take_ready(&mut self, id: ContextId) -> Option<(RequestId, Outcome)> {
        let ready = self.context(id).ready.len();
        // One more than there are events: at times others move on first.
        let pick = self.random.below(ready + 1);
        (pick < ready).then(|| self.context(id).ready.swap_remove(pick))
    }

    /// Moves one transaction by one stage; says whether there was one.
    fn step(&mut self) -> bool {
        let movable: Vec<usize> = (0..self.transactions.len())
            .filter(|&i| {
                let (earlier, rest) = self.transactions.split_at(i);
                rest[0].stage != Stage::Waiting || !earlier.iter().any(|e| rest[0].waits_for(e))
            })
            .collect();
        if movable.is_empty() || self.stopped {
            return false;
        }
        let index = movable[self.random.below(movable.len())];
        if self.random.chance(self.faults.lose_connection_per_mille) {
            self.lose_connection(self.transactions[index].context);
            return true;
        }
        match (&self.transactions[index].request, self.transactions[index].stage) {
            (Request::Read(_), _) => self.read(index),
            (Request::Temp(_), _) => self.temp(index),
            (Request::Commit(commit), Stage::Waiting) => match self.data.fence(commit) {
                Ok(_) => self.transactions[index].stage = Stage::Open,
                Err(found) => self.end(index, Outcome::Conflict { found }),
            },
            (Request::Commit(_), Stage::Open) => self.write(index),
            (Request::Commit(_), Stage::Committing) => self.land(index),
        }
        true
    }

    /// Removes a transaction and, if its context listens, makes its event.
    fn end(&mut self, index: usize, outcome: Outcome) {
        let ended = self.transactions.remove(index);
        let context = self.context(ended.context);
        if ended.heard && !context.dead {
            context.ready.push((ended.id, outcome));
        }
    }

    fn read(&mut self, index: usize) {
        if self.random.chance(self.faults.abort_per_mille) {
            return self.end(index, Outcome::Failed(StoreError::Aborted("simulated".into())));
        }
        let Request::Read(request) = &self.transactions[index].request else { return };
        let reply = self.data.read(request);
        self.end(index, Outcome::Read(reply));
    }

    fn write(&mut self, index: usize) {
        match self.refuses(index) {
            Some(error) => self.end(index, Outcome::Failed(error)),
            None => self.transactions[index].stage = Stage::Committing,
        }
    }

    fn temp(&mut self, index: usize) {
        if let Some(error) = self.refuses(index) {
            return self.end(index, Outcome::Failed(error));
        }
        let context = self.transactions[index].context;
        let Request::Temp(request) = self.transactions[index].request.clone() else { return };
        let outcome = self.context(context).temp.perform(request);
        self.end(index, outcome.map_or_else(Outcome::Failed, Outcome::Temp));
    }

    /// Whether a write is aborted, or finds no room.
    fn refuses(&mut self, index: usize) -> Option<StoreError> {
        if self.random.chance(self.faults.abort_per_mille) {
            return Some(StoreError::Aborted("simulated".into()));
        }
        let full = self.faults.quota_bytes.is_some_and(|quota| self.bytes_with(index) > quota);
        let finds_none = full || self.random.chance(self.faults.quota_per_mille);
        finds_none.then(|| StoreError::Quota("simulated".into()))
    }

    /// What the profile would hold with this write. What it overwrites and deletes counts too, as it does in browsers
    /// until they compact; a write that only deletes always has room.
    fn bytes_with(&self, index: usize) -> usize {
        let temp: usize = self.contexts.values().map(|context| context.temp.bytes()).sum();
        let written = match &self.transactions[index].request {
            Request::Read(_) => 0,
            Request::Temp(request) if request.puts.is_empty() => return 0,
            Request::Temp(request) => request.put_bytes(),
            Request::Commit(commit) => {
                let puts: usize = commit.puts.iter().map(|(_, v)| v.len()).sum();
                let metas: usize = commit.metas.iter().map(|(_, v)| v.len()).sum();
                puts + metas + commit.record.len()
            }
        };
        self.data.bytes() + temp + written
    }

    fn land(&mut self, index: usize) {
        let stop = self.stop.filter(|(commit, _)| *commit == self.landed + 1).map(|(_, kind)| kind);
        if stop == Some(StopKind::Before) {
            return self.stop_all();
        }
        let context = self.transactions[index].context;
        let Request::Commit(commit) = self.transactions[index].request.clone() else { return };
        let Ok(number) = self.data.commit(commit.clone()) else { return };
        self.landed += 1;
        let strict = commit.durability == Durability::Strict;
        self.unsettled.push(commit);
        if strict {
            self.settle(self.unsettled.len());
        }
        match stop {
            None => self.end(index, Outcome::Landed(number)),
            Some(StopKind::AfterUnreported) => self.stop_all(),
            Some(_) => {
                let id = self.transactions[index].id;
                let heard = self.transactions[index].heard;
                self.stop_all();
                if heard {
                    self.context(context).ready.push((id, Outcome::Landed(number)));
                }
            }
        }
    }

    /// Makes the oldest commits part of what a dead browser keeps.
    fn settle(&mut self, commits: usize) {
        for commit in self.unsettled.drain(..commits) {
            self.settled.commit(commit).expect("commits settle in the order in which they landed");
        }
    }

    fn stop_all(&mut self) {
        self.stopped = true;
        self.transactions.clear();
        for context in self.contexts.values_mut() {
            context.dies();
        }
    }

    fn kill(&mut self, id: ContextId) {
        self.context(id).dies();
        let random = &mut self.random;
        self.transactions.retain_mut(|t| {
            let survives = t.context != id || (t.stage == Stage::Committing && random.below(2) == 0);
            t.heard &= t.context != id;
            survives
        });
    }

    fn lose_connection(&mut self, id: ContextId) {
        self.context(id).lost = true;
        let mut index = 0;
        while index < self.transactions.len() {
            let transaction = &mut self.transactions[index];
            if transaction.context != id || !transaction.heard {
                index += 1;
                continue;
            }
            let request = transaction.id;
            transaction.heard = false;
            let committing = transaction.stage == Stage::Committing;
            match self.random.below(3) {
                0 if committing => self.land(index),
                1 if committing => index += 1,
                _ => drop(self.transactions.remove(index)),
            }
            if self.stopped {
                return;
            }
            self.context(id).ready.push((request, Outcome::Failed(connection_lost())));
        }
    }

    fn browser_dies(&mut self) {
        if let Some(index) = self.transactions.iter().position(|t| t.stage == Stage::Committing)
            && self.random.below(2) == 0
        {
            self.land(index);
        }
        let ids: Vec<ContextId> = self.contexts.keys().copied().collect();
        ids.into_iter().for_each(|id| self.kill(id));
        self.transactions.clear();
        let kept = self.random.below(self.unsettled.len() + 1);
        self.settle(kept);
        self.unsettled.clear();
        self.data = self.settled.clone();
    }
}

//! Watches a store and its caller, and panics when either breaks the contract of [`super`].
//!
//! For tests. Every context of one data is wrapped in a [`Checker`] with a clone of one [`Ledger`]. The ledger keeps,
//! as digests, what each commit wrote; every read must then be explained by one state, not older than any commit that
//! was reported to anybody before the read began. Commits whose outcome nobody knows (not answered yet, connection
//! lost, context dead) may or may not be part of that state.
//!
//! After a browser's death relaxed commits may be missing: go on with a new ledger then.
//!
//! Deliberately absent: any opinion on time; an unanswered request is found by [`Checker::finish`].

use super::{
    CommitNumber, CommitRequest, Fence, MetaKey, Outcome, PageId, PageStore, ReadReply, ReadRequest, Request,
    RequestId, StoreError, TempKey, TempRequest, VALUE_BYTES_MAX,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What can be written: a page or a meta record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Item {
    Page(PageId),
    Meta(MetaKey),
}

/// A digest of a value, `None` where there is none.
type Value = Option<u64>;

/// FNV-1a over the bytes and their number: to tell test values apart, nothing more.
fn digest(bytes: &[u8]) -> u64 {
    let seed = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A commit that was begun.
struct Attempt {
    number: CommitNumber,
    record: u64,
    writes: BTreeMap<Item, Value>,
    prune_through: CommitNumber,
}

/// Names an attempt over all contexts.
type Serial = u64;

/// What is known of one data (see the module's text).
#[derive(Clone, Default)]
pub struct Ledger {
    history: Rc<RefCell<History>>,
}

impl Ledger {
    /// The ledger of a data that exists: it takes what it is shown first for what was there.
    pub fn new() -> Ledger {
        Ledger::default()
    }

    /// The ledger of a data just created with these meta records, so that nothing has to be taken on trust.
    pub fn created(first_metas: &[(MetaKey, Vec<u8>)]) -> Ledger {
        let mut history = History { created: true, ..History::default() };
        for (key, bytes) in first_metas {
            let first = BTreeMap::from([(CommitNumber(0), Some(digest(bytes)))]);
            history.versions.insert(Item::Meta(*key), first);
        }
        Ledger { history: Rc::new(RefCell::new(history)) }
    }

    /// The largest number that is known to have landed.
    pub fn last(&self) -> CommitNumber {
        self.history.borrow().last()
    }
}

#[derive(Default)]
struct History {
    /// Whether the data was created under the ledger's eyes: then what no commit wrote is not there.
    created: bool,
    serials: Serial,
    /// Digests of the records that are known to have landed.
    landed: BTreeMap<CommitNumber, u64>,
    landed_serials: BTreeSet<Serial>,
    versions: BTreeMap<Item, BTreeMap<CommitNumber, Value>>,
    /// Begun, and neither known to be in the store nor known not to be.
    open: BTreeMap<Serial, Attempt>,
    /// What the landed commits pruned through, by their numbers.
    prunes: BTreeMap<CommitNumber, CommitNumber>,
}

impl History {
    fn last(&self) -> CommitNumber {
        self.landed.keys().next_back().copied().unwrap_or_default()
    }

    fn begin(&mut self, request: &CommitRequest) -> Serial {
        let Fence::Callback { expected } = request.fence;
        let mut writes = BTreeMap::new();
        for (id, bytes) in &request.puts {
            writes.insert(Item::Page(*id), Some(digest(bytes)));
        }
        for id in &request.deletes {
            writes.insert(Item::Page(*id), None);
        }
        for (key, bytes) in &request.metas {
            writes.insert(Item::Meta(*key), Some(digest(bytes)));
        }
        let named = request.puts.len() + request.deletes.len() + request.metas.len();
        assert_eq!(named, writes.len(), "a commit names a page or a meta key twice");
        let prune_through = request.prune_through.unwrap_or_default();
        let record = digest(&request.record);
        self.serials += 1;
        self.open.insert(self.serials, Attempt { number: expected, record, writes, prune_through });
        self.serials
    }

    /// Takes a commit as being in the store.
    fn land(&mut self, serial: Serial) {
        let Some(attempt) = self.open.remove(&serial) else { return };
        let number = attempt.number;
        if let Some(known) = self.landed.insert(number, attempt.record) {
            assert_eq!(known, attempt.record, "{number:?} was given to two records");
        }
        for (item, value) in attempt.writes {
            self.versions.entry(item).or_default().insert(number, value);
        }
        self.prunes.insert(number, attempt.prune_through);
        self.landed_serials.insert(serial);
    }

    fn ended(&mut self, serial: Serial, outcome: &Outcome) {
        match outcome {
            Outcome::Landed(number) => {
                if let Some(attempt) = self.open.get(&serial) {
                    assert_eq!(attempt.number, *number, "the fence let another number pass");
                    let owner = self.landed.get(number);
                    assert!(owner.is_none(), "{number:?} was given twice");
                    self.assert_explained_up_to(*number);
                }
                self.land(serial);
            }
            Outcome::Conflict { found } => {
                self.assert_not_landed(serial, outcome);
                let attempt = self.open.remove(&serial);
                assert_ne!(
                    attempt.map(|a| a.number),
                    Some(*found),
                    "a conflict with the number that was expected"
                );
            }
            Outcome::Failed(StoreError::ConnectionLost(_)) => {}
            Outcome::Failed(_) => {
                self.assert_not_landed(serial, outcome);
                self.open.remove(&serial);
            }
            Outcome::Read(_) | Outcome::Temp(_) => panic!("a commit was answered by {outcome:?}"),
        }
    }

    fn assert_not_landed(&self, serial: Serial, outcome: &Outcome) {
        assert!(
            !self.landed_serials.contains(&serial),
            "{outcome:?} for a commit that was seen in the store"
        );
    }

    /// Numbers are consecutive: those between the last one known and `number` belong to commits not reported yet.
    fn assert_explained_up_to(&self, number: CommitNumber) {
        let mut next = self.last().next();
        while (self.created || !self.landed.is_empty()) && next < number {
            let explained = self.open.values().any(|attempt| attempt.number == next);
            assert!(explained, "{next:?} was skipped before {number:?}");
            next = next.next();
        }
    }

    fn check_read(&mut self, floor: CommitNumber, request: &ReadRequest, reply: &ReadReply) {
        let asked: Vec<PageId> = request.pages.clone();
        let got: Vec<PageId> = reply.pages.iter().map(|(id, _)| *id).collect();
        assert_eq!(asked, got, "the pages of a read are those asked for, in their order");
        assert!(request.metas || reply.metas.is_empty(), "metas that nobody asked for");
        let mut items: Vec<(Item, Value)> = Vec::new();
        items.extend(reply.metas.iter().map(|(key, bytes)| (Item::Meta(*key), Some(digest(bytes)))));
        items.extend(reply.pages.iter().map(|(id, v)| (Item::Page(*id), v.as_deref().map(digest))));
        let top = match request.records_after {
            Some(after) => self.check_records(floor, after, &reply.records),
            None => None,
        };
        if request.metas {
            let absent = self.versions.keys().filter(|known| !items.iter().any(|(item, _)| item == *known));
            let absent: Vec<Item> = absent.filter(|item| matches!(item, Item::Meta(_))).copied().collect();
            items.extend(absent.into_iter().map(|item| (item, None)));
        }
        for (item, value) in &items {
            self.learn(*item, *value);
        }
        let highest = self.open.values().map(|a| a.number).max().unwrap_or_default().max(self.last());
        let (from, to) = top.map_or((floor, highest.max(floor)), |top| (top, top));
        let mut state = from;
        while !items.iter().all(|(item, value)| self.explains(state, *item, *value)) {
            state = state.next();
            assert!(state <= to, "no state from {from:?} to {to:?} explains what was read: {items:?}");
        }
    }

    /// Checks the records of a read, and says which state they show where they show it.
    fn check_records(
        &mut self,
        floor: CommitNumber,
        after: CommitNumber,
        records: &[(CommitNumber, Vec<u8>)],
    ) -> Option<CommitNumber> {
        let first_known = self.landed.keys().next().copied();
        let top = records.last().map(|(number, _)| *number).unwrap_or_default();
        let gone = self.prunes.range(..=top).map(|(_, through)| *through).max().unwrap_or_default();
        for (number, bytes) in records {
            assert!(*number > after && *number > gone, "{number:?} was not asked for or is pruned");
            let record = digest(bytes);
            if let Some(known) = self.landed.get(number) {
                assert_eq!(*known, record, "the record of {number:?} changed");
                continue;
            }
            let author = self.open.iter().find(|(_, a)| a.number == *number && a.record == record);
            match author.map(|(serial, _)| *serial) {
                Some(serial) => self.land(serial),
                None => {
                    let older = !self.created && first_known.is_none_or(|first| *number < first);
                    assert!(older, "{number:?} is a record that nobody committed");
                    self.landed.insert(*number, record);
                }
            }
        }
        for pair in records.windows(2) {
            assert_eq!(pair[0].0.next(), pair[1].0, "the records of a read are consecutive");
        }
        let prunes = self.open.values().map(|a| a.prune_through).chain(self.prunes.values().copied());
        let may_be_gone = prunes.max().unwrap_or_default().max(after);
        match records.last() {
            Some((top, _)) => assert!(*top >= floor, "a read shows {top:?} after {floor:?} was reported"),
            None => assert!(floor <= may_be_gone, "a read shows no record after {floor:?} was reported"),
        }
        let oldest = if self.created { Some(CommitNumber(1)) } else { first_known };
        if let (Some((first, _)), Some(oldest)) = (records.first(), oldest) {
            assert!(*first <= may_be_gone.next().max(oldest), "records before {first:?} are missing");
        }
        records.last().map(|(top, _)| *top)
    }

    /// Takes a value that no commit of this ledger wrote for the one that was there from the start.
    fn learn(&mut self, item: Item, value: Value) {
        let written = self.open.values().any(|a| a.writes.get(&item) == Some(&value));
        if !self.created && !written && !self.versions.contains_key(&item) {
            self.versions.entry(item).or_default().insert(CommitNumber(0), value);
        }
    }

    /// Whether `item` has `value` in the state numbered `state`, as far as anybody can know.
    fn explains(&self, state: CommitNumber, item: Item, value: Value) -> bool {
        let known = self.versions.get(&item).and_then(|versions| versions.range(..=state).next_back());
        let since = known.map(|(number, _)| *number);
        let may_have_written = |a: &Attempt| {
            a.number <= state
                && since.is_none_or(|since| a.number > since)
                && !self.landed.contains_key(&a.number)
                && a.writes.get(&item) == Some(&value)
        };
        let from_the_start = known.is_none() && (!self.created || value.is_none());
        let stands = known.is_some_and(|(_, known)| *known == value);
        stands || from_the_start || self.open.values().any(may_have_written)
    }
}

/// A request that has no event yet.
enum Begun {
    Read { floor: CommitNumber, request: ReadRequest },
    Commit(Serial),
    Temp { puts: Vec<TempKey>, gets: Vec<TempKey> },
}

/// The temporary chunks of one handle.
#[derive(Default)]
struct Temp {
    /// The largest key that was put.
    last: TempKey,
    /// Digests of what was put and neither deleted nor refused.
    chunks: BTreeMap<TempKey, u64>,
}

impl Temp {
    fn begin(&mut self, request: &TempRequest) -> Begun {
        for key in &request.deletes {
            self.chunks.remove(key);
        }
        for (key, bytes) in &request.puts {
            assert!(bytes.len() <= VALUE_BYTES_MAX, "a chunk of {} bytes is over the limit", bytes.len());
            assert!(*key > self.last, "{key:?} was put before, or a larger one");
            self.last = *key;
            self.chunks.insert(*key, digest(bytes));
        }
        let puts = request.puts.iter().map(|(key, _)| *key).collect();
        Begun::Temp { puts, gets: request.gets.clone() }
    }

    fn ended(&mut self, puts: &[TempKey], gets: &[TempKey], outcome: &Outcome) {
        match outcome {
            Outcome::Temp(chunks) => {
                assert_eq!(chunks.len(), gets.len(), "a chunk for each get");
                for (key, bytes) in gets.iter().zip(chunks) {
                    // A later request may have deleted it since.
                    let known = self.chunks.get(key);
                    assert!(known.is_none_or(|known| *known == digest(bytes)), "{key:?} has other bytes");
                }
            }
            Outcome::Failed(_) => self.chunks.retain(|key, _| !puts.contains(key)),
            other => panic!("a request of temporary chunks was answered by {other:?}"),
        }
    }
}

/// A store under watch.
pub struct Checker<S> {
    store: S,
    ledger: Ledger,
    ids: BTreeSet<RequestId>,
    begun: BTreeMap<RequestId, Begun>,
    temp: Temp,
}

impl<S: PageStore> Checker<S> {
    /// Watches one context's store. All contexts of one data share a ledger.
    pub fn new(store: S, ledger: Ledger) -> Checker<S> {
        Checker { store, ledger, ids: BTreeSet::new(), begun: BTreeMap::new(), temp: Temp::default() }
    }

    /// How many requests have no event yet.
    pub fn unanswered(&self) -> usize {
        self.begun.len()
    }

    /// Says that nothing is to be waited for any more: panics if a request has had no event.
    pub fn finish(self) {
        let ids: Vec<&RequestId> = self.begun.keys().collect();
        assert!(ids.is_empty(), "requests without an event: {ids:?}");
    }

    /// The store itself.
    pub fn store(&mut self) -> &mut S {
        &mut self.store
    }

    fn assert_valid(request: &CommitRequest) {
        let values = request.puts.iter().map(|(_, v)| v).chain(request.metas.iter().map(|(_, v)| v));
        for bytes in values.chain([&request.record]) {
            assert!(bytes.len() <= VALUE_BYTES_MAX, "a value of {} bytes is over the limit", bytes.len());
        }
        for id in request.puts.iter().map(|(id, _)| id).chain(&request.deletes) {
            assert!((1..1 << 53).contains(&id.0), "{id:?} is no page id");
        }
        if let (Some(through), Fence::Callback { expected }) = (request.prune_through, request.fence) {
            assert!(through < expected, "a commit prunes its own record");
        }
    }
}

impl<S: PageStore> PageStore for Checker<S> {
    fn begin(&mut self, request: Request) -> RequestId {
        let begun = {
            let mut history = self.ledger.history.borrow_mut();
            match &request {
                Request::Read(read) => Begun::Read { floor: history.last(), request: read.clone() },
                Request::Commit(commit) => {
                    Self::assert_valid(commit);
                    Begun::Commit(history.begin(commit))
                }
                Request::Temp(temp) => self.temp.begin(temp),
            }
        };
        let id = self.store.begin(request);
        assert!(self.ids.insert(id), "{id:?} names two requests");
        self.begun.insert(id, begun);
        id
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        let (id, outcome) = self.store.take_event()?;
        let begun =
            self.begun.remove(&id).unwrap_or_else(|| panic!("an event for {id:?}, which is not open"));
        let mut history = self.ledger.history.borrow_mut();
        match (begun, &outcome) {
            (Begun::Commit(serial), outcome) => history.ended(serial, outcome),
            (Begun::Temp { puts, gets }, outcome) => self.temp.ended(&puts, &gets, outcome),
            (Begun::Read { floor, request }, Outcome::Read(reply)) => {
                history.check_read(floor, &request, reply)
            }
            (Begun::Read { .. }, Outcome::Failed(_)) => {}
            (Begun::Read { .. }, outcome) => panic!("a read was answered by {outcome:?}"),
        }
        drop(history);
        Some((id, outcome))
    }
}

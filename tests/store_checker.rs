//! Stores that break the contract, one way each: the checker must say so.

use pandodb::store::checker::{Checker, Ledger};
use pandodb::store::contract::{commit, first_metas, read};
use pandodb::store::data::Data;
use pandodb::store::{
    CommitNumber, CommitRequest, MemoryStore, Outcome, PageId, PageStore, Request, RequestId, StoreError,
    VALUE_BYTES_MAX,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A memory store whose every event passes through `spoil`.
struct Spoilt<F> {
    store: MemoryStore,
    spoil: F,
}

impl<F: FnMut(RequestId, Outcome) -> Option<(RequestId, Outcome)>> PageStore for Spoilt<F> {
    fn begin(&mut self, request: Request) -> RequestId {
        self.store.begin(request)
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        self.store.take_event().and_then(|(id, outcome)| (self.spoil)(id, outcome))
    }
}

fn put(expected: u64, bytes: &[u8]) -> Request {
    let pages = vec![(PageId(1), bytes.to_vec()), (PageId(2), bytes.to_vec())];
    Request::Commit(CommitRequest { puts: pages, ..commit(expected, format!("{expected}").as_bytes()) })
}

/// Two commits and a read after each, on one handle.
fn workload(store: &mut impl PageStore) {
    for request in [put(1, b"a"), Request::Read(read(&[1, 2])), put(2, b"b"), Request::Read(read(&[1, 2]))] {
        store.begin(request);
        store.take_event();
    }
}

/// Whether the checker catches what `spoil` does to the events.
fn caught(spoil: impl FnMut(RequestId, Outcome) -> Option<(RequestId, Outcome)>) -> bool {
    let store = Spoilt { store: MemoryStore::new(first_metas()), spoil };
    let mut checker = Checker::new(store, Ledger::created(&first_metas()));
    catch_unwind(AssertUnwindSafe(|| {
        workload(&mut checker);
        checker.finish();
    }))
    .is_err()
}

fn change_reads(change: impl Fn(&mut pandodb::store::ReadReply)) -> bool {
    caught(move |id, mut outcome| {
        if let Outcome::Read(reply) = &mut outcome {
            change(reply);
        }
        Some((id, outcome))
    })
}

#[test]
fn an_honest_store_passes() {
    assert!(!caught(|id, outcome| Some((id, outcome))));
}

#[test]
fn events_that_are_lost_doubled_or_for_nobody() {
    assert!(caught(|id, outcome| (id != RequestId(4)).then_some((id, outcome))));
    assert!(caught(|_, outcome| Some((RequestId(1), outcome))));
    assert!(caught(|id, outcome| Some((RequestId(id.0 + 100), outcome))));
}

#[test]
fn outcomes_of_the_wrong_kind_or_number() {
    assert!(caught(|id, _| Some((id, Outcome::Landed(CommitNumber(1))))));
    let skip = |n: CommitNumber| Outcome::Landed(CommitNumber(n.0 + 1));
    assert!(caught(|id, o| Some((id, if let Outcome::Landed(n) = o { skip(n) } else { o }))));
    // It landed, and the store says that it did not: the read shows it, so the next read has no explanation.
    assert!(caught(|id, o| {
        let failed = Outcome::Failed(StoreError::Aborted("not true".into()));
        Some((id, if matches!(o, Outcome::Landed(_)) { failed } else { o }))
    }));
}

#[test]
fn reads_of_no_single_state() {
    assert!(change_reads(|reply| reply.pages[0].1 = Some(b"a".to_vec())), "a torn read");
    assert!(change_reads(|reply| reply.pages[0].1 = None), "a lost page");
    assert!(change_reads(|reply| reply.pages.reverse()), "another order");
    assert!(change_reads(|reply| drop(reply.records.pop())), "the last record is missing");
    assert!(change_reads(|reply| drop(reply.records.drain(..1))), "the first record is missing");
    assert!(change_reads(|reply| reply.records[0].1.push(0)), "a changed record");
}

#[test]
fn reads_that_go_back() {
    let store = MemoryStore::new(first_metas());
    let old = store.data().borrow().clone();
    let data = store.data();
    let mut checker = Checker::new(store, Ledger::created(&first_metas()));
    workload(&mut checker);
    *data.borrow_mut() = old;
    checker.begin(Request::Read(read(&[1])));
    assert!(catch_unwind(AssertUnwindSafe(|| checker.take_event())).is_err());
}

#[test]
fn numbers_given_again() {
    let store = MemoryStore::new(first_metas());
    let data = store.data();
    let mut checker = Checker::new(store, Ledger::created(&first_metas()));
    workload(&mut checker);
    *data.borrow_mut() = Data::new(first_metas());
    checker.begin(put(1, b"again"));
    assert!(catch_unwind(AssertUnwindSafe(|| checker.take_event())).is_err());
}

#[test]
fn callers_that_break_it() {
    let too_large = vec![(PageId(1), vec![0; VALUE_BYTES_MAX + 1])];
    let twice = vec![(PageId(1), vec![1]), (PageId(1), vec![2])];
    let zero = vec![(PageId(0), vec![1])];
    for puts in [too_large, twice, zero] {
        let mut checker = Checker::new(MemoryStore::new(first_metas()), Ledger::created(&first_metas()));
        let request = Request::Commit(CommitRequest { puts, ..commit(1, b"r") });
        assert!(catch_unwind(AssertUnwindSafe(|| checker.begin(request))).is_err());
    }
}

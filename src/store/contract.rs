//! The cases that every store passes: memory, simulated, and IndexedDB in the browsers.
//!
//! A case is plain data, so that one list serves hosts that wait by polling and hosts that wait by `await`: steps of
//! requests begun in one turn, and what must be true of their outcomes once all are there. Faults are no part of
//! it: the store under test is expected to work.

mod temp;

use super::checker::{Checker, Ledger};
use super::{
    CommitNumber, CommitRequest, Durability, Fence, MetaKey, Outcome, PageId, PageStore, ReadReply,
    ReadRequest, Request, RequestId, VALUE_BYTES_MAX,
};
use std::collections::BTreeMap;

/// One thing that a case does.
pub enum Step {
    /// Begins the requests in one turn, each on the handle named, and waits for all their events.
    Requests { requests: Vec<(usize, Request)>, check: fn(&[Outcome]) },
    /// Closes all handles and opens as many again on the same data.
    Reopen,
}

/// A case: on data fresh from its creation with [`first_metas`], opened by `handles` contexts.
pub struct Case {
    pub name: &'static str,
    pub handles: usize,
    pub steps: Vec<Step>,
}

/// What the database of every case is created with.
pub fn first_metas() -> Vec<(MetaKey, Vec<u8>)> {
    vec![(MetaKey::META, b"meta 0".to_vec()), (MetaKey::IMAGE_TAG, b"tag 0".to_vec())]
}

/// A commit of a record alone.
pub fn commit(expected: u64, record: &[u8]) -> CommitRequest {
    CommitRequest {
        durability: Durability::Relaxed,
        fence: Fence::Callback { expected: CommitNumber(expected) },
        record: record.to_vec(),
        puts: Vec::new(),
        deletes: Vec::new(),
        metas: Vec::new(),
        prune_through: None,
    }
}

/// A read of everything but pages, and of these pages.
pub fn read(pages: &[u64]) -> ReadRequest {
    ReadRequest {
        metas: true,
        records_after: Some(CommitNumber(0)),
        pages: pages.iter().map(|id| PageId(*id)).collect(),
    }
}

fn puts(expected: u64, pages: &[(u64, &[u8])]) -> CommitRequest {
    let puts = pages.iter().map(|(id, bytes)| (PageId(*id), bytes.to_vec())).collect();
    CommitRequest { puts, ..commit(expected, format!("record {expected}").as_bytes()) }
}

fn step<const N: usize>(requests: [(usize, Request); N], check: fn(&[Outcome])) -> Step {
    Step::Requests { requests: requests.into(), check }
}

/// The reply of a read that must have succeeded.
pub fn reply(outcome: &Outcome) -> &ReadReply {
    match outcome {
        Outcome::Read(reply) => reply,
        other => panic!("a read was answered by {other:?}"),
    }
}

fn page(outcome: &Outcome, index: usize) -> Option<&[u8]> {
    reply(outcome).pages[index].1.as_deref()
}

fn record_numbers(outcome: &Outcome) -> Vec<u64> {
    reply(outcome).records.iter().map(|(number, _)| number.0).collect()
}

fn landed(number: u64) -> Outcome {
    Outcome::Landed(CommitNumber(number))
}

fn conflict(found: u64) -> Outcome {
    Outcome::Conflict { found: CommitNumber(found) }
}

use Request::{Commit, Read};

/// All cases.
pub fn cases() -> Vec<Case> {
    let mut cases = fence_cases();
    cases.extend(value_cases());
    cases.extend(order_cases());
    cases.extend(temp::cases());
    cases
}

fn fence_cases() -> Vec<Case> {
    let one = |handles, name, steps| Case { name, handles, steps };
    vec![
        one(
            1,
            "a created store holds its first metas and nothing else",
            vec![step([(0, Read(read(&[1, 2]))), (0, Read(ReadRequest::default()))], |o| {
                let pages = vec![(PageId(1), None), (PageId(2), None)];
                assert_eq!(reply(&o[0]), &ReadReply { metas: first_metas(), records: vec![], pages });
                assert_eq!(reply(&o[1]), &ReadReply::default());
            })],
        ),
        one(
            1,
            "a commit is in the store whole",
            vec![
                step([(0, Commit(whole()))], |o| assert_eq!(o[0], landed(1))),
                step([(0, Read(read(&[9, 7])))], assert_whole),
            ],
        ),
        one(
            1,
            "what a commit wrote is there after reopening, and numbers go on",
            vec![
                step([(0, Commit(whole()))], |o| assert_eq!(o[0], landed(1))),
                Step::Reopen,
                step([(0, Read(read(&[9, 7])))], assert_whole),
                step([(0, Commit(commit(2, b"two")))], |o| assert_eq!(o[0], landed(2))),
            ],
        ),
        one(
            1,
            "a commit with a wrong number changes nothing and gives its number back",
            vec![
                step([(0, Commit(puts(1, &[(1, b"old")])))], |o| assert_eq!(o[0], landed(1))),
                step([(0, Commit(CommitRequest { deletes: vec![PageId(1)], ..doomed(5) }))], |o| {
                    assert_eq!(o[0], conflict(2));
                }),
                step([(0, Commit(doomed(1)))], |o| assert_eq!(o[0], conflict(2))),
                step([(0, Read(read(&[1, 3])))], |o| {
                    assert_eq!((page(&o[0], 0), page(&o[0], 1)), (Some(&b"old"[..]), None));
                    assert_eq!((record_numbers(&o[0]), &reply(&o[0]).metas), (vec![1], &first_metas()));
                }),
                step([(0, Commit(commit(2, b"two")))], |o| assert_eq!(o[0], landed(2))),
            ],
        ),
        one(
            1,
            "pruned records are gone and their numbers are not given again",
            vec![
                step(
                    [
                        (0, Commit(commit(1, b"1"))),
                        (0, Commit(commit(2, b"2"))),
                        (0, Commit(commit(3, b"3"))),
                    ],
                    |o| {
                        assert_eq!(o, [landed(1), landed(2), landed(3)]);
                    },
                ),
                step([(0, Commit(pruning(4, 2)))], |o| assert_eq!(o[0], landed(4))),
                step([(0, Read(read(&[])))], |o| assert_eq!(record_numbers(&o[0]), [3, 4])),
                step([(0, Commit(pruning(5, 4)))], |o| assert_eq!(o[0], landed(5))),
                Step::Reopen,
                step([(0, Commit(commit(1, b"stale")))], |o| assert_eq!(o[0], conflict(6))),
                step([(0, Read(read(&[])))], |o| assert_eq!(record_numbers(&o[0]), [5])),
            ],
        ),
        one(
            2,
            "of two contexts that commit the same number one lands",
            vec![
                step([(0, Commit(puts(1, &[(1, b"a")]))), (1, Commit(puts(1, &[(1, b"b")])))], |o| {
                    let either = [[landed(1), conflict(2)], [conflict(2), landed(1)]];
                    assert!(either.iter().any(|e| e == o), "{o:?}");
                }),
                step([(0, Read(read(&[1]))), (1, Read(read(&[1])))], |o| {
                    assert_eq!(o[0], o[1]);
                    assert_eq!(record_numbers(&o[0]), [1]);
                }),
            ],
        ),
    ]
}

fn value_cases() -> Vec<Case> {
    let one = |name, steps| Case { name, handles: 1, steps };
    vec![
        one(
            "values of every length come back as they were put",
            vec![
                step(
                    [(
                        0,
                        Commit(CommitRequest {
                            record: pattern(VALUE_BYTES_MAX),
                            metas: vec![
                                (MetaKey::META, pattern(VALUE_BYTES_MAX)),
                                (MetaKey::META_COPY, Vec::new()),
                            ],
                            ..puts(
                                1,
                                &[
                                    (1, &[]),
                                    (2, &pattern(1)),
                                    (3, &pattern(257)),
                                    (4, &pattern(VALUE_BYTES_MAX)),
                                ],
                            )
                        }),
                    )],
                    |o| assert_eq!(o[0], landed(1)),
                ),
                step([(0, Read(read(&[1, 2, 3, 4])))], |o| {
                    let r = reply(&o[0]);
                    for (index, length) in [0, 1, 257, VALUE_BYTES_MAX].into_iter().enumerate() {
                        assert_eq!(page(&o[0], index), Some(&pattern(length)[..]));
                    }
                    assert_eq!(r.records, [(CommitNumber(1), pattern(VALUE_BYTES_MAX))]);
                    let metas: BTreeMap<MetaKey, Vec<u8>> = r.metas.iter().cloned().collect();
                    assert_eq!(metas[&MetaKey::META], pattern(VALUE_BYTES_MAX));
                    assert_eq!(metas[&MetaKey::META_COPY], Vec::<u8>::new());
                }),
            ],
        ),
        one(
            "pages are overwritten and deleted, and a read keeps the order it asked in",
            vec![
                step([(0, Commit(puts(1, &[(1, b"one"), (2, b"two"), (3, b"three")])))], |o| {
                    assert_eq!(o[0], landed(1));
                }),
                step(
                    [(
                        0,
                        Commit(CommitRequest {
                            deletes: vec![PageId(2), PageId(8)],
                            ..puts(2, &[(3, b"drei")])
                        }),
                    )],
                    |o| {
                        assert_eq!(o[0], landed(2));
                    },
                ),
                step([(0, Read(read(&[3, 2, 1, 3])))], |o| {
                    let pages: Vec<_> = (0..4).map(|i| page(&o[0], i)).collect();
                    assert_eq!(pages, [Some(&b"drei"[..]), None, Some(b"one"), Some(b"drei")]);
                }),
            ],
        ),
        one(
            "the largest page id is one",
            vec![
                step([(0, Commit(puts(1, &[((1 << 53) - 1, b"last"), (1 << 32, b"middle")])))], |o| {
                    assert_eq!(o[0], landed(1));
                }),
                step([(0, Read(read(&[1 << 32, (1 << 53) - 1])))], |o| {
                    assert_eq!((page(&o[0], 0), page(&o[0], 1)), (Some(&b"middle"[..]), Some(&b"last"[..])));
                }),
            ],
        ),
        one(
            "a strict commit of 4 MB lands like any other",
            vec![
                step([(0, Commit(large()))], |o| assert_eq!(o[0], landed(1))),
                step([(0, Read(read(&[1, 64, 128, 129])))], |o| {
                    assert_eq!(
                        (page(&o[0], 0), page(&o[0], 1)),
                        (Some(&[1; 32768][..]), Some(&[64; 32768][..]))
                    );
                    assert_eq!((page(&o[0], 2), page(&o[0], 3)), (Some(&[128; 32768][..]), None));
                }),
            ],
        ),
    ]
}

fn order_cases() -> Vec<Case> {
    let one = |name, handles, steps| Case { name, handles, steps };
    let after = |n| ReadRequest { records_after: Some(CommitNumber(n)), ..ReadRequest::default() };
    vec![
        one(
            "records after a number come in order",
            1,
            vec![
                step(
                    [
                        (0, Commit(commit(1, b"a"))),
                        (0, Commit(commit(2, b"b"))),
                        (0, Commit(commit(3, b"c"))),
                    ],
                    |o| {
                        assert_eq!(o, [landed(1), landed(2), landed(3)]);
                    },
                ),
                step([(0, Read(after(1))), (0, Read(after(3)))], |o| {
                    let records = vec![(CommitNumber(2), b"b".to_vec()), (CommitNumber(3), b"c".to_vec())];
                    assert_eq!(reply(&o[0]), &ReadReply { records, ..ReadReply::default() });
                    assert_eq!(reply(&o[1]), &ReadReply::default());
                }),
            ],
        ),
        one(
            "a commit that landed is seen by every context",
            2,
            vec![
                step([(0, Commit(puts(1, &[(1, b"a")])))], |o| assert_eq!(o[0], landed(1))),
                step([(1, Read(read(&[1])))], |o| {
                    assert_eq!((page(&o[0], 0), record_numbers(&o[0])), (Some(&b"a"[..]), vec![1]));
                }),
                step([(1, Commit(puts(2, &[(1, b"b")])))], |o| assert_eq!(o[0], landed(2))),
                step([(0, Read(read(&[1])))], |o| assert_eq!(page(&o[0], 0), Some(&b"b"[..]))),
            ],
        ),
        one(
            "a read beside commits sees one state",
            2,
            vec![
                step([(0, Commit(puts(1, &[(1, b"0"), (2, b"0")])))], |o| assert_eq!(o[0], landed(1))),
                step(
                    [
                        (1, Read(read(&[1, 2]))),
                        (0, Commit(puts(2, &[(1, b"1"), (2, b"1")]))),
                        (1, Read(read(&[1, 2]))),
                        (0, Commit(puts(3, &[(2, b"2"), (1, b"2")]))),
                        (1, Read(read(&[2, 1]))),
                    ],
                    |o| {
                        assert_eq!((&o[1], &o[3]), (&landed(2), &landed(3)));
                        for read in [&o[0], &o[2], &o[4]] {
                            let state = record_numbers(read).len() as u8 - 1;
                            assert_eq!(
                                (page(read, 0), page(read, 1)),
                                (Some(&[b'0' + state][..]), Some(&[b'0' + state][..]))
                            );
                        }
                    },
                ),
            ],
        ),
    ]
}

fn whole() -> CommitRequest {
    CommitRequest {
        metas: vec![(MetaKey::META, b"meta 1".to_vec()), (MetaKey::IMAGE_TAG, b"tag 1".to_vec())],
        ..puts(1, &[(7, b"seven"), (9, b"nine")])
    }
}

fn assert_whole(outcomes: &[Outcome]) {
    let expected = ReadReply {
        metas: whole().metas,
        records: vec![(CommitNumber(1), b"record 1".to_vec())],
        pages: vec![(PageId(9), Some(b"nine".to_vec())), (PageId(7), Some(b"seven".to_vec()))],
    };
    assert_eq!(reply(&outcomes[0]), &expected);
}

/// A commit that would change everything if its fence let it.
fn doomed(expected: u64) -> CommitRequest {
    let metas = vec![(MetaKey::META, b"wrong".to_vec())];
    CommitRequest {
        metas,
        prune_through: Some(CommitNumber(expected - 1)),
        ..puts(expected, &[(3, b"wrong")])
    }
}

fn pruning(expected: u64, through: u64) -> CommitRequest {
    CommitRequest { prune_through: Some(CommitNumber(through)), ..commit(expected, b"prunes") }
}

fn large() -> CommitRequest {
    let pages: Vec<(PageId, Vec<u8>)> = (1..=128).map(|id| (PageId(id), vec![id as u8; 32768])).collect();
    CommitRequest { durability: Durability::Strict, puts: pages, ..commit(1, b"large") }
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + i / 256) as u8).collect()
}

/// The events of requests begun together, waiting for the last of them.
pub struct Collected {
    slots: BTreeMap<(usize, RequestId), usize>,
    outcomes: Vec<Option<Outcome>>,
}

impl Collected {
    /// Begins the requests, each on its handle.
    pub fn begin<S: PageStore>(handles: &mut [S], requests: &[(usize, Request)]) -> Collected {
        let mut slots = BTreeMap::new();
        for (slot, (handle, request)) in requests.iter().enumerate() {
            slots.insert((*handle, handles[*handle].begin(request.clone())), slot);
        }
        Collected { slots, outcomes: vec![None; requests.len()] }
    }

    /// Takes the events that are there, and says whether these were the last.
    pub fn poll<S: PageStore>(&mut self, handles: &mut [S]) -> bool {
        for (index, handle) in handles.iter_mut().enumerate() {
            while let Some((id, outcome)) = handle.take_event() {
                let slot = self.slots.remove(&(index, id)).expect("an event for a request of this step");
                self.outcomes[slot] = Some(outcome);
            }
        }
        self.slots.is_empty()
    }

    /// The outcomes in the order of the requests, once all are there.
    pub fn outcomes(self) -> Vec<Outcome> {
        self.outcomes.into_iter().map(|o| o.expect("every request was answered")).collect()
    }
}

/// Runs a case on a store whose host waits by polling. `open` opens the data of this case, each time anew.
pub fn run<S: PageStore>(case: &Case, mut open: impl FnMut() -> S) {
    let ledger = Ledger::created(&first_metas());
    let mut open_all =
        || -> Vec<Checker<S>> { (0..case.handles).map(|_| Checker::new(open(), ledger.clone())).collect() };
    let mut handles = open_all();
    for step in &case.steps {
        match step {
            Step::Requests { requests, check } => {
                let mut collected = Collected::begin(&mut handles, requests);
                while !collected.poll(&mut handles) {}
                check(&collected.outcomes());
            }
            Step::Reopen => {
                handles.drain(..).for_each(Checker::finish);
                handles = open_all();
            }
        }
    }
    handles.into_iter().for_each(Checker::finish);
}

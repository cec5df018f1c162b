//! The cases about temporary chunks.

use super::{Case, Step, pattern, read, reply, step};
use crate::store::{Outcome, Request, StoreError, TempKey, TempRequest, VALUE_BYTES_MAX};

fn temp(deletes: &[u64], puts: &[(u64, &[u8])], gets: &[u64]) -> Request {
    let keys = |keys: &[u64]| keys.iter().map(|key| TempKey(*key)).collect();
    Request::Temp(TempRequest {
        puts: puts.iter().map(|(key, bytes)| (TempKey(*key), bytes.to_vec())).collect(),
        gets: keys(gets),
        deletes: keys(deletes),
    })
}

fn got(chunks: &[&[u8]]) -> Outcome {
    Outcome::Temp(chunks.iter().map(|chunk| chunk.to_vec()).collect())
}

fn is_missing(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Aborted(text)) if text.contains("is not there"))
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "temporary chunks come back, in the order asked, until they are deleted",
            handles: 1,
            steps: vec![
                step([(0, temp(&[], &[(1, b"one"), (2, b""), (3, b"three")], &[]))], |o| {
                    assert_eq!(o[0], got(&[]));
                }),
                step([(0, temp(&[], &[], &[3, 1, 2]))], |o| assert_eq!(o[0], got(&[b"three", b"one", b""]))),
                // Deletions first, then puts, then gets; what is not there is deleted in vain.
                step([(0, temp(&[1, 99], &[(4, b"four")], &[4, 2]))], |o| {
                    assert_eq!(o[0], got(&[b"four", b""]));
                }),
                step([(0, temp(&[], &[], &[1])), (0, temp(&[], &[], &[3, 4]))], |o| {
                    assert!(is_missing(&o[0]), "{:?}", o[0]);
                    assert_eq!(o[1], got(&[b"three", b"four"]));
                }),
            ],
        },
        Case {
            name: "temporary requests are done in the order in which they were begun",
            handles: 1,
            steps: vec![step(
                [
                    (0, temp(&[], &[(1, b"one"), (2, b"two")], &[])),
                    (0, temp(&[], &[(3, b"three")], &[1])),
                    (0, temp(&[1, 2], &[], &[3])),
                    (0, temp(&[], &[], &[2])),
                    (0, temp(&[], &[], &[3])),
                ],
                |o| {
                    assert_eq!(o[..3], [got(&[]), got(&[b"one"]), got(&[b"three"])]);
                    assert!(is_missing(&o[3]), "{:?}", o[3]);
                    assert_eq!(o[4], got(&[b"three"]));
                },
            )],
        },
        Case {
            name: "temporary chunks of every length come back as they were put",
            handles: 1,
            steps: vec![
                step([(0, temp(&[], &[(1, &pattern(1)), (2, &pattern(VALUE_BYTES_MAX))], &[]))], |_| ()),
                step([(0, temp(&[], &[], &[1, 2]))], |o| {
                    assert_eq!(o[0], got(&[&pattern(1), &pattern(VALUE_BYTES_MAX)]));
                }),
            ],
        },
        Case {
            name: "temporary chunks are their handle's own, and gone with it",
            handles: 2,
            steps: vec![
                step([(0, temp(&[], &[(1, b"first")], &[])), (1, temp(&[], &[(1, b"second")], &[]))], |o| {
                    assert_eq!(o, [got(&[]), got(&[])]);
                }),
                step([(0, temp(&[], &[], &[1])), (1, temp(&[1], &[(2, b"mine")], &[2]))], |o| {
                    assert_eq!(o, [got(&[b"first"]), got(&[b"mine"])]);
                }),
                step([(0, temp(&[], &[], &[2])), (0, Request::Read(read(&[1, 2])))], |o| {
                    assert!(is_missing(&o[0]), "{:?}", o[0]);
                    assert!(reply(&o[1]).pages.iter().all(|(_, page)| page.is_none()));
                }),
                Step::Reopen,
                step([(0, temp(&[], &[], &[1])), (1, temp(&[], &[], &[2]))], |o| {
                    assert!(o.iter().all(is_missing), "{o:?}");
                }),
            ],
        },
    ]
}

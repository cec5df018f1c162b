//! The simulated store's faults: whatever happens, the contract holds, and the same seed gives the same history.

use pandodb::store::checker::{Checker, Ledger};
use pandodb::store::contract::{commit, first_metas, read, reply};
use pandodb::store::data::Data;
use pandodb::store::simulated::{Faults, Simulated, SimulatedStore, StopKind};
use pandodb::store::{
    CommitNumber, CommitRequest, Durability, Outcome, PageId, PageStore, ReadRequest, Request, StoreError,
};

const ALL_FAULTS: Faults = Faults {
    late_per_mille: 200,
    abort_per_mille: 50,
    quota_per_mille: 50,
    quota_bytes: None,
    lose_connection_per_mille: 10,
};

/// A context of the random workload: what it believes the next number to be.
struct Tab {
    store: Checker<SimulatedStore>,
    next: u64,
}

/// The kinds of outcomes seen, so that a test can demand that its workload meets them all.
#[derive(Default, Debug, PartialEq, Eq, Clone)]
struct Seen {
    landed: u32,
    conflict: u32,
    quota: u32,
    aborted: u32,
    lost: u32,
    read: u32,
    died: u32,
}

fn random_request(random: &mut fastrand::Rng, next: u64, serial: u64) -> Request {
    let mut pages: Vec<u64> = (1..=6).collect();
    random.shuffle(&mut pages);
    if random.bool() {
        let records_after = random.bool().then(|| CommitNumber(random.u64(0..=next)));
        let pages = pages[..random.usize(0..6)].iter().map(|id| PageId(*id)).collect();
        return Request::Read(ReadRequest { metas: random.bool(), records_after, pages });
    }
    let (puts, deletes) = pages.split_at(random.usize(0..5));
    let value = format!("{serial}").into_bytes();
    Request::Commit(CommitRequest {
        durability: if random.u8(0..4) == 0 { Durability::Strict } else { Durability::Relaxed },
        puts: puts.iter().map(|id| (PageId(*id), value.clone())).collect(),
        deletes: deletes[..random.usize(0..2)].iter().map(|id| PageId(*id)).collect(),
        metas: if random.bool() { vec![(first_metas()[0].0, value.clone())] } else { vec![] },
        prune_through: (random.u8(0..6) == 0).then(|| CommitNumber(next.saturating_sub(3))),
        ..commit(next, &value)
    })
}

fn note(tab: &mut Tab, outcome: Outcome, seen: &mut Seen) {
    match outcome {
        Outcome::Landed(number) => {
            seen.landed += 1;
            tab.next = tab.next.max(number.0 + 1);
        }
        Outcome::Conflict { found } => {
            seen.conflict += 1;
            tab.next = tab.next.max(found.0);
        }
        Outcome::Read(reply) => {
            seen.read += 1;
            let top = reply.records.last().map_or(0, |(number, _)| number.0);
            tab.next = tab.next.max(top + 1);
        }
        Outcome::Temp(_) => panic!("nobody asked for temporary chunks"),
        Outcome::Failed(StoreError::Quota(_)) => seen.quota += 1,
        Outcome::Failed(StoreError::Aborted(_)) => seen.aborted += 1,
        Outcome::Failed(_) => seen.lost += 1,
    }
}

fn run(seed: u64, seen: &mut Seen) -> Data {
    let mut random = fastrand::Rng::with_seed(seed);
    let profile = Simulated::new(seed, ALL_FAULTS, first_metas());
    let mut ledger = Ledger::created(&first_metas());
    let open = |ledger: &Ledger| Tab { store: Checker::new(profile.open(), ledger.clone()), next: 1 };
    let mut tabs: Vec<Tab> = (0..3).map(|_| open(&ledger)).collect();
    for serial in 0..400 {
        let which = random.usize(0..tabs.len());
        match random.u8(0..100) {
            0 => tabs[which] = open(&ledger),
            1 => {
                profile.browser_dies();
                ledger = Ledger::new();
                tabs = (0..3).map(|_| open(&ledger)).collect();
                seen.died += 1;
            }
            2..40 => {
                let request = random_request(&mut random, tabs[which].next, serial);
                tabs[which].store.begin(request);
            }
            _ => {
                let lost = seen.lost;
                while let Some((_, outcome)) = tabs[which].store.take_event() {
                    note(&mut tabs[which], outcome, seen);
                }
                if seen.lost > lost && tabs[which].store.unanswered() == 0 {
                    tabs[which] = open(&ledger);
                }
            }
        }
    }
    profile.data()
}

#[test]
fn the_contract_holds_under_all_faults() {
    let mut seen = Seen::default();
    for seed in 0..300 {
        println!("seed {seed}");
        run(seed, &mut seen);
    }
    let Seen { landed, conflict, quota, aborted, lost, read, died } = seen;
    let least = [landed, conflict, quota, aborted, lost, read, died].into_iter().min();
    assert!(least >= Some(100), "a fault is hardly met: {seen:?}");
}

#[test]
fn the_same_seed_gives_the_same_history() {
    let (mut first, mut second) = (Seen::default(), Seen::default());
    for seed in 0..20 {
        assert_eq!(run(seed, &mut first), run(seed, &mut second), "seed {seed}");
    }
    assert_eq!(first, second);
}

/// Commits `1..=count` one after the other; returns how many were reported.
fn commit_in_turn(store: &mut SimulatedStore, count: u64) -> u64 {
    for number in 1..=count {
        let puts = vec![(PageId(1), number.to_le_bytes().to_vec())];
        store.begin(Request::Commit(CommitRequest { puts, ..commit(number, &[number as u8]) }));
        let mut polls = 0;
        loop {
            match store.take_event() {
                Some((_, outcome)) => break assert_eq!(outcome, Outcome::Landed(CommitNumber(number))),
                None => polls += 1,
            }
            if polls == 1000 {
                return number - 1;
            }
        }
    }
    count
}

#[test]
fn a_stop_before_after_and_unreported() {
    for k in 1..=5 {
        for kind in StopKind::ALL {
            let profile = Simulated::new(k, Faults::default(), first_metas());
            profile.stop_at(k, kind);
            let reported = commit_in_turn(&mut profile.open(), 5);
            let (told, kept) = match kind {
                StopKind::Before => (k - 1, k - 1),
                StopKind::After => (k, k),
                StopKind::AfterUnreported => (k - 1, k),
            };
            assert!(profile.stopped());
            assert_eq!((reported, profile.commits_landed()), (told, kept), "{kind:?} {k}");
            // The next start of the browser finds what was kept and works.
            let mut store = profile.open();
            store.begin(Request::Read(read(&[1])));
            let outcome = std::iter::from_fn(|| Some(store.take_event())).flatten().next().unwrap().1;
            assert_eq!(reply(&outcome).records.len() as u64, kept);
            assert_eq!(reply(&outcome).pages[0].1, (kept > 0).then(|| kept.to_le_bytes().to_vec()));
        }
    }
}

#[test]
fn a_dead_browser_keeps_strict_commits_and_what_came_before_them() {
    let mut shortest = u64::MAX;
    for seed in 0..100 {
        let profile = Simulated::new(seed, Faults::default(), first_metas());
        let mut store = profile.open();
        for number in 1..=6 {
            let durability = if number == 3 { Durability::Strict } else { Durability::Relaxed };
            store.begin(Request::Commit(CommitRequest { durability, ..commit(number, &[number as u8]) }));
            while store.take_event().is_none() {}
        }
        profile.browser_dies();
        let last = profile.data().last().0;
        assert!((3..=6).contains(&last), "seed {seed}: {last}");
        shortest = shortest.min(last);
    }
    assert_eq!(shortest, 3, "no suffix was lost whole");
}

#[test]
fn the_quota_refuses_growth_and_nothing_is_changed() {
    let faults = Faults { quota_bytes: Some(1000), ..Faults::default() };
    let profile = Simulated::new(1, faults, first_metas());
    let mut store = Checker::new(profile.open(), Ledger::new());
    let mut outcome = |bytes: usize| {
        let puts = vec![(PageId(1), vec![0; bytes])];
        store.begin(Request::Commit(CommitRequest { puts, ..commit(1, b"r") }));
        std::iter::from_fn(|| Some(store.take_event())).flatten().next().unwrap().1
    };
    assert!(matches!(outcome(1000), Outcome::Failed(StoreError::Quota(_))));
    assert_eq!(outcome(900), Outcome::Landed(CommitNumber(1)));
}

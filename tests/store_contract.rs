//! The contract's cases on the stores that need no browser.

use pandodb::store::MemoryStore;
use pandodb::store::contract::{self, cases, first_metas};
use pandodb::store::simulated::{Faults, Simulated};

#[test]
fn memory_store() {
    for case in cases() {
        println!("{}", case.name);
        let store = MemoryStore::new(first_metas());
        contract::run(&case, || store.another());
    }
}

#[test]
fn simulated_store_without_faults() {
    for seed in 0..200 {
        for case in cases() {
            println!("seed {seed}: {}", case.name);
            let profile = Simulated::new(seed, Faults::default(), first_metas());
            contract::run(&case, || profile.open());
        }
    }
}

#[test]
fn simulated_store_that_is_slow() {
    let faults = Faults { late_per_mille: 700, ..Faults::default() };
    for seed in 0..50 {
        for case in cases() {
            println!("seed {seed}: {}", case.name);
            let profile = Simulated::new(seed, faults, first_metas());
            contract::run(&case, || profile.open());
        }
    }
}

//! B+tree: insert, lookup, scan. Times are per entry (criterion's throughput).

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pandodb::btree::{Builder, Cursor, Tree};
use pandodb::pager::TreeId;
use pandodb_bench::VecPages;
use pandodb_bench::processor_time::{ProcessorTime, criterion};
use std::hint::black_box;

const ENTRIES: u64 = 100_000;

fn ascending(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

/// Index entries: a string of 12 to 24 bytes, then the record's id.
fn index_keys() -> Vec<Vec<u8>> {
    let mut random = fastrand::Rng::with_seed(1);
    let word = |random: &mut fastrand::Rng| -> Vec<u8> {
        let length = random.usize(8..20);
        std::iter::repeat_with(|| random.alphabetic() as u8).take(length).collect()
    };
    (0..ENTRIES)
        .map(|number| [b"name".to_vec(), word(&mut random), number.to_be_bytes().to_vec()].concat())
        .collect()
}

fn filled(keys: &[Vec<u8>], value: &[u8]) -> (VecPages, Tree) {
    let mut pages = VecPages::default();
    let tree = Tree::create(&mut pages, TreeId(1));
    for key in keys {
        tree.put(&mut pages, key, value).expect("resident");
    }
    (pages, tree)
}

fn insert(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("btree/insert");
    group.throughput(Throughput::Elements(ENTRIES)).sample_size(10);
    let (document, index) = (vec![7; 300], index_keys());
    group.bench_function("ascending, 300 B values", |bench| {
        bench.iter_batched(
            || (),
            |()| {
                let mut pages = VecPages::default();
                let tree = Tree::create(&mut pages, TreeId(1));
                for number in 0..ENTRIES {
                    tree.put(&mut pages, &ascending(number), &document).expect("resident");
                }
                pages
            },
            BatchSize::PerIteration,
        )
    });
    group.bench_function("random index keys", |bench| {
        bench.iter_batched(|| (), |()| filled(&index, &[]), BatchSize::PerIteration)
    });
    let mut sorted = index.clone();
    sorted.sort();
    group.bench_function("bulk load of sorted index keys", |bench| {
        bench.iter_batched(
            || (),
            |()| {
                let mut pages = VecPages::default();
                let tree = Tree::create(&mut pages, TreeId(1));
                let mut builder = Builder::new(&pages, tree).expect("resident");
                for key in &sorted {
                    builder.push(&mut pages, key, &[]).expect("ascending");
                }
                builder.finish(&mut pages);
                pages
            },
            BatchSize::PerIteration,
        )
    });
    group.finish();
    let (pages, _) = filled(&index, &[]);
    println!("random index keys: {:?} pages and bytes for {ENTRIES} entries", pages.size());
}

fn lookup(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("btree/lookup");
    group.throughput(Throughput::Elements(1));
    let records: Vec<Vec<u8>> = (0..ENTRIES).map(|number| ascending(number).to_vec()).collect();
    for (name, keys, value) in
        [("record ids", records, vec![7; 300]), ("index keys", index_keys(), Vec::new())]
    {
        let (pages, tree) = filled(&keys, &value);
        let mut random = fastrand::Rng::with_seed(2);
        group.bench_function(name, |bench| {
            bench.iter(|| {
                tree.get(&pages, &keys[random.usize(0..keys.len())]).expect("resident").map(|v| v.len())
            })
        });
    }
    group.finish();
}

fn scan(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("btree/scan");
    group.throughput(Throughput::Elements(ENTRIES)).sample_size(20);
    let (pages, tree) = filled(&index_keys(), &[1]);
    let mut cursor = Cursor::new(tree);
    group.bench_function("next", |bench| {
        bench.iter(|| {
            cursor.seek_start();
            let mut bytes = 0;
            while let Some(entry) = cursor.next(&pages).expect("resident") {
                bytes += entry.key.len() + entry.value().len();
            }
            black_box(bytes)
        })
    });
    group.bench_function("scan", |bench| {
        bench.iter(|| {
            cursor.seek_start();
            let mut scan = cursor.scan(&pages);
            let mut bytes = 0;
            while let Some(entry) = scan.next().expect("resident") {
                bytes += entry.key.len() + entry.value().len();
            }
            black_box(bytes)
        })
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = insert, lookup, scan
}
criterion_main!(benches);

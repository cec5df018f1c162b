//! Whole commands on an engine over a store in memory, everything cached: what the engine itself costs.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pandodb::bson::{DocBuilder, RawDoc, Value};
use pandodb::engine::{Config, Engine};
use pandodb::host::SeededHost;
use pandodb::session::Session;
use pandodb::store::memory::MemoryStore;
use pandodb_bench::documents::{command, insert, object_id};

use pandodb_bench::processor_time::{ProcessorTime, criterion};

const DOCUMENTS: u32 = 100_000;
/// Enough for all pages of the benchmark's documents.
const CACHE_BYTES: usize = 256 << 20;

struct Database(Session<MemoryStore>);

impl Database {
    fn new() -> Database {
        let mut host = SeededHost::new(1);
        let store = MemoryStore::new(Engine::first_metas(&mut host));
        let config = Config { cache_bytes_max: CACHE_BYTES, ..Config::default() };
        Database(Session::new(Engine::open(config, Box::new(host)), store))
    }

    fn run(&mut self, request: Vec<u8>) -> Vec<u8> {
        let reply = self.0.command(request).expect("a store in memory answers");
        let doc = RawDoc::from_validated(&reply);
        assert!(matches!(doc.get("ok"), Some(Value::Double(ok)) if ok == 1.0), "{reply:?}");
        reply
    }

    /// The number that a reply names.
    fn number(&mut self, request: Vec<u8>, name: &str) -> i32 {
        match RawDoc::from_validated(&self.run(request)).get(name) {
            Some(Value::Int32(number)) => number,
            other => panic!("{name} is {other:?}"),
        }
    }

    fn filled() -> Database {
        let mut database = Database::new();
        assert_eq!(database.number(insert(0..DOCUMENTS), "n"), DOCUMENTS as i32);
        database.run(command("createIndexes", |doc| {
            doc.array("indexes", |list| {
                list.document(|index| {
                    index
                        .document("key", |key| {
                            key.push("k", 1);
                        })
                        .push("name", "k_1");
                });
            });
        }));
        database
    }
}

fn find(fill: impl FnOnce(&mut DocBuilder), rest: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    command("find", |doc| {
        doc.document("filter", fill);
        rest(doc);
    })
}

fn one(doc: &mut DocBuilder) {
    doc.push("limit", 1).push("singleBatch", true);
}

fn writes(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("engine/insert");
    group.sample_size(10);
    let request = insert(0..DOCUMENTS);
    group.throughput(Throughput::Elements(u64::from(DOCUMENTS)));
    group.bench_function("one command of 100 k documents, per document", |bench| {
        let setup = || (Database::new(), request.clone());
        bench.iter_batched(
            setup,
            |(mut database, request)| {
                database.run(request);
                database
            },
            BatchSize::PerIteration,
        )
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("one document a command", |bench| {
        let mut database = Database::new();
        let mut number = 0;
        bench.iter_batched(
            || {
                number += 1;
                insert(number..number + 1)
            },
            |request| database.run(request),
            BatchSize::SmallInput,
        )
    });
    group.finish();
}

fn reads(criterion: &mut Criterion<ProcessorTime>) {
    let mut database = Database::filled();
    let mut random = fastrand::Rng::with_seed(2);
    let mut group = criterion.benchmark_group("engine/read");
    group.bench_function("find by _id", |bench| {
        bench.iter_batched(
            || {
                let id = Value::ObjectId(object_id(random.u32(0..DOCUMENTS)));
                find(
                    |filter| {
                        filter.push("_id", id);
                    },
                    one,
                )
            },
            |request| database.run(request),
            BatchSize::SmallInput,
        )
    });
    group.bench_function("find by an index", |bench| {
        bench.iter_batched(
            || {
                let number = random.i32(0..DOCUMENTS as i32);
                find(
                    |filter| {
                        filter.push("k", number);
                    },
                    one,
                )
            },
            |request| database.run(request),
            BatchSize::SmallInput,
        )
    });
    group.throughput(Throughput::Elements(1000));
    group.bench_function("index range of 1000, per document", |bench| {
        bench.iter_batched(
            || {
                let low = random.i32(0..DOCUMENTS as i32 - 1000);
                let range = |filter: &mut DocBuilder| {
                    filter.document("k", |k| {
                        k.push("$gte", low).push("$lt", low + 1000);
                    });
                };
                find(range, |doc| {
                    doc.push("batchSize", 1000);
                })
            },
            |request| database.run(request),
            BatchSize::SmallInput,
        )
    });
    group.throughput(Throughput::Elements(u64::from(DOCUMENTS))).sample_size(20);
    for (name, field) in [("equality on the 2nd field", "k"), ("equality on the 4th field", "age")] {
        let request = command("count", |doc| {
            doc.document("query", |query| {
                query.push(field, 33);
            });
            doc.document("hint", |hint| {
                hint.push("$natural", 1);
            });
        });
        group.bench_function(format!("count by a full scan, {name}, per document"), |bench| {
            bench.iter(|| database.number(request.clone(), "n"))
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = writes, reads
}
criterion_main!(benches);

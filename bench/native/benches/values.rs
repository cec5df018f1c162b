//! Values without pages: the encoding of keys, and filters over documents. Times are per key or document.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pandodb::bson::order::Direction;
use pandodb::bson::{DocBuilder, Limits, RawDoc, Value, validate};
use pandodb::key;
use pandodb::query::Filter;
use pandodb_bench::documents::{document, object_id};
use pandodb_bench::processor_time::{ProcessorTime, criterion};
use std::hint::black_box;

const DOCUMENTS: u32 = 100_000;

fn keys(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("key/encode");
    group.throughput(Throughput::Elements(1));
    let nested = document(1);
    let values = [
        ("ObjectId", Value::ObjectId(object_id(7))),
        ("int", Value::Int32(123_456)),
        ("double", Value::Double(1234.5678)),
        ("string of 20 bytes", Value::from("twenty bytes of text")),
        ("document of 300 bytes", Value::Document(RawDoc::from_validated(&nested))),
    ];
    for (name, value) in values {
        let mut out = Vec::with_capacity(1024);
        group.bench_function(name, |bench| {
            bench.iter(|| {
                out.clear();
                key::encode_value(black_box(&value), Direction::Ascending, &mut out);
                out.len()
            })
        });
    }
    group.finish();
}

fn filter(fill: impl FnOnce(&mut DocBuilder)) -> Filter {
    let mut doc = DocBuilder::new();
    fill(&mut doc);
    Filter::parse(RawDoc::from_validated(&doc.finish())).expect("a filter")
}

fn matching(criterion: &mut Criterion<ProcessorTime>) {
    let documents: Vec<Vec<u8>> = (0..DOCUMENTS).map(document).collect();
    let bytes: usize = documents.iter().map(Vec::len).sum();
    println!("{DOCUMENTS} documents of {} bytes on average", bytes / documents.len());
    let filters = [
        (
            "equality, 2nd field",
            filter(|f| {
                f.push("k", 77);
            }),
        ),
        (
            "equality, 7th field",
            filter(|f| {
                f.push("city", "grove");
            }),
        ),
        (
            "range, 4th field",
            filter(|f| {
                f.document("age", |range| {
                    range.push("$gte", 30).push("$lt", 40);
                });
            }),
        ),
        (
            "equality in an array, 9th field",
            filter(|f| {
                f.push("tags", "cedar");
            }),
        ),
        (
            "field that is missing",
            filter(|f| {
                f.push("nowhere.at.all", 1);
            }),
        ),
    ];
    let mut group = criterion.benchmark_group("match");
    group.throughput(Throughput::Elements(u64::from(DOCUMENTS))).sample_size(20);
    for (name, filter) in &filters {
        group.bench_function(*name, |bench| {
            bench.iter(|| documents.iter().filter(|doc| filter.matches(RawDoc::from_validated(doc))).count())
        });
    }
    group.bench_function("validation as for storing", |bench| {
        bench.iter(|| documents.iter().filter(|doc| validate(doc, Limits::STORED).is_ok()).count())
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = keys, matching
}
criterion_main!(benches);

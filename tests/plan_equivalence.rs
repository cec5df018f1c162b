//! A plan never changes an answer: random collections, indexes and queries, through every plan there is, against the
//! filter and the sort themselves applied to all documents.
//!
//! A failure prints its seed; `PLAN_SEED` runs it alone, `PLAN_RUNS` sets how many seeds are run.

#[path = "plan_equivalence/random.rs"]
mod random;
#[allow(dead_code)] // Shared with other tests, which use the rest of it.
#[path = "engine/support.rs"]
mod support;

use fastrand::Rng;
use pandodb::bson::raw::EMPTY_DOCUMENT;
use pandodb::bson::{DocBuilder, RawDoc, Value};
use pandodb::engine::{Config, Residency};
use pandodb::query::{Filter, Projection, SortPattern};
use support::{Database, command};

struct Query {
    filter: Vec<u8>,
    projection: Vec<u8>,
    sort: Option<Vec<u8>>,
    skip: i32,
    limit: i32,
    batch_size: i32,
}

impl Query {
    fn unsorted(&self) -> Query {
        let (filter, projection) = (self.filter.clone(), self.projection.clone());
        Query { filter, projection, sort: None, skip: 0, limit: 0, batch_size: self.batch_size }
    }
}

fn documents_of(reply: &[u8], batch: &str) -> Option<(Vec<Vec<u8>>, i64)> {
    let cursor = RawDoc::from_validated(reply).get("cursor")?.as_document()?;
    let list = cursor.get(batch)?.as_array()?;
    let Value::Int64(id) = cursor.get("id")? else { return None };
    Some((list.iter().filter_map(|doc| Some(doc.as_document()?.as_bytes().to_vec())).collect(), id))
}

/// All documents of a find and its getMores.
fn find(database: &mut Database, query: &Query, hint: Option<&Value<'_>>) -> Result<Vec<Vec<u8>>, String> {
    let reply = database.run(command("find", "c", |doc| {
        doc.push("filter", RawDoc::from_validated(&query.filter));
        doc.push("projection", RawDoc::from_validated(&query.projection));
        if let Some(sort) = &query.sort {
            doc.push("sort", RawDoc::from_validated(sort));
            doc.push("skip", query.skip).push("limit", query.limit);
        }
        doc.push("batchSize", query.batch_size);
        if let Some(hint) = hint {
            doc.push("hint", *hint);
        }
    }));
    let failed = |reply: &[u8]| format!("{:?}", RawDoc::from_validated(reply));
    let (mut all, mut id) = documents_of(&reply, "firstBatch").ok_or_else(|| failed(&reply))?;
    while id != 0 {
        let mut doc = DocBuilder::new();
        doc.push("getMore", id).push("collection", "c").push("batchSize", 7).push("$db", "test");
        let reply = database.run(doc.finish());
        let (more, next) = documents_of(&reply, "nextBatch").ok_or_else(|| failed(&reply))?;
        all.extend(more);
        id = next;
    }
    Ok(all)
}

fn count(database: &mut Database, filter: &[u8]) -> usize {
    let reply = database.run(command("count", "c", |doc| {
        doc.push("query", RawDoc::from_validated(filter));
    }));
    match RawDoc::from_validated(&reply).get("n") {
        Some(Value::Int32(n)) => n as usize,
        _ => panic!("{:?}", RawDoc::from_validated(&reply)),
    }
}

/// What the query means, from all documents in the order of their insertion.
fn expected(all: &[Vec<u8>], query: &Query) -> Vec<Vec<u8>> {
    let filter = Filter::parse(RawDoc::from_validated(&query.filter)).expect("the filter is valid");
    let mut found: Vec<Vec<u8>> =
        all.iter().filter(|doc| filter.matches(RawDoc::from_validated(doc))).cloned().collect();
    if let Some(sort) = &query.sort {
        let pattern = SortPattern::parse(RawDoc::from_validated(sort)).expect("the sort is valid");
        found.sort_by(|a, b| {
            pattern.compare(RawDoc::from_validated(a), RawDoc::from_validated(b)).expect("there is a key")
        });
        let limit = if query.limit == 0 { usize::MAX } else { query.limit as usize };
        found = found.into_iter().skip(query.skip as usize).take(limit).collect();
    }
    let projection =
        Projection::parse(RawDoc::from_validated(&query.projection)).expect("the projection is valid");
    found.iter().map(|doc| projection.apply(RawDoc::from_validated(doc))).collect()
}

/// The keys by which sequences are compared: without a sort any order is right.
fn comparable(mut documents: Vec<Vec<u8>>, is_sorted: bool) -> Vec<String> {
    if !is_sorted {
        documents.sort();
    }
    documents.iter().map(|doc| format!("{:?}", RawDoc::from_validated(doc))).collect()
}

fn sort_is_possible(all: &[Vec<u8>], sort: &[u8]) -> bool {
    let pattern = SortPattern::parse(RawDoc::from_validated(sort)).expect("the sort is valid");
    all.iter().all(|doc| pattern.key(RawDoc::from_validated(doc), &mut Vec::new()).is_ok())
}

fn check_seed(seed: u64, counts: &mut [usize; 2]) {
    let mut rng = Rng::with_seed(seed);
    let residency = match rng.u8(0..4) {
        0 => Residency::None,
        1 => Residency::Random(seed),
        _ => Residency::All,
    };
    let mut database = Database::memory(Config { residency, ..Config::default() });
    let indexes = random::indexes(&mut rng);
    if !indexes.is_empty() {
        let reply = database.run(command("createIndexes", "c", |doc| {
            doc.array("indexes", |list| {
                for (name, key) in &indexes {
                    list.document(|doc| {
                        doc.push("key", RawDoc::from_validated(key)).push("name", name.as_str());
                    });
                }
            });
        }));
        assert!(RawDoc::from_validated(&reply).get("code").is_none(), "{:?}", RawDoc::from_validated(&reply));
    }
    let documents = random::documents(&mut rng);
    database.run(command("insert", "c", |doc| {
        doc.array("documents", |list| {
            for document in &documents {
                list.push(RawDoc::from_validated(document));
            }
        })
        .push("ordered", false);
    }));
    // Those whose arrays are parallel in an index are refused.
    let empty = || EMPTY_DOCUMENT.as_bytes().to_vec();
    let everything =
        Query { filter: empty(), projection: empty(), sort: None, skip: 0, limit: 0, batch_size: 50 };
    let all = find(&mut database, &everything, None).expect("everything is found");
    for _ in 0..12 {
        let filter = random::filter(&mut rng);
        if Filter::parse(RawDoc::from_validated(&filter)).is_err() {
            continue;
        }
        let sort = random::sort(&mut rng).filter(|sort| sort_is_possible(&all, sort));
        let projection = Some(random::projection(&mut rng))
            .filter(|doc| Projection::parse(RawDoc::from_validated(doc)).is_ok())
            .unwrap_or_else(empty);
        let (skip, limit, batch_size) = (rng.i32(0..4), rng.i32(0..8), rng.i32(1..40));
        let query = Query { filter, projection, sort, skip, limit, batch_size };
        check_query(seed, &mut database, &all, &indexes, &query, counts);
    }
}

fn check_query(
    seed: u64,
    database: &mut Database,
    all: &[Vec<u8>],
    indexes: &[(String, Vec<u8>)],
    query: &Query,
    counts: &mut [usize; 2],
) {
    let is_sorted = query.sort.is_some();
    let matching = expected(all, &query.unsorted()).len();
    counts[0] += 1;
    counts[1] += usize::from(matching > 0 && matching < all.len());
    let wanted = comparable(expected(all, query), is_sorted);
    let mut natural = DocBuilder::new();
    natural.push("$natural", 1);
    let natural = natural.finish();
    let mut hints =
        vec![None, Some(Value::Document(RawDoc::from_validated(&natural))), Some(Value::from("_id_"))];
    hints.extend(indexes.iter().map(|(name, _)| Some(Value::from(name.as_str()))));
    for hint in hints {
        let about = format!(
            "seed {seed}, filter {:?}, projection {:?}, sort {:?}, skip {}, limit {}, hint {hint:?}, indexes {:?}",
            RawDoc::from_validated(&query.filter),
            RawDoc::from_validated(&query.projection),
            query.sort.as_ref().map(|sort| RawDoc::from_validated(sort)),
            query.skip,
            query.limit,
            indexes.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        );
        let found = find(database, query, hint.as_ref()).unwrap_or_else(|error| panic!("{about}: {error}"));
        let found = comparable(found, is_sorted);
        if found != wanted {
            let missing: Vec<_> = wanted.iter().filter(|doc| !found.contains(doc)).collect();
            let extra: Vec<_> = found.iter().filter(|doc| !wanted.contains(doc)).collect();
            let (is, should) = (found.len(), wanted.len());
            panic!("{about}: {is} instead of {should}\nmissing {missing:#?}\nextra {extra:#?}");
        }
    }
    assert_eq!(
        count(database, &query.filter),
        matching,
        "count, seed {seed}, {:?}",
        RawDoc::from_validated(&query.filter)
    );
}

#[test]
fn every_plan_gives_what_the_filter_and_the_sort_say() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let mut counts = [0, 0];
    if let Some(seed) = number("PLAN_SEED") {
        return check_seed(seed, &mut counts);
    }
    for seed in 0..number("PLAN_RUNS").unwrap_or(150) {
        check_seed(seed, &mut counts);
    }
    // Filters that match all or nothing test little.
    assert!(
        counts[1] * 10 >= counts[0] * 4,
        "only {} of {} filters match some documents",
        counts[1],
        counts[0]
    );
}

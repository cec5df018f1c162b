//! What commands cost in pages and records, counted.

use crate::support::command;
use pandodb::bson::{RawDoc, Value};
use pandodb::engine::{Config, Engine};
use pandodb::host::SeededHost;
use pandodb::session::Session;
use pandodb::store::memory::MemoryStore;
use pandodb::store::{Outcome, PageStore, Request, RequestId};
use std::cell::Cell;
use std::rc::Rc;

/// What was read from a store.
#[derive(Default)]
pub struct Counts {
    records: Cell<usize>,
    bytes: Cell<usize>,
}

struct Counting {
    inner: MemoryStore,
    counts: Rc<Counts>,
}

impl PageStore for Counting {
    fn begin(&mut self, request: Request) -> RequestId {
        self.inner.begin(request)
    }

    fn take_event(&mut self) -> Option<(RequestId, Outcome)> {
        let event = self.inner.take_event()?;
        if let Outcome::Read(reply) = &event.1 {
            let metas = reply.metas.iter().map(|(_, bytes)| bytes.len());
            let records = reply.records.iter().map(|(_, bytes)| bytes.len());
            let pages = reply.pages.iter().filter_map(|(_, bytes)| bytes.as_ref().map(Vec::len));
            for bytes in metas.chain(records).chain(pages) {
                self.counts.records.set(self.counts.records.get() + 1);
                self.counts.bytes.set(self.counts.bytes.get() + bytes);
            }
        }
        Some(event)
    }
}

fn open(store: MemoryStore, cache_bytes_max: usize) -> (Session<Counting>, Rc<Counts>) {
    let counts = Rc::new(Counts::default());
    let store = Counting { inner: store, counts: Rc::clone(&counts) };
    let config = Config { cache_bytes_max, ..Config::default() };
    (Session::new(Engine::open(config, Box::new(SeededHost::new(3))), store), counts)
}

fn filled(batches: i32, batch: i32, text: &str) -> MemoryStore {
    let mut host = SeededHost::new(1);
    let store = MemoryStore::new(Engine::first_metas(&mut host));
    let (mut session, _) = open(store.another(), 32 << 20);
    for first in (0..batches * batch).step_by(batch as usize) {
        let reply = session.command(command("insert", "c", |doc| {
            doc.array("documents", |list| {
                for n in first..first + batch {
                    list.document(|doc| {
                        doc.push("_id", n).push("text", text);
                    });
                }
            });
        }));
        let reply = reply.expect("a store in memory answers");
        assert!(matches!(RawDoc::from_validated(&reply).get("n"), Some(Value::Int32(n)) if n == batch));
    }
    store
}

fn find_by_id(session: &mut Session<Counting>, id: i32) -> Vec<u8> {
    let reply = session.command(command("find", "c", |doc| {
        doc.document("filter", |filter| {
            filter.push("_id", id);
        });
    }));
    reply.expect("a store in memory answers")
}

fn first_batch_count(reply: &[u8]) -> usize {
    let cursor = RawDoc::from_validated(reply).get("cursor").and_then(|cursor| cursor.as_document());
    let batch = cursor.and_then(|cursor| cursor.get("firstBatch")).and_then(|batch| batch.as_array());
    batch.unwrap_or_else(|| panic!("{:?}", RawDoc::from_validated(reply))).count()
}

#[test]
fn opening_a_million_documents_and_reading_one_reads_ten_records_and_300_kb() {
    let store = filled(10, 100_000, "small");
    let (mut session, counts) = open(store, 32 << 20);
    assert_eq!(first_batch_count(&find_by_id(&mut session, 765_432)), 1);
    let (records, bytes) = (counts.records.get(), counts.bytes.get());
    println!("opening and one read: {records} records, {bytes} bytes");
    assert!(records <= 10, "{records} records were read");
    assert!(bytes <= 300_000, "{bytes} bytes were read");
}

#[test]
fn a_full_scan_of_ten_times_the_cache_stays_within_the_cache() {
    let cache_bytes_max = 2 << 20;
    let store = filled(8, 10_000, &"x".repeat(250));
    let (mut session, _) = open(store, cache_bytes_max);
    let request = command("count", "c", |doc| {
        doc.document("query", |query| {
            query.push("text", "y");
        });
    });
    let task = session.submit(request);
    let mut bytes_max = 0;
    let reply = loop {
        if let Some(reply) = session.take_reply(task) {
            break reply;
        }
        assert!(session.pump_once(), "the count never ends");
        let held = session.host.engine.pager().map_or(0, |pager| pager.cache().bytes());
        bytes_max = bytes_max.max(held);
    };
    assert!(matches!(RawDoc::from_validated(&reply).get("n"), Some(Value::Int32(0))));
    println!("a scan of 25 MB with a cache of 2 MB held at most {bytes_max} bytes");
    assert!(bytes_max <= cache_bytes_max + (2 << 20), "{bytes_max} bytes were held");
}

//! Documents of about 300 B and ten fields, the same for every run, and commands on them.

use pandodb::bson::{DocBuilder, Value};

/// An ObjectId that counts: a driver's ascend as well.
pub fn object_id(number: u32) -> [u8; 12] {
    let mut id = [0x65; 12];
    id[8..].copy_from_slice(&number.to_be_bytes());
    id
}

/// The document of a number; `k` is the number, everything else looks like a person's record.
pub fn document(number: u32) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(u64::from(number));
    let words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty"];
    let word = |random: &mut fastrand::Rng| words[random.usize(0..words.len())];
    let mut note = String::new();
    while note.len() < 120 {
        note.push_str(word(&mut random));
        note.push(' ');
    }
    let mut doc = DocBuilder::with_capacity(320);
    doc.push("_id", Value::ObjectId(object_id(number)))
        .push("k", number as i32)
        .push("name", format!("{} {}", word(&mut random), word(&mut random)).as_str())
        .push("age", random.i32(18..90))
        .push("score", random.f64() * 100.0)
        .push("active", random.bool())
        .push("city", word(&mut random))
        .push("created", Value::DateTime(1_700_000_000_000 + i64::from(number)))
        .array("tags", |tags| {
            tags.push(word(&mut random)).push(word(&mut random));
        })
        .push("note", note.as_str());
    doc.finish()
}

/// A command on the collection `people`.
pub fn command(name: &str, fill: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    doc.push(name, "people");
    fill(&mut doc);
    doc.push("$db", "bench");
    doc.finish()
}

/// An `insert` of the documents with numbers in a range.
pub fn insert(numbers: std::ops::Range<u32>) -> Vec<u8> {
    command("insert", |doc| {
        doc.array("documents", |list| {
            for number in numbers {
                list.push(Value::Document(pandodb::bson::RawDoc::from_validated(&document(number))));
            }
        });
    })
}

//! The rules of `docs/architecture.md` that a look at the sources can check.
//!
//! Checked: layers use only what is below them; nothing but the host's folders is async or knows JavaScript; the engine
//! has no clock, randomness, files, threads or default hasher; BSON stays out of the lower layers and pages out of the
//! upper ones; files keep their length and have names that say something.
//!
//! Tests inside the library are not looked at: they may use what they like.

#[path = "architecture/sources.rs"]
mod sources;

use sources::{Source, crate_uses, library, library_text, words};
use std::collections::BTreeMap;

/// The layers from the lowest up. A module uses itself and modules of lower rank; modules of one rank do not know each
/// other.
const LAYERS: &[&[&str]] = &[
    &["sorted"],
    &["bson", "store", "host"],
    &["error", "pager"],
    &["btree", "step", "key", "expr"],
    &["query"],
    &["update", "catalog"],
    &["records"],
    &["plan"],
    &["exec"],
    &["aggregate"],
    &["command"],
    &["engine"],
    &["host_loop"],
    &["session", "wasm"],
];

/// Modules that must not meet although their ranks would allow it (invariants 5 and 7): below the bytes of keys and
/// values nobody knows BSON or MongoDB's errors, and whoever computes with BSON sees no page.
const STRANGERS: &[(&[&str], &[&str])] = &[
    (&["store", "pager", "btree"], &["bson", "error", "key", "query"]),
    (&["bson", "key", "expr", "query", "update"], &["store", "pager", "btree", "catalog", "records", "step"]),
];

/// Words of the world outside, which the engine does not know (invariant 2).
const OUTSIDE: &[&str] = &[
    "SystemTime",
    "Instant",
    "RandomState",
    "thread_rng",
    "fastrand",
    "getrandom",
    "chrono",
    "Uuid",
    "ObjectId::new",
    "DateTime::now",
    "std::fs",
    "std::net",
    "std::env",
    "std::thread",
    "std::process",
    "thread::sleep",
    "HashMap::new",
    "HashSet::new",
    "HashMap::with_capacity",
    "HashSet::with_capacity",
];

/// Words of asynchronous code and of JavaScript (invariant 1).
const ASYNCHRONOUS: &[&str] = &[
    "async fn",
    "async move",
    "async {",
    ".await",
    "web_sys",
    "js_sys",
    "wasm_bindgen",
    "indexed_db_futures",
];

const LINES_MAX: usize = 500;
const EMPTY_NAMES: &[&str] = &["helper", "helpers", "manager", "util", "utils", "common", "misc"];

fn ranks() -> BTreeMap<&'static str, usize> {
    LAYERS.iter().enumerate().flat_map(|(rank, names)| names.iter().map(move |name| (*name, rank))).collect()
}

/// What is wrong with the uses of one source file.
fn layering_faults(source: &Source) -> Vec<String> {
    let ranks = ranks();
    let Some(rank) = ranks.get(source.module.as_str()) else {
        return vec![format!("{}: the module `{}` has no place in LAYERS", source.path, source.module)];
    };
    let mut faults = Vec::new();
    for used in crate_uses(&source.text) {
        if used == source.module {
            continue;
        }
        match ranks.get(used.as_str()) {
            Some(other) if other < rank => {}
            Some(_) => faults.push(format!(
                "{}: `{}` must not use `{used}`, which is not below it",
                source.path, source.module
            )),
            None => continue, // an item of the crate's root, not a module
        }
        for (ones, others) in STRANGERS {
            if ones.contains(&source.module.as_str()) && others.contains(&used.as_str()) {
                faults.push(format!("{}: `{}` must not know `{used}`", source.path, source.module));
            }
        }
    }
    faults
}

/// May this file be async and know JavaScript?
fn is_host(source: &Source) -> bool {
    source.module == "wasm"
        || source.path.starts_with("store/idb.rs")
        || source.path.starts_with("store/idb/")
}

fn outside_faults(source: &Source) -> Vec<String> {
    let mut faults: Vec<String> =
        words(&source.text, OUTSIDE).map(|word| format!("{}: uses {word}", source.path)).collect();
    let hashed = source.text.contains("HashMap<") || source.text.contains("HashSet<");
    if hashed && !source.text.contains("BuildHasher") {
        faults.push(format!("{}: a hash map or set without a hasher of its own", source.path));
    }
    faults
}

fn asynchronous_faults(source: &Source) -> Vec<String> {
    words(&source.text, ASYNCHRONOUS)
        .map(|word| format!("{}: `{word}` outside of the host", source.path))
        .collect()
}

fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn layers_use_only_what_is_below_them() {
    none(library().iter().filter(|source| source.module != "lib").flat_map(layering_faults).collect());
}

#[test]
fn only_the_host_is_asynchronous() {
    none(
        library()
            .iter()
            .filter(|source| !is_host(source) && source.module != "lib")
            .flat_map(asynchronous_faults)
            .collect(),
    );
}

#[test]
fn the_engine_knows_no_clock_chance_or_default_hasher() {
    none(library().iter().filter(|source| !is_host(source)).flat_map(outside_faults).collect());
}

#[test]
fn unsafe_is_forbidden() {
    assert!(library_text("lib.rs").contains("#![forbid(unsafe_code)]"));
}

#[test]
fn files_tell_one_thing() {
    let long = sources::everything().into_iter().filter(|(_, lines)| *lines > LINES_MAX);
    none(long.map(|(path, lines)| format!("{path}: {lines} lines, at most {LINES_MAX}")).collect());
}

#[test]
fn names_say_something() {
    let empty = sources::everything()
        .into_iter()
        .filter(|(path, _)| path.split(['/', '.']).any(|part| EMPTY_NAMES.contains(&part)));
    none(empty.map(|(path, _)| path).collect());
}

// The checks themselves: each must find its breach.

fn sample(path: &str, text: &str) -> Source {
    Source::new(path, text)
}

#[test]
fn an_upward_use_is_found() {
    assert_eq!(layering_faults(&sample("btree/mod.rs", "use crate::catalog::Catalog;")).len(), 1);
    assert_eq!(
        layering_faults(&sample("btree/mod.rs", "use crate::{pager::{Page, PageId}, engine::Engine};")).len(),
        1
    );
    assert_eq!(layering_faults(&sample("btree/mod.rs", "fn f() { crate::exec::run() }")).len(), 1);
    assert!(
        layering_faults(&sample("btree/mod.rs", "use crate::pager::Page; use crate::btree::locate;"))
            .is_empty()
    );
}

#[test]
fn a_page_in_a_query_and_bson_in_a_tree_are_found() {
    assert_eq!(layering_faults(&sample("query/matches.rs", "use crate::pager::Page;")).len(), 1);
    assert_eq!(layering_faults(&sample("btree/cursor.rs", "use crate::bson::Document;")).len(), 1);
}

#[test]
fn a_module_without_a_place_is_found() {
    assert_eq!(layering_faults(&sample("toolbox/mod.rs", "")).len(), 1);
}

#[test]
fn the_world_outside_is_found() {
    assert_eq!(outside_faults(&sample("exec/sort.rs", "let t = std::time::Instant::now();")).len(), 1);
    assert_eq!(outside_faults(&sample("exec/group.rs", "struct S { m: HashMap<u8, u8> }")).len(), 1);
    assert!(
        outside_faults(&sample("pager/cache.rs", "type M = HashMap<u8, u8, BuildHasherDefault<H>>;"))
            .is_empty()
    );
    assert_eq!(asynchronous_faults(&sample("exec/scan.rs", "let x = load().await;")).len(), 1);
}

#[test]
fn comments_and_tests_are_not_looked_at() {
    let text = "// HashMap::new()\n/// Not an Instant.\nfn f() {}\n#[cfg(test)]\nmod tests {\n    use fastrand::Rng;\n}\n";
    assert!(outside_faults(&sample("exec/scan.rs", text)).is_empty());
    assert_eq!(outside_faults(&sample("exec/scan.rs", "let s = \"a // b\"; Instant::now();")).len(), 1);
    let after = "#[cfg(test)]\nmod tests {\n    fn t() { { } }\n}\nfn f() { Instant::now(); }\n";
    assert_eq!(outside_faults(&sample("exec/scan.rs", after)).len(), 1);
}

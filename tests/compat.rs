//! `COMPAT.md` is what the engine's tables say.

use pandodb::command::table::COMMANDS;
use pandodb::query::operators::{OF_FIELD, Support, TOP_LEVEL};
use pandodb::update::operators::ALL as UPDATE_OPERATORS;
use std::collections::BTreeMap;
use std::fmt::Write;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/COMPAT.md");

const HEAD: &str = "# What of MongoDB is there

Made from the engine's tables by `UPDATE_COMPAT=1 cargo test --test compat`; do not edit. What is built behaves as MongoDB 6.0
does, to the reply and the error code (`tests/conformance/`). What is not built yet answers 238 `NotImplemented` and names
itself; what is in no table gets MongoDB's own error. Exceptions are numbered in `tests/conformance/differences.md`.
";

/// Names and whether they are built, sorted, each once. One that is not built in one of its places is not built.
fn section(out: &mut String, title: &str, rows: impl Iterator<Item = (&'static str, bool)>) {
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    for (name, built) in rows {
        *known.entry(name).or_insert(true) &= built;
    }
    let list = |wanted: bool| {
        let names = known.iter().filter(|(_, built)| **built == wanted).map(|(name, _)| format!("`{name}`"));
        names.collect::<Vec<_>>().join(" ")
    };
    writeln!(out, "\n## {title}\nBuilt: {}", list(true)).expect("a text can be written to");
    if known.values().any(|built| !built) {
        writeln!(out, "\nNot yet: {}", list(false)).expect("a text can be written to");
    }
}

fn is_built<F>(support: &Support<F>) -> bool {
    matches!(support, Support::Done(_))
}

fn text() -> String {
    let mut out = HEAD.to_string();
    section(&mut out, "Commands", COMMANDS.iter().map(|row| (row.name, row.parse.is_some())));
    let top_level = TOP_LEVEL.iter().map(|row| (row.name, is_built(&row.support)));
    let of_field = OF_FIELD.iter().map(|row| (row.name, is_built(&row.support)));
    section(&mut out, "Query operators", top_level.chain(of_field));
    let update = UPDATE_OPERATORS.iter().map(|row| (row.name, is_built(&row.support)));
    section(&mut out, "Update operators", update);
    out
}

#[test]
fn compat_md_says_what_the_tables_say() {
    let text = text();
    if std::env::var_os("UPDATE_COMPAT").is_some() {
        std::fs::write(PATH, &text).expect("COMPAT.md can be written");
    }
    let written = std::fs::read_to_string(PATH).unwrap_or_default();
    assert_eq!(written, text, "run: UPDATE_COMPAT=1 cargo test --test compat");
}

//! The conformance files, run against the engine with a store in memory.
//!
//! The format and the rules of comparing are in `conformance/README.md`. A case that the engine answers with 238 where
//! MongoDB answers something else is counted as not built yet, not as wrong.

#[path = "conformance/tree.rs"]
mod tree;

use pandodb::bson::ejson::parse_document;
use pandodb::bson::{DocBuilder, Limits, RawDoc, Value};
use pandodb::engine::{Config, Engine, Residency};
use pandodb::host::SeededHost;
use pandodb::session::Session;
use pandodb::store::memory::MemoryStore;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tree::{Tree, keep, prepare, without};

const NOT_IMPLEMENTED: i32 = 238;

/// What cases may require.
const FEATURES: &[&str] = &[];

/// Cases that are answered wrongly still, by file and name. One that is answered rightly must leave the list.
const OPEN: &[(&str, &str)] = &[];

struct Database {
    session: Session<MemoryStore>,
}

impl Database {
    fn new(residency: Residency) -> Database {
        let mut host = SeededHost::new(1);
        let store = MemoryStore::new(Engine::first_metas(&mut host));
        let config = Config { residency, ..Config::default() };
        Database { session: Session::new(Engine::open(config, Box::new(host)), store) }
    }

    fn command(&mut self, request: Vec<u8>) -> Vec<u8> {
        self.session.command(request).expect("a store in memory answers")
    }
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut found = Vec::new();
    for area in std::fs::read_dir(root).expect("the folder is there").flatten() {
        let Ok(entries) = std::fs::read_dir(area.path()) else { continue };
        let paths = entries.flatten().map(|entry| entry.path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|kind| kind == "json")));
    }
    found.sort();
    found
}

#[derive(Default)]
struct Counts {
    passed: usize,
    not_yet: usize,
    skipped: usize,
    open: usize,
}

/// Runs all files; gives what is wrong.
fn run(residency: Residency) -> (Counts, Vec<String>) {
    let wanted = std::env::var("CONFORMANCE").ok();
    let limits = Limits { bytes_max: 1 << 30, depth_max: 2_000 };
    let (mut counts, mut problems) = (Counts::default(), Vec::new());
    for path in files() {
        let name =
            path.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy().into_owned());
        let name = name.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("/");
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let text = std::fs::read(&path).expect("the file can be read");
        let bytes = parse_document(&text, limits).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let file = RawDoc::from_validated(&bytes);
        for case in array(file, "cases") {
            let case = case.as_document().expect("a case is a document");
            if lacks(file) || lacks(case) {
                counts.skipped += 1;
                continue;
            }
            let title = text_of(case, "name");
            let is_open = OPEN.contains(&(name.as_str(), title.as_str()));
            match run_case(file, case, residency) {
                Ok(_) if is_open => problems.push(format!("{name}: {title}\n     is right now, and in OPEN")),
                Ok(true) => counts.passed += 1,
                Ok(false) => counts.not_yet += 1,
                Err(_) if is_open => counts.open += 1,
                Err(problem) => problems.push(format!("{name}: {title}\n     {problem}")),
            }
        }
    }
    (counts, problems)
}

/// Whether a file or a case asks for a feature that is not built yet.
fn lacks(doc: RawDoc<'_>) -> bool {
    array(doc, "requires").iter().any(|name| !name.as_str().is_some_and(|name| FEATURES.contains(&name)))
}

fn array<'a>(doc: RawDoc<'a>, name: &str) -> Vec<Value<'a>> {
    doc.get(name).and_then(|value| value.as_array()).map(|list| list.iter().collect()).unwrap_or_default()
}

fn text_of(doc: RawDoc<'_>, name: &str) -> String {
    doc.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_string()
}

/// Creates what a case is given; `false` if the engine cannot yet.
fn set_up(database: &mut Database, given: RawDoc<'_>) -> Result<bool, String> {
    let Some(Value::Document(collections)) = given.get("collections") else { return Ok(true) };
    for element in collections.iter() {
        let name = element.name.as_str();
        let Value::Document(collection) = element.value else { continue };
        let mut commands = Vec::new();
        let mut create = DocBuilder::new();
        create.push("create", name);
        if let Some(Value::Document(options)) = collection.get("options") {
            options.iter().for_each(|option| {
                create.push(option.name, option.value);
            });
        }
        commands.push(create);
        for (command, list) in [("createIndexes", "indexes"), ("insert", "documents")] {
            if !array(collection, list).is_empty() {
                let mut doc = DocBuilder::new();
                doc.push(command, name).push(list, collection.get(list).unwrap_or(Value::Null));
                commands.push(doc);
            }
        }
        for mut command in commands {
            command.push("$db", "test");
            let reply = database.command(command.finish());
            let reply = RawDoc::from_validated(&reply);
            if code_of(reply) == Some(NOT_IMPLEMENTED) {
                return Ok(false);
            }
            if code_of(reply).is_some() || reply.get("writeErrors").is_some() {
                return Err(format!("setting up: {reply:?}"));
            }
        }
    }
    Ok(true)
}

fn code_of(reply: RawDoc<'_>) -> Option<i32> {
    match reply.get("code") {
        Some(Value::Int32(code)) => Some(code),
        _ => None,
    }
}

/// Whether a case passed (`true`), or needs what is not built yet.
fn run_case(file: RawDoc<'_>, case: RawDoc<'_>, residency: Residency) -> Result<bool, String> {
    let given = case.get("given").or_else(|| file.get("given")).and_then(|given| given.as_document());
    let mut database = Database::new(residency);
    if let Some(given) = given
        && !set_up(&mut database, given)?
    {
        return Ok(false);
    }
    let commands = match case.get("command") {
        Some(command) => vec![command],
        None => array(case, "commands"),
    };
    let expectations = match case.get("expect") {
        Some(Value::Array(list)) => list.iter().collect(),
        Some(single) => vec![single],
        None => Vec::new(),
    };
    let mut ids = BTreeSet::new();
    commands.iter().for_each(|command| Tree::of(command).collect_ids(&mut ids));
    if let Some(given) = given {
        Tree::of(&Value::Document(given)).collect_ids(&mut ids);
    }
    let mut cursors = BTreeSet::new();
    for (command, expected) in commands.iter().zip(expectations) {
        let (Value::Document(command), Value::Document(expected)) = (command, expected) else { continue };
        let last = cursors.iter().next_back().map(|(_, id)| *id);
        let reply = database.command(prepare(*command, last));
        let reply = RawDoc::from_validated(&reply);
        if let Some(Value::Document(cursor)) = reply.get("cursor")
            && let Some(Value::Int64(id)) = cursor.get("id")
            && id != 0
        {
            cursors.insert((cursors.len(), id));
        }
        if code_of(reply) == Some(NOT_IMPLEMENTED) {
            return Ok(false);
        }
        let cursor_ids: BTreeSet<i64> = cursors.iter().map(|(_, id)| *id).collect();
        compare(reply, expected, &|reply| normal(reply, file, case, &ids, &cursor_ids))?;
    }
    Ok(true)
}

fn compare(
    reply: RawDoc<'_>,
    expected: RawDoc<'_>,
    normal: &dyn Fn(RawDoc<'_>) -> Tree,
) -> Result<(), String> {
    if let Some(Value::Document(wanted)) = expected.get("reply") {
        if let Some(code) = code_of(reply).filter(|_| matches!(reply.get("ok"), Some(Value::Double(0.0)))) {
            return Err(format!("expected a reply, got error {code}: {}", text_of(reply, "errmsg")));
        }
        let (wanted, found) = (normal(wanted), normal(reply));
        if wanted != found {
            return Err(format!("expected {}\n          got {}", wanted.show(), found.show()));
        }
        return Ok(());
    }
    let Some(Value::Document(error)) = expected.get("error") else { return Ok(()) };
    let said = error.get("errmsg").or_else(|| error.get("said")).and_then(|said| said.as_str()).unwrap_or("");
    let of = |doc: RawDoc<'_>| format!("{:?} {}", code_of(doc), text_of(doc, "codeName"));
    if of(error) != of(reply) {
        let got = Tree::of(&Value::Document(reply)).show();
        return Err(format!("expected error {} ({said})\n          got {got}", of(error)));
    }
    let from_e11000 = |text: &str| text.find("E11000").map_or(text.to_string(), |at| text[at..].to_string());
    match error.get("errmsg").and_then(|message| message.as_str()) {
        Some(wanted) if wanted != from_e11000(&text_of(reply, "errmsg")) => {
            Err(format!("expected errmsg {wanted}\n          got {}", text_of(reply, "errmsg")))
        }
        _ => Ok(()),
    }
}

/// The form in which replies are compared.
fn normal(
    reply: RawDoc<'_>,
    file: RawDoc<'_>,
    case: RawDoc<'_>,
    ids: &BTreeSet<String>,
    cursors: &BTreeSet<i64>,
) -> Tree {
    let mut tree = Tree::of(&Value::Document(reply));
    for name in ["$clusterTime", "operationTime", "opTime", "electionId", "commitQuorum"] {
        without(&mut tree, &[name]);
    }
    for batch in ["firstBatch", "nextBatch"] {
        without(&mut tree, &["cursor", batch, "*", "info", "uuid"]);
        if matches!(case.get("unordered"), Some(Value::Bool(true))) {
            tree.sort_at(&["cursor", batch]);
        }
    }
    tree.hide_cursors(cursors);
    tree.hide_ids(ids);
    tree.drop_messages_of_write_errors();
    let paths = |doc: RawDoc<'_>, name: &str| -> Option<Vec<String>> {
        let list = doc.get(name)?.as_array()?;
        Some(list.iter().filter_map(|path| path.as_str().map(str::to_string)).collect())
    };
    if let Some(kept) = paths(case, "keep").or_else(|| paths(file, "keep")) {
        let kept: Vec<Vec<&str>> = kept.iter().map(|path| path.split('.').collect()).collect();
        tree = keep(&tree, &kept).unwrap_or(Tree::Document(Vec::new()));
    }
    for path in paths(case, "ignore").unwrap_or_default() {
        without(&mut tree, &path.split('.').collect::<Vec<_>>());
    }
    tree.sort_envelope();
    tree
}

fn must_pass(residency: Residency) {
    let (counts, problems) = run(residency);
    let Counts { passed, not_yet, skipped, open } = counts;
    println!(
        "{residency:?}: {passed} passed, {not_yet} not built yet, {skipped} skipped, {open} wrong and known, {} wrong",
        problems.len()
    );
    assert!(problems.is_empty(), "{} cases are wrong:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn replies_are_mongodbs() {
    must_pass(Residency::All);
}

#[test]
fn replies_do_not_depend_on_what_is_in_memory() {
    must_pass(Residency::None);
}

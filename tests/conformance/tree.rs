//! Replies as trees that can be rewritten and compared: values are their canonical Extended JSON text.

use pandodb::bson::ejson::{Mode, write_value};
use pandodb::bson::{ArrayBuilder, DocBuilder, RawDoc, Value};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Document(Vec<(String, Tree)>),
    Array(Vec<Tree>),
    Value(String),
}

impl Tree {
    pub fn of(value: &Value<'_>) -> Tree {
        match value {
            Value::Document(doc) => Tree::Document(
                doc.iter().map(|e| (e.name.as_str().to_string(), Tree::of(&e.value))).collect(),
            ),
            Value::Array(list) => Tree::Array(list.iter().map(|value| Tree::of(&value)).collect()),
            other => {
                let mut text = String::new();
                write_value(other, Mode::Canonical, &mut text);
                Tree::Value(text)
            }
        }
    }

    pub fn show(&self) -> String {
        match self {
            Tree::Document(fields) => {
                let shown: Vec<String> =
                    fields.iter().map(|(name, tree)| format!("{name}: {}", tree.show())).collect();
                format!("{{{}}}", shown.join(", "))
            }
            Tree::Array(list) => format!("[{}]", list.iter().map(Tree::show).collect::<Vec<_>>().join(", ")),
            Tree::Value(text) => text.clone(),
        }
    }

    fn at(&mut self, path: &[&str]) -> Option<&mut Tree> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        match self {
            Tree::Document(fields) => fields.iter_mut().find(|(name, _)| name == first)?.1.at(rest),
            _ => None,
        }
    }

    pub fn sort_at(&mut self, path: &[&str]) {
        if let Some(Tree::Array(list)) = self.at(path) {
            list.sort_by_cached_key(Tree::show);
        }
    }

    fn visit(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Tree::Document(fields) => fields.iter_mut().for_each(|(_, tree)| tree.visit(change)),
            Tree::Array(list) => list.iter_mut().for_each(|tree| tree.visit(change)),
            Tree::Value(text) => change(text),
        }
    }

    pub fn collect_ids(mut self, ids: &mut BTreeSet<String>) {
        self.visit(&mut |text| {
            if text.contains("$oid") {
                ids.insert(text.clone());
            }
        });
    }

    /// ObjectIds that the server made are one.
    pub fn hide_ids(&mut self, known: &BTreeSet<String>) {
        self.visit(&mut |text| {
            if text.contains("$oid") && !known.contains(text) {
                *text = "fresh".into();
            }
        });
    }

    /// Cursor ids are 1.
    pub fn hide_cursors(&mut self, known: &BTreeSet<i64>) {
        let zero = Tree::of(&Value::Int64(0));
        let one = Tree::of(&Value::Int64(1));
        if let Some(id) = self.at(&["cursor", "id"])
            && *id != zero
        {
            *id = one.clone();
        }
        let ids: Vec<Tree> = known.iter().map(|id| Tree::of(&Value::Int64(*id))).collect();
        for list in ["cursorsKilled", "cursorsNotFound", "cursorsAlive", "cursorsUnknown"] {
            if let Some(Tree::Array(found)) = self.at(&[list]) {
                found.iter_mut().filter(|id| ids.contains(id)).for_each(|id| *id = one.clone());
            }
        }
    }

    pub fn drop_messages_of_write_errors(&mut self) {
        let duplicate = Tree::of(&Value::Int32(11_000));
        if let Some(Tree::Array(errors)) = self.at(&["writeErrors"]) {
            for error in errors {
                if error.at(&["code"]).is_none_or(|code| *code != duplicate) {
                    without(error, &["errmsg"]);
                }
            }
        }
    }

    /// The order of fields is compared inside of documents, not in what is around them.
    pub fn sort_envelope(&mut self) {
        let by_name = |tree: &mut Tree| {
            if let Tree::Document(fields) = tree {
                fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            }
        };
        for list in ["writeErrors", "upserted"] {
            if let Some(Tree::Array(entries)) = self.at(&[list]) {
                entries.iter_mut().for_each(by_name);
            }
        }
        self.at(&["cursor"]).into_iter().for_each(by_name);
        by_name(self);
    }
}

/// Takes out what a path leads to.
pub fn without(tree: &mut Tree, path: &[&str]) {
    let Some((first, rest)) = path.split_first() else { return };
    match tree {
        Tree::Document(fields) => {
            if rest.is_empty() {
                fields.retain(|(name, _)| *first != "*" && name != first);
            }
            for (name, below) in fields {
                if *first == "*" || name == first {
                    without(below, rest);
                }
            }
        }
        Tree::Array(list) => {
            for (place, below) in list.iter_mut().enumerate() {
                if *first == "*" || place.to_string() == *first {
                    without(below, rest);
                }
            }
        }
        Tree::Value(_) => {}
    }
}

/// What the paths lead to, and what is on the way.
pub fn keep(tree: &Tree, paths: &[Vec<&str>]) -> Option<Tree> {
    if paths.is_empty() {
        return None;
    }
    if paths.iter().any(Vec::is_empty) {
        return Some(tree.clone());
    }
    let below = |name: &str| -> Vec<Vec<&str>> {
        let on_way = paths.iter().filter(|path| path[0] == "*" || path[0] == name);
        on_way.map(|path| path[1..].to_vec()).collect()
    };
    match tree {
        Tree::Document(fields) => Some(Tree::Document(
            fields
                .iter()
                .filter_map(|(name, tree)| Some((name.clone(), keep(tree, &below(name))?)))
                .collect(),
        )),
        Tree::Array(list) => Some(Tree::Array(
            list.iter().enumerate().filter_map(|(i, tree)| keep(tree, &below(&i.to_string()))).collect(),
        )),
        Tree::Value(_) => None,
    }
}

/// The request of a case's command: placeholders filled in, with its database.
pub fn prepare(command: RawDoc<'_>, last_cursor: Option<i64>) -> Vec<u8> {
    let mut out = DocBuilder::new();
    push_filled(command, last_cursor, &mut out);
    if command.get("$db").is_none() {
        out.push("$db", "test");
    }
    out.finish()
}

fn push_filled(doc: RawDoc<'_>, last_cursor: Option<i64>, out: &mut DocBuilder) {
    for element in doc.iter() {
        match element.value {
            Value::Document(inner) => {
                out.document(element.name, |d| push_filled(inner, last_cursor, d));
            }
            Value::Array(list) => {
                let mut filled = ArrayBuilder::new();
                for value in list.iter() {
                    push_element(&value, last_cursor, &mut filled);
                }
                let bytes = filled.finish();
                out.push(element.name, pandodb::bson::RawArray::from_validated(&bytes));
            }
            other => {
                let filled = filled(&other, last_cursor);
                out.push(element.name, filled.value(&other));
            }
        }
    }
}

fn push_element(value: &Value<'_>, last_cursor: Option<i64>, out: &mut ArrayBuilder) {
    match value {
        Value::Document(inner) => {
            out.document(|d| push_filled(*inner, last_cursor, d));
        }
        Value::Array(list) => {
            out.array(|a| list.iter().for_each(|value| push_element(&value, last_cursor, a)));
        }
        other => {
            let filled = filled(other, last_cursor);
            out.push(filled.value(other));
        }
    }
}

/// What a placeholder stands for.
enum Filled {
    AsItIs,
    Text(String),
    Cursor(i64),
    Document(Vec<u8>),
}

impl Filled {
    fn value<'a>(&'a self, sent: &Value<'a>) -> Value<'a> {
        match self {
            Filled::AsItIs => *sent,
            Filled::Text(text) => Value::String(text.as_str().into()),
            Filled::Cursor(id) => Value::Int64(*id),
            Filled::Document(bytes) => Value::Document(RawDoc::from_validated(bytes)),
        }
    }
}

fn filled(value: &Value<'_>, last_cursor: Option<i64>) -> Filled {
    let Some(inner) = value.as_str().and_then(|text| text.strip_prefix('<')?.strip_suffix('>')) else {
        return Filled::AsItIs;
    };
    if inner == "cursor" {
        return Filled::Cursor(last_cursor.unwrap_or(0));
    }
    let Some((what, count)) = inner.split_once('*') else { return Filled::AsItIs };
    let Ok(count) = count.parse::<usize>() else { return Filled::AsItIs };
    if what == "deep" {
        let mut bytes = DocBuilder::new();
        bytes.push("a", 1);
        let mut bytes = bytes.finish();
        for _ in 1..count {
            let mut outer = DocBuilder::new();
            outer.push("a", RawDoc::from_validated(&bytes));
            bytes = outer.finish();
        }
        return Filled::Document(bytes);
    }
    Filled::Text(what.repeat(count))
}

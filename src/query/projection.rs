//! Projections: which fields of a document are answered.
//!
//! Source of the rules: mongod 6.0.5. Deliberately absent until built (238): `$slice`, `$elemMatch`, positional `$`,
//! `$meta` and aggregation expressions, computed values (`{a: "$b"}`, `{a: "text"}`).

use super::field_path;
use super::known_expressions::is_known;
use super::operators::truth;
use super::show;
use crate::bson::{DocBuilder, RawArray, RawDoc, Value};
use crate::error::{Code, Error, Result};

/// A parsed projection.
#[derive(Clone, Debug)]
pub struct Projection {
    kind: Kind,
    tree: Node,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The empty projection: whole documents.
    Whole,
    Inclusion,
    Exclusion,
}

/// The named fields below one level; a field without a subtree is named itself.
#[derive(Clone, Debug, Default)]
struct Node {
    fields: Vec<(Box<[u8]>, Option<Node>)>,
}

impl Projection {
    /// Parses a projection document; the empty one is the whole document.
    ///
    /// # Errors
    /// 31253, 31254 (inclusion and exclusion mixed), 31249, 31250 (path collision), 51270, the errors of field paths;
    /// 238 for what is not built yet.
    pub fn parse(doc: RawDoc<'_>) -> Result<Projection> {
        let (mut parsing, mut tree) = (Parsing::default(), Node::default());
        for element in doc.iter() {
            parsing.entry(&mut tree, true, element.name.as_str(), &element.value)?;
        }
        Ok(parsing.finish(tree))
    }

    /// Whether documents stay as they are.
    pub fn is_whole(&self) -> bool {
        self.kind == Kind::Whole
    }

    /// For an inclusion, the paths it needs, dotted, `_id` among them if it is answered: what a covered query looks
    /// at. `None` where more may be needed.
    pub fn included_paths(&self) -> Option<Vec<String>> {
        if self.kind != Kind::Inclusion {
            return None;
        }
        let mut paths = Vec::new();
        collect_paths(&self.tree, "", &mut paths);
        Some(paths)
    }

    /// The projected document.
    pub fn apply(&self, doc: RawDoc<'_>) -> Vec<u8> {
        let mut out = DocBuilder::with_capacity(if self.kind == Kind::Inclusion { 64 } else { doc.size() });
        self.apply_into(doc, &mut out);
        out.finish()
    }

    /// Appends the fields of the projected document.
    pub fn apply_into(&self, doc: RawDoc<'_>, out: &mut DocBuilder) {
        match self.kind {
            Kind::Whole => {
                for element in doc.iter() {
                    out.push(element.name, element.value);
                }
            }
            Kind::Inclusion => include(&self.tree, doc, out),
            Kind::Exclusion => exclude(&self.tree, doc, out),
        }
    }
}

fn collect_paths(node: &Node, prefix: &str, paths: &mut Vec<String>) {
    for (name, below) in &node.fields {
        let path = format!("{prefix}{}", String::from_utf8_lossy(name));
        match below {
            None => paths.push(path),
            Some(below) => collect_paths(below, &format!("{path}."), paths),
        }
    }
}

impl Node {
    fn get(&self, name: &[u8]) -> Option<&Option<Node>> {
        self.fields.iter().find(|(field, _)| &**field == name).map(|(_, below)| below)
    }

    /// The place at a path, made if it is not there; `None` in it is a field named itself.
    ///
    /// # Errors
    /// 31249 where the path leads through a field that is named itself. (The words are MongoDB's: what it calls the
    /// remaining portion is everything behind the first part.)
    fn place(&mut self, path: &str) -> Result<&mut Option<Node>> {
        let mut node = self;
        let mut rest = path;
        loop {
            let (name, below) =
                rest.split_once('.').map_or((rest, None), |(name, below)| (name, Some(below)));
            let at = node.fields.iter().position(|(field, _)| &**field == name.as_bytes());
            let at = at.unwrap_or_else(|| {
                node.fields.push((name.as_bytes().into(), Some(Node::default())));
                node.fields.len() - 1
            });
            let place = &mut node.fields[at].1;
            let Some(below) = below else { return Ok(place) };
            rest = below;
            node = place.as_mut().ok_or_else(|| {
                let remaining = path.split_once('.').map_or("", |(_, remaining)| remaining);
                let why = format!("Path collision at {path} remaining portion {remaining}");
                Error::new(Code::location(31249), why)
            })?;
        }
    }

    /// Names the field at a path.
    fn name_field(&mut self, path: &str) -> Result<()> {
        match self.place(path)? {
            // Only what was made just now has no fields.
            place @ Some(Node { .. }) if place.as_ref().is_some_and(|node| node.fields.is_empty()) => {
                *place = None
            }
            _ => return Err(collision(path)),
        }
        Ok(())
    }
}

fn collision(path: &str) -> Error {
    Error::new(Code::location(31250), format!("Path collision at {path}"))
}

#[derive(Default)]
struct Parsing {
    /// Known once a field other than `_id` was met.
    kind: Option<Kind>,
    /// What was said of `_id` as a whole.
    id: Option<bool>,
}

impl Parsing {
    /// Takes one entry of the projection, or of a document in it; `parent` is what the path starts from.
    fn entry(&mut self, parent: &mut Node, is_top: bool, path: &str, value: &Value<'_>) -> Result<()> {
        if path.ends_with(".$") {
            return Err(Error::not_implemented("the positional projection operator $"));
        }
        if path.as_bytes().windows(3).any(|part| part == b".$.") {
            let why = "As of 4.4, it's illegal to specify positional operator in the middle of a path.\
                Positional projection may only be used at the end, for example: a.b.$. If the query previously used \
                a form like a.b.$.d, remove the parts following the '$' and the results will be equivalent.";
            return Err(Error::new(Code::location(31394), why));
        }
        field_path::check(path.as_bytes())?;
        match value {
            Value::Document(below) => self.nested(parent, path, *below),
            Value::Bool(_) => self.flag(parent, is_top, path, value),
            number if number.is_number() => self.flag(parent, is_top, path, value),
            _ => Err(self.computed(path, value)),
        }
    }

    fn nested(&mut self, parent: &mut Node, path: &str, doc: RawDoc<'_>) -> Result<()> {
        let Some(first) = doc.first() else {
            let why = "An empty sub-projection is not a valid value. Found empty object at path";
            return Err(Error::new(Code::location(51270), why));
        };
        let name = first.name.as_str();
        if name.starts_with('$') && !matches!(name, "$id" | "$ref" | "$db") && doc.count() == 1 {
            return Err(self.operator_error(name));
        }
        let Some(node) = parent.place(path)? else { return Err(collision(path)) };
        for element in doc.iter() {
            self.entry(node, false, element.name.as_str(), &element.value)?;
        }
        Ok(())
    }

    fn flag(&mut self, parent: &mut Node, is_top: bool, path: &str, value: &Value<'_>) -> Result<()> {
        let wanted = truth(value);
        if is_top && path == "_id" {
            self.id = Some(wanted);
            // Named even if excluded, so that a path below collides.
            return parent.name_field(path);
        }
        parent.name_field(path)?;
        let kind = if wanted { Kind::Inclusion } else { Kind::Exclusion };
        match (self.kind, kind) {
            (Some(Kind::Exclusion), Kind::Inclusion) => {
                let why = format!("Cannot do inclusion on field {path} in exclusion projection");
                return Err(Error::new(Code::location(31253), why));
            }
            (Some(Kind::Inclusion), Kind::Exclusion) => {
                let why = format!("Cannot do exclusion on field {path} in inclusion projection");
                return Err(Error::new(Code::location(31254), why));
            }
            _ => self.kind = Some(kind),
        }
        Ok(())
    }

    fn computed(&self, path: &str, value: &Value<'_>) -> Error {
        if self.kind == Some(Kind::Exclusion) {
            let why =
                format!("Cannot use an expression {} in an exclusion projection", show::element(path, value));
            return Error::new(Code::location(31310), why);
        }
        Error::not_implemented("an aggregation expression in a projection")
    }

    fn operator_error(&self, name: &str) -> Error {
        match name {
            "$slice" | "$elemMatch" | "$meta" => {
                Error::not_implemented(format_args!("the projection operator {name}"))
            }
            _ if self.kind == Some(Kind::Exclusion) => {
                let why = "Cannot use expression other than $meta in exclusion projection";
                Error::new(Code::location(31252), why)
            }
            _ if is_known(name) => {
                Error::not_implemented(format_args!("the aggregation expression {name} in a projection"))
            }
            _ => Error::new(Code::location(31325), format!("Unknown expression {name}")),
        }
    }

    fn finish(self, mut tree: Node) -> Projection {
        let named_id = tree.fields.iter().position(|(name, below)| &**name == b"_id" && below.is_none());
        let kind = match (self.kind, self.id) {
            (Some(kind), _) => kind,
            (None, Some(true)) => Kind::Inclusion,
            (None, Some(false)) => Kind::Exclusion,
            (None, None) => Kind::Whole,
        };
        // From here on the tree holds `_id` exactly if the kind applies to it.
        let applies = match self.id {
            Some(wanted) => wanted == (kind == Kind::Inclusion),
            None => kind == Kind::Inclusion,
        };
        match (named_id, applies) {
            (Some(at), false) => {
                tree.fields.remove(at);
            }
            (None, true) if tree.get(b"_id").is_none() => {
                tree.fields.push((b"_id"[..].into(), None));
            }
            _ => {}
        }
        Projection { kind, tree }
    }
}

fn include(node: &Node, doc: RawDoc<'_>, out: &mut DocBuilder) {
    for element in doc.iter() {
        let Some(below) = node.get(element.name.as_bytes()) else { continue };
        match (below, element.value) {
            (None, value) => {
                out.push(element.name, value);
            }
            (Some(below), Value::Document(inner)) => {
                out.document(element.name, |out| include(below, inner, out));
            }
            (Some(below), Value::Array(array)) => {
                out.array(element.name, |out| include_elements(below, array, out));
            }
            (Some(_), _) => {}
        }
    }
}

/// Documents in an array are projected, arrays in it walked, other values dropped.
fn include_elements(node: &Node, array: RawArray<'_>, out: &mut crate::bson::ArrayBuilder) {
    for value in array.iter() {
        match value {
            Value::Document(inner) => {
                out.document(|out| include(node, inner, out));
            }
            Value::Array(inner) => {
                out.array(|out| include_elements(node, inner, out));
            }
            _ => {}
        }
    }
}

fn exclude(node: &Node, doc: RawDoc<'_>, out: &mut DocBuilder) {
    for element in doc.iter() {
        match (node.get(element.name.as_bytes()), element.value) {
            (Some(None), _) => {}
            (Some(Some(below)), Value::Document(inner)) => {
                out.document(element.name, |out| exclude(below, inner, out));
            }
            (Some(Some(below)), Value::Array(array)) => {
                out.array(element.name, |out| exclude_elements(below, array, out));
            }
            (_, value) => {
                out.push(element.name, value);
            }
        }
    }
}

fn exclude_elements(node: &Node, array: RawArray<'_>, out: &mut crate::bson::ArrayBuilder) {
    for value in array.iter() {
        match value {
            Value::Document(inner) => {
                out.document(|out| exclude(node, inner, out));
            }
            Value::Array(inner) => {
                out.array(|out| exclude_elements(node, inner, out));
            }
            value => {
                out.push(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bson::ejson::{Mode, write_document};
    use crate::query::tests::json;

    fn outcome(doc: &str, projection: &str) -> String {
        let (doc, projection) = (json(doc), json(projection));
        match Projection::parse(RawDoc::from_validated(&projection)) {
            Ok(projection) => {
                let mut out = String::new();
                let new = projection.apply(RawDoc::from_validated(&doc));
                write_document(RawDoc::from_validated(&new), Mode::Relaxed, &mut out);
                out
            }
            Err(error) => format!("{}: {}", error.code.0, error.message),
        }
    }

    fn check(doc: &str, table: &[(&str, &str)]) {
        for (projection, wanted) in table {
            assert_eq!(outcome(doc, projection).replace(' ', ""), wanted.replace(' ', ""), "{projection}");
        }
    }

    #[test]
    fn fields_in_and_out() {
        check(
            r#"{"_id": 1, "a": 1, "b": {"c": 1, "d": 2, "e": {"f": 1, "g": 2}}, "n": null}"#,
            &[
                ("{}", r#"{"_id": 1, "a": 1, "b": {"c": 1, "d": 2, "e": {"f": 1, "g": 2}}, "n": null}"#),
                (r#"{"n": 1, "a": true}"#, r#"{"_id": 1, "a": 1, "n": null}"#),
                (r#"{"a": 1, "_id": 0}"#, r#"{"a": 1}"#),
                (r#"{"_id": 1}"#, r#"{"_id": 1}"#),
                (r#"{"_id": 0, "b": 0}"#, r#"{"a": 1, "n": null}"#),
                (r#"{"b": 0.0, "_id": 1}"#, r#"{"_id": 1, "a": 1, "n": null}"#),
                (r#"{"b.e.g": 1, "b.c": -1}"#, r#"{"_id": 1, "b": {"c": 1, "e": {"g": 2}}}"#),
                (r#"{"b": {"e": {"g": 1}, "c": 1}}"#, r#"{"_id": 1, "b": {"c": 1, "e": {"g": 2}}}"#),
                (
                    r#"{"b": {"c": 0}, "b.e.f": 0, "n": 0}"#,
                    r#"{"_id": 1, "a": 1, "b": {"d": 2, "e": {"g": 2}}}"#,
                ),
                (r#"{"a.q": 1, "missing": 1, "b.c.x": 1}"#, r#"{"_id": 1, "b": {}}"#),
                (r#"{"_id.x": 1}"#, "{}"),
            ],
        );
    }

    #[test]
    fn through_arrays() {
        check(
            r#"{"x": [{"y": 1, "z": 2}, 5, [{"y": 3, "z": 4}, 6], {"z": 9}]}"#,
            &[
                (r#"{"x.y": 1}"#, r#"{"x": [{"y": 1}, [{"y": 3}], {}]}"#),
                (r#"{"x.y": 0}"#, r#"{"x": [{"z": 2}, 5, [{"z": 4}, 6], {"z": 9}]}"#),
                (r#"{"x.0": 1}"#, r#"{"x": [{}, [{}], {}]}"#),
            ],
        );
    }

    #[test]
    fn refused() {
        let dollar =
            "16410: FieldPath field names may not start with '$'. Consider using $getField or $setField.";
        check(
            "{}",
            &[
                (r#"{"a": 1, "b.c": 0}"#, "31254: Cannot do exclusion on field b.c in inclusion projection"),
                (
                    r#"{"a": 0, "b": {"c": 1}}"#,
                    "31253: Cannot do inclusion on field c in exclusion projection",
                ),
                (r#"{"b": 1, "b.c": 1}"#, "31249: Path collision at b.c remaining portion c"),
                (r#"{"b.x": 0, "b.x.1": 0}"#, "31249: Path collision at b.x.1 remaining portion x.1"),
                (r#"{"b.c": 1, "b": 1}"#, "31250: Path collision at b"),
                (r#"{"b.c": 1, "b": {"c": 1}}"#, "31250: Path collision at c"),
                (r#"{"_id": 0, "_id.x": 1}"#, "31249: Path collision at _id.x remaining portion x"),
                (
                    r#"{"b": {"c": {}}}"#,
                    "51270: An empty sub-projection is not a valid value. Found empty object at path",
                ),
                (r#"{"": 1}"#, "40352: FieldPath cannot be constructed with empty string"),
                (r#"{"a.": 1}"#, "40353: FieldPath must not end with a '.'."),
                (r#"{"a..b": 1}"#, "15998: FieldPath field names may not be empty strings."),
                (r#"{"a.$b": 1}"#, dollar),
                (r#"{"a": {"$foo": 1}}"#, "31325: Unknown expression $foo"),
                (r#"{"a": {"b": 1, "$foo": 1}}"#, dollar),
                (
                    r#"{"b": 0, "a": "x"}"#,
                    "31310: Cannot use an expression a: \"x\" in an exclusion projection",
                ),
            ],
        );
        for projection in [
            r#"{"a": {"$slice": 1}}"#,
            r#"{"a": {"$elemMatch": {}}}"#,
            r#"{"a": {"$meta": "textScore"}}"#,
            r#"{"a": {"$add": [1, 2]}}"#,
            r#"{"a": "$b"}"#,
            r#"{"a.$": 1}"#,
        ] {
            assert!(outcome("{}", projection).starts_with("238: "), "{projection}");
        }
    }

    #[test]
    fn paths_of_an_inclusion() {
        let parse = |text: &str| Projection::parse(RawDoc::from_validated(&json(text))).unwrap();
        let paths = parse(r#"{"b": {"c": 1}, "a": 1}"#).included_paths().unwrap();
        assert_eq!(paths, ["b.c", "a", "_id"]);
        assert_eq!(parse(r#"{"a": 0}"#).included_paths(), None);
        assert!(parse("{}").is_whole());
    }
}

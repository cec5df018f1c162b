//! Projections: which fields of a document are answered.
//!
//! Source of the rules: mongod 6.0.5. Deliberately absent until built (238): `$slice`, `$elemMatch`, positional `$`,
//! `$meta` and aggregation expressions, computed values (`{a: "$b"}`, `{a: "text"}`).

use super::field_path;
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
        let mut parsing = Parsing { kind: None, tree: Node::default(), id: None };
        for element in doc.iter() {
            parsing.entry(element.name.as_bytes(), &element.value)?;
        }
        Ok(parsing.finish())
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

    /// Adds a path; an error is the collision MongoDB reports.
    fn add(&mut self, path: &[u8]) -> Result<()> {
        let mut node = self;
        let mut start = 0;
        loop {
            let end = path[start..].iter().position(|&b| b == b'.').map_or(path.len(), |at| start + at);
            let (name, is_last) = (&path[start..end], end == path.len());
            let at = node.fields.iter().position(|(field, _)| &**field == name);
            let at = match (at, is_last) {
                (Some(at), false) if node.fields[at].1.is_none() => {
                    let (path, rest) = (text(path), text(&path[end + 1..]));
                    let why = format!("Path collision at {path} remaining portion {rest}");
                    return Err(Error::new(Code::location(31249), why));
                }
                (Some(_), true) => {
                    return Err(Error::new(
                        Code::location(31250),
                        format!("Path collision at {}", text(path)),
                    ));
                }
                (Some(at), false) => at,
                (None, _) => {
                    node.fields.push((name.into(), (!is_last).then(Node::default)));
                    node.fields.len() - 1
                }
            };
            match &mut node.fields[at].1 {
                Some(below) => node = below,
                None => return Ok(()),
            }
            start = end + 1;
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

struct Parsing {
    /// Known once a field other than `_id` was met.
    kind: Option<Kind>,
    tree: Node,
    /// What was said of `_id` as a whole.
    id: Option<bool>,
}

impl Parsing {
    fn entry(&mut self, path: &[u8], value: &Value<'_>) -> Result<()> {
        if path.ends_with(b".$") && path.len() > 2 {
            return Err(Error::not_implemented("the positional projection operator $"));
        }
        if path.windows(3).any(|part| part == b".$.") {
            let why = "As of 4.4, it's illegal to specify positional operator in the middle of a path.\
                Positional projection may only be used at the end, for example: a.b.$. If the query previously used \
                a form like a.b.$.d, remove the parts following the '$' and the results will be equivalent.";
            return Err(Error::new(Code::location(31394), why));
        }
        field_path::check(path)?;
        match value {
            Value::Document(below) => self.nested(path, *below),
            Value::Bool(_) => self.flag(path, value),
            number if number.is_number() => self.flag(path, value),
            _ => self.computed(path, value),
        }
    }

    fn nested(&mut self, path: &[u8], doc: RawDoc<'_>) -> Result<()> {
        let Some(first) = doc.first() else {
            let why = "An empty sub-projection is not a valid value. Found empty object at path";
            return Err(Error::new(Code::location(51270), why));
        };
        if first.name.as_bytes().first() == Some(&b'$') && doc.count() == 1 {
            return Err(operator_error(first.name.as_str()));
        }
        for element in doc.iter() {
            let mut full = path.to_vec();
            full.push(b'.');
            full.extend_from_slice(element.name.as_bytes());
            field_path::check(element.name.as_bytes())?;
            self.entry(&full, &element.value)?;
        }
        Ok(())
    }

    fn flag(&mut self, path: &[u8], value: &Value<'_>) -> Result<()> {
        let wanted = truth(value);
        if path == b"_id" {
            self.id = Some(wanted);
            // Named even if excluded, so that a path below collides.
            return self.tree.add(path);
        }
        let kind = if wanted { Kind::Inclusion } else { Kind::Exclusion };
        let last = path.rsplit(|&b| b == b'.').next().unwrap_or(path);
        match (self.kind, kind) {
            (Some(Kind::Exclusion), Kind::Inclusion) => {
                let why = format!("Cannot do inclusion on field {} in exclusion projection", text(last));
                return Err(Error::new(Code::location(31253), why));
            }
            (Some(Kind::Inclusion), Kind::Exclusion) => {
                let why = format!("Cannot do exclusion on field {} in inclusion projection", text(last));
                return Err(Error::new(Code::location(31254), why));
            }
            _ => self.kind = Some(kind),
        }
        self.tree.add(path)
    }

    fn computed(&mut self, path: &[u8], value: &Value<'_>) -> Result<()> {
        if self.kind == Some(Kind::Exclusion) {
            let last = path.rsplit(|&b| b == b'.').next().unwrap_or(path);
            let shown = show::element(&text(last), value);
            let why = format!("Cannot use an expression {shown} in an exclusion projection");
            return Err(Error::new(Code::location(31310), why));
        }
        Err(Error::not_implemented("an aggregation expression in a projection"))
    }

    fn finish(mut self) -> Projection {
        let named_id = self.tree.fields.iter().position(|(name, below)| &**name == b"_id" && below.is_none());
        let kind = match (self.kind, self.id) {
            (Some(kind), _) => kind,
            (None, Some(true)) => Kind::Inclusion,
            (None, Some(false)) => Kind::Exclusion,
            (None, None) => Kind::Whole,
        };
        // From here on the tree holds `_id` exactly if the kind applies to it.
        let says_kind = match self.id {
            Some(wanted) => wanted == (kind == Kind::Inclusion),
            None => kind == Kind::Inclusion,
        };
        match (named_id, says_kind) {
            (Some(at), false) => {
                self.tree.fields.remove(at);
            }
            (None, true) if self.tree.get(b"_id").is_none() => {
                self.tree.fields.push((b"_id"[..].into(), None));
            }
            _ => {}
        }
        Projection { kind, tree: self.tree }
    }
}

fn operator_error(name: &str) -> Error {
    match name {
        "$slice" | "$elemMatch" | "$meta" => {
            Error::not_implemented(format_args!("the projection operator {name}"))
        }
        _ if crate::query::known_expressions::is_known(name) => {
            Error::not_implemented(format_args!("the aggregation expression {name} in a projection"))
        }
        _ => Error::new(Code::location(31325), format!("Unknown expression {name}")),
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

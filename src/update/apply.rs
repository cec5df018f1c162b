//! Applying a tree of operators to a document.
//!
//! One level at a time: first every child of the tree is decided on in order (that is where errors arise), then the
//! document is written anew, if anything changed, with what changed in place and new fields behind.

use super::operators::{Blocked, Effect, Operator, Place};
use super::path::array_index;
use super::tree::{Node, Tree};
use super::{Applied, Changed, depth};
use crate::bson::validate::Limits;
use crate::bson::{ArrayBuilder, DocBuilder, RawArray, RawDoc, Value};
use crate::error::{Code, Error, Result};
use crate::query::{OwnedValue, show};
use crate::sorted::sort_by;

/// How far an array may be filled up with nulls to reach a new element.
const BACKFILL_MAX: usize = 1_500_000;

/// Applies the operators.
pub fn apply(tree: &Tree, doc: RawDoc<'_>, is_insert: bool) -> Result<Applied> {
    let mut application = Application {
        doc,
        is_insert,
        has_id: doc.get("_id").is_some(),
        id_is_array: false,
        changed: Vec::new(),
    };
    let document = application.document(tree, doc, &mut String::new())?;
    if application.id_is_array && !application.has_id {
        let text = "After applying the update to the document, the field '_id' was found to be an array or array descendant.";
        return Err(Error::new(Code::NotSingleValueField, text));
    }
    if let Some(bytes) = &document {
        check_size(bytes.len())?;
    }
    Ok(Applied { document, changed: Changed::Paths(application.changed) })
}

/// Refuses a document over 16 MiB.
pub fn check_size(bytes: usize) -> Result<()> {
    let bytes_max = Limits::STORED.bytes_max;
    if bytes > bytes_max {
        let text = format!("Resulting document after update is larger than {bytes_max}");
        return Err(Error::new(Code::location(17419), text));
    }
    Ok(())
}

struct Application<'a> {
    doc: RawDoc<'a>,
    is_insert: bool,
    /// Whether the document came with an `_id`, which then must stay.
    has_id: bool,
    /// Whether an array operator made a new `_id`.
    id_is_array: bool,
    changed: Vec<String>,
}

/// The name of a child in its document or array, and what becomes of it.
type Outcome<'t> = (&'t str, Effect);

impl Application<'_> {
    /// The document with the operators of `tree` applied, `None` if nothing changed. `path` leads to it.
    fn document(&mut self, tree: &Tree, doc: RawDoc<'_>, path: &mut String) -> Result<Option<Vec<u8>>> {
        let mut outcomes: Vec<Outcome<'_>> = Vec::with_capacity(tree.children.len());
        for (name, node) in &tree.children {
            let existing = doc.get(name);
            let effect = self.at(node, existing.as_ref(), path, name)?;
            if matches!(effect, Effect::Keep) {
                continue;
            }
            let is_put =
                matches!(effect, Effect::Replace(_)) && (existing.is_none() || matches!(node, Node::Leaf(_)));
            if path.is_empty() && name.starts_with('$') && is_put && !self.is_insert {
                return Err(super::replacement::dollar_name(name));
            }
            outcomes.push((name, effect));
            if existing.is_none() && self.is_fixed(path) {
                let grown = written(doc, &outcomes, false);
                return Err(below_id(path, &Value::Document(RawDoc::from_validated(&grown))));
            }
        }
        Ok((!outcomes.is_empty()).then(|| written(doc, &outcomes, path.is_empty())))
    }

    /// The array with the operators of `tree` applied, `None` if nothing changed. `path` leads to it.
    fn array(&mut self, tree: &Tree, array: RawArray<'_>, path: &mut String) -> Result<Option<Vec<u8>>> {
        let values: Vec<Value<'_>> = array.iter().collect();
        let mut outcomes: Vec<(usize, Effect)> = Vec::new();
        let mut len = values.len();
        for (name, node) in &tree.children {
            let Some(index) = array_index(name) else {
                // The message shows the array with what was done so far.
                let so_far = (!outcomes.is_empty()).then(|| written_array(&values, &outcomes, len));
                let shown = so_far.as_deref().map_or(array, RawArray::from_validated);
                self.blocked(node, path, name, &Value::Array(shown))?;
                continue;
            };
            if outcomes.iter().any(|(done, _)| *done == index) {
                // `x.1` and `x.01`: mongod aborts.
                let text =
                    format!("Updating the path '{path}.{name}' would create a conflict at '{path}.{index}'");
                return Err(Error::new(Code::ConflictingUpdateOperators, text));
            }
            let effect = self.at(node, values.get(index), path, name)?;
            match effect {
                Effect::Keep => continue,
                Effect::Replace(_) if index >= len => {
                    if index - len > BACKFILL_MAX {
                        let text = format!("can't backfill more than {BACKFILL_MAX} elements");
                        return Err(Error::new(Code::CannotBackfillArray, text));
                    }
                    len = index + 1;
                }
                _ => {}
            }
            outcomes.push((index, effect));
        }
        Ok((!outcomes.is_empty()).then(|| written_array(&values, &outcomes, len)))
    }

    /// What becomes of the value `name` under `path`, which may be missing.
    fn at(
        &mut self,
        node: &Node,
        existing: Option<&Value<'_>>,
        path: &mut String,
        name: &str,
    ) -> Result<Effect> {
        let len = path.len();
        if len > 0 {
            path.push('.');
        }
        path.push_str(name);
        let effect = match (node, existing) {
            (Node::Leaf(operator), _) => self.leaf(&**operator, existing, path),
            (Node::Inner(tree), None) => self.created(tree, path),
            (Node::Inner(tree), Some(Value::Document(doc))) => {
                self.document(tree, *doc, path).map(|new| match new {
                    Some(bytes) => {
                        Effect::Replace(OwnedValue::new(&Value::Document(RawDoc::from_validated(&bytes))))
                    }
                    None => Effect::Keep,
                })
            }
            (Node::Inner(tree), Some(Value::Array(array))) => {
                self.array(tree, *array, path).map(|new| match new {
                    Some(bytes) => {
                        Effect::Replace(OwnedValue::new(&Value::Array(RawArray::from_validated(&bytes))))
                    }
                    None => Effect::Keep,
                })
            }
            (Node::Inner(tree), Some(scalar)) => {
                let blocked = tree
                    .children
                    .iter()
                    .try_for_each(|(child, node)| self.blocked(node, path, child, scalar));
                blocked.map(|()| Effect::Keep)
            }
        };
        path.truncate(len);
        effect
    }

    fn leaf(&mut self, operator: &dyn Operator, existing: Option<&Value<'_>>, path: &str) -> Result<Effect> {
        if operator.insert_only() && !self.is_insert {
            return Ok(Effect::Keep);
        }
        let effect = match existing {
            Some(value) => operator.on_existing(value, &Place { path, doc: self.doc })?,
            None => operator.on_missing().map_or(Effect::Keep, Effect::Replace),
        };
        match &effect {
            Effect::Keep => return Ok(effect),
            Effect::Replace(value) => {
                depth::check(path.split('.').count(), &value.get())?;
                self.id_is_array |= path == "_id" && existing.is_none() && operator.creates_array();
            }
            Effect::Remove => {}
        }
        if existing.is_some() && self.is_fixed(path) {
            let text =
                format!("Performing an update on the path '{path}' would modify the immutable field '_id'");
            return Err(Error::new(Code::ImmutableField, text));
        }
        self.changed.push(path.to_string());
        Ok(effect)
    }

    /// The document that comes about where there was nothing: only if an operator in it creates something.
    fn created(&mut self, tree: &Tree, path: &mut String) -> Result<Effect> {
        let new = self.document(tree, crate::bson::raw::EMPTY_DOCUMENT, path)?;
        Ok(match new {
            Some(bytes) => Effect::Replace(OwnedValue::new(&Value::Document(RawDoc::from_validated(&bytes)))),
            None => Effect::Keep,
        })
    }

    /// Paths that go on from `path` by `name` although `element` there has no fields: an error or nothing to do.
    fn blocked(&self, node: &Node, path: &str, name: &str, element: &Value<'_>) -> Result<()> {
        self.blocked_below(node, &format!("{path}.{name}"), &Obstacle { path, name, element })
    }

    fn blocked_below(&self, node: &Node, full: &str, obstacle: &Obstacle<'_>) -> Result<()> {
        let operator = match node {
            Node::Leaf(operator) => operator,
            Node::Inner(tree) => {
                return tree.children.iter().try_for_each(|(child, node)| {
                    self.blocked_below(node, &format!("{full}.{child}"), obstacle)
                });
            }
        };
        if operator.insert_only() && !self.is_insert {
            return Ok(());
        }
        let name = obstacle.name;
        let at = show::element(obstacle.path.rsplit('.').next().unwrap_or(""), obstacle.element);
        let text = match operator.on_blocked() {
            Blocked::Nothing => return Ok(()),
            Blocked::CannotCreate => format!("Cannot create field '{name}' in element {{{at}}}"),
            Blocked::CannotTraverse => {
                format!("Cannot use the part ({name}) of ({full}) to traverse the element ({{{at}}})")
            }
        };
        Err(Error::new(Code::PathNotViable, text))
    }

    /// Whether `path` is in an `_id` that must stay as it is.
    fn is_fixed(&self, path: &str) -> bool {
        self.has_id && (path == "_id" || path.starts_with("_id."))
    }
}

struct Obstacle<'a> {
    path: &'a str,
    name: &'a str,
    element: &'a Value<'a>,
}

fn below_id(path: &str, grown: &Value<'_>) -> Error {
    let shown = show::element(path.rsplit('.').next().unwrap_or(path), grown);
    let text = format!("Updating the path '{path}' to {shown} would modify the immutable field '_id'");
    Error::new(Code::ImmutableField, text)
}

/// The document with the outcomes in place; new fields behind in their order, a new `_id` of the whole in front.
fn written(doc: RawDoc<'_>, outcomes: &[Outcome<'_>], is_whole: bool) -> Vec<u8> {
    let mut out = DocBuilder::with_capacity(doc.size() + 32);
    let mut used = vec![false; outcomes.len()];
    let new_id = outcomes.iter().position(|(name, _)| is_whole && *name == "_id" && doc.get("_id").is_none());
    if let Some(at) = new_id {
        push_effect(&mut out, &outcomes[at]);
        used[at] = true;
    }
    for element in doc.iter() {
        let at = outcomes.iter().position(|(name, _)| element.name.as_bytes() == name.as_bytes());
        match at.filter(|&at| !used[at]) {
            Some(at) => {
                used[at] = true;
                push_effect(&mut out, &outcomes[at]);
            }
            None => {
                out.push(element.name, element.value);
            }
        }
    }
    for (outcome, used) in outcomes.iter().zip(used) {
        if !used {
            push_effect(&mut out, outcome);
        }
    }
    out.finish()
}

fn push_effect(out: &mut DocBuilder, (name, effect): &Outcome<'_>) {
    if let Effect::Replace(value) = effect {
        out.push(name, value.get());
    }
}

fn written_array(values: &[Value<'_>], outcomes: &[(usize, Effect)], len: usize) -> Vec<u8> {
    let mut by_index: Vec<&(usize, Effect)> = outcomes.iter().collect();
    sort_by(&mut by_index, |(a, _), (b, _)| a.cmp(b));
    let mut next = by_index.into_iter().peekable();
    let mut out = ArrayBuilder::new();
    for i in 0..len {
        match next.next_if(|(index, _)| *index == i) {
            Some((_, Effect::Replace(value))) => out.push(value.get()),
            Some(_) => out.push(Value::Null),
            None => out.push(values.get(i).copied().unwrap_or(Value::Null)),
        };
    }
    out.finish()
}

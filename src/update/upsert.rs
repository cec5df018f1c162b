//! The document that an upsert inserts.

use super::operators::Set;
use super::tree::Tree;
use super::{Update, apply};
use crate::bson::raw::EMPTY_DOCUMENT;
use crate::bson::{DocBuilder, RawDoc, Value};
use crate::error::{Code, Error, Result};
use crate::query::{Comparison, Expr, Filter, OwnedValue, Test};
use crate::sorted::sort_by;
use std::sync::Arc;

/// See [`Update::upsert`].
pub fn document(update: &Update, filter: &Filter, new_id: &mut dyn FnMut() -> [u8; 12]) -> Result<Vec<u8>> {
    let mut found = Vec::new();
    equalities(&filter.root, &mut found);
    let start = if update.is_replacement() { only_id(&found)? } else { fields(found)? };
    let start = RawDoc::from_validated(&start);
    let applied = update.apply(start, filter, true)?;
    let bytes = applied.document.unwrap_or_else(|| start.as_bytes().to_vec());
    let doc = RawDoc::from_validated(&bytes);
    let id = doc.get("_id");
    if let Some(id) = &id {
        check_id(id)?;
    }
    let mut out = DocBuilder::with_capacity(bytes.len() + 32);
    out.push("_id", id.unwrap_or_else(|| Value::ObjectId(new_id())));
    for element in doc.iter().filter(|element| element.name != "_id") {
        out.push(element.name, element.value);
    }
    let bytes = out.finish();
    apply::check_size(bytes.len())?;
    Ok(bytes)
}

/// The equalities that every matching document satisfies: those in `$and`, and in an `$or` of one.
fn equalities<'f>(expr: &'f Expr, found: &mut Vec<(&'f str, &'f OwnedValue)>) {
    match expr {
        Expr::And(parts) => parts.iter().for_each(|part| equalities(part, found)),
        Expr::Or(parts) if parts.len() == 1 => equalities(&parts[0], found),
        Expr::Leaf { path, test: Test::Compare(Comparison::Eq, value) } => found.push((path.as_str(), value)),
        _ => {}
    }
}

/// A document of all equalities, in the order of their paths' bytes, `_id` in front.
fn fields(mut found: Vec<(&str, &OwnedValue)>) -> Result<Vec<u8>> {
    let twice = |text: String| Error::new(Code::NotSingleValueField, text);
    // In this order MongoDB meets the conflict it names.
    sort_by(&mut found, |(a, _), (b, _)| a.cmp(b));
    for (i, (path, _)) in found.iter().enumerate() {
        for (earlier, _) in &found[..i] {
            let (long, short) = if path.len() > earlier.len() { (path, earlier) } else { (earlier, path) };
            if long == short {
                return Err(twice(format!(
                    "cannot infer query fields to set, path '{path}' is matched twice"
                )));
            }
            if long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.')) {
                let text = format!(
                    "cannot infer query fields to set, both paths '{long}' and '{short}' are matched"
                );
                return Err(twice(text));
            }
        }
    }
    let place = |path: &str| path.split('.').next() != Some("_id");
    // Stable: the paths are in order already.
    sort_by(&mut found, |(a, _), (b, _)| place(a).cmp(&place(b)));
    let mut tree = Tree::default();
    for (path, value) in found {
        if path.is_empty() {
            return Err(Error::new(Code::IllegalOperation, "Cannot call setValue on the root object"));
        }
        let set = Set { value: value.clone(), insert_only: false };
        // That no path is within another was checked.
        let _ = tree.append(path, Arc::new(set));
    }
    let applied = apply::apply(&tree, EMPTY_DOCUMENT, true)?;
    Ok(applied.document.unwrap_or_else(|| EMPTY_DOCUMENT.as_bytes().to_vec()))
}

/// For a replacement: a document of the `_id` alone, if the filter gives it.
fn only_id(found: &[(&str, &OwnedValue)]) -> Result<Vec<u8>> {
    let mut out = DocBuilder::new();
    let mut id = None;
    for (path, value) in found {
        if path.starts_with("_id.") {
            let text = format!("field at '_id' must be exactly specified, field at sub-path '{path}'found");
            return Err(Error::new(Code::NotExactValueField, text));
        }
        if *path == "_id" && id.replace(value).is_some() {
            let text = "cannot infer query fields to set, path '_id' is matched twice";
            return Err(Error::new(Code::NotSingleValueField, text));
        }
    }
    if let Some(id) = id {
        out.push("_id", id.get());
    }
    Ok(out.finish())
}

/// Refuses what cannot be an `_id`.
fn check_id(id: &Value<'_>) -> Result<()> {
    match id {
        Value::Array(_) | Value::Regex { .. } | Value::Undefined => {
            let text = format!("The '_id' value cannot be of type {}", id.kind().alias());
            Err(Error::new(Code::InvalidIdField, text))
        }
        Value::Document(doc) => check_names(*doc),
        _ => Ok(()),
    }
}

fn check_names(doc: RawDoc<'_>) -> Result<()> {
    for element in doc.iter() {
        if element.name.as_bytes().first() == Some(&b'$') {
            let name = element.name;
            let text =
                format!("_id fields may not contain '$'-prefixed fields: {name} is not valid for storage.");
            return Err(Error::new(Code::DollarPrefixedFieldName, text));
        }
        match element.value {
            Value::Document(inner) => check_names(inner)?,
            Value::Array(inner) => check_names(inner.as_document())?,
            _ => {}
        }
    }
    Ok(())
}

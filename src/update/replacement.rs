//! Replacements: the new document in the place of the old one; the `_id` stays.

use super::{Applied, Changed, apply::check_size, depth};
use crate::bson::order::equal;
use crate::bson::{DocBuilder, RawDoc, Value};
use crate::error::{Code, Error, Result};
use crate::query::show;

/// What can be refused without the old document.
///
/// # Errors
/// 15 for too deep a document.
pub fn check(new: RawDoc<'_>) -> Result<()> {
    depth::check(0, &Value::Document(new))
}

/// The refusal of a `$` name at the top of a document.
pub fn dollar_name(name: &str) -> Error {
    let text = format!(
        "The dollar ($) prefixed field '{name}' in '{name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith."
    );
    Error::new(Code::DollarPrefixedFieldName, text)
}

/// Puts `new` in the place of `old`, or makes it the document of an insert, which may have names with `$`.
///
/// # Errors
/// 52 for a name with `$`, 66 where the `_id` is another, 53 (in an insert 54) where it is an array, 17419.
pub fn apply(new: RawDoc<'_>, old: RawDoc<'_>, is_insert: bool) -> Result<Applied> {
    let dollar = new.iter().find(|element| element.name.as_bytes().first() == Some(&b'$'));
    if let Some(element) = dollar.filter(|_| !is_insert) {
        return Err(dollar_name(element.name.as_str()));
    }
    let (old_id, new_id) = (old.get("_id"), new.get("_id"));
    if let (Some(Value::Array(_)), false) = (new_id, is_insert) {
        return Err(Error::new(Code::InvalidIdField, "The '_id' value cannot be of type array"));
    }
    if let Some(Value::Array(_)) = new_id.or(old_id) {
        let text = "After applying the update to the document, the (immutable) field '_id' was found to be an array or array descendant.";
        return Err(Error::new(Code::NotSingleValueField, text));
    }
    if let (Some(before), Some(after)) = (&old_id, &new_id)
        && !equal(before, after)
    {
        let shown = show::element("_id", after);
        let text = format!(
            "After applying the update, the (immutable) field '_id' was found to have been altered to {shown}"
        );
        return Err(Error::new(Code::ImmutableField, text));
    }
    let mut out = DocBuilder::with_capacity(new.size() + 32);
    if let Some(id) = new_id.or(old_id) {
        out.push("_id", id);
    }
    for element in new.iter().filter(|element| element.name != "_id") {
        out.push(element.name, element.value);
    }
    let bytes = out.finish();
    check_size(bytes.len())?;
    // As MongoDB, which compares what was sent: an equal document without its `_id` counts as modified.
    if new.as_bytes() == old.as_bytes() {
        return Ok(Applied { document: None, changed: Changed::Paths(Vec::new()) });
    }
    Ok(Applied { document: Some(bytes), changed: Changed::Everything })
}

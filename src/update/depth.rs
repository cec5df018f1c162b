//! How deep values nest, for the limit of stored documents.

use crate::bson::Value;
use crate::bson::validate::Limits;
use crate::error::{Code, Error, Result};

/// Refuses a value at a path of `containers` documents and arrays (the root counts) if the whole gets too deep.
///
/// # Errors
/// 15 Overflow.
pub fn check(containers: usize, value: &Value<'_>) -> Result<()> {
    let depth_max = Limits::STORED.depth_max;
    match depth_max.checked_sub(containers) {
        Some(left) if fits(value, left) => Ok(()),
        _ => {
            let text = format!("Document exceeds maximum nesting depth of {depth_max}");
            Err(Error::new(Code::Overflow, text))
        }
    }
}

/// Whether a value nests at most `left` documents and arrays.
fn fits(value: &Value<'_>, left: usize) -> bool {
    let inner = match value {
        Value::Document(doc) => *doc,
        Value::Array(array) => array.as_document(),
        Value::CodeWithScope { scope, .. } => *scope,
        _ => return true,
    };
    left > 0 && inner.iter().all(|element| fits(&element.value, left - 1))
}

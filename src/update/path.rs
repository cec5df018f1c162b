//! Which paths an update operator takes.

use crate::error::{Code, Error, Result};

/// Checks a path as it stands under an operator.
///
/// # Errors
/// 56 EmptyFieldName, 2 for `$` in the first place; 238 for the positional operators anywhere else.
pub fn check(path: &str) -> Result<()> {
    if path.is_empty() {
        return Err(Error::new(Code::EmptyFieldName, "An empty update path is not valid."));
    }
    if path.split('.').any(|part| part.is_empty()) {
        let text = format!("The update path '{path}' contains an empty field name, which is not allowed.");
        return Err(Error::new(Code::EmptyFieldName, text));
    }
    for (i, part) in path.split('.').enumerate() {
        let is_filter = part.starts_with("$[") && part.ends_with(']');
        if part != "$" && !is_filter {
            continue;
        }
        if i == 0 {
            let what = if is_filter {
                "Cannot have array filter identifier (i.e. '$[<id>]')"
            } else {
                "Cannot have positional (i.e. '$')"
            };
            let text = format!("{what} element in the first position in path '{path}'");
            return Err(Error::new(Code::BadValue, text));
        }
        return Err(Error::not_implemented(format_args!("the positional update operator {part}")));
    }
    Ok(())
}

/// The array index that a path component is: digits, leading zeros allowed, of 32 bits.
pub fn array_index(part: &str) -> Option<usize> {
    if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let significant = part.trim_start_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    significant.parse::<u32>().ok().map(|index| index as usize)
}

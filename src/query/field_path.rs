//! The rules of a field path in projections, sort patterns and expressions (filters take any name).

use crate::error::{Code, Error, Result};

/// The most components of a path.
const COMPONENTS_MAX: usize = 200;

/// Checks that a path has no more parts than a stored document could have levels: what is built along a path is as deep
/// as the path is long, and a name from outside may be.
///
/// # Errors
/// The given code, as the languages differ in it.
pub fn check_length(path: &str, code: Code) -> Result<()> {
    if path.bytes().filter(|&byte| byte == b'.').count() < COMPONENTS_MAX {
        return Ok(());
    }
    Err(Error::new(code, format!("FieldPath is too long: more than {COMPONENTS_MAX} parts")))
}

/// Checks a dotted path.
///
/// # Errors
/// 40352, 40353, 15998 (empty), 16410 (`$`), 15 (too long), as MongoDB.
pub fn check(path: &[u8]) -> Result<()> {
    let location = |number, text: &str| Err(Error::new(Code::location(number), text));
    if path.is_empty() {
        return location(40352, "FieldPath cannot be constructed with empty string");
    }
    if path.ends_with(b".") {
        return location(40353, "FieldPath must not end with a '.'.");
    }
    for component in path.split(|&b| b == b'.') {
        if component.is_empty() {
            return location(15998, "FieldPath field names may not be empty strings.");
        }
        if component[0] == b'$' && !matches!(component, b"$id" | b"$ref" | b"$db") {
            let text = "FieldPath field names may not start with '$'. Consider using $getField or $setField.";
            return location(16410, text);
        }
    }
    if path.split(|&b| b == b'.').count() > COMPONENTS_MAX {
        return Err(Error::new(Code::Overflow, "FieldPath is too long"));
    }
    Ok(())
}

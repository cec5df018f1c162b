//! The option `let`: variables for expressions. Without `$expr` nothing reads them; what is wrong with them is told all
//! the same. Absent until expressions are built (238): values that are computed.

use crate::bson::{RawDoc, Value};
use crate::error::{Code, Error, Result};

/// Names that MongoDB defines itself and lets a user define again.
const SYSTEM_NAMES: &[&str] = &["CURRENT"];
/// Variables that a value may name.
const KNOWN_VARIABLES: &[&str] = &["NOW", "CLUSTER_TIME"];

/// Checks the names and values.
///
/// # Errors
/// 9 for a name that is none, 4890500 for a field path, 17276 for an unknown variable, 238 for expressions.
pub fn check(variables: RawDoc<'_>) -> Result<()> {
    for element in variables.iter() {
        check_name(element.name.as_str())?;
        check_value(&element.value)?;
    }
    Ok(())
}

fn check_name(name: &str) -> Result<()> {
    let refused = |why: String| {
        let message = format!("Invalid 'let' parameter :: caused by :: {why}");
        Err(Error::new(Code::FailedToParse, message))
    };
    let Some(first) = name.chars().next() else {
        return refused("empty variable names are not allowed".into());
    };
    if SYSTEM_NAMES.contains(&name) {
        return Ok(());
    }
    if !first.is_ascii_lowercase() && first.is_ascii() {
        return refused(format!("'{name}' starts with an invalid character for a user variable name"));
    }
    let is_allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || !c.is_ascii();
    match name.chars().find(|c| !is_allowed(c)) {
        Some(c) => refused(format!("'{name}' contains an invalid character for a variable name: '{c}'")),
        None => Ok(()),
    }
}

fn check_value(value: &Value<'_>) -> Result<()> {
    match value {
        Value::String(text) => check_text(text.as_str()),
        Value::Document(doc) => doc.iter().try_for_each(|element| {
            if element.name.as_bytes().starts_with(b"$") {
                return Err(Error::not_implemented(format_args!("the expression {} in let", element.name)));
            }
            check_value(&element.value)
        }),
        Value::Array(list) => list.iter().try_for_each(|value| check_value(&value)),
        _ => Ok(()),
    }
}

fn check_text(text: &str) -> Result<()> {
    let Some(path) = text.strip_prefix('$') else { return Ok(()) };
    match path.strip_prefix('$').map(|variable| variable.split('.').next().unwrap_or(variable)) {
        Some(name) if KNOWN_VARIABLES.contains(&name) => Ok(()),
        Some(name) if name.starts_with(|c: char| c.is_ascii_lowercase()) => {
            Err(Error::new(Code::location(17276), format!("Use of undefined variable: {name}")))
        }
        Some(name) => Err(Error::not_implemented(format_args!("the variable {name} in let"))),
        None => {
            let message = "Command let Expression tried to access a field, but this is not allowed because Command let Expressions run before the query examines any documents.";
            Err(Error::new(Code::location(4890500), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bson::{Limits, ejson::parse_document};

    /// The code, 0 if there is nothing wrong. As mongod 6.0.5 answers, 238 apart.
    fn code(text: &str) -> i32 {
        let doc = parse_document(text.as_bytes(), Limits::STORED).expect("a document");
        check(RawDoc::from_validated(&doc)).err().map_or(0, |error| error.code.0)
    }

    #[test]
    fn names_and_values() {
        for good in [r#"{"x": 1, "aB_9": [{"y": "z"}]}"#, r#"{"CURRENT": 1}"#, r#"{"x": "$$NOW"}"#] {
            assert_eq!(code(good), 0, "{good}");
        }
        for name in ["", "$x", "X", "_x", "a.b", "a b"] {
            assert_eq!(code(&format!(r#"{{"{name}": 1}}"#)), 9, "{name}");
        }
        assert_eq!(code(r#"{"x": "$y"}"#), 4890500);
        assert_eq!(code(r#"{"x": [{"a": "$$y.z"}]}"#), 17276);
        assert_eq!(code(r#"{"x": {"$add": [1, 2]}}"#), 238);
    }
}

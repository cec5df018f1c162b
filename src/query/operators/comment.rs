//! `$comment`: any value, no condition.

use super::super::ast::Expr;
use super::super::parse::Parser;
use crate::bson::Value;
use crate::error::Result;

/// Adds nothing.
pub fn parse(_: &mut Parser, _: &str, _: &Value<'_>) -> Result<Option<Expr>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn any_value_and_no_condition() {
        check(r#"{"$comment": {"x": 1}, "a": 1}"#, &[r#"{"a": 1}"#], &["{}"]);
        refused(&[(r#"{"a": {"$comment": 1}}"#, 2, "unknown operator: $comment")]);
    }
}

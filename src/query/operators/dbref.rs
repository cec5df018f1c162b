//! `$ref`, `$id` and `$db` at the top of a filter are field names (the parts of a DBRef inside `$elemMatch`).

use super::super::ast::Expr;
use super::super::parse::{Parser, implicit_equality};
use crate::bson::Value;
use crate::bson::path::Path;
use crate::error::Result;

/// Equality with a field of that name.
pub fn parse(_: &mut Parser, name: &str, operand: &Value<'_>) -> Result<Option<Expr>> {
    implicit_equality(Path::parse(name), operand).map(Some)
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn names_of_a_reference() {
        check(r#"{"a": {"$elemMatch": {"$id": 1}}}"#, &[r#"{"a": [{"$id": 1}]}"#], &[r#"{"a": [{"b": 1}]}"#]);
        check(r#"{"a": {"$ref": "x", "$id": 1}}"#, &[r#"{"a": {"$ref": "x", "$id": 1}}"#], &["{}"]);
        refused(&[(r#"{"a": {"$ref": "x", "b": 1}}"#, 2, "unknown operator: $ref")]);
    }
}

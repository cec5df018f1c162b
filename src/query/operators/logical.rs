//! `$and`, `$or`, `$nor`.

use super::super::ast::Expr;
use super::super::parse::Parser;
use crate::bson::Value;
use crate::error::{Code, Error, Result};

/// `{$and: [filter, …]}`.
pub fn and(parser: &mut Parser, name: &str, operand: &Value<'_>) -> Result<Option<Expr>> {
    filters(parser, name, operand).map(|parts| Some(Expr::And(parts)))
}

/// `{$or: [filter, …]}`.
pub fn or(parser: &mut Parser, name: &str, operand: &Value<'_>) -> Result<Option<Expr>> {
    filters(parser, name, operand).map(|parts| Some(Expr::Or(parts)))
}

/// `{$nor: [filter, …]}`.
pub fn nor(parser: &mut Parser, name: &str, operand: &Value<'_>) -> Result<Option<Expr>> {
    filters(parser, name, operand).map(|parts| Some(Expr::Nor(parts)))
}

fn filters(parser: &mut Parser, name: &str, operand: &Value<'_>) -> Result<Vec<Expr>> {
    let bad = |text: String| Err(Error::new(Code::BadValue, text));
    let Value::Array(array) = operand else {
        return bad(format!("{name} must be an array"));
    };
    if array.is_empty() {
        return bad("$and/$or/$nor must be a nonempty array".into());
    }
    let mut parts = Vec::new();
    for entry in array.iter() {
        let Value::Document(filter) = entry else {
            return bad("$or/$and/$nor entries need to be full objects".into());
        };
        parts.push(parser.filter(filter)?);
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn conditions_together() {
        check(r#"{"$and": [{"a": 1}, {"b": 2}]}"#, &[r#"{"a": 1, "b": 2}"#], &[r#"{"a": 1}"#, "{}"]);
        check(r#"{"$or": [{"a": 1}, {"b": 2}]}"#, &[r#"{"a": 1}"#, r#"{"b": 2}"#], &["{}", r#"{"a": 2}"#]);
        check(r#"{"$nor": [{"a": 1}, {"b": 2}]}"#, &["{}", r#"{"a": 2}"#], &[r#"{"a": 1}"#, r#"{"b": [2]}"#]);
        check(r#"{"$or": [{}, {"a": 1}]}"#, &["{}"], &[]);
    }

    #[test]
    fn operands() {
        refused(&[
            (r#"{"$and": 1}"#, 2, "$and must be an array"),
            (r#"{"$nor": {}}"#, 2, "$nor must be an array"),
            (r#"{"$or": []}"#, 2, "$and/$or/$nor must be a nonempty array"),
            (r#"{"$and": [1]}"#, 2, "$or/$and/$nor entries need to be full objects"),
            (r#"{"$and": [[]]}"#, 2, "$or/$and/$nor entries need to be full objects"),
        ]);
    }
}

//! `$not`: the operators under it do not all hold. It is true of documents without the field.

use super::super::ast::Expr;
use super::super::parse::{FieldArgs, Parser, all_of, regex_not_implemented};
use crate::bson::Value;
use crate::error::{Code, Error, Result};

/// `{$not: {$gt: 1, …}}`.
pub fn parse(parser: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    match args.operand {
        Value::Regex { .. } => Err(regex_not_implemented()),
        Value::Document(doc) if doc.is_empty() => Err(Error::new(Code::BadValue, "$not cannot be empty")),
        Value::Document(doc) => {
            let mut parts = Vec::new();
            parser.operators(args.path, doc, &mut parts)?;
            Ok(Expr::Not(Box::new(all_of(parts))))
        }
        _ => Err(Error::new(Code::BadValue, "$not needs a regex or a document")),
    }
}

/// `$where` stands at the top only.
pub fn where_of_field(_: &mut Parser, _: &FieldArgs<'_>) -> Result<Expr> {
    Err(Error::new(Code::BadValue, "$where cannot be applied to a field"))
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn operators_that_do_not_all_hold() {
        check(
            r#"{"a": {"$not": {"$gt": 1, "$lt": 5}}}"#,
            &["{}", r#"{"a": 9}"#, r#"{"a": "x"}"#],
            &[r#"{"a": 3}"#],
        );
        // One element above, another below: both hold, though of no element together.
        check(r#"{"a": {"$not": {"$gt": 1, "$lt": 0}}}"#, &[r#"{"a": [2]}"#], &[r#"{"a": [2, -1]}"#]);
        check(r#"{"a": {"$not": {"$not": {"$eq": 1}}}}"#, &[r#"{"a": 1}"#], &["{}"]);
    }

    #[test]
    fn operands() {
        refused(&[
            (r#"{"a": {"$not": 1}}"#, 2, "$not needs a regex or a document"),
            (r#"{"a": {"$not": {}}}"#, 2, "$not cannot be empty"),
            (r#"{"a": {"$not": {"b": 1}}}"#, 2, "unknown operator: b"),
            (r#"{"a": {"$where": 1}}"#, 2, "$where cannot be applied to a field"),
        ]);
    }
}

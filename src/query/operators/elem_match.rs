//! `$elemMatch`: one element of an array satisfies everything at once.

use super::super::ast::{Expr, Test};
use super::super::parse::{FieldArgs, Parser, all_of, is_operator_document};
use crate::bson::Value;
use crate::bson::path::Path;
use crate::error::{Code, Error, Result};

/// `{$elemMatch: {$gt: 1, …}}` tests the elements themselves, `{$elemMatch: {field: …}}` the documents among them.
pub fn parse(parser: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let Value::Document(doc) = args.operand else {
        return Err(Error::new(Code::BadValue, "$elemMatch needs an Object"));
    };
    let of_values = is_operator_document(doc, true)
        && doc.first().is_some_and(|first| super::top_level(first.name.as_str()).is_none());
    let test = if of_values {
        let mut parts = Vec::new();
        parser.operators(&Path::parse(""), doc, &mut parts)?;
        Test::ElemMatchValue(Box::new(all_of(parts)))
    } else {
        Test::ElemMatchDocument(Box::new(parser.element_filter(doc)?))
    };
    Ok(Expr::Leaf { path: args.path.clone(), test })
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn of_documents() {
        let filter = r#"{"a": {"$elemMatch": {"x": 1, "y": {"$gt": 1}}}}"#;
        check(
            filter,
            &[r#"{"a": [{"x": 1, "y": 2}]}"#],
            &[r#"{"a": [{"x": 1}, {"y": 2}]}"#, r#"{"a": {"x": 1, "y": 2}}"#],
        );
        check(
            r#"{"a": {"$elemMatch": {}}}"#,
            &[r#"{"a": [{}]}"#, r#"{"a": [[]]}"#],
            &[r#"{"a": [1]}"#, r#"{"a": []}"#],
        );
        check(r#"{"a": {"$elemMatch": {"0": 1}}}"#, &[r#"{"a": [[1]]}"#], &[r#"{"a": [1]}"#]);
        check(r#"{"a": {"$elemMatch": {"$or": [{"x": 1}]}}}"#, &[r#"{"a": [{"x": 1}]}"#], &[r#"{"a": [1]}"#]);
    }

    #[test]
    fn of_values() {
        check(
            r#"{"a": {"$elemMatch": {"$gt": 1, "$lt": 3}}}"#,
            &[r#"{"a": [0, 2]}"#],
            &[r#"{"a": [1, 3]}"#, r#"{"a": 2}"#],
        );
        // The element itself: an array in the array is not entered.
        check(r#"{"a": {"$elemMatch": {"$eq": 1}}}"#, &[r#"{"a": [1]}"#], &[r#"{"a": [[1]]}"#]);
        check(
            r#"{"a": {"$elemMatch": {"$elemMatch": {"$eq": 1}}}}"#,
            &[r#"{"a": [[1]]}"#],
            &[r#"{"a": [1]}"#],
        );
        check(
            r#"{"a": {"$elemMatch": {"$not": {"$gt": 1}}}}"#,
            &[r#"{"a": [5, 1]}"#],
            &[r#"{"a": [5]}"#, r#"{"a": []}"#],
        );
    }

    #[test]
    fn operands() {
        refused(&[
            (r#"{"a": {"$elemMatch": 1}}"#, 2, "$elemMatch needs an Object"),
            (r#"{"a": {"$elemMatch": {"$gt": 1, "b": 1}}}"#, 2, "unknown operator: b"),
            (
                r#"{"a": {"$elemMatch": {"$where": "1"}}}"#,
                2,
                "$where can only be applied to the top-level document",
            ),
            (
                r#"{"a": {"$elemMatch": {"$expr": 1}}}"#,
                2,
                "$expr can only be applied to the top-level document",
            ),
        ]);
    }
}

//! `$all`: equal to each of the values; with `$elemMatch`: an element for each of the filters.

use super::super::ast::Expr;
use super::super::parse::{FieldArgs, Parser, equality, regex_not_implemented};
use super::elem_match;
use crate::bson::{RawArray, Value};
use crate::error::{Code, Error, Result};

/// `{$all: [value, …]}` or `{$all: [{$elemMatch: …}, …]}`; of an empty array: never.
pub fn parse(parser: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let bad = |text: &str| Err(Error::new(Code::BadValue, text));
    let Value::Array(array) = args.operand else {
        return bad("$all needs an array");
    };
    if array.is_empty() {
        return Ok(Expr::AlwaysFalse);
    }
    if array.get(0).is_some_and(|first| elem_match_of(&first).is_some()) {
        return all_elem_match(parser, args, array);
    }
    let mut parts = Vec::new();
    for value in array.iter() {
        match value {
            Value::Regex { .. } => return Err(regex_not_implemented()),
            Value::Document(doc) if doc.first().is_some_and(|e| takes_a_path(e.name.as_str())) => {
                return bad("no $ expressions in $all");
            }
            value => parts.push(equality(args.path.clone(), &value)?),
        }
    }
    Ok(Expr::And(parts))
}

fn all_elem_match(parser: &mut Parser, args: &FieldArgs<'_>, array: RawArray<'_>) -> Result<Expr> {
    let mut parts = Vec::new();
    for entry in array.iter() {
        let Some(operand) = elem_match_of(&entry) else {
            return Err(Error::new(Code::BadValue, "$all/$elemMatch has to be consistent"));
        };
        parts.push(elem_match::parse(parser, &FieldArgs { name: "$elemMatch", operand, ..*args })?);
    }
    Ok(Expr::And(parts))
}

/// The operand of `{$elemMatch: …}`; what follows in the document is not looked at, in MongoDB neither.
fn elem_match_of<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let first = value.as_document()?.first()?;
    (first.name == "$elemMatch").then_some(first.value)
}

/// `$not` and `$where` are no operators of a path in MongoDB's table, and so pass here as names.
fn takes_a_path(name: &str) -> bool {
    super::of_field(name).is_some() && name != "$not" && name != "$where"
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn each_of_the_values() {
        check(
            r#"{"a": {"$all": [1, 2]}}"#,
            &[r#"{"a": [2, 3, 1]}"#],
            &[r#"{"a": [1]}"#, r#"{"a": 1}"#, "{}"],
        );
        check(r#"{"a": {"$all": [1]}}"#, &[r#"{"a": 1}"#, r#"{"a": [1]}"#], &["{}"]);
        check(r#"{"a": {"$all": [[1]]}}"#, &[r#"{"a": [1]}"#, r#"{"a": [[1]]}"#], &[r#"{"a": 1}"#]);
        check(r#"{"a": {"$all": []}}"#, &[], &["{}", r#"{"a": []}"#]);
        let filters = r#"{"a": {"$all": [{"$elemMatch": {"x": 1}}, {"$elemMatch": {"x": 2}}]}}"#;
        check(filters, &[r#"{"a": [{"x": 2}, {"x": 1}]}"#], &[r#"{"a": [{"x": 1}]}"#]);
    }

    #[test]
    fn operands() {
        refused(&[
            (r#"{"a": {"$all": 1}}"#, 2, "$all needs an array"),
            (r#"{"a": {"$all": [{"$elemMatch": {"a": 1}}, 1]}}"#, 2, "$all/$elemMatch has to be consistent"),
            (r#"{"a": {"$all": [1, {"$elemMatch": {"a": 1}}]}}"#, 2, "no $ expressions in $all"),
            (r#"{"a": {"$all": [{"$gt": 1}]}}"#, 2, "no $ expressions in $all"),
            (r#"{"a": {"$all": [{"$elemMatch": 1}]}}"#, 2, "$elemMatch needs an Object"),
        ]);
        check(r#"{"a": {"$all": [{"$foo": 1}]}}"#, &[r#"{"a": {"$foo": 1}}"#], &["{}"]);
    }
}

//! `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`.

use super::super::ast::{Comparison, Expr};
use super::super::parse::{FieldArgs, Parser, compare, equality};
use crate::bson::Type;
use crate::error::{Code, Error, Result};

/// `{$eq: value}`. A regular expression is compared as a value here, not matched.
pub fn eq(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    equality(args.path.clone(), &args.operand)
}

/// `{$ne: value}`: not `$eq`.
pub fn ne(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    if args.operand.kind() == Type::Regex {
        return Err(Error::new(Code::BadValue, "Can't have regex as arg to $ne."));
    }
    Ok(Expr::Not(Box::new(equality(args.path.clone(), &args.operand)?)))
}

/// `{$gt: value}` and its three siblings.
pub fn ordered(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let relation = match args.name {
        "$gt" => Comparison::Gt,
        "$gte" => Comparison::Gte,
        "$lt" => Comparison::Lt,
        _ => Comparison::Lte,
    };
    if args.operand.kind() == Type::Regex {
        let text = format!("Can't have RegEx as arg to predicate over field '{}'.", args.path.as_str());
        return Err(Error::new(Code::BadValue, text));
    }
    compare(args.path.clone(), relation, &args.operand)
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn a_bracket_keeps_other_types_out() {
        let two = r#"{"a": 2.5}"#;
        check(r#"{"a": {"$gt": 1}}"#, &[two, r#"{"a": ["x", 2]}"#], &[r#"{"a": "2"}"#, r#"{"a": 1}"#, "{}"]);
        check(r#"{"a": {"$lte": ""}}"#, &[r#"{"a": ""}"#], &[r#"{"a": 0}"#, r#"{"a": null}"#, "{}"]);
        check(r#"{"a": 1}"#, &[r#"{"a": 1.0}"#, r#"{"a": {"$numberLong": "1"}}"#], &[r#"{"a": true}"#]);
        check(r#"{"a": {"$gt": {"$minKey": 1}}}"#, &["{}", r#"{"a": null}"#, two], &[]);
        check(r#"{"a": {"$lt": {"$maxKey": 1}}}"#, &["{}", two], &[r#"{"a": {"$maxKey": 1}}"#]);
    }

    #[test]
    fn null_missing_and_undefined() {
        let undefined = r#"{"a": {"$undefined": true}}"#;
        for filter in [r#"{"a": null}"#, r#"{"a": {"$gte": null}}"#, r#"{"a": {"$lte": null}}"#] {
            check(
                filter,
                &["{}", r#"{"a": null}"#, r#"{"a": [1, null]}"#, undefined],
                &[r#"{"a": 0}"#, r#"{"a": []}"#],
            );
        }
        check(r#"{"a": {"$gt": null}}"#, &[], &["{}", r#"{"a": null}"#, r#"{"a": 1}"#]);
        check(r#"{"a": {"$ne": null}}"#, &[r#"{"a": 0}"#], &["{}", r#"{"a": null}"#, undefined]);
        refused(&[(r#"{"a": {"$gt": {"$undefined": true}}}"#, 2, "cannot compare to undefined")]);
    }

    #[test]
    fn not_a_number_equals_itself_and_is_in_no_order() {
        let nan = r#"{"a": {"$numberDouble": "NaN"}}"#;
        let decimal = r#"{"a": {"$numberDecimal": "NaN"}}"#;
        for relation in ["$eq", "$gte", "$lte"] {
            check(
                &format!(r#"{{"a": {{"{relation}": {{"$numberDouble": "NaN"}}}}}}"#),
                &[nan, decimal],
                &[r#"{"a": 1}"#],
            );
        }
        check(r#"{"a": {"$lt": {"$numberDouble": "NaN"}}}"#, &[], &[nan, r#"{"a": 1}"#]);
        check(r#"{"a": {"$lt": 5}}"#, &[], &[nan]);
    }

    #[test]
    fn an_array_as_an_element_or_whole() {
        let nested = r#"{"a": [[1, 2], 3]}"#;
        check(
            r#"{"a": [1, 2]}"#,
            &[r#"{"a": [1, 2]}"#, nested],
            &[r#"{"a": [2, 1]}"#, r#"{"a": [1, 2, 3]}"#],
        );
        check(r#"{"a": {"$ne": 3}}"#, &["{}", r#"{"a": [1]}"#], &[nested]);
    }

    #[test]
    fn regular_expressions_are_values_to_eq_only() {
        let regex = r#"{"$regularExpression": {"pattern": "x", "options": ""}}"#;
        check(
            &format!(r#"{{"a": {{"$eq": {regex}}}}}"#),
            &[&format!(r#"{{"a": {regex}}}"#)],
            &[r#"{"a": "x"}"#],
        );
        refused(&[
            (&format!(r#"{{"a": {{"$ne": {regex}}}}}"#), 2, "Can't have regex as arg to $ne."),
            (
                &format!(r#"{{"a": {{"$gt": {regex}}}}}"#),
                2,
                "Can't have RegEx as arg to predicate over field 'a'.",
            ),
        ]);
    }
}

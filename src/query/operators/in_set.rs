//! `$in` and `$nin`.

use super::super::ast::{Expr, InSet, OwnedValue, Test};
use super::super::parse::{FieldArgs, Parser, equality, is_operator_document, regex_not_implemented};
use crate::bson::order::compare;
use crate::bson::{Type, Value};
use crate::error::{Code, Error, Result};
use crate::sorted::sort_by;
use std::cmp::Ordering;

/// `{$in: [value, …]}`; of a single value: `$eq`.
pub fn parse_in(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let bad = |text: String| Error::new(Code::BadValue, text);
    let Value::Array(array) = args.operand else {
        return Err(bad(format!("{} needs an array", args.name)));
    };
    let mut values = Vec::new();
    for value in array.iter() {
        match value {
            Value::Document(doc) if is_operator_document(doc, false) => {
                return Err(bad("cannot nest $ under $in".into()));
            }
            Value::Regex { .. } => return Err(regex_not_implemented()),
            Value::Undefined => return Err(bad("InMatchExpression equality cannot be undefined".into())),
            value => values.push(OwnedValue::new(&value)),
        }
    }
    let set = InSet::new(values);
    match set.values() {
        [only] => equality(args.path.clone(), &only.get()),
        _ => Ok(Expr::Leaf { path: args.path.clone(), test: Test::In(set) }),
    }
}

/// `{$nin: [value, …]}`: not `$in`.
pub fn parse_nin(parser: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    parse_in(parser, args).map(|expr| Expr::Not(Box::new(expr)))
}

impl InSet {
    /// A set of values, in any order and with repetitions.
    pub fn new(mut values: Vec<OwnedValue>) -> InSet {
        sort_by(&mut values, |a, b| compare(&a.get(), &b.get()));
        values.dedup_by(|a, b| compare(&a.get(), &b.get()) == Ordering::Equal);
        let has_null = values.iter().any(|value| value.get().kind() == Type::Null);
        InSet { values, has_null }
    }

    /// Whether a value is in the set; missing and undefined are if null is.
    pub fn has(&self, value: Option<&Value<'_>>) -> bool {
        match value {
            None | Some(Value::Undefined) => self.has_null,
            Some(value) => self.values.binary_search_by(|probe| compare(&probe.get(), value)).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, parse, refused};

    #[test]
    fn one_of_several() {
        let found = [r#"{"a": 1.0}"#, r#"{"a": [5, "x"]}"#, r#"{"a": [2, 3]}"#, r#"{"a": [[2, 3]]}"#];
        check(r#"{"a": {"$in": ["x", 1, [2, 3], 1]}}"#, &found, &["{}", r#"{"a": 2}"#]);
        check(r#"{"a": {"$nin": ["x", 1, [2, 3]]}}"#, &["{}", r#"{"a": 2}"#], &found);
        check(r#"{"a": {"$in": []}}"#, &[], &["{}", r#"{"a": 1}"#]);
        let null = ["{}", r#"{"a": null}"#, r#"{"a": {"$undefined": true}}"#];
        check(r#"{"a": {"$in": [null, 7]}}"#, &null, &[r#"{"a": 1}"#]);
        check(r#"{"a": {"$in": [null]}}"#, &null, &[r#"{"a": 1}"#]);
    }

    #[test]
    fn operands() {
        refused(&[
            (r#"{"a": {"$in": 1}}"#, 2, "$in needs an array"),
            (r#"{"a": {"$nin": {}}}"#, 2, "$nin needs an array"),
            (r#"{"a": {"$in": [{"$gt": 1}]}}"#, 2, "cannot nest $ under $in"),
            (r#"{"a": {"$nin": [{"$foo": 1}]}}"#, 2, "cannot nest $ under $in"),
            (
                r#"{"a": {"$in": [{"$undefined": true}]}}"#,
                2,
                "InMatchExpression equality cannot be undefined",
            ),
        ]);
        let regex = r#"{"a": {"$in": [{"$regularExpression": {"pattern": "x", "options": ""}}]}}"#;
        assert_eq!(parse(regex).unwrap_err().code.0, 238);
    }
}

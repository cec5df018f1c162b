//! `$exists`.

use super::super::ast::{Expr, Test};
use super::super::parse::{FieldArgs, Parser};
use crate::bson::Value;
use crate::bson::decimal128::Decimal128;
use crate::error::Result;

/// `{$exists: truth}`: any value, taken as MongoDB takes truth: not false, null, undefined or a number equal to 0.
pub fn parse(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let exists = Expr::Leaf { path: args.path.clone(), test: Test::Exists };
    Ok(if truth(&args.operand) { exists } else { Expr::Not(Box::new(exists)) })
}

/// What counts as true in a flag.
pub fn truth(value: &Value<'_>) -> bool {
    match value {
        Value::Bool(v) => *v,
        Value::Null | Value::Undefined => false,
        Value::Int32(v) => *v != 0,
        Value::Int64(v) => *v != 0,
        Value::Double(v) => *v != 0.0,
        Value::Decimal128(bytes) => !Decimal128::from_bytes(*bytes).is_zero(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::query::tests::check;

    #[test]
    fn there_or_not() {
        let there = [r#"{"a": null}"#, r#"{"a": []}"#, r#"{"a": 0}"#];
        for flag in ["true", "1", "\"\"", "[]", r#"{"$numberDouble": "NaN"}"#] {
            check(&format!(r#"{{"a": {{"$exists": {flag}}}}}"#), &there, &["{}"]);
        }
        for flag in ["false", "0", "null", "-0.0", r#"{"$numberDecimal": "0.0"}"#] {
            check(&format!(r#"{{"a": {{"$exists": {flag}}}}}"#), &["{}"], &there);
        }
        check(
            r#"{"a.b": {"$exists": true}}"#,
            &[r#"{"a": [{}, {"b": 1}]}"#],
            &[r#"{"a": [1, {}]}"#, r#"{"a": 1}"#],
        );
    }
}

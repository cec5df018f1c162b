//! `$alwaysTrue: 1` and `$alwaysFalse: 1`.

use super::super::ast::Expr;
use super::super::parse::Parser;
use super::integer;
use crate::bson::Value;
use crate::error::{Code, Error, Result};

/// `{$alwaysTrue: 1}`.
pub fn always_true(_: &mut Parser, name: &str, operand: &Value<'_>) -> Result<Option<Expr>> {
    one(name, operand).map(|()| Some(Expr::AlwaysTrue))
}

/// `{$alwaysFalse: 1}`.
pub fn always_false(_: &mut Parser, name: &str, operand: &Value<'_>) -> Result<Option<Expr>> {
    one(name, operand).map(|()| Some(Expr::AlwaysFalse))
}

fn one(name: &str, operand: &Value<'_>) -> Result<()> {
    match integer::exact(name, operand) {
        Ok(1) => Ok(()),
        Ok(_) => Err(Error::new(Code::FailedToParse, format!("{name} must be an integer value of 1"))),
        Err(text) => Err(Error::new(Code::FailedToParse, text)),
    }
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn constants() {
        check(r#"{"$alwaysTrue": 1}"#, &["{}"], &[]);
        check(r#"{"$alwaysFalse": 1.0}"#, &[], &["{}"]);
        check(r#"{"$nor": [{"$alwaysFalse": 1}]}"#, &["{}"], &[]);
        refused(&[
            (r#"{"$alwaysTrue": 2}"#, 9, "$alwaysTrue must be an integer value of 1"),
            (r#"{"$alwaysFalse": "a"}"#, 9, "Expected a number in: $alwaysFalse: \"a\""),
            (r#"{"$alwaysTrue": 1.5}"#, 9, "Expected an integer: $alwaysTrue: 1.5"),
            (r#"{"a": {"$alwaysTrue": 1}}"#, 2, "unknown operator: $alwaysTrue"),
        ]);
    }
}

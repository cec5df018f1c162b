//! `$mod`: the remainder of a division, operands cut to integers.

use super::super::ast::{Expr, Test, ValueTest};
use super::super::parse::{FieldArgs, Parser};
use super::integer::{self, Truncated};
use crate::bson::{DocBuilder, Value};
use crate::error::{Code, Error, Result};
use std::sync::Arc;

struct Mod {
    divisor: i64,
    remainder: i64,
}

impl ValueTest for Mod {
    fn name(&self) -> &'static str {
        "$mod"
    }

    fn passes(&self, value: Option<&Value<'_>>) -> bool {
        match value.map(integer::truncated) {
            // `i64::MIN % -1` overflows in the processor, its remainder is 0.
            Some(Truncated::Integer(v)) => v.wrapping_rem(self.divisor) == self.remainder,
            _ => false,
        }
    }

    fn looks_into_last_array(&self) -> bool {
        true
    }

    fn push_to(&self, doc: &mut DocBuilder) {
        doc.array(self.name(), |operands| {
            operands.push(self.divisor).push(self.remainder);
        });
    }
}

/// `{$mod: [divisor, remainder]}`.
pub fn parse(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let bad = |text: String| Error::new(Code::BadValue, text);
    let Value::Array(array) = args.operand else {
        return Err(bad("malformed mod, needs to be an array".into()));
    };
    let Some(divisor) = array.get(0) else {
        return Err(bad("malformed mod, not enough elements".into()));
    };
    if !divisor.is_number() {
        return Err(bad("malformed mod, divisor not a number".into()));
    }
    let Some(remainder) = array.get(1) else {
        return Err(bad("malformed mod, not enough elements".into()));
    };
    if !remainder.is_number() {
        return Err(bad("malformed mod, remainder not a number".into()));
    }
    if array.count() > 2 {
        return Err(bad("malformed mod, too many elements".into()));
    }
    let divisor = integer_of("divisor", &divisor)?;
    if divisor == 0 {
        return Err(bad("divisor cannot be 0".into()));
    }
    let remainder = integer_of("remainder", &remainder)?;
    Ok(Expr::Leaf { path: args.path.clone(), test: Test::Value(Arc::new(Mod { divisor, remainder })) })
}

fn integer_of(what: &str, value: &Value<'_>) -> Result<i64> {
    let why = match integer::truncated(value) {
        Truncated::Integer(v) => return Ok(v),
        Truncated::NotFinite => "Unable to coerce NaN/Inf to integral type",
        Truncated::NotNumber | Truncated::TooLarge => "Out of bounds coercing to integral value",
    };
    let text = format!("malformed mod, {what} value is invalid :: caused by :: {why}");
    Err(Error::new(Code::BadValue, text))
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn remainders() {
        check(
            r#"{"a": {"$mod": [3, 1]}}"#,
            &[r#"{"a": 4}"#, r#"{"a": 4.9}"#, r#"{"a": [0, 7]}"#],
            &[r#"{"a": 3}"#, r#"{"a": "4"}"#],
        );
        check(
            r#"{"a": {"$mod": [3, -1]}}"#,
            &[r#"{"a": -4}"#, r#"{"a": {"$numberDecimal": "-4.5"}}"#],
            &[r#"{"a": 4}"#],
        );
        let infinite = r#"{"a": {"$numberDouble": "Infinity"}}"#;
        check(r#"{"a": {"$mod": [2.5, 0]}}"#, &[r#"{"a": 4}"#], &[infinite, r#"{"a": 1e30}"#, "{}"]);
        check(r#"{"a": {"$mod": [-1, 0]}}"#, &[r#"{"a": {"$numberLong": "-9223372036854775808"}}"#], &[]);
    }

    #[test]
    fn operands() {
        let infinite = "malformed mod, divisor value is invalid :: caused by :: Unable to coerce NaN/Inf to integral type";
        let large = "malformed mod, remainder value is invalid :: caused by :: Out of bounds coercing to integral value";
        refused(&[
            (r#"{"a": {"$mod": 1}}"#, 2, "malformed mod, needs to be an array"),
            (r#"{"a": {"$mod": []}}"#, 2, "malformed mod, not enough elements"),
            (r#"{"a": {"$mod": [1]}}"#, 2, "malformed mod, not enough elements"),
            (r#"{"a": {"$mod": [1, 2, 3]}}"#, 2, "malformed mod, too many elements"),
            (r#"{"a": {"$mod": [0.5, 1]}}"#, 2, "divisor cannot be 0"),
            (r#"{"a": {"$mod": ["a", 1]}}"#, 2, "malformed mod, divisor not a number"),
            (r#"{"a": {"$mod": [2, null]}}"#, 2, "malformed mod, remainder not a number"),
            (r#"{"a": {"$mod": [{"$numberDouble": "Infinity"}, 1]}}"#, 2, infinite),
            (r#"{"a": {"$mod": [2, 1e30]}}"#, 2, large),
        ]);
    }
}

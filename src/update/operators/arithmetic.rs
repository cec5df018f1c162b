//! `$inc` and `$mul`.

use super::{Effect, Operator, Place};
use crate::bson::Value;
use crate::bson::number::{NumberError, add, multiply};
use crate::bson::order::compare;
use crate::error::{Code, Error, Result};
use crate::query::{OwnedValue, show};
use std::cmp::Ordering;
use std::sync::Arc;

type Combine = fn(&Value<'_>, &Value<'_>) -> std::result::Result<Value<'static>, NumberError>;

#[derive(Debug)]
struct Arithmetic {
    name: &'static str,
    combine: Combine,
    operand: OwnedValue,
}

impl Operator for Arithmetic {
    fn on_existing(&self, value: &Value<'_>, place: &Place<'_>) -> Result<Effect> {
        let name = self.name;
        if !value.is_number() {
            let (id, field, kind) = (place.id(), place.name(), value.kind().alias());
            let text = format!(
                "Cannot apply {name} to a value of non-numeric type. {id} has the field '{field}' of non-numeric type {kind}"
            );
            return Err(Error::new(Code::TypeMismatch, text));
        }
        match (self.combine)(value, &self.operand.get()) {
            Ok(result) if is_same(value, &result) => Ok(Effect::Keep),
            Ok(result) => Ok(Effect::Replace(OwnedValue::new(&result))),
            Err(_) => {
                let kind = if matches!(value, Value::Int32(_)) { "NumberInt" } else { "NumberLong" };
                let (shown, id) = (show::value(value), place.id());
                let text = format!(
                    "Failed to apply {name} operations to current value (({kind}){shown}) for document {id}"
                );
                Err(Error::new(Code::BadValue, text))
            }
        }
    }

    fn on_missing(&self) -> Option<OwnedValue> {
        let operand = self.operand.get();
        // The operand for a sum, a zero of its type for a product. Neither can overflow.
        let value = match self.name {
            "$inc" => operand,
            _ => (self.combine)(&Value::Int32(0), &operand).unwrap_or(Value::Int32(0)),
        };
        Some(OwnedValue::new(&value))
    }
}

/// No change: the same number in the same type. −0 is 0 here, NaN never the same.
fn is_same(before: &Value<'_>, after: &Value<'_>) -> bool {
    let is_nan = match after {
        Value::Double(v) => v.is_nan(),
        Value::Decimal128(bytes) => crate::bson::Decimal128::from_bytes(*bytes).is_nan(),
        _ => false,
    };
    before.kind() == after.kind() && !is_nan && compare(before, after) == Ordering::Equal
}

/// `{$inc: {path: number}}`.
pub fn parse_inc(path: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    parse("$inc", "increment", add, path, operand)
}

/// `{$mul: {path: number}}`.
pub fn parse_mul(path: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    parse("$mul", "multiply", multiply, path, operand)
}

fn parse(
    name: &'static str,
    verb: &str,
    combine: Combine,
    path: &str,
    operand: &Value<'_>,
) -> Result<Arc<dyn Operator>> {
    if !operand.is_number() {
        let text = format!("Cannot {verb} with non-numeric argument: {{{}}}", show::element(path, operand));
        return Err(Error::new(Code::TypeMismatch, text));
    }
    Ok(Arc::new(Arithmetic { name, combine, operand: OwnedValue::new(operand) }))
}

#[cfg(test)]
mod tests {
    use crate::update::tests::check;

    #[test]
    fn sums_and_products() {
        check(
            r#"{"_id": 1, "i": 2147483647, "s": "t"}"#,
            &[
                (r#"{"$inc": {"i": 1, "n": 1.5}}"#, r#"{"_id": 1, "i": 2147483648, "s": "t", "n": 1.5}"#),
                (r#"{"$mul": {"i": 2, "n": 2.5}}"#, r#"{"_id": 1, "i": 4294967294, "s": "t", "n": 0.0}"#),
                (r#"{"$inc": {"i": 0}}"#, "same"),
                (r#"{"$mul": {"i": 1.0}}"#, r#"{"_id": 1, "i": 2147483647.0, "s": "t"}"#),
                (r#"{"$inc": {"i": "x"}}"#, "14: Cannot increment with non-numeric argument: {i: \"x\"}"),
                (r#"{"$mul": {"a.b": null}}"#, "14: Cannot multiply with non-numeric argument: {a.b: null}"),
                (
                    r#"{"$inc": {"s": 1}}"#,
                    "14: Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 's' of non-numeric type string",
                ),
            ],
        );
        check(
            r#"{"_id": 1, "l": {"$numberLong": "9223372036854775807"}, "nan": {"$numberDouble": "NaN"}}"#,
            &[
                (
                    r#"{"$inc": {"l": 1}}"#,
                    "2: Failed to apply $inc operations to current value ((NumberLong)9223372036854775807) for document {_id: 1}",
                ),
                (
                    r#"{"$mul": {"l": 2}}"#,
                    "2: Failed to apply $mul operations to current value ((NumberLong)9223372036854775807) for document {_id: 1}",
                ),
            ],
        );
        // Not a number is never the same, so it counts as a change.
        let nan = r#"{"_id": 1, "n": {"$numberDouble": "NaN"}}"#;
        check(nan, &[(r#"{"$inc": {"n": 1}}"#, nan)]);
        let zero = r#"{"_id": 1, "n": -0.0}"#;
        check(zero, &[(r#"{"$inc": {"n": 0.0}}"#, "same")]);
    }
}

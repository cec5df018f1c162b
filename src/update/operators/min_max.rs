//! `$min` and `$max`: puts a value if it is below, or above, the one that is there, in the order of all types.

use super::{Effect, Operator, Place};
use crate::bson::Value;
use crate::bson::order::compare;
use crate::error::Result;
use crate::query::OwnedValue;
use std::cmp::Ordering;
use std::sync::Arc;

#[derive(Debug)]
struct MinMax {
    value: OwnedValue,
    /// How the operand must compare to the value that is there.
    wanted: Ordering,
}

impl Operator for MinMax {
    fn on_existing(&self, value: &Value<'_>, _: &Place<'_>) -> Result<Effect> {
        let wins = compare(&self.value.get(), value) == self.wanted;
        Ok(if wins { Effect::Replace(self.value.clone()) } else { Effect::Keep })
    }

    fn on_missing(&self) -> Option<OwnedValue> {
        Some(self.value.clone())
    }
}

/// `{$min: {path: value}}`.
pub fn parse_min(_: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    Ok(Arc::new(MinMax { value: OwnedValue::new(operand), wanted: Ordering::Less }))
}

/// `{$max: {path: value}}`.
pub fn parse_max(_: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    Ok(Arc::new(MinMax { value: OwnedValue::new(operand), wanted: Ordering::Greater }))
}

#[cfg(test)]
mod tests {
    use crate::update::tests::check;

    #[test]
    fn the_order_of_all_types_decides() {
        check(
            r#"{"_id": 1, "a": 1}"#,
            &[
                (r#"{"$min": {"a": 2}}"#, "same"),
                (r#"{"$min": {"a": null}}"#, r#"{"_id": 1, "a": null}"#),
                (r#"{"$min": {"a": "x"}}"#, "same"),
                (r#"{"$max": {"a": "x"}}"#, r#"{"_id": 1, "a": "x"}"#),
                (r#"{"$max": {"a": 1.0}}"#, "same"),
                (r#"{"$max": {"b.c": 3}}"#, r#"{"_id": 1, "a": 1, "b": {"c": 3}}"#),
            ],
        );
    }
}

//! `$set` and `$setOnInsert`.

use super::{Effect, Operator, Place};
use crate::bson::Value;
use crate::error::Result;
use crate::query::OwnedValue;
use std::sync::Arc;

/// Puts a value. The same bytes are no change; the same number of another type is.
#[derive(Debug)]
pub struct Set {
    pub value: OwnedValue,
    pub insert_only: bool,
}

impl Operator for Set {
    fn on_existing(&self, value: &Value<'_>, _: &Place<'_>) -> Result<Effect> {
        let is_same = OwnedValue::new(value) == self.value;
        Ok(if is_same { Effect::Keep } else { Effect::Replace(self.value.clone()) })
    }

    fn on_missing(&self) -> Option<OwnedValue> {
        Some(self.value.clone())
    }

    fn insert_only(&self) -> bool {
        self.insert_only
    }
}

/// `{$set: {path: value}}`.
pub fn parse_set(_: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    Ok(Arc::new(Set { value: OwnedValue::new(operand), insert_only: false }))
}

/// `{$setOnInsert: {path: value}}`.
pub fn parse_set_on_insert(_: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    Ok(Arc::new(Set { value: OwnedValue::new(operand), insert_only: true }))
}

#[cfg(test)]
mod tests {
    use crate::update::tests::check;

    #[test]
    fn the_same_bytes_are_no_change() {
        check(
            r#"{"_id": 1, "a": 1, "z": -0.0}"#,
            &[
                (r#"{"$set": {"a": 1}}"#, "same"),
                (r#"{"$set": {"a": 1.0}}"#, r#"{"_id": 1, "a": 1.0, "z": -0.0}"#),
                (r#"{"$set": {"z": 0.0}}"#, r#"{"_id": 1, "a": 1, "z": 0.0}"#),
                (
                    r#"{"$set": {"a": {"$b": 1, "c.d": 2}}}"#,
                    r#"{"_id": 1, "a": {"$b": 1, "c.d": 2}, "z": -0.0}"#,
                ),
                (r#"{"$set": {"a.b": 1}}"#, "28: Cannot create field 'b' in element {a: 1}"),
                (r#"{"$setOnInsert": {"a": 5, "a2.b": 1}}"#, "same"),
            ],
        );
    }
}

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

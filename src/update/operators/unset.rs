//! `$unset`: removes a field; an array element becomes null.

use super::{Blocked, Effect, Operator, Place};
use crate::bson::Value;
use crate::error::Result;
use crate::query::OwnedValue;
use std::sync::Arc;

#[derive(Debug)]
struct Unset;

impl Operator for Unset {
    fn on_existing(&self, _: &Value<'_>, _: &Place<'_>) -> Result<Effect> {
        Ok(Effect::Remove)
    }

    fn on_missing(&self) -> Option<OwnedValue> {
        None
    }

    fn on_blocked(&self) -> Blocked {
        Blocked::Nothing
    }
}

/// `{$unset: {path: anything}}`.
pub fn parse(_: &str, _: &Value<'_>) -> Result<Arc<dyn Operator>> {
    Ok(Arc::new(Unset))
}

#[cfg(test)]
mod tests {
    use crate::update::tests::check;

    #[test]
    fn what_is_there_goes() {
        check(
            r#"{"_id": 1, "a": {"b": 1, "c": 2}, "x": [1, 2]}"#,
            &[
                (r#"{"$unset": {"a.b": ""}}"#, r#"{"_id": 1, "a": {"c": 2}, "x": [1, 2]}"#),
                (r#"{"$unset": {"a": 1, "x.1": 1}}"#, r#"{"_id": 1, "x": [1, null]}"#),
                (r#"{"$unset": {"q.r": 1, "a.b.c": 1, "x.7": 1}}"#, "same"),
            ],
        );
    }
}

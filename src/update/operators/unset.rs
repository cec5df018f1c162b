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

//! What the array operators share: building arrays.

use crate::bson::{ArrayBuilder, RawArray, Value};
use crate::query::OwnedValue;

/// An array of these values.
pub fn array_of<'a>(values: impl IntoIterator<Item = Value<'a>>) -> OwnedValue {
    let mut array = ArrayBuilder::new();
    for value in values {
        array.push(value);
    }
    let bytes = array.finish();
    OwnedValue::new(&Value::Array(RawArray::from_validated(&bytes)))
}

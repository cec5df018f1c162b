//! stub
use crate::bson::{Direction, Value};
pub fn append(out: &mut Vec<u8>, value: &Value<'_>, _d: Direction) {
    crate::bson::build::write_value(out, value);
}

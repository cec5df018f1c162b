//! `$pop`: removes the last (1) or the first (-1) element.

use super::array_clauses::array_of;
use super::{Blocked, Effect, Operator, Place};
use crate::bson::Value;
use crate::error::{Code, Error, Result};
use crate::query::OwnedValue;
use crate::query::operators::integer_or_why;
use std::sync::Arc;

#[derive(Debug)]
struct Pop {
    from_front: bool,
}

impl Operator for Pop {
    fn on_existing(&self, value: &Value<'_>, place: &Place<'_>) -> Result<Effect> {
        let Value::Array(array) = value else {
            let (path, kind) = (place.path, value.kind().alias());
            let text = format!("Path '{path}' contains an element of non-array type '{kind}'");
            return Err(Error::new(Code::TypeMismatch, text));
        };
        let count = array.count();
        if count == 0 {
            return Ok(Effect::Keep);
        }
        let skip = usize::from(self.from_front);
        Ok(Effect::Replace(array_of(array.iter().skip(skip).take(count - 1))))
    }

    fn on_missing(&self) -> Option<OwnedValue> {
        None
    }

    fn on_blocked(&self) -> Blocked {
        Blocked::CannotTraverse
    }
}

/// `{$pop: {path: 1 | -1}}`.
pub fn parse(path: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    let failed = |text: String| Error::new(Code::FailedToParse, text);
    match integer_or_why(path, operand).map_err(failed)? {
        1 => Ok(Arc::new(Pop { from_front: false })),
        -1 => Ok(Arc::new(Pop { from_front: true })),
        other => Err(failed(format!("$pop expects 1 or -1, found: {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use crate::update::tests::check;

    #[test]
    fn from_either_end() {
        check(
            r#"{"_id": 1, "x": [1, 2, 3], "e": [], "i": 1}"#,
            &[
                (r#"{"$pop": {"x": 1}}"#, r#"{"_id": 1, "x": [1, 2], "e": [], "i": 1}"#),
                (r#"{"$pop": {"x": -1.0}}"#, r#"{"_id": 1, "x": [2, 3], "e": [], "i": 1}"#),
                (r#"{"$pop": {"e": 1, "zz.y": 1}}"#, "same"),
                (r#"{"$pop": {"x": 2}}"#, "9: $pop expects 1 or -1, found: 2"),
                (r#"{"$pop": {"x": "x"}}"#, "9: Expected a number in: x: \"x\""),
                (r#"{"$pop": {"i": 1}}"#, "14: Path 'i' contains an element of non-array type 'int'"),
                (
                    r#"{"$pop": {"i.y": 1}}"#,
                    "28: Cannot use the part (y) of (i.y) to traverse the element ({i: 1})",
                ),
            ],
        );
    }
}

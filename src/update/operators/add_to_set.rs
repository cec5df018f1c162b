//! `$addToSet`, with `$each`.

use super::array_clauses::array_of;
use super::{Effect, Operator, Place};
use crate::bson::Value;
use crate::bson::order::equal;
use crate::error::{Code, Error, Result};
use crate::query::{OwnedValue, show};
use std::sync::Arc;

#[derive(Debug)]
struct AddToSet {
    /// In the order written, each once.
    values: Vec<OwnedValue>,
}

impl Operator for AddToSet {
    fn on_existing(&self, value: &Value<'_>, place: &Place<'_>) -> Result<Effect> {
        let Value::Array(array) = value else {
            let (name, kind) = (place.name(), value.kind().alias());
            let text = format!(
                "Cannot apply $addToSet to non-array field. Field named '{name}' has non-array type {kind}"
            );
            return Err(Error::new(Code::BadValue, text));
        };
        let mut new: Vec<Value<'_>> = array.iter().collect();
        let count_before = new.len();
        for value in &self.values {
            let value = value.get();
            if !new[..count_before].iter().any(|old| equal(old, &value)) {
                new.push(value);
            }
        }
        Ok(if new.len() == count_before { Effect::Keep } else { Effect::Replace(array_of(new)) })
    }

    fn on_missing(&self) -> Option<OwnedValue> {
        Some(array_of(self.values.iter().map(|value| value.get())))
    }

    fn creates_array(&self) -> bool {
        true
    }
}

/// `{$addToSet: {path: value}}` or `{$addToSet: {path: {$each: [value, …]}}}`.
pub fn parse(_: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    let clauses = operand.as_document().filter(|doc| doc.first().is_some_and(|first| first.name == "$each"));
    let Some(clauses) = clauses else {
        return Ok(Arc::new(AddToSet { values: vec![OwnedValue::new(operand)] }));
    };
    let Some(Value::Array(each)) = clauses.get("$each") else {
        let kind = clauses.get("$each").map_or("missing", |value| value.kind().alias());
        let text = format!("The argument to $each in $addToSet must be an array but it was of type {kind}");
        return Err(Error::new(Code::TypeMismatch, text));
    };
    if clauses.count() > 1 {
        let text = format!("Found unexpected fields after $each in $addToSet: {}", show::document(clauses));
        return Err(Error::new(Code::BadValue, text));
    }
    let mut values: Vec<OwnedValue> = Vec::new();
    for value in each.iter() {
        if !values.iter().any(|known| equal(&known.get(), &value)) {
            values.push(OwnedValue::new(&value));
        }
    }
    Ok(Arc::new(AddToSet { values }))
}

#[cfg(test)]
mod tests {
    use crate::update::tests::check;

    #[test]
    fn each_value_once() {
        let doc = |x: &str| format!(r#"{{"_id": 1, "i": 1, "x": {x}}}"#);
        check(
            &doc(r#"[1, 2, 2.0, {"y": 1, "z": 2}]"#),
            &[
                (r#"{"$addToSet": {"x": 2}}"#, "same"),
                (
                    r#"{"$addToSet": {"x": {"z": 2, "y": 1}}}"#,
                    &doc(r#"[1, 2, 2.0, {"y": 1, "z": 2}, {"z": 2, "y": 1}]"#),
                ),
                (
                    r#"{"$addToSet": {"x": {"$each": [5, 2, 5.0, [1]]}}}"#,
                    &doc(r#"[1, 2, 2.0, {"y": 1, "z": 2}, 5, [1]]"#),
                ),
                (
                    r#"{"$addToSet": {"i": 1}}"#,
                    "2: Cannot apply $addToSet to non-array field. Field named 'i' has non-array type int",
                ),
                (
                    r#"{"$addToSet": {"x": {"$each": 1}}}"#,
                    "14: The argument to $each in $addToSet must be an array but it was of type int",
                ),
                (
                    r#"{"$addToSet": {"x": {"$each": [1], "$foo": 1}}}"#,
                    "2: Found unexpected fields after $each in $addToSet: { $each: [ 1 ], $foo: 1 }",
                ),
            ],
        );
        check("{}", &[(r#"{"$addToSet": {"x": {"$each": [3, 3, 3.0]}}}"#, r#"{"x": [3]}"#)]);
    }
}

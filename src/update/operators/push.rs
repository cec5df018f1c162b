//! `$push`, with `$each`, `$position`, `$sort` and `$slice` (applied in this order).

use super::array_clauses::array_of;
use super::{Effect, Operator, Place};
use crate::bson::order::compare;
use crate::bson::{RawDoc, Type, Value};
use crate::error::{Code, Error, Result};
use crate::query::OwnedValue;
use crate::query::operators::integer_operand;
use crate::sorted::sort_by;
use std::cmp::Ordering;
use std::sync::Arc;

#[derive(Debug)]
struct Push {
    values: Vec<OwnedValue>,
    /// From the front, or if negative from the back; `None` at the end.
    position: Option<i64>,
    sort: Option<Sort>,
    /// How many to keep, from the front, or if negative from the back.
    slice: Option<i64>,
}

#[derive(Debug)]
enum Sort {
    Whole {
        descending: bool,
    },
    /// Dotted paths, and whether each is descending.
    Fields(Vec<(String, bool)>),
}

impl Operator for Push {
    fn on_existing(&self, value: &Value<'_>, place: &Place<'_>) -> Result<Effect> {
        let Value::Array(array) = value else {
            let (path, kind, id) = (place.path, value.kind().alias(), place.id());
            let text = format!("The field '{path}' must be an array but is of type {kind} in document {id}");
            return Err(Error::new(Code::BadValue, text));
        };
        let old: Vec<Value<'_>> = array.iter().collect();
        let count_before = old.len();
        let new = self.pushed(old);
        // As in MongoDB, sorting counts as a change even if the array was in order.
        let is_same = self.values.is_empty() && self.sort.is_none() && new.len() == count_before;
        Ok(if is_same { Effect::Keep } else { Effect::Replace(array_of(new)) })
    }

    fn on_missing(&self) -> Option<OwnedValue> {
        Some(array_of(self.pushed(Vec::new())))
    }

    fn creates_array(&self) -> bool {
        true
    }
}

impl Push {
    fn pushed<'a>(&'a self, mut values: Vec<Value<'a>>) -> Vec<Value<'a>> {
        let len = values.len();
        let at = match self.position {
            None => len,
            Some(from_front @ 0..) => usize::try_from(from_front).unwrap_or(len).min(len),
            Some(from_back) => len.saturating_sub(usize::try_from(from_back.unsigned_abs()).unwrap_or(len)),
        };
        values.splice(at..at, self.values.iter().map(|value| value.get()));
        if let Some(sort) = &self.sort {
            sort_by(&mut values, |a, b| sort.compare(a, b));
        }
        let len = values.len();
        match self.slice {
            None => {}
            Some(first @ 0..) => values.truncate(usize::try_from(first).unwrap_or(len)),
            Some(last) => {
                let keep = usize::try_from(last.unsigned_abs()).unwrap_or(len).min(len);
                values.drain(..len - keep);
            }
        }
        values
    }
}

impl Sort {
    fn compare(&self, a: &Value<'_>, b: &Value<'_>) -> Ordering {
        let directed = |order: Ordering, descending: bool| if descending { order.reverse() } else { order };
        match self {
            Sort::Whole { descending } => directed(compare(a, b), *descending),
            Sort::Fields(fields) => {
                for (path, descending) in fields {
                    let order = compare(&field_of(a, path), &field_of(b, path));
                    if order != Ordering::Equal {
                        return directed(order, *descending);
                    }
                }
                Ordering::Equal
            }
        }
    }
}

/// The value at a path, null where there is none. Arrays are entered by index only.
fn field_of<'a>(value: &Value<'a>, path: &str) -> Value<'a> {
    let Value::Document(doc) = value else { return Value::Null };
    let mut doc = *doc;
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        match doc.get(part) {
            Some(found) if parts.peek().is_none() => return found,
            Some(Value::Document(inner)) => doc = inner,
            Some(Value::Array(inner)) => doc = inner.as_document(),
            _ => break,
        }
    }
    Value::Null
}

/// `{$push: {path: value}}` or `{$push: {path: {$each: [value, …], …}}}`.
pub fn parse(_: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    match operand {
        Value::Document(clauses) if clauses.get("$each").is_some() => Ok(Arc::new(with_clauses(*clauses)?)),
        value => {
            let values = vec![OwnedValue::new(value)];
            Ok(Arc::new(Push { values, position: None, sort: None, slice: None }))
        }
    }
}

fn with_clauses(clauses: RawDoc<'_>) -> Result<Push> {
    let bad = |text: String| Error::new(Code::BadValue, text);
    for clause in clauses.iter() {
        if !matches!(clause.name.as_bytes(), b"$each" | b"$slice" | b"$sort" | b"$position") {
            return Err(bad(format!("Unrecognized clause in $push: {}", clause.name)));
        }
    }
    let each = clauses.get("$each").unwrap_or(Value::Null);
    let Value::Array(each) = each else {
        let kind = each.kind().alias();
        return Err(bad(format!(
            "The argument to $each in $push must be an array but it was of type: {kind}"
        )));
    };
    let integer = |value: Value<'_>, but: &str| {
        let kind = value.kind().alias();
        integer_operand(&value).ok_or_else(|| bad(format!("{but}{kind}")))
    };
    let slice = clauses
        .get("$slice")
        .map(|value| integer(value, "The value for $slice must be an integer value but was given type: "));
    let slice = slice.transpose()?;
    let sort = clauses.get("$sort").map(|value| sort_of(&value)).transpose()?;
    let position = clauses
        .get("$position")
        .map(|value| integer(value, "The value for $position must be an integer value, not of type: "));
    let position = position.transpose()?;
    Ok(Push { values: each.iter().map(|value| OwnedValue::new(&value)).collect(), position, sort, slice })
}

fn sort_of(value: &Value<'_>) -> Result<Sort> {
    let bad = |text: &str| Err(Error::new(Code::BadValue, text));
    let descending = |value: &Value<'_>| match integer_operand(value) {
        Some(1) => Some(false),
        Some(-1) => Some(true),
        _ => None,
    };
    let pattern = match value {
        Value::Document(pattern) => pattern,
        number if number.is_number() => {
            return match descending(number) {
                Some(descending) => Ok(Sort::Whole { descending }),
                None => bad("The $sort element value must be either 1 or -1"),
            };
        }
        _ => {
            return bad(
                "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields",
            );
        }
    };
    if pattern.is_empty() {
        return bad("The sort pattern is empty when it should be a set of fields.");
    }
    let mut fields = Vec::new();
    for element in pattern.iter() {
        let Some(descending) = descending(&element.value).filter(|_| element.value.kind() != Type::Bool)
        else {
            return bad("The sort element value must be either 1 or -1");
        };
        let path = element.name.as_str();
        if path.is_empty() {
            return bad("The sort field cannot be empty");
        }
        if path.split('.').any(|part| part.is_empty()) {
            return bad(&format!("The sort field is a dotted field but has an empty part: {path}"));
        }
        fields.push((path.to_string(), descending));
    }
    Ok(Sort::Fields(fields))
}

#[cfg(test)]
mod tests {
    use crate::update::tests::check;

    #[test]
    fn values_and_clauses() {
        let doc = |x: &str| format!(r#"{{"_id": 1, "x": {x}, "n": null}}"#);
        check(
            &doc("[3, 1, 2]"),
            &[
                (r#"{"$push": {"x": [5]}}"#, &doc("[3, 1, 2, [5]]")),
                (r#"{"$push": {"x": {"$slice": 1}}}"#, &doc(r#"[3, 1, 2, {"$slice": 1}]"#)),
                (r#"{"$push": {"x": {"$each": [5, 6]}}}"#, &doc("[3, 1, 2, 5, 6]")),
                (r#"{"$push": {"x": {"$each": []}}}"#, "same"),
                (r#"{"$push": {"x": {"$each": [5], "$position": 0}}}"#, &doc("[5, 3, 1, 2]")),
                (r#"{"$push": {"x": {"$each": [5], "$position": -1}}}"#, &doc("[3, 1, 5, 2]")),
                (r#"{"$push": {"x": {"$each": [5], "$position": -100}}}"#, &doc("[5, 3, 1, 2]")),
                (r#"{"$push": {"x": {"$each": [5], "$slice": -2}}}"#, &doc("[2, 5]")),
                (r#"{"$push": {"x": {"$each": [5], "$slice": 0}}}"#, &doc("[]")),
                (r#"{"$push": {"x": {"$each": [9], "$sort": -1, "$slice": 2}}}"#, &doc("[9, 3]")),
                (r#"{"$push": {"x": {"$each": [], "$slice": 5}}}"#, "same"),
                (r#"{"$push": {"y": {"$each": []}}}"#, r#"{"_id": 1, "x": [3, 1, 2], "n": null, "y": []}"#),
                (
                    r#"{"$push": {"n": 5}}"#,
                    "2: The field 'n' must be an array but is of type null in document {_id: 1}",
                ),
                (
                    r#"{"$push": {"x.0": 5}}"#,
                    "2: The field 'x.0' must be an array but is of type int in document {_id: 1}",
                ),
            ],
        );
        check(
            r#"{"_id": 1, "x": [{"k": 2}, {"k": 1, "j": 1}, 5, {"k": {"m": 3}}]}"#,
            &[
                (
                    r#"{"$push": {"x": {"$each": [], "$sort": {"k": 1, "j": -1}}}}"#,
                    r#"{"_id": 1, "x": [5, {"k": 1, "j": 1}, {"k": 2}, {"k": {"m": 3}}]}"#,
                ),
                (
                    r#"{"$push": {"x": {"$each": [], "$sort": {"k.m": -1}}}}"#,
                    r#"{"_id": 1, "x": [{"k": {"m": 3}}, {"k": 2}, {"k": 1, "j": 1}, 5]}"#,
                ),
            ],
        );
    }

    #[test]
    fn operands() {
        let whole = "2: The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields";
        check(
            "{}",
            &[
                (
                    r#"{"$push": {"x": {"$each": 1}}}"#,
                    "2: The argument to $each in $push must be an array but it was of type: int",
                ),
                (r#"{"$push": {"x": {"foo": 1, "$each": [1]}}}"#, "2: Unrecognized clause in $push: foo"),
                (
                    r#"{"$push": {"x": {"$each": [5], "$position": 1.5}}}"#,
                    "2: The value for $position must be an integer value, not of type: double",
                ),
                (
                    r#"{"$push": {"x": {"$each": [5], "$slice": "a"}}}"#,
                    "2: The value for $slice must be an integer value but was given type: string",
                ),
                (
                    r#"{"$push": {"x": {"$each": [], "$sort": 2}}}"#,
                    "2: The $sort element value must be either 1 or -1",
                ),
                (r#"{"$push": {"x": {"$each": [], "$sort": "a"}}}"#, whole),
                (
                    r#"{"$push": {"x": {"$each": [], "$sort": {"y": 2}}}}"#,
                    "2: The sort element value must be either 1 or -1",
                ),
                (
                    r#"{"$push": {"x": {"$each": [], "$sort": {"y.": 1}}}}"#,
                    "2: The sort field is a dotted field but has an empty part: y.",
                ),
            ],
        );
    }
}

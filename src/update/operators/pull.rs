//! `$pull` and `$pullAll`: removes the elements that match.

use super::array_clauses::array_of;
use super::{Blocked, Effect, Operator, Place};
use crate::bson::order::equal;
use crate::bson::{DocBuilder, RawDoc, Value};
use crate::error::{Code, Error, Result};
use crate::query::{Filter, OwnedValue};
use std::sync::Arc;

#[derive(Debug)]
enum Pull {
    /// Elements that are documents and match a filter.
    Documents(Filter),
    /// Elements that pass operators, as the values of a field would: the filter is on the empty name.
    Passing(Filter),
    /// Elements equal to one of these.
    Equal(Vec<OwnedValue>),
}

impl Pull {
    fn takes(&self, value: &Value<'_>) -> bool {
        match self {
            Pull::Documents(filter) => value.as_document().is_some_and(|doc| filter.matches(doc)),
            Pull::Passing(filter) => {
                let mut doc = DocBuilder::new();
                doc.push("", *value);
                filter.matches(RawDoc::from_validated(&doc.finish()))
            }
            Pull::Equal(values) => values.iter().any(|unwanted| equal(&unwanted.get(), value)),
        }
    }
}

impl Operator for Pull {
    fn on_existing(&self, value: &Value<'_>, _: &Place<'_>) -> Result<Effect> {
        let Value::Array(array) = value else {
            return Err(Error::new(Code::BadValue, "Cannot apply $pull to a non-array value"));
        };
        let mut kept = Vec::new();
        let mut count_before = 0;
        for value in array.iter() {
            count_before += 1;
            if !self.takes(&value) {
                kept.push(value);
            }
        }
        Ok(if kept.len() == count_before { Effect::Keep } else { Effect::Replace(array_of(kept)) })
    }

    fn on_missing(&self) -> Option<OwnedValue> {
        None
    }

    fn on_blocked(&self) -> Blocked {
        Blocked::CannotTraverse
    }
}

/// `{$pull: {path: value | {field: condition} | {$operator: …}}}`.
pub fn parse_pull(_: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    let condition = match operand {
        Value::Document(doc) => {
            let is_operator = doc.first().is_some_and(|first| takes_a_path(first.name.as_str()));
            match is_operator {
                true => Pull::Passing(on_the_empty_name(operand)?),
                false => Pull::Documents(Filter::parse(*doc)?),
            }
        }
        Value::Regex { .. } => Pull::Passing(on_the_empty_name(operand)?),
        value => Pull::Equal(vec![OwnedValue::new(value)]),
    };
    Ok(Arc::new(condition))
}

fn on_the_empty_name(operand: &Value<'_>) -> Result<Filter> {
    let mut doc = DocBuilder::new();
    doc.push("", *operand);
    Filter::parse(RawDoc::from_validated(&doc.finish()))
}

/// `$not` is no operator here; MongoDB takes it for the name of a field and refuses that.
fn takes_a_path(name: &str) -> bool {
    crate::query::operators::of_field(name).is_some() && name != "$not" && name != "$where"
}

/// `{$pullAll: {path: [value, …]}}`.
pub fn parse_pull_all(_: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>> {
    let Value::Array(values) = operand else {
        let kind = operand.kind().alias();
        let text = format!("$pullAll requires an array argument but was given a {kind}");
        return Err(Error::new(Code::BadValue, text));
    };
    Ok(Arc::new(Pull::Equal(values.iter().map(|value| OwnedValue::new(&value)).collect())))
}

#[cfg(test)]
mod tests {
    use crate::update::tests::check;

    #[test]
    fn what_matches_goes() {
        let doc = |x: &str| format!(r#"{{"_id": 1, "x": {x}}}"#);
        check(
            &doc(r#"[1, 2, 2.0, {"y": 1, "z": 2}, null, [1], "s"]"#),
            &[
                (r#"{"$pull": {"x": 2}}"#, &doc(r#"[1, {"y": 1, "z": 2}, null, [1], "s"]"#)),
                (r#"{"$pull": {"x": {"y": 1}}}"#, &doc(r#"[1, 2, 2.0, null, [1], "s"]"#)),
                (r#"{"$pull": {"x": {"$gt": 1}}}"#, &doc(r#"[1, {"y": 1, "z": 2}, null, [1], "s"]"#)),
                (r#"{"$pull": {"x": {"$in": [1, "s"]}}}"#, &doc(r#"[2, 2.0, {"y": 1, "z": 2}, null]"#)),
                (r#"{"$pull": {"x": [1]}}"#, &doc(r#"[1, 2, 2.0, {"y": 1, "z": 2}, null, "s"]"#)),
                (r#"{"$pull": {"x": 9, "q": 1}}"#, "same"),
                (r#"{"$pullAll": {"x": [1, 2, null]}}"#, &doc(r#"[{"y": 1, "z": 2}, [1], "s"]"#)),
                (r#"{"$pull": {"_id": 1}}"#, "2: Cannot apply $pull to a non-array value"),
                (r#"{"$pullAll": {"x": 1}}"#, "2: $pullAll requires an array argument but was given a int"),
            ],
        );
    }
}

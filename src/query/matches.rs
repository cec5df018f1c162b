//! Evaluating a filter on a document.
//!
//! Invariants
//! 1. Nothing is allocated.
//! 2. A path of one component, which most are, is a scan for one name; only dotted ones take the general walk.

use super::ast::{Comparison, Expr, Filter, Test};
use crate::bson::order::{canonical_type, compare};
use crate::bson::path::{LeafArrays, Path, walk};
use crate::bson::{RawDoc, Type, Value};
use std::cmp::Ordering;
use std::ops::ControlFlow;

impl Filter {
    /// Whether a document matches.
    pub fn matches(&self, doc: RawDoc<'_>) -> bool {
        self.root.matches(doc)
    }
}

impl Expr {
    /// Whether a document matches.
    pub fn matches(&self, doc: RawDoc<'_>) -> bool {
        match self {
            Expr::And(parts) => parts.iter().all(|part| part.matches(doc)),
            Expr::Or(parts) => parts.iter().any(|part| part.matches(doc)),
            Expr::Nor(parts) => !parts.iter().any(|part| part.matches(doc)),
            Expr::Not(part) => !part.matches(doc),
            Expr::Leaf { path, test } => test.matches_at(doc, path),
            Expr::AlwaysTrue => true,
            Expr::AlwaysFalse => false,
        }
    }

    /// Whether a value passes as an element under a value `$elemMatch`: leaves test the value itself.
    pub fn passes(&self, value: &Value<'_>) -> bool {
        match self {
            Expr::And(parts) => parts.iter().all(|part| part.passes(value)),
            Expr::Or(parts) => parts.iter().any(|part| part.passes(value)),
            Expr::Nor(parts) => !parts.iter().any(|part| part.passes(value)),
            Expr::Not(part) => !part.passes(value),
            Expr::Leaf { test, .. } => test.passes(Some(value)),
            Expr::AlwaysTrue => true,
            Expr::AlwaysFalse => false,
        }
    }
}

impl Test {
    /// Whether one of the values at `path` passes.
    pub fn matches_at(&self, doc: RawDoc<'_>, path: &Path) -> bool {
        if path.part_count() > 1 {
            let leaf = if self.looks_into_last_array() { LeafArrays::Expand } else { LeafArrays::Whole };
            let mut visit = |found: crate::bson::path::Found<'_>| {
                if self.passes(found.value.as_ref()) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            return walk(doc, path, leaf, &mut visit).is_break();
        }
        match doc.get_bytes(path.as_str().as_bytes()) {
            Some(Value::Array(array)) if self.looks_into_last_array() => {
                array.iter().any(|value| self.passes(Some(&value))) || self.passes(Some(&Value::Array(array)))
            }
            value => self.passes(value.as_ref()),
        }
    }

    /// Whether one value passes; `None` is a missing one.
    pub fn passes(&self, value: Option<&Value<'_>>) -> bool {
        match self {
            Test::Compare(relation, operand) => relation.holds(value, &operand.get()),
            Test::In(set) => set.has(value),
            Test::Exists => value.is_some(),
            Test::Type(types) => value.is_some_and(|value| types.has(value.kind())),
            Test::ElemMatchDocument(filter) => elements(value).any(|element| match element {
                Value::Document(doc) => filter.matches(doc),
                Value::Array(array) => filter.matches(array.as_document()),
                _ => false,
            }),
            Test::ElemMatchValue(tests) => elements(value).any(|element| tests.passes(&element)),
            Test::Value(test) => test.passes(value),
        }
    }
}

fn elements<'a>(value: Option<&Value<'a>>) -> impl Iterator<Item = Value<'a>> {
    value.and_then(|value| value.as_array()).into_iter().flat_map(|array| array.iter())
}

impl Comparison {
    /// Whether `value` stands in this relation to `operand`; `None` is a missing value.
    ///
    /// Values of another type bracket than the operand never do, except: null, undefined and missing are alike, and
    /// everything, a missing value too, is above MinKey and below MaxKey. NaN is equal to NaN and in no order with
    /// others.
    pub fn holds(self, value: Option<&Value<'_>>, operand: &Value<'_>) -> bool {
        match (value, operand) {
            // The everyday cases, before the tower of types.
            (Some(Value::Int32(x)), Value::Int32(y)) => return self.is(x.cmp(y)),
            (Some(Value::String(x)), Value::String(y)) if self == Comparison::Eq => return x == y,
            (Some(Value::ObjectId(x)), Value::ObjectId(y)) => return self.is(x.cmp(y)),
            _ => {}
        }
        let or_equal = matches!(self, Comparison::Eq | Comparison::Lte | Comparison::Gte);
        let bracket = |value: &Value<'_>| canonical_type(value.kind());
        let same_bracket = value.is_some_and(|value| bracket(value) == bracket(operand));
        let Some(value) = value.filter(|_| same_bracket) else {
            let kind = value.map_or(Type::Undefined, |value| value.kind());
            return match operand {
                Value::Null => kind == Type::Undefined && or_equal,
                Value::Undefined => kind == Type::Null && or_equal,
                Value::MinKey => matches!(self, Comparison::Gt | Comparison::Gte),
                Value::MaxKey => matches!(self, Comparison::Lt | Comparison::Lte),
                _ => false,
            };
        };
        if operand.is_number() {
            match (is_nan(value), is_nan(operand)) {
                (false, false) => {}
                (left, right) => return left && right && or_equal,
            }
        }
        self.is(compare(value, operand))
    }

    /// Whether this relation is the one of two values in that order.
    fn is(self, order: Ordering) -> bool {
        match self {
            Comparison::Eq => order == Ordering::Equal,
            Comparison::Lt => order == Ordering::Less,
            Comparison::Lte => order != Ordering::Greater,
            Comparison::Gt => order == Ordering::Greater,
            Comparison::Gte => order != Ordering::Less,
        }
    }
}

fn is_nan(value: &Value<'_>) -> bool {
    match value {
        Value::Double(v) => v.is_nan(),
        Value::Decimal128(bytes) => crate::bson::decimal128::Decimal128::from_bytes(*bytes).is_nan(),
        _ => false,
    }
}

//! Evaluating a filter on a document.
//!
//! Invariants
//! 1. Nothing is allocated.
//! 2. A path of one component, which most are, is a scan for one name; only dotted ones take the general walk.
//! 3. The parts of a conjunction that test fields at the top share one scan.

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
            Expr::And(parts) => all_match(parts, doc),
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

/// How many tests of one conjunction share a scan.
const SHARED_MAX: usize = 8;

/// A test of a field at the top.
#[derive(Clone, Copy)]
struct TopTest<'e> {
    name: &'e [u8],
    test: &'e Test,
    must_fail: bool,
}

impl<'e> TopTest<'e> {
    fn of(expr: &'e Expr) -> Option<TopTest<'e>> {
        let (leaf, must_fail) = match expr {
            Expr::Not(inner) => (&**inner, true),
            other => (other, false),
        };
        match leaf {
            Expr::Leaf { path, test } if path.part_count() == 1 => {
                Some(TopTest { name: path.as_str().as_bytes(), test, must_fail })
            }
            _ => None,
        }
    }
}

/// Whether all parts of a conjunction match: those that test fields at the top in one scan, then the others.
fn all_match(parts: &[Expr], doc: RawDoc<'_>) -> bool {
    let mut tests = [None; SHARED_MAX];
    let mut count = 0;
    for test in parts.iter().filter_map(TopTest::of).take(SHARED_MAX) {
        tests[count] = Some(test);
        count += 1;
    }
    if count < 2 {
        return parts.iter().all(|part| part.matches(doc));
    }
    // The first `count` wait for their fields.
    let mut is_refused = false;
    doc.visit_fields(&mut |field| {
        let mut i = 0;
        while i < count {
            match tests[i] {
                Some(TopTest { name, test, must_fail }) if field.is_named(name) => {
                    is_refused |= test.matches_value(field.value()) == must_fail;
                    count -= 1;
                    tests[i] = tests[count];
                }
                _ => i += 1,
            }
        }
        if count == 0 || is_refused { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    // What waits still is not there.
    let missing_passes = |top: &TopTest<'_>| top.test.passes(None) != top.must_fail;
    let mut shared = 0;
    !is_refused
        && tests[..count].iter().flatten().all(missing_passes)
        && parts.iter().all(|part| {
            let was_shared = shared < SHARED_MAX && TopTest::of(part).is_some();
            shared += usize::from(was_shared);
            was_shared || part.matches(doc)
        })
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
        self.matches_value(doc.get_bytes(path.as_str().as_bytes()))
    }

    /// Whether the value at the end of a path passes, or, if it is an array, one of its elements.
    fn matches_value(&self, value: Option<Value<'_>>) -> bool {
        match value {
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
            (Some(Value::Bool(x)), Value::Bool(y)) => return self.is(x.cmp(y)),
            (Some(Value::DateTime(x)), Value::DateTime(y)) => return self.is(x.cmp(y)),
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

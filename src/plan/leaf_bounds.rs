//! What one predicate leaves of the keys of its path.
//!
//! Rules
//! 1. Bounds are never too narrow: a document that matches has a key in them. Which documents those are is decided by
//!    the filter again, unless the bounds are exact.
//! 2. Bounds are exact if a document matches just when one of its keys is in them. Only of exact bounds may the
//!    complement be taken: a document that does not match has no key in them, so all its keys are in the complement.
//! 3. Ranges stay in the operand's type bracket, as comparisons do.
//! 4. An array has its elements as keys, never itself as a whole, unless it is an element: so nothing follows for the
//!    keys from an order relation with an array.

use super::interval::{self, End, Interval};
use crate::bson::decimal128::Decimal128;
use crate::bson::raw::EMPTY_DOCUMENT;
use crate::bson::{RawArray, RawDoc, Type, Value};
use crate::query::{Comparison, Expr, Test};

/// The bounds of a predicate.
#[derive(Clone, Debug)]
pub struct Bounds {
    pub intervals: Vec<Interval>,
    pub exact: bool,
    /// Whether the predicate is a negation: of a document with several keys one in the bounds proves nothing then.
    pub negated: bool,
    /// Whether the predicate is worth an index by itself: it does not just leave out a little.
    pub selective: bool,
}

impl Bounds {
    fn exact(intervals: Vec<Interval>) -> Bounds {
        Bounds { intervals, exact: true, negated: false, selective: true }
    }

    fn inexact(intervals: Vec<Interval>) -> Bounds {
        Bounds { intervals, exact: false, negated: false, selective: true }
    }

    fn all() -> Bounds {
        Bounds { intervals: vec![Interval::all()], exact: false, negated: false, selective: false }
    }

    /// The bounds of a test of the values at a path; `None` where an index says nothing.
    pub fn of_test(test: &Test) -> Option<Bounds> {
        let bounds = match test {
            Test::Compare(Comparison::Eq, value) => equal(&value.get()),
            Test::Compare(relation, value) => ordered(*relation, &value.get()),
            Test::In(set) => {
                let parts: Vec<Bounds> = set.values().iter().map(|value| equal(&value.get())).collect();
                let exact = parts.iter().all(|part| part.exact);
                let intervals = parts.into_iter().flat_map(|part| part.intervals).collect();
                Bounds { exact, ..Bounds::inexact(interval::union(intervals)) }
            }
            Test::Exists => Bounds::all(),
            Test::Type(types) => of_types(&types.types),
            Test::ElemMatchValue(tests) => Bounds { exact: false, ..of_element(tests)? },
            Test::ElemMatchDocument(_) | Test::Value(_) => return None,
        };
        Some(bounds)
    }

    /// The bounds on a path with a part that is a number, so a name and an index. What is found by both readings has a
    /// key, but a value that is missing by one of them need not have the key null.
    pub fn of_ambiguous_path(self) -> Bounds {
        let may_be_missing = |interval: &Interval| {
            let nulls = [Interval::point(&Value::Undefined), Interval::point(&Value::Null)];
            !interval::intersection(std::slice::from_ref(interval), &nulls).is_empty()
        };
        match self.negated || self.intervals.iter().any(may_be_missing) {
            true => Bounds::all(),
            false => Bounds { exact: false, ..self },
        }
    }

    /// The bounds of a negated test.
    pub fn of_negation(test: &Test) -> Option<Bounds> {
        if matches!(test, Test::Exists) {
            // A missing value has the key null.
            return Some(Bounds::inexact(vec![Interval::point(&Value::Null)]));
        }
        let bounds = Bounds::of_test(test)?;
        bounds.exact.then(|| Bounds {
            intervals: interval::complement(&bounds.intervals),
            exact: true,
            negated: true,
            selective: false,
        })
    }
}

/// The bounds of the tests that an element of an array passes: all on one value, so they are intersected.
fn of_element(tests: &Expr) -> Option<Bounds> {
    let parts = match tests {
        Expr::And(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let mut found: Option<Bounds> = None;
    for part in parts {
        let bounds = match part {
            Expr::Leaf { test, .. } => Bounds::of_test(test),
            Expr::Not(inner) => match &**inner {
                Expr::Leaf { test, .. } => Bounds::of_negation(test),
                _ => None,
            },
            _ => None,
        };
        let Some(bounds) = bounds else { continue };
        found = Some(match found {
            None => bounds,
            Some(known) => Bounds {
                intervals: interval::intersection(&known.intervals, &bounds.intervals),
                exact: false,
                negated: false,
                selective: known.selective || bounds.selective,
            },
        });
    }
    found
}

fn equal(value: &Value<'_>) -> Bounds {
    match value {
        // Missing and undefined values equal null.
        Value::Null | Value::Undefined => {
            Bounds::inexact(vec![Interval::point(&Value::Undefined), Interval::point(&Value::Null)])
        }
        // An array equals as a whole, but its keys are its elements.
        Value::Array(array) => {
            let first = array.get(0).unwrap_or(Value::Undefined);
            let points = vec![Interval::point(&first), Interval::point(value)];
            Bounds::inexact(interval::union(points))
        }
        value => Bounds::exact(vec![Interval::point(value)]),
    }
}

fn ordered(relation: Comparison, value: &Value<'_>) -> Bounds {
    let or_equal = matches!(relation, Comparison::Lte | Comparison::Gte);
    match value {
        Value::Null | Value::Undefined if or_equal => return equal(value),
        Value::Null => return Bounds::exact(Vec::new()),
        Value::Array(_) | Value::MinKey | Value::MaxKey | Value::Undefined => return Bounds::all(),
        value if is_nan(value) => {
            let points = if or_equal { vec![Interval::point(value)] } else { Vec::new() };
            return Bounds::exact(points);
        }
        _ => {}
    }
    let Some((lowest, highest)) = bracket(value.kind()) else { return Bounds::all() };
    let own = End { value: value.into(), inclusive: or_equal };
    let interval = match relation {
        Comparison::Lt | Comparison::Lte => Interval { low: lowest, high: own },
        _ => Interval { low: own, high: highest },
    };
    Bounds::exact(interval::union(vec![interval]))
}

/// The ends of the values that compare with those of a type, NaN left out; `None` where we name none.
fn bracket(kind: Type) -> Option<(End, End)> {
    let empty_array = Value::Array(RawArray::from_validated(EMPTY_DOCUMENT.as_bytes()));
    let empty_binary = Value::Binary { subtype: 0, bytes: &[] };
    Some(match kind {
        Type::Int32 | Type::Int64 | Type::Double | Type::Decimal128 => {
            (End::closed(&Value::Double(f64::NEG_INFINITY)), End::closed(&Value::Double(f64::INFINITY)))
        }
        Type::String | Type::Symbol => {
            (End::closed(&Value::String("".into())), End::open(&Value::Document(EMPTY_DOCUMENT)))
        }
        Type::Document => (End::closed(&Value::Document(EMPTY_DOCUMENT)), End::open(&empty_array)),
        Type::Binary => (End::closed(&empty_binary), End::open(&Value::ObjectId([0; 12]))),
        Type::ObjectId => (End::closed(&Value::ObjectId([0; 12])), End::closed(&Value::ObjectId([0xFF; 12]))),
        Type::Bool => (End::closed(&Value::Bool(false)), End::closed(&Value::Bool(true))),
        Type::DateTime => (End::closed(&Value::DateTime(i64::MIN)), End::closed(&Value::DateTime(i64::MAX))),
        Type::Timestamp => (End::closed(&Value::Timestamp(0)), End::closed(&Value::Timestamp(u64::MAX))),
        _ => return None,
    })
}

fn of_types(types: &[Type]) -> Bounds {
    let mut intervals = Vec::new();
    for kind in types {
        match kind {
            Type::Null => intervals.push(Interval::point(&Value::Null)),
            Type::MinKey => intervals.push(Interval::point(&Value::MinKey)),
            Type::MaxKey => intervals.push(Interval::point(&Value::MaxKey)),
            Type::Int32 | Type::Int64 | Type::Double | Type::Decimal128 => intervals.push(Interval {
                low: End::closed(&Value::Double(f64::NAN)),
                high: End::closed(&Value::Double(f64::INFINITY)),
            }),
            other => match bracket(*other) {
                Some((low, high)) => intervals.push(Interval { low, high }),
                None => return Bounds::all(),
            },
        }
    }
    Bounds::inexact(interval::union(intervals))
}

fn is_nan(value: &Value<'_>) -> bool {
    match value {
        Value::Double(v) => v.is_nan(),
        Value::Decimal128(bytes) => Decimal128::from_bytes(*bytes).is_nan(),
        _ => false,
    }
}

/// The value of `{_id: value}` if the filter is just that and its value stands for itself alone: the plan of a single
/// document by its key, found without parsing the filter.
pub fn id_equality<'a>(filter: RawDoc<'a>) -> Option<Value<'a>> {
    let mut elements = filter.iter();
    let only = elements.next().filter(|element| element.name == "_id")?;
    if elements.next().is_some() {
        return None;
    }
    match only.value {
        Value::Null | Value::Undefined | Value::Array(_) | Value::Regex { .. } => None,
        Value::Document(doc) if doc.first().is_some_and(|first| first.name.as_bytes().starts_with(b"$")) => {
            None
        }
        value => Some(value),
    }
}

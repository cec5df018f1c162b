//! MongoDB's total order over all values, and the equality that follows from it.
//!
//! Source of the rules: the manual's "Comparison/Sort Order", and the behaviour of mongod.
//!
//! Invariants
//! 1. A total order: antisymmetric and transitive over every value, NaN and the forms of Decimal128 included. Numbers
//!    compare by exact value; no operand is rounded to the type of the other.
//! 2. No allocation. Nesting is bounded by the validated document.
//! 3. Deliberately absent: collation, and the rule that a missing value sorts as null (the callers put null there).

use super::decimal128::Decimal128;
use super::raw::{RawArray, RawDoc, Type, Value};
use std::cmp::Ordering;

/// The direction of a sort or index field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    /// The order as the direction turns it.
    pub fn apply(self, order: Ordering) -> Ordering {
        match self {
            Direction::Ascending => order,
            Direction::Descending => order.reverse(),
        }
    }
}

/// The rank of a type in the order across types. Types of one rank compare by value: all numbers, string and symbol.
pub fn canonical_type(kind: Type) -> u8 {
    match kind {
        Type::MinKey => 0,
        Type::Undefined => 1,
        Type::Null => 5,
        Type::Int32 | Type::Int64 | Type::Double | Type::Decimal128 => 10,
        Type::String | Type::Symbol => 15,
        Type::Document => 20,
        Type::Array => 25,
        Type::Binary => 30,
        Type::ObjectId => 35,
        Type::Bool => 40,
        Type::DateTime => 45,
        Type::Timestamp => 47,
        Type::Regex => 50,
        Type::DbPointer => 55,
        Type::Code => 60,
        Type::CodeWithScope => 65,
        Type::MaxKey => 127,
    }
}

/// The order of two values of any types.
pub fn compare(a: &Value<'_>, b: &Value<'_>) -> Ordering {
    match (a, b) {
        (Value::String(x) | Value::Symbol(x), Value::String(y) | Value::Symbol(y)) => x.cmp(y),
        (Value::ObjectId(x), Value::ObjectId(y)) => x.cmp(y),
        (Value::Document(x), Value::Document(y)) => compare_docs(*x, *y),
        (Value::Array(x), Value::Array(y)) => compare_arrays(*x, *y),
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::DateTime(x), Value::DateTime(y)) => x.cmp(y),
        (Value::Timestamp(x), Value::Timestamp(y)) => x.cmp(y),
        (Value::Binary { subtype: s, bytes: x }, Value::Binary { subtype: t, bytes: y }) => {
            x.len().cmp(&y.len()).then(s.cmp(t)).then_with(|| x.cmp(y))
        }
        (Value::Regex { pattern: p, options: o }, Value::Regex { pattern: q, options: r }) => {
            p.cmp(q).then_with(|| o.cmp(r))
        }
        (Value::DbPointer { namespace: n, id: i }, Value::DbPointer { namespace: m, id: j }) => {
            n.len().cmp(&m.len()).then_with(|| n.cmp(m)).then_with(|| i.cmp(j))
        }
        (Value::Code(x), Value::Code(y)) => x.cmp(y),
        (Value::CodeWithScope { code: x, scope: s }, Value::CodeWithScope { code: y, scope: t }) => {
            x.cmp(y).then_with(|| compare_docs(*s, *t))
        }
        _ if a.is_number() && b.is_number() => compare_numbers(a, b),
        _ => canonical_type(a.kind()).cmp(&canonical_type(b.kind())),
    }
}

/// Whether the values are the same to MongoDB: 1 and 1.0 are, and documents with fields in another order are not.
pub fn equal(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (a, b) {
        (Value::String(x) | Value::Symbol(x), Value::String(y) | Value::Symbol(y)) => x == y,
        _ => compare(a, b) == Ordering::Equal,
    }
}

/// The order of two documents: field by field in stored order, by type, then name, then value; the shorter first.
pub fn compare_docs(a: RawDoc<'_>, b: RawDoc<'_>) -> Ordering {
    let (mut left, mut right) = (a.iter(), b.iter());
    loop {
        let (x, y) = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => (x, y),
        };
        let order = canonical_type(x.value.kind())
            .cmp(&canonical_type(y.value.kind()))
            .then_with(|| x.name.cmp(&y.name))
            .then_with(|| compare(&x.value, &y.value));
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The order of two arrays: element by element, the shorter first.
pub fn compare_arrays(a: RawArray<'_>, b: RawArray<'_>) -> Ordering {
    let (mut left, mut right) = (a.iter(), b.iter());
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => compare(&x, &y),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The order of two numbers by exact value: NaN lowest and equal to itself, −0 = 0. Both values must be numbers.
pub fn compare_numbers(a: &Value<'_>, b: &Value<'_>) -> Ordering {
    match (integer_of(a), integer_of(b)) {
        (Some(x), Some(y)) => return x.cmp(&y),
        (Some(x), None) => return compare_to_integer(b, x).reverse(),
        (None, Some(y)) => return compare_to_integer(a, y),
        (None, None) => {}
    }
    match (a, b) {
        (Value::Double(x), Value::Double(y)) => compare_doubles(*x, *y),
        (Value::Decimal128(x), Value::Double(y)) => Decimal128::from_bytes(*x).compare_f64(*y),
        (Value::Double(x), Value::Decimal128(y)) => Decimal128::from_bytes(*y).compare_f64(*x).reverse(),
        (Value::Decimal128(x), Value::Decimal128(y)) => {
            Decimal128::from_bytes(*x).compare(Decimal128::from_bytes(*y))
        }
        _ => Ordering::Equal,
    }
}

/// The order of two doubles, NaN lowest.
pub fn compare_doubles(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}

/// The order of a double against an integer, exact.
pub fn compare_double_to_integer(double: f64, integer: i64) -> Ordering {
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    if double.is_nan() || double < -TWO_63 {
        return Ordering::Less;
    }
    if double >= TWO_63 {
        return Ordering::Greater;
    }
    // In range, so the cast cuts off the fraction and nothing else; the fraction decides a tie.
    let whole = double as i64;
    whole.cmp(&integer).then_with(|| compare_doubles(double, whole as f64))
}

fn integer_of(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Int32(n) => Some(i64::from(*n)),
        Value::Int64(n) => Some(*n),
        _ => None,
    }
}

fn compare_to_integer(number: &Value<'_>, integer: i64) -> Ordering {
    match number {
        Value::Double(double) => compare_double_to_integer(*double, integer),
        Value::Decimal128(bytes) => Decimal128::from_bytes(*bytes).compare_i64(integer),
        _ => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bson::{ArrayBuilder, DocBuilder, Str};
    use std::cmp::Ordering::{Equal, Greater, Less};

    fn decimal(coefficient: u128, exponent: i32) -> Value<'static> {
        Value::Decimal128(Decimal128::finite_unchecked(false, coefficient, exponent).to_bytes())
    }

    /// Every entry is above the one before it; entries of one inner list are equal.
    #[test]
    fn the_order_across_and_within_types() {
        let empty = DocBuilder::new().finish();
        let mut doc = DocBuilder::new();
        doc.push("a", 1);
        let a1 = doc.finish();
        let mut doc = DocBuilder::new();
        doc.push("b", 0);
        let b0 = doc.finish();
        let mut doc = DocBuilder::new();
        doc.push("a", "x");
        let a_text = doc.finish();
        let mut list = ArrayBuilder::new();
        list.push(1).push(2.0);
        let list12 = list.finish();
        let mut list = ArrayBuilder::new();
        list.push(1).push(2).push(Value::Null);
        let list12n = list.finish();
        let code = |text| Value::Code(Str::from(text));
        let scoped = |text, scope| Value::CodeWithScope { code: Str::from(text), scope };
        let doc = RawDoc::from_validated;
        let binary = |subtype, bytes| Value::Binary { subtype, bytes };
        let steps: Vec<Vec<Value>> = vec![
            vec![Value::MinKey],
            vec![Value::Undefined],
            vec![Value::Null],
            vec![Value::Double(f64::NAN), Value::Decimal128(Decimal128::NAN.to_bytes())],
            vec![Value::Double(f64::NEG_INFINITY), Value::Decimal128(Decimal128::NEG_INFINITY.to_bytes())],
            vec![Value::Double(f64::MIN)],
            vec![Value::Int64(i64::MIN), Value::Double(i64::MIN as f64)],
            vec![Value::Int32(-1)],
            vec![Value::Int32(0), Value::Double(-0.0), decimal(0, 5), decimal(0, -6176)],
            vec![decimal(1, -6176)],
            vec![Value::Double(5e-324)],
            vec![decimal(1, -1)],
            vec![Value::Double(0.1)],
            vec![Value::Int32(1), Value::Int64(1), Value::Double(1.0), decimal(1000, -3)],
            vec![Value::Int64((1 << 53) - 1)],
            vec![Value::Int64(1 << 53), Value::Double(9007199254740992.0)],
            vec![Value::Int64((1 << 53) + 1), decimal(9007199254740993, 0)],
            vec![decimal(90071992547409935, -1)],
            vec![Value::Double(9007199254740994.0)],
            vec![Value::Int64(i64::MAX)],
            vec![Value::Double(9223372036854775808.0), decimal(9223372036854775808, 0)],
            vec![Value::Double(f64::MAX)],
            vec![decimal(1, 400)],
            vec![Value::Double(f64::INFINITY), Value::Decimal128(Decimal128::INFINITY.to_bytes())],
            vec!["".into(), Value::Symbol(Str::from(""))],
            vec!["a".into()],
            vec!["a\0".into()],
            vec!["ab".into()],
            vec!["b".into(), Value::Symbol(Str::from("b"))],
            vec!["é".into()],
            vec![Value::Document(doc(&empty))],
            vec![Value::Document(doc(&a1))],
            vec![Value::Document(doc(&b0))],
            vec![Value::Document(doc(&a_text))],
            vec![Value::Array(RawArray::from_validated(&empty))],
            vec![Value::Array(RawArray::from_validated(&list12))],
            vec![Value::Array(RawArray::from_validated(&list12n))],
            vec![binary(5, b"")],
            vec![binary(0, b"z")],
            vec![binary(1, b"a")],
            vec![binary(0x80, b"a")],
            vec![binary(0, b"aa")],
            vec![Value::ObjectId([0; 12])],
            vec![Value::ObjectId([0xFF; 12])],
            vec![Value::Bool(false)],
            vec![Value::Bool(true)],
            vec![Value::DateTime(-1)],
            vec![Value::DateTime(0)],
            vec![Value::Timestamp(0)],
            vec![Value::Timestamp(u64::MAX)],
            vec![Value::Regex { pattern: Str::from("a"), options: Str::from("") }],
            vec![Value::Regex { pattern: Str::from("a"), options: Str::from("i") }],
            vec![Value::Regex { pattern: Str::from("b"), options: Str::from("") }],
            vec![Value::DbPointer { namespace: Str::from("b"), id: [9; 12] }],
            vec![Value::DbPointer { namespace: Str::from("aa"), id: [0; 12] }],
            vec![Value::DbPointer { namespace: Str::from("aa"), id: [1; 12] }],
            vec![code("")],
            vec![code("b")],
            vec![scoped("", doc(&b0))],
            vec![scoped("a", doc(&empty))],
            vec![scoped("a", doc(&a1))],
            vec![Value::MaxKey],
        ];
        for (i, x) in steps.iter().enumerate() {
            for (j, y) in steps.iter().enumerate() {
                for (v, w) in x.iter().flat_map(|v| y.iter().map(move |w| (v, w))) {
                    assert_eq!(compare(v, w), i.cmp(&j), "{v:?} {w:?}");
                    assert_eq!(equal(v, w), i == j, "{v:?} {w:?}");
                }
            }
        }
    }

    #[test]
    fn doubles_against_integers() {
        assert_eq!(compare_double_to_integer(f64::NAN, i64::MIN), Less);
        assert_eq!(compare_double_to_integer(-9223372036854775808.0, i64::MIN), Equal);
        assert_eq!(compare_double_to_integer(9223372036854775808.0, i64::MAX), Greater);
        assert_eq!(compare_double_to_integer(-1.5, -1), Less);
        assert_eq!(compare_double_to_integer(-0.5, 0), Less);
        assert_eq!(compare_double_to_integer(0.5, 0), Greater);
        assert_eq!(compare_double_to_integer(-0.0, 0), Equal);
        assert_eq!(compare_double_to_integer(9007199254740992.0, 9007199254740993), Less);
    }
}

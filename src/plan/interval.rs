//! Intervals of values: what a predicate leaves of one index field.
//!
//! Invariants
//! 1. A list of intervals is in ascending order of values and its intervals are disjoint and not empty, whatever the
//!    direction of the index field; turning happens when keys are encoded or bounds are shown.
//! 2. Values compare as index keys do: `bson::order`.

use crate::bson::Value;
use crate::bson::order::{Direction, compare};
use crate::query::{OwnedValue, show};
use crate::sorted::sort_by;
use std::cmp::Ordering;

/// One end of an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub value: OwnedValue,
    pub inclusive: bool,
}

/// The values between two ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    pub low: End,
    pub high: End,
}

impl End {
    /// An end that belongs to the interval.
    pub fn closed(value: &Value<'_>) -> End {
        End { value: OwnedValue::new(value), inclusive: true }
    }

    /// An end that does not.
    pub fn open(value: &Value<'_>) -> End {
        End { value: OwnedValue::new(value), inclusive: false }
    }

    fn turned(&self) -> End {
        End { value: self.value.clone(), inclusive: !self.inclusive }
    }
}

/// The order of two lower ends: the one that lets in more is first.
fn compare_low(a: &End, b: &End) -> Ordering {
    compare(&a.value.get(), &b.value.get()).then(b.inclusive.cmp(&a.inclusive))
}

/// The order of two upper ends: the one that lets in less is first.
fn compare_high(a: &End, b: &End) -> Ordering {
    compare(&a.value.get(), &b.value.get()).then(a.inclusive.cmp(&b.inclusive))
}

impl Interval {
    /// One value.
    pub fn point(value: &Value<'_>) -> Interval {
        Interval { low: End::closed(value), high: End::closed(value) }
    }

    /// Every value there is.
    pub fn all() -> Interval {
        Interval { low: End::closed(&Value::MinKey), high: End::closed(&Value::MaxKey) }
    }

    /// Whether it holds just one value.
    pub fn is_point(&self) -> bool {
        self.low.inclusive
            && self.high.inclusive
            && compare(&self.low.value.get(), &self.high.value.get()) == Ordering::Equal
    }

    /// Whether it holds every value.
    pub fn is_all(&self) -> bool {
        matches!((self.low.value.get(), self.high.value.get()), (Value::MinKey, Value::MaxKey))
            && self.low.inclusive
            && self.high.inclusive
    }

    fn is_empty(&self) -> bool {
        match compare(&self.low.value.get(), &self.high.value.get()) {
            Ordering::Less => false,
            Ordering::Equal => !(self.low.inclusive && self.high.inclusive),
            Ordering::Greater => true,
        }
    }

    /// As explain shows it for a scan in this direction of values: `[1, 5)`, backwards `(5, 1]`.
    pub fn show(&self, direction: Direction) -> String {
        let (first, last) = match direction {
            Direction::Ascending => (&self.low, &self.high),
            Direction::Descending => (&self.high, &self.low),
        };
        let open = if first.inclusive { '[' } else { '(' };
        let close = if last.inclusive { ']' } else { ')' };
        format!("{open}{}, {}{close}", show::value(&first.value.get()), show::value(&last.value.get()))
    }
}

/// What is in both lists.
pub fn intersection(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let low = if compare_low(&x.low, &y.low) == Ordering::Less { &y.low } else { &x.low };
        let x_ends_first = compare_high(&x.high, &y.high) == Ordering::Less;
        let high = if x_ends_first { &x.high } else { &y.high };
        let both = Interval { low: low.clone(), high: high.clone() };
        if !both.is_empty() {
            out.push(both);
        }
        if x_ends_first { i += 1 } else { j += 1 }
    }
    out
}

/// What is in one of the intervals, which may come in any order and overlap.
pub fn union(mut all: Vec<Interval>) -> Vec<Interval> {
    all.retain(|interval| !interval.is_empty());
    sort_by(&mut all, |a, b| compare_low(&a.low, &b.low));
    let mut out: Vec<Interval> = Vec::with_capacity(all.len());
    for next in all {
        match out.last_mut() {
            Some(last) if touches(last, &next) => {
                if compare_high(&last.high, &next.high) == Ordering::Less {
                    last.high = next.high;
                }
            }
            _ => out.push(next),
        }
    }
    out
}

/// Whether `next`, which does not begin before `last`, overlaps it or begins just where it ends.
fn touches(last: &Interval, next: &Interval) -> bool {
    match compare(&next.low.value.get(), &last.high.value.get()) {
        Ordering::Less => true,
        Ordering::Equal => next.low.inclusive || last.high.inclusive,
        Ordering::Greater => false,
    }
}

/// Every value that is in none of the intervals of a list.
pub fn complement(list: &[Interval]) -> Vec<Interval> {
    let mut out = Vec::with_capacity(list.len() + 1);
    let mut low = End::closed(&Value::MinKey);
    for interval in list {
        out.push(Interval { low, high: interval.low.turned() });
        low = interval.high.turned();
    }
    out.push(Interval { low, high: End::closed(&Value::MaxKey) });
    out.retain(|interval| !interval.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: i32, low_in: bool, high: i32, high_in: bool) -> Interval {
        let end = |v, inclusive| End { value: OwnedValue::new(&Value::Int32(v)), inclusive };
        Interval { low: end(low, low_in), high: end(high, high_in) }
    }

    fn shown(list: &[Interval]) -> Vec<String> {
        list.iter().map(|interval| interval.show(Direction::Ascending)).collect()
    }

    #[test]
    fn intersects_ends_by_what_they_let_in() {
        let a = [range(1, true, 5, true), range(7, true, 9, true)];
        let b = [range(1, false, 5, false), range(5, true, 7, true)];
        assert_eq!(shown(&intersection(&a, &b)), ["(1, 5)", "[5, 5]", "[7, 7]"]);
        assert!(intersection(&[range(1, true, 2, false)], &[range(2, true, 3, true)]).is_empty());
    }

    #[test]
    fn joins_what_overlaps_or_touches() {
        let all = vec![range(5, false, 6, true), range(1, true, 5, true), range(8, true, 9, true)];
        assert_eq!(shown(&union(all)), ["[1, 6]", "[8, 9]"]);
        let apart = vec![range(1, true, 5, false), range(5, false, 6, true)];
        assert_eq!(shown(&union(apart)), ["[1, 5)", "(5, 6]"]);
    }

    #[test]
    fn the_complement_has_everything_else() {
        assert_eq!(shown(&complement(&[range(3, true, 3, true)])), ["[MinKey, 3)", "(3, MaxKey]"]);
        assert_eq!(shown(&complement(&[])), ["[MinKey, MaxKey]"]);
        assert!(complement(&[Interval::all()]).is_empty());
    }

    #[test]
    fn shows_backwards_turned() {
        assert_eq!(range(1, true, 5, false).show(Direction::Descending), "(5, 1]");
    }
}

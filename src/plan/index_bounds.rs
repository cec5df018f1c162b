//! What a filter leaves of an index: for each field a list of intervals, and these as encoded values.
//!
//! Rules
//! 1. Predicates on a path without arrays in any document are about one value: their intervals are intersected.
//! 2. On a path with arrays, two predicates may be met by two elements. Only those of one `$elemMatch` that is as deep as
//!    the last array are about one element, so only these are intersected; of others the best one is taken.
//! 3. Two fields of an index whose paths share an array have keys element by element. Both are bounded only by
//!    predicates of one `$elemMatch` that is as deep as the last shared array.
//! 4. A predicate is done with (not asked again of the document) if its bounds are exact and were used; a negation only
//!    on a path without arrays.
//!
//! Deliberately absent: which index to take (`choose`).

use super::interval::{self, Interval};
use super::leaf_bounds::Bounds;
use crate::bson::order::Direction;
use crate::catalog::Index;
use crate::key;
use crate::query::{Expr, Path, Test};
use std::cmp::Ordering;

/// An interval of one index field as encoded values, in the order of the index.
///
/// No encoding is a prefix of another, so what begins with the bytes of a value has that value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    pub low: KeyEnd,
    pub high: KeyEnd,
}

/// One end of a [`KeyRange`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEnd {
    /// The encoded value.
    pub value: Vec<u8>,
    pub inclusive: bool,
}

/// The bounds of one index field.
#[derive(Clone, Debug)]
pub struct FieldBounds {
    pub intervals: Vec<Interval>,
    /// Whether a predicate narrows the field.
    pub is_bounded: bool,
    /// Whether a predicate narrows it to less than almost everything.
    pub is_selective: bool,
}

/// The bounds of an index.
#[derive(Clone, Debug)]
pub struct IndexBounds {
    pub fields: Vec<FieldBounds>,
    /// The conjuncts that need not be asked of the document any more, by place.
    pub done: Vec<usize>,
}

/// An `$elemMatch` that a predicate stands in: the address of its filter in the AST, which tells it from others, and the
/// number of parts of its path.
type Group = (usize, usize);

/// A predicate on the path of an index field.
struct Predicate {
    conjunct: usize,
    /// From the outermost to the innermost.
    groups: Vec<Group>,
    bounds: Bounds,
}

impl Predicate {
    /// How much the predicate promises to narrow, to choose between those that may not be used together.
    fn rank(&self) -> u8 {
        match self.bounds.intervals.as_slice() {
            _ if !self.bounds.selective => 0,
            [] => 5,
            [one] if one.is_point() => 4,
            all if all.iter().all(Interval::is_point) => 3,
            _ if self.groups.is_empty() => 1,
            _ => 2,
        }
    }

    /// Whether both stand in one `$elemMatch` whose path has more than `parts_min` parts.
    fn shares_group(&self, other: &[Group], parts_min: usize) -> bool {
        self.groups.iter().any(|group| group.1 > parts_min && other.contains(group))
    }
}

/// The parts of a conjunction, or the expression as the only one.
pub fn conjuncts(expr: &Expr) -> &[Expr] {
    match expr {
        Expr::And(parts) => parts,
        other => std::slice::from_ref(other),
    }
}

impl IndexBounds {
    /// The bounds that a conjunction gives an index.
    pub fn new(index: &Index, filter: &Expr) -> IndexBounds {
        let mut fields: Vec<FieldBounds> = Vec::with_capacity(index.fields.len());
        // Of the fields bounded so far, the groups of the predicate that did it.
        let mut bounded: Vec<(usize, Vec<Group>)> = Vec::new();
        let mut done = Vec::new();
        for (place, path) in index.paths.iter().enumerate() {
            let mut found = Vec::new();
            for (conjunct, expr) in conjuncts(filter).iter().enumerate() {
                collect(expr, path.as_str(), conjunct, &mut Vec::new(), &mut found);
            }
            if path.has_array_index() {
                for predicate in &mut found {
                    predicate.bounds = predicate.bounds.clone().of_ambiguous_path();
                }
            }
            found.retain(|predicate| may_join(index, place, predicate, &bounded));
            let Some((intervals, selective, groups)) = combine(index, place, &found, &mut done) else {
                let all = vec![Interval::all()];
                fields.push(FieldBounds { intervals: all, is_bounded: false, is_selective: false });
                continue;
            };
            bounded.push((place, groups));
            fields.push(FieldBounds { intervals, is_bounded: true, is_selective: selective });
        }
        IndexBounds { fields, done }
    }

    /// How many leading fields are bound to a single value each.
    pub fn equal_fields(&self) -> usize {
        self.fields.iter().take_while(|field| field.is_single_point()).count()
    }
}

impl FieldBounds {
    /// Whether the field has one value only.
    pub fn is_single_point(&self) -> bool {
        matches!(self.intervals.as_slice(), [only] if only.is_point())
    }

    /// Whether the field may have any value.
    pub fn is_all(&self) -> bool {
        matches!(self.intervals.as_slice(), [only] if only.is_all())
    }

    /// The intervals as ranges of encoded values, in the order of the index.
    pub fn key_ranges(&self, direction: Direction) -> Vec<KeyRange> {
        let end = |end: &interval::End| {
            let mut value = Vec::new();
            key::encode_value(&end.value.get(), direction, &mut value);
            KeyEnd { value, inclusive: end.inclusive }
        };
        let encode = |interval: &Interval| match direction {
            Direction::Ascending => KeyRange { low: end(&interval.low), high: end(&interval.high) },
            Direction::Descending => KeyRange { low: end(&interval.high), high: end(&interval.low) },
        };
        let ranges = self.intervals.iter().map(encode);
        match direction {
            Direction::Ascending => ranges.collect(),
            Direction::Descending => ranges.rev().collect(),
        }
    }
}

impl KeyRange {
    /// Where the value of a field stands: before the range, in it, or behind it.
    pub fn place_of(&self, value: &[u8]) -> Ordering {
        match value.cmp(&self.low.value) {
            Ordering::Less => return Ordering::Less,
            Ordering::Equal if !self.low.inclusive => return Ordering::Less,
            _ => {}
        }
        match value.cmp(&self.high.value) {
            Ordering::Greater => Ordering::Greater,
            Ordering::Equal if !self.high.inclusive => Ordering::Greater,
            _ => Ordering::Equal,
        }
    }
}

impl KeyEnd {
    /// Appends the bytes before which all keys are below the range's values, if this is its lower end; those
    /// from which on all are above, if it is the upper.
    fn push_bound(&self, is_low: bool, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.value);
        if self.inclusive != is_low {
            // No value begins with FF, so there is a successor.
            let has_successor = key::prefix_successor(bytes);
            debug_assert!(has_successor);
        }
    }
}

/// The bounds of all keys whose first fields have the encoded values `prefix` and whose following fields are in these
/// ranges, one each: the lowest possible key, or the bytes above the highest.
pub fn corner<'r>(prefix: &[u8], ranges: impl Iterator<Item = &'r KeyRange>, is_low: bool) -> Vec<u8> {
    let mut bytes = prefix.to_vec();
    let mut ends = ranges.map(|range| if is_low { &range.low } else { &range.high }).peekable();
    while let Some(end) = ends.next() {
        // Keys that have this value are bounded by the next field's.
        if end.inclusive && ends.peek().is_some() {
            bytes.extend_from_slice(&end.value);
        } else {
            end.push_bound(is_low, &mut bytes);
            break;
        }
    }
    bytes
}

/// Finds the predicates of a conjunct on the path of an index field.
fn collect(expr: &Expr, field: &str, conjunct: usize, groups: &mut Vec<Group>, found: &mut Vec<Predicate>) {
    let mut add = |bounds: Option<Bounds>, groups: &[Group]| {
        let Some(mut bounds) = bounds else { return };
        bounds.exact &= groups.is_empty();
        found.push(Predicate { conjunct, groups: groups.to_vec(), bounds });
    };
    match expr {
        Expr::Leaf { path, test } if path.as_str() == field => add(Bounds::of_test(test), groups),
        Expr::Leaf { path, test: Test::ElemMatchDocument(filter) } => {
            let Some(rest) = field.strip_prefix(path.as_str()).and_then(|rest| rest.strip_prefix('.')) else {
                return;
            };
            // An element may be an array, whose fields are its indexes.
            if Path::parse(rest).has_array_index() {
                return;
            }
            let outer_parts = groups.last().map_or(0, |group| group.1);
            groups.push((std::ptr::from_ref::<Expr>(filter) as usize, outer_parts + path.part_count()));
            for inner in conjuncts(filter) {
                collect(inner, rest, conjunct, groups, found);
            }
            groups.pop();
        }
        Expr::Not(inner) => {
            if let Expr::Leaf { path, test } = &**inner
                && path.as_str() == field
            {
                add(Bounds::of_negation(test), groups);
            }
        }
        _ => {}
    }
}

/// Rule 3.
fn may_join(index: &Index, place: usize, predicate: &Predicate, bounded: &[(usize, Vec<Group>)]) -> bool {
    bounded.iter().all(|(other, groups)| match last_shared_array(index, place, *other) {
        None => true,
        Some(part) => predicate.shares_group(groups, part),
    })
}

/// The last part at which both paths lead through the same array.
fn last_shared_array(index: &Index, a: usize, b: usize) -> Option<usize> {
    let (left, right) = (&index.paths[a], &index.paths[b]);
    let others = index.multikey.parts_of(b);
    let is_shared = |part: &u16| {
        let parts = usize::from(*part) + 1;
        others.contains(part) && left.parts().take(parts).eq(right.parts().take(parts))
    };
    index.multikey.parts_of(a).iter().rev().find(|part| is_shared(part)).map(|part| usize::from(*part))
}

/// Rules 1, 2 and 4: the intervals, whether they are selective, and the groups they come from.
fn combine(
    index: &Index,
    place: usize,
    found: &[Predicate],
    done: &mut Vec<usize>,
) -> Option<(Vec<Interval>, bool, Vec<Group>)> {
    let best = found.iter().max_by_key(|predicate| predicate.rank())?;
    let last_array = index.multikey.parts_of(place).last().map(|part| usize::from(*part));
    let mut intervals = best.bounds.intervals.clone();
    let mut selective = best.bounds.selective;
    let mut used = |predicate: &Predicate| {
        let bounds = &predicate.bounds;
        if bounds.exact && !(bounds.negated && last_array.is_some()) {
            done.push(predicate.conjunct);
        }
    };
    used(best);
    for other in found.iter().filter(|other| !std::ptr::eq(*other, best)) {
        let of_one_value = match last_array {
            None => true,
            Some(part) => other.shares_group(&best.groups, part),
        };
        if of_one_value {
            intervals = interval::intersection(&intervals, &other.bounds.intervals);
            selective |= other.bounds.selective;
            used(other);
        }
    }
    Some((intervals, selective, best.groups.clone()))
}

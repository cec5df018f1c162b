//! The bounds of an index scan as bytes: which keys are inside, and where to go on from one that is not.
//!
//! Rules
//! 1. If the leading fields have one value each, the next one interval and the others none, the keys inside are those
//!    between two: nothing is read of a key.
//! 2. Otherwise each field of a key is looked up in its ranges. From the first one that is in none, the scan jumps to its
//!    next range, or, if there is none, to the next value of the fields before it.

use crate::bson::order::Direction;
use crate::catalog::Index;
use crate::key::{KeyReader, prefix_successor};
use crate::plan::{FieldBounds, IndexAccess, KeyRange, corner};
use std::cmp::Ordering;

/// The keys that a scan gives.
#[derive(Debug)]
pub(super) struct KeyBounds {
    direction: Direction,
    /// Where the scan begins: all keys before it, in the order of the scan, are outside.
    begin: Vec<u8>,
    /// The keys from the first on and below the second, if they are just those.
    range: Option<(Vec<u8>, Vec<u8>)>,
    fields: Vec<Field>,
}

/// The ranges of one field, in the order of the index.
#[derive(Debug)]
struct Field {
    direction: Direction,
    ranges: Vec<KeyRange>,
}

/// What a key is to a scan.
pub(super) enum Verdict {
    Inside,
    /// Outside; the next one that may be inside is behind this place.
    Seek(Vec<u8>),
    /// Outside, and so are all that follow.
    Done,
}

impl KeyBounds {
    pub fn new(index: &Index, access: &IndexAccess) -> KeyBounds {
        let fields: Vec<Field> = index
            .fields
            .iter()
            .zip(&access.fields)
            .map(|(field, bounds)| Field {
                direction: field.direction,
                ranges: bounds.key_ranges(field.direction),
            })
            .collect();
        let points = access.fields.iter().take_while(|field| field.is_single_point()).count();
        let mut behind = access.fields.iter().skip(points);
        let is_one_range =
            behind.next().is_none_or(|field| field.intervals.len() == 1) && behind.all(FieldBounds::is_all);
        let ends = |is_low| {
            let ranges = fields.iter().take(points + 1).filter_map(|field| field.ranges.first());
            corner(&[], ranges, is_low)
        };
        let mut bounds = KeyBounds {
            direction: access.direction,
            begin: Vec::new(),
            range: is_one_range.then(|| (ends(true), ends(false))),
            fields,
        };
        bounds.begin = bounds.edge(&[], 0, None);
        bounds
    }

    /// Whether no key is inside.
    pub fn is_empty(&self) -> bool {
        self.fields.iter().any(|field| field.ranges.is_empty())
    }

    /// Whether the keys inside are all those between two.
    pub fn is_one_range(&self) -> bool {
        self.range.is_some()
    }

    /// Where the scan begins.
    pub fn begin(&self) -> &[u8] {
        match (&self.range, self.direction) {
            (Some((low, _)), Direction::Ascending) => low,
            (Some((_, high)), Direction::Descending) => high,
            (None, _) => &self.begin,
        }
    }

    /// What a key is, that comes behind the place where the scan began or went on.
    pub fn check(&self, key: &[u8]) -> Verdict {
        let Some((low, high)) = &self.range else { return self.check_fields(key) };
        let is_inside = match self.direction {
            Direction::Ascending => key < high.as_slice(),
            Direction::Descending => key >= low.as_slice(),
        };
        if is_inside { Verdict::Inside } else { Verdict::Done }
    }

    fn check_fields(&self, key: &[u8]) -> Verdict {
        let forward = self.direction == Direction::Ascending;
        let mut reader = KeyReader::new(key, &[]);
        let mut value = Vec::new();
        // Whether some field before has a value behind its present one.
        let mut can_advance = false;
        for (place, Field { direction, ranges }) in self.fields.iter().enumerate() {
            let from = reader.offset();
            value.clear();
            if reader.value(*direction, &mut value).is_err() {
                // The document decides.
                return Verdict::Inside;
            }
            let field = &key[from..reader.offset()];
            let at = ranges.partition_point(|range| range.place_of(field) == Ordering::Greater);
            if let Some(range) = ranges.get(at)
                && range.place_of(field) == Ordering::Equal
            {
                let (last, is_last) = match forward {
                    true => (&range.high, at + 1 == ranges.len()),
                    false => (&range.low, at == 0),
                };
                can_advance |= !(is_last && last.inclusive && last.value == field);
                continue;
            }
            let next = if forward { (at < ranges.len()).then_some(at) } else { at.checked_sub(1) };
            let prefix = &key[..from];
            return match next {
                Some(next) => Verdict::Seek(self.edge(prefix, place, Some(next))),
                None if !can_advance => Verdict::Done,
                None if forward => {
                    let mut behind = prefix.to_vec();
                    if prefix_successor(&mut behind) { Verdict::Seek(behind) } else { Verdict::Done }
                }
                None => Verdict::Seek(prefix.to_vec()),
            };
        }
        Verdict::Inside
    }

    /// The place before the first keys, in the order of the scan, that begin with `prefix` and have their following
    /// fields inside: the one at `place` in its range `at`, or in its first one.
    fn edge(&self, prefix: &[u8], place: usize, at: Option<usize>) -> Vec<u8> {
        let is_low = self.direction == Direction::Ascending;
        let of = |field: &'_ Field| if is_low { 0 } else { field.ranges.len().wrapping_sub(1) };
        let ranges = self.fields.iter().enumerate().skip(place).filter_map(|(i, field)| {
            field.ranges.get(if i == place { at.unwrap_or(of(field)) } else { of(field) })
        });
        corner(prefix, ranges, is_low)
    }
}

//! Whether a scan of an index gives the order that a sort asks for.
//!
//! Rules
//! 1. Fields bound to one value have no order of their own: they are passed over, and a sort by one is no sort.
//! 2. A field that led through arrays gives no order: a document stands there at each of its elements.
//! 3. All fields of the sort run with the index, or all against it.

use super::index_bounds::FieldBounds;
use crate::bson::order::Direction;
use crate::catalog::Index;
use crate::query::SortPattern;

/// The direction of the scan that gives the order; `None` if neither does.
pub fn direction(index: &Index, bounds: &[FieldBounds], sort: &SortPattern) -> Option<Direction> {
    let SortPattern::Fields { paths, directions } = sort else { return None };
    let has_arrays = |place: usize| !index.multikey.parts_of(place).is_empty();
    let is_fixed = |place: usize| bounds[place].is_single_point();
    let mut place = 0;
    let mut scan = None;
    for (path, wanted) in paths.iter().zip(directions) {
        let is_named = |at: usize| index.fields[at].name == path.as_str();
        if (0..index.fields.len()).any(|at| is_named(at) && is_fixed(at) && !has_arrays(at)) {
            continue;
        }
        while place < index.fields.len() && !is_named(place) && is_fixed(place) {
            place += 1;
        }
        if place == index.fields.len() || !is_named(place) || has_arrays(place) {
            return None;
        }
        let needed = if index.fields[place].direction == *wanted {
            Direction::Ascending
        } else {
            Direction::Descending
        };
        if *scan.get_or_insert(needed) != needed {
            return None;
        }
        place += 1;
    }
    Some(scan.unwrap_or(Direction::Ascending))
}

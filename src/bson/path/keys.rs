//! The walk for index keys and sort keys: the tuples of values that a document has under one or several paths.
//!
//! Rules, as mongod generates keys
//! 1. A missing value, and a path that leads through a scalar, gives a null (`None` here, so that sparse indexes and
//!    type bits can tell it from a stored null).
//! 2. An array gives one key per element: at the end of a path the element itself (an array in an array stays whole),
//!    in the middle what the rest of the path finds in it, which is null for all that are no documents.
//! 3. An empty array gives undefined at the end of a path (there an array in an array is no exception), null in the
//!    middle.
//! 4. Several paths may lead through the same array, element by element together, but not through two arrays side by
//!    side.
//! 5. A part that is the index of an element of the array selects that element. It is an error if the array's documents
//!    have a field of that name too.
//!
//! Deliberately absent: removing duplicates (the callers sort encoded keys), collation, sparse and partial indexes.

use super::Path;
use crate::bson::order::{Direction, compare};
use crate::bson::raw::{EMPTY_DOCUMENT, RawArray, RawDoc, Value};
use std::cmp::Ordering;

/// Why a document has no keys under some paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// Two paths lead through different arrays (in an index 171 `CannotIndexParallelArrays`, in a sort 2 `BadValue`). The
    /// names are those of the array fields, the later path's first, as in mongod's message.
    ParallelArrays { second: String, first: String },
    /// A part is an index of the array and a field of a document in it (16746). `array` is the array's text.
    AmbiguousPosition { field: String, array: String },
}

/// For each path of an index, the parts at which documents had an array: 0 is the path's first part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MultikeyPaths {
    /// Sorted; empty without a path being multikey.
    parts: Vec<Vec<u16>>,
}

impl MultikeyPaths {
    /// No path is multikey.
    pub fn new() -> MultikeyPaths {
        MultikeyPaths::default()
    }

    /// Whether some path led through an array.
    pub fn is_multikey(&self) -> bool {
        self.parts.iter().any(|parts| !parts.is_empty())
    }

    /// The array parts of the path at `position` among the index's paths, in order.
    pub fn parts_of(&self, position: usize) -> &[u16] {
        self.parts.get(position).map_or(&[], |parts| parts)
    }

    /// Notes an array at `part` of the path at `position`; tells whether that is new.
    pub fn insert(&mut self, position: usize, part: u16) -> bool {
        if self.parts.len() <= position {
            self.parts.resize(position + 1, Vec::new());
        }
        let parts = &mut self.parts[position];
        match parts.binary_search(&part) {
            Ok(_) => false,
            Err(place) => {
                parts.insert(place, part);
                true
            }
        }
    }

    /// Takes over what `other` notes; tells whether anything was new.
    pub fn merge(&mut self, other: &MultikeyPaths) -> bool {
        let mut is_new = false;
        for (position, parts) in other.parts.iter().enumerate() {
            for &part in parts {
                is_new |= self.insert(position, part);
            }
        }
        is_new
    }
}

/// Shows `sink` the key tuples of `doc` under `paths`, one value per path, `None` for missing (a null in the key).
///
/// At least one tuple comes unless there is an error, in which case none of those shown may be used. A tuple may come
/// more than once. `multikey` gets the arrays on the way.
pub fn extract_keys<'a>(
    doc: RawDoc<'a>,
    paths: &[Path],
    multikey: &mut MultikeyPaths,
    sink: &mut dyn FnMut(&[Option<Value<'a>>]),
) -> Result<(), KeyError> {
    match paths.len() {
        1 => extract_into(doc, paths, [Place::START; 1], [None; 1], multikey, sink),
        2..=4 => {
            let n = paths.len();
            extract_into(doc, paths, &mut [Place::START; 4][..n], &mut [None; 4][..n], multikey, sink)
        }
        n => extract_into(doc, paths, vec![Place::START; n], vec![None; n], multikey, sink),
    }
}

/// The sort key of `doc`: of all its key tuples the first in the order that `directions` give, so the least element of
/// an array ascending and the greatest descending. Written to `out`, one value per path, `None` for missing.
pub fn sort_key<'a>(
    doc: RawDoc<'a>,
    paths: &[Path],
    directions: &[Direction],
    out: &mut Vec<Option<Value<'a>>>,
) -> Result<(), KeyError> {
    out.clear();
    extract_keys(doc, paths, &mut MultikeyPaths::new(), &mut |tuple| {
        if out.is_empty() || compare_tuples(tuple, out, directions) == Ordering::Less {
            out.clear();
            out.extend_from_slice(tuple);
        }
    })
}

/// The order of two key tuples; `None` is a null.
pub fn compare_tuples(
    a: &[Option<Value<'_>>],
    b: &[Option<Value<'_>>],
    directions: &[Direction],
) -> Ordering {
    for ((x, y), direction) in a.iter().zip(b).zip(directions) {
        let order = compare(&x.unwrap_or(Value::Null), &y.unwrap_or(Value::Null));
        if order != Ordering::Equal {
            return direction.apply(order);
        }
    }
    Ordering::Equal
}

/// How far a path was followed.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// The next part; the path's part count when it is done.
    from: usize,
    /// Whether the path goes through the array that is being expanded.
    in_array: bool,
    /// If the next part is an index of the array being expanded, what the path finds through that element.
    position: Option<Position<'a>>,
}

#[derive(Clone, Copy)]
struct Position<'a> {
    array: RawArray<'a>,
    is_array: bool,
    /// The value or array that the path reaches through the element, and the next part there.
    reached: Option<Value<'a>>,
    from: usize,
}

impl Place<'_> {
    const START: Place<'static> = Place { from: 0, in_array: false, position: None };
}

fn extract_into<'a>(
    doc: RawDoc<'a>,
    paths: &[Path],
    mut places: impl AsMut<[Place<'a>]>,
    mut values: impl AsMut<[Option<Value<'a>>]>,
    multikey: &mut MultikeyPaths,
    sink: &mut dyn FnMut(&[Option<Value<'a>>]),
) -> Result<(), KeyError> {
    Extraction { paths, multikey, sink }.generate(doc, places.as_mut(), values.as_mut())
}

struct Extraction<'p, 's, 'a> {
    paths: &'p [Path],
    multikey: &'s mut MultikeyPaths,
    sink: &'s mut dyn FnMut(&[Option<Value<'a>>]),
}

impl<'a> Extraction<'_, '_, 'a> {
    /// Follows every path that is not done into `doc` up to an array or its end, then expands that array.
    fn generate(
        &mut self,
        doc: RawDoc<'a>,
        places: &mut [Place<'a>],
        values: &mut [Option<Value<'a>>],
    ) -> Result<(), KeyError> {
        let mut array: Option<(RawArray<'a>, usize)> = None;
        let mut takes_elements = true;
        for (i, path) in self.paths.iter().enumerate() {
            let place = &mut places[i];
            place.in_array = false;
            if place.from == path.part_count() {
                continue;
            }
            let (reached, is_nested_array) = next_value(doc, path, place)?;
            let Some(Value::Array(found)) = reached else {
                values[i] = reached;
                place.from = path.part_count();
                continue;
            };
            match array {
                None => array = Some((found, i)),
                Some((first, _)) if same_bytes(first, found) => {}
                Some((_, of)) => {
                    return Err(parallel(path, places[i].from, &self.paths[of], places[of].from));
                }
            }
            places[i].in_array = true;
            takes_elements &= !is_nested_array;
        }
        match array {
            None => {
                (self.sink)(values);
                Ok(())
            }
            Some((array, _)) => self.expand(array, takes_elements, places, values),
        }
    }

    /// Generates the keys for each element of `array`. Without `takes_elements` paths that end here take it whole.
    fn expand(
        &mut self,
        array: RawArray<'a>,
        takes_elements: bool,
        places: &mut [Place<'a>],
        values: &mut [Option<Value<'a>>],
    ) -> Result<(), KeyError> {
        let mut ends_here = Vec::new();
        for (i, path) in self.paths.iter().enumerate() {
            let place = &mut places[i];
            place.position = None;
            if !place.in_array {
                continue;
            }
            let is_end = place.from == path.part_count();
            if is_end {
                ends_here.push(i);
            } else {
                place.position = position(array, path, place.from);
            }
            if if is_end { takes_elements } else { place.position.is_none() } {
                self.multikey.insert(i, (place.from - 1) as u16);
            }
        }
        let mut elements = array.iter().peekable();
        if elements.peek().is_none() {
            for &i in &ends_here {
                values[i] = Some(Value::Undefined);
            }
            return self.generate(EMPTY_DOCUMENT, places, values);
        }
        let (places_before, values_before) = (places.to_vec(), values.to_vec());
        for element in elements {
            places.copy_from_slice(&places_before);
            values.copy_from_slice(&values_before);
            for &i in &ends_here {
                values[i] = Some(if takes_elements { element } else { Value::Array(array) });
            }
            self.generate(element.as_document().unwrap_or(EMPTY_DOCUMENT), places, values)?;
        }
        Ok(())
    }
}

/// Follows `path` from `place` into `doc`, or else through the element that its next part is the index of. Also tells
/// whether that element is an array itself.
fn next_value<'a>(
    doc: RawDoc<'a>,
    path: &Path,
    place: &mut Place<'a>,
) -> Result<(Option<Value<'a>>, bool), KeyError> {
    let Some(position) = place.position else {
        return Ok((follow(doc, path, &mut place.from), false));
    };
    if doc.get_bytes(path.name(place.from)).is_some() {
        return Err(KeyError::AmbiguousPosition {
            field: path.part(place.from).to_owned(),
            array: crate::bson::show::document(position.array.as_document()),
        });
    }
    place.from = position.from;
    Ok((position.reached, position.is_array))
}

/// The value at the end of `path`, or the first array on the way; `from` becomes the part after it.
fn follow<'a>(mut doc: RawDoc<'a>, path: &Path, from: &mut usize) -> Option<Value<'a>> {
    loop {
        let value = doc.get_bytes(path.name(*from))?;
        *from += 1;
        match value {
            Value::Array(_) => return Some(value),
            _ if *from == path.part_count() => return Some(value),
            Value::Document(inner) => doc = inner,
            _ => return None,
        }
    }
}

/// What `path` reaches through the element of `array` that its part at `from` is the index of.
fn position<'a>(array: RawArray<'a>, path: &Path, from: usize) -> Option<Position<'a>> {
    let element = array.get(path.array_index(from)?)?;
    let mut from = from + 1;
    let reached = match element {
        Value::Document(doc) if from < path.part_count() => follow(doc, path, &mut from),
        Value::Array(_) => Some(element),
        _ => Some(element).filter(|_| from == path.part_count()),
    };
    Some(Position { array, is_array: matches!(element, Value::Array(_)), reached, from })
}

fn same_bytes(a: RawArray<'_>, b: RawArray<'_>) -> bool {
    std::ptr::eq(a.as_document().as_bytes(), b.as_document().as_bytes())
}

fn parallel(second: &Path, at: usize, first: &Path, first_at: usize) -> KeyError {
    KeyError::ParallelArrays {
        second: second.part(at - 1).to_owned(),
        first: first.part(first_at - 1).to_owned(),
    }
}

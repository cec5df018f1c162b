//! The walk for matching: every value that a query path reaches, arrays traversed implicitly.
//!
//! Rules, as mongod walks
//! 1. A field of a document by its name. A document without it has a missing value there, and so has a scalar.
//! 2. An array in the middle of the path is entered: each of its documents is walked with the rest of the path; its
//!    other elements give nothing, not even a missing value; arrays in arrays are not entered.
//! 3. If the next part is an index, the element there is walked with what follows the index too: after the reading as
//!    a field name, if the element is a document; as an array entered by rule 2, if it is an array.
//!    If the path ends with the index, the element is found as it is: an array there is not taken apart.
//! 4. An array at the end of the path: with `LeafArrays::Expand` each element is found, then the array itself.
//! 5. Before an array, an empty last part is no part: `a.` finds in an array what `a` finds, in a document the field "".

use super::Path;
use crate::bson::raw::{RawArray, RawDoc, Value};
use std::ops::ControlFlow;

/// What to find where a path ends at an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafArrays {
    /// Each element, then the array itself: what comparisons ask for.
    Expand,
    /// The array alone: for `$size`, `$elemMatch`, `$type: "array"` and the like.
    Whole,
}

/// One value that a path reached.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The value; `None` where it is missing.
    pub value: Option<Value<'a>>,
    /// The index in the outermost array that the walk went through to this value, for the positional `$` of updates
    /// and projections. Arrays entered by an index in the path do not count.
    pub array_index: Option<usize>,
}

type Visit<'v, 'a> = &'v mut dyn FnMut(Found<'a>) -> ControlFlow<()>;

/// Shows `visit` every value of `doc` that `path` reaches, in document order, until it breaks.
pub fn walk<'a>(
    doc: RawDoc<'a>,
    path: &Path,
    leaf: LeafArrays,
    visit: &mut dyn FnMut(Found<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    in_document(doc, Rest { path, from: 0, leaf }, None, visit)
}

/// What is left of the path, from the part `from` on.
#[derive(Clone, Copy)]
struct Rest<'p> {
    path: &'p Path,
    from: usize,
    leaf: LeafArrays,
}

impl Rest<'_> {
    fn is_empty(self) -> bool {
        self.from == self.path.part_count()
    }

    /// Whether an array that was reached is the end of the path (rule 5).
    fn ends_in_array(self) -> bool {
        self.is_empty() || (self.from + 1 == self.path.part_count() && self.path.name(self.from).is_empty())
    }

    fn after(self, parts: usize) -> Self {
        Rest { from: self.from + parts, ..self }
    }
}

fn in_document<'a>(
    doc: RawDoc<'a>,
    mut rest: Rest<'_>,
    array_index: Option<usize>,
    visit: Visit<'_, 'a>,
) -> ControlFlow<()> {
    let mut current = doc;
    loop {
        let found = current.get_bytes(rest.path.name(rest.from));
        rest = rest.after(1);
        match found {
            Some(Value::Array(array)) if !rest.ends_in_array() || rest.leaf == LeafArrays::Expand => {
                return in_array(array, rest, array_index, visit);
            }
            whole @ Some(Value::Array(_)) if rest.ends_in_array() => {
                return visit(Found { value: whole, array_index });
            }
            Some(Value::Document(inner)) if !rest.is_empty() => current = inner,
            // A scalar before the end of the path has no such field.
            value => return visit(Found { value: value.filter(|_| rest.is_empty()), array_index }),
        }
    }
}

fn in_array<'a>(
    array: RawArray<'a>,
    rest: Rest<'_>,
    outer: Option<usize>,
    visit: Visit<'_, 'a>,
) -> ControlFlow<()> {
    if rest.ends_in_array() {
        for (i, element) in array.iter().enumerate() {
            visit(Found { value: Some(element), array_index: outer.or(Some(i)) })?;
        }
        return visit(Found { value: Some(Value::Array(array)), array_index: outer });
    }
    let wanted = rest.path.array_index(rest.from);
    let after_index = rest.after(1);
    for (i, element) in array.iter().enumerate() {
        if let Value::Document(doc) = element {
            in_document(doc, rest, outer.or(Some(i)), visit)?;
        }
        if wanted != Some(i) {
            continue;
        }
        match element {
            _ if after_index.is_empty() => {
                visit(Found { value: Some(element), array_index: outer.or(Some(i)) })?;
            }
            Value::Document(doc) => in_document(doc, after_index, outer, visit)?,
            Value::Array(inner) => in_array(inner, after_index, outer, visit)?,
            _ => {}
        }
    }
    ControlFlow::Continue(())
}

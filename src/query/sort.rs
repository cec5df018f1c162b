//! Sort patterns: `{a: 1, "b.c": -1}`.
//!
//! A sort key is the first of the document's key tuples in the pattern's order (as an index on the same fields would
//! have it): the least element of an array ascending, the greatest descending, several fields through one array
//! element together. Missing sorts as null.
//!
//! Deliberately absent: `$meta` (238), collation, the bound on memory (the caller's).

use super::{field_path, show};
use crate::bson::order::{Direction, compare};
use crate::bson::path::{KeyError, Path, sort_key};
use crate::bson::{RawDoc, Value};
use crate::error::{Code, Error, Result};
use std::cmp::Ordering;

/// The most fields of a pattern, as of a compound index.
pub const FIELDS_MAX: usize = 32;

/// A parsed sort pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortPattern {
    /// `{$natural: ±1}`: the order of the record tree; the planner's to follow.
    Natural(Direction),
    /// By fields; the paths and their directions are of one length. No fields: no order is asked for.
    Fields { paths: Vec<Path>, directions: Vec<Direction> },
}

impl SortPattern {
    /// No order is asked for.
    pub fn none() -> SortPattern {
        SortPattern::Fields { paths: Vec::new(), directions: Vec::new() }
    }

    /// Parses a sort document.
    ///
    /// # Errors
    /// 15974, 15975, 17312, 31138, the errors of field paths, 13103; 238 for `$meta`.
    pub fn parse(doc: RawDoc<'_>) -> Result<SortPattern> {
        if let Some(value) = doc.get("$natural") {
            if doc.count() > 1 {
                let text = format!("Cannot include '$natural' in compound sort: {}", show::document(doc));
                return Err(Error::new(Code::BadValue, text));
            }
            // MongoDB takes any value here; what is not below zero is forward.
            let backward = value.is_number() && compare(&value, &Value::Int32(0)) == Ordering::Less;
            return Ok(SortPattern::Natural(if backward {
                Direction::Descending
            } else {
                Direction::Ascending
            }));
        }
        let (mut paths, mut directions) = (Vec::new(), Vec::new());
        for element in doc.iter() {
            if let Value::Document(meta) = element.value {
                return Err(meta_error(meta));
            }
            let direction = direction_of(element.name.as_str(), &element.value)?;
            field_path::check(element.name.as_bytes())?;
            paths.push(Path::parse(element.name.as_str()));
            directions.push(direction);
        }
        if paths.len() > FIELDS_MAX {
            return Err(Error::new(Code::location(13103), "too many compound keys"));
        }
        Ok(SortPattern::Fields { paths, directions })
    }

    /// Whether no order is asked for.
    pub fn is_empty(&self) -> bool {
        matches!(self, SortPattern::Fields { paths, .. } if paths.is_empty())
    }

    /// The sort key of a document into `out`, one value for each path, `None` for a missing one (which sorts as null).
    ///
    /// # Errors
    /// 2 where two paths lead through different arrays, 16746 for an ambiguous position.
    pub fn key<'a>(&self, doc: RawDoc<'a>, out: &mut Vec<Option<Value<'a>>>) -> Result<()> {
        out.clear();
        match self {
            SortPattern::Natural(_) => Ok(()),
            SortPattern::Fields { paths, directions } => {
                sort_key(doc, paths, directions, out).map_err(key_error)
            }
        }
    }

    /// The order of two sort keys, as [`SortPattern::key`] gives them.
    pub fn compare_keys(&self, a: &[Option<Value<'_>>], b: &[Option<Value<'_>>]) -> Ordering {
        match self {
            SortPattern::Natural(_) => Ordering::Equal,
            SortPattern::Fields { directions, .. } => crate::bson::path::compare_tuples(a, b, directions),
        }
    }

    /// The order of two documents.
    ///
    /// # Errors
    /// Those of [`SortPattern::key`].
    pub fn compare(&self, a: RawDoc<'_>, b: RawDoc<'_>) -> Result<Ordering> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.key(a, &mut left)?;
        self.key(b, &mut right)?;
        Ok(self.compare_keys(&left, &right))
    }
}

fn direction_of(name: &str, value: &Value<'_>) -> Result<Direction> {
    if !value.is_number() {
        let text = format!("Illegal key in $sort specification: {}", show::element(name, value));
        return Err(Error::new(Code::location(15974), text));
    }
    // Cut to an integer, so 1.9 is ascending and 0.5 is nothing.
    match super::operators::truncated(value) {
        Some(1) => Ok(Direction::Ascending),
        Some(-1) => Ok(Direction::Descending),
        _ => {
            let text = "$sort key ordering must be 1 (for ascending) or -1 (for descending)";
            Err(Error::new(Code::location(15975), text))
        }
    }
}

fn meta_error(doc: RawDoc<'_>) -> Error {
    let Some(meta) = doc.first().filter(|first| first.name == "$meta") else {
        let text = "$meta is the only expression supported by $sort right now";
        return Error::new(Code::location(17312), text);
    };
    if doc.count() > 1 {
        let text = "Cannot have additional keys in a $meta sort specification";
        return Error::new(Code::FailedToParse, text);
    }
    const KNOWN: [&str; 5] = ["textScore", "randVal", "geoNearDistance", "searchScore", "searchHighlights"];
    match meta.value.as_str() {
        Some(kind) if KNOWN.contains(&kind) => Error::not_implemented("a sort by $meta"),
        _ => {
            let text = format!("Illegal $meta sort: {}", show::element("$meta", &meta.value));
            Error::new(Code::location(31138), text)
        }
    }
}

fn key_error(error: KeyError) -> Error {
    match error {
        KeyError::ParallelArrays { .. } => {
            Error::new(Code::BadValue, "cannot sort with keys that are parallel arrays")
        }
        KeyError::AmbiguousPosition { field, array } => {
            let text = format!(
                "Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '{field}' for array: {array}"
            );
            Error::new(Code::location(16746), text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::tests::json;

    fn parse(text: &str) -> Result<SortPattern> {
        SortPattern::parse(RawDoc::from_validated(&json(text)))
    }

    #[test]
    fn refused() {
        let ordering = "$sort key ordering must be 1 (for ascending) or -1 (for descending)";
        let only_meta = "$meta is the only expression supported by $sort right now";
        for (pattern, code, message) in [
            (r#"{"a": 2}"#, 15975, ordering),
            (r#"{"a": -0.5}"#, 15975, ordering),
            (r#"{"a": {"$numberDouble": "NaN"}}"#, 15975, ordering),
            (r#"{"a": "x"}"#, 15974, "Illegal key in $sort specification: a: \"x\""),
            (r#"{"a": true}"#, 15974, "Illegal key in $sort specification: a: true"),
            (r#"{"a": {"b": 1}}"#, 17312, only_meta),
            (r#"{"a": {"$meta": "foo"}}"#, 31138, "Illegal $meta sort: $meta: \"foo\""),
            (
                r#"{"a": {"$meta": "textScore", "b": 1}}"#,
                9,
                "Cannot have additional keys in a $meta sort specification",
            ),
            (r#"{"a": {"$meta": "textScore"}}"#, 238, "a sort by $meta is not implemented in PandoDB yet"),
            (r#"{"": 1}"#, 40352, "FieldPath cannot be constructed with empty string"),
            (
                r#"{"$a": 1}"#,
                16410,
                "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
            ),
            (
                r#"{"a": 1, "$natural": 1}"#,
                2,
                "Cannot include '$natural' in compound sort: { a: 1, $natural: 1 }",
            ),
        ] {
            let error = parse(pattern).unwrap_err();
            assert_eq!((error.code.0, error.message.as_str()), (code, message), "{pattern}");
        }
        let many: Vec<_> = (0..33).map(|i| format!(r#""f{i}": 1"#)).collect();
        assert_eq!(parse(&format!("{{{}}}", many.join(","))).unwrap_err().code.0, 13103);
    }

    #[test]
    fn accepted() {
        assert_eq!(parse(r#"{"$natural": -1}"#).unwrap(), SortPattern::Natural(Direction::Descending));
        assert_eq!(parse(r#"{"$natural": "x"}"#).unwrap(), SortPattern::Natural(Direction::Ascending));
        assert!(parse("{}").unwrap().is_empty());
        let SortPattern::Fields { directions, .. } = parse(r#"{"a": 1.9, "b": -1.2}"#).unwrap() else {
            panic!()
        };
        assert_eq!(directions, [Direction::Ascending, Direction::Descending]);
    }

    #[test]
    fn the_order_of_documents() {
        let order = |pattern: &str, a: &str, b: &str| {
            let (a, b) = (json(a), json(b));
            parse(pattern).unwrap().compare(RawDoc::from_validated(&a), RawDoc::from_validated(&b))
        };
        let up = r#"{"a": 1}"#;
        let down = r#"{"a": -1}"#;
        // The least element ascending, the greatest descending.
        assert_eq!(order(up, r#"{"a": [5, 1]}"#, r#"{"a": 2}"#).unwrap(), Ordering::Less);
        assert_eq!(order(down, r#"{"a": [5, 1]}"#, r#"{"a": 4}"#).unwrap(), Ordering::Less);
        assert_eq!(order(up, "{}", r#"{"a": null}"#).unwrap(), Ordering::Equal);
        assert_eq!(order(up, r#"{"a": []}"#, r#"{"a": null}"#).unwrap(), Ordering::Less);
        assert_eq!(order(up, r#"{"a": [[], 3]}"#, r#"{"a": null}"#).unwrap(), Ordering::Greater);
        assert_eq!(order(r#"{"a.1": 1}"#, r#"{"a": [1, []]}"#, "{}").unwrap(), Ordering::Less);
        // Two fields through one array element together: the least pair, not the least of each.
        let pairs = r#"{"x": [{"a": 1, "b": 9}, {"a": 2, "b": 0}]}"#;
        assert_eq!(
            order(r#"{"x.a": 1, "x.b": 1}"#, pairs, r#"{"x": {"a": 1, "b": 5}}"#).unwrap(),
            Ordering::Greater
        );
        let error = order(r#"{"a": 1, "b": 1}"#, r#"{"a": [1], "b": [1]}"#, "{}").unwrap_err();
        assert_eq!(error.to_string(), "BadValue (2): cannot sort with keys that are parallel arrays");
    }
}

//! From a filter document to the tree: names are looked up in the two operator tables, the rest is equality.
//!
//! Deliberately absent: what any operator means; that is in its own file under `operators/`.

use super::ast::{Comparison, Expr, OwnedValue, Test};
use super::field_path;
use super::operators::{self, Support};
use crate::bson::path::Path;
use crate::bson::{RawDoc, Type, Value};
use crate::error::{Code, Error, Result};

/// The deepest nesting of operators and filters (MongoDB: `BSONDepth`-bound; the tree is walked by recursion).
pub const DEPTH_MAX: usize = 200;

/// The state of parsing one filter.
#[derive(Debug)]
pub struct Parser {
    depth: usize,
    inside_elem_match: usize,
}

/// What an operator of a field is parsed from.
#[derive(Clone, Copy, Debug)]
pub struct FieldArgs<'a> {
    /// The path the operator stands under.
    pub path: &'a Path,
    /// The operator's name, as written.
    pub name: &'a str,
    /// The operator's operand.
    pub operand: Value<'a>,
    /// The whole document of operators, for those that read a neighbour (`$regex` and `$options`).
    pub neighbours: RawDoc<'a>,
}

impl Default for Parser {
    fn default() -> Self {
        Parser::new()
    }
}

impl Parser {
    /// A parser at the top of a filter.
    pub fn new() -> Parser {
        Parser { depth: 0, inside_elem_match: 0 }
    }

    /// Whether what is parsed stands inside `$elemMatch`, where some operators may not.
    pub fn inside_elem_match(&self) -> bool {
        self.inside_elem_match > 0
    }

    /// Parses a whole filter document, or one nested in `$and`, `$or`, `$nor`.
    pub fn filter(&mut self, doc: RawDoc<'_>) -> Result<Expr> {
        self.deeper(|parser| {
            let mut parts = Vec::new();
            for element in doc.iter() {
                let name = element.name.as_str();
                if name.starts_with('$') {
                    parser.top_level(name, &element.value, &mut parts)?;
                    continue;
                }
                field_path::check_length(element.name.as_str(), Code::location(5_729_100))?;
                let path = Path::parse(element.name.as_str());
                match element.value {
                    Value::Document(operators) if is_operator_document(operators, false) => {
                        parser.operators(&path, operators, &mut parts)?
                    }
                    value => parts.push(implicit_equality(path, &value)?),
                }
            }
            Ok(all_of(parts))
        })
    }

    /// Parses the filter of an `$elemMatch`.
    pub fn element_filter(&mut self, doc: RawDoc<'_>) -> Result<Expr> {
        self.inside_elem_match += 1;
        let result = self.filter(doc);
        self.inside_elem_match -= 1;
        result
    }

    /// Parses a document of operators (`{$gt: 1, $lt: 5}`) over a path into what must all hold.
    pub fn operators(&mut self, path: &Path, doc: RawDoc<'_>, parts: &mut Vec<Expr>) -> Result<()> {
        self.deeper(|parser| {
            for element in doc.iter() {
                let name = element.name.as_str();
                let row = operators::of_field(name)
                    .ok_or_else(|| Error::new(Code::BadValue, format!("unknown operator: {name}")))?;
                let parse = match row.support {
                    Support::Done(parse) => parse,
                    Support::NotYet => {
                        return Err(Error::not_implemented(format_args!("the query operator {name}")));
                    }
                };
                let args = FieldArgs { path, name, operand: element.value, neighbours: doc };
                parts.push(parse(parser, &args)?);
            }
            Ok(())
        })
    }

    fn top_level(&mut self, name: &str, operand: &Value<'_>, parts: &mut Vec<Expr>) -> Result<()> {
        let row = operators::top_level(name).ok_or_else(|| unknown_top_level(name))?;
        if row.outermost_only && self.inside_elem_match() {
            let text = format!("{name} can only be applied to the top-level document");
            return Err(Error::new(Code::BadValue, text));
        }
        match row.support {
            Support::Done(parse) => parts.extend(parse(self, name, operand)?),
            Support::NotYet => return Err(Error::not_implemented(format_args!("the query operator {name}"))),
        }
        Ok(())
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH_MAX {
            let text = format!("exceeded depth limit of {DEPTH_MAX} when parsing a filter");
            return Err(Error::new(Code::Overflow, text));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
}

/// The conjunction of parts; a single part is itself.
pub fn all_of(mut parts: Vec<Expr>) -> Expr {
    match parts.len() {
        1 => parts.remove(0),
        _ => Expr::And(parts),
    }
}

/// `path: value`, or a test of `operator` with the same operand rules.
pub fn equality(path: Path, value: &Value<'_>) -> Result<Expr> {
    compare(path, Comparison::Eq, value)
}

/// A comparison leaf; undefined cannot be compared to.
pub fn compare(path: Path, relation: Comparison, value: &Value<'_>) -> Result<Expr> {
    if value.kind() == Type::Undefined {
        return Err(Error::new(Code::BadValue, "cannot compare to undefined"));
    }
    Ok(Expr::Leaf { path, test: Test::Compare(relation, OwnedValue::new(value)) })
}

/// `path: value` without an operator, where a regular expression means a match, not equality.
pub fn implicit_equality(path: Path, value: &Value<'_>) -> Result<Expr> {
    if value.kind() == Type::Regex {
        return Err(regex_not_implemented());
    }
    equality(path, value)
}

/// The answer of every way to write a regular expression match.
pub fn regex_not_implemented() -> Error {
    Error::not_implemented("the query operator $regex")
}

/// Whether a document is one of operators: its first name has a `$` and it is no DBRef.
///
/// `partial_dbref`: whether a document with only one of `$ref`, `$id`, `$db` counts as a DBRef too.
pub fn is_operator_document(doc: RawDoc<'_>, partial_dbref: bool) -> bool {
    doc.first().is_some_and(|first| first.name.as_bytes().first() == Some(&b'$'))
        && !is_dbref(doc, partial_dbref)
}

fn is_dbref(doc: RawDoc<'_>, partial: bool) -> bool {
    let (mut has_ref, mut has_id, mut has_db) = (false, false, false);
    for element in doc.iter() {
        if has_ref && has_id {
            break;
        }
        let is_text = element.value.kind() == Type::String;
        match element.name.as_bytes() {
            b"$ref" if !has_ref => {
                if !partial && !is_text {
                    return false;
                }
                has_ref = true;
            }
            b"$id" => has_id = true,
            b"$db" if !has_db => {
                if !partial && !is_text {
                    return false;
                }
                has_db = true;
            }
            _ => {}
        }
    }
    (has_ref && has_id) || (partial && (has_ref || has_id || has_db))
}

fn unknown_top_level(name: &str) -> Error {
    let advice = if name == "$not" {
        "If you are trying to negate an entire expression, use $nor."
    } else {
        "If you have a field name that starts with a '$' symbol, consider using $getField or $setField."
    };
    Error::new(Code::BadValue, format!("unknown top level operator: {name}. {advice}"))
}

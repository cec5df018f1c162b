//! The tables of query operators: one operator, one file, one row.
//!
//! `COMPAT.md` and the playground's completion read them too.

mod all;
mod always;
mod comment;
mod comparison;
mod dbref;
mod elem_match;
mod exists;
mod in_set;
mod integer;
mod logical;
mod mod_;
mod not;
mod size;
mod type_;

pub use exists::truth;
pub use integer::exact as exact_integer;

use super::ast::Expr;
use super::parse::{FieldArgs, Parser};
use crate::bson::Value;
use crate::error::Result;

/// What is there of an operator.
#[derive(Clone, Copy, Debug)]
pub enum Support<F> {
    /// Built; how its operand is parsed.
    Done(F),
    /// MongoDB has it, we answer 238.
    NotYet,
}

/// Parses an operator that stands where a field name may; `None` adds no condition.
pub type ParseTopLevel = fn(&mut Parser, &str, &Value<'_>) -> Result<Option<Expr>>;
/// Parses an operator that stands under a field.
pub type ParseOfField = fn(&mut Parser, &FieldArgs<'_>) -> Result<Expr>;

/// A row of [`TOP_LEVEL`].
#[derive(Clone, Copy, Debug)]
pub struct TopLevel {
    pub name: &'static str,
    pub support: Support<ParseTopLevel>,
    /// Refused inside `$elemMatch`.
    pub outermost_only: bool,
}

/// A row of [`OF_FIELD`].
#[derive(Clone, Copy, Debug)]
pub struct OfField {
    pub name: &'static str,
    pub support: Support<ParseOfField>,
}

const fn anywhere(name: &'static str, parse: ParseTopLevel) -> TopLevel {
    TopLevel { name, support: Support::Done(parse), outermost_only: false }
}

const fn outermost_not_yet(name: &'static str) -> TopLevel {
    TopLevel { name, support: Support::NotYet, outermost_only: true }
}

const fn of(name: &'static str, parse: ParseOfField) -> OfField {
    OfField { name, support: Support::Done(parse) }
}

const fn not_yet(name: &'static str) -> OfField {
    OfField { name, support: Support::NotYet }
}

/// The operators that stand where a field name may.
pub static TOP_LEVEL: &[TopLevel] = &[
    anywhere("$and", logical::and),
    anywhere("$or", logical::or),
    anywhere("$nor", logical::nor),
    anywhere("$comment", comment::parse),
    anywhere("$alwaysTrue", always::always_true),
    anywhere("$alwaysFalse", always::always_false),
    anywhere("$ref", dbref::parse),
    anywhere("$id", dbref::parse),
    anywhere("$db", dbref::parse),
    outermost_not_yet("$expr"),
    outermost_not_yet("$text"),
    outermost_not_yet("$where"),
    TopLevel { name: "$jsonSchema", support: Support::NotYet, outermost_only: false },
    TopLevel { name: "$sampleRate", support: Support::NotYet, outermost_only: false },
];

/// The operators that stand under a field.
pub static OF_FIELD: &[OfField] = &[
    of("$eq", comparison::eq),
    of("$ne", comparison::ne),
    of("$gt", comparison::ordered),
    of("$gte", comparison::ordered),
    of("$lt", comparison::ordered),
    of("$lte", comparison::ordered),
    of("$in", in_set::parse_in),
    of("$nin", in_set::parse_nin),
    of("$not", not::parse),
    of("$exists", exists::parse),
    of("$type", type_::parse),
    of("$all", all::parse),
    of("$elemMatch", elem_match::parse),
    of("$size", size::parse),
    of("$mod", mod_::parse),
    of("$where", not::where_of_field),
    not_yet("$regex"),
    not_yet("$options"),
    not_yet("$bitsAllClear"),
    not_yet("$bitsAllSet"),
    not_yet("$bitsAnyClear"),
    not_yet("$bitsAnySet"),
    not_yet("$geoWithin"),
    not_yet("$within"),
    not_yet("$geoIntersects"),
    not_yet("$near"),
    not_yet("$nearSphere"),
    not_yet("$geoNear"),
];

/// An operand that is exactly a 64-bit integer, in any numeric type.
pub fn integer_operand(value: &Value<'_>) -> Option<i64> {
    integer::exact("", value).ok()
}

/// The same, or why not in MongoDB's words.
pub fn integer_or_why(name: &str, value: &Value<'_>) -> std::result::Result<i64, String> {
    integer::exact(name, value)
}

/// A number cut to an integer, towards zero; `None` where that is none of 64 bits.
pub fn truncated(value: &Value<'_>) -> Option<i64> {
    match integer::truncated(value) {
        integer::Truncated::Integer(v) => Some(v),
        _ => None,
    }
}

/// The row of an operator that stands where a field name may.
pub fn top_level(name: &str) -> Option<&'static TopLevel> {
    TOP_LEVEL.iter().find(|row| row.name == name)
}

/// The row of an operator that stands under a field.
pub fn of_field(name: &str) -> Option<&'static OfField> {
    OF_FIELD.iter().find(|row| row.name == name)
}

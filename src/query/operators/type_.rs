//! `$type`: by number, alias, the alias `number`, or an array of them.

use super::super::ast::{Expr, Test, TypeSet};
use super::super::parse::{FieldArgs, Parser};
use super::super::show;
use super::integer;
use crate::bson::{Type, Value};
use crate::error::{Code, Error, Result};

/// `{$type: 2 | "string" | "number" | [ … ]}`.
pub fn parse(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let mut types = Vec::new();
    match args.operand {
        Value::Array(array) => {
            for entry in array.iter() {
                add(&entry, &mut types)?;
            }
        }
        value => add(&value, &mut types)?,
    }
    if types.is_empty() {
        let text = format!("{} must match at least one type", args.path.as_str());
        return Err(Error::new(Code::FailedToParse, text));
    }
    Ok(Expr::Leaf { path: args.path.clone(), test: Test::Type(TypeSet { types }) })
}

const NUMBERS: [Type; 4] = [Type::Int32, Type::Int64, Type::Double, Type::Decimal128];

const ALL: [Type; 21] = [
    Type::Double,
    Type::String,
    Type::Document,
    Type::Array,
    Type::Binary,
    Type::Undefined,
    Type::ObjectId,
    Type::Bool,
    Type::DateTime,
    Type::Null,
    Type::Regex,
    Type::DbPointer,
    Type::Code,
    Type::Symbol,
    Type::CodeWithScope,
    Type::Int32,
    Type::Timestamp,
    Type::Int64,
    Type::Decimal128,
    Type::MaxKey,
    Type::MinKey,
];

fn add(value: &Value<'_>, types: &mut Vec<Type>) -> Result<()> {
    let found: &[Type] = match value {
        Value::String(alias) if *alias == "number" => &NUMBERS,
        Value::String(alias) => &[by_alias(alias.as_str())?],
        number if number.is_number() => &[by_code(number)?],
        _ => {
            let text = "type must be represented as a number or a string";
            return Err(Error::new(Code::TypeMismatch, text));
        }
    };
    for kind in found {
        if !types.contains(kind) {
            types.push(*kind);
        }
    }
    Ok(())
}

fn by_alias(alias: &str) -> Result<Type> {
    if alias == "missing" {
        let text =
            "'missing' is not a legal type name. To query for non-existence of a field, use {$exists:false}.";
        return Err(Error::new(Code::BadValue, text));
    }
    let found = ALL.iter().copied().find(|kind| kind.alias() == alias);
    found.ok_or_else(|| Error::new(Code::BadValue, format!("Unknown type name alias: {alias}")))
}

fn by_code(number: &Value<'_>) -> Result<Type> {
    let as_double = integer::to_double(number);
    let code =
        if as_double.fract() == 0.0 && as_double.abs() < 1000.0 { Some(as_double as i32) } else { None };
    let found = match code {
        Some(-1) => Some(Type::MinKey),
        Some(127) => Some(Type::MaxKey),
        Some(code @ 1..=19) => Type::from_byte(code as u8),
        _ => None,
    };
    found.ok_or_else(|| {
        let hint = if code == Some(0) { ". Instead use {$exists:false}." } else { "" };
        let shown = show::double_short(as_double);
        Error::new(Code::BadValue, format!("Invalid numerical type code: {shown}{hint}"))
    })
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn by_number_and_by_name() {
        check(
            r#"{"a": {"$type": "number"}}"#,
            &[r#"{"a": 1}"#, r#"{"a": ["x", 1.5]}"#],
            &[r#"{"a": "x"}"#, "{}"],
        );
        check(
            r#"{"a": {"$type": [2, "null"]}}"#,
            &[r#"{"a": "x"}"#, r#"{"a": null}"#],
            &["{}", r#"{"a": 1}"#],
        );
        check(r#"{"a": {"$type": "array"}}"#, &[r#"{"a": []}"#, r#"{"a": [[]]}"#], &[r#"{"a": {}}"#]);
        check(r#"{"a": {"$type": -1}}"#, &[r#"{"a": {"$minKey": 1}}"#], &[r#"{"a": {"$maxKey": 1}}"#]);
        check(r#"{"a": {"$type": 127.0}}"#, &[r#"{"a": {"$maxKey": 1}}"#], &[r#"{"a": 127}"#]);
    }

    #[test]
    fn operands() {
        let missing =
            "'missing' is not a legal type name. To query for non-existence of a field, use {$exists:false}.";
        let text = "type must be represented as a number or a string";
        refused(&[
            (r#"{"a": {"$type": "foo"}}"#, 2, "Unknown type name alias: foo"),
            (r#"{"a": {"$type": "missing"}}"#, 2, missing),
            (r#"{"a": {"$type": []}}"#, 9, "a must match at least one type"),
            (r#"{"a": {"$type": 20}}"#, 2, "Invalid numerical type code: 20"),
            (r#"{"a": {"$type": 1.5}}"#, 2, "Invalid numerical type code: 1.5"),
            (
                r#"{"a": {"$type": {"$numberLong": "1099511627776"}}}"#,
                2,
                "Invalid numerical type code: 1.09951e+12",
            ),
            (r#"{"a": {"$type": [0]}}"#, 2, "Invalid numerical type code: 0. Instead use {$exists:false}."),
            (r#"{"a": {"$type": {}}}"#, 14, text),
            (r#"{"a": {"$type": [true]}}"#, 14, text),
        ]);
    }
}

//! The fields of a command: which there are, of which types, with MongoDB's errors for everything else.
//!
//! A command states its fields as a table of [`Field`] rows. What is in no row and not generic is 40415, what is missing
//! and required 40414, a wrong type 14; null counts as missing, as in MongoDB's generated parsers.

use crate::bson::{Decimal128, RawArray, RawDoc, Type, Value};
use crate::error::{Code, Error, Result};

/// What a field may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Anything, null too.
    Any,
    Bool,
    /// A bool or a number that is zero or not.
    BoolOrNumber,
    /// A number; read as a long, cut towards zero.
    Integer,
    Number,
    String,
    Document,
    Array,
}

/// One field of a command.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
}

impl Field {
    /// A field that may be absent.
    pub const fn optional(name: &'static str, kind: Kind) -> Field {
        Field { name, kind, required: false }
    }

    /// A field that must be there.
    pub const fn required(name: &'static str, kind: Kind) -> Field {
        Field { name, kind, required: true }
    }
}

/// Fields that every command takes, beside its own.
const GENERIC: &[&str] = &[
    "$db",
    "lsid",
    "$clusterTime",
    "$readPreference",
    "$configTime",
    "$topologyTime",
    "$audit",
    "$client",
    "$tenant",
    "apiVersion",
    "apiStrict",
    "apiDeprecationErrors",
    "comment",
    "maxTimeMS",
    "readConcern",
    "writeConcern",
    "txnNumber",
    "autocommit",
    "startTransaction",
    "stmtId",
    "stmtIds",
];

/// The checked fields of a command or of a document in it.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    doc: RawDoc<'a>,
}

impl<'a> Fields<'a> {
    /// Checks the fields of a command. The first element is the command itself and is not looked at.
    ///
    /// # Errors
    /// 14, 40413, 40414, 40415, naming the field.
    pub fn of_command(name: &str, doc: RawDoc<'a>, rows: &[Field]) -> Result<Fields<'a>> {
        check(name, doc, rows, true)?;
        Ok(Fields { doc })
    }

    /// Checks the fields of a document inside a command; `context` is its place, as `update.updates`.
    ///
    /// # Errors
    /// As [`Fields::of_command`].
    pub fn of_document(context: &str, doc: RawDoc<'a>, rows: &[Field]) -> Result<Fields<'a>> {
        check(context, doc, rows, false)?;
        Ok(Fields { doc })
    }

    /// The value of a field, if it is there and not null.
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        self.doc.get(name).filter(|value| !matches!(value, Value::Null | Value::Undefined))
    }

    /// A bool, or a number as one; `default` if absent.
    pub fn bool_or(&self, name: &str, default: bool) -> bool {
        match self.get(name) {
            Some(Value::Bool(v)) => v,
            Some(value) => integer(&value).is_none_or(|v| v != 0) || fraction(&value),
            None => default,
        }
    }

    /// A number, cut towards zero and to the range of a long.
    pub fn integer(&self, name: &str) -> Option<i64> {
        integer(&self.get(name)?)
    }

    /// A document.
    pub fn document(&self, name: &str) -> Option<RawDoc<'a>> {
        self.get(name)?.as_document()
    }

    /// An array.
    pub fn array(&self, name: &str) -> Option<RawArray<'a>> {
        self.get(name)?.as_array()
    }

    /// A string.
    pub fn string(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }
}

fn check(context: &str, doc: RawDoc<'_>, rows: &[Field], is_command: bool) -> Result<()> {
    let mut seen: u64 = 0;
    for element in doc.iter().skip(usize::from(is_command)) {
        let name = element.name.as_str();
        let Some(place) = rows.iter().position(|row| row.name == name) else {
            if is_command && GENERIC.contains(&name) {
                continue;
            }
            let message = format!("BSON field '{context}.{name}' is an unknown field.");
            return Err(Error::new(Code::location(40415), message));
        };
        if seen & (1 << place) != 0 {
            let message = format!("BSON field '{context}.{name}' is a duplicate field");
            return Err(Error::new(Code::location(40413), message));
        }
        let row = rows[place];
        if matches!(element.value, Value::Null | Value::Undefined) && row.kind != Kind::Any {
            continue;
        }
        if !row.kind.takes(element.value.kind()) {
            return Err(wrong_type(&format!("{context}.{name}"), &element.value, row.kind));
        }
        seen |= 1 << place;
    }
    for (place, row) in rows.iter().enumerate() {
        if row.required && seen & (1 << place) == 0 {
            return Err(missing(context, row.name));
        }
    }
    Ok(())
}

/// The error of a required field that is not there.
pub fn missing(context: &str, name: &str) -> Error {
    let message = format!("BSON field '{context}.{name}' is missing but a required field");
    Error::new(Code::location(40414), message)
}

/// The error of a value of a wrong type.
pub fn wrong_type(path: &str, value: &Value<'_>, expected: Kind) -> Error {
    let found = value.kind().alias();
    let message =
        format!("BSON field '{path}' is the wrong type '{found}', expected {}", expected.describe());
    Error::new(Code::TypeMismatch, message)
}

impl Kind {
    fn takes(self, kind: Type) -> bool {
        let is_number = matches!(kind, Type::Int32 | Type::Int64 | Type::Double | Type::Decimal128);
        match self {
            Kind::Any => true,
            Kind::Bool => kind == Type::Bool,
            Kind::BoolOrNumber => kind == Type::Bool || is_number,
            Kind::Integer | Kind::Number => is_number,
            Kind::String => kind == Type::String,
            Kind::Document => kind == Type::Document,
            Kind::Array => kind == Type::Array,
        }
    }

    /// As MongoDB writes it, its unpaired quote included.
    fn describe(self) -> &'static str {
        match self {
            Kind::Any => "any type",
            Kind::Bool => "type 'bool'",
            Kind::BoolOrNumber => "types '[bool, long, int, decimal, double']",
            Kind::Integer | Kind::Number => "types '[long, int, decimal, double']",
            Kind::String => "type 'string'",
            Kind::Document => "type 'object'",
            Kind::Array => "type 'array'",
        }
    }
}

/// A number cut towards zero and to the range of a long; `None` for what is no number.
pub fn integer(value: &Value<'_>) -> Option<i64> {
    match *value {
        Value::Int32(v) => Some(i64::from(v)),
        Value::Int64(v) => Some(v),
        Value::Double(v) => Some(v as i64),
        Value::Decimal128(bytes) => {
            let exact = crate::bson::number::to_i64_exact(value);
            // What is no long exactly is cut; beyond 2^53 the cut is of its double.
            Some(exact.unwrap_or_else(|| Decimal128::from_bytes(bytes).to_f64() as i64))
        }
        _ => None,
    }
}

fn fraction(value: &Value<'_>) -> bool {
    matches!(value, Value::Double(v) if *v != 0.0)
}

//! Values as MongoDB prints them in error messages: `{ a: 1, b: "x" }`.

use super::decimal128::{Decimal128, digits_of};
use super::raw::{RawArray, RawDoc, Value};
use std::fmt::Write;

/// The text of a document: `{ a: 1 }`, empty: `{}`.
pub fn document(doc: RawDoc<'_>) -> String {
    let mut out = String::new();
    write_document(&mut out, doc);
    out
}

/// The text of `name: value`.
pub fn element(name: &str, value: &Value<'_>) -> String {
    let mut out = format!("{name}: ");
    write(&mut out, value);
    out
}

/// The text of a value.
pub fn value(value: &Value<'_>) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

/// A double as C's `%.15g` or so prints it and MongoDB's messages show it: with `.0` where there is no point.
pub fn double(v: f64) -> String {
    let mut text = general(v, 16);
    if !text.contains('.') {
        text.push_str(".0");
    }
    text
}

/// A double as C++ streams print it: `%.6g`.
pub fn double_short(v: f64) -> String {
    general(v, 6)
}

/// C's `%.<digits>g`.
fn general(v: f64, digits: u32) -> String {
    if v.is_nan() {
        return "nan".into();
    }
    if v.is_infinite() {
        return if v > 0.0 { "inf".into() } else { "-inf".into() };
    }
    if v == 0.0 {
        return if v.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    let rounded = digits_of(v.abs(), digits);
    let (text, exponent) = (rounded.digits.to_string(), rounded.exponent);
    let text = text.trim_end_matches('0');
    let mut out = String::from(if v < 0.0 { "-" } else { "" });
    let is_scientific = exponent < -4 || exponent >= digits as i32;
    // Digits before the point.
    let whole = if is_scientific { 1 } else { (exponent + 1).max(0) as usize };
    match text.split_at_checked(whole) {
        Some(("", fraction)) => {
            out.push_str("0.");
            out.extend((exponent + 1..0).map(|_| '0'));
            out.push_str(fraction);
        }
        Some((whole, "")) => out.push_str(whole),
        Some((whole, fraction)) => {
            let _ = write!(out, "{whole}.{fraction}");
        }
        None => {
            out.push_str(text);
            out.extend((text.len()..whole).map(|_| '0'));
        }
    }
    if is_scientific {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    }
    out
}

fn write_document(out: &mut String, doc: RawDoc<'_>) {
    if doc.is_empty() {
        out.push_str("{}");
        return;
    }
    out.push_str("{ ");
    for (i, element) in doc.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        let _ = write!(out, "{}: ", element.name);
        write(out, &element.value);
    }
    out.push_str(" }");
}

fn write_array(out: &mut String, array: RawArray<'_>) {
    if array.is_empty() {
        out.push_str("[]");
        return;
    }
    out.push_str("[ ");
    for (i, value) in array.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write(out, &value);
    }
    out.push_str(" ]");
}

fn hex(out: &mut String, bytes: &[u8], upper: bool) {
    for byte in bytes {
        let _ = if upper { write!(out, "{byte:02X}") } else { write!(out, "{byte:02x}") };
    }
}

fn write(out: &mut String, value: &Value<'_>) {
    let _ = match value {
        Value::Double(v) => write!(out, "{}", double(*v)),
        Value::String(text) | Value::Symbol(text) => write!(out, "\"{text}\""),
        Value::Document(doc) => return write_document(out, *doc),
        Value::Array(array) => return write_array(out, *array),
        Value::Binary { subtype, bytes } => {
            let _ = write!(out, "BinData({subtype}, ");
            hex(out, bytes, true);
            out.write_char(')')
        }
        Value::Undefined => out.write_str("undefined"),
        Value::ObjectId(id) => {
            out.push_str("ObjectId('");
            hex(out, id, false);
            out.write_str("')")
        }
        Value::Bool(v) => write!(out, "{v}"),
        Value::DateTime(v) => write!(out, "new Date({v})"),
        Value::Null => out.write_str("null"),
        Value::Regex { pattern, options } => write!(out, "/{pattern}/{options}"),
        Value::DbPointer { namespace, id } => {
            let _ = write!(out, "DBRef('{namespace}',");
            hex(out, id, false);
            out.write_char(')')
        }
        Value::Code(text) => write!(out, "{text}"),
        Value::CodeWithScope { code, scope } => write!(out, "CodeWScope( {code}, {})", document(*scope)),
        Value::Int32(v) => write!(out, "{v}"),
        Value::Int64(v) => write!(out, "{v}"),
        Value::Timestamp(v) => write!(out, "Timestamp({}, {})", v >> 32, *v as u32),
        Value::Decimal128(v) => write!(out, "{}", Decimal128::from_bytes(*v)),
        Value::MinKey => out.write_str("MinKey"),
        Value::MaxKey => out.write_str("MaxKey"),
    };
}

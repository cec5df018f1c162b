//! Writing Extended JSON.

use super::{Mode, base64, date, double};
use crate::bson::decimal128::Decimal128;
use crate::bson::raw::{RawDoc, Str, Value};
use std::fmt::Write;

/// Appends the text of a document.
pub fn write_document(doc: RawDoc<'_>, mode: Mode, out: &mut String) {
    out.push('{');
    for (i, element) in doc.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        text(element.name, out);
        out.push(':');
        write_value(&element.value, mode, out);
    }
    out.push('}');
}

/// Appends the text of a value.
pub fn write_value(value: &Value<'_>, mode: Mode, out: &mut String) {
    match value {
        Value::Document(doc) => write_document(*doc, mode, out),
        Value::Array(array) => {
            out.push('[');
            for (i, element) in array.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_value(&element, mode, out);
            }
            out.push(']');
        }
        Value::String(string) => text(*string, out),
        Value::Bool(v) => out.push_str(if *v { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
        Value::Int32(n) => number("$numberInt", i64::from(*n), mode, out),
        Value::Int64(n) => number("$numberLong", *n, mode, out),
        Value::Double(v) => write_double(*v, mode, out),
        Value::DateTime(millis) => write_date(*millis, mode, out),
        Value::Decimal128(bytes) => {
            out.push_str("{\"$numberDecimal\":\"");
            out.push_str(Decimal128::from_bytes(*bytes).to_text().as_str());
            out.push_str("\"}");
        }
        Value::ObjectId(id) => object_id(id, out),
        Value::Timestamp(v) => {
            let _ = write!(out, "{{\"$timestamp\":{{\"t\":{},\"i\":{}}}}}", v >> 32, v & 0xFFFF_FFFF);
        }
        Value::Binary { subtype, bytes } => {
            out.push_str("{\"$binary\":{\"base64\":\"");
            base64::encode(without_inner_length(*subtype, bytes), out);
            let _ = write!(out, "\",\"subType\":\"{subtype:02x}\"}}}}");
        }
        Value::Regex { pattern, options } => write_regex(*pattern, *options, out),
        Value::DbPointer { namespace, id } => {
            out.push_str("{\"$dbPointer\":{\"$ref\":");
            text(*namespace, out);
            out.push_str(",\"$id\":");
            object_id(id, out);
            out.push_str("}}");
        }
        Value::Code(code) => wrapped("$code", *code, out),
        Value::Symbol(symbol) => wrapped("$symbol", *symbol, out),
        Value::CodeWithScope { code, scope } => {
            out.push_str("{\"$code\":");
            text(*code, out);
            out.push_str(",\"$scope\":");
            write_document(*scope, mode, out);
            out.push('}');
        }
        Value::Undefined => out.push_str("{\"$undefined\":true}"),
        Value::MinKey => out.push_str("{\"$minKey\":1}"),
        Value::MaxKey => out.push_str("{\"$maxKey\":1}"),
    }
}

/// The old binary subtype 2 repeats its length inside, which its text leaves out.
fn without_inner_length(subtype: u8, bytes: &[u8]) -> &[u8] {
    match bytes.split_first_chunk::<4>() {
        Some((len, rest)) if subtype == 2 && u32::from_le_bytes(*len) as usize == rest.len() => rest,
        _ => bytes,
    }
}

fn number(wrapper: &str, n: i64, mode: Mode, out: &mut String) {
    let _ = match mode {
        Mode::Canonical => write!(out, "{{\"{wrapper}\":\"{n}\"}}"),
        Mode::Relaxed => write!(out, "{n}"),
    };
}

fn write_double(v: f64, mode: Mode, out: &mut String) {
    if mode == Mode::Relaxed && v.is_finite() {
        return double::write(v, out);
    }
    out.push_str("{\"$numberDouble\":\"");
    if v.is_nan() {
        out.push_str("NaN");
    } else if v.is_infinite() {
        out.push_str(if v > 0.0 { "Infinity" } else { "-Infinity" });
    } else {
        double::write(v, out);
    }
    out.push_str("\"}");
}

fn write_date(millis: i64, mode: Mode, out: &mut String) {
    let start = out.len();
    if mode == Mode::Relaxed {
        out.push_str("{\"$date\":\"");
        if date::write(millis, out).is_some() {
            out.push_str("\"}");
            return;
        }
        out.truncate(start);
    }
    let _ = write!(out, "{{\"$date\":{{\"$numberLong\":\"{millis}\"}}}}");
}

fn write_regex(pattern: Str<'_>, options: Str<'_>, out: &mut String) {
    out.push_str("{\"$regularExpression\":{\"pattern\":");
    text(pattern, out);
    out.push_str(",\"options\":");
    // The specification wants the flags in alphabetical order.
    let mut flags = options.as_bytes().to_vec();
    if flags.is_ascii() {
        flags.sort_unstable();
    }
    text(Str(&flags), out);
    out.push_str("}}");
}

fn object_id(id: &[u8; 12], out: &mut String) {
    out.push_str("{\"$oid\":\"");
    for byte in id {
        let _ = write!(out, "{byte:02x}");
    }
    out.push_str("\"}");
}

fn wrapped(wrapper: &str, value: Str<'_>, out: &mut String) {
    let _ = write!(out, "{{\"{wrapper}\":");
    text(value, out);
    out.push('}');
}

/// Appends a JSON string.
fn text(value: Str<'_>, out: &mut String) {
    out.push('"');
    let mut rest = value.as_str();
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            byte => drop(write!(out, "\\u{byte:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

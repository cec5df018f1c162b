//! The objects that stand for BSON types: `{$oid: …}` and so on.
//!
//! They are recognised in the document that their JSON object gave, where wrappers inside have been replaced already.

use super::{ParseErrorKind, base64, date};
use crate::bson::build::write_value;
use crate::bson::decimal128::Decimal128;
use crate::bson::raw::{RawDoc, Str, Type, Value};

/// The wrappers' names. An object with one of them is of that type, or wrong.
const WRAPPERS: [&str; 16] = [
    "$oid",
    "$date",
    "$numberInt",
    "$numberLong",
    "$numberDouble",
    "$numberDecimal",
    "$binary",
    "$uuid",
    "$regularExpression",
    "$timestamp",
    "$code",
    "$symbol",
    "$dbPointer",
    "$undefined",
    "$minKey",
    "$maxKey",
];

/// If the document from `start` to the end of `out` stands for another type, replaces it by the bytes of that value.
pub(super) fn replace(out: &mut Vec<u8>, start: usize) -> Result<Option<Type>, ParseErrorKind> {
    let doc = RawDoc::from_validated(&out[start..]);
    let wrapper = doc.iter().find_map(|element| WRAPPERS.into_iter().find(|name| element.name == *name));
    let mut bytes = Vec::new();
    let kind = match wrapper {
        Some(name) => {
            let value =
                if name == "$binary" { binary(doc, &mut bytes) } else { single(name, doc, &mut bytes) };
            value.ok_or(ParseErrorKind::Wrapper(name))?
        }
        None => match legacy_regex(doc, &mut bytes) {
            Some(kind) => kind,
            None => return Ok(None),
        },
    };
    out.truncate(start);
    out.append(&mut bytes);
    Ok(Some(kind))
}

/// Writes the value of a wrapper other than `$binary`; `None` where it is not valid.
fn single(name: &str, doc: RawDoc<'_>, out: &mut Vec<u8>) -> Option<Type> {
    if name == "$code" {
        return code(doc, out);
    }
    let content = only_field(doc)?;
    let value = match (name, content) {
        ("$oid", Value::String(text)) => Value::ObjectId(hex(text.as_bytes())?),
        ("$symbol", Value::String(text)) => Value::Symbol(text),
        ("$numberInt", Value::String(text)) => Value::Int32(integer(text)?.try_into().ok()?),
        ("$numberLong", Value::String(text)) => Value::Int64(integer(text)?),
        ("$numberDouble", Value::String(text)) => Value::Double(double(text.as_str())?),
        ("$numberDecimal", Value::String(text)) => {
            Value::Decimal128(text.as_str().parse::<Decimal128>().ok()?.to_bytes())
        }
        ("$date", Value::String(text)) => Value::DateTime(date::parse(text.as_str())?),
        ("$date", Value::Int64(millis)) => Value::DateTime(millis),
        ("$date", Value::Int32(millis)) => Value::DateTime(millis.into()),
        ("$uuid", Value::String(text)) => {
            write_value(out, &Value::Binary { subtype: 4, bytes: &uuid(text.as_bytes())? });
            return Some(Type::Binary);
        }
        ("$timestamp", Value::Document(inner)) => {
            let [t, i] = two_fields(inner, ["t", "i"])?;
            Value::Timestamp(u64::from(ordinal(t)?) << 32 | u64::from(ordinal(i)?))
        }
        ("$regularExpression", Value::Document(inner)) => {
            let [pattern, options] = two_fields(inner, ["pattern", "options"])?;
            return regex(pattern, options, out);
        }
        ("$dbPointer", Value::Document(inner)) => match two_fields(inner, ["$ref", "$id"])? {
            [Value::String(namespace), Value::ObjectId(id)] => Value::DbPointer { namespace, id },
            _ => return None,
        },
        ("$undefined", Value::Bool(true)) => Value::Undefined,
        ("$minKey", Value::Int32(1)) => Value::MinKey,
        ("$maxKey", Value::Int32(1)) => Value::MaxKey,
        _ => return None,
    };
    write_value(out, &value);
    Some(value.kind())
}

fn code(doc: RawDoc<'_>, out: &mut Vec<u8>) -> Option<Type> {
    let value = match doc.count() {
        1 => match only_field(doc)? {
            Value::String(code) => Value::Code(code),
            _ => return None,
        },
        _ => match two_fields(doc, ["$code", "$scope"])? {
            [Value::String(code), Value::Document(scope)] => Value::CodeWithScope { code, scope },
            _ => return None,
        },
    };
    write_value(out, &value);
    Some(value.kind())
}

/// `{$binary: {base64, subType}}`, or the legacy `{$binary: base64, $type: subtype}`.
fn binary(doc: RawDoc<'_>, out: &mut Vec<u8>) -> Option<Type> {
    let [text, subtype] = match doc.count() {
        1 => two_fields(only_field(doc)?.as_document()?, ["base64", "subType"])?,
        _ => two_fields(doc, ["$binary", "$type"])?,
    };
    let (Value::String(text), Value::String(subtype)) = (text, subtype) else { return None };
    let digits = subtype.as_str();
    if digits.len() > 2 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let subtype = u8::from_str_radix(digits, 16).ok()?;
    let mut bytes = Vec::new();
    if subtype == 2 {
        // The old subtype repeats its length inside.
        bytes.extend_from_slice(&[0; 4]);
    }
    base64::decode(text.as_bytes(), &mut bytes)?;
    if subtype == 2 {
        let len = (bytes.len() - 4) as u32;
        bytes[..4].copy_from_slice(&len.to_le_bytes());
    }
    write_value(out, &Value::Binary { subtype, bytes: &bytes });
    Some(Type::Binary)
}

/// `{$regex: text, $options: text}`. Anything else with these names is the query operator.
fn legacy_regex(doc: RawDoc<'_>, out: &mut Vec<u8>) -> Option<Type> {
    let [pattern, options] = two_fields(doc, ["$regex", "$options"])?;
    regex(pattern, options, out)
}

fn regex(pattern: Value<'_>, options: Value<'_>, out: &mut Vec<u8>) -> Option<Type> {
    let (Value::String(pattern), Value::String(options)) = (pattern, options) else { return None };
    if pattern.as_bytes().contains(&0) || options.as_bytes().contains(&0) {
        return None;
    }
    let mut flags = options.as_bytes().to_vec();
    if flags.is_ascii() {
        flags.sort_unstable();
    }
    write_value(out, &Value::Regex { pattern, options: Str(&flags) });
    Some(Type::Regex)
}

fn only_field(doc: RawDoc<'_>) -> Option<Value<'_>> {
    let mut elements = doc.iter();
    let first = elements.next()?;
    elements.next().is_none().then_some(first.value)
}

/// The values of the two fields in the order of `names`; `None` unless these are all fields.
fn two_fields<'a>(doc: RawDoc<'a>, names: [&str; 2]) -> Option<[Value<'a>; 2]> {
    let values = [doc.get(names[0])?, doc.get(names[1])?];
    (doc.count() == 2).then_some(values)
}

fn integer(text: Str<'_>) -> Option<i64> {
    let is_integer =
        text.as_bytes().iter().enumerate().all(|(i, b)| b.is_ascii_digit() || i == 0 && *b == b'-');
    if is_integer { text.as_str().parse().ok() } else { None }
}

fn ordinal(value: Value<'_>) -> Option<u32> {
    match value {
        Value::Int32(n) => n.try_into().ok(),
        Value::Int64(n) => n.try_into().ok(),
        _ => None,
    }
}

fn double(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        // The standard library takes other spellings of these, which the specification does not have.
        _ if text.bytes().any(|byte| byte.is_ascii_alphabetic() && !byte.eq_ignore_ascii_case(&b'e')) => None,
        _ => text.parse().ok().filter(|double: &f64| double.is_finite()),
    }
}

fn hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (i, byte) in bytes.iter_mut().enumerate() {
        let high = char::from(digits[2 * i]).to_digit(16)?;
        let low = char::from(digits[2 * i + 1]).to_digit(16)?;
        *byte = (high << 4 | low) as u8;
    }
    Some(bytes)
}

fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    let hyphens = [8, 13, 18, 23];
    if text.len() != 36 || hyphens.iter().any(|&at| text[at] != b'-') {
        return None;
    }
    let digits: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'-').collect();
    hex(&digits)
}

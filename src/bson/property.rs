//! What the property tests of values and keys share: seeds, case counts, and nasty values.
//!
//! `PANDODB_PROPERTY_CASES` sets the number of cases of each test, `PANDODB_PROPERTY_SEED` repeats a run. In a long run
//! (`PANDODB_LONG`) each test has a hundred times as many cases.

use super::decimal128::{COEFFICIENT_END, Decimal128, EXPONENT_MAX, EXPONENT_MIN};
use super::raw::{RawArray, RawDoc, Str, Value};
use super::{ArrayBuilder, DocBuilder};
use fastrand::Rng;

/// A generator whose seed is printed, which the test runner shows when the test fails.
pub(crate) fn rng() -> Rng {
    let given = std::env::var("PANDODB_PROPERTY_SEED").ok().and_then(|text| text.parse().ok());
    let seed = given.unwrap_or_else(|| fastrand::u64(..));
    println!("PANDODB_PROPERTY_SEED={seed}");
    Rng::with_seed(seed)
}

/// How many cases to run.
pub(crate) fn cases(default: usize) -> usize {
    let given = std::env::var("PANDODB_PROPERTY_CASES").ok().and_then(|text| text.parse().ok());
    let factor = if std::env::var_os("PANDODB_LONG").is_some() { 100 } else { 1 };
    given.unwrap_or(default * factor)
}

pub(crate) fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())]
}

/// Integers near the places where representations change.
pub(crate) fn integer(rng: &mut Rng) -> i64 {
    let power = 1i64.checked_shl(rng.u32(..64)).unwrap_or(0);
    match rng.u8(..5) {
        0 => rng.i64(-3..4),
        1 => power.wrapping_add(rng.i64(-2..3)),
        2 => power.wrapping_neg().wrapping_add(rng.i64(-2..3)),
        3 => rng.i64(..) >> rng.u32(..64),
        _ => 10i64.pow(rng.u32(..19)).wrapping_mul(pick(rng, &[1, -1, 5, -5])).wrapping_add(rng.i64(-1..2)),
    }
}

pub(crate) fn double(rng: &mut Rng) -> f64 {
    match rng.u8(..7) {
        0 => pick(
            rng,
            &[
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                0.0,
                -0.0,
                f64::MAX,
                f64::MIN,
                f64::MIN_POSITIVE,
                5e-324,
            ],
        ),
        1 => integer(rng) as f64,
        2 => f64::from_bits((integer(rng) as f64).to_bits().wrapping_add_signed(rng.i64(-1..2))),
        3 => rng.i64(-1_000_000..1_000_000) as f64 / pick(rng, &[2.0, 10.0, 100.0, 1024.0, 3.0]),
        4 => f64::from_bits(rng.u64(..)),
        5 => 10f64.powi(rng.i32(-330..309)),
        _ => rng.f64(),
    }
}

pub(crate) fn decimal(rng: &mut Rng) -> Decimal128 {
    if rng.u8(..20) == 0 {
        // Any bits: non-canonical forms too.
        return Decimal128::from_bytes(rng.u128(..).to_le_bytes());
    }
    if rng.u8(..10) == 0 {
        return Decimal128::from_f64(double(rng));
    }
    let coefficient = match rng.u8(..5) {
        0 => u128::from(integer(rng).unsigned_abs()),
        1 => COEFFICIENT_END - 1 - u128::from(rng.u8(..3)),
        2 => 10u128.pow(rng.u32(..34)) * u128::from(rng.u8(1..10)),
        3 => (COEFFICIENT_END - 1) / 10u128.pow(rng.u32(..34)) / 2 + u128::from(rng.u8(..2)),
        _ => rng.u128(..COEFFICIENT_END) / 10u128.pow(rng.u32(..34)),
    };
    let exponent = match rng.u8(..6) {
        0 | 1 => rng.i32(-5..6),
        2 => rng.i32(-40..41),
        3 => rng.i32(-360..310),
        4 => pick(rng, &[EXPONENT_MIN, EXPONENT_MIN + 1, EXPONENT_MIN + 33, EXPONENT_MAX, EXPONENT_MAX - 33]),
        _ => rng.i32(EXPONENT_MIN..=EXPONENT_MAX),
    };
    Decimal128::finite_unchecked(rng.bool(), coefficient, exponent)
}

pub(crate) fn number(rng: &mut Rng) -> Value<'static> {
    match rng.u8(..4) {
        0 => Value::Int32(integer(rng) as i32),
        1 => Value::Int64(integer(rng)),
        2 => Value::Double(double(rng)),
        _ => Value::Decimal128(decimal(rng).to_bytes()),
    }
}

/// Numbers that equal `near` or lie next to it, in some type.
pub(crate) fn number_near(rng: &mut Rng, near: &Value<'_>) -> Value<'static> {
    let decimal = match near {
        Value::Int32(n) => Decimal128::from_i64(i64::from(*n)),
        Value::Int64(n) => Decimal128::from_i64(*n),
        Value::Double(v) => Decimal128::from_f64(*v),
        Value::Decimal128(bytes) => Decimal128::from_bytes(*bytes),
        _ => Decimal128::ZERO,
    };
    match rng.u8(..4) {
        0 => Value::Double(decimal.to_f64()),
        1 => Value::Double(f64::from_bits(decimal.to_f64().to_bits().wrapping_add_signed(rng.i64(-1..2)))),
        2 => Value::Int64((decimal.to_f64() as i64).wrapping_add(rng.i64(-1..2))),
        _ => {
            let bits = u128::from_le_bytes(decimal.to_bytes());
            let step = pick(rng, &[0, 0, 1, u128::MAX]);
            Value::Decimal128(bits.wrapping_add(step).to_le_bytes())
        }
    }
}

const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "a\0",
    "a\0b",
    "\0",
    "\0\0",
    "\u{1}",
    "a\u{1}",
    "a\u{2}",
    "é",
    "\u{10FFFF}",
    "0",
    "1",
    "aa",
];

fn text(rng: &mut Rng) -> Str<'static> {
    Str::from(pick(rng, TEXTS))
}

/// A text without NUL, as names and regular expressions have.
pub(crate) fn name(rng: &mut Rng) -> Str<'static> {
    Str::from(pick(rng, &["", "a", "b", "ab", "a\u{1}", "é", "0", "1"]))
}

/// Builds a value of any type into `doc` under `name`, nested down to `depth`.
pub(crate) fn push_any(rng: &mut Rng, doc: &mut DocBuilder, under: Str<'_>, depth: usize) {
    let nested = if depth == 0 { DocBuilder::new().finish() } else { document_bytes(rng, depth - 1) };
    let nested_doc = RawDoc::from_validated(&nested);
    let binary = pick(rng, &[&b""[..], b"a", b"\0", b"\xFF", b"ab", b"\0\xFF"]);
    let id = pick(rng, &[[0; 12], [0xFF; 12], [1; 12], *b"0123456789ab"]);
    let mut array = ArrayBuilder::new();
    for element in nested_doc.iter() {
        array.push(element.value);
    }
    let array = array.finish();
    let value = match rng.u8(..if depth == 0 { 16 } else { 20 }) {
        0 => Value::MinKey,
        1 => Value::MaxKey,
        2 => Value::Undefined,
        3 => Value::Null,
        4..=6 => number(rng),
        7 => Value::String(text(rng)),
        8 => Value::Symbol(text(rng)),
        9 => Value::Binary { subtype: pick(rng, &[0, 2, 4, 0x80, 0xFF]), bytes: binary },
        10 => Value::ObjectId(id),
        11 => Value::Bool(rng.bool()),
        12 => Value::DateTime(integer(rng)),
        13 => Value::Timestamp(integer(rng) as u64),
        14 => Value::Regex { pattern: name(rng), options: name(rng) },
        15 if rng.bool() => Value::DbPointer { namespace: text(rng), id },
        15 => Value::Code(text(rng)),
        16 => Value::CodeWithScope { code: text(rng), scope: nested_doc },
        17 => Value::Array(RawArray::from_validated(&array)),
        _ => Value::Document(nested_doc),
    };
    doc.push(under, value);
}

/// A document of up to three fields.
pub(crate) fn document_bytes(rng: &mut Rng, depth: usize) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    for _ in 0..rng.u8(..4) {
        let under = name(rng);
        push_any(rng, &mut doc, under, depth);
    }
    doc.finish()
}

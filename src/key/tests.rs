//! The properties of keys, over generated nasty values.

use super::*;
use crate::bson::order::{compare, equal};
use crate::bson::property::{cases, document_bytes, integer, number, number_near, pick, push_any, rng};
use crate::bson::raw::{RawDoc, Str, Value};
use crate::bson::validate::{Fault, Limits, validate};
use crate::bson::{Decimal128, DocBuilder};
use Direction::{Ascending, Descending};
use fastrand::Rng;
use std::cmp::Ordering;

fn key(value: &Value<'_>, direction: Direction) -> Vec<u8> {
    let mut out = Vec::new();
    encode_value(value, direction, &mut out);
    out
}

fn check_pair(a: &Value<'_>, b: &Value<'_>) {
    let (x, y) = (key(a, Ascending), key(b, Ascending));
    assert_eq!(x.cmp(&y), compare(a, b), "{a:?} as {x:02x?}\n{b:?} as {y:02x?}");
    let (p, q) = (key(a, Descending), key(b, Descending));
    assert_eq!(p.cmp(&q), compare(b, a), "descending {a:?} {b:?}");
    assert!(x == y || !(x.starts_with(&y) || y.starts_with(&x)), "{a:?} {b:?}: one is a prefix");
}

#[test]
fn numbers_compare_as_their_keys() {
    let mut rng = rng();
    for _ in 0..cases(30_000) {
        let a = number(&mut rng);
        let b = if rng.bool() { number(&mut rng) } else { number_near(&mut rng, &a) };
        check_pair(&a, &b);
    }
    println!("must hold: numbers compare as their keys: {} pairs", cases(30_000));
}

#[test]
fn values_of_all_types_compare_as_their_keys() {
    let mut rng = rng();
    for _ in 0..cases(10_000) {
        // Many pairs from few values: equal ones and close ones come up often.
        let mut doc = DocBuilder::new();
        for _ in 0..8 {
            push_any(&mut rng, &mut doc, Str::from("v"), 3);
        }
        let bytes = doc.finish();
        let values: Vec<Value> = RawDoc::from_validated(&bytes).iter().map(|e| e.value).collect();
        let (a, b) = (pick(&mut rng, &values), pick(&mut rng, &values));
        check_pair(&a, &b);
    }
    println!("must hold: values of all types compare as their keys: {} pairs", cases(10_000));
}

#[test]
fn order_is_transitive() {
    let mut rng = rng();
    for _ in 0..cases(10_000) {
        let a = number(&mut rng);
        let (b, c) = (number_near(&mut rng, &a), number_near(&mut rng, &a));
        let (ab, bc, ac) = (compare(&a, &b), compare(&b, &c), compare(&a, &c));
        if ab == bc || bc == Ordering::Equal {
            assert_eq!(ac, ab, "{a:?} {b:?} {c:?}");
        }
        assert_eq!(compare(&b, &a), ab.reverse(), "{a:?} {b:?}");
    }
}

#[test]
fn compound_keys_compare_field_by_field() {
    let mut rng = rng();
    for _ in 0..cases(10_000) {
        let directions = [pick(&mut rng, &[Ascending, Descending]), pick(&mut rng, &[Ascending, Descending])];
        let mut doc = DocBuilder::new();
        for _ in 0..4 {
            push_any(&mut rng, &mut doc, Str::from("v"), 1);
        }
        let bytes = doc.finish();
        let v: Vec<Value> = RawDoc::from_validated(&bytes).iter().map(|e| e.value).collect();
        let left = [pick(&mut rng, &v), v[1]];
        let right = [v[2], pick(&mut rng, &v)];
        let tail: [Vec<u8>; 2] = [vec![rng.u8(..); rng.usize(..3)], vec![rng.u8(..); rng.usize(..3)]];
        let encoded = |tuple: &[Value<'_>; 2], tail: &[u8]| {
            let mut out = Vec::new();
            encode(tuple.iter().copied().zip(directions), &mut out);
            out.extend_from_slice(tail);
            out
        };
        let fields = (0..2).map(|i| directions[i].apply(compare(&left[i], &right[i])));
        let expected = fields.fold(Ordering::Equal, Ordering::then).then(tail[0].cmp(&tail[1]));
        assert_eq!(encoded(&left, &tail[0]).cmp(&encoded(&right, &tail[1])), expected, "{left:?} {right:?}");
    }
}

fn random_fields(rng: &mut Rng) -> (Vec<u8>, Vec<(&'static str, Direction)>) {
    let mut doc = DocBuilder::new();
    let mut fields = Vec::new();
    for name in ["a", "b", "c"] {
        if rng.u8(..5) > 0 {
            push_any(rng, &mut doc, Str::from(name), 2);
        }
        fields.push((name, pick(rng, &[Ascending, Descending])));
    }
    (doc.finish(), fields)
}

#[test]
fn with_type_bits_the_stored_bytes_come_back() {
    let mut rng = rng();
    for _ in 0..cases(10_000) {
        let (bytes, fields) = random_fields(&mut rng);
        let doc = RawDoc::from_validated(&bytes);
        let (mut out, mut bits, mut plain) = (Vec::new(), TypeBits::new(), Vec::new());
        for (name, direction) in &fields {
            let value = doc.get(name);
            encode_with_bits(value.as_ref(), *direction, &mut out, &mut bits);
            match value {
                Some(value) => encode_value(&value, *direction, &mut plain),
                None => encode_missing(*direction, &mut plain),
            }
        }
        assert_eq!(out, plain, "type bits do not change the key");
        let len = out.len();
        out.push(rng.u8(..));
        let (back, read) = decode(&out, &fields, bits.as_bytes()).unwrap();
        assert_eq!(back, bytes, "{doc:?}: {out:02x?} {bits:?}");
        assert_eq!(read, len);
        let (back, _) = decode(&out, &fields, &[]).unwrap();
        for (name, _) in &fields {
            let value = RawDoc::from_validated(&back).get(name).unwrap();
            assert!(equal(&value, &doc.get(name).unwrap_or(Value::Null)), "{value:?} in {doc:?}");
        }
    }
}

#[test]
fn garbage_is_an_error_or_a_value() {
    let mut rng = rng();
    for _ in 0..cases(30_000) {
        let (bytes, fields) = random_fields(&mut rng);
        let mut bits = TypeBits::new();
        let mut out = Vec::new();
        for (name, direction) in &fields {
            let value = RawDoc::from_validated(&bytes).get(name);
            encode_with_bits(value.as_ref(), *direction, &mut out, &mut bits);
        }
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..out.len());
            match rng.u8(..3) {
                0 => out[at] = rng.u8(..),
                1 => out.truncate(at + 1),
                _ => out.insert(at, rng.u8(..)),
            }
        }
        let bits: Vec<u8> = match rng.bool() {
            true => bits.as_bytes().to_vec(),
            false => (0..rng.u8(..4)).map(|_| rng.u8(..9)).collect(),
        };
        if let Ok((doc, read)) = decode(&out, &fields, &bits) {
            assert!(read <= out.len());
            if let Err(error) = validate(&doc, Limits::STORED) {
                assert_eq!(error.fault, Fault::NotUtf8, "texts are not looked at, all else is sound");
            }
        }
    }
}

#[test]
fn deep_garbage_is_refused() {
    assert!(decode(&[tag::ARRAY; 100_000], &[("a", Ascending)], &[]).is_err());
    assert!(decode(&[!tag::ARRAY; 100_000], &[("a", Descending)], &[]).is_err());
    assert_eq!(decode(&[], &[("a", Ascending)], &[]), Err(KeyDecodeError { offset: 0 }));
}

#[test]
fn sizes() {
    let size = |value: Value<'_>| key(&value, Ascending).len();
    assert_eq!(size(Value::ObjectId([7; 12])), 13);
    assert_eq!(size(Value::Int32(0)), 1);
    assert_eq!(size(Value::Int32(127)), 2);
    assert_eq!(size(Value::Double(-127.0)), 2);
    assert_eq!(size(Value::Int32(32_767)), 3);
    assert_eq!(size(Value::Int32(1_000_000)), 4);
    assert_eq!(size(Value::Int64(i64::MAX)), 9);
    assert_eq!(size(Value::Double(0.1)), 9);
    assert_eq!(size(Value::Double(1234.5)), 9);
    assert_eq!(size(Value::Double(1e300)), 9);
    assert_eq!(size(Value::Decimal128("19.99".parse::<Decimal128>().unwrap().to_bytes())), 13);
    assert_eq!(size("hello".into()), 7);
    assert_eq!(size(Value::DateTime(0)), 9);
    assert_eq!(size(Value::Null), 1);
}

#[test]
fn likely_values_have_no_type_bits() {
    let mut bits = TypeBits::new();
    let decimal = Value::Decimal128("19.99".parse::<Decimal128>().unwrap().to_bytes());
    for value in
        [Value::Int32(5), Value::Double(1.5), "text".into(), Value::Int64(1 << 40), Value::Null, decimal]
    {
        encode_with_bits(Some(&value), Ascending, &mut Vec::new(), &mut bits);
    }
    assert_eq!(bits.as_bytes(), &[]);
    encode_with_bits(Some(&Value::Double(5.0)), Ascending, &mut Vec::new(), &mut bits);
    assert_eq!(bits.as_bytes().len(), 7);
}

#[test]
fn brackets_hold_their_types_and_no_others() {
    let mut rng = rng();
    for _ in 0..cases(10_000) {
        let bytes = document_bytes(&mut rng, 1);
        let other = document_bytes(&mut rng, 1);
        let kinds = RawDoc::from_validated(&other);
        for (element, kind) in RawDoc::from_validated(&bytes).iter().zip(kinds.iter().map(|e| e.value.kind()))
        {
            let is_of =
                crate::bson::canonical_type(element.value.kind()) == crate::bson::canonical_type(kind);
            for direction in [Ascending, Descending] {
                let (from, to) = bracket(kind, direction);
                let key = key(&element.value, direction);
                let within = key.as_slice() >= &[from][..] && key.as_slice() < &[to][..];
                assert_eq!(within, is_of, "{:?} {kind:?} {direction:?}", element.value);
                assert!(key.as_slice() > &[LOWEST][..] && key.as_slice() < &[HIGHEST][..]);
            }
        }
    }
}

#[test]
fn successors_of_prefixes() {
    let successor = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        prefix_successor(&mut bytes).then_some(bytes)
    };
    assert_eq!(successor(&[1, 2]), Some(vec![1, 3]));
    assert_eq!(successor(&[1, 0xFF, 0xFF]), Some(vec![2]));
    assert_eq!(successor(&[0xFF]), None);
    assert_eq!(successor(&[]), None);
    let mut rng = rng();
    for _ in 0..cases(2_000) {
        let value = Value::Int64(integer(&mut rng));
        let mut above = key(&value, Ascending);
        let longer = [above.as_slice(), &[0xFF; 9]].concat();
        assert!(prefix_successor(&mut above));
        assert!(above > longer);
    }
}

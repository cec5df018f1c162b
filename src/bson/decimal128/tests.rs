//! Properties against exact integers of any size, and the specification's examples.

use super::{COEFFICIENT_END, Decimal128, EXPONENT_MAX, EXPONENT_MIN, ParseDecimalError, Parts};
use crate::bson::property::{cases, decimal, double, number_near, rng};
use crate::bson::raw::Value;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

fn parse(text: &str) -> Decimal128 {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// A fraction; the denominator is above 0.
struct Ratio {
    above: BigInt,
    below: BigInt,
}

fn pow10(n: i32) -> BigInt {
    BigInt::from(10).pow(n as u32)
}

fn ratio(value: Decimal128) -> Option<Ratio> {
    let Parts::Finite { negative, coefficient, exponent } = value.parts() else { return None };
    let coefficient = BigInt::from(coefficient) * if negative { -1 } else { 1 };
    Some(match exponent {
        0.. => Ratio { above: coefficient * pow10(exponent), below: BigInt::from(1) },
        _ => Ratio { above: coefficient, below: pow10(-exponent) },
    })
}

fn ratio_f64(value: f64) -> Ratio {
    let (mantissa, power) = super::compare::binary_parts(value.abs());
    let mantissa = BigInt::from(mantissa) * if value < 0.0 { -1 } else { 1 };
    let two = BigInt::from(2);
    match power {
        0.. => Ratio { above: mantissa * two.pow(power as u32), below: BigInt::from(1) },
        _ => Ratio { above: mantissa, below: two.pow(-power as u32) },
    }
}

fn order(a: &Ratio, b: &Ratio) -> Ordering {
    (&a.above * &b.below).cmp(&(&b.above * &a.below))
}

/// The fraction rounded to `digits` digits within the exponents' range: what every operation has to give.
fn nearest(exact: &Ratio, digits: i32) -> Decimal128 {
    let negative = exact.above.sign() == Sign::Minus;
    let above = exact.above.magnitude().clone();
    let below = exact.below.magnitude().clone();
    if above == 0u32.into() {
        return Decimal128::ZERO;
    }
    let mut exponent = above.to_string().len() as i32 - below.to_string().len() as i32 - digits - 1;
    exponent = exponent.max(EXPONENT_MIN);
    let ten = num_bigint::BigUint::from(10u32);
    loop {
        let (scaled_above, scaled_below) = if exponent >= 0 {
            (above.clone(), &below * ten.pow(exponent as u32))
        } else {
            (&above * ten.pow(-exponent as u32), below.clone())
        };
        let mut quotient = &scaled_above / &scaled_below;
        let twice_rest = (&scaled_above % &scaled_below) * 2u32;
        let is_odd = quotient.bit(0);
        match twice_rest.cmp(&scaled_below) {
            Ordering::Greater => quotient += 1u32,
            Ordering::Equal if is_odd => quotient += 1u32,
            _ => {}
        }
        if quotient <= ten.pow(digits as u32) {
            let quotient: u128 = quotient.try_into().unwrap();
            if exponent > EXPONENT_MAX {
                return Decimal128::infinity(negative);
            }
            let full = quotient == COEFFICIENT_END;
            let (quotient, exponent) =
                if full { (quotient / 10, exponent + 1) } else { (quotient, exponent) };
            if exponent > EXPONENT_MAX {
                return Decimal128::infinity(negative);
            }
            return Decimal128::finite_unchecked(negative, quotient, exponent);
        }
        exponent += 1;
    }
}

fn same_value(a: Decimal128, b: Decimal128) -> bool {
    a.compare(b) == Ordering::Equal
}

#[test]
fn arithmetic_is_exact_then_rounded_once() {
    let mut rng = rng();
    for _ in 0..cases(3_000) {
        let a = decimal(&mut rng);
        let b = match rng.u8(..3) {
            0 => Decimal128::finite_unchecked(rng.bool(), rng.u128(..COEFFICIENT_END), rng.i32(-40..41)),
            _ => decimal(&mut rng),
        };
        let (Some(x), Some(y)) = (ratio(a), ratio(b)) else { continue };
        let cross = |sign: i32| Ratio {
            above: &x.above * &y.below + &y.above * &x.below * sign,
            below: &x.below * &y.below,
        };
        let sum = nearest(&cross(1), 34);
        assert!(same_value(a.add(b), sum), "{a} + {b} = {sum}, not {}", a.add(b));
        let difference = nearest(&cross(-1), 34);
        assert!(same_value(a.subtract(b), difference), "{a} - {b} = {difference}");
        let product = nearest(&Ratio { above: &x.above * &y.above, below: &x.below * &y.below }, 34);
        assert!(same_value(a.multiply(b), product), "{a} * {b} = {product}, not {}", a.multiply(b));
        if b.is_zero() {
            continue;
        }
        let sign = if b.is_negative() { -1 } else { 1 };
        let quotient = Ratio { above: &x.above * &y.below * sign, below: &y.above * &x.below * sign };
        let rounded = nearest(&quotient, 34);
        assert!(same_value(a.divide(b), rounded), "{a} / {b} = {rounded}, not {}", a.divide(b));
        let whole = &quotient.above / &quotient.below;
        let rest =
            Ratio { above: &x.above * &y.below - whole * &y.above * &x.below, below: &x.below * &y.below };
        let remainder = nearest(&rest, 34);
        assert!(same_value(a.remainder(b), remainder), "{a} rem {b} = {remainder}, not {}", a.remainder(b));
    }
}

#[test]
fn order_and_conversion_of_doubles_are_exact() {
    let mut rng = rng();
    for _ in 0..cases(3_000) {
        let a = decimal(&mut rng);
        let near = match number_near(&mut rng, &Value::Decimal128(a.to_bytes())) {
            Value::Double(near) if near.is_finite() => near,
            _ => double(&mut rng),
        };
        let Some(x) = ratio(a) else { continue };
        if near.is_finite() {
            let y = ratio_f64(near);
            assert_eq!(a.compare_f64(near), order(&x, &y), "{a} against {near:e}");
            let converted = Decimal128::from_f64(near);
            assert!(same_value(converted, nearest(&y, 34)), "{near:e} gives {converted}");
            let short = Decimal128::from_f64_15_digits(near);
            assert!(same_value(short, nearest(&y, 15)), "{near:e} gives {short}");
        }
        let to = a.to_f64();
        let truncated = a.to_f64_truncated();
        assert!(a.abs().compare_f64(truncated.abs()) != Ordering::Less, "{a} truncated is {truncated:e}");
        assert!(a.abs().compare_f64(f64::from_bits(truncated.abs().to_bits() + 1)) == Ordering::Less);
        if to.is_finite() {
            let distance = |y: f64| {
                let y = ratio_f64(y);
                let above = &x.above * &y.below - &y.above * &x.below;
                Ratio { above: above.magnitude().clone().into(), below: &x.below * &y.below }
            };
            let mine = distance(to);
            for other in [to.to_bits() + 1, to.to_bits().wrapping_sub(1)]
                .into_iter()
                .map(f64::from_bits)
                .filter(|v| v.is_finite())
            {
                assert_ne!(order(&mine, &distance(other)), Ordering::Greater, "{a} as {to:e}");
            }
        } else {
            assert_ne!(a.abs().compare_f64(f64::MAX), Ordering::Less);
        }
    }
}

#[test]
fn order_agrees_with_fractions() {
    let mut rng = rng();
    for _ in 0..cases(5_000) {
        let a = decimal(&mut rng);
        let b = match number_near(&mut rng, &Value::Decimal128(a.to_bytes())) {
            Value::Decimal128(bytes) => Decimal128::from_bytes(bytes),
            _ => decimal(&mut rng),
        };
        if let (Some(x), Some(y)) = (ratio(a), ratio(b)) {
            assert_eq!(a.compare(b), order(&x, &y), "{a} against {b}");
        }
    }
}

#[test]
fn text_round_trips() {
    let mut rng = rng();
    for _ in 0..cases(20_000) {
        let a = decimal(&mut rng);
        let back = parse(&a.to_string());
        assert_eq!(back.parts(), a.parts(), "{a}");
        let theirs = bson::Decimal128::from_bytes(a.to_bytes()).to_string();
        assert_eq!(a.to_string(), theirs);
    }
}

#[test]
fn text_of_the_specification() {
    for text in [
        "0",
        "-0",
        "0E-6176",
        "0E+6111",
        "1",
        "1.000",
        "0.001234",
        "0.00001234",
        "0.000001234",
        "1.234E-7",
        "1E+3",
        "1.23456E+8",
        "1234567890123456789012345678901234",
        "9.999999999999999999999999999999999E+6144",
        "1E-6176",
        "NaN",
        "Infinity",
        "-Infinity",
        "-1.2E-10",
        "0.000000",
        "0E-7",
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
    for (text, shown) in [
        ("+1.5", "1.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("inF", "Infinity"),
        ("-nan", "NaN"),
        ("1e3", "1E+3"),
        ("0000000000000000000000000000000000000000000000000001", "1"),
        ("10000000000000000000000000000000000", "1.000000000000000000000000000000000E+34"),
        ("1E6144", "1.000000000000000000000000000000000E+6144"),
        ("0E+9999", "0E+6111"),
        ("0E-999999999999", "0E-6176"),
        ("10E-6177", "1E-6176"),
    ] {
        assert_eq!(parse(text).to_string(), shown, "{text}");
    }
    for text in
        ["", "+", ".", "e5", "1e", "1e+", "1.2.3", "--1", "1 ", " 1", "1a", "Infinit", "0x1", "1e1.5", "é"]
    {
        assert_eq!(text.parse::<Decimal128>(), Err(ParseDecimalError::Syntax), "{text:?}");
    }
    for (text, rounded) in [
        ("12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34"),
        ("12345678901234567890123456789012355", "1.234567890123456789012345678901236E+34"),
        ("1000000000000000000000000000000000500000001", "1.000000000000000000000000000000001E+42"),
        ("1E6145", "Infinity"),
        ("-1E99999999999", "-Infinity"),
        ("5E-6177", "0E-6176"),
        ("15E-6177", "2E-6176"),
        ("-1E-9999", "-0E-6176"),
    ] {
        assert_eq!(text.parse::<Decimal128>(), Err(ParseDecimalError::Inexact), "{text}");
        assert_eq!(Decimal128::parse_rounded(text).unwrap().0.to_string(), rounded, "{text}");
    }
}

#[test]
fn exponents_of_results() {
    for (a, op, b, result) in [
        ("1", "+", "2.00", "3.00"),
        ("1E+3", "+", "0", "1000"),
        ("1E+300", "+", "0", "1.000000000000000000000000000000000E+300"),
        ("1E+300", "+", "-1E-300", "1.000000000000000000000000000000000E+300"),
        ("5", "+", "-5.00", "0.00"),
        ("-0", "+", "-0", "-0"),
        ("-0", "+", "0", "0"),
        ("Infinity", "+", "-Infinity", "NaN"),
        ("Infinity", "+", "-5", "Infinity"),
        ("1.20", "*", "3.0", "3.600"),
        ("-0", "*", "5", "-0"),
        ("Infinity", "*", "0", "NaN"),
        ("9E+6111", "*", "1E+33", "9.000000000000000000000000000000000E+6144"),
        ("9E+6111", "*", "1E+34", "Infinity"),
        ("1E-6176", "*", "0.5", "0E-6176"),
        ("1", "/", "3", "0.3333333333333333333333333333333333"),
        ("6", "/", "3", "2"),
        ("1", "/", "8", "0.125"),
        ("100", "/", "1E+2", "1.00"),
        ("1", "/", "0", "Infinity"),
        ("-1", "/", "0", "-Infinity"),
        ("0", "/", "0", "NaN"),
        ("5", "/", "Infinity", "0E-6176"),
        ("7", "%", "3", "1"),
        ("-7", "%", "3", "-1"),
        ("7.5", "%", "2", "1.5"),
        ("1E+6111", "%", "7", "6"),
        ("5", "%", "0", "NaN"),
        ("5", "%", "Infinity", "5"),
        ("1E-6176", "%", "1E+6111", "1E-6176"),
    ] {
        let (x, y) = (parse(a), parse(b));
        let value = match op {
            "+" => x.add(y),
            "*" => x.multiply(y),
            "/" => x.divide(y),
            _ => x.remainder(y),
        };
        assert_eq!(value.to_string(), result, "{a} {op} {b}");
    }
}

#[test]
fn integers_and_quantize() {
    for n in [0, 1, -1, i64::MAX, i64::MIN, 1 << 53] {
        assert_eq!(Decimal128::from_i64(n).to_i64_exact(), Some(n));
    }
    assert_eq!(parse("9223372036854775808").to_i64_exact(), None);
    assert_eq!(parse("-9223372036854775808.0").to_i64_exact(), Some(i64::MIN));
    assert_eq!(parse("1.5").to_i64_exact(), None);
    assert_eq!(parse("0.1").to_i64_exact(), None);
    assert_eq!(parse("1E+18").to_i64_exact(), Some(1_000_000_000_000_000_000));
    assert_eq!(parse("1E-6176").to_i64_exact(), None);
    assert_eq!(parse("2.5").quantize(0).to_string(), "2");
    assert_eq!(parse("3.5").quantize(0).to_string(), "4");
    assert_eq!(parse("1").quantize(-3).to_string(), "1.000");
    assert_eq!(parse("1E-50").quantize(0).to_string(), "0");
    assert!(parse("1E+40").quantize(0).is_nan());
    assert_eq!(Decimal128::from_f64_15_digits(5.0).to_string(), "5.00000000000000");
    assert_eq!(Decimal128::from_f64_15_digits(0.1).to_string(), "0.100000000000000");
    assert_eq!(Decimal128::from_f64_15_digits(1e-320).to_string(), "9.99988867182683E-321");
    assert_eq!(Decimal128::from_f64_15_digits(-0.0).to_string(), "-0");
    assert_eq!(parse("0.1").to_f64_exact(), None);
    assert_eq!(parse("0.5").to_f64_exact(), Some(0.5));
}

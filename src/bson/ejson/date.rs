//! Dates as RFC 3339 texts, in milliseconds since 1970.

const DAY_MILLIS: i64 = 86_400_000;

/// The date's text if its year is from 1970 to 9999, with milliseconds only where they are not 0.
pub(super) fn write(millis: i64, out: &mut String) -> Option<()> {
    const YEAR_10000_MILLIS: i64 = 253_402_300_800_000;
    if !(0..YEAR_10000_MILLIS).contains(&millis) {
        return None;
    }
    let (days, in_day) = (millis / DAY_MILLIS, millis % DAY_MILLIS);
    let (year, month, day) = civil(days);
    let seconds = in_day / 1000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    out.push_str(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"));
    if in_day % 1000 != 0 {
        out.push_str(&format!(".{:03}", in_day % 1000));
    }
    out.push('Z');
    Some(())
}

/// The milliseconds of `2012-12-24T12:15:30.501Z`; instead of Z an offset ±hh:mm, ±hhmm or ±hh. Digits behind the
/// milliseconds are cut off.
pub(super) fn parse(text: &str) -> Option<i64> {
    let mut rest = text.as_bytes();
    let year = number(&mut rest, 4)?;
    byte(&mut rest, b"-")?;
    let month = number(&mut rest, 2)?;
    byte(&mut rest, b"-")?;
    let day = number(&mut rest, 2)?;
    byte(&mut rest, b"Tt ")?;
    let hour = number(&mut rest, 2)?;
    byte(&mut rest, b":")?;
    let minute = number(&mut rest, 2)?;
    byte(&mut rest, b":")?;
    let second = number(&mut rest, 2)?;
    let mut millis = 0;
    if byte(&mut rest, b".").is_some() {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        let given = rest[..digits].iter().map(|digit| i64::from(digit - b'0'));
        for digit in given.chain(std::iter::repeat(0)).take(3) {
            millis = millis * 10 + digit;
        }
        rest = &rest[digits..];
    }
    let offset_minutes = offset(&mut rest)?;
    let is_date = (1..=12).contains(&month) && day >= 1 && day <= days_in(year, month);
    if !is_date || hour > 23 || minute > 59 || second > 59 || !rest.is_empty() {
        return None;
    }
    let seconds = (hour * 60 + minute - offset_minutes) * 60 + second;
    Some(days_since_1970(year, month, day) * DAY_MILLIS + seconds * 1000 + millis)
}

fn offset(rest: &mut &[u8]) -> Option<i64> {
    if byte(rest, b"Zz").is_some() {
        return Some(0);
    }
    let negative = byte(rest, b"+-")? == b'-';
    let hours = number(rest, 2)?;
    let colon = byte(rest, b":").is_some();
    let minutes = if colon || !rest.is_empty() { number(rest, 2)? } else { 0 };
    let total = hours * 60 + minutes;
    (hours < 24 && minutes < 60).then_some(if negative { -total } else { total })
}

fn number(rest: &mut &[u8], digits: usize) -> Option<i64> {
    let (head, tail) = rest.split_at_checked(digits)?;
    *rest = tail;
    head.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0')))
}

fn byte(rest: &mut &[u8], one_of: &[u8]) -> Option<u8> {
    let (&first, tail) = rest.split_first()?;
    one_of.contains(&first).then(|| *rest = tail)?;
    Some(first)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar; years begin in March, so that the leap day is last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = (shifted_month + 2) % 12 + 1;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..5_000 {
            let millis = rng.i64(0..253_402_300_800_000);
            let mut text = String::new();
            write(millis, &mut text).unwrap();
            assert_eq!(parse(&text), Some(millis), "{text}");
        }
        let mut text = String::new();
        assert!(write(-1, &mut text).is_none() && write(253_402_300_800_000, &mut text).is_none());
    }

    #[test]
    fn known_dates() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2012-12-24T12:15:30.501Z", Some(1356351330501)),
            ("2012-12-24T12:15:30.5Z", Some(1356351330500)),
            ("2012-12-24T12:15:30.501999Z", Some(1356351330501)),
            ("2012-12-24T12:15:30.501+01:00", Some(1356347730501)),
            ("2012-12-24T12:15:30.501-0130", Some(1356356730501)),
            ("2012-12-24T12:15:30.501+01", Some(1356347730501)),
            ("1969-12-31T23:59:59.999Z", Some(-1)),
            ("0001-01-01T00:00:00Z", Some(-62135596800000)),
            ("9999-12-31T23:59:59.999Z", Some(253402300799999)),
            ("2000-02-29T00:00:00Z", Some(951782400000)),
            ("1900-02-29T00:00:00Z", None),
            ("2012-12-24", None),
            ("2012-12-24T12:15:30", None),
            ("2012-13-24T12:15:30Z", None),
            ("2012-12-24T24:15:30Z", None),
            ("2012-12-24T12:15:30.Z", None),
            ("2012-12-24T12:15:30ZZ", None),
            ("2012-12-24T12:15:30+1", None),
            ("é", None),
        ] {
            assert_eq!(parse(text), millis, "{text}");
        }
    }
}

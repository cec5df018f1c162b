//! Reading JSON into BSON bytes, in one pass. An object is first written as a document; if one of its names begins with
//! `$`, [`forms`] looks whether it stands for another type, and replaces the bytes.

use super::{ParseError, ParseErrorKind, forms};
use crate::bson::raw::Type;
use crate::bson::validate::Limits;

/// A document read from the start of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The BSON bytes of the document.
    pub bytes: Vec<u8>,
    /// How much of the text was read, in bytes.
    pub text_bytes: usize,
}

/// Reads a text that is one document.
pub fn parse_document(text: &[u8], limits: Limits) -> Result<Vec<u8>, ParseError> {
    let parsed = parse_prefix(text, limits)?;
    let rest = &text[parsed.text_bytes..];
    match rest.iter().position(|byte| !is_space(*byte)) {
        None => Ok(parsed.bytes),
        Some(at) => Err(ParseError { offset: parsed.text_bytes + at, kind: ParseErrorKind::Trailing }),
    }
}

/// Reads the document at the start of a text that may go on behind it, as in files of one document per line.
pub fn parse_prefix(text: &[u8], limits: Limits) -> Result<Parsed, ParseError> {
    let mut parser = Parser { text, at: 0, out: Vec::new(), limits };
    parser.skip_space();
    let start = parser.at;
    let kind = parser.value(0)?;
    if kind != Type::Document {
        return Err(ParseError { offset: start, kind: ParseErrorKind::NotADocument });
    }
    Ok(Parsed { bytes: parser.out, text_bytes: parser.at })
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    out: Vec<u8>,
    limits: Limits,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

impl Parser<'_> {
    fn error<T>(&self, kind: ParseErrorKind) -> Result<T, ParseError> {
        Err(ParseError { offset: self.at, kind })
    }

    fn expected<T>(&self, what: &'static str) -> Result<T, ParseError> {
        match self.at == self.text.len() {
            true => self.error(ParseErrorKind::UnexpectedEnd),
            false => self.error(ParseErrorKind::Expected(what)),
        }
    }

    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(|&byte| is_space(byte)) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Reads a value within `depth` documents and arrays, and appends its bytes.
    fn value(&mut self, depth: usize) -> Result<Type, ParseError> {
        match self.text.get(self.at) {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => {
                let start = self.out.len();
                self.out.extend_from_slice(&[0; 4]);
                self.string()?;
                self.out.push(0);
                let len = (self.out.len() - start - 4) as u32;
                self.out[start..start + 4].copy_from_slice(&len.to_le_bytes());
                Ok(Type::String)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Type::Bool, &[1]),
            Some(b'f') => self.word("false", Type::Bool, &[0]),
            Some(b'n') => self.word("null", Type::Null, &[]),
            _ => self.expected("a value"),
        }
    }

    fn word(&mut self, word: &'static str, kind: Type, bytes: &[u8]) -> Result<Type, ParseError> {
        if !self.text[self.at..].starts_with(word.as_bytes()) {
            return self.expected("a value");
        }
        self.at += word.len();
        self.out.extend_from_slice(bytes);
        Ok(kind)
    }

    fn open(&mut self, depth: usize) -> Result<usize, ParseError> {
        // A type wrapper that holds another, as a date's, is no level in the end; let it pass here.
        if depth >= self.limits.depth_max + 2 {
            return self.error(ParseErrorKind::TooDeep { depth_max: self.limits.depth_max });
        }
        self.at += 1;
        self.skip_space();
        let start = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        Ok(start)
    }

    fn close(&mut self, start: usize, depth: usize) -> Result<(), ParseError> {
        self.out.push(0);
        let len = self.out.len() - start;
        if self.out.len() > self.limits.bytes_max {
            return self.error(ParseErrorKind::TooLarge { bytes_max: self.limits.bytes_max });
        }
        if depth >= self.limits.depth_max && len > 5 {
            return self.error(ParseErrorKind::TooDeep { depth_max: self.limits.depth_max });
        }
        self.out[start..start + 4].copy_from_slice(&(len as u32).to_le_bytes());
        Ok(())
    }

    fn object(&mut self, depth: usize) -> Result<Type, ParseError> {
        let offset = self.at;
        let start = self.open(depth)?;
        let mut has_dollar = false;
        if !self.take(b'}') {
            loop {
                let kind_at = self.out.len();
                self.out.push(0);
                if self.text.get(self.at) != Some(&b'"') {
                    return self.expected("a field name");
                }
                let name_at = self.at;
                self.string()?;
                let name = &self.out[kind_at + 1..];
                if name.contains(&0) {
                    return Err(ParseError { offset: name_at, kind: ParseErrorKind::Nul });
                }
                has_dollar |= name.first() == Some(&b'$');
                self.out.push(0);
                self.skip_space();
                if !self.take(b':') {
                    return self.expected("a colon");
                }
                self.skip_space();
                self.out[kind_at] = self.value(depth + 1)? as u8;
                self.skip_space();
                if self.take(b'}') {
                    break;
                }
                if !self.take(b',') {
                    return self.expected("a comma or a closing brace");
                }
                self.skip_space();
            }
        }
        if has_dollar {
            let plain_len = self.out.len() + 1 - start;
            self.out.push(0);
            self.out[start..start + 4].copy_from_slice(&(plain_len as u32).to_le_bytes());
            match forms::replace(&mut self.out, start) {
                Ok(Some(kind)) => return Ok(kind),
                Ok(None) => self.out.truncate(start + plain_len - 1),
                Err(kind) => return Err(ParseError { offset, kind }),
            }
        }
        self.close(start, depth)?;
        Ok(Type::Document)
    }

    fn array(&mut self, depth: usize) -> Result<Type, ParseError> {
        let start = self.open(depth)?;
        if !self.take(b']') {
            for index in 0u32.. {
                let kind_at = self.out.len();
                self.out.push(0);
                let mut name = crate::bson::decimal128::ShortText::new();
                name.integer(u128::from(index));
                self.out.extend_from_slice(name.as_str().as_bytes());
                self.out.push(0);
                self.out[kind_at] = self.value(depth + 1)? as u8;
                self.skip_space();
                if self.take(b']') {
                    break;
                }
                if !self.take(b',') {
                    return self.expected("a comma or a closing bracket");
                }
                self.skip_space();
            }
        }
        self.close(start, depth)?;
        Ok(Type::Array)
    }

    /// Appends the bytes of the JSON string at the current offset, without length and terminator.
    fn string(&mut self) -> Result<(), ParseError> {
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
            let Some(plain) = plain else {
                self.at = self.text.len();
                return self.error(ParseErrorKind::UnexpectedEnd);
            };
            if let Err(error) = std::str::from_utf8(&rest[..plain]) {
                self.at += error.valid_up_to();
                return self.error(ParseErrorKind::NotUtf8);
            }
            self.out.extend_from_slice(&rest[..plain]);
            self.at += plain;
            match rest[plain] {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.escape()?,
                _ => return self.expected("an escape for a control character"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), ParseError> {
        let byte = match self.text.get(self.at + 1) {
            Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0C,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode_escape(),
            Some(_) => return self.expected("an escape"),
            None => {
                self.at = self.text.len();
                return self.error(ParseErrorKind::UnexpectedEnd);
            }
        };
        self.at += 2;
        self.out.push(byte);
        Ok(())
    }

    /// A surrogate without its other half becomes U+FFFD, as in every other way into the database.
    fn unicode_escape(&mut self) -> Result<(), ParseError> {
        let Some(unit) = self.code_unit(self.at) else { return self.expected("four hexadecimal digits") };
        self.at += 6;
        let mut code = unit;
        if (0xD800..0xDC00).contains(&unit)
            && let Some(low @ 0xDC00..0xE000) = self.code_unit(self.at)
        {
            code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            self.at += 6;
        }
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// The code unit of `\uXXXX` at an offset.
    fn code_unit(&self, at: usize) -> Option<u32> {
        let escape = self.text.get(at..at + 6)?;
        let digits = escape.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |unit, &byte| Some(unit << 4 | char::from(byte).to_digit(16)?))
    }

    /// An integer becomes an int or a long if it fits, everything else a double; −0 keeps its sign as a double.
    fn number(&mut self) -> Result<Type, ParseError> {
        let start = self.at;
        let negative = self.take(b'-');
        match self.text.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.expected("a digit"),
        }
        let mut is_integer = true;
        if self.take(b'.') {
            is_integer = false;
            self.some_digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            is_integer = false;
            let _ = self.take(b'+') || self.take(b'-');
            self.some_digits()?;
        }
        let text = std::str::from_utf8(&self.text[start..self.at]).unwrap_or("");
        if is_integer {
            match text.parse::<i64>() {
                Ok(0) if negative => {}
                Ok(n) => return Ok(self.integer(n)),
                Err(_) => {}
            }
        }
        match text.parse::<f64>() {
            Ok(double) if double.is_finite() => {
                self.out.extend_from_slice(&double.to_le_bytes());
                Ok(Type::Double)
            }
            _ => Err(ParseError { offset: start, kind: ParseErrorKind::NumberTooLarge }),
        }
    }

    fn integer(&mut self, n: i64) -> Type {
        match i32::try_from(n) {
            Ok(n) => {
                self.out.extend_from_slice(&n.to_le_bytes());
                Type::Int32
            }
            Err(_) => {
                self.out.extend_from_slice(&n.to_le_bytes());
                Type::Int64
            }
        }
    }

    fn digits(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        self.digits();
        if self.at == start { self.expected("a digit") } else { Ok(()) }
    }
}

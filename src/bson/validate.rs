//! Validation of BSON bytes that come from outside. What passes can be read by [`RawDoc`] without further checks.
//!
//! Checked: every length and terminator, and that lengths of nested values agree; type bytes; UTF-8 of names and texts;
//! booleans are 0 or 1; size and nesting. One pass over the bytes, no recursion.
//!
//! Deliberately absent, as in mongod: names of array elements (they are not looked at), duplicate names, the inner
//! length of binary subtype 2, flags of regular expressions.

use super::raw::{RawDoc, Type};

/// How large and how deep a document may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest size of the document in bytes.
    pub bytes_max: usize,
    /// The number of documents and arrays that an element may lie in, the outermost document counted. One more may be
    /// there if it is empty, as in mongod.
    pub depth_max: usize,
}

impl Limits {
    /// Of stored documents: 16 MiB, 180 levels.
    pub const STORED: Limits = Limits { bytes_max: 16 << 20, depth_max: 180 };
    /// Of commands and other messages: 16 KiB and 21 levels more.
    pub const COMMAND: Limits = Limits { bytes_max: (16 << 20) + (16 << 10), depth_max: 201 };
}

/// What is wrong with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The document is larger than the limit.
    TooLarge { bytes: usize, bytes_max: usize },
    /// Nested deeper than the limit.
    TooDeep { depth_max: usize },
    /// The bytes end inside of a value.
    Truncated,
    /// A length is negative, too small, or does not agree with what it is the length of.
    WrongLength,
    /// A document, a text or a name has no closing zero where it must.
    NotTerminated,
    /// A type byte that BSON does not have.
    UnknownType(u8),
    /// A name or a text is not UTF-8.
    NotUtf8,
    /// A boolean is neither 0 nor 1.
    WrongBool(u8),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::TooLarge { bytes, bytes_max } => write!(f, "{bytes} bytes, the limit is {bytes_max}"),
            Fault::TooDeep { depth_max } => write!(f, "nested deeper than {depth_max} levels"),
            Fault::Truncated => f.write_str("the bytes end inside of a value"),
            Fault::WrongLength => f.write_str("a length that does not agree with the bytes"),
            Fault::NotTerminated => f.write_str("no zero byte where there must be one"),
            Fault::UnknownType(byte) => write!(f, "unknown type 0x{byte:02x}"),
            Fault::NotUtf8 => f.write_str("not UTF-8"),
            Fault::WrongBool(byte) => write!(f, "a boolean of value {byte}"),
        }
    }
}

/// Why bytes are no document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidateError {
    pub fault: Fault,
    /// The offset of the faulty element, or of the faulty bytes where that says more.
    pub offset: usize,
    /// The dotted path of the element, empty for the document itself.
    pub path: String,
}

impl std::fmt::Display for ValidateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "invalid BSON: {} at byte {}", self.fault, self.offset)?;
        if self.path.is_empty() { Ok(()) } else { write!(f, ", in element '{}'", self.path) }
    }
}

/// Validates `bytes` as exactly one document.
pub fn validate(bytes: &[u8], limits: Limits) -> Result<RawDoc<'_>, ValidateError> {
    let mut pass = Pass { bytes, at: 0, open: Vec::new(), name: (0, 0) };
    match pass.run(limits) {
        Ok(()) => Ok(RawDoc::from_validated(bytes)),
        Err(fault) => Err(ValidateError { fault, offset: pass.at, path: pass.path() }),
    }
}

/// A document or array whose end has not been reached.
struct Open {
    /// The offset after its closing zero.
    end: usize,
    /// Where the name of the element that holds it lies.
    name: (usize, usize),
}

struct Pass<'a> {
    bytes: &'a [u8],
    at: usize,
    open: Vec<Open>,
    /// Where the name of the current element lies; an empty range at 0 before the first.
    name: (usize, usize),
}

impl Pass<'_> {
    fn run(&mut self, limits: Limits) -> Result<(), Fault> {
        if self.bytes.len() > limits.bytes_max {
            return Err(Fault::TooLarge { bytes: self.bytes.len(), bytes_max: limits.bytes_max });
        }
        self.enter(self.bytes.len(), limits)?;
        if self.open[0].end != self.bytes.len() {
            self.at = 0;
            return Err(Fault::WrongLength);
        }
        while let Some(innermost) = self.open.last() {
            if self.at == innermost.end - 1 {
                if self.bytes[self.at] != 0 {
                    return Err(Fault::NotTerminated);
                }
                self.at += 1;
                self.name = innermost.name;
                self.open.pop();
                continue;
            }
            let end = innermost.end - 1;
            self.element(end, limits)?;
        }
        Ok(())
    }

    /// Opens the document at the current offset, which must end at or before `end`.
    fn enter(&mut self, end: usize, limits: Limits) -> Result<(), Fault> {
        let len = self.length(end)?;
        if self.open.len() >= limits.depth_max && len > 5 {
            return Err(Fault::TooDeep { depth_max: limits.depth_max });
        }
        if len < 5 || len > end - self.at {
            return Err(if len < 5 { Fault::WrongLength } else { Fault::Truncated });
        }
        self.open.push(Open { end: self.at + len, name: self.name });
        self.at += 4;
        Ok(())
    }

    /// Takes the element at the current offset; its value must end at or before `end`.
    fn element(&mut self, end: usize, limits: Limits) -> Result<(), Fault> {
        let byte = self.bytes[self.at];
        let start = self.at + 1;
        let name_end = self.zero(start, end)?;
        self.name = (start, name_end);
        let kind = Type::from_byte(byte).ok_or(Fault::UnknownType(byte))?;
        check_utf8(&self.bytes[start..name_end])?;
        self.at = name_end + 1;
        match kind {
            Type::Document | Type::Array => self.enter(end, limits),
            Type::String | Type::Code | Type::Symbol => self.text(end),
            Type::Binary => {
                let len = self.length(end)?;
                self.skip(4, end)?;
                self.skip(1 + len, end)
            }
            Type::Bool => match self.bytes[self.at..end].first() {
                None => Err(Fault::Truncated),
                Some(0 | 1) => self.skip(1, end),
                Some(&other) => Err(Fault::WrongBool(other)),
            },
            Type::Regex => {
                let pattern_end = self.zero(self.at, end)?;
                let options_end = self.zero(pattern_end + 1, end)?;
                check_utf8(&self.bytes[self.at..pattern_end])?;
                check_utf8(&self.bytes[pattern_end + 1..options_end])?;
                self.at = options_end + 1;
                Ok(())
            }
            Type::DbPointer => {
                self.text(end)?;
                self.skip(12, end)
            }
            Type::CodeWithScope => self.code_with_scope(end, limits),
            Type::Double | Type::DateTime | Type::Timestamp | Type::Int64 => self.skip(8, end),
            Type::Int32 => self.skip(4, end),
            Type::ObjectId => self.skip(12, end),
            Type::Decimal128 => self.skip(16, end),
            Type::Undefined | Type::Null | Type::MinKey | Type::MaxKey => Ok(()),
        }
    }

    /// The scope becomes an open document that ends where the whole value does.
    fn code_with_scope(&mut self, end: usize, limits: Limits) -> Result<(), Fault> {
        let len = self.length(end)?;
        if len < 14 {
            return Err(Fault::WrongLength);
        }
        if len > end - self.at {
            return Err(Fault::Truncated);
        }
        let end = self.at + len;
        self.at += 4;
        self.text(end)?;
        self.enter(end, limits)?;
        match self.open.last() {
            Some(scope) if scope.end == end => Ok(()),
            _ => Err(Fault::WrongLength),
        }
    }

    /// Takes a text with its length before and a zero after it.
    fn text(&mut self, end: usize) -> Result<(), Fault> {
        let len = self.length(end)?;
        if len == 0 {
            return Err(Fault::WrongLength);
        }
        if len > end - self.at - 4 {
            return Err(Fault::Truncated);
        }
        let start = self.at + 4;
        let zero = start + len - 1;
        if self.bytes[zero] != 0 {
            return Err(Fault::NotTerminated);
        }
        check_utf8(&self.bytes[start..zero])?;
        self.at = zero + 1;
        Ok(())
    }

    /// The length at the current offset, which stays.
    fn length(&self, end: usize) -> Result<usize, Fault> {
        let bytes = self.bytes[self.at..end].first_chunk::<4>().ok_or(Fault::Truncated)?;
        usize::try_from(i32::from_le_bytes(*bytes)).map_err(|_| Fault::WrongLength)
    }

    fn skip(&mut self, bytes: usize, end: usize) -> Result<(), Fault> {
        if bytes > end - self.at {
            return Err(Fault::Truncated);
        }
        self.at += bytes;
        Ok(())
    }

    /// The offset of the next zero byte.
    fn zero(&self, from: usize, end: usize) -> Result<usize, Fault> {
        let rest = self.bytes.get(from..end).unwrap_or(&[]);
        rest.iter().position(|&byte| byte == 0).map(|i| from + i).ok_or(Fault::NotTerminated)
    }

    fn path(&self) -> String {
        let inner = self.open.iter().skip(1).map(|open| open.name);
        let names = inner.chain((self.name != (0, 0)).then_some(self.name));
        let mut path = String::new();
        for (i, (from, to)) in names.enumerate() {
            if i > 0 {
                path.push('.');
            }
            path.push_str(&String::from_utf8_lossy(&self.bytes[from..to]));
        }
        path
    }
}

fn check_utf8(bytes: &[u8]) -> Result<(), Fault> {
    std::str::from_utf8(bytes).map(drop).map_err(|_| Fault::NotUtf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bson::{DocBuilder, Str, Value};

    fn sample() -> Vec<u8> {
        let mut scope = DocBuilder::new();
        scope.push("x", 1);
        let scope = scope.finish();
        let mut doc = DocBuilder::new();
        doc.push("double", 1.5).push("text", "é\0x").push("flag", true).push("null", Value::Null);
        doc.document("doc", |d| {
            d.array("list", |a| {
                a.push(1).push(2i64).push("three");
            });
        });
        doc.push("bin", Value::Binary { subtype: 4, bytes: &[1, 2, 3] });
        doc.push("undefined", Value::Undefined).push("id", Value::ObjectId([7; 12]));
        doc.push("date", Value::DateTime(-1)).push("ts", Value::Timestamp(9));
        doc.push("regex", Value::Regex { pattern: Str::from("a.b"), options: Str::from("i") });
        doc.push("pointer", Value::DbPointer { namespace: Str::from("a.b"), id: [1; 12] });
        doc.push("code", Value::Code(Str::from("f()"))).push("symbol", Value::Symbol(Str::from("s")));
        let scope = RawDoc::from_validated(&scope);
        doc.push("scoped", Value::CodeWithScope { code: Str::from("g()"), scope });
        doc.push("decimal", Value::Decimal128([3; 16])).push("min", Value::MinKey).push("max", Value::MaxKey);
        doc.finish()
    }

    fn error(bytes: &[u8]) -> ValidateError {
        validate(bytes, Limits::STORED).expect_err("the bytes are wrong")
    }

    #[test]
    fn every_type_passes_and_reads_back() {
        let bytes = sample();
        let doc = validate(&bytes, Limits::STORED).unwrap();
        assert_eq!(doc.count(), 18);
    }

    #[test]
    fn no_prefix_and_no_longer_text_passes() {
        let bytes = sample();
        for len in 0..bytes.len() {
            assert!(validate(&bytes[..len], Limits::STORED).is_err(), "{len} bytes");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert_eq!(error(&longer).fault, Fault::WrongLength);
    }

    #[test]
    fn what_passes_after_damage_reads_to_its_end() {
        let bytes = sample();
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                let Ok(doc) = validate(&damaged, Limits::STORED) else { continue };
                let mut copy = DocBuilder::new();
                for element in doc.iter() {
                    copy.push(element.name, element.value);
                }
                assert_eq!(copy.finish(), damaged, "byte {at} = {byte}");
            }
        }
    }

    #[test]
    fn faults_say_what_and_where() {
        let mut doc = DocBuilder::new();
        doc.document("a", |d| {
            d.array("b", |a| {
                a.push(1).push(true);
            });
        });
        let bytes = doc.finish();
        // 4 length, 3 "a", 4 length, 3 "b", 4 length, 3+4 the int, 3 name of the bool
        let flag = 4 + 3 + 4 + 3 + 4 + 7 + 3;
        let mut wrong = bytes.clone();
        wrong[flag] = 2;
        let expected = ValidateError { fault: Fault::WrongBool(2), offset: flag, path: "a.b.1".into() };
        assert_eq!(error(&wrong), expected);
        let mut wrong = bytes.clone();
        wrong[flag - 3] = 0x20;
        assert_eq!((error(&wrong).fault, error(&wrong).offset), (Fault::UnknownType(0x20), flag - 3));
        let mut wrong = bytes;
        wrong[flag - 2] = 0xC3;
        assert_eq!(error(&wrong).fault, Fault::NotUtf8);
        assert_eq!(error(&[5, 0, 0, 0, 1]).fault, Fault::NotTerminated);
        assert_eq!(error(&[4, 0, 0, 0]).fault, Fault::WrongLength);
        assert_eq!(error(&[255, 255, 255, 255, 0]).fault, Fault::WrongLength);
    }

    fn nested(levels: usize) -> Vec<u8> {
        let mut bytes = vec![5, 0, 0, 0, 0];
        for level in 0..levels {
            let mut outer = DocBuilder::new();
            let inner = RawDoc::from_validated(&bytes);
            match level % 2 {
                0 => outer.push("a", inner),
                _ => outer.push("a", Value::Array(crate::bson::RawArray::from_validated(&bytes))),
            };
            bytes = outer.finish();
        }
        bytes
    }

    #[test]
    fn limits() {
        // The innermost document is empty.
        assert!(validate(&nested(180), Limits::STORED).is_ok());
        assert_eq!(error(&nested(181)).fault, Fault::TooDeep { depth_max: 180 });
        assert!(validate(&nested(201), Limits::COMMAND).is_ok());
        assert!(validate(&nested(202), Limits::COMMAND).is_err());
        let small = Limits { bytes_max: 10, depth_max: 1 };
        let fault = validate(&nested(1), small).unwrap_err().fault;
        assert_eq!(fault, Fault::TooLarge { bytes: 13, bytes_max: 10 });
    }
}

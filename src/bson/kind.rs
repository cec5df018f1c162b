//! The types of BSON.

/// The type byte of a BSON element (<https://bsonspec.org/spec.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Type {
    Double = 0x01,
    String = 0x02,
    Document = 0x03,
    Array = 0x04,
    Binary = 0x05,
    Undefined = 0x06,
    ObjectId = 0x07,
    Bool = 0x08,
    DateTime = 0x09,
    Null = 0x0A,
    Regex = 0x0B,
    DbPointer = 0x0C,
    Code = 0x0D,
    Symbol = 0x0E,
    CodeWithScope = 0x0F,
    Int32 = 0x10,
    Timestamp = 0x11,
    Int64 = 0x12,
    Decimal128 = 0x13,
    MaxKey = 0x7F,
    MinKey = 0xFF,
}

impl Type {
    /// The type of a type byte, or `None` where BSON has none.
    pub fn from_byte(byte: u8) -> Option<Type> {
        use Type::*;
        Some(match byte {
            0x01 => Double,
            0x02 => String,
            0x03 => Document,
            0x04 => Array,
            0x05 => Binary,
            0x06 => Undefined,
            0x07 => ObjectId,
            0x08 => Bool,
            0x09 => DateTime,
            0x0A => Null,
            0x0B => Regex,
            0x0C => DbPointer,
            0x0D => Code,
            0x0E => Symbol,
            0x0F => CodeWithScope,
            0x10 => Int32,
            0x11 => Timestamp,
            0x12 => Int64,
            0x13 => Decimal128,
            0x7F => MaxKey,
            0xFF => MinKey,
            _ => return None,
        })
    }

    /// MongoDB's alias of the type, as `$type` takes it and error messages print it.
    pub fn alias(self) -> &'static str {
        use Type::*;
        match self {
            Double => "double",
            String => "string",
            Document => "object",
            Array => "array",
            Binary => "binData",
            Undefined => "undefined",
            ObjectId => "objectId",
            Bool => "bool",
            DateTime => "date",
            Null => "null",
            Regex => "regex",
            DbPointer => "dbPointer",
            Code => "javascript",
            Symbol => "symbol",
            CodeWithScope => "javascriptWithScope",
            Int32 => "int",
            Timestamp => "timestamp",
            Int64 => "long",
            Decimal128 => "decimal",
            MaxKey => "maxKey",
            MinKey => "minKey",
        }
    }
}

//! The bytes of meta and commit records: varints, fixed words and length-prefixed runs, closed by a checksum.

use super::page::Checksum;

/// Appends numbers and runs of bytes.
#[derive(Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Starts with a magic and the format version, as every record does.
    pub fn with_magic(magic: [u8; 4], format: u16) -> Writer {
        let mut bytes = magic.to_vec();
        bytes.extend_from_slice(&format.to_le_bytes());
        Writer { bytes }
    }

    /// An unsigned LEB128 number.
    pub fn number(&mut self, mut value: u64) -> &mut Self {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
        self
    }

    /// Bytes whose number the reader knows.
    pub fn fixed(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Bytes with their number in front.
    pub fn run(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64).fixed(bytes)
    }

    /// The bytes with the checksum behind them.
    pub fn finish(mut self) -> Vec<u8> {
        let mut sum = Checksum::new(0);
        sum.update(&self.bytes);
        self.bytes.extend_from_slice(&sum.finish().to_le_bytes());
        self.bytes
    }
}

/// Why a record could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Written by a newer version of PandoDB.
    NewerFormat(u16),
    /// Not what we wrote.
    Damaged(&'static str),
}

/// Reads what [`Writer`] wrote. Never panics; every reading past the end is [`Unreadable::Damaged`].
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Checks magic, format and checksum; gives the format too. The format is looked at before the checksum, because a
    /// newer format may have another one.
    pub fn open(bytes: &'a [u8], magic: [u8; 4], format_max: u16) -> Result<Reader<'a>, Unreadable> {
        let (Some(head), Some(format)) = (bytes.get(..4), bytes.get(4..6)) else {
            return Err(Unreadable::Damaged("the record is too short"));
        };
        if head != magic {
            return Err(Unreadable::Damaged("the record does not begin as one"));
        }
        let format = u16::from_le_bytes([format[0], format[1]]);
        if format > format_max {
            return Err(Unreadable::NewerFormat(format));
        }
        let Some(body_len) = bytes.len().checked_sub(8).filter(|len| *len >= 6) else {
            return Err(Unreadable::Damaged("the record is too short"));
        };
        let mut sum = Checksum::new(0);
        sum.update(&bytes[..body_len]);
        if bytes[body_len..] != sum.finish().to_le_bytes() {
            return Err(Unreadable::Damaged("the checksum does not match"));
        }
        Ok(Reader { rest: &bytes[6..body_len] })
    }

    /// An unsigned LEB128 number.
    pub fn number(&mut self) -> Result<u64, Unreadable> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.fixed(1)?[0];
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Unreadable::Damaged("a number is too long"))
    }

    /// `len` bytes.
    pub fn fixed(&mut self, len: usize) -> Result<&'a [u8], Unreadable> {
        if len > self.rest.len() {
            return Err(Unreadable::Damaged("the record ends too early"));
        }
        let (head, rest) = self.rest.split_at(len);
        self.rest = rest;
        Ok(head)
    }

    /// `N` bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        self.fixed(N)?.try_into().map_err(|_| Unreadable::Damaged("the record ends too early"))
    }

    /// Bytes with their number in front.
    pub fn run(&mut self) -> Result<&'a [u8], Unreadable> {
        let len = self.number()?;
        self.fixed(usize::try_from(len).map_err(|_| Unreadable::Damaged("a run is too long"))?)
    }

    /// That nothing is left.
    pub fn end(&self) -> Result<(), Unreadable> {
        if self.rest.is_empty() { Ok(()) } else { Err(Unreadable::Damaged("the record goes on too long")) }
    }
}

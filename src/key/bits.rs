//! What the bytes of a key leave out, so that a query answered from the index alone gives the stored values back.
//!
//! One entry per number, text and null of a key, nested ones too, in the order in which they are encoded: a code byte,
//! for some codes followed by bits. 0 stands for what is most likely, and such entries at the end are not kept: a key
//! of ints, broken doubles, strings and stored nulls has no type bits.

/// The entry codes.
pub(super) mod code {
    /// int where it fits, else long; double for what has a fraction and for NaN; for the rest decimal with the fewest
    /// digits. A string. A stored null.
    pub const LIKELY: u8 = 0;
    pub const LONG: u8 = 2;
    pub const DOUBLE: u8 = 3;
    /// 16 bytes follow.
    pub const DECIMAL: u8 = 4;
    pub const NEGATIVE_ZERO: u8 = 5;
    /// 8 bytes follow.
    pub const NAN: u8 = 6;
    pub const SYMBOL: u8 = 7;
    pub const MISSING: u8 = 8;
}

/// The type bits of one key, while it is encoded.
#[derive(Clone, Debug, Default)]
pub struct TypeBits {
    bytes: Vec<u8>,
    /// Entries of 0 since the last other one: not written as long as none follows, so that most keys allocate nothing.
    likely: usize,
}

impl TypeBits {
    /// No entries.
    pub fn new() -> TypeBits {
        TypeBits::default()
    }

    /// The bytes to store beside the key; often none.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Drops all entries and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.likely = 0;
    }

    pub(super) fn push(&mut self, code: u8, bits: &[u8]) {
        if code == code::LIKELY {
            self.likely += 1;
            return;
        }
        self.bytes.resize(self.bytes.len() + std::mem::take(&mut self.likely), code::LIKELY);
        self.bytes.push(code);
        self.bytes.extend_from_slice(bits);
    }
}

/// Reads entries one after the other; behind the end all are 0.
#[derive(Clone, Debug)]
pub(super) struct BitsReader<'b> {
    rest: &'b [u8],
}

impl<'b> BitsReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> BitsReader<'b> {
        BitsReader { rest: bytes }
    }

    pub(super) fn code(&mut self) -> u8 {
        match self.rest {
            [code, rest @ ..] => {
                self.rest = rest;
                *code
            }
            [] => code::LIKELY,
        }
    }

    pub(super) fn bits<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bits, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*bits)
    }
}

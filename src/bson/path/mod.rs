//! Dotted paths: `a.b.0.c`.
//!
//! Purpose: name a place in documents, and reach the values there as MongoDB does: `walk` for matching, `keys` for index
//! and sort keys. The two differ on purpose, as they do in mongod: a match of `a.b` sees no value in `{a: []}`, an index
//! on `a.b` has a null there.
//!
//! Deliberately absent: which paths an update, a projection or an index accepts (empty parts, `$`), which their parsers
//! decide.

mod keys;
#[cfg(test)]
mod tests;
mod walk;

pub use keys::{KeyError, MultikeyPaths, compare_tuples, extract_keys, sort_key};
pub use walk::{Found, LeafArrays, walk};

/// A parsed dotted path. Every text is one; `a..b` has an empty part, the empty text is the one empty part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    text: Box<str>,
    parts: Box<[Part]>,
}

/// One part of a path: a range of its text, and the array index that it is, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    start: u32,
    end: u32,
    /// `u32::MAX` where the part is no array index.
    index: u32,
}

impl Path {
    /// Splits at the dots.
    pub fn parse(text: &str) -> Path {
        let mut parts = Vec::with_capacity(text.bytes().filter(|&b| b == b'.').count() + 1);
        let mut start = 0;
        for part in text.split('.') {
            let end = start + part.len();
            let index = array_index(part.as_bytes()).unwrap_or(u32::MAX);
            parts.push(Part { start: start as u32, end: end as u32, index });
            start = end + 1;
        }
        Path { text: text.into(), parts: parts.into() }
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number of parts, at least 1.
    pub fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// The part at `i`; panics where there is none.
    pub fn part(&self, i: usize) -> &str {
        &self.text[self.parts[i].start as usize..self.parts[i].end as usize]
    }

    /// The parts from the first.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        (0..self.parts.len()).map(|i| self.part(i))
    }

    /// The array index that the part at `i` is, if it is one: digits without a leading zero.
    pub fn array_index(&self, i: usize) -> Option<usize> {
        Some(self.parts[i].index).filter(|&index| index != u32::MAX).map(|index| index as usize)
    }

    /// Whether some part could be an array index.
    pub fn has_array_index(&self) -> bool {
        self.parts.iter().any(|part| part.index != u32::MAX)
    }

    /// Whether `self` is `other` or a place inside of it: `a.b` and `a.b.c` are within `a.b`.
    pub fn is_within(&self, other: &Path) -> bool {
        let rest = self.text.strip_prefix(&*other.text);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn name(&self, i: usize) -> &[u8] {
        self.part(i).as_bytes()
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The array index that a name is: `0`, or digits that begin with no zero, below 2^32 − 1.
pub(crate) fn array_index(name: &[u8]) -> Option<u32> {
    if name.is_empty() || name.len() > 10 || (name[0] == b'0' && name.len() > 1) {
        return None;
    }
    let mut index = 0u64;
    for &byte in name {
        if !byte.is_ascii_digit() {
            return None;
        }
        index = index * 10 + u64::from(byte - b'0');
    }
    u32::try_from(index).ok().filter(|&index| index != u32::MAX)
}

//! Which places of a document an update changed.

use crate::bson::path::Path;

/// Which places of a document an update changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Possibly everything.
    Everything,
    /// These dotted paths and what is below them, with the indexes of array elements in them. None: nothing.
    Paths(Vec<String>),
}

impl Changed {
    /// Whether the values that an index finds under `path` may have changed. Indexes of array elements do not count,
    /// neither here nor there: `a.b` may see a change of `a.3.b`.
    pub fn may_affect(&self, path: &Path) -> bool {
        match self {
            Changed::Everything => true,
            Changed::Paths(paths) => paths.iter().any(|changed| overlap(changed, path.as_str())),
        }
    }
}

/// Whether one path is a prefix of the other, array indexes after the first part left out.
fn overlap(a: &str, b: &str) -> bool {
    let mut left = without_indexes(a);
    let mut right = without_indexes(b);
    loop {
        match (left.next(), right.next()) {
            (Some(x), Some(y)) if x == y => {}
            (Some(_), Some(_)) => return false,
            _ => return true,
        }
    }
}

fn without_indexes(path: &str) -> impl Iterator<Item = &str> {
    let is_index = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    path.split('.').enumerate().filter(move |(i, part)| *i == 0 || !is_index(part)).map(|(_, part)| part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_reaches_up_and_down_but_not_beside() {
        let changed = Changed::Paths(vec!["a.3.b".into(), "n".into()]);
        for path in ["a", "a.b", "a.0.b", "a.b.c", "n", "n.x"] {
            assert!(changed.may_affect(&Path::parse(path)), "{path}");
        }
        for path in ["b", "a.c", "ab", "3.b"] {
            assert!(!changed.may_affect(&Path::parse(path)), "{path}");
        }
        assert!(!Changed::Paths(Vec::new()).may_affect(&Path::parse("a")));
        assert!(Changed::Everything.may_affect(&Path::parse("a")));
    }
}

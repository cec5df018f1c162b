//! The operators of one update as a tree over path components, in the order in which they are applied.

use super::operators::Operator;
use super::path::array_index;
use crate::error::{Code, Error, Result};
use std::cmp::Ordering;
use std::sync::Arc;

/// What is to be done below one place: for each name what is to be done there.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Ordered by [`compare_names`], unless built by [`Tree::append`].
    pub children: Vec<(Box<str>, Node)>,
}

/// What is to be done at one place.
#[derive(Clone, Debug)]
pub enum Node {
    Inner(Tree),
    Leaf(Arc<dyn Operator>),
}

impl Tree {
    /// Adds an operator in its place in the order.
    ///
    /// # Errors
    /// 40 ConflictingUpdateOperators; 15 Overflow for a path that no document could have.
    pub fn insert(&mut self, path: &str, operator: Arc<dyn Operator>) -> Result<()> {
        crate::query::field_path::check_length(path, Code::Overflow)?;
        self.add(path, operator, true).map_err(|at| {
            let text = format!("Updating the path '{path}' would create a conflict at '{}'", &path[..at]);
            Error::new(Code::ConflictingUpdateOperators, text)
        })
    }

    /// Adds an operator behind those that are there. `Err` is the length of the path at which there is one already.
    pub fn append(&mut self, path: &str, operator: Arc<dyn Operator>) -> Result<(), usize> {
        self.add(path, operator, false)
    }

    fn add(&mut self, path: &str, operator: Arc<dyn Operator>, in_order: bool) -> Result<(), usize> {
        let mut tree = self;
        let mut start = 0;
        loop {
            let end = path[start..].find('.').map_or(path.len(), |at| start + at);
            let (name, is_last) = (&path[start..end], end == path.len());
            let found = tree.children.iter().position(|(child, _)| &**child == name);
            if found.is_some() && is_last {
                return Err(end);
            }
            let at = found.unwrap_or_else(|| {
                let behind = tree.children.len();
                let place = tree.children.iter().position(|(child, _)| compare_names(name, child).is_lt());
                let at = if in_order { place.unwrap_or(behind) } else { behind };
                let node = if is_last { Node::Leaf(operator.clone()) } else { Node::Inner(Tree::default()) };
                tree.children.insert(at, (name.into(), node));
                at
            });
            match &mut tree.children[at].1 {
                Node::Inner(inner) => tree = inner,
                Node::Leaf(_) if is_last => return Ok(()),
                Node::Leaf(_) => return Err(end),
            }
            start = end + 1;
        }
    }
}

/// The order of names in one document or array: array indexes by number, everything else by bytes.
pub fn compare_names(a: &str, b: &str) -> Ordering {
    let plain = |name: &str| name == "0" || !name.starts_with('0');
    match (array_index(a), array_index(b)) {
        (Some(x), Some(y)) if plain(a) && plain(b) => x.cmp(&y),
        _ => a.cmp(b),
    }
}

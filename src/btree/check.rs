//! Checking a whole tree against its invariants, page by page.

use super::extent::ExtentRef;
use super::node::{Body, Label, Node, Totals, totals, verify_page};
use super::walk::{self, load};
use super::{Stats, Tree};
use crate::pager::{Damage, EXTENT_CHUNK_BYTES_MAX, Fault, PageId, Pages, Walk};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Every page that was reached, extent chunks included.
    pub reached: BTreeSet<PageId>,
    /// What was counted.
    pub stats: Stats,
    pub leaves: u64,
    pub interiors: u64,
    pub extent_chunks: u64,
    /// Bytes of all leaves, headers not included.
    pub leaf_bytes: u64,
    pub levels: u8,
    pub damages: Vec<Damage>,
}

/// A check that goes on after each fault where it stopped.
pub struct Checker {
    tree: Tree,
    todo: Vec<Todo>,
    report: Report,
    counted: Totals,
    stated: Option<Totals>,
}

enum Todo {
    Node(NodeTodo),
    Chunk { extent: ExtentRef, index: usize },
}

struct NodeTodo {
    id: PageId,
    /// Unknown for the root.
    level: Option<u8>,
    /// All keys are at least this one.
    low: Option<Rc<Vec<u8>>>,
    /// All keys are below this one.
    high: Option<Rc<Vec<u8>>>,
    leftmost: bool,
}

impl Checker {
    /// A check of the tree that has not begun.
    pub fn new(tree: Tree) -> Checker {
        let root = NodeTodo { id: tree.root, level: None, low: None, high: None, leftmost: true };
        Checker {
            tree,
            todo: vec![Todo::Node(root)],
            report: Report::default(),
            counted: Totals::default(),
            stated: None,
        }
    }

    /// Checks until the end or until a page is missing; then it is to be called again with the page loaded. The tree
    /// must not change meanwhile. Damage does not end the check, it is in the report.
    pub fn run(&mut self, pages: &dyn Pages) -> Walk<Report> {
        while let Some(todo) = self.todo.pop() {
            let done = match &todo {
                Todo::Node(node) => self.node(pages, node),
                Todo::Chunk { extent, index } => self.chunk(pages, *extent, *index),
            };
            match done {
                Ok(()) => {}
                Err(Fault::Damaged(damage)) => self.report.damages.push(damage),
                Err(missing) => {
                    self.todo.push(todo);
                    return Err(missing);
                }
            }
        }
        let mut report = std::mem::take(&mut self.report);
        report.stats = Stats { entries: self.counted.entries, bytes: self.counted.bytes };
        if let Some(stated) = self.stated.filter(|stated| {
            let counted = Totals { applies: stated.applies, ..self.counted };
            counted != *stated
        }) {
            let what = format!("the root's statistics are {stated:?} instead of {:?}", self.counted);
            report.damages.push(Damage { page: Some(self.tree.root), what });
        }
        Ok(report)
    }

    fn damage(&mut self, page: PageId, what: impl Into<String>) {
        self.report.damages.push(Damage { page: Some(page), what: what.into() });
    }

    fn reach(&mut self, id: PageId) -> bool {
        let first = self.report.reached.insert(id);
        if !first {
            self.damage(id, "the page is reached twice");
        }
        first
    }

    /// Checks one node. Everything that can miss comes before everything that changes the report.
    fn node(&mut self, pages: &dyn Pages, todo: &NodeTodo) -> Walk<()> {
        let page = load(pages, self.tree, todo.id, todo.level)?;
        if let Err(what) = verify_page(&page) {
            self.reach(todo.id);
            self.damage(todo.id, what);
            return Ok(());
        }
        let node = Node::of(&page);
        let mut keys = Vec::with_capacity(node.count);
        for cell in node.cells() {
            keys.push(Rc::new(walk::full_key(pages, self.tree, &cell)?));
        }
        if !self.reach(todo.id) {
            return Ok(());
        }
        let root = todo.id == self.tree.root;
        let stated = totals(&page.payload);
        if root {
            self.stated = Some(stated);
            self.report.levels = page.header.level + 1;
        } else if stated != Totals::default() {
            self.damage(todo.id, "statistics outside the root");
        }
        let keyed = &keys[node.first_keyed..];
        if keyed.windows(2).any(|pair| pair[0] >= pair[1]) {
            self.damage(todo.id, "keys are out of order");
        }
        let low = todo.low.as_ref().zip(keyed.first()).is_some_and(|(low, first)| first < low);
        let high = todo.high.as_ref().zip(keyed.last()).is_some_and(|(high, last)| last >= high);
        if low || high {
            self.damage(todo.id, "keys are outside the bounds that the parent gives");
        }
        if let [first, .., last] = keyed
            && node.prefix().len() > super::edit::common_bytes(first, last)
        {
            self.damage(todo.id, "the prefix is not that of all keys");
        }
        if node.first_keyed == 1 {
            self.interior(&node, todo, &keys)
        } else {
            self.leaf(&node, todo, root)
        }
        Ok(())
    }

    fn interior(&mut self, node: &Node, todo: &NodeTodo, keys: &[Rc<Vec<u8>>]) {
        self.report.interiors += 1;
        let level = self.level_of(todo);
        for index in (0..node.count).rev() {
            let cell = node.cell(index);
            self.extent(cell.rest);
            let low = if index == 0 { todo.low.clone() } else { Some(keys[index].clone()) };
            let high = keys.get(index + 1).cloned().or_else(|| todo.high.clone());
            self.todo.push(Todo::Node(NodeTodo {
                id: node.child(index),
                level: Some(level.saturating_sub(1)),
                low,
                high,
                leftmost: todo.leftmost && index == 0,
            }));
        }
    }

    fn level_of(&self, todo: &NodeTodo) -> u8 {
        todo.level.unwrap_or(self.report.levels.saturating_sub(1))
    }

    fn leaf(&mut self, node: &Node, todo: &NodeTodo, root: bool) {
        self.report.leaves += 1;
        self.report.leaf_bytes += (node.slots_at + super::node::SLOT_BYTES * node.count) as u64;
        let labelled = !node.raw_label().0.is_empty();
        if labelled && !todo.leftmost {
            self.damage(todo.id, "a label outside the leftmost leaf");
        }
        if node.count == 0 && !root && !(todo.leftmost && labelled) {
            self.damage(todo.id, "an empty leaf");
        }
        if let Label::Extent(extent) = node.label() {
            self.extent(Some(extent));
        }
        for cell in node.cells() {
            self.counted.entries += 1;
            self.counted.bytes += cell.key_bytes() + cell.body.value_bytes();
            self.extent(cell.rest);
            self.extent(match cell.body {
                Body::Extent(extent) => Some(extent),
                _ => None,
            });
        }
    }

    fn extent(&mut self, extent: Option<ExtentRef>) {
        let Some(extent) = extent else { return };
        self.counted.extents += 1;
        self.todo.push(Todo::Chunk { extent, index: 0 });
    }

    fn chunk(&mut self, pages: &dyn Pages, extent: ExtentRef, index: usize) -> Walk<()> {
        let chunk = extent.chunk(pages, self.tree.id, index);
        if matches!(chunk, Err(Fault::Missing(_))) {
            return chunk.map(|_| ());
        }
        self.report.extent_chunks += 1;
        self.reach(PageId(extent.first.0 + index as u64));
        if (index + 1) * EXTENT_CHUNK_BYTES_MAX < extent.bytes as usize {
            self.todo.push(Todo::Chunk { extent, index: index + 1 });
        }
        chunk.map(|_| ())
    }
}

//! Freeing a tree in steps. The whole state is in the tree: each step takes leaves off its right end and leaves a
//! smaller tree, so that it can go on after any stop. Leaves are not loaded where the tree has no extents.

use super::Tree;
use super::edit;
use super::extent::ExtentRef;
use super::node::{Label, Node, totals};
use super::put::resident;
use super::walk;
use crate::pager::{Fault, PageId, PageKind, PagesMut, Walk};

/// See [`Tree::free_some`].
pub(super) fn free_some(pages: &mut impl PagesMut, tree: Tree, pages_max: usize) -> Walk<bool> {
    let mut freed = 0;
    match free_until(pages, tree, pages_max.max(1), &mut freed) {
        // What was done so far is a step too. The next one asks for the page before it changes anything.
        Err(Fault::Missing(_)) if freed > 0 => Ok(false),
        done => done,
    }
}

fn free_until(pages: &mut impl PagesMut, tree: Tree, pages_max: usize, freed: &mut usize) -> Walk<bool> {
    let extents = totals(&walk::load(pages, tree, tree.root, None)?.payload).extents > 0;
    while *freed < pages_max {
        let (mut id, mut page) = (tree.root, walk::load(pages, tree, tree.root, None)?);
        let mut parent = None;
        while page.header.kind == PageKind::Interior {
            let node = Node::of(&page);
            if node.count == 0 || (page.header.level == 1 && !extents) {
                break;
            }
            let child = node.child(node.count - 1);
            let below = walk::load(pages, tree, child, Some(page.header.level - 1))?;
            parent = Some(id);
            (id, page) = (child, below);
        }
        let node = Node::of(&page);
        if page.header.kind == PageKind::Interior && node.count > 0 {
            let leaf = node.child(node.count - 1);
            let last = node.count - 1;
            drop(page);
            pages.free(leaf);
            edit::remove(pages.page_mut(id), last);
            *freed += 1;
            if last > 0 {
                continue;
            }
        } else {
            if page.header.kind == PageKind::Leaf && !free_cells(pages, id, freed, pages_max) {
                return Ok(false);
            }
            drop(page);
        }
        // Here the page at the right end is empty.
        *freed += 1;
        pages.free(id);
        let Some(parent) = parent else { return Ok(true) };
        let last = Node::of(&resident(pages, parent)).count - 1;
        let rest = edit::remove(pages.page_mut(parent), last);
        *freed += free_extent(pages, rest);
    }
    Ok(false)
}

/// Frees what the leaf's cells refer to and says whether it is empty.
fn free_cells(pages: &mut impl PagesMut, id: PageId, freed: &mut usize, pages_max: usize) -> bool {
    loop {
        let page = resident(pages, id);
        let node = Node::of(&page);
        if node.count == 0 {
            if let Label::Extent(extent) = node.label() {
                *freed += free_extent(pages, Some(extent));
            }
            return true;
        }
        if *freed >= pages_max {
            return false;
        }
        let last = node.count - 1;
        let cell = node.cell(last);
        let extents = [cell.rest, cell.body.extent()];
        drop(page);
        for extent in extents {
            *freed += free_extent(pages, extent);
        }
        edit::remove(pages.page_mut(id), last);
    }
}

fn free_extent(pages: &mut impl PagesMut, extent: Option<ExtentRef>) -> usize {
    let Some(extent) = extent else { return 0 };
    extent.free(pages);
    extent.chunks().count()
}

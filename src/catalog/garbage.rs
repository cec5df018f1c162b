//! Trees that are to be freed: of dropped collections and indexes, and of index builds that were never finished.
//!
//! A dropped tree may have any number of pages, so it is not freed in the commit that drops it but afterwards, some
//! pages a commit. A tree that is being built is garbage with a lease: whoever finds the lease run out frees it.

use super::tree_of;
use crate::btree::{Cursor, Tree};
use crate::pager::views::WriteView;
use crate::pager::{PageId, Pages, TreeId, Walk};

/// A tree to be freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Garbage {
    pub tree: Tree,
    /// Not to be freed before this time, in milliseconds since 1970; 0 for at once.
    pub lease_until_ms: i64,
}

fn key(tree: TreeId) -> [u8; 9] {
    let mut key = [b'g'; 9];
    key[1..].copy_from_slice(&tree.0.to_be_bytes());
    key
}

fn value(tree: Tree, lease_until_ms: i64) -> [u8; 16] {
    let mut value = [0; 16];
    value[..8].copy_from_slice(&tree.root.0.to_le_bytes());
    value[8..].copy_from_slice(&lease_until_ms.to_le_bytes());
    value
}

fn read(key: &[u8], value: &[u8]) -> Option<Garbage> {
    let id = u64::from_be_bytes(key.get(1..9)?.try_into().ok()?);
    let root = u64::from_le_bytes(value.get(..8)?.try_into().ok()?);
    let lease_until_ms = i64::from_le_bytes(value.get(8..16)?.try_into().ok()?);
    Some(Garbage { tree: Tree { id: TreeId(id), root: PageId(root) }, lease_until_ms })
}

/// Enters a tree. Changes nothing when it stops.
pub(super) fn put(view: &mut WriteView<'_>, catalog: Tree, tree: Tree, lease_until_ms: i64) -> Walk<()> {
    catalog.put(view, &key(tree.id), &value(tree, lease_until_ms))?;
    Ok(())
}

/// Walks to where garbage entries are, so that entering some of them misses no page.
pub(super) fn locate_all(view: &WriteView<'_>, catalog: Tree) -> Walk<()> {
    catalog.contains(view, b"g")?;
    catalog.contains(view, &key(TreeId(u64::MAX)))?;
    Ok(())
}

/// Enters a tree that is being built, or prolongs its lease. Changes nothing when it stops.
pub fn lease(view: &mut WriteView<'_>, tree: Tree, until_ms: i64) -> Walk<()> {
    let catalog = super::tree_for_write(view);
    put(view, catalog, tree, until_ms)
}

/// Walks to where new entries go, so that [`lease`] and [`discard`] miss no page afterwards.
pub fn locate_end(view: &WriteView<'_>) -> Walk<()> {
    match tree_of(view.roots().catalog) {
        Some(catalog) => locate_all(view, catalog),
        None => Ok(()),
    }
}

/// Walks to a tree's entry, so that [`take`] misses no page afterwards.
pub fn locate(view: &WriteView<'_>, tree: TreeId) -> Walk<()> {
    if let Some(catalog) = tree_of(view.roots().catalog) {
        catalog.locate_remove(view, &key(tree))?;
    }
    Ok(())
}

/// Takes a tree out: it was freed, or is complete and in use. Changes nothing when it stops.
pub fn take(view: &mut WriteView<'_>, tree: TreeId) -> Walk<()> {
    let catalog = super::tree_for_write(view);
    catalog.remove(view, &key(tree))?;
    Ok(())
}

/// Makes a tree garbage that may be freed at once. Changes nothing when it stops.
pub fn discard(view: &mut WriteView<'_>, tree: Tree) -> Walk<()> {
    let catalog = super::tree_for_write(view);
    put(view, catalog, tree, 0)
}

/// The first tree whose lease has run out at `now_ms`.
pub fn first_due(pages: &dyn Pages, catalog: Option<(TreeId, PageId)>, now_ms: i64) -> Walk<Option<Garbage>> {
    find(pages, catalog, |garbage| garbage.lease_until_ms <= now_ms)
}

/// All of them.
pub fn all(pages: &dyn Pages, catalog: Option<(TreeId, PageId)>) -> Walk<Vec<Garbage>> {
    let mut found = Vec::new();
    find(pages, catalog, |garbage| {
        found.push(*garbage);
        false
    })?;
    Ok(found)
}

fn find(
    pages: &dyn Pages,
    catalog: Option<(TreeId, PageId)>,
    mut is_wanted: impl FnMut(&Garbage) -> bool,
) -> Walk<Option<Garbage>> {
    let Some(catalog) = tree_of(catalog) else { return Ok(None) };
    let mut cursor = Cursor::new(catalog);
    cursor.seek_before(b"g");
    while let Some(entry) = cursor.next(pages)? {
        if entry.key.first() != Some(&b'g') {
            break;
        }
        if let Some(garbage) = read(entry.key, entry.value())
            && is_wanted(&garbage)
        {
            return Ok(Some(garbage));
        }
    }
    Ok(None)
}

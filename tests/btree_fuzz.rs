//! Damaged payloads: what `verify_page` accepts can be walked, changed, checked and freed without a panic, and a check
//! sees what changes the meaning of a tree.

mod btree_pages;

use btree_pages::{Residency, TestPages};
use pandodb::btree::{Checker, Cursor, KEY_INLINE_MAX, Tree, verify_page};
use pandodb::pager::{Fault, Page, PageId, PageKind, Pages, TreeId};

/// A tree of several levels with every kind of cell.
fn tree(pages: &mut TestPages, random: &mut fastrand::Rng) -> Tree {
    let tree = Tree::create(pages, TreeId(1));
    for number in 0..260_u32 {
        let mut key = vec![random.u8(0..6); [3, 40, 3900, 3900, KEY_INLINE_MAX][random.usize(0..5)]];
        key.extend_from_slice(&number.to_be_bytes());
        let value = vec![1; if random.u8(0..12) == 0 { 70_000 } else { random.usize(0..600) }];
        tree.put(pages, &key, &value).unwrap();
    }
    tree.set_label(pages, &vec![2; if random.bool() { 10 } else { 2000 }]).unwrap();
    tree
}

fn damage(page: &mut Page, random: &mut fastrand::Rng) {
    let payload = &mut page.payload;
    for _ in 0..random.usize(1..4) {
        // Mostly where the structure is: the head, the slots, the heads of cells.
        let count = usize::from(u16::from_le_bytes([payload[0], payload[1]])).min(payload.len() / 2);
        let slots = payload.len() - 2 * count;
        let at = match random.u8(0..4) {
            0 => random.usize(0..payload.len().min(48)),
            1 if count > 0 => random.usize(slots..payload.len()),
            2 if count > 0 => {
                let slot = slots + 2 * random.usize(0..count);
                let prefix = usize::from(u16::from_le_bytes([payload[2], payload[3]]));
                let offset = payload
                    .get(slot..slot + 2)
                    .map_or(0, |slot| usize::from(u16::from_le_bytes([slot[0], slot[1]])));
                (40 + prefix + offset + random.usize(0..16)).min(payload.len() - 1)
            }
            _ => random.usize(0..payload.len()),
        };
        match random.u8(0..8) {
            0 => payload.truncate(at.max(1)),
            1 => payload.insert(at, random.u8(..)),
            2 => payload[at] = 0,
            3 => payload[at] = payload[at].wrapping_add(1),
            4 => payload[at] = 0xFF,
            _ => payload[at] ^= 1 << random.u8(0..8),
        }
        if payload.len() < 4 {
            break;
        }
    }
    if random.u8(0..20) == 0 {
        page.header.level = random.u8(..);
    }
    if random.u8(0..20) == 0 {
        page.header.kind = [PageKind::Leaf, PageKind::Interior, PageKind::Extent][random.usize(0..3)];
    }
}

/// Walks forwards, backwards and to keys, then changes, then frees. Damage is a fine answer everywhere.
fn use_tree(pages: &mut TestPages, tree: Tree, random: &mut fastrand::Rng) {
    for backward in [false, true] {
        let mut cursor = Cursor::new(tree);
        if backward {
            cursor.seek_end();
        }
        let mut steps = 0;
        while let Ok(Some(entry)) = if backward { cursor.prev(pages) } else { cursor.next(pages) } {
            std::hint::black_box((entry.key.len(), entry.value().len()));
            steps += 1;
            assert!(steps < 10_000_000, "the walk does not end");
        }
    }
    let _ = Checker::new(tree).run(pages);
    let _ = (tree.label(pages), tree.stats(pages));
    for number in 0..60_u32 {
        let mut key = vec![random.u8(0..7); [0, 3, 40, 3900, KEY_INLINE_MAX, 6000][random.usize(0..6)]];
        key.extend_from_slice(&number.to_be_bytes()[..random.usize(1..5)]);
        let _ = tree.get(pages, &key);
        let _ = tree.put(pages, &key, &vec![3; random.usize(0..9000)]);
        let mut cursor = Cursor::new(tree);
        cursor.seek_before(&key);
        let near = cursor.prev(pages).ok().flatten().map(|entry| entry.key.to_vec());
        let _ = tree.remove(pages, &near.unwrap_or(key));
    }
    let _ = tree.set_label(pages, &[1; 1000]);
    for _ in 0..1000 {
        if tree.free_some(pages, 100) != Ok(false) {
            break;
        }
    }
}

#[test]
fn whatever_is_accepted_can_be_used_without_a_panic() {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(2);
    let mut accepted = 0;
    for seed in 0..seeds {
        println!("SEED={seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        let mut sound = TestPages::new(Residency::All, seed);
        let tree = tree(&mut sound, &mut random);
        sound.tolerate_damage();
        let nodes: Vec<PageId> = sound.ids();
        for _ in 0..4000 {
            let id = nodes[random.usize(0..nodes.len())];
            let mut page = (*sound.page(id).unwrap()).clone();
            damage(&mut page, &mut random);
            if verify_page(&page).is_err() {
                continue;
            }
            accepted += 1;
            if accepted % 8 == 0 {
                let mut pages = sound.reopened();
                pages.replace(id, page);
                use_tree(&mut pages, tree, &mut random);
            }
        }
    }
    assert!(accepted > 100, "{accepted} accepted: the damages are too coarse to try anything");
}

#[test]
fn random_bytes_are_refused_or_usable() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..200_000 {
        let mut payload = vec![0; random.usize(0..120)];
        for byte in &mut payload {
            *byte = if random.bool() { random.u8(0..3) } else { random.u8(..) };
        }
        let kind = [PageKind::Leaf, PageKind::Interior, PageKind::Extent][random.usize(0..3)];
        let _ = verify_page(&Page::new(kind, random.u8(0..3), TreeId(1), payload));
    }
}

#[test]
fn a_check_sees_what_changes_the_meaning_of_a_tree() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut sound = TestPages::new(Residency::All, 5);
    let tree = tree(&mut sound, &mut random);
    let report = Checker::new(tree).run(&sound).unwrap();
    assert_eq!(report.damages, vec![]);
    assert!(report.levels >= 3 && report.extent_chunks > 0);
    let pick = |wanted: &dyn Fn(&Page) -> bool| {
        let found =
            sound.ids().into_iter().rev().find(|id| *id != tree.root && wanted(&sound.page(*id).unwrap()));
        found.expect("such a page")
    };
    let leaf = pick(&|page| page.header.kind == PageKind::Leaf);
    let interior = pick(&|page| page.header.kind == PageKind::Interior);
    let extent = pick(&|page| page.header.kind == PageKind::Extent);
    type Change = fn(&mut Page);
    let changes: [(PageId, Change); 7] = [
        (tree.root, |root| root.payload[8] ^= 1),
        (tree.root, |root| root.payload[16] ^= 1),
        (leaf, |leaf| leaf.payload[8] = 1),
        (leaf, |leaf| leaf.header.tree = TreeId(2)),
        (interior, |interior| interior.header.level += 1),
        (extent, |extent| extent.payload.truncate(1)),
        (leaf, |leaf| *leaf = Page::new(PageKind::Leaf, 0, TreeId(1), vec![0; 40])),
    ];
    for (index, (id, change)) in changes.into_iter().enumerate() {
        let mut pages = sound.reopened();
        let mut page = (*pages.page(id).unwrap()).clone();
        change(&mut page);
        pages.replace(id, page);
        let report = Checker::new(tree).run(&pages).unwrap();
        assert_ne!(report.damages, vec![], "change {index} is not seen");
    }
    // Two leaves in each other's place.
    let other = report.reached.iter().copied().find(|id| {
        let page = sound.page(*id).unwrap();
        *id != leaf && page.header.kind == PageKind::Leaf
    });
    let other = other.expect("a second leaf");
    let mut pages = sound.reopened();
    let (a, b) = ((*sound.page(leaf).unwrap()).clone(), (*sound.page(other).unwrap()).clone());
    pages.replace(leaf, b);
    pages.replace(other, a);
    assert_ne!(Checker::new(tree).run(&pages).unwrap().damages, vec![]);
    assert!(!matches!(tree.get(&pages, b"x"), Err(Fault::Missing(_))));
}

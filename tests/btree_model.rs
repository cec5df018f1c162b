//! The B+tree against `BTreeMap`: random operations in rounds, under every residency, with checks and reopenings.

mod btree_pages;

use btree_pages::{Residency, TestPages};
use pandodb::btree::{Builder, Checker, Cursor, KEY_INLINE_MAX, Report, Stats, Tree, VALUE_INLINE_MAX};
use pandodb::pager::{PageId, TreeId};
use std::collections::BTreeMap;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    let range = first.map_or(0..count, |seed: u64| seed..seed + 1);
    range.inspect(|seed| println!("SEED={seed}"))
}

fn check(pages: &mut TestPages, tree: Tree, model: &Model) -> Report {
    let mut checker = Checker::new(tree);
    let report = pages.retry(|pages| checker.run(pages));
    assert_eq!(report.damages, vec![]);
    let bytes = model.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum();
    assert_eq!(report.stats, Stats { entries: model.len() as u64, bytes });
    assert_eq!(pages.retry(|pages| tree.stats(pages)), report.stats);
    let reached: Vec<PageId> = report.reached.iter().copied().collect();
    assert_eq!(reached, pages.ids(), "exactly the pages of the tree exist");
    report
}

fn compare_scans(pages: &mut TestPages, tree: Tree, model: &Model) {
    let mut cursor = Cursor::new(tree);
    for (key, value) in model {
        pages.retry(|pages| {
            let entry = cursor.next(pages)?.expect("an entry");
            assert_eq!((entry.key, entry.value()), (&key[..], &value[..]));
            assert_eq!(&entry.value_bytes()[..], &value[..]);
            Ok(())
        });
    }
    pages.retry(|pages| cursor.next(pages).map(|entry| assert!(entry.is_none())));
    for (key, value) in model.iter().rev() {
        pages.retry(|pages| {
            let entry = cursor.prev(pages)?.expect("an entry");
            assert_eq!((entry.key, entry.value()), (&key[..], &value[..]));
            Ok(())
        });
    }
    pages.retry(|pages| cursor.prev(pages).map(|entry| assert!(entry.is_none())));
}

/// How keys and values are made.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Small,
    SharedPrefixes,
    LongKeys,
    LargeValues,
    /// Groups of keys that only long separators tell apart, which makes trees deep.
    Groups,
    Mixed,
}

fn key(random: &mut fastrand::Rng, shape: Shape) -> Vec<u8> {
    let number = random.u32(0..400);
    let mut key = match shape {
        Shape::Small | Shape::LargeValues => Vec::new(),
        Shape::SharedPrefixes => vec![b'p'; [0, 3, 90, 900][random.usize(0..4)]],
        Shape::Groups => vec![random.u8(..); 3900],
        Shape::LongKeys => vec![7; KEY_INLINE_MAX - 2 + random.usize(0..4) * random.usize(0..3)],
        Shape::Mixed => {
            let shape = [Shape::Small, Shape::SharedPrefixes, Shape::LongKeys][random.usize(0..3)];
            return self::key(random, shape);
        }
    };
    if random.u8(0..4) == 0 {
        key.extend_from_slice(&(number as u8).to_be_bytes());
    } else {
        key.extend_from_slice(&number.to_be_bytes());
        key.extend(std::iter::repeat_n(b'z', random.usize(0..3)));
    }
    key
}

fn value(random: &mut fastrand::Rng, shape: Shape) -> Vec<u8> {
    let length = match (shape, random.u8(0..20)) {
        (Shape::LargeValues | Shape::Mixed, 0) => random.usize(0..300_000),
        (Shape::LargeValues | Shape::Mixed, 1..6) => VALUE_INLINE_MAX - 2 + random.usize(0..5),
        (_, 0..5) => random.usize(0..3000),
        _ => random.usize(0..60),
    };
    vec![random.u8(..); length]
}

fn random_operations(seed: u64, shape: Shape, residency: Residency, operations: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut pages = TestPages::new(residency, seed);
    let tree = Tree::create(&mut pages, TreeId(5));
    let mut model = Model::new();
    let mut cursor = Cursor::new(tree);
    let mut label = Vec::new();
    for operation in 0..operations {
        // The mix drifts between growing and shrinking.
        let grow = (operation / 300) % 2 == 0;
        match random.u8(0..20) {
            0..10 if grow => put(&mut pages, tree, &mut model, &mut random, shape),
            0..3 => put(&mut pages, tree, &mut model, &mut random, shape),
            10..13 => {
                let key = key(&mut random, shape);
                let found = pages.retry(|pages| tree.get(pages, &key)).map(|value| value.to_vec());
                assert_eq!(found.as_ref(), model.get(&key));
            }
            13..15 => step_cursor(&mut pages, &mut cursor, &model, &mut random, shape),
            15 if random.u8(0..8) == 0 => {
                label = vec![operation as u8; [0, 10, 1000, 5000][random.usize(0..4)]];
                pages.retry_mut(|pages| tree.set_label(pages, &label));
            }
            _ => {
                let key = match model.range(key(&mut random, shape)..).next() {
                    Some((key, _)) => key.clone(),
                    None => key(&mut random, shape),
                };
                let removed = pages.retry_mut(|pages| tree.remove(pages, &key));
                assert_eq!(removed, model.remove(&key).is_some());
            }
        }
        pages.forget();
        if operation % 250 == 0 {
            check(&mut pages, tree, &model);
            assert_eq!(pages.retry(|pages| tree.label(pages)), label);
        }
        if operation % 1000 == 999 {
            compare_scans(&mut pages, tree, &model);
            pages = pages.reopened();
        }
    }
    delete_all(&mut pages, tree, &mut model, &mut random);
    assert_eq!(pages.retry(|pages| tree.label(pages)), label);
}

fn put(pages: &mut TestPages, tree: Tree, model: &mut Model, random: &mut fastrand::Rng, shape: Shape) {
    let (key, value) = (key(random, shape), value(random, shape));
    let replaced = pages.retry_mut(|pages| tree.put(pages, &key, &value));
    assert_eq!(replaced, model.insert(key, value).is_some());
}

/// Moves a long-lived cursor while the tree changes around it.
fn step_cursor(
    pages: &mut TestPages,
    cursor: &mut Cursor,
    model: &Model,
    random: &mut fastrand::Rng,
    shape: Shape,
) {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    match random.u8(0..10) {
        0 => cursor.seek_before(&key(random, shape)),
        1 => cursor.seek_start(),
        2 => cursor.seek_end(),
        _ => {}
    }
    // Positioning by a step forward makes the gap known: after the key that was given.
    let Some(first) = pages.retry(|pages| Ok(cursor.next(pages)?.map(|entry| entry.key.to_vec()))) else {
        return;
    };
    assert!(model.contains_key(&first));
    let expected = model.range((Excluded(first.clone()), Unbounded)).next();
    let next = pages.retry(|pages| Ok(cursor.next(pages)?.map(|entry| entry.key.to_vec())));
    assert_eq!(next.as_ref(), expected.map(|(key, _)| key));
    let from = next.map_or(Unbounded, Included);
    let expected = match from {
        Unbounded => Some(first),
        from => model.range((Unbounded, from)).next_back().map(|(key, _)| key.clone()),
    };
    let back = pages.retry(|pages| Ok(cursor.prev(pages)?.map(|entry| entry.key.to_vec())));
    assert_eq!(back, expected);
}

fn delete_all(pages: &mut TestPages, tree: Tree, model: &mut Model, random: &mut fastrand::Rng) {
    let mut keys: Vec<Vec<u8>> = model.keys().cloned().collect();
    random.shuffle(&mut keys);
    for key in keys {
        assert!(pages.retry_mut(|pages| tree.remove(pages, &key)));
        model.remove(&key);
        pages.forget();
    }
    check(pages, tree, model);
}

#[test]
fn random_operations_agree_with_a_map() {
    for seed in seeds(6) {
        for shape in [Shape::Small, Shape::SharedPrefixes, Shape::LongKeys, Shape::LargeValues, Shape::Mixed]
        {
            for residency in [Residency::All, Residency::None, Residency::Random] {
                println!("{shape:?} {residency:?}");
                random_operations(seed, shape, residency, 1300);
            }
        }
    }
}

#[test]
fn deep_trees() {
    for seed in seeds(2) {
        for residency in [Residency::All, Residency::None] {
            let mut pages = TestPages::new(residency, seed);
            let mut random = fastrand::Rng::with_seed(seed);
            let tree = Tree::create(&mut pages, TreeId(1));
            pages.retry_mut(|pages| tree.set_label(pages, b"label"));
            let mut model = Model::new();
            for _ in 0..4000 {
                put(&mut pages, tree, &mut model, &mut random, Shape::Groups);
                pages.forget();
            }
            let report = check(&mut pages, tree, &model);
            assert!(report.levels >= 4, "{} levels", report.levels);
            compare_scans(&mut pages, tree, &model);
            delete_all(&mut pages, tree, &mut model, &mut random);
            assert_eq!(pages.retry(|pages| tree.label(pages)), b"label");
            if residency == Residency::All {
                assert_eq!(pages.ids(), vec![tree.root]);
            }
        }
    }
}

#[test]
fn values_that_become_small_leave_no_empty_pages_behind() {
    let mut pages = TestPages::new(Residency::All, 0);
    let tree = Tree::create(&mut pages, TreeId(1));
    let mut model = Model::new();
    for length in [8000, 10] {
        for number in 0..1000_u32 {
            let (key, value) = (number.to_be_bytes().to_vec(), vec![1; length]);
            tree.put(&mut pages, &key, &value).unwrap();
            model.insert(key, value);
        }
    }
    let report = check(&mut pages, tree, &model);
    assert!(report.leaves <= 4, "{} leaves for 20 KB", report.leaves);
}

#[test]
fn the_same_operations_give_the_same_pages() {
    let images = |residency| {
        let mut random = fastrand::Rng::with_seed(1);
        let mut pages = TestPages::new(residency, 9);
        let tree = Tree::create(&mut pages, TreeId(1));
        let mut model = Model::new();
        for _ in 0..800 {
            put(&mut pages, tree, &mut model, &mut random, Shape::Mixed);
            let key = key(&mut random, Shape::Mixed);
            pages.retry_mut(|pages| tree.remove(pages, &key));
            model.remove(&key);
            pages.forget();
        }
        pages.images()
    };
    for residency in [Residency::All, Residency::Random, Residency::None] {
        assert!(images(residency) == images(residency));
    }
}

#[test]
fn ascending_and_descending_inserts_leave_full_pages() {
    for (descending, fill) in [(false, 0.95), (true, 0.95)] {
        let mut pages = TestPages::new(Residency::All, 0);
        let tree = Tree::create(&mut pages, TreeId(1));
        let mut model = Model::new();
        for number in 0..30_000_u64 {
            let number = if descending { 1 << 40 | (30_000 - number) } else { number };
            let (key, value) = (number.to_be_bytes().to_vec(), vec![1; 40]);
            tree.put(&mut pages, &key, &value).unwrap();
            model.insert(key, value);
        }
        let report = check(&mut pages, tree, &model);
        let used = report.leaf_bytes as f64 / report.leaves as f64 / 32_000.0;
        assert!(used > fill, "leaves are {used} full");
        compare_scans(&mut pages, tree, &model);
        let mut random = fastrand::Rng::with_seed(3);
        delete_all(&mut pages, tree, &mut model, &mut random);
        assert_eq!(pages.ids(), vec![tree.root], "only the root is left");
    }
}

#[test]
fn huge_keys_and_values() {
    let mut pages = TestPages::new(Residency::Random, 1);
    let tree = Tree::create(&mut pages, TreeId(1));
    let mut model = Model::new();
    // They differ in the last byte only, and are prefixes of each other.
    let huge = vec![b'k'; 16 * 1024 * 1024];
    let mut keys =
        vec![huge.clone(), huge[..huge.len() - 1].to_vec(), vec![b'k'; 56 * 1024 + KEY_INLINE_MAX]];
    for last in [0_u8, 1, 255] {
        keys.push([&huge[..100_000], &[last]].concat());
    }
    for length in (4000..4300).step_by(7) {
        keys.push(vec![b'k'; length]);
    }
    for (index, key) in keys.iter().enumerate() {
        let value = vec![index as u8; if index == 2 { 16 * 1024 * 1024 } else { 2000 }];
        assert!(!pages.retry_mut(|pages| tree.put(pages, key, &value)));
        model.insert(key.clone(), value);
        pages.forget();
    }
    check(&mut pages, tree, &model);
    compare_scans(&mut pages, tree, &model);
    let mut random = fastrand::Rng::with_seed(4);
    delete_all(&mut pages, tree, &mut model, &mut random);
    assert_eq!(pages.ids(), vec![tree.root]);
}

#[test]
fn bulk_load_gives_full_pages_and_refuses_what_does_not_ascend() {
    for seed in seeds(4) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut model = Model::new();
        let shape = if seed % 2 == 0 { Shape::Mixed } else { Shape::SharedPrefixes };
        for _ in 0..[0, 1, 700, 2000][seed as usize % 4] {
            model.insert(key(&mut random, shape), value(&mut random, shape));
        }
        for number in 0..[0_u64, 0, 0, 40_000][seed as usize % 4] {
            model.insert(number.to_be_bytes().to_vec(), vec![0; 20]);
        }
        let mut pages = TestPages::new(Residency::All, seed);
        let tree = Tree::create(&mut pages, TreeId(1));
        tree.set_label(&mut pages, b"label").unwrap();
        let mut builder = Builder::new(&pages, tree).unwrap();
        for (key, value) in &model {
            builder.push(&mut pages, key, value).unwrap();
            assert!(builder.push(&mut pages, key, value).is_err());
        }
        assert_eq!(builder.finish(&mut pages), tree);
        check(&mut pages, tree, &model);
        assert_eq!(tree.label(&pages).unwrap(), b"label");
        compare_scans(&mut pages, tree, &model);
        delete_all(&mut pages, tree, &mut model, &mut random);
    }
}

#[test]
fn a_tree_is_freed_in_bounded_steps_and_leaves_nothing() {
    for (shape, residency) in [(Shape::Mixed, Residency::None), (Shape::Small, Residency::Random)] {
        let mut random = fastrand::Rng::with_seed(8);
        let mut pages = TestPages::new(residency, 8);
        let tree = Tree::create(&mut pages, TreeId(1));
        let mut model = Model::new();
        for _ in 0..1500 {
            put(&mut pages, tree, &mut model, &mut random, shape);
        }
        pages.retry_mut(|pages| tree.set_label(pages, &[1; 3000]));
        loop {
            let before = pages.ids().len();
            let gone = pages.retry_mut(|pages| tree.free_some(pages, 5));
            // The last entry's chunks (1 and 6), its leaf, the separator's chunk and the label's come on top.
            assert!(before - pages.ids().len() <= 4 + 10, "one step");
            if gone {
                break;
            }
            pages.forget();
        }
        assert_eq!(pages.ids(), vec![]);
    }
}

#[test]
fn dropping_a_tree_without_extents_reads_no_leaf() {
    let mut pages = TestPages::new(Residency::All, 0);
    let tree = Tree::create(&mut pages, TreeId(1));
    for number in 0..20_000_u64 {
        tree.put(&mut pages, &number.to_be_bytes(), &[0; 100]).unwrap();
    }
    let mut pages = pages.with_residency(Residency::None);
    pages.retry_mut(|pages| tree.free_some(pages, usize::MAX));
    assert_eq!(pages.loads(), 1, "only the root");
}

#[test]
fn a_scan_asks_for_more_leaves_the_longer_it_runs() {
    let mut pages = TestPages::new(Residency::All, 0);
    let tree = Tree::create(&mut pages, TreeId(1));
    for number in 0..60_000_u64 {
        tree.put(&mut pages, &number.to_be_bytes(), &[0; 100]).unwrap();
    }
    for backward in [false, true] {
        pages = pages.with_residency(Residency::Loaded);
        let mut cursor = Cursor::new(tree);
        if backward {
            cursor.seek_end();
        }
        let mut asked = Vec::new();
        for _ in 0..60_000 {
            loop {
                let step = if backward { cursor.prev(&pages) } else { cursor.next(&pages) };
                match step {
                    Ok(entry) => break assert!(entry.is_some()),
                    Err(fault) => asked.push(pages.load(&fault)),
                }
            }
        }
        assert_eq!(asked[..8], [1, 1, 1, 2, 4, 8, 16, 32], "root, first leaf, then ever more");
        assert!(asked[8..].iter().all(|count| *count <= 32));
    }
}

#[test]
#[should_panic(expected = "the tree was changed after")]
fn a_stale_place_is_refused() {
    let mut pages = TestPages::new(Residency::All, 0);
    let tree = Tree::create(&mut pages, TreeId(1));
    let stale = tree.locate_put(&pages, b"a", b"1").unwrap();
    tree.put(&mut pages, b"b", b"2").unwrap();
    stale.apply(&mut pages);
}

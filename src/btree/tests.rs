//! The edits of single pages: the format byte by byte, and random edits against building the page anew.

use super::edit::{self, Edit, Separator};
use super::extent::ExtentRef;
use super::node::{Body, Cell, Label, Node, empty_payload};
use super::{KEY_INLINE_MAX, PAYLOAD_BYTES_MAX, verify_page};
use crate::pager::{Page, PageId, PageKind, TreeId};

fn leaf() -> Page {
    Page::new(PageKind::Leaf, 0, TreeId(1), empty_payload())
}

fn interior(first: u64) -> Page {
    let cells = [edit::first_child(PageId(first))];
    let payload = edit::build(PageKind::Interior, (&[], false), &cells, KEY_INLINE_MAX);
    Page::new(PageKind::Interior, 1, TreeId(1), payload)
}

fn cell<'a>(key: &'a [u8], value: &'a [u8]) -> Cell<'a> {
    Cell { prefix: &[], suffix: key, rest: None, body: Body::Inline(value) }
}

fn put(page: &mut Page, at: usize, cell: Cell) {
    let edit = Edit { at, cell, replaces: false };
    assert!(edit::fits(page, &edit));
    edit::put(page, &edit);
    assert_eq!(verify_page(page), Ok(()));
}

fn keys(page: &Page) -> Vec<Vec<u8>> {
    Node::of(page).cells().map(|cell| cell.inline_key()).collect()
}

#[test]
fn the_layout_is_the_documented_one() {
    let mut page = leaf();
    put(&mut page, 0, cell(b"tree", b"1"));
    put(&mut page, 1, cell(b"trunk", b"22"));
    edit::set_label(&mut page, &Label::Inline(b"L"));
    let mut expected = vec![2, 0, 2, 0, 1, 0, 0, 0];
    expected.extend([0; 32]);
    expected.extend(b"Ltr");
    expected.extend(b"\x02\x00ee1");
    expected.extend(b"\x03\x00unk22");
    expected.extend([0, 0, 5, 0]);
    assert_eq!(page.payload, expected);

    let rest = ExtentRef { first: PageId(0x0102), bytes: 9 };
    let mut page = interior(7);
    let long = vec![b'k'; KEY_INLINE_MAX];
    let far = Cell { prefix: &[], suffix: &long, rest: Some(rest), body: Body::Child(PageId(8)) };
    put(&mut page, 1, far);
    let mut expected = vec![2, 0, 0, 0x10, 0, 0, 0, 0];
    expected.extend([0; 32]);
    expected.extend(&long);
    expected.extend(b"\x00\x00\x07\0\0\0\0\0\0\0");
    expected.extend(b"\x00\x80\x02\x01\0\0\0\0\0\0\x09\0\0\0\x08\0\0\0\0\0\0\0");
    expected.extend([0, 0, 10, 0]);
    assert_eq!(page.payload, expected);
}

#[test]
fn a_key_that_shares_less_shortens_the_prefix_and_splits_restore_it() {
    let mut page = leaf();
    for (at, key) in [b"abcd1", b"abcd2", b"abcd3"].into_iter().enumerate() {
        put(&mut page, at, cell(key, b""));
    }
    assert_eq!(Node::of(&page).prefix(), b"abcd");
    put(&mut page, 3, cell(b"abx", b""));
    assert_eq!(Node::of(&page).prefix(), b"ab");
    put(&mut page, 0, cell(b"", b""));
    assert_eq!(Node::of(&page).prefix(), b"");
    assert_eq!(keys(&page), [&b""[..], b"abcd1", b"abcd2", b"abcd3", b"abx"]);
    let (left, right, goes_up) = edit::split(&page, None, 2);
    assert_eq!(goes_up, None);
    page.payload = left;
    assert_eq!(keys(&page), [&b""[..], b"abcd1"]);
    page.payload = right;
    assert_eq!(Node::of(&page).prefix(), b"ab");
    assert_eq!(keys(&page), [&b"abcd2"[..], b"abcd3", b"abx"]);
    assert_eq!(edit::remove(&mut page, 2), None);
    assert_eq!(keys(&page), [&b"abcd2"[..], b"abcd3"]);
}

#[test]
fn a_page_full_of_shared_prefixes_gives_a_stranger_a_page_of_its_own() {
    let mut page = leaf();
    let mut at = 0_u16;
    loop {
        let key = [&[b'p'; 200][..], &at.to_be_bytes()].concat();
        let edit = Edit { at: at.into(), cell: cell(&key, b"v"), replaces: false };
        if !edit::fits(&page, &edit) {
            break;
        }
        edit::put(&mut page, &edit);
        at += 1;
    }
    assert!(at > 3000, "200 bytes are stored once, not {at} times");
    for (at, key, index) in [(0, b"a", 1), (usize::from(at), b"q", usize::from(at))] {
        let edit = Edit { at, cell: cell(key, b"v"), replaces: false };
        assert!(!edit::fits(&page, &edit), "the shortened prefix would burst the page");
        assert_eq!(edit::split_index(&page, Some(&edit)), index);
        let (left, right, _) = edit::split(&page, Some(&edit), index);
        assert!(left.len() <= PAYLOAD_BYTES_MAX && right.len() <= PAYLOAD_BYTES_MAX);
    }
}

#[test]
fn interior_pages_split_merge_and_lose_their_first_child() {
    let mut page = interior(1);
    for (at, key) in [b"b", b"d", b"f"].into_iter().enumerate() {
        let separator = Separator { inline: key.to_vec(), rest: None };
        put(&mut page, at + 1, separator.cell(PageId(at as u64 + 2)));
    }
    let (left, right, goes_up) = edit::split(&page, None, 2);
    let goes_up = goes_up.expect("a key goes up");
    assert_eq!(goes_up.inline, b"d");
    let left = Page { payload: left, ..page.clone() };
    let right = Page { payload: right, ..page.clone() };
    assert_eq!((keys(&left), keys(&right)), (vec![vec![], b"b".to_vec()], vec![vec![], b"f".to_vec()]));
    assert_eq!(edit::merge(&left, &right, &goes_up, PAYLOAD_BYTES_MAX).as_ref(), Some(&page.payload));
    assert_eq!(edit::merge(&left, &right, &goes_up, page.payload.len() - 1), None);
    edit::remove(&mut page, 0);
    assert_eq!(verify_page(&page), Ok(()));
    let children: Vec<PageId> = (0..3).map(|at| Node::of(&page).child(at)).collect();
    assert_eq!(children, [PageId(2), PageId(3), PageId(4)]);
    assert_eq!(keys(&page), [&b""[..], b"d", b"f"]);
}

#[test]
fn random_edits_give_what_building_the_page_gives() {
    for seed in 0..60 {
        println!("SEED={seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        let mut page = leaf();
        let mut model = std::collections::BTreeMap::<Vec<u8>, Vec<u8>>::new();
        for _ in 0..300 {
            let mut key = vec![b'a'; [0, 5, 300][random.usize(0..3)]];
            key.push(random.u8(0..40));
            let longest = [4, 900][random.usize(0..2)];
            let value = vec![random.u8(..); random.usize(0..longest)];
            let at = model.range(..key.clone()).count();
            let replaces = model.contains_key(&key);
            let edit = Edit { at, cell: cell(&key, &value), replaces };
            if random.u8(0..3) == 0 && replaces {
                edit::remove(&mut page, at);
                model.remove(&key);
            } else if edit::fits(&page, &edit) {
                edit::put(&mut page, &edit);
                model.insert(key, value);
            } else {
                let index = edit::split_index(&page, Some(&edit));
                let (left, right, _) = edit::split(&page, Some(&edit), index);
                assert!(left.len().max(right.len()) <= PAYLOAD_BYTES_MAX);
                let after = [left, right].map(|payload| keys(&Page { payload, ..page.clone() })).concat();
                model.insert(key.clone(), Vec::new());
                assert_eq!(after, model.keys().cloned().collect::<Vec<_>>());
                page = leaf();
                model.clear();
            }
            assert_eq!(verify_page(&page), Ok(()));
            assert!(page.payload.len() <= PAYLOAD_BYTES_MAX);
            let cells: Vec<Cell> = model.iter().map(|(key, value)| cell(key, value)).collect();
            let prefix = Node::of(&page).prefix().len();
            assert_eq!(page.payload, edit::build(PageKind::Leaf, (&[], false), &cells, prefix));
        }
    }
}

//! Sorting, and maps in order, for lists that are short or not on a hot path.
//!
//! The standard library's sort and `BTreeMap` are made for speed at any size and compiled anew for every type: a sort takes
//! 5 KB of WebAssembly for each, a map 8. These take a few hundred bytes. So the core uses them everywhere but where
//! many entries come and go in any order.
//!
//! Invariants
//! 1. [`sort_by`] is stable, makes at most `n log₂ n` comparisons, and `n` if the list is in order.
//! 2. The entries of a [`SortedMap`] are in the ascending order of their keys, each key once.
//!
//! Deliberately absent: cheap removal from the middle or front of a long map; it moves what follows.

use std::cmp::Ordering;

/// Sorts stably.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut sources = order(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    // Along each cycle of the permutation, every item is swapped to its place once.
    for start in 0..sources.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut sources[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// Sorts stably by the items' own order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// The places of `len` items in their order: merge sort of the places. Not generic, so that it is compiled once.
fn order(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..len).collect();
    let mut merged: Vec<usize> = Vec::with_capacity(len);
    let mut run = 1;
    while run < len {
        for pair in places.chunks(2 * run) {
            let (left, right) = pair.split_at(run.min(pair.len()));
            merge(left, right, &mut merged, compare);
        }
        std::mem::swap(&mut places, &mut merged);
        merged.clear();
        run *= 2;
    }
    places
}

/// Appends two sorted runs as one.
fn merge(
    mut left: &[usize],
    mut right: &[usize],
    out: &mut Vec<usize>,
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
) {
    // What is in order already costs one comparison for each pair of runs.
    let in_order = match (left.last(), right.first()) {
        (Some(last), Some(first)) => compare(*last, *first) != Ordering::Greater,
        _ => true,
    };
    while !in_order && let ([l, left_rest @ ..], [r, right_rest @ ..]) = (left, right) {
        if compare(*l, *r) == Ordering::Greater {
            out.push(*r);
            right = right_rest;
        } else {
            out.push(*l);
            left = left_rest;
        }
    }
    out.extend_from_slice(left);
    out.extend_from_slice(right);
}

/// A map in one sorted list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap::new()
    }
}

impl<K, V> SortedMap<K, V> {
    /// An empty map.
    pub const fn new() -> SortedMap<K, V> {
        SortedMap { entries: Vec::new() }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes every entry.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.entries.iter()
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values in the order of their keys, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// Keeps the entries for which `keep` says yes.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        self.entries.retain(|(key, value)| keep(key, value));
    }

    /// Takes the first entry.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (!self.entries.is_empty()).then(|| self.entries.remove(0))
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Where the key is, or where it would be. The last entry is looked at first: most keys that come are ascending.
    fn place(&self, key: &K) -> Result<usize, usize> {
        match self.entries.last() {
            Some((last, _)) if last < key => Err(self.entries.len()),
            _ => self.entries.binary_search_by(|(probe, _)| probe.cmp(key)),
        }
    }

    /// Whether the key is there.
    pub fn contains_key(&self, key: &K) -> bool {
        self.place(key).is_ok()
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.place(key).ok().map(|place| &self.entries[place].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.place(key).ok().map(|place| &mut self.entries[place].1)
    }

    /// Sets the value of a key; gives the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.entries[place].1, value)),
            Err(place) => {
                self.entries.insert(place, (key, value));
                None
            }
        }
    }

    /// Removes a key; gives its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.place(key).ok().map(|place| self.entries.remove(place).1)
    }

    /// The entries with keys from `key` on.
    pub fn from(&self, key: &K) -> &[(K, V)] {
        let (Ok(place) | Err(place)) = self.place(key);
        &self.entries[place..]
    }

    /// Removes the entries with keys before `key`.
    pub fn remove_before(&mut self, key: &K) {
        let (Ok(place) | Err(place)) = self.place(key);
        self.entries.drain(..place);
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = SortedMap::new();
        map.extend(entries);
        map
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{SortedMap, sort_by};
    use std::collections::BTreeMap;

    #[test]
    fn sorts_as_the_standard_library_does_and_stably() {
        let seed = 20_261;
        let mut random = fastrand::Rng::with_seed(seed);
        for len in 0..200_usize {
            let mut ours: Vec<(u32, usize)> = (0..len).map(|i| (random.u32(0..=len as u32 / 2), i)).collect();
            let mut theirs = ours.clone();
            sort_by(&mut ours, |a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|pair| pair.0);
            assert_eq!(ours, theirs, "length {len}, seed {seed}");
        }
    }

    #[test]
    fn a_list_in_order_costs_a_comparison_for_each_item() {
        let mut items: Vec<u32> = (0..1000).collect();
        let mut comparisons = 0;
        sort_by(&mut items, |a, b| {
            comparisons += 1;
            a.cmp(b)
        });
        assert!(comparisons < 1000, "{comparisons}");
    }

    #[test]
    fn does_what_a_btree_map_does() {
        let seed = 7;
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut ours, mut theirs) = (SortedMap::new(), BTreeMap::new());
        for step in 0..2000 {
            let (key, value) = (random.u8(0..50), step);
            match random.u8(0..6) {
                0..3 => assert_eq!(ours.insert(key, value), theirs.insert(key, value)),
                3 => assert_eq!(ours.remove(&key), theirs.remove(&key)),
                4 => assert_eq!(ours.pop_first(), theirs.pop_first()),
                _ => {
                    ours.remove_before(&(key / 4));
                    theirs = theirs.split_off(&(key / 4));
                }
            }
            assert_eq!(ours.get(&key), theirs.get(&key), "step {step}, seed {seed}");
            assert_eq!(ours.len(), theirs.len());
            assert!(ours.iter().map(|(k, v)| (k, v)).eq(theirs.iter()), "step {step}, seed {seed}");
            assert!(ours.from(&key).iter().map(|(k, v)| (k, v)).eq(theirs.range(key..)), "seed {seed}");
        }
    }
}

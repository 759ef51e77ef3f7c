//! Sorting by one piece of code for everything.
//!
//! The standard library's sort is compiled anew for each type, some four kilobytes a time, and so is collecting into a `BTreeMap`, which
//! sorts first. What the first page of the app is made of sorts by this instead, and extends an empty map.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What `collect` makes of pairs.
pub fn map_of<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

/// What `collect` makes of things that are each there once.
pub fn set_of<T: Ord>(things: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(things);
    set
}

/// Sorts as `sort_by` does: what is equal keeps its order.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order_of(items.len(), &|a, b| compare(&items[a], &items[b]));
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| taken[at].take()));
}

/// Where each of so many things goes.
fn order_of(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sort_by;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(mut pairs in prop::collection::vec((0..5_u8, any::<u16>()), 0..60)) {
            let mut expected = pairs.clone();
            expected.sort_by_key(|pair| pair.0);
            sort_by(&mut pairs, |a, b| a.0.cmp(&b.0));
            prop_assert_eq!(pairs, expected);
        }
    }
}

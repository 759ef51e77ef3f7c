//! A map for few things.
//!
//! The standard library's maps are compiled anew for each kind of thing they hold, some kilobytes a time. What the first page of the app
//! keeps few of, such as the answers that are coming, it keeps in this.

/// Pairs of a key and a value, each key once, in the order in which they came.
#[derive(Debug, Clone, PartialEq)]
pub struct Few<K, V>(Vec<(K, V)>);

impl<K, V> Default for Few<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Few<K, V> {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<K: PartialEq, V> Few<K, V> {
    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.iter().find(|(other, _)| other == key).map(|(_, value)| value)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.0.iter_mut().find(|(other, _)| other == key).map(|(_, value)| value)
    }

    /// Gives a key a value; the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.get_mut(&key) {
            Some(old) => Some(std::mem::replace(old, value)),
            None => {
                self.0.push((key, value));
                None
            }
        }
    }

    /// Takes a key out; the value it had.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.0.iter().position(|(other, _)| other == key)?;
        Some(self.0.remove(at).1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::Few;

    proptest! {
        #[test]
        fn it_holds_what_the_standard_library_would(steps in prop::collection::vec((0..6_u8, any::<Option<u16>>()), 0..60)) {
            let (mut few, mut map) = (Few::new(), BTreeMap::new());
            for (key, value) in steps {
                match value {
                    Some(value) => prop_assert_eq!(few.insert(key, value), map.insert(key, value)),
                    None => prop_assert_eq!(few.remove(&key), map.remove(&key)),
                }
                for key in 0..6 {
                    prop_assert_eq!(few.get(&key), map.get(&key));
                    prop_assert_eq!(few.get_mut(&key), map.get_mut(&key));
                }
            }
        }
    }
}

//! Patterns. This is the only file that uses regular expressions.
//!
//! The engine has no backtracking: a match takes time linear in the text, times the size of the pattern, which is limited.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use regex_lite::{Regex, RegexBuilder};

use super::SchemaLimits;

/// The patterns of a schema, read when they are first needed.
#[derive(Debug)]
pub(super) struct Patterns {
    known: RefCell<BTreeMap<String, Option<Rc<Regex>>>>,
    longest: usize,
}

/// Bytes of a pattern as it is kept for matching.
const COMPILED_BYTES: usize = 256 << 10;

impl Patterns {
    pub(super) fn new(limits: &SchemaLimits) -> Self {
        Self { known: RefCell::new(BTreeMap::new()), longest: limits.pattern_bytes }
    }

    /// A pattern; none where it cannot be read here, or is too long.
    pub(super) fn get(&self, pattern: &str) -> Option<Rc<Regex>> {
        if pattern.len() > self.longest {
            return None;
        }
        if let Some(known) = self.known.borrow().get(pattern) {
            return known.clone();
        }
        let built = RegexBuilder::new(pattern).size_limit(COMPILED_BYTES).nest_limit(50).build();
        let read = built.ok().map(Rc::new);
        self.known.borrow_mut().insert(pattern.to_owned(), read.clone());
        read
    }
}

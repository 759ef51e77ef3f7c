//! The patterns of a schema.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::SchemaLimits;
use crate::pattern::{Case, Pattern};

/// The patterns of a schema, read when they are first needed.
#[derive(Debug)]
pub(super) struct Patterns {
    known: RefCell<BTreeMap<String, Option<Rc<Pattern>>>>,
    longest: usize,
}

impl Patterns {
    pub(super) fn new(limits: &SchemaLimits) -> Self {
        Self { known: RefCell::new(BTreeMap::new()), longest: limits.pattern_bytes }
    }

    /// Whether a pattern has been read, or never will be.
    pub(super) fn knows(&self, pattern: &str) -> bool {
        pattern.len() > self.longest || self.known.borrow().contains_key(pattern)
    }

    /// A pattern; none where it cannot be read here, or is too long.
    pub(super) fn get(&self, pattern: &str) -> Option<Rc<Pattern>> {
        if pattern.len() > self.longest {
            return None;
        }
        if let Some(known) = self.known.borrow().get(pattern) {
            return known.clone();
        }
        let read = Pattern::read(pattern, Case::Exact).ok().map(Rc::new);
        self.known.borrow_mut().insert(pattern.to_owned(), read.clone());
        read
    }
}

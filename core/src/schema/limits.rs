//! How large a schema may be, and what a check may cost.

use serde_json::Value;

use super::SchemaFault;

/// What a schema may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaLimits {
    /// Values of all kinds in a schema.
    pub nodes: usize,
    /// How deep a schema may be.
    pub depth: usize,
    /// How many steps checking one value may take. A step is one keyword's look at one value, or a few bytes compared.
    pub steps: u64,
    /// How many schemas may be in one another while checking, by way of `$ref` too.
    pub nesting: usize,
    /// Bytes of a pattern.
    pub pattern_bytes: usize,
    /// How many misfits are told.
    pub misfits: usize,
    /// How many texts may be made numbers or booleans.
    pub coercions: usize,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self {
            nodes: 20_000,
            depth: 64,
            steps: 2_000_000,
            nesting: 200,
            pattern_bytes: 1_000,
            misfits: 8,
            coercions: 64,
        }
    }
}

impl SchemaLimits {
    /// Refuses a schema that is too large or too deep, before anything else is done with it.
    pub(super) fn check(&self, schema: &Value) -> Result<(), SchemaFault> {
        let mut nodes = 0;
        let mut left = vec![(schema, 1)];
        while let Some((value, depth)) = left.pop() {
            nodes += 1;
            if nodes > self.nodes {
                return Err(SchemaFault::TooLarge { limit: self.nodes });
            }
            if depth > self.depth {
                return Err(SchemaFault::TooDeep { limit: self.depth });
            }
            match value {
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
                Value::Array(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(members) => left.extend(members.values().map(|member| (member, depth + 1))),
            }
        }
        Ok(())
    }
}

//! Whether a value fits a JSON Schema: arguments before a call, results after it (R255, R256). Drafts 7 and 2020-12.
//!
//! Schemas come from strangers, so that everything is bounded: how large and how deep one may be when it is read, how many steps a
//! check may take, how long a pattern may be. Patterns are matched in time linear in the text. Nothing is ever fetched: a `$ref` that
//! leaves the schema is refused with a sentence. `format` and the `content…` keywords are remarks and check nothing, as both drafts
//! allow; defaults are never filled in. A pattern that cannot be read here, because it looks ahead or behind, checks nothing.
//!
//! [`Schema::fit`] also makes a number or a boolean of a text where the schema wants that and no text, since models often
//! write `"3"` for `3`. It never loses anything by it, and changes nothing that fits as it is.

mod arrays;
mod check;
mod coerce;
mod compare;
mod fault;
mod limits;
mod misfit;
mod objects;
mod pattern;
mod references;
mod scalars;
mod uri;
mod walk;

pub use fault::SchemaFault;
pub use limits::SchemaLimits;
pub use misfit::{Misfit, Misfits};

use serde_json::Value;

use check::Check;
use pattern::Patterns;
use references::Resources;

/// Which rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draft {
    Seven,
    Later,
}

/// A schema that was found readable.
#[derive(Debug)]
pub struct Schema {
    root: Value,
    draft: Draft,
    resources: Resources,
    patterns: Patterns,
    /// Whether it asks anywhere for what no other keyword has looked at, which costs something to know.
    marks: bool,
    limits: SchemaLimits,
}

impl Schema {
    /// Reads a schema: that it is within the limits, and that every reference in it leads somewhere in it.
    pub fn read(schema: &Value, limits: &SchemaLimits) -> Result<Self, SchemaFault> {
        limits.check(schema)?;
        let draft = Draft::of(schema);
        let resources = Resources::of(schema, draft)?;
        let marks = walk::mentions(schema, &["unevaluatedProperties", "unevaluatedItems"]);
        let patterns = Patterns::new(limits);
        Ok(Self { root: schema.clone(), draft, resources, patterns, marks, limits: limits.clone() })
    }

    /// Whether a value fits as it is.
    pub fn check(&self, value: &Value) -> Result<(), Misfits> {
        let mut check = Check::new(self, self.limits.steps);
        check.run(value);
        check.into_result()
    }

    /// The value, with texts made numbers or booleans where only that fits.
    pub fn fit(&self, value: Value) -> Result<Value, Misfits> {
        coerce::fit(self, value)
    }
}

impl Draft {
    /// The draft that a schema says it is of; the later one where it says nothing.
    fn of(schema: &Value) -> Self {
        let said = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let old = ["draft-07", "draft-06", "draft-04", "draft-03"].iter().any(|name| said.contains(name));
        if old { Self::Seven } else { Self::Later }
    }
}

#[cfg(test)]
mod tests;

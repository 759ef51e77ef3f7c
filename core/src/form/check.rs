//! Whether what a form holds fits its schema, for whoever has the code that knows it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema::{Misfit, Schema, SchemaLimits};

/// What a check of a value came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// What does not fit, the first few: each a JSON pointer and what is wrong there.
    pub misfits: Vec<(String, String)>,
    /// Why nothing can be checked by this schema.
    pub fault: Option<String>,
}

/// Checks a value as it is. Nothing in a form is a text that was meant as a number.
#[must_use]
pub fn check(schema: &Value, value: &Value) -> Checked {
    let schema = match Schema::read(schema, &SchemaLimits::default()) {
        Ok(schema) => schema,
        Err(fault) => return Checked { misfits: Vec::new(), fault: Some(fault.to_string()) },
    };
    let told = schema.check(value).err().map(|misfits| misfits.told).unwrap_or_default();
    let misfits = told.into_iter().map(|Misfit { path, message }| (path, message)).collect();
    Checked { misfits, fault: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R255: page and worker say it to each other.
    #[test]
    fn as_sent() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {"b": {"type": "integer"}}});
        insta::assert_json_snapshot!(check(&schema, &json!({"b": "1"})), @r#"
        {
          "misfits": [
            [
              "/a",
              "is missing"
            ],
            [
              "/b",
              "must be a whole number, and is the text \"1\""
            ]
          ],
          "fault": null
        }
        "#);
        let fault = check(&json!({"$ref": "https://example.test/schema"}), &json!({})).fault;
        assert!(fault.is_some_and(|fault| fault.contains("outside of it")));
    }
}

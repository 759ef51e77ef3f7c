//! An argument of a form: its kind, whether it has to be given, and what it is.

use serde_json::{Map, Value, json};

use super::step::text;

/// An argument, as a form has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// `string`, `number`, `integer`, `boolean` or `array`; of an argument that is there, also what else its schema says.
    pub kind: String,
    /// Whether it has to be given.
    pub required: bool,
    /// What it is.
    pub description: String,
    /// The schema that the form began with.
    pub(super) declared: Option<Value>,
}

impl Default for Argument {
    fn default() -> Self {
        Self { kind: "string".into(), required: true, description: String::new(), declared: None }
    }
}

impl Argument {
    /// An argument that is there.
    pub(super) fn of(property: Value, required: bool) -> Self {
        Self {
            kind: kind_of(&property),
            required,
            description: text(property.get("description")),
            declared: Some(property),
        }
    }

    /// Its schema. One of the same kind keeps all that was declared of it, such as what it may be and what it is when nobody says; of another
    /// kind that would not be true.
    pub(super) fn property(&self) -> Value {
        let declared = self.declared.as_ref().filter(|declared| kind_of(declared) == self.kind);
        let kind = |kind: &str| ("type".to_owned(), json!(kind));
        let mut property = match declared {
            Some(Value::Object(declared)) => declared.clone(),
            // A schema that is `true` takes anything, and says no more than that.
            Some(_) => Map::new(),
            None if self.kind == "array" => {
                Map::from_iter([kind("array"), ("items".into(), json!({"type": "string"}))])
            }
            None => Map::from_iter([kind(&self.kind)]),
        };
        match self.description.trim() {
            "" => drop(property.remove("description")),
            description => drop(property.insert("description".into(), json!(description))),
        }
        Value::Object(property)
    }
}

/// The type that a schema names, as text; empty where it names none.
fn kind_of(property: &Value) -> String {
    text(property.get("type"))
}

//! What fits and what does not, in words; what a hostile schema costs.

use serde_json::{Value, json};

use super::{Schema, SchemaLimits};

fn told(schema: &Value, value: &Value) -> String {
    let schema = Schema::read(schema, &SchemaLimits::default()).expect("is a schema");
    schema.check(value).map_or_else(|misfits| misfits.to_string(), |()| "fits".into())
}

fn check(schema: Value, value: Value, expected: &str) {
    assert_eq!(told(&schema, &value), expected, "{schema} {value}");
}

fn person() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "age": {"type": "integer", "minimum": 0},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
            "a/b": {"enum": ["x", 2]},
        },
        "required": ["name"],
        "additionalProperties": false,
    })
}

/// R255: the path, and what is wrong there, several at once.
#[test]
fn misfits_name_their_path() {
    check(person(), json!({"name": "A", "age": 3, "tags": ["x"], "a/b": 2.0}), "fits");
    check(person(), json!([]), "it must be an object, and is a list");
    check(person(), json!({}), "/name is missing");
    check(
        person(),
        json!({"name": "", "age": -1, "tags": ["x", 1], "a/b": "y"}),
        "/name must have at least 1 characters, and has 0; /age must be at least 0, and is -1; \
         /tags/1 must be a text, and is the number 1; /a~1b must be one of \"x\", 2, and is \"y\"",
    );
    check(person(), json!({"name": "A", "nam": 1}), "/nam is not known here; known are name, age, tags, a/b");
    check(
        person(),
        json!({"name": "A", "tags": ["x", "y", "x"]}),
        "/tags/2 is the same as item 0, and all must differ",
    );
    check(
        json!({"items": {"type": "boolean"}}),
        Value::Array((0..20).map(Value::from).collect()),
        &format!(
            "{}; and 12 more",
            (0..8)
                .map(|at| format!("/{at} must be true or false, and is the number {at}"))
                .collect::<Vec<_>>()
                .join("; ")
        ),
    );
}

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
        "/name must have at least 1 character, and has 0; /age must be at least 0, and is -1; \
         /tags/1 must be a text, and is the number 1; /a~1b must be one of \"x\", 2, and is \"y\"",
    );
    check(person(), json!({"name": "A", "nam": 1}), "/nam is not known here; known are name, age, tags, a/b");
    check(
        person(),
        json!({"name": "A", "nam": 1, "agee": 2}),
        "/nam is not known here; known are name, age, tags, a/b; /agee is not known here",
    );
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

/// The tests that the JSON Schema organisation publishes, but for those of formats, contents, vocabularies and other documents:
/// the first three check nothing here, the last are never fetched. One group a line; see `suite/LICENSE`.
const SUITE: [(&str, &str); 2] = [
    ("draft7", include_str!("tests/suite/draft7.ndjson")),
    ("draft2020-12", include_str!("tests/suite/draft2020-12.ndjson")),
];

/// R255, R256: both drafts, as those who wrote them read them. What deviates is listed, with nothing else.
#[test]
fn the_official_suite_is_passed() {
    let (mut passed, mut deviations) = (0, Vec::new());
    for (draft, group) in SUITE.iter().flat_map(|(draft, lines)| lines.lines().map(move |line| (draft, line))) {
        let group: Value = serde_json::from_str(group).expect("is JSON");
        let name = |of: &Value| of["description"].as_str().unwrap_or_default().to_owned();
        let mut schema = group["schema"].clone();
        if let (Some(members), &"draft7") = (schema.as_object_mut(), draft) {
            members.entry("$schema").or_insert_with(|| "http://json-schema.org/draft-07/schema#".into());
        }
        let read = match Schema::read(&schema, &SchemaLimits::default()) {
            Ok(read) => read,
            Err(fault) => {
                deviations.push(format!("{draft} {}: {}: {fault}", group["file"], name(&group)));
                continue;
            }
        };
        for test in group["tests"].as_array().expect("are tests") {
            let valid = read.check(&test["data"]).is_ok();
            if Some(valid) == test["valid"].as_bool() {
                passed += 1;
            } else {
                deviations.push(format!("{draft} {}: {}: {}: {valid}", group["file"], name(&group), name(test)));
            }
        }
    }
    insta::assert_snapshot!(format!("{passed} passed\n{}", deviations.join("\n")), @r#"
    1837 passed
    draft7 "definitions": validate definition against metaschema: "$ref" names "http://json-schema.org/draft-07/schema#", which is outside of it, and schemas are never fetched; put that part under "$defs"
    draft7 "ref": remote ref, containing refs itself: "$ref" names "http://json-schema.org/draft-07/schema#", which is outside of it, and schemas are never fetched; put that part under "$defs"
    draft2020-12 "defs": validate definition against metaschema: "$ref" names "https://json-schema.org/draft/2020-12/schema", which is outside of it, and schemas are never fetched; put that part under "$defs"
    draft2020-12 "dynamicRef": strict-tree schema, guards against misspelled properties: "$ref" names "tree.json", which is outside of it, and schemas are never fetched; put that part under "$defs"
    draft2020-12 "dynamicRef": tests for implementation dynamic anchor and reference link: "$ref" names "extendible-dynamic-ref.json", which is outside of it, and schemas are never fetched; put that part under "$defs"
    draft2020-12 "dynamicRef": $ref and $dynamicAnchor are independent of order - $defs first: "$ref" names "extendible-dynamic-ref.json", which is outside of it, and schemas are never fetched; put that part under "$defs"
    draft2020-12 "dynamicRef": $ref and $dynamicAnchor are independent of order - $ref first: "$ref" names "extendible-dynamic-ref.json", which is outside of it, and schemas are never fetched; put that part under "$defs"
    draft2020-12 "dynamicRef": $ref to $dynamicRef finds detached $dynamicAnchor: "$ref" names "http://localhost:1234/draft2020-12/detached-dynamicref.json#/$defs/foo", which is outside of it, and schemas are never fetched; put that part under "$defs"
    draft2020-12 "ref": remote ref, containing refs itself: "$ref" names "https://json-schema.org/draft/2020-12/schema", which is outside of it, and schemas are never fetched; put that part under "$defs"
    "#);
}

/// A text becomes a number or a boolean where only that fits, and nothing is lost by it.
#[test]
fn texts_become_what_is_wanted() {
    let fit = |schema: Value, value: Value, expected: Option<Value>| {
        let read = Schema::read(&schema, &SchemaLimits::default()).expect("is a schema");
        assert_eq!(read.fit(value.clone()).ok(), expected, "{schema} {value}");
    };
    let of = |kind: &str| json!({"type": kind});
    fit(of("integer"), json!("3"), Some(json!(3)));
    fit(of("integer"), json!("-3"), Some(json!(-3)));
    fit(of("number"), json!("2.50"), Some(json!(2.5)));
    fit(of("number"), json!("18446744073709551615"), Some(json!(u64::MAX)));
    fit(of("boolean"), json!("true"), Some(json!(true)));
    fit(of("boolean"), json!("false"), Some(json!(false)));
    // Anything that would lose or guess something stays what it is.
    for text in ["", " 3", "3.0", "3.5", "03", "+3", "1e3", "0x10", "three", "18446744073709551616"] {
        fit(of("integer"), json!(text), None);
    }
    for text in ["0.1234567890123456", "NaN", "inf", ".5", "5.", "123456789012345678901234567890"] {
        fit(of("number"), json!(text), None);
    }
    for text in ["True", "1", "yes", ""] {
        fit(of("boolean"), json!(text), None);
    }
    fit(of("string"), json!("3"), Some(json!("3")));
    fit(json!({}), json!("3"), Some(json!("3")));
    fit(json!({"type": ["string", "integer"]}), json!("3"), Some(json!("3")));
    fit(json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!("3"), Some(json!(3)));
    // A text that some form here takes is not made a number because it is too long for that form.
    fit(json!({"anyOf": [{"type": "string", "maxLength": 1}, {"type": "integer"}]}), json!("33"), None);
    let nested =
        json!({"properties": {"a": {"items": {"type": "integer"}}, "b": {"type": "boolean"}, "c": {"type": "string"}}});
    let made = json!({"a": [1, 2, 3], "b": true, "c": "4"});
    fit(nested, json!({"a": ["1", 2, "3"], "b": "true", "c": "4"}), Some(made));
    fit(json!({"type": "integer", "maximum": 2}), json!("3"), None);
    // Defaults are remarks.
    fit(json!({"properties": {"a": {"default": 1}}}), json!({}), Some(json!({})));
}

/// A reference that leaves the schema, or leads nowhere, is told before anything is checked.
#[test]
fn references_stay_inside() {
    let check = |schema: Value, expected: &str| {
        assert_eq!(Schema::read(&schema, &SchemaLimits::default()).expect_err("is refused").to_string(), expected);
    };
    check(
        json!({"properties": {"a": {"$ref": "https://x.test/a.json"}}}),
        "\"$ref\" names \"https://x.test/a.json\", which is outside of it, and schemas are never fetched; put that part under \
         \"$defs\"",
    );
    check(json!({"$ref": "#/$defs/none"}), "\"$ref\" names \"#/$defs/none\", and there is no such part in it");
}

/// Hostile schemas and values are given up, in bounded time, with a sentence.
#[test]
fn hostile_schemas_are_bounded() {
    let limits = SchemaLimits::default();
    let deep = (0..100).fold(json!({}), |inner, _| json!({"not": inner}));
    assert_eq!(Schema::read(&deep, &limits).expect_err("is refused").to_string(), "it is more than 64 levels deep");
    let large = Value::Array(vec![json!(1); 30_000]);
    let refused = Schema::read(&json!({"enum": large}), &limits).expect_err("is refused").to_string();
    assert_eq!(refused, "it has more than 20000 values in it");
    check(json!({"$ref": "#"}), json!(1), "it cannot be checked: its schema refers to itself without end");
    // Each level tries both forms of the next: two to the power of the depth.
    let levels = (0..60).map(|at| {
        let next = json!({"$ref": format!("#/$defs/{}", at + 1)});
        (at.to_string(), json!({"anyOf": [{"allOf": [next.clone(), false]}, {"allOf": [next, false]}]}))
    });
    let mut levels: serde_json::Map<String, Value> = levels.collect();
    levels.insert("60".into(), json!({}));
    let exponential = json!({"$ref": "#/$defs/0", "$defs": levels});
    check(exponential, json!(1), "it cannot be checked: this schema would take too long with it");
    // No pattern takes more than time linear in the text.
    let text = Value::String("a".repeat(50_000));
    check(json!({"pattern": "^(a+)+$"}), text.clone(), "fits");
    check(json!({"pattern": "^(a|a)*b$"}), text.clone(), "it must match the pattern ^(a|a)*b$");
    // A short pattern can have a place for each letter of a long text.
    let long = Value::String("a".repeat(1_000_000));
    check(
        json!({"pattern": "a{0,3000}b"}),
        long.clone(),
        "it cannot be checked: this schema would take too long with it",
    );
    check(json!({"pattern": "^[a-z]*$"}), long, "fits");
    let costly: Vec<Value> = (0..5_000).map(|at| json!({"pattern": format!("a{{0,3000}}{at}")})).collect();
    check(json!({"anyOf": costly}), json!("b"), "it cannot be checked: this schema would take too long with it");
    let dates = Value::Array(vec![json!("2026-11-18"); 50_000]);
    check(json!({"items": {"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}}), dates, "fits");
    assert_eq!(
        told(&json!({"pattern": "(a{1,500}){1,500}b"}), &text),
        "fits",
        "too large to be read, so that it checks nothing"
    );
    assert_eq!(told(&json!({"pattern": "(?=x)y"}), &json!("z")), "fits", "looks ahead, so that it checks nothing");
    let many = json!({"items": {"enum": (0..5_000).map(|at| format!("{at:0>200}")).collect::<Vec<_>>()}});
    let values = Value::Array(vec![json!("x".repeat(200)); 50_000]);
    check(many, values, "it cannot be checked: this schema would take too long with it");
}

/// R255: where several forms are possible, the nearest is explained.
#[test]
fn the_nearest_form_is_explained() {
    let forms = json!({"oneOf": [
        {"type": "string"},
        {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind"]},
    ]});
    check(forms.clone(), json!(1), "it matches none of the 2 forms allowed here");
    check(
        forms,
        json!({"kind": "a", "n": 1.5}),
        "it matches none of the 2 forms allowed here (nearest: /n must be a whole number, and is the number 1.5)",
    );
    let both = json!({"oneOf": [{"type": "integer"}, {"minimum": 2}]});
    check(both, json!(3), "it matches 2 of 2 forms, and must match exactly one");
}

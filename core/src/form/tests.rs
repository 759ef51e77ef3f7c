//! Forms of whole schemas: their rows, what typing into them does to the value, and the JSON beside them.

use serde_json::json;

use super::*;

/// One line a row: indentation, path, a star where a value must be there, the input, and what stands in it.
fn drawn(form: &Form) -> Vec<String> {
    let line = |row: &Row| {
        let input = match &row.input {
            Input::Text { has_lines: false } => "text".into(),
            Input::Text { has_lines: true } => "lines".into(),
            Input::Number { is_whole: true } => "whole".into(),
            Input::Number { is_whole: false } => "number".into(),
            Input::Choice { options } => {
                let labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
                format!("choice {}", labels.join("|"))
            }
            Input::Forms { labels, chosen } => format!("forms {} ={chosen}", labels.join("|")),
            Input::Group { is_present } => if *is_present { "group" } else { "no group" }.into(),
            Input::List { count } => format!("list {count}"),
            Input::Fixed { words } => format!("fixed {words}"),
            Input::Json => "json".into(),
            Input::Rest { names } => format!("rest {names}"),
        };
        let (indent, star) = ("  ".repeat(row.depth), if row.required { "*" } else { "" });
        let null = match row.null {
            None => "",
            Some(false) => " null?",
            Some(true) => " null!",
        };
        let text = form.text(row).replace('\n', "⏎");
        let text =
            if text.is_empty() || matches!(row.input, Input::Group { .. } | Input::List { .. } | Input::Forms { .. }) {
                String::new()
            } else {
                format!(": {text}")
            };
        format!("{indent}{}{star} {input}{null}{text}", row.path)
    };
    form.rows().iter().map(line).collect()
}

fn check(schema: Value, expected: &[&str]) {
    assert_eq!(drawn(&Form::new(schema)), expected);
}

fn row(form: &Form, path: &str) -> Row {
    let rows = form.rows();
    // Of several at one path the last is the one that is typed into.
    let found = rows.iter().rev().find(|row| row.path == path).cloned();
    found.unwrap_or_else(|| panic!("no row {path} among {:?}", drawn(form)))
}

fn forms_row(form: &Form, path: &str) -> Row {
    let is_forms = |row: &&Row| row.path == path && matches!(row.input, Input::Forms { .. });
    form.rows().iter().find(is_forms).cloned().expect("has forms")
}

fn type_at(form: &mut Form, path: &str, text: &str) {
    let row = row(form, path);
    form.type_text(&row, text);
}

/// R228: what must be there comes first, in the author's order; defaults stand in it from the start.
#[test]
fn members_become_rows() {
    check(
        json!({
            "type": "object",
            "required": ["path", "content"],
            "properties": {
                "append": {"type": "boolean", "default": false},
                "content": {"type": "string", "description": "What to write"},
                "mode": {"enum": ["text", "binary"]},
                "path": {"type": "string", "title": "Path"},
                "tries": {"type": "integer", "minimum": 1, "maximum": 5, "default": 2},
                "weight": {"type": "number"},
            },
        }),
        &[
            "/path* text",
            "/content* lines",
            "/append choice yes|no: false",
            "/mode choice text|binary",
            "/tries whole: 2",
            "/weight number",
        ],
    );
}

/// R228: labels, descriptions and what is allowed come from the schema.
#[test]
fn rows_say_what_the_schema_says() {
    let schema = json!({"type": "object", "properties": {
        "when": {"type": "string", "title": "Day", "description": "The day", "format": "date", "examples": ["2026-01-31"]},
        "n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10},
    }});
    let rows = Form::new(schema).rows();
    let said: Vec<_> =
        rows.iter().map(|row| (row.label.as_str(), row.description.as_str(), row.hint.as_str())).collect();
    assert_eq!(said, [("Day", "The day", "date, such as 2026-01-31"), ("n", "", "at least 1, less than 10")]);
}

/// R228: objects and lists in one another, by reference too, even to themselves.
#[test]
fn groups_and_lists_open_as_they_are_filled() {
    let schema = json!({
        "type": "object",
        "required": ["top"],
        "properties": {"top": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                "style": {"type": "object", "properties": {"bold": {"type": "boolean"}}},
            },
        }},
    });
    let mut form = Form::new(schema);
    assert_eq!(drawn(&form), ["/top* group", "  /top/name* text", "  /top/children list 0", "  /top/style no group"]);
    let list = row(&form, "/top/children");
    form.add_item(&list);
    form.add_item(&row(&form, "/top/children"));
    type_at(&mut form, "/top/children/1/name", "leaf");
    form.set_present(&row(&form, "/top/style"), true);
    assert_eq!(
        drawn(&form),
        [
            "/top* group",
            "  /top/name* text",
            "  /top/children list 2",
            "    /top/children/0* group",
            "      /top/children/0/name* text",
            "      /top/children/0/children list 0",
            "      /top/children/0/style no group",
            "    /top/children/1* group",
            "      /top/children/1/name* text: leaf",
            "      /top/children/1/children list 0",
            "      /top/children/1/style no group",
            "  /top/style group",
            "    /top/style/bold choice yes|no",
        ]
    );
    assert_eq!(*form.value(), json!({"top": {"children": [{}, {"name": "leaf"}], "style": {}}}));
    form.remove_item(&row(&form, "/top/children/0"));
    assert_eq!(*form.value(), json!({"top": {"children": [{"name": "leaf"}], "style": {}}}));
    form.remove_item(&row(&form, "/top/children/0"));
    form.set_present(&row(&form, "/top/style"), false);
    assert_eq!(*form.value(), json!({"top": {}}));
}

/// A value that may be null, in each of the ways to say so.
#[test]
fn null_is_a_choice_of_its_own() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": ["string", "null"]},
        "b": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": null, "title": "B"},
        "c": {"enum": ["x", null]},
    }});
    let mut form = Form::new(schema);
    assert_eq!(drawn(&form), ["/a text null?", "/b whole null?", "/c choice x null?"]);
    assert_eq!((row(&form, "/b").label, row(&form, "/b").hint), ("B".into(), "at least 1".into()));
    assert_eq!(*form.value(), json!({}));
    form.set_null(&row(&form, "/a"), true);
    assert_eq!(*form.value(), json!({"a": null}));
    assert_eq!(drawn(&form)[0], "/a text null!");
    form.set_null(&row(&form, "/a"), false);
    assert_eq!(*form.value(), json!({}));
}

/// Several forms: one is chosen, by hand or by what the value looks like.
#[test]
fn one_of_several_forms_is_chosen() {
    let schema = json!({"type": "object", "required": ["shape"], "properties": {
        "shape": {"oneOf": [
            {"type": "object", "required": ["kind", "radius"],
             "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}},
            {"type": "object", "required": ["kind", "side"],
             "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}},
        ]},
        "limit": {"type": ["integer", "string"]},
    }});
    let mut form = Form::new(schema);
    let circle = [
        "/shape* forms circle|square =0",
        "  /shape/kind* fixed circle: circle",
        "  /shape/radius* number",
        "/limit forms whole number|text =0",
    ];
    assert_eq!(drawn(&form), circle);
    form.choose_form(&forms_row(&form, "/shape"), 1);
    type_at(&mut form, "/shape/side", "2.5");
    assert_eq!(*form.value(), json!({"shape": {"kind": "square", "side": 2.5}}));
    form.type_json(r#"{"shape": {"kind": "circle", "radius": 1}, "limit": "no"}"#);
    assert_eq!(drawn(&form)[0], "/shape* forms circle|square =0");
    assert_eq!(drawn(&form)[3..], ["/limit forms whole number|text =1", "  /limit text: no"]);
    form.choose_form(&forms_row(&form, "/limit"), 0);
    type_at(&mut form, "/limit", "3x");
    assert_eq!(drawn(&form)[3..], ["/limit forms whole number|text =0", "  /limit whole: 3x"]);
    assert!(!form.is_readable());
}

/// Constants with words to them are an enumeration.
#[test]
fn named_constants_are_options() {
    check(
        json!({"type": "object", "properties": {"level": {"oneOf": [
            {"const": 1, "title": "low"}, {"const": 2, "title": "high"}, {"const": 3},
        ]}}}),
        &["/level choice low|high|3"],
    );
}

/// What no row can ask for is asked for as JSON.
#[test]
fn what_is_unknown_is_json() {
    check(
        json!({"type": "object", "properties": {
            "any": true,
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "missing": {"$ref": "#/$defs/nowhere"},
            "outside": {"$ref": "https://example.test/x"},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "loop": {"$ref": "#/properties/loop"},
        }}),
        &["/any json", "/headers json", "/missing json", "/outside json", "/pair json", "/loop json"],
    );
    check(json!({"type": "object", "additionalProperties": true}), &["* json: {}"]);
    check(json!(true), &["* json: {}"]);
    check(json!({"type": "object"}), &[]);
    check(json!({}), &[]);
}

/// Parts that hold together say one thing: `allOf` and what stands beside a reference.
#[test]
fn parts_are_put_together() {
    check(
        json!({
            "allOf": [{"$ref": "#/$defs/named"}, {"properties": {"size": {"type": "integer"}}, "required": ["size"]}],
            "properties": {"note": {"$ref": "#/$defs/text", "default": "hello"}},
            "$defs": {
                "named": {"type": "object", "properties": {"name": {"type": "string"}}},
                "text": {"type": "string"},
            },
        }),
        &["/size* whole", "/note text: hello", "/name text"],
    );
}

/// Typing makes values; what cannot be read is kept as it was typed, and said.
#[test]
fn texts_become_values() {
    let schema = json!({"type": "object", "required": ["must"], "properties": {
        "must": {"type": "string"}, "may": {"type": "string"}, "whole": {"type": "integer"},
        "broken": {"type": "number"}, "any": {},
    }});
    let mut form = Form::new(schema);
    let mut check = |path: &str, text: &str, expected: Value, fault: Option<&str>| {
        type_at(&mut form, path, text);
        let row = row(&form, path);
        assert_eq!(form.value().pointer(path).cloned().unwrap_or_default(), expected, "{path} {text:?}");
        assert_eq!(form.fault(&row).as_deref(), fault, "{path} {text:?}");
        assert_eq!(form.text(&row), text);
    };
    check("/must", "hi", json!("hi"), None);
    check("/must", "", json!(""), None);
    check("/may", "x", json!("x"), None);
    check("/may", "", Value::Null, None);
    check("/whole", "-3", json!(-3), None);
    check("/whole", "18446744073709551615", json!(18_446_744_073_709_551_615_u64), None);
    check("/whole", "1.5", Value::Null, Some("is not a whole number"));
    check("/whole", "", Value::Null, None);
    check("/broken", "1.50", json!(1.5), None);
    check("/broken", "1e3", json!(1000.0), None);
    check("/broken", "much", Value::Null, Some("is not a number"));
    check("/any", "[1,", Value::Null, Some("is not JSON: EOF while parsing a value at line 1 column 3"));
    check("/any", "[1,2]", json!([1, 2]), None);
}

/// R228: rows and JSON are in step, whichever is written.
#[test]
fn rows_and_json_are_one_value() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}});
    let mut form = Form::new(schema);
    type_at(&mut form, "/n", "4");
    assert_eq!(form.json(), "{\n  \"n\": 4\n}");
    form.type_json("{\"n\": 5, \"more\": [1]}");
    assert_eq!(drawn(&form), ["/n whole: 5", "/s text", "/ rest more"]);
    assert_eq!(form.json(), "{\"n\": 5, \"more\": [1]}");
    form.type_json("{\"n\": 6");
    assert_eq!(drawn(&form)[0], "/n whole: 5");
    assert!(form.json_fault().is_some_and(|fault| fault.starts_with("this is not JSON: ")));
    assert!(!form.is_readable());
    // A row that is typed into takes over: the JSON is written anew, with what the form did not know.
    type_at(&mut form, "/s", "x");
    assert_eq!(form.json(), "{\n  \"n\": 5,\n  \"more\": [\n    1\n  ],\n  \"s\": \"x\"\n}");
    assert_eq!(form.json_fault(), None);
    form.type_json("[]");
    assert_eq!(form.json_fault(), Some("it must be a JSON object, in { and }"));
}

/// A value that is not of the kind that is asked for is shown as it is.
#[test]
fn other_values_are_shown_as_they_are() {
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "o": {"type": "object", "properties": {"a": {}}}, "e": {"enum": [1, 2]},
    }});
    let form = Form::with(schema, json!({"n": "four", "o": 3, "e": 5}));
    assert_eq!(drawn(&form), ["/n json: \"four\"", "/o json: 3", "/e choice 1|2|5 (not allowed): 5"]);
}

/// R255: what does not fit is said where it is, or at what is nearest to it.
#[test]
fn misfits_are_said_at_their_rows() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string"}, "deep": {"type": "object", "additionalProperties": {"type": "integer"}},
    }});
    let mut form = Form::with(schema, json!({"deep": {"x": "y"}}));
    let Checked { misfits, fault } = super::check(form.schema(), form.value());
    assert_eq!(fault, None);
    let misfit = |(path, message)| Misfit { path, message };
    let whole = Misfit { path: String::new(), message: "is strange".into() };
    form.take_misfits(misfits.into_iter().map(misfit).chain([whole]).collect());
    assert_eq!(form.fault(&row(&form, "/a")).as_deref(), Some("is missing"));
    assert_eq!(form.fault(&row(&form, "/deep")).as_deref(), Some("/x must be a whole number, and is the text \"y\""));
    assert_eq!(form.other_faults(), ["it is strange"]);
    type_at(&mut form, "/a", "here");
    assert_eq!(form.fault(&row(&form, "/a")), None);
}

/// Rows keep their identity, and with it the focus, while they are filled in.
#[test]
fn a_row_stays_the_same_while_it_is_filled_in() {
    let schema = json!({"type": "object", "properties": {
        "l": {"type": "array", "items": {"type": "string"}}, "n": {"type": ["integer", "null"]}, "s": {"type": "string"},
    }});
    let mut form = Form::new(schema);
    let keys = |form: &Form| form.rows().iter().map(Row::key).collect::<Vec<_>>();
    let before = keys(&form);
    type_at(&mut form, "/n", "1x");
    type_at(&mut form, "/s", "a\nb");
    form.set_null(&row(&form, "/n"), true);
    assert_eq!(keys(&form), before);
    form.add_item(&row(&form, "/l"));
    assert_eq!(keys(&form)[..1], before[..1]);
    assert_eq!(form.rows()[1].label, "l 1");
}

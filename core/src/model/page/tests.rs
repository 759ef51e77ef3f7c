//! What a model in the page is asked, and what its answers come to.

use serde_json::{Value, json};

use super::*;
use crate::model::tests::{read, told as told_of};
use crate::protocol::ProviderFormat;

fn tool(name: &str, parameters: Value) -> Value {
    json!({"type": "function", "function": {"name": name, "description": format!("does {name}"), "parameters": parameters}})
}

fn body(tools: &[Value]) -> Value {
    let messages = json!([{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hello"}]);
    json!({"model": "m", "messages": messages, "stream": true, "tools": tools})
}

/// The rules of one tool's arguments: what stands after the call's begin, and the parts.
fn rules(parameters: Value) -> String {
    let request = PageRequest::new(&body(&[tool("t", parameters)]), false);
    let grammar = request.body["grammar"].as_str().expect("there is one").to_owned();
    let lines = grammar.lines().skip(3).take_while(|line| !line.starts_with("value ::="));
    lines.map(|line| line.replace(r#"call-0 ::= "{\"tool\":\"t\",\"arguments\":" "#, "")).collect::<Vec<_>>().join("\n")
}

/// R302
#[test]
fn a_model_without_a_place_for_tools_is_told_of_them_and_held_to_their_shape() {
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let request =
        PageRequest::new(&body(&[tool("read", path), tool("now", json!({"type": "object", "properties": {}}))]), false);
    insta::assert_snapshot!(request.body["messages"][0]["content"].as_str().expect("is text"), @r#"
    Be short.

    Answer in plain words. Only when a tool below is needed, call it instead. A call is one line and nothing else:
    {"tool":"name","arguments":{"field":"value"}}
    You are then told its result. The tools:
    - read(path: string): does read
    - now(): does now
    "#);
    let grammar = request.body["grammar"].as_str().expect("there is one");
    insta::assert_snapshot!(grammar.split_once("value ::=").expect("JSON ends it").0, @r#"
    root ::= call | words
    words ::= [^{ \t\r\n] .*
    call ::= call-0 | call-1
    call-0 ::= "{\"tool\":\"read\",\"arguments\":" "{" part-0-0 "}" "}"
    part-0-0 ::= "\"path\":" " "? string
    call-1 ::= "{\"tool\":\"now\",\"arguments\":" "{}" "}"
    "#);
    let usual = (&request.body["max_tokens"], &request.body["temperature"]);
    assert_eq!((request.body.get("tools"), usual), (None, (&json!(2_048), &json!(0.4))));
}

#[test]
fn a_call_can_be_forced_and_forbidden() {
    let tools = [tool("a", json!({})), tool("b", json!({}))];
    let first_lines = |choice: Value| {
        let mut body = body(&tools);
        body["tool_choice"] = choice;
        let grammar = PageRequest::new(&body, false).body["grammar"].as_str().map(str::to_owned);
        grammar.map(|grammar| grammar.lines().take(2).collect::<Vec<_>>().join("; "))
    };
    assert_eq!(first_lines(json!("required")).as_deref(), Some("root ::= call; call ::= call-0 | call-1"));
    let named = json!({"type": "function", "function": {"name": "b"}});
    assert_eq!(first_lines(named).as_deref(), Some("root ::= call; call ::= call-0"));
    assert_eq!(first_lines(json!("none")), None);
}

#[test]
fn a_model_that_knows_tools_gets_them_as_they_are() {
    let mut body = body(&[tool("a", json!({}))]);
    body["max_tokens"] = 5.into();
    body["temperature"] = 0.into();
    let request = PageRequest::new(&body, true);
    assert_eq!((request.body, request.answer), (body, PageAnswer::as_it_comes()));
}

#[test]
fn arguments_follow_the_schema_as_far_as_a_grammar_can() {
    let check = |parameters: Value, expected: &str| assert_eq!(rules(parameters.clone()), expected, "{parameters}");
    check(json!({}), "object \"}\"");
    check(json!({"type": "object", "properties": {}}), "\"{}\" \"}\"");
    // Nothing is required, so each may be the first.
    check(
        json!({"properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}}}),
        "\"{\" (part-0-0 (\",\" \" \"? part-0-1)? | part-0-1)? \"}\" \"}\"\n\
         part-0-0 ::= \"\\\"a\\\":\" \" \"? integer\npart-0-1 ::= \"\\\"b\\\":\" \" \"? (string | null)",
    );
    check(
        json!({"properties": {"k": {"enum": ["x\"y", 2]}, "o": {"const": true}}, "required": ["k"]}),
        "\"{\" part-0-0 (\",\" \" \"? part-0-1)? \"}\" \"}\"\n\
         part-0-0 ::= \"\\\"k\\\":\" \" \"? (\"\\\"x\\\\\\\"y\\\"\" | \"2\")\npart-0-1 ::= \"\\\"o\\\":\" \" \"? \"true\"",
    );
    check(
        json!({"properties": {"l": {"type": "array", "items": {"$ref": "#/$defs/n"}, "minItems": 1}}, "required": ["l"],
            "$defs": {"n": {"anyOf": [{"type": "number"}, {"type": "boolean"}]}}}),
        "\"{\" part-0-1 \"}\" \"}\"\npart-0-0 ::= (number | boolean)\n\
         part-0-1 ::= \"\\\"l\\\":\" \" \"? \"[\" part-0-0 (\",\" \" \"? part-0-0){0,} \"]\"",
    );
}

/// A schema that refers to itself many times over has an end all the same.
#[test]
fn a_hostile_schema_gives_a_small_grammar() {
    let mut fields = serde_json::Map::new();
    for number in 0..40 {
        fields.insert(format!("f{number}"), json!({"$ref": "#"}));
    }
    let required: Vec<&String> = fields.keys().collect();
    let request = PageRequest::new(&body(&[tool("t", json!({"properties": fields, "required": required}))]), false);
    let grammar = request.body["grammar"].as_str().expect("there is one");
    assert!(grammar.contains("\"{\\\"tool\\\":\\\"t\\\",\\\"arguments\\\":\" object \"}\""), "{grammar}");
    assert!(grammar.len() < 2_000, "{}", grammar.len());
}

#[test]
fn what_was_called_is_told_in_words_and_one_voice_speaks_once() {
    let messages = json!([
        {"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "data:"}}]},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function",
            "function": {"name": "read", "arguments": "{\"path\":\"a\"}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "text of a"},
        {"role": "user", "content": "And now?"},
    ]);
    let request = PageRequest::new(&json!({"messages": messages}), false);
    assert_eq!(
        request.body["messages"],
        json!([
            {"role": "user", "content": "Look\n[a picture, which this model cannot see]"},
            {"role": "assistant", "content": "{\"tool\":\"read\",\"arguments\":{\"path\":\"a\"}}"},
            {"role": "user", "content": "Result of the tool:\ntext of a\n\nAnd now?"},
        ])
    );
}

/// What comes of an answer in these pieces.
fn answered(pieces: &[&str], finish: &str) -> String {
    let mut answer = PageRequest::new(&body(&[tool("read", json!({}))]), false).answer;
    let chunk = |delta: Value, finish: Value| json!({"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let mut bytes = answer.read(&chunk(json!({"role": "assistant", "content": null}), Value::Null));
    for piece in pieces {
        bytes.extend(answer.read(&chunk(json!({"content": piece}), Value::Null)));
    }
    bytes.extend(answer.read(&chunk(json!({}), finish.into())));
    bytes.extend(
        answer.read(&json!({"id": "c1", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})),
    );
    bytes.extend(answer.end());
    let (draft, error) = read(ProviderFormat::OpenAi, &[&bytes]);
    assert_eq!((error, draft.usage.input_tokens), (None, Some(3)));
    told_of(&draft)
}

/// R302
#[test]
fn a_call_is_given_on_as_a_server_would_stream_it() {
    let call = r#"{"tool":"read","arguments":{"path":"{ä}","deep":{"a":[1]}}}"#;
    let expected = r#"||call_c1=read({"path":"{ä}","deep":{"a":[1]}})|calls"#;
    assert_eq!(answered(&[call], "stop"), expected);
    // However it is cut.
    let letters: Vec<String> = call.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(answered(&letters, "stop"), expected);
    assert_eq!(answered(&[r#"{"tool":"now","arguments":{}}"#], "stop"), "||call_c1=now({})|calls");
}

#[test]
fn words_are_given_on_as_they_are_and_a_cut_call_is_shown_as_it_stands() {
    assert_eq!(answered(&["Hello", " {there}"], "stop"), "|Hello {there}||stop");
    assert_eq!(answered(&[r#"{"tool":"rea"#], "length"), r#"|{"tool":"rea||length"#);
    assert_eq!(answered(&[r#"{"tool":"read","arguments":{"a":"#], "length"), r#"||call_c1=read({"a":)|length"#);
    assert_eq!(answered(&[], "stop"), "|||stop");
}

/// A GGUF file with these fields and one tensor.
fn gguf(fields: &[(&str, u32, Vec<u8>)], data: usize) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let mut bytes =
        [b"GGUF".as_slice(), &3_u32.to_le_bytes(), &1_u64.to_le_bytes(), &(fields.len() as u64).to_le_bytes()].concat();
    for (name, kind, value) in fields {
        bytes.extend(text(name));
        bytes.extend(kind.to_le_bytes());
        bytes.extend(value);
    }
    bytes.extend(text("token_embd.weight"));
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(8_u64.to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(32) + data, 7);
    bytes
}

fn text_field(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

#[test]
fn a_model_says_what_it_is() {
    let words =
        [8_u32.to_le_bytes().to_vec(), 2_u64.to_le_bytes().to_vec(), text_field("a"), text_field("bc")].concat();
    let fields = [
        ("general.architecture", 8, text_field("llama")),
        ("general.size_label", 8, text_field("135M")),
        ("llama.context_length", 4, 8_192_u32.to_le_bytes().to_vec()),
        ("llama.rope.freq_base", 6, 1.5_f32.to_le_bytes().to_vec()),
        ("tokenizer.ggml.tokens", 9, words),
        ("tokenizer.chat_template", 8, text_field("{% if tools %}")),
    ];
    let bytes = gguf(&fields, 32);
    let expected = GgufHead { size_label: Some("135M".into()), context_tokens: Some(8_192), knows_tools: true };
    assert_eq!(GgufHead::read(&bytes, bytes.len() as u64), Ok(expected));
}

#[test]
fn what_is_no_whole_model_is_refused() {
    let architecture = |name: &str| gguf(&[("general.architecture", 8, text_field(name))], 32);
    let check =
        |bytes: &[u8], expected: GgufError| assert_eq!(GgufHead::read(bytes, bytes.len() as u64), Err(expected));
    check(b"", GgufError::NotGguf);
    check(b"PK\x03\x04 and so on", GgufError::NotGguf);
    check(b"GGUF\x01\0\0\0\0\0", GgufError::Version(1));
    check(&architecture("clip"), GgufError::NoModel);
    let whole = architecture("llama");
    for length in [6, 20, 60, whole.len() - 32] {
        check(&whole[..length], GgufError::Damaged);
    }
    // A length that no file could have.
    check(&gguf(&[("general.architecture", 8, u64::MAX.to_le_bytes().to_vec())], 0), GgufError::Damaged);
}

#[test]
fn what_is_in_the_way_is_told_from_the_words() {
    let check = |error: String, expected: &str| assert!(error.starts_with(expected), "{error}");
    let loading = |words: &str| PageModelError::of_loading(words).to_string();
    check(loading("std::bad_alloc"), "there is not enough memory");
    check(loading("tensor 'x' data is not within the file bounds"), "the file of this model cannot be used");
    let answering = |words: &str| PageModelError::of_answering(words).to_string();
    check(answering("RangeError: Out of memory"), "there is not enough memory");
    check(answering("unreachable"), "the model in the page failed");
    check(answering("the request exceeds the available context size"), "the conversation is too long");
}

/// I9: what stands beside the file of a model.
#[test]
fn a_model_is_remembered_as() {
    let head = GgufHead { size_label: Some("135M".into()), context_tokens: Some(8_192), knows_tools: false };
    let small = PageModel::new("SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432, head.clone());
    insta::assert_json_snapshot!(small, @r#"
    {
      "name": "SmolLM2-135M-Instruct.Q4_1",
      "bytes": 98362432,
      "context_tokens": 8192,
      "size_label": "135M",
      "knows_tools": false
    }
    "#);
    let large = PageModel::new("m.gguf", 2_000_000_000, GgufHead { context_tokens: Some(131_072), ..head });
    assert_eq!((small.is_demonstration(), large.is_demonstration(), large.context_tokens), (true, false, 4_096));
}

#[test]
fn a_file_goes_by_a_plain_name() {
    let check = |file: &str, name: &str| assert_eq!(PageModel::name_of(file), name, "{file}");
    check("Qwen 3 (0.6B).GGUF", "Qwen-3--0.6B");
    check("../../etc/passwd", "passwd");
    check("C:\\models\\a.gguf", "a");
    check(".gguf", "gguf");
    check("ü.gguf", "model");
    check(&"a".repeat(300), &"a".repeat(100));
}

//! Chat completions, in all the ways in which servers write them.

use super::{check as check_format, check_error as check_error_format, read, stream};
use crate::protocol::ProviderFormat;

fn check(lines: &[&str], expected: &str) {
    check_format(ProviderFormat::OpenAi, &stream(lines), expected);
}

fn check_error(lines: &[&str], so_far: &str, expected: &str) {
    check_error_format(ProviderFormat::OpenAi, &stream(lines), so_far, expected);
}

/// Chunks whose deltas have these calls, and then the end.
fn calls(pieces: &[&str], expected: &str) {
    let chunk = |piece: &&str| format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{piece}]}}}}]}}"#);
    let mut lines: Vec<String> = pieces.iter().map(chunk).collect();
    lines.push(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#.into());
    check(&lines.iter().map(String::as_str).collect::<Vec<_>>(), &format!("||{expected}|calls"));
}

/// R185
#[test]
fn calls_come_in_pieces_and_interleaved() {
    calls(
        &[
            r#"{"index":0,"id":"a","type":"function","function":{"name":"one","arguments":""}}"#,
            r#"{"index":1,"id":"b","type":"function","function":{"name":"two","arguments":"{\"y\":"}}"#,
            r#"{"index":0,"function":{"arguments":"{\"x\": 1"}}"#,
            r#"{"index":1,"function":{"arguments":"2}"}},{"index":0,"function":{"arguments":"}"}}"#,
        ],
        r#"a=one({"x": 1}) b=two({"y":2})"#,
    );
    calls(
        &[
            r#"{"index":0,"id":"a","function":{"name":"get_"}}"#,
            r#"{"index":0,"function":{"name":"weather"}}"#,
            r#"{"index":0,"function":{"arguments":"{}"}}"#,
        ],
        "a=get_weather({})",
    );
    // Numbered from where other output came before.
    calls(&[r#"{"index":3,"id":"a","function":{"name":"one","arguments":"{}"}}"#], "a=one({})");
}

#[test]
fn names_and_ids_that_are_repeated_count_once() {
    calls(
        &[
            r#"{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}}"#,
            r#"{"index":0,"id":"a","function":{"name":"one","arguments":":1"}}"#,
            r#"{"index":0,"id":"other","function":{"name":"one","arguments":"}"}}"#,
        ],
        r#"a=one({"x":1})"#,
    );
    calls(
        &[
            r#"{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}"#,
            r#"{"index":0,"id":"","function":{"name":null,"arguments":""}}"#,
        ],
        "a=one({})",
    );
    // The whole call again at the end.
    calls(
        &[
            r#"{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":\"}\"}"}}"#,
            r#"{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":\"}\"}"}}"#,
        ],
        r#"a=one({"x":"}"})"#,
    );
}

#[test]
fn calls_without_a_number_are_told_apart() {
    calls(
        &[
            r#"{"id":"a","function":{"name":"one","arguments":"{}"}}"#,
            r#"{"id":"b","function":{"name":"one","arguments":"{\"x\":"}}"#,
            r#"{"function":{"arguments":"1}"}}"#,
        ],
        r#"a=one({}) b=one({"x":1})"#,
    );
    calls(
        &[
            r#"{"function":{"name":"one","arguments":"{}"}},{"function":{"name":"two","arguments":"{}"}}"#,
            r#"{"function":{"name":"one","arguments":"{}"}}"#,
        ],
        "one({}) two({}) one({})",
    );
}

#[test]
fn several_calls_under_one_number_are_told_apart() {
    calls(
        &[
            r#"{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}"#,
            r#"{"index":0,"id":"b","function":{"name":"two","arguments":"{\"x\":2}"}}"#,
            r#"{"index":0,"id":"c","function":{"name":"two","arguments":""}}"#,
            r#"{"index":0,"id":"d","function":{"name":"two","arguments":""}}"#,
        ],
        r#"a=one({"x":1}) b=two({"x":2}) c=two() d=two()"#,
    );
}

#[test]
fn arguments_may_be_an_object() {
    calls(
        &[r#"{"index":0,"id":"a","function":{"name":"one","arguments":{"b":1,"a":[2]}}}"#],
        r#"a=one({"b":1,"a":[2]})"#,
    );
}

#[test]
fn what_a_provider_attaches_to_a_call_is_kept() {
    let line = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]}}]}"#;
    let (draft, _) = read(ProviderFormat::OpenAi, &[stream(&[line]).as_bytes()]);
    assert_eq!(draft.calls[0].extra, Some(serde_json::json!({"google": {"thought_signature": "s"}})));
}

/// C42, R186: every way to end.
#[test]
fn an_answer_says_why_it_ends() {
    let ends = |reason: &str, expected: &str| {
        let last = format!(r#"{{"choices":[{{"delta":{{"content":"x"}},"finish_reason":{reason}}}]}}"#);
        check(&[&last, "[DONE]"], &format!("|x||{expected}"));
    };
    ends(r#""stop""#, "stop");
    ends(r#""length""#, "length");
    ends(r#""content_filter""#, "filter");
    ends(r#""SAFETY""#, "filter");
    ends(r#""something_new""#, "unsaid");
    // `[DONE]` alone is an end.
    ends("null", "stop");
    ends(r#""""#, "stop");
    check(&[r#"{"choices":[{"delta":{"content":"x"}}]}"#], "|x||unsaid");
}

#[test]
fn what_is_not_known_is_passed_over() {
    check(
        &[
            r#"{"id":"1","object":"chat.completion.chunk","choices":[],"prompt_filter_results":[{"a":1}]}"#,
            r#"{"choices":[{"delta":null}],"error":null}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null,"audio":{}},"logprobs":null}]}"#,
            r#"{"choices":[{"delta":{"content":"yes"},"finish_reason":null}],"x":{"y":[]}}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}"#,
        ],
        "|yes||stop",
    );
}

#[test]
fn thoughts_have_several_names() {
    for name in ["reasoning_content", "reasoning"] {
        let line = format!(r#"{{"choices":[{{"delta":{{"{name}":"hm","content":"yes"}},"finish_reason":"stop"}}]}}"#);
        check(&[&line], "hm|yes||stop");
    }
    check(
        &[
            r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"yes"}]},"finish_reason":"stop"}]}"#,
        ],
        "hm|yes||stop",
    );
}

#[test]
fn a_model_that_declines_says_so() {
    check(&[r#"{"choices":[{"delta":{"refusal":"I will not."},"finish_reason":"stop"}]}"#], "|I will not.||stop");
}

#[test]
fn an_error_in_the_middle_keeps_what_came() {
    let first = r#"{"choices":[{"delta":{"content":"so far"}}]}"#;
    check_error(
        &[
            first,
            r#"{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"delta":{},"finish_reason":"error"}]}"#,
        ],
        "|so far||",
        "the provider failed; send again, and if that does not help, choose another model: Provider disconnected",
    );
    check_error(
        &[first, r#"{"error":"out of memory"}"#],
        "|so far||",
        "the provider failed; send again, and if that does not help, choose another model: out of memory",
    );
    check_error(
        &[first, "{\"choices\": [{"],
        "|so far||",
        "what came back is not a model's answer; check the address and the format in Settings: {\"choices\": [{",
    );
    let lines = format!("{}error: {{\"code\":500,\"message\":\"slot unavailable\"}}\n\n", stream(&[first]));
    check_error_format(
        ProviderFormat::OpenAi,
        &lines,
        "|so far||",
        "the provider failed; send again, and if that does not help, choose another model: {\"code\":500,\"message\":\"slot unavailable\"}",
    );
}

#[test]
fn what_comes_after_the_end_is_not_read() {
    check(&[r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}"#, "[DONE]", "{\"oops"], "|x||stop");
}

/// Servers that do not stream, or refuse with a success.
#[test]
fn an_answer_may_come_in_one_piece() {
    let whole = r#" {"choices":[{"message":{"role":"assistant","content":"yes","tool_calls":[{"id":"a","type":"function","function":{"name":"one","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}"#;
    check_format(ProviderFormat::OpenAi, whole, "|yes|a=one({})|stop");
    check_error_format(
        ProviderFormat::OpenAi,
        r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#,
        "|||",
        "the provider is limiting requests; wait a moment and send again: Rate limit reached",
    );
    check_error_format(
        ProviderFormat::OpenAi,
        r#"{"models":[]}"#,
        "|||",
        "what came back is not a model's answer; check the address and the format in Settings: {\"models\":[]}",
    );
}

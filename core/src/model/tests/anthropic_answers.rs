//! Anthropic's messages.

use super::{check as check_format, check_error, read, stream};
use crate::model::Reasoning;
use crate::protocol::ProviderFormat;

fn check(lines: &[&str], expected: &str) {
    check_format(ProviderFormat::Anthropic, &stream(lines), expected);
}

/// R185
#[test]
fn calls_are_told_apart_by_their_block() {
    check(
        &[
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"one","input":{}}}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"b","name":"two","input":{"y":1}}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        r#"||a=one({"x":1}) b=two({"y":1})|calls"#,
    );
}

#[test]
fn thoughts_keep_their_seal() {
    let lines = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"xyz"}}"#,
    ];
    let (draft, _) = read(ProviderFormat::Anthropic, &[stream(&lines).as_bytes()]);
    let sealed = Reasoning { text: "hm".into(), seal: Some("s".into()), hidden: None };
    let hidden = Reasoning { hidden: Some("xyz".into()), ..Reasoning::default() };
    assert_eq!(draft.reasoning, [sealed, hidden]);
}

/// C42, R186
#[test]
fn an_answer_says_why_it_ends() {
    let ends = |reason: &str, expected: &str| {
        let last = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        check(&[&last, r#"{"type":"message_stop"}"#], &format!("|||{expected}"));
    };
    ends("end_turn", "stop");
    ends("max_tokens", "length");
    ends("model_context_window_exceeded", "length");
    ends("refusal", "filter");
    ends("something_new", "unsaid");
    check(&[r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"x"}}"#], "|x||unsaid");
}

#[test]
fn what_is_not_known_is_passed_over() {
    check(
        &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
            r#"{"type":"something_new","index":0}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{}}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"yes"}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        "|yes||stop",
    );
}

#[test]
fn an_error_in_the_middle_keeps_what_came() {
    let lines = [
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"so far"}}"#,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
    ];
    let expected = "the provider is overloaded; wait a moment and send again: Overloaded";
    check_error(ProviderFormat::Anthropic, &stream(&lines), "|so far||", expected);
}

#[test]
fn an_answer_may_come_in_one_piece() {
    let whole = r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"yes"},{"type":"tool_use","id":"a","name":"one","input":{"x":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}"#;
    check_format(ProviderFormat::Anthropic, whole, r#"|yes|a=one({"x":1})|calls"#);
}

//! Answers as providers stream them, and requests as they want them.

mod anthropic_answers;
mod openai_answers;
mod requests;

use proptest::prelude::{prop, prop_assert_eq, proptest};

use super::{Draft, Finish, ModelError, ModelLimits, StreamReader, Usage};
use crate::protocol::ProviderFormat;

/// What comes of the pieces of an answer.
pub(crate) fn read(format: ProviderFormat, pieces: &[&[u8]]) -> (Draft, Option<ModelError>) {
    let limits = ModelLimits::default();
    let (mut reader, mut draft) = (StreamReader::new(format, limits), Draft::default());
    let mut collect = |deltas: Vec<super::Delta>| {
        deltas.into_iter().for_each(|delta| draft.add(delta, &limits).expect("is small"));
    };
    for piece in pieces {
        let (deltas, result) = reader.read(piece);
        collect(deltas);
        if let Err(error) = result {
            return (draft, Some(error));
        }
    }
    let (deltas, result) = reader.end();
    collect(deltas);
    (draft, result.err())
}

/// An event a line, as a stream.
fn stream(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("data: {line}\n\n")).collect()
}

/// What is expected of an answer: `thoughts|text|call(arguments)…|reason`, where an id is written `id=call(arguments)`.
pub(crate) fn told(draft: &Draft) -> String {
    let thoughts: String = draft.reasoning.iter().map(|thought| thought.text.as_str()).collect();
    let call = |call: &super::DraftCall| {
        let id = if call.id.is_empty() { String::new() } else { format!("{}=", call.id) };
        format!("{id}{}({})", call.name, call.arguments)
    };
    let calls: Vec<String> = draft.calls.iter().map(call).collect();
    let reason = match draft.finish {
        None => "",
        Some(Finish::Stop) => "stop",
        Some(Finish::ToolCalls) => "calls",
        Some(Finish::Length) => "length",
        Some(Finish::ContentFilter) => "filter",
        Some(Finish::Unsaid) => "unsaid",
    };
    format!("{thoughts}|{}|{}|{reason}", draft.text, calls.join(" "))
}

fn check(format: ProviderFormat, body: &str, expected: &str) {
    let (draft, error) = read(format, &[body.as_bytes()]);
    assert_eq!((told(&draft).as_str(), error), (expected, None), "{body}");
}

fn check_error(format: ProviderFormat, body: &str, so_far: &str, expected: &str) {
    let (draft, error) = read(format, &[body.as_bytes()]);
    let error = error.map(|error| error.to_string());
    assert_eq!((told(&draft).as_str(), error.as_deref()), (so_far, Some(expected)), "{body}");
}

#[test]
fn an_answer_that_never_comes_says_nothing() {
    for format in [ProviderFormat::OpenAi, ProviderFormat::Anthropic] {
        check(format, "", "|||unsaid");
        check(format, ": waiting\n\n: still waiting\n\n", "|||unsaid");
    }
}

#[test]
fn a_web_page_is_no_answer() {
    let expected =
        "what came back is not a model's answer; check the address and the format in Settings: it is a web page";
    for format in [ProviderFormat::OpenAi, ProviderFormat::Anthropic] {
        check_error(format, "\n <!doctype html><html>", "|||", expected);
    }
}

#[test]
fn what_is_too_long_is_ended() {
    let limits = ModelLimits { line_bytes: 100, event_bytes: 200, body_bytes: 50, ..ModelLimits::default() };
    for (begin, limit) in [("data: {", 200), ("{", 50)] {
        let mut reader = StreamReader::new(ProviderFormat::OpenAi, limits);
        let (_, result) = reader.read(format!("{begin}{}", "x".repeat(300)).as_bytes());
        assert_eq!(result, Err(ModelError::TooLong { limit }));
    }
}

const OPENAI: &str = concat!(
    ": OPENROUTER PROCESSING\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"reasoning\":\"Hm… \"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"Größe 😀\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{\\\"x\\\":\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"two\",\"arguments\":\"{}\"}},{\"index\":0,\"function\":{\"arguments\":\"\\\"é\\\"}\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\r\n\r\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}\r\n\r\n",
    "data: [DONE]\r\n\r\n",
);

const ANTHROPIC: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"cache_read_input_tokens\":3,\"output_tokens\":1}}}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm… \"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"seal\"}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Größe 😀\"}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"one\",\"input\":{}}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"x\\\":\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"é\\\"}\"}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"two\",\"input\":{}}}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":3}}\n\n",
    "data: {\"type\":\"message_stop\"}\n\n",
);

#[test]
fn both_formats_tell_the_same() {
    check(ProviderFormat::OpenAi, OPENAI, "Hm… |Größe 😀|a=one({\"x\":\"é\"}) b=two({})|calls");
    check(ProviderFormat::Anthropic, ANTHROPIC, "Hm… |Größe 😀|a=one({\"x\":\"é\"}) b=two()|calls");
    let usage = |format, body: &str| read(format, &[body.as_bytes()]).0.usage;
    let expected = Usage { input_tokens: Some(12), cached_tokens: None, output_tokens: Some(3) };
    assert_eq!(usage(ProviderFormat::OpenAi, OPENAI), expected);
    assert_eq!(usage(ProviderFormat::Anthropic, ANTHROPIC), Usage { cached_tokens: Some(3), ..expected });
}

proptest! {
    /// R185: wherever the pieces are cut, inside characters and line ends too, the answer is the same.
    #[test]
    fn cuts_change_nothing(cuts in prop::collection::vec(0..4_000_usize, 0..30)) {
        for (format, body) in [(ProviderFormat::OpenAi, OPENAI), (ProviderFormat::Anthropic, ANTHROPIC)] {
            let body = body.as_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % body.len()).collect();
            cuts.extend([0, body.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(format, &pieces), read(format, &[body]));
        }
    }

    /// Whatever bytes come, reading them ends.
    #[test]
    fn nothing_that_comes_is_too_strange(bytes in prop::collection::vec(0..=255_u8, 0..300)) {
        for format in [ProviderFormat::OpenAi, ProviderFormat::Anthropic] {
            let with = [b"data: ".as_slice(), &bytes].concat();
            prop_assert_eq!(read(format, &[&with]), read(format, &[b"data: ", &bytes]));
        }
    }
}

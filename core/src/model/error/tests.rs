//! Errors as providers write them, and what the user is told.

use super::*;

fn told(status: u16, body: &str) -> (String, bool) {
    let error = ModelError::of_response(status, None, body.as_bytes());
    (error.to_string(), error.retry_helps())
}

fn check(status: u16, body: &str, expected: &str, retry: bool) {
    assert_eq!(told(status, body), (expected.to_owned(), retry), "{status} {body}");
}

/// R319: bodies as providers write them, each with what the user can do.
#[test]
fn an_error_says_what_to_do() {
    check(
        401,
        r#"{"error": {"message": "Incorrect API key provided: sk-…", "type": "invalid_request_error", "code": "invalid_api_key"}}"#,
        "the provider does not accept the key; enter a working one in Settings: Incorrect API key provided: sk-…",
        false,
    );
    check(
        529,
        r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "r"}"#,
        "the provider is overloaded; wait a moment and send again: Overloaded",
        true,
    );
    check(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 250000 tokens > 200000 maximum"}}"#,
        "the conversation is too long for this model; choose one with a larger context, or begin a new chat: prompt is too long: 250000 tokens > 200000 maximum",
        false,
    );
    check(
        400,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
        "the conversation is too long for this model; choose one with a larger context, or begin a new chat: the request exceeds the available context size, try increasing it",
        false,
    );
    check(
        429,
        r#"{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}"#,
        "the account at the provider has no credit left; top it up, or choose another model: You exceeded your current quota",
        false,
    );
    check(
        400,
        r#"{"error":"registry.example/library/tiny does not support tools"}"#,
        "this model cannot call tools; switch the tools of this chat off, or choose another model: registry.example/library/tiny does not support tools",
        false,
    );
    check(
        404,
        r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#,
        "the provider does not know this model; choose another one, or check the address in Settings: model \"x\" not found, try pulling it first",
        false,
    );
    check(
        422,
        r#"{"detail": [{"loc": ["body"], "msg": "field required"}]}"#,
        "the provider did not accept the request: field required",
        false,
    );
    check(
        400,
        r#"[{"error": {"code": 400, "message": "Bad", "status": "INVALID_ARGUMENT"}}]"#,
        "the provider did not accept the request: Bad",
        false,
    );
    check(
        502,
        "<html><body>Bad gateway</body></html>",
        "the provider failed; send again, and if that does not help, choose another model: it answered 502",
        true,
    );
    check(
        500,
        "oh\r\n no",
        "the provider failed; send again, and if that does not help, choose another model: oh no",
        true,
    );
}

#[test]
fn a_limit_of_requests_says_when() {
    let error = ModelError::of_response(429, Some(7), b"{}");
    let expected = "the provider is limiting requests (again in 7 s); wait a moment and send again: it answered 429";
    assert_eq!((error.to_string().as_str(), error.retry_helps()), (expected, true));
}

#[test]
fn what_a_provider_says_is_bounded() {
    let (words, _) = told(400, &format!(r#"{{"error": "{}"}}"#, "é".repeat(900)));
    assert_eq!(words.chars().filter(|letter| *letter == 'é').count(), 400);
    assert!(words.ends_with('…'));
}

/// Errors in the middle of a stream have no status of their own.
#[test]
fn values_of_a_stream_are_told_apart_from_errors() {
    let of = |text: &str| ModelError::of_value(&serde_json::from_str(text).expect("is JSON"));
    assert_eq!(of(r#"{"choices": [], "error": null}"#), None);
    let error = of(r#"{"error": {"code": 502, "message": "Provider returned error"}, "choices": []}"#);
    assert_eq!(error, Some(ModelError::Server(Said::new("Provider returned error"))));
    let error = of(r#"{"object": "error", "message": "too bad", "code": 400}"#);
    assert_eq!(error, Some(ModelError::Refused(Said::new("too bad"))));
    let error = of(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
    assert_eq!(error, Some(ModelError::Overloaded(Said::new("Overloaded"))));
}

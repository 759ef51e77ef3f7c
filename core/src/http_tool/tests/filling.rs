//! Values in their places: encoded for where they stand, and never looked into again.

use super::*;

fn url(template: &str, values: Value) -> Result<String, String> {
    first(&asking(json!({"urlTemplate": template})), values).map(|request| request.url)
}

fn header(request: &PlainRequest, name: &str) -> Option<String> {
    request.headers.iter().find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
}

/// R095
#[test]
fn values_in_an_address_are_encoded() {
    let check = |template: &str, values: Value, expected: &str| {
        assert_eq!(url(template, values), Ok(expected.to_owned()), "{template}");
    };
    check(
        "https://a.test/${city}/x",
        json!({"city": "São Paulo/é?#&"}),
        "https://a.test/S%C3%A3o%20Paulo%2F%C3%A9%3F%23%26/x",
    );
    check(
        "https://a.test/?q=${city}&d=${days}#x",
        json!({"city": "a&d=9", "days": 3}),
        "https://a.test/?q=a%26d%3D9&d=3",
    );
    check("https://${region}.a.test/", json!({"region": "eu"}), "https://eu.a.test/");
    check("https://a.test/${tags}", json!({"tags": ["a", 1]}), "https://a.test/%5B%22a%22%2C1%5D");
    check("https://a.test/ä b", json!({}), "https://a.test/%C3%A4%20b");
    check("https://a.test/${KEY}", json!({}), "https://a.test/s3cr%26t%20key");
}

/// R091, R092: after the values are in, everything is checked again.
#[test]
fn an_argument_cannot_lead_elsewhere() {
    let refused = |template: &str, values: Value, expected: &str| {
        assert_eq!(url(template, values), Err(expected.to_owned()), "{template}");
    };
    refused(
        "https://${region}.a.test/",
        json!({"region": "us"}),
        "the host us.a.test is not among the tool's allowedHosts",
    );
    let in_host = "the argument \"region\" stands in the name of the host, and may have letters, digits and \"-\" only";
    for value in ["evil.test/", "evil.test#", "a@b", "", "x\ny", "%65vil"] {
        refused("https://${region}.a.test/", json!({"region": value}), in_host);
    }
    let dots = "a part of the path would be \".\" or \"..\", which leads elsewhere";
    refused("https://a.test/users/${city}/x", json!({"city": ".."}), dots);
    refused("https://a.test/users/.${city}/x", json!({"city": "."}), dots);
    refused("https://a.test/${city}", json!({}), "the argument \"city\" is not given, and the address needs it");
    refused(
        "https://a.test/${city}",
        json!({"city": null}),
        "the argument \"city\" is not given, and the address needs it",
    );
}

/// C37: an argument that names a secret is the text that it is, and an argument with the name of a secret is not asked for.
#[test]
fn an_argument_never_reads_or_becomes_a_secret() {
    let tool = asking(json!({
        "method": "POST",
        "urlTemplate": "https://a.test/${city}",
        "headers": {"X-Key": "${KEY}", "X-City": "${city}"},
        "query": {"q": "${city}"},
        "body": {"note": "${city}", "key": "${KEY}"},
    }));
    let values = json!({"city": "${KEY}", "KEY": "mine", "OTHER": "mine"});
    let request = first(&tool, values).expect("is sent");
    assert_eq!(request.url, "https://a.test/%24%7BKEY%7D?q=%24%7BKEY%7D");
    assert_eq!(
        (header(&request, "x-key"), header(&request, "x-city")),
        (Some("s3cr&t key".into()), Some("${KEY}".into()))
    );
    assert_eq!(String::from_utf8(request.body).expect("is text"), r#"{"note":"${KEY}","key":"s3cr&t key"}"#);
    let twice = asking(json!({"urlTemplate": "https://a.test/", "headers": {"X": "${city}${days}"}}));
    let request = first(&twice, json!({"city": "${KE", "days": "Y}"})).expect("is sent");
    assert_eq!(header(&request, "x"), Some("${KEY}".into()));
}

/// R091
#[test]
fn a_secret_without_a_value_is_named() {
    let tool = asking(json!({"urlTemplate": "https://a.test/", "headers": {"X": "${NOBODY}"}}));
    let expected = "the secret NOBODY has no value; enter it in Settings, under Secrets and variables";
    assert_eq!(first(&tool, json!({})).expect_err("is refused"), expected);
}

#[test]
fn what_is_not_given_is_left_out_where_it_stands_alone() {
    let tool = asking(json!({
        "method": "POST",
        "urlTemplate": "https://a.test/",
        "query": {"a": "${city}", "b": "${days}", "c": "${tags}"},
        "headers": {"X-A": "${note}"},
        "body": {"city": "${city}", "days": "${days}", "list": ["${city}", "${days}"], "fixed": {"deep": true}},
    }));
    let request = first(&tool, json!({"days": 2, "tags": ["x y", "z"]})).expect("is sent");
    assert_eq!(request.url, "https://a.test/?b=2&c=x%20y&c=z");
    assert_eq!(header(&request, "x-a"), None);
    assert_eq!(String::from_utf8(request.body).expect("is text"), r#"{"days":2,"list":[2],"fixed":{"deep":true}}"#);
}

/// R095: a text of JSON stays JSON, whatever comes in.
#[test]
fn a_body_that_is_a_text_is_filled_in_as_what_it_is() {
    let body = |request: Value, values: Value| {
        let request = first(&asking(request), values).expect("is sent");
        (header(&request, "content-type").unwrap_or_default(), String::from_utf8(request.body).expect("is text"))
    };
    let wish = |body: &str| json!({"method": "POST", "urlTemplate": "https://a.test/", "body": body});
    let (kind, text) = body(
        wish(r#"{"q": "in ${city}", "n": ${days}, "t": ${tags}, "s": ${KEY}}"#),
        json!({"city": "a\"b\\c\n", "days": 3, "tags": ["x"]}),
    );
    assert_eq!(kind, "application/json");
    let read: Value = serde_json::from_str(&text).expect("is still JSON");
    assert_eq!(read, json!({"q": "in a\"b\\c\n", "n": 3, "t": ["x"], "s": "s3cr&t key"}));

    let mut form = wish("a=${city}&b=2");
    form["headers"] = json!({"Content-Type": "application/x-www-form-urlencoded"});
    assert_eq!(body(form, json!({"city": "x&b=3"})).1, "a=x%26b%3D3&b=2");
    assert_eq!(
        body(wish("hello ${city}"), json!({"city": "<b>"})),
        ("text/plain; charset=utf-8".into(), "hello <b>".into())
    );
}

#[test]
fn who_asks_is_said_in_three_ways() {
    let with = |auth: Value| {
        first(&asking(json!({"urlTemplate": "https://a.test/", "auth": auth})), json!({})).expect("is sent")
    };
    let key = with(json!({"type": "apiKey", "in": "header", "name": "x-api-key", "valueTemplate": "${OTHER}"}));
    assert_eq!(header(&key, "x-api-key"), Some("0123456789".into()));
    let query = with(json!({"type": "apiKey", "in": "query", "name": "key", "valueTemplate": "${KEY}"}));
    assert_eq!(query.url, "https://a.test/?key=s3cr%26t%20key");
    assert_eq!(
        header(&with(json!({"type": "bearer", "valueTemplate": "${OTHER}"})), "authorization"),
        Some("Bearer 0123456789".into())
    );
    assert_eq!(
        header(&with(json!({"type": "basic", "valueTemplate": "me:${OTHER}"})), "authorization"),
        Some("Basic bWU6MDEyMzQ1Njc4OQ==".into())
    );
}

#[test]
fn a_header_holds_no_second_one() {
    let tool = asking(json!({"urlTemplate": "https://a.test/", "headers": {"X-A": "${city}"}}));
    for value in ["a\r\nX-B: 1", "a\nb", "\u{20ac}", "a\0"] {
        let refused = first(&tool, json!({"city": value})).expect_err("is refused");
        assert_eq!(refused, "the header \"X-A\" cannot hold a line break or a character outside Latin-1");
    }
}

/// R098
#[test]
fn what_is_sent_is_bounded() {
    let long = json!({"city": "x".repeat(20_000), "note": "y".repeat(2 << 20)});
    let refused = url("https://a.test/${city}", long.clone()).expect_err("is refused");
    assert_eq!(refused, "the address would have 20015 bytes, and the limit is 16384");
    let tool = asking(json!({"method": "POST", "urlTemplate": "https://a.test/", "body": "${note}"}));
    assert!(first(&tool, long).expect_err("is refused").starts_with("the body would have 2097152 bytes"));
}

/// I8: nothing of a request is in a log.
#[test]
fn a_request_does_not_show_itself() {
    let tool = asking(json!({"urlTemplate": "https://a.test/${KEY}", "headers": {"X": "${KEY}"}}));
    assert_eq!(format!("{:?}", first(&tool, json!({})).expect("is sent")), "PlainRequest { method: \"GET\", .. }");
}

//! Which definitions are refused, and with which words.

use super::*;

fn check(definition: Value, expected: &str) {
    match read(&definition) {
        Ok(_) => assert_eq!(expected, "", "{definition}"),
        Err(fault) => assert_eq!(fault.to_string(), expected, "{definition}"),
    }
}

fn with_request(request: Value) -> Value {
    json!({"allowedHosts": ["a.test"], "request": request})
}

/// R090, R092: at save, before there is a call.
#[test]
fn scheme_and_host_are_checked_at_save() {
    let url = |url: &str| with_request(json!({"urlTemplate": url}));
    check(url("https://a.test/${city}"), "");
    check(url("HTTP://A.test"), "");
    for text in ["ftp://a.test", "a.test", "//a.test", "javascript:alert(1)", "${city}", " https://a.test"] {
        check(url(text), "request.urlTemplate: the address must begin with http:// or https://");
    }
    let elsewhere = |host: &str| {
        format!("request.urlTemplate: the host {host} is not among allowedHosts; add it there, or ask another host")
    };
    check(url("https://b.test/"), &elsewhere("b.test"));
    check(url("https://a.test.evil.test/"), &elsewhere("a.test.evil.test"));
    check(url("https://a.test:8443/"), &elsewhere("a.test:8443"));
    check(url("https://0x7f.1/"), &elsewhere("127.0.0.1"));
    check(
        url("https://a.test\\@evil.test/"),
        "request.urlTemplate: the host \"https://a.test\\\\@evil.test/\" has characters that an address cannot have; write other alphabets as xn--…",
    );
    let who = "request.urlTemplate: the address has a user name or a password in it; use \"auth\" or a header instead";
    check(url("https://me@a.test/"), who);
    check(
        url("https://${KEY}.a.test/"),
        "request.urlTemplate: the secret KEY must not decide which host is asked; only an argument may stand there",
    );
    check(url("https://${region}.a.test/"), "");
}

#[test]
fn what_a_placeholder_means_is_decided_at_save() {
    let header = |text: &str| with_request(json!({"urlTemplate": "https://a.test", "headers": {"X-A": text}}));
    check(header("${city} ${KEY}"), "");
    check(header("${city"), "request.headers.X-A: \"${city\" is not a placeholder, which looks like ${name}");
    check(header("${}"), "request.headers.X-A: \"${}\" is not a placeholder, which looks like ${name}");
    check(
        header("${a b}"),
        "request.headers.X-A: ${a b} is not an argument of the tool, and no secret can have that name",
    );
    check(header("${steps.one.id}"), "request.headers.X-A: ${steps.one.id} names no call that comes before this one");
    let found = tool(header("${city} ${KEY} ${OTHER} ${KEY}"));
    assert_eq!(found.secrets(), BTreeSet::from(["KEY", "OTHER"]));
}

#[test]
fn the_form_is_checked() {
    let good = json!({"urlTemplate": "https://a.test"});
    check(json!({"request": good}), "http: \"allowedHosts\" is missing");
    check(json!({"request": good, "allowedHosts": []}), "allowedHosts: name at least one host");
    check(
        json!({"request": good, "allowedHosts": ["https://a.test"]}),
        "allowedHosts[0]: \"https://a.test\" is not a host such as api.example.com or localhost:8080",
    );
    check(json!({"allowedHosts": ["a.test"]}), "http: a tool of type http needs \"request\" or \"steps\"");
    check(json!([]), "http: expected a map");
    check(
        with_request(json!({"urlTemplate": "https://a.test", "method": "CONNECT"})),
        "request.method: the method \"CONNECT\" cannot be sent",
    );
    check(
        with_request(json!({"urlTemplate": "https://a.test", "headers": {"Host": "x"}})),
        "request.headers: the header \"Host\" cannot be set by a tool",
    );
    check(
        with_request(json!({"urlTemplate": "https://a.test", "timeoutMS": 0})),
        "request.timeoutMS: must be from 1 to 120000",
    );
    check(
        with_request(json!({"urlTemplate": "https://a.test", "auth": {"type": "bearer"}})),
        "request.auth: \"valueTemplate\" is missing",
    );
    let with = |key: &str, value: Value| {
        let mut definition = with_request(json!({"urlTemplate": "https://a.test"}));
        definition[key] = value;
        definition
    };
    check(with("maxRetries", json!(6)), "maxRetries: must be from 0 to 5");
    check(with("maxResponseBytes", json!(0)), "maxResponseBytes: must be from 1 to 33554432");
    check(with("maxCallsPerMinute", json!(0)), "maxCallsPerMinute: must be from 1 to 6000");
    let twice = json!({"name": "one", "request": good});
    check(with("steps", json!([twice, twice])), "steps[1].name: the name \"one\" occurs twice");
    let many: Vec<Value> = (0..17).map(|at| json!({"name": format!("n{at}"), "request": good})).collect();
    check(with("steps", json!(many)), "steps: there are 18, and the limit is 16");
    assert!(read(&with("maxRetrys", json!(1))).expect_err("is refused").to_string().contains("maxRetrys"));
}

#[test]
fn what_is_left_out_is_usual() {
    let found = tool(with_request(json!({"urlTemplate": "https://a.test"})));
    assert_eq!((found.max_retries, found.max_response_bytes, found.max_calls_per_minute), (2, 5 << 20, None));
    let request = first(&found, json!({})).expect("is sent");
    assert_eq!((request.method.as_str(), request.time_limit.as_secs()), ("GET", 10));
}

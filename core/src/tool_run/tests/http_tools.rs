//! Calls of tools that ask hosts: checked before, recorded after, and not too often.

use super::*;
use crate::http_tool::{Answered, HttpEnd};
use crate::record::{CallStatus, ErrorKind};

const TOOLS: &str = r#"
manifest_version: "1"
id: mine
name: Mine
version: 2.0.0
tools:
  - id: weather
    type: http
    input_schema: {type: object, properties: {city: {type: string}}, required: [city]}
    output_schema: {type: object, properties: {degrees: {type: number}}, required: [degrees]}
    http: {allowedHosts: [a.test], request: {urlTemplate: "https://a.test/${city}"}}
  - id: often
    type: http
    http: {allowedHosts: [a.test], maxCallsPerMinute: 2, request: {urlTemplate: "https://a.test/"}}
  - id: picture
    type: http
    http: {allowedHosts: [a.test], request: {urlTemplate: "https://a.test/"}, response: {bodyOutputMode: image}}
  - id: keyed
    type: http
    http: {allowedHosts: [a.test], request: {urlTemplate: "https://a.test/", headers: {X-Key: "${KEY}"}}}
"#;

fn device() -> Device {
    let device = Device::new();
    device.install(TOOLS);
    device
}

/// R089, R256: the answer is the result, and it has to fit.
#[test]
fn the_answer_is_the_result() {
    let mut device = device();
    device.surroundings.secrets.insert("KEY".into());
    device.http.answers(&json!({"degrees": 7.5})).answers(&json!({"degrees": "warm"}));
    let good = device.run(device.request("weather", json!({"city": "Rome"})));
    assert_eq!((good.call.status, good.result), (CallStatus::Success, Some(json!({"degrees": 7.5}))));
    let call = device.http.calls.borrow()[0].clone();
    assert_eq!((call.arguments["city"].as_str(), call.declared), (Some("Rome"), vec!["city".to_owned()]));
    let bad = device.run(device.request("weather", json!({"city": "Rome"})));
    assert_eq!((bad.call.status, bad.result), (CallStatus::Error, Some(json!({"degrees": "warm"}))));
    assert!(bad.call.error.expect("is said").contains("the result does not match the tool's output_schema"));
    assert_eq!(bad.call.pre_manifest_id, bad.call.post_manifest_id);
}

/// R255: nobody is asked with arguments that do not fit.
#[test]
fn bad_arguments_reach_nobody() {
    let mut device = device();
    device.surroundings.secrets.insert("KEY".into());
    let refused = device.run(device.request("weather", json!({"city": 5})));
    assert_eq!(refused.call.error_kind, Some(ErrorKind::InvalidArgs));
    assert!(device.http.calls.borrow().is_empty());
}

/// R099: two calls in a minute, and the third when the first is a minute old.
#[test]
fn a_tool_is_called_no_more_often_than_it_says() {
    let mut device = device();
    device.surroundings.secrets.insert("KEY".into());
    let call = |device: &Device| device.run(device.request("often", json!({}))).call;
    for _ in 0..3 {
        device.http.then(HttpEnd::Answered(Answered { status: 200, headers: vec![], body: b"[1]".to_vec() }));
    }
    assert_eq!(call(&device).status, CallStatus::Success);
    assert_eq!(call(&device).status, CallStatus::Success);
    let refused = call(&device);
    assert_eq!(refused.error_kind, Some(ErrorKind::Failed));
    let said = refused.error.expect("is said");
    assert!(said.starts_with("mine:often is limited to 2 calls per minute; the next call is possible in "), "{said}");
    assert_eq!(device.http.calls.borrow().len(), 2);
    device.now.set(device.now.get() + 60_000);
    assert_eq!(call(&device).status, CallStatus::Success);
}

#[test]
fn a_picture_is_a_file_and_is_shown() {
    let mut device = device();
    device.surroundings.secrets.insert("KEY".into());
    let headers = vec![("content-type".to_owned(), "image/png".to_owned())];
    device.http.then(HttpEnd::Answered(Answered { status: 200, headers, body: b"PNG".to_vec() }));
    let finished = device.run(device.request("picture", json!({})));
    let result = finished.result.expect("is there");
    let path = result["path"].as_str().expect("is a path").to_owned();
    assert_eq!((result["media_type"].as_str(), result["size"].as_u64()), (Some("image/png"), Some(3)));
    assert_eq!(device.files(&finished.call.post_manifest_id), files(&[(&path, "PNG")]));
    assert_eq!(finished.call.displays.len(), 1);
}

#[test]
fn every_end_is_recorded() {
    let mut device = device();
    device.surroundings.secrets.insert("KEY".into());
    let ends = [
        (HttpEnd::Failed("answered 500".into()), Some(ErrorKind::Failed)),
        (HttpEnd::Stopped, Some(ErrorKind::Cancelled)),
        (HttpEnd::TimedOut, Some(ErrorKind::Timeout)),
        (HttpEnd::Empty, None),
    ];
    for (end, kind) in ends {
        device.http.then(end.clone());
        let finished = device.run(device.request("weather", json!({"city": "x"})));
        assert_eq!(finished.call.error_kind, kind, "{end:?}");
    }
}

/// C49, R259: a tool that needs a key needs one, and a server that has it.
#[test]
fn what_needs_a_key_says_so() {
    let mut device = device();
    let reason = |device: &Device| match device.try_run(device.request("keyed", json!({}))) {
        Err(RunError::Unavailable { reason, .. }) => reason.to_string(),
        other => unreachable!("{other:?}"),
    };
    assert_eq!(reason(&device), "API key not configured");
    device.surroundings.secrets.insert("KEY".into());
    assert_eq!(reason(&device), "Needs a Satchel server");
}

//! What answers become, and what is taken out of them.

use super::*;
use crate::base64;

fn check(mode: &str, media_type: &str, body: &[u8], expected: Result<Output, &str>) {
    let found = tool(
        json!({"allowedHosts": ["a.test"], "request": {"urlTemplate": "https://a.test"}, "response": {"bodyOutputMode": mode}}),
    );
    let headers = vec![("Content-Type".to_owned(), media_type.to_owned())];
    let answer = Answered { status: 200, headers, body: body.to_vec() };
    let read = read_output(answer, &found.last().response).map_err(|fault| fault.to_string());
    assert_eq!(read, expected.map_err(str::to_owned), "{mode} {media_type}");
}

#[test]
fn an_answer_becomes_what_the_author_wants() {
    let file = |media_type: &str, bytes: &[u8], is_image| {
        Ok(Output::File { media_type: media_type.into(), bytes: bytes.to_vec(), is_image })
    };
    check("auto", "application/json; charset=utf-8", br#"{"a":[1]}"#, Ok(Output::Value(json!({"a": [1]}))));
    check("auto", "application/problem+json", b"[]", Ok(Output::Value(json!([]))));
    check("auto", "application/json", b"", Ok(Output::Value(Value::Null)));
    check("auto", "text/html", b"<b>x</b>", Ok(Output::Value("<b>x</b>".into())));
    check("auto", "", "grün".as_bytes(), Ok(Output::Value("grün".into())));
    check("auto", "application/pdf", b"\xff\xfe", file("application/pdf", b"\xff\xfe", false));
    check("auto", "image/png", b"\x89PNG", file("image/png", b"\x89PNG", true));
    check(
        "auto",
        "application/json",
        b"{\"a\":",
        Err("the response claims to be JSON, but cannot be read as JSON (line 1, column 5)"),
    );
    check("text", "application/json", b"{}", Ok(Output::Value("{}".into())));
    check("text", "text/plain", b"\xff", Err("the response is not text; choose \"file\" as the form of the output"));
    check("file", "text/csv", b"a,b", file("text/csv", b"a,b", false));
    check("image", "text/html", b"x", Err("the response is not a picture but \"text/html\""));
}

/// R095, I8: whichever way a host writes it.
#[test]
fn a_secret_that_comes_back_is_taken_out() {
    let redaction = Redaction::of(&secrets());
    let check = |text: &str, expected: &str| assert_eq!(redaction.text(text), expected);
    check("you sent s3cr&t key!", "you sent ${KEY}!");
    check("q=s3cr%26t%20key&r=s3cr%26t+key", "q=${KEY}&r=${KEY}");
    check("0123456789 012345678", "${OTHER} 012345678");
    check("MDEyMzQ1Njc4OQ==", "${OTHER}Q==");
    // As the second half of a name and a password, whatever the length of the name.
    for (sent, expected) in [
        ("me:0123456789", "bWU6${OTHER}Q=="),
        ("you:0123456789", "eW91Oj${OTHER}k="),
        ("them:0123456789", "dGhlbTo${OTHER}"),
    ] {
        check(&base64::encode(sent.as_bytes()), expected);
    }
    check("nothing", "nothing");
    let short = Redaction::of(&BTreeMap::from([("A".to_owned(), "abc".to_owned())]));
    assert_eq!(short.text("abc"), "abc");
    let quoted = Redaction::of(&BTreeMap::from([("A".to_owned(), "a\"b\"c".to_owned())]));
    assert_eq!(quoted.text(r#"{"x":"a\"b\"c"}"#), r#"{"x":"${A}"}"#);
}

//! Calls that go on: sequences, other tries, redirects and ends.

use super::*;
use crate::time::Timestamp;

/// Plays a call: every answer is to the request that was sent last. Gives what was sent and waited, in words, and the end.
fn play(tool: &HttpTool, values: Value, answers: Vec<Event>) -> (Vec<String>, Outcome) {
    let (values, secrets) = (arguments(values), secrets());
    let mut run = Run::new(tool, &values, &secrets, HttpLimits::default());
    let mut answers = answers.into_iter();
    let (mut told, mut event) = (Vec::new(), Event::Begin);
    loop {
        event = match run.handle(event, Timestamp::from_millis(0), u32::MAX) {
            Effect::Send(request) => {
                told.push(format!("{} {}", request.method, request.url));
                answers.next().expect("an answer was scripted for every request")
            }
            Effect::Wait(time) => {
                told.push(format!("wait {}", time.as_millis()));
                Event::Waited
            }
            Effect::Done(outcome) => {
                assert_eq!(answers.next(), None, "everything scripted was asked for");
                return (told, outcome);
            }
        };
    }
}

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Event {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Event::Answered(Answered { status, headers, body: body.as_bytes().to_vec() })
}

fn json_answer(body: &Value) -> Event {
    answer(200, &[("content-type", "application/json")], &body.to_string())
}

fn trouble(kind: TroubleKind) -> Event {
    Event::Failed(Trouble { message: "no luck".into(), kind })
}

fn failed(message: &str) -> Outcome {
    Outcome::Failed { message: message.into(), is_refused: false }
}

fn refused(message: &str) -> Outcome {
    Outcome::Failed { message: message.into(), is_refused: true }
}

fn get() -> HttpTool {
    asking(json!({"urlTemplate": "https://a.test/x"}))
}

fn post() -> HttpTool {
    asking(json!({"method": "POST", "urlTemplate": "https://a.test/x", "body": {"a": 1}}))
}

/// R089: a later call reads an earlier answer, as data.
#[test]
fn calls_go_in_sequence() {
    let tool = tool(json!({
        "allowedHosts": ["a.test"],
        "steps": [
            {"name": "find", "request": {"urlTemplate": "https://a.test/find?q=${city}"}},
            {"name": "get", "request": {"method": "POST", "urlTemplate": "https://a.test/items/${steps.find.hits.1.id}", "body": {"all": "${steps.find.hits}"}}},
        ],
    }));
    let hits = json!({"hits": [{"id": 1}, {"id": "a/../${KEY}"}]});
    let (sent, outcome) = play(&tool, json!({"city": "x"}), vec![json_answer(&hits), answer(200, &[], "done")]);
    assert_eq!(sent, ["GET https://a.test/find?q=x", "POST https://a.test/items/a%2F..%2F%24%7BKEY%7D"]);
    assert!(matches!(outcome, Outcome::Answered(answer) if answer.body == b"done"));
    let (_, outcome) = play(&tool, json!({"city": "x"}), vec![json_answer(&json!({"hits": []}))]);
    assert_eq!(outcome, refused("get: the answer of find has no \"hits.1.id\""));
    let (_, outcome) = play(&tool, json!({"city": "x"}), vec![answer(404, &[], "none")]);
    assert_eq!(outcome, failed("find: answered 404: none"));
}

/// R093: only what may pass is tried again, and no more often than the tool says.
#[test]
fn what_may_pass_is_tried_again() {
    let (sent, outcome) =
        play(&get(), json!({}), vec![answer(503, &[], ""), trouble(TroubleKind::Lost), answer(200, &[], "ok")]);
    assert_eq!(sent, ["GET https://a.test/x", "wait 250", "GET https://a.test/x", "wait 500", "GET https://a.test/x"]);
    assert!(matches!(outcome, Outcome::Answered(_)));
    let (sent, outcome) =
        play(&get(), json!({}), vec![answer(502, &[], ""), answer(502, &[], ""), answer(502, &[], "gone")]);
    assert_eq!((sent.len(), outcome), (5, failed("answered 502: gone (after 3 tries)")));
    for end in [
        answer(400, &[], ""),
        answer(401, &[], ""),
        answer(404, &[], ""),
        trouble(TroubleKind::Refused),
        trouble(TroubleKind::TooLarge),
    ] {
        assert_eq!(play(&get(), json!({}), vec![end]).0.len(), 1);
    }
    let once =
        tool(json!({"allowedHosts": ["a.test"], "maxRetries": 0, "request": {"urlTemplate": "https://a.test/"}}));
    assert_eq!(play(&once, json!({}), vec![answer(503, &[], "")]).1, failed("answered 503"));
}

/// R093: what changes something is not done twice.
#[test]
fn what_may_have_been_done_is_left() {
    assert_eq!(play(&post(), json!({}), vec![trouble(TroubleKind::Lost)]).1, failed("no luck"));
    assert_eq!(play(&post(), json!({}), vec![answer(502, &[], "")]).1, failed("answered 502"));
    let (sent, _) =
        play(&post(), json!({}), vec![trouble(TroubleKind::NotSent), answer(429, &[], ""), answer(200, &[], "")]);
    assert_eq!(sent.len(), 5);
}

/// R093
#[test]
fn the_host_says_how_long_to_wait() {
    let (sent, _) = play(&get(), json!({}), vec![answer(429, &[("Retry-After", "3")], ""), answer(200, &[], "")]);
    assert_eq!(sent[1], "wait 3000");
    let (sent, outcome) = play(&get(), json!({}), vec![answer(503, &[("retry-after", "900")], "")]);
    assert_eq!((sent.len(), outcome), (1, failed("answered 503 and asks to wait 900 s; call it again then")));
}

/// R092, F18: a redirect leads to a host on the list or nowhere.
#[test]
fn redirects_are_checked() {
    let to = |location: &str| answer(302, &[("Location", location)], "");
    let (sent, _) = play(&get(), json!({}), vec![to("/y"), to("https://b.test/z"), answer(200, &[], "")]);
    assert_eq!(sent, ["GET https://a.test/x", "GET https://a.test/y", "GET https://b.test/z"]);
    let refusal = |location: &str, why: &str| {
        let (_, outcome) = play(&get(), json!({}), vec![to(location)]);
        assert_eq!(outcome, refused(&format!("a.test redirects {why}")), "{location}");
    };
    let not = |host: &str| {
        format!("to an address that is not followed: the host {host} is not among the tool's allowedHosts")
    };
    refusal("https://evil.test/", &not("evil.test"));
    refusal("//169.254.169.254/latest", &not("169.254.169.254"));
    refusal("http://0x7f000001/", &not("127.0.0.1"));
    refusal("https://a.test:8443/", &not("a.test:8443"));
    refusal("http://a.test/", "from https to http, which is not followed");
    refusal(
        "https://me@a.test/",
        "to an address that is not followed: the address has a user name or a password in it; send them in a header instead",
    );
    refusal(
        "file:///etc/passwd",
        "to an address that is not followed: a tool can only fetch addresses that begin with https:// or http://, and this is \"file:///etc/passwd\"",
    );
    refusal("", "and does not say where");
    let (sent, outcome) = play(&get(), json!({}), (0..6).map(|_| to("/x")).collect());
    assert_eq!((sent.len(), outcome), (6, refused("a.test redirects more than 5 times")));
}

/// R095: a secret goes to the host it is for.
#[test]
fn a_redirect_takes_no_secret_elsewhere() {
    let keyed = asking(json!({
        "method": "POST",
        "urlTemplate": "https://a.test/x",
        "headers": {"X-Key": "${KEY}", "X-Plain": "1"},
        "auth": {"type": "bearer", "valueTemplate": "${OTHER}"},
        "body": {"a": 1},
    }));
    let headers = |answers: Vec<Event>| {
        let (values, secrets) = (Map::new(), secrets());
        let mut run = Run::new(&keyed, &values, &secrets, HttpLimits::default());
        let mut event = Event::Begin;
        let mut last = None;
        for answer in answers {
            if let Effect::Send(request) = run.handle(event, Timestamp::from_millis(0), 0) {
                last = Some(request);
            }
            event = answer;
        }
        match run.handle(event, Timestamp::from_millis(0), 0) {
            Effect::Send(request) => {
                let names: Vec<String> = request.headers.iter().map(|(name, _)| name.to_lowercase()).collect();
                (request.method, names.join(" "))
            }
            other => unreachable!("{other:?} after {last:?}"),
        }
    };
    let to = |status, location: &str| answer(status, &[("Location", location)], "");
    assert_eq!(headers(vec![to(307, "/y")]), ("POST".into(), "x-key x-plain authorization content-type".into()));
    assert_eq!(headers(vec![to(302, "https://b.test/")]), ("GET".into(), "x-plain".into()));
    assert_eq!(headers(vec![to(307, "https://b.test/")]), ("POST".into(), "x-plain content-type".into()));
    let in_body = asking(json!({"method": "POST", "urlTemplate": "https://a.test/", "body": {"k": "${KEY}"}}));
    let (_, outcome) = play(&in_body, json!({}), vec![to(307, "https://b.test/")]);
    assert_eq!(
        outcome,
        refused(
            "a.test redirects to another host, and the request has a secret in its body or address that is not meant for that host"
        )
    );
}

#[test]
fn other_statuses_are_what_the_author_says() {
    let with = |response: Value| {
        tool(json!({"allowedHosts": ["a.test"], "request": {"urlTemplate": "https://a.test/"}, "response": response}))
    };
    assert_eq!(play(&with(json!({"errorMode": "empty"})), json!({}), vec![answer(404, &[], "no")]).1, Outcome::Empty);
    let codes = with(json!({"successCodes": [404, 302]}));
    assert!(matches!(play(&codes, json!({}), vec![answer(404, &[], "no")]).1, Outcome::Answered(_)));
    assert!(matches!(play(&codes, json!({}), vec![answer(302, &[("location", "/y")], "")]).1, Outcome::Answered(_)));
    assert_eq!(play(&codes, json!({}), vec![answer(200, &[], "no")]).1, failed("answered 200: no"));
}

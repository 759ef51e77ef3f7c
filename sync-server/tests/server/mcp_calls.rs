//! Calls of tools: results, progress, forms, cancelling, and that no two are ever mixed up.

use axum::http::StatusCode;
use satchel_core::protocol::{ProblemCode, ServerEvent};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::mcp_page::{KEY, Page, command};
use crate::sockets::soon;

/// R128: everything that a tool gives is handed on as it was received.
#[tokio::test]
async fn results_are_handed_on_as_they_were_received() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let content = json!([
        {"type": "text", "text": "hello", "annotations": {"audience": ["user"]}},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a", "name": "a"},
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "hello"}},
        {"zeta": 1, "type": "of tomorrow", "alpha": 2},
    ]);
    let answer = page.call("c", "content", json!({"content": content})).await;
    let expected = json!({"content": content, "structured_content": {"z": 1, "a": 2}, "is_error": true});
    assert_eq!(answer.text(), expected.to_string());

    let refused = page.call("c", "no such tool", json!({})).await;
    assert_eq!((refused.status, refused.problem()), (StatusCode::BAD_GATEWAY, ProblemCode::BadAnswer));
    assert!(refused.text().contains("the MCP server refused: no such tool"), "{}", refused.text());
}

/// R128
#[tokio::test]
async fn progress_reaches_the_page_that_called() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    assert_eq!(page.text_of("c1", "progress", json!({"say": "half way"})).await, "done");
    for step in [1.0, 2.0] {
        let event = serde_json::to_value(page.event().await).expect("writes");
        let expected =
            json!({"type": "mcp_progress", "call_id": "c1", "progress": step, "total": step, "message": "half way"});
        assert_eq!(event, expected);
    }
}

/// R128: a form is shown, filled in and taken away, in both eras.
#[tokio::test]
async fn a_form_is_filled_in() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    for arguments in [&[][..], &["--modern"][..]] {
        page.connect(command(arguments)).await;
        let answered = {
            let mut listener = Page::open(&fixture, "page").await;
            let person = async {
                let form = listener.form().await;
                assert_eq!(
                    (&form["call_id"], &form["message"], &form["server"]),
                    (&json!("c1"), &json!("Who are you?"), &json!(KEY))
                );
                assert_eq!(form["schema"]["properties"]["name"]["type"], "string");
                let request_id = form["request_id"].as_str().expect("an id").to_owned();
                let wrong = listener.fill_in("c2", &request_id, json!({"action": "accept"})).await;
                assert_eq!(wrong.status, StatusCode::NOT_FOUND, "another call's form is not this one");
                let filled = json!({"action": "accept", "content": {"name": "Ada"}});
                assert_eq!(listener.fill_in("c1", &request_id, filled.clone()).await.status, StatusCode::NO_CONTENT);
                assert_eq!(
                    listener.fill_in("c1", &request_id, filled).await.status,
                    StatusCode::NOT_FOUND,
                    "once only"
                );
                let call_id = serde_json::from_value(json!("c1")).expect("an id");
                assert_eq!(listener.event().await, ServerEvent::McpInputEnded { call_id, request_id });
            };
            tokio::join!(page.text_of("c1", "ask", json!({})), person).0
        };
        assert!(answered.contains(r#"{"action":"accept","content":{"name":"Ada"}}"#), "{answered}");
    }
}

/// A page that was away when a form was shown is shown it when it comes back.
#[tokio::test]
async fn a_form_waits_for_a_page_that_comes_back() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let mut first = Page::open(&fixture, "away").await;
    let caller = Page::open(&fixture, "away").await;
    let person = async {
        let shown = first.form().await;
        drop(first);
        let mut back = Page::open(&fixture, "away").await;
        let again = back.form().await;
        assert_eq!(again, shown);
        let declined = json!({"action": "decline"});
        back.fill_in("c", again["request_id"].as_str().expect("an id"), declined).await
    };
    let (answered, filled) = tokio::join!(caller.text_of("c", "ask", json!({})), person);
    assert_eq!(filled.status, StatusCode::NO_CONTENT);
    assert_eq!(answered, r#"{"action":"decline"}"#);
}

/// R261: two clients, even of one account, may use the same ids.
#[tokio::test]
async fn clients_with_equal_ids_are_kept_apart() {
    let fixture = Fixture::start().await;
    let mut one = Page::open(&fixture, "one").await;
    one.connect(command(&[])).await;
    let mut two = Page::open(&fixture, "two").await;
    let other = fixture.second_account();
    let mut three = Page::open_as(&fixture, other, "one").await;
    three.connect(command(&[])).await;

    let (first, second, third) = tokio::join!(
        one.text_of("same", "progress", json!({"say": "to one"})),
        two.text_of("same", "progress", json!({"say": "to two"})),
        three.text_of("same", "progress", json!({"say": "to three"})),
    );
    assert_eq!((first.as_str(), second.as_str(), third.as_str()), ("done", "done", "done"));
    for (page, expected) in [(&mut one, "to one"), (&mut two, "to two"), (&mut three, "to three")] {
        for _ in 0..2 {
            let ServerEvent::McpProgress(progress) = page.event().await else { panic!("something else was told") };
            assert_eq!(progress.message.as_deref(), Some(expected));
        }
    }
    let (echoed, other) =
        tokio::join!(one.text_of("same", "echo", json!({"from": 1})), two.text_of("same", "echo", json!({"from": 2})),);
    assert_eq!((echoed.as_str(), other.as_str()), (r#"{"from":1}"#, r#"{"from":2}"#));
}

/// A second call of the same id by the same client is refused, so that no answer can be taken for another's.
#[tokio::test]
async fn one_id_is_one_call() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let mut listener = Page::open(&fixture, "page").await;
    let second = async {
        let form = listener.form().await;
        let refused = listener.call("same", "echo", json!({})).await;
        listener.fill_in("same", form["request_id"].as_str().expect("an id"), json!({"action": "cancel"})).await;
        refused
    };
    let (_, refused) = tokio::join!(page.text_of("same", "ask", json!({})), second);
    assert_eq!((refused.status, refused.problem()), (StatusCode::CONFLICT, ProblemCode::Conflict));
}

/// R128: a client that leaves cancels its call.
#[tokio::test]
async fn a_client_that_leaves_cancels_its_call() {
    let fixture = Fixture::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let notes = folder.path().join("notes");
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&["--note", notes.to_str().expect("text")])).await;
    let read = || std::fs::read_to_string(&notes).expect("reads");
    let until = async |text: &str| {
        soon(text, async {
            while !read().contains(text) {
                tokio::task::yield_now().await;
            }
        })
        .await;
    };
    {
        let mut call = std::pin::pin!(page.call("c", "hang", json!({})));
        tokio::select! {
            answer = &mut call => panic!("answered: {}", answer.text()),
            () = until("\"hang\"") => {}
        }
    }
    until("notifications/cancelled").await;
    let line = |word: &str| {
        read().lines().find(|line| line.contains(word)).map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
    };
    let (called, cancelled) =
        (line("\"hang\"").expect("was called"), line("notifications/cancelled").expect("was cancelled"));
    assert_eq!(cancelled["params"]["requestId"], called["id"]);
    assert_eq!(page.text_of("c", "echo", json!({})).await, "{}", "the id is free again");
}

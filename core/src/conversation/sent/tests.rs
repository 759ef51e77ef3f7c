//! Conversations, and what a model is sent of them.

use proptest::prelude::{Just, Strategy as _, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Map, json};

use super::super::sample::{message, message_id};
use super::validity::complaint;
use super::*;
use crate::digest::BlobId;
use crate::model::Reasoning;
use crate::record::{CallKind, RequestedCall, RequestedFunction};

fn requested(id: &str, name: &str, arguments: &str) -> RequestedCall {
    let function = RequestedFunction { name: name.into(), arguments: arguments.into() };
    RequestedCall { id: id.into(), kind: CallKind::Function, function }
}

/// A path of messages: `u:text`, `a:text`, `a:text|id id`, `t:id=content`, `s:text`.
fn path(lines: &[&str]) -> Vec<Message> {
    let one = |(number, line): (u32, &&str)| {
        let (voice, said) = line.split_once(':').expect("has a voice");
        let plain = message(number, number.checked_sub(1));
        let text = |text: &str| Content::Text(text.into());
        match voice {
            "u" => Message { content: text(said), ..plain },
            "s" => Message { role: Role::System, content: text(said), ..plain },
            "t" => {
                let (id, content) = said.split_once('=').expect("has content");
                Message { role: Role::Tool, tool_call_id: Some(id.into()), content: text(content), ..plain }
            }
            _ => {
                let (words, calls) = said.split_once('|').unwrap_or((said, ""));
                let call = |id: &str| requested(id, &format!("toolset__x__{id}"), "{}");
                let tool_calls = calls.split_whitespace().map(call).collect();
                Message { role: Role::Assistant, content: text(words), tool_calls, ..plain }
            }
        }
    };
    (1..).zip(lines).map(one).collect()
}

fn send(path: &[Message], budget: Option<u64>) -> Sent {
    Sent::of(path, Sending { model: "small", budget, ..Sending::default() })
}

/// The same notation for what is sent; calls are numbered.
fn shown(sent: &Sent) -> Vec<String> {
    let part = |part: &InputPart| match part {
        InputPart::Text(text) => text.clone(),
        InputPart::Image { .. } => "(picture)".into(),
    };
    let one = |message: &ModelMessage| match message {
        ModelMessage::User(parts) => format!("u:{}", parts.iter().map(part).collect::<Vec<_>>().join("+")),
        ModelMessage::Assistant(said) if said.calls.is_empty() => format!("a:{}", said.text),
        ModelMessage::Assistant(said) => {
            let calls: Vec<&str> = said.calls.iter().map(|call| call.id.as_str()).collect();
            format!("a:{}|{}", said.text, calls.join(" "))
        }
        ModelMessage::Tool(answer) => format!("t:{}={}", answer.call_id, answer.content),
    };
    sent.messages.iter().map(one).collect()
}

fn check(lines: &[&str], expected: &[&str]) {
    let sent = send(&path(lines), None);
    assert_eq!(shown(&sent), expected);
    assert_eq!(complaint(&sent.messages), None);
    assert_eq!(sent.left_out, []);
}

/// R189, R196
#[test]
fn a_conversation_is_sent_as_it_was_said() {
    check(
        &["u:count", "a:I count|a b", "t:a=1", "t:b=2", "a:three", "u:thanks"],
        &["u:count", "a:I count|call00001 call00002", "t:call00001=1", "t:call00002=2", "a:three", "u:thanks"],
    );
}

/// R196: stops, closed tabs, retries in the middle.
#[test]
fn what_broke_off_is_mended() {
    // Answers that never came, in the wrong order, twice, or to nothing.
    check(
        &["u:x", "a:|a b", "t:b=2", "t:b=3", "t:z=4", "u:y"],
        &[
            "u:x",
            "a:|call00001 call00002",
            "t:call00001={\"error\":\"interrupted: it is not known what came of this call\"}",
            "t:call00002=2",
            "u:y",
        ],
    );
    // Nothing came, and the user went on.
    check(&["u:x", "a:", "u:y"], &["u:x\n\ny"]);
    // Stopped, and continued.
    check(&["u:x", "a:one"], &["u:x", "a:one", "u:Continue where you stopped."]);
    check(&["u:x", "a:one", "a:two|a", "t:a=1"], &["u:x", "a:one\n\ntwo|call00001", "t:call00001=1"]);
    check(&["u:x", "t:a=1", "a:yes", "u:y"], &["u:x", "a:yes", "u:y"]);
    // The model's ids repeat.
    check(
        &["u:x", "a:|a a", "t:a=1", "t:a=2", "a:|a", "t:a=3"],
        &["u:x", "a:|call00001 call00002", "t:call00001=1", "t:call00002=2", "a:|call00003", "t:call00003=3"],
    );
    // A call of the user's own, before anything was said.
    check(
        &["a:|a", "t:a=1", "u:y"],
        &["u:[The beginning of the conversation is not here.]", "a:|call00001", "t:call00001=1", "u:y"],
    );
}

/// R193: what a model wrote that is no object, and a name that no provider takes back.
#[test]
fn calls_are_spelled_as_providers_want_them() {
    let mut path = path(&["u:x", "a:|a b", "t:a=1", "t:b={\"error\":\"no\"}"]);
    path[1].tool_calls = vec![requested("a", "what is: this?", "{\"n\": "), requested("b", "", "[1]")];
    let sent = send(&path, None);
    let ModelMessage::Assistant(said) = &sent.messages[1] else { panic!("is the answer") };
    let calls: Vec<_> = said.calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
    assert_eq!(calls, [("what_is__this_", &json!({})), ("unnamed", &json!({}))]);
    let failed = sent.messages.iter().filter_map(|message| match message {
        ModelMessage::Tool(answer) => Some(answer.failed),
        ModelMessage::User(_) | ModelMessage::Assistant(_) => None,
    });
    assert_eq!(failed.collect::<Vec<_>>(), [false, true]);
}

#[test]
fn pictures_files_and_system_messages_are_sent() {
    let mut path = path(&["s:Be kind.", "u:x"]);
    let picture = Part::Image { sha256: BlobId::of(b"png"), media_type: "image/png".into() };
    path[1].content = Content::Parts(vec![Part::Text { text: "what".into() }, picture]);
    let files = [(path[1].id.clone(), "[a file]".to_owned())].into();
    let seeing = Sending { system: Some("Be brief."), sees_images: true, files: Some(&files), ..Sending::default() };
    let sent = Sent::of(&path, seeing);
    assert_eq!(sent.system.as_deref(), Some("Be brief.\n\nBe kind."));
    assert_eq!(shown(&sent), ["u:what+(picture)+[a file]"]);
    // R321: a conversation with pictures goes on with a model that does not see.
    let blind = Sent::of(&path, Sending { sees_images: false, ..seeing });
    assert_eq!(shown(&blind), ["u:what\n\n[A picture belongs here, which you cannot see.]\n\n[a file]"]);
}

/// R321: another model is not sent what was sealed for the first.
#[test]
fn thoughts_go_back_to_their_own_model() {
    let mut path = path(&["u:x", "a:yes|a", "t:a=1"]);
    let metadata = AnswerMetadata {
        model: Some("small".into()),
        reasoning: vec![Reasoning { text: "hm".into(), seal: Some("s".into()), hidden: None }],
        call_extras: [("a".to_owned(), json!(1))].into(),
        ..AnswerMetadata::default()
    };
    path[1].metadata = metadata.into_map();
    let kept = |model: &str| {
        let sent = Sent::of(&path, Sending { model, ..Sending::default() });
        let ModelMessage::Assistant(said) = &sent.messages[1] else { panic!("is the answer") };
        (said.reasoning.len(), said.calls[0].extra.is_some())
    };
    assert_eq!((kept("small"), kept("other")), ((1, true), (0, false)));
}

const NOTE: &str = "a:[Some of the conversation is left out here, because it is longer than what can be sent.]";

/// R320: the oldest rounds of the middle go first; the first message and the latest stay.
#[test]
fn what_does_not_fit_is_left_out_from_the_middle() {
    let long = "word ".repeat(100);
    let lines =
        ["u:first", &format!("a:{long}"), "u:second", &format!("a:{long}|a"), "t:a=1", "u:third", "a:short", "u:last"];
    let path = path(&lines);
    let numbers = |sent: &Sent| sent.left_out.clone();
    let all = send(&path, Some(1_000));
    assert_eq!(numbers(&all), []);
    let fewer = send(&path, Some(260));
    assert_eq!(numbers(&fewer), [message_id(2)]);
    assert_eq!(shown(&fewer)[..3], ["u:first", NOTE, "u:second"]);
    let few = send(&path, Some(100));
    assert_eq!(numbers(&few), [2, 3, 4, 5].map(message_id));
    assert_eq!(shown(&few), ["u:first", NOTE, "u:third", "a:short", "u:last"]);
    assert!(few.tokens <= 100 && fewer.tokens <= 260, "{} {}", few.tokens, fewer.tokens);
    let fewest = send(&path, Some(1));
    assert_eq!(shown(&fewest), ["u:first", NOTE, "u:last"]);
}

/// R320: a long run of tools loses its first steps, never the last.
#[test]
fn the_steps_of_a_long_run_are_left_out_too() {
    let step = format!("t:a={}", "word ".repeat(100));
    let lines = ["u:go", "a:one|a", &step, "a:two|a", &step, "a:three|a", &step];
    let sent = send(&path(&lines), Some(150));
    assert_eq!(sent.left_out, [2, 3, 4, 5].map(message_id));
    assert_eq!(shown(&sent)[..2], ["u:go", &format!("{NOTE}\n\nthree|call00001")]);
    assert_eq!(complaint(&sent.messages), None);
}

proptest! {
    /// R196, R320: whatever a path is like and however little fits, every provider takes what is sent, and what is left out is said.
    #[test]
    fn what_is_sent_is_always_valid(
        lines in prop::collection::vec(
            prop_oneof![
                Just("u:hello"), Just("a:"), Just("a:words"), Just("a:|a"), Just("a:words|a b"), Just("a:|a a"),
                Just("t:a=1"), Just("t:b={\"error\":\"no\"}"), Just("t:z=?"), Just("s:be"),
            ].boxed(),
            0..14,
        ),
        budget in prop::option::of(0..120_u64),
    ) {
        let path: Vec<Message> = path(&lines).into_iter().chain(path(&["u:end"]).into_iter().map(|end| Message {
            id: message_id(99), metadata: Map::new(), ..end
        })).collect();
        let sent = send(&path, budget);
        prop_assert_eq!(complaint(&sent.messages), None);
        let whole = send(&path, None);
        if sent.left_out.is_empty() {
            prop_assert_eq!(&sent, &whole);
        } else {
            prop_assert!(sent.left_out.iter().all(|id| path.iter().any(|message| message.id == *id)));
            prop_assert!(!sent.left_out.contains(&message_id(99)));
        }
    }
}

//! Calls that an answer of a model asks for.

use serde_json::{Map, json};

use super::{Device, at_once, files};
use crate::conversation::{ConversationLimits, NewReply, OpenChat, create, reply};
use crate::ids::{ChatId, MessageId};
use crate::python::scripted::{came_back, gave};
use crate::record::{Message, Node};
use crate::store::Store as _;
use crate::time::Timestamp;
use crate::tool_run::RunRequest;

/// R308, C25: whatever is shown meanwhile, the files are those of the answer; and a large result waits for the others.
#[test]
fn a_call_of_a_round_works_on_the_files_of_its_answer() {
    let device = Device::new();
    let chat = ChatId::parse(device.fresh()).expect("is a UUID");
    let said = |millis: u64| -> Message {
        let id = MessageId::parse(device.fresh()).expect("is a UUID");
        let new = NewReply { id, parent_id: None, text: "x".into(), calls: vec![], metadata: Map::new() };
        reply(&chat, new, Timestamp::from_millis(millis))
    };
    let (answer, other) = (said(1), said(2));
    let begun = create(chat.clone(), None, ConversationLimits::default(), Timestamp::from_millis(1));
    device.apply(begun.expect("is fine").1.put(&answer).put(&other));
    let large = json!({"text": "x".repeat(70_000)});
    device.python.then(came_back(gave(large.clone()), &[("a", "1")], &[]));
    let finished = device.run(RunRequest {
        call_id: Some("call_1".into()),
        chat: Some(chat.clone()),
        message: Some(answer.id.clone()),
        ..device.request("count", json!({"path": "a"}))
    });
    let spilled = finished.call.spilled.expect("is large");
    assert_eq!(device.files(&finished.call.post_manifest_id), files(&[("a", "1")]));
    let kept = at_once(device.store.blob(spilled.sha256)).expect("memory does not fail").expect("is stored");
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&kept).expect("is JSON"), large);
    let open = at_once(OpenChat::open(&device.store, &chat)).expect("memory does not fail").expect("is there");
    assert_eq!(open.leaf, Node::Message(other.id));
    let post = finished.call.post_manifest_id.expect("has one");
    assert_eq!(open.heads.own(&Node::Message(answer.id)), [post]);
    assert_eq!(device.shown(&chat), files(&[]));
}

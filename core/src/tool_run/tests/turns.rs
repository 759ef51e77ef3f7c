//! Whose turn it is in a chat, and for how long.

use serde_json::json;

use super::Device;
use crate::python::scripted::{came_back, gave};
use crate::tool_run::RunRequest;

/// C35: one call at a time in a chat, also where the chat is only found to be the scratch chat; what follows from a call is committed
/// while nobody else changes the chat, and everything is let go at the end.
#[test]
fn a_call_has_its_turn_from_before_it_looks_until_it_is_recorded() {
    let device = Device::new();
    let turns = |device: &Device| std::mem::take(&mut *device.turns.taken.borrow_mut());
    device.python.then(came_back(gave(json!({})), &[("a", "1")], &[]));
    let chat = device.count("a").call.chat_id;
    let taken = |first: &[String]| {
        let run = format!("run in {chat}");
        let change = format!("change {chat}");
        let let_go = [format!("let go {change}")];
        let runs = first.iter().chain([&run]);
        let over = first.iter().chain([&run]).map(|turn| format!("let go {turn}"));
        runs.cloned().chain([change.clone()]).chain(let_go).chain(over).collect::<Vec<_>>()
    };
    let scratch = ["run in the scratch chat".to_owned()];
    assert_eq!(turns(&device), taken(&scratch));
    device.built_in("list_files", json!({}));
    assert_eq!(turns(&device), taken(&scratch));
    device.python.then(came_back(gave(json!({})), &[], &[]));
    device.run(RunRequest { chat: Some(chat.clone()), ..device.request("count", json!({"path": "a"})) });
    assert_eq!(turns(&device), taken(&[]));
}

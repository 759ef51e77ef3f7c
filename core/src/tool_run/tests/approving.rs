//! Calls of tools that ask.

use serde_json::{Value, json};

use super::{Device, MANIFEST, at_once, toolset};
use crate::approval::{self, Answer, ApprovalRequest, DefaultButton, Verdict};
use crate::catalog::{InstalledToolset, ToolId, Unavailable};
use crate::python::Description;
use crate::python::scripted::{came_back, gave};
use crate::record::{CallStatus, ErrorKind, RowKey, Table, ToolOverride};
use crate::store::Commit;
use crate::tool_run::{Pending, Permission, RunError, RunOutcome, RunRequest};

fn asked(device: &Device, request: RunRequest) -> ApprovalRequest {
    match device.try_run(request).expect("it is asked for") {
        RunOutcome::ApprovalNeeded(request) => *request,
        RunOutcome::Finished(finished) => unreachable!("{finished:?}"),
    }
}

fn ask(device: &Device, arguments: Value) -> RunRequest {
    device.request("ask", arguments)
}

fn answered(device: &Device, verdict: Verdict, arguments: Option<Value>) -> RunRequest {
    let definition_hash = asked(device, ask(device, json!({"n": 1}))).definition_hash;
    let permission = Permission::Answered(Answer { verdict, arguments, definition_hash });
    RunRequest { permission, ..ask(device, json!({"n": 1})) }
}

/// Sees that the tool has changed since it was used, and is not run.
fn is_off(device: &Device, request: RunRequest) {
    let refused = device.try_run(request).expect_err("it has changed");
    assert!(matches!(refused, RunError::Unavailable { reason: Unavailable::Changed, .. }), "{refused}");
}

/// Takes the tool that asks for what it is now.
fn approve(device: &Device) {
    let installed = at_once(InstalledToolset::find(&device.store, "mine")).expect("reads").expect("is there");
    let tools = installed.tools_in_effect(&device.surroundings);
    let tool = tools.iter().find(|tool| tool.declared.tool_id.to_string() == "mine:ask").expect("is there");
    let now = crate::time::Timestamp::from_millis(1);
    device.apply(at_once(crate::pins::approve(&device.store, tool, now)).expect("memory does not fail"));
}

fn runs(device: &Device, request: RunRequest) {
    device.python.then(came_back(gave(json!({})), &[], &[]));
    assert_eq!(device.run(request).call.status, CallStatus::Success);
}

/// R197, R307: what is asked, and that nothing happens before the answer.
#[test]
fn a_tool_that_asks_waits() {
    let device = Device::new();
    let request = asked(&device, ask(&device, json!({"n": "1"})));
    assert_eq!((request.tool_id.to_string().as_str(), request.toolset_name.as_str()), ("mine:ask", "Mine"));
    assert_eq!((request.arguments, request.default), (json!({"n": 1}), DefaultButton::Deny));
    assert_eq!((device.rows(Table::ToolCalls), device.rows(Table::Chats)), (0, 0));
    assert!(device.python.calls.borrow().is_empty());
}

/// R307: once is once, and by the API too.
#[test]
fn once_is_for_one_call() {
    let device = Device::new();
    runs(&device, answered(&device, Verdict::Once, None));
    runs(&device, RunRequest { permission: Permission::Once, ..ask(&device, json!({})) });
    asked(&device, ask(&device, json!({})));
    assert_eq!(device.rows(Table::Approvals), 0);
}

/// R307: for this chat, and in no other.
#[test]
fn for_the_chat_is_for_that_chat() {
    let device = Device::new();
    runs(&device, answered(&device, Verdict::Chat, None));
    runs(&device, ask(&device, json!({"n": 2})));
    let id = crate::ids::ChatId::parse(device.fresh()).expect("is a UUID");
    let limits = crate::conversation::ConversationLimits::default();
    let now = crate::time::Timestamp::from_millis(1);
    let (chat, commit) = crate::conversation::create(id, None, limits, now).expect("is fine");
    device.apply(commit);
    asked(&device, RunRequest { chat: Some(chat.id), ..ask(&device, json!({})) });
}

/// R307, C14: always, until it becomes another tool; and it can be taken back.
#[test]
fn always_is_for_the_same_tool_only() {
    let device = Device::new();
    runs(&device, answered(&device, Verdict::Always, None));
    runs(&device, ask(&device, json!({})));
    let remembered = || at_once(approval::remembered(&device.store)).expect("memory does not fail").0;
    assert!(remembered()[0].holds);
    // Whatever changes in the package may change what the tool does.
    device.install(&MANIFEST.replace("1.0.0", "1.0.1"));
    assert!(!remembered()[0].holds);
    is_off(&device, ask(&device, json!({})));
    approve(&device);
    assert_eq!(remembered(), [], "approving it drops what was remembered of it");
    asked(&device, ask(&device, json!({})));
    runs(&device, answered(&device, Verdict::Always, None));
    runs(&device, ask(&device, json!({})));
    device.apply(approval::withdraw(&remembered()[0].approval));
    asked(&device, ask(&device, json!({})));
    runs(&device, answered(&device, Verdict::Chat, None));
    let tool = ToolId::parse("mine:ask").expect("is a tool id");
    device.apply(at_once(approval::withdraw_all(&device.store, &tool)).expect("memory does not fail"));
    asked(&device, ask(&device, json!({})));
}

/// C14: an upgrade keeps what belongs to the user: grants, overrides and what chats have chosen. A tool that was used before is another one
/// now, and off until it is approved; then it asks again.
#[test]
fn an_upgrade_keeps_grants_and_switches_off_what_was_used() {
    let device = Device::new();
    runs(&device, answered(&device, Verdict::Always, None));
    let now = crate::time::Timestamp::from_millis(1);
    let renamed = ToolOverride {
        toolset_id: toolset(),
        tool_id: "ask".into(),
        renderer: None,
        renderer_config: None,
        name_override: Some("My question".into()),
        description_override: None,
        requires_confirmation: None,
        enabled: None,
    };
    let id = crate::ids::ChatId::parse(device.fresh()).expect("is a UUID");
    let limits = crate::conversation::ConversationLimits::default();
    let (chat, commit) = crate::conversation::create(id, None, limits, now).expect("is fine");
    let chosen = crate::record::Chat { enabled_tools: Some([("mine".into(), vec!["ask".into()])].into()), ..chat };
    device.apply(commit.put(&chosen).put(&renamed).then(crate::network::grant(&toolset(), "api.example.com", now)));
    device.install(&MANIFEST.replace("1.0.0", "2.0.0"));
    let granted = at_once(crate::network::granted(&device.store, &toolset())).expect("memory does not fail");
    assert_eq!(granted, ["api.example.com".to_owned()].into());
    assert_eq!(device.get::<crate::record::Chat>(RowKey::one(chosen.id.as_str())), Some(chosen));
    is_off(&device, ask(&device, json!({})));
    approve(&device);
    assert_eq!(asked(&device, ask(&device, json!({}))).tool_name, "My question");
}

/// An answer to a question about another definition is none.
#[test]
fn an_answer_is_for_what_was_shown() {
    let device = Device::new();
    let late = answered(&device, Verdict::Always, None);
    device.install(&MANIFEST.replace("1.0.0", "1.0.1"));
    asked(&device, late);
    assert_eq!(device.rows(Table::Approvals), 0);
}

/// R197, R307: denial is recorded, with the reason for the model.
#[test]
fn a_denied_call_is_recorded_and_not_run() {
    let device = Device::new();
    let verdict = Verdict::Deny { reason: Some("use the other file".into()) };
    let call = device.run(answered(&device, verdict, None)).call;
    assert_eq!((call.status, call.error_kind), (CallStatus::Error, Some(ErrorKind::Denied)));
    assert_eq!(call.error.as_deref(), Some("the user did not allow this call: use the other file"));
    assert!(device.python.calls.borrow().is_empty());
}

/// R307: edited arguments are what is run and recorded, and are checked again.
#[test]
fn edited_arguments_are_checked_again() {
    let device = Device::new();
    runs(&device, answered(&device, Verdict::Once, Some(json!({"n": "2"}))));
    assert_eq!(device.python.calls.borrow()[0].arguments, json!({"n": 2}));
    let finished = device.run(answered(&device, Verdict::Always, Some(json!({"n": "two"}))));
    assert_eq!(finished.call.error_kind, Some(ErrorKind::InvalidArgs));
    assert_eq!(finished.call.args, json!({"n": "two"}));
    assert_eq!(device.rows(Table::Approvals), 0);
}

/// R115, C41: the user's override decides, in both directions.
#[test]
fn an_override_decides_whether_it_asks() {
    let device = Device::new();
    let set = |tool: &str, asks: bool| ToolOverride {
        toolset_id: toolset(),
        tool_id: tool.into(),
        renderer: None,
        renderer_config: None,
        name_override: None,
        description_override: None,
        requires_confirmation: Some(asks),
        enabled: None,
    };
    device.apply(Commit::default().put(&set("ask", false)).put(&set("count", true)));
    runs(&device, ask(&device, json!({})));
    asked(&device, device.request("count", json!({"path": "a"})));
}

/// Of a tool that asks nothing runs before the answer, not even to say what it takes.
#[test]
fn a_tool_that_asks_is_not_described_before_the_answer() {
    let device = Device::new();
    let input_schema = json!({"type": "object", "required": ["n"]});
    *device.python.description.borrow_mut() = Some(Description { description: String::new(), input_schema });
    asked(&device, device.request("undescribed_ask", json!({})));
    assert!(device.python.described.borrow().is_empty());
    let approved = RunRequest { permission: Permission::Once, ..device.request("undescribed_ask", json!({})) };
    assert_eq!(device.run(approved).call.error_kind, Some(ErrorKind::InvalidArgs));
    assert_eq!(device.python.described.borrow().len(), 1);
}

/// C26: a row that says that the user is asked becomes that of the call, which is made or refused once.
#[test]
fn a_call_that_has_waited_goes_on_in_its_row() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[], &[]));
    let chat = device.run(RunRequest { permission: Permission::Once, ..ask(&device, json!({})) }).call.chat_id;
    let waited = |call_id: &str, verdict: Verdict| {
        let request = RunRequest {
            call_id: Some(call_id.into()),
            chat: Some(chat.clone()),
            ..answered(&device, verdict, Some(json!({"n": 2})))
        };
        let pending = Pending {
            id: request.id.clone(),
            call_id: request.call_id.clone(),
            chat_id: chat.clone(),
            message_id: None,
            tool_id: "mine:ask".into(),
            args: json!({"n": 1}),
        };
        device.apply(Commit::default().put(&pending.row(crate::time::Timestamp::from_millis(1))));
        request
    };
    let request = waited("call_1", Verdict::Once);
    let id = request.id.clone();
    runs(&device, request);
    let made = device.call(&id);
    assert_eq!((made.status, made.args), (CallStatus::Success, json!({"n": 2})));

    let refused = device.run(waited("call_2", Verdict::Deny { reason: None })).call;
    assert_eq!(device.call(&refused.id).error_kind, Some(ErrorKind::Denied));
    assert_eq!(device.rows(Table::ToolCalls), 3);
}

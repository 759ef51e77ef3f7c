//! The shelf of a device: chats, what the next one begins with, and what a model is offered (C15, C16, R137–R139, R142).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::{Kept, LastEquipped, Shelf, begin_equipped, choose_seen};
use super::NOW;
use crate::at_once::at_once;
use crate::catalog::sample::{Device, PYTHON};
use crate::catalog::{Selection, Surroundings, ToolsetId, Unavailable};
use crate::conversation::{self, ConversationLimits};
use crate::ids::ChatId;
use crate::record::{Chat, RowKey, SavedToolset};
use crate::saved::{Management, NewToolset, Staleness, manage};
use crate::settings::SettingChange;
use crate::store::{self, Commit, Store as _};
use crate::turn::{offered, selectable};

fn chat_id(number: u32) -> ChatId {
    ChatId::parse(format!("0198c5a4-7c1e-7000-8000-{number:012}")).expect("is a UUID")
}

/// A device with two Python tools and the built-in ones, and two chats that have chosen one of each.
fn device() -> Device {
    let device = Device::with(PYTHON);
    for number in [1, 2] {
        let (chat, commit) =
            conversation::create(chat_id(number), None, ConversationLimits::default(), NOW).expect("is fine");
        device.apply(commit);
        let chosen = Selection::of_last(Some(r#"{"builtin": ["read_file"], "python-only": ["first"]}"#));
        device.apply(conversation::choose_tools(&chat, &chosen));
    }
    device
}

fn chat(device: &Device, number: u32) -> Chat {
    let row = store::get::<Chat>(&device.store, RowKey::one(chat_id(number).as_str()));
    at_once(row).expect("memory does not fail").expect("is there")
}

/// Changes the shelf of a chat, or of the next one, by one commit.
fn change<T>(device: &Device, number: Option<u32>, run: impl FnOnce(&mut Kept) -> T) -> T {
    let of = number.map(|number| chat(device, number));
    let mut kept = at_once(Kept::load(&device.store, &Surroundings::default(), of)).expect("memory does not fail");
    let done = run(&mut kept);
    device.apply(at_once(kept.commit(&device.store)).expect("memory does not fail"));
    done
}

fn call(device: &Device, number: u32, tool: Management, arguments: Value) -> Value {
    change(device, Some(number), |kept| manage(&mut kept.shelf, &kept.discovery, tool, &arguments, NOW))
}

fn build(device: &Device, name: &str, tools: &[&str]) {
    let tools = tools.iter().map(|name| super::by_name(name)).collect();
    let new = NewToolset { name: name.into(), tools, ..NewToolset::default() };
    change(device, None, |kept| kept.shelf.build(new, &kept.discovery, NOW).map(drop)).expect("is built");
}

/// The names of what the model of a chat is offered.
fn offered_in(device: &Device, number: u32) -> Vec<String> {
    let found = at_once(offered(&device.store, &chat(device, number), &Surroundings::default(), NOW));
    let definitions = found.expect("memory does not fail").offers.definitions();
    definitions.into_iter().map(|tool| tool.name).collect()
}

const ENTER: &str = "enter-configuration-mode";

/// C16, R137, R138
#[test]
fn equipping_limits_a_chat_and_unequipping_gives_back_what_was_chosen() {
    let device = device();
    build(&device, "two", &["python-only.first", "python-only.second"]);
    let before = ["toolset__builtin__read_file", "toolset__python-only__first", ENTER];
    assert_eq!(offered_in(&device, 1), before, "C15");
    let answer = call(&device, 1, Management::Equip, json!({"name": "two"}));
    assert_eq!(answer["warnings"], json!([]));
    assert_eq!(offered_in(&device, 1), ["toolset__python-only__second", "toolset__python-only__first", ENTER]);
    assert_eq!(offered_in(&device, 2), before, "another chat is not touched");
    let last = at_once(LastEquipped::load(&device.store)).expect("memory does not fail").expect("is remembered");
    assert_eq!(last.name, "two");
    assert_eq!(last.enabled_tools, BTreeMap::from([("python-only".into(), vec!["first".into(), "second".into()])]));

    // A choice within the limit counts; one beyond it does not.
    let wider = Selection::of_last(Some(r#"{"builtin": ["read_file"], "python-only": ["second"]}"#));
    device.apply(conversation::choose_tools(&chat(&device, 1), &wider));
    assert_eq!(offered_in(&device, 1), ["toolset__python-only__second", ENTER]);
    let shown =
        at_once(selectable(&device.store, &Surroundings::default(), Some("two"))).expect("memory does not fail");
    let built_in = &shown.iter().find(|toolset| toolset.id.as_str() == "builtin").expect("is there").tools[0];
    assert_eq!(built_in.unavailable, Some(Unavailable::NotEquipped("two".into())));

    call(&device, 1, Management::Unequip, json!({}));
    assert_eq!(offered_in(&device, 1), before);
    assert_eq!(at_once(LastEquipped::load(&device.store)).expect("memory does not fail"), None);
}

/// R139: whoever has it equipped is unequipped first, in the same commit.
#[test]
fn deleting_unequips_everywhere() {
    let device = device();
    build(&device, "one", &["python-only.first"]);
    for number in [1, 2] {
        call(&device, number, Management::Equip, json!({"name": "one"}));
    }
    call(&device, 1, Management::Delete, json!({"name": "one", "confirm": true}));
    for number in [1, 2] {
        let chat = chat(&device, number);
        assert_eq!(chat.equipped, None);
        assert_eq!(
            Selection::of_chat(chat.enabled_tools.as_ref()).to_last(),
            r#"{"builtin":["read_file"],"python-only":["first"]}"#
        );
    }
    assert_eq!(at_once(LastEquipped::load(&device.store)).expect("memory does not fail"), None);
    assert!(at_once(store::list::<SavedToolset>(&device.store)).expect("memory does not fail").is_empty());
    // The name is free again.
    build(&device, "one", &["python-only.second"]);
}

/// R137: a limit that is lost lets nothing through.
#[test]
fn a_toolset_that_is_gone_offers_nothing() {
    let device = device();
    build(&device, "one", &["python-only.first"]);
    call(&device, 1, Management::Equip, json!({"name": "one"}));
    let row = crate::record::RowRef::to::<SavedToolset>(RowKey::one("one"));
    device.apply(crate::store::Commit::default().delete(row));
    assert_eq!(offered_in(&device, 1), [""; 0]);
}

/// R142
#[test]
fn configuration_mode_offers_what_manages_and_nothing_else() {
    let device = device();
    build(&device, "one", &["python-only.first"]);
    call(&device, 1, Management::Enter, json!({}));
    let expected: Vec<&str> = Management::CONFIGURING.into_iter().map(Management::name).collect();
    assert_eq!(offered_in(&device, 1), expected);
    call(&device, 1, Management::Equip, json!({"name": "one"}));
    assert_eq!(offered_in(&device, 1), ["toolset__python-only__first", ENTER]);
    // The user may not want models to ask for it.
    let hidden = crate::settings::SettingChange::HideConfigurationMode(true).row();
    device.apply(crate::store::Commit::default().put(&hidden));
    assert_eq!(offered_in(&device, 1), ["toolset__python-only__first"]);
}

/// R142: configuration mode can be reached from the first tool on, also where nothing is saved; and is not sent where there are no tools.
#[test]
fn the_way_into_configuration_mode_is_offered_with_the_first_tool() {
    let device = device();
    assert_eq!(offered_in(&device, 1), ["toolset__builtin__read_file", "toolset__python-only__first", ENTER]);
    device.apply(conversation::choose_tools(&chat(&device, 1), &Selection::default()));
    assert_eq!(offered_in(&device, 1), [""; 0]);
    device.apply(Commit::default().put(&SettingChange::HideConfigurationMode(true).row()));
    assert_eq!(offered_in(&device, 2), ["toolset__builtin__read_file", "toolset__python-only__first"]);
}

/// R137: what comes to a saved toolset after it was equipped is used too, and what was taken out in a chat stays out of it.
#[test]
fn an_equipped_toolset_is_followed_where_it_is_used() {
    let device = device();
    build(&device, "mine", &["python-only.first"]);
    call(&device, 1, Management::Equip, json!({"name": "mine"}));
    let edit = |tools: &[&str]| {
        let tools = tools.iter().map(|name| super::by_name(name)).collect();
        let new = NewToolset { name: "mine".into(), tools, ..NewToolset::default() };
        change(&device, None, |kept| kept.shelf.edit(new, &kept.discovery, NOW).map(drop)).expect("is changed");
    };
    edit(&["python-only.first", "python-only.second"]);
    assert_eq!(offered_in(&device, 1), ["toolset__python-only__second", "toolset__python-only__first", ENTER]);

    // Seen and taken out in this chat.
    let python = ToolsetId::parse("python-only").expect("is a name");
    let wanted = Selection::of_last(Some(r#"{"python-only": ["first"]}"#));
    let before = chat(&device, 1);
    let after = choose_seen(&before, &python, &wanted, &["first".into(), "second".into()]);
    device.apply(Commit::default().change(&before, &after));
    assert_eq!(offered_in(&device, 1), ["toolset__python-only__first", ENTER]);
    // Another tool that comes is another matter.
    edit(&["python-only.second", "builtin.read_file"]);
    assert_eq!(offered_in(&device, 1), ["toolset__builtin__read_file", ENTER]);

    // The next chat begins with it as it is then.
    let last = at_once(LastEquipped::load(&device.store)).expect("memory does not fail").expect("is remembered");
    assert_eq!(last.known, Some(BTreeMap::from([("python-only".into(), vec!["first".into()])])));
    let next = at_once(begin_equipped(&device.store, chat(&device, 2))).expect("memory does not fail");
    device.apply(Commit::default().change(&chat(&device, 2), &next));
    assert_eq!(
        offered_in(&device, 2),
        ["toolset__builtin__read_file", "toolset__python-only__second", ENTER],
        "what it had when it was equipped is not in it any more"
    );
}

/// Notes are told with the tool.
#[test]
fn notes_reach_the_model() {
    let device = device();
    build(&device, "one", &["python-only.first"]);
    call(&device, 1, Management::Equip, json!({"name": "one"}));
    let note = json!({"toolRef": {"namespacedName": "python-only.first"}, "notes": [{"name": "use", "note": "last"}]});
    assert_eq!(call(&device, 1, Management::Annotate, note)["success"], true);
    let found = at_once(offered(&device.store, &chat(&device, 1), &Surroundings::default(), NOW));
    let definitions = found.expect("memory does not fail").offers.definitions();
    assert!(definitions[0].description.ends_with("Notes:\n- use: last"), "{}", definitions[0].description);
}

/// Each operation is one commit: what was stored by another meanwhile refuses it.
#[test]
fn two_of_one_name_cannot_both_be_built() {
    let device = device();
    let kept = || at_once(Kept::load(&device.store, &Surroundings::default(), None)).expect("memory does not fail");
    let (mut one, mut other) = (kept(), kept());
    let build = |shelf: &mut Shelf, kept: &Kept| {
        let new = NewToolset {
            name: "same".into(),
            tools: vec![super::by_name("python-only.first")],
            ..NewToolset::default()
        };
        shelf.build(new, &kept.discovery, NOW).map(drop).expect("is built");
    };
    for kept in [&mut one, &mut other] {
        let mut shelf = kept.shelf.clone();
        build(&mut shelf, kept);
        kept.shelf = shelf;
    }
    device.apply(at_once(one.commit(&device.store)).expect("memory does not fail"));
    let second = at_once(other.commit(&device.store)).expect("memory does not fail");
    assert!(at_once(device.store.apply(second, NOW)).is_err());
}

/// R141: what comes with the app and was never set up is not among what can be chosen; whoever had saved it is told what it lacks.
#[test]
fn the_search_that_is_built_in_is_listed_once_it_has_its_key() {
    let device = device();
    let exa = "builtin-exa-web-search";
    let listed = |surroundings: &Surroundings| {
        let kept = at_once(Kept::load(&device.store, surroundings, None)).expect("memory does not fail");
        let told = crate::saved::available_answer(&kept.discovery);
        let has = told["toolsByServer"].to_string().contains(exa);
        assert_eq!(told["summary"]["totalTools"], kept.discovery.choosable().count());
        (has, kept.discovery)
    };
    let (has, discovery) = listed(&Surroundings::default());
    assert!(!has);
    let search = discovery.resolve_tool_reference(&super::by_name(&format!("{exa}.search")), Staleness::Strict);
    assert_eq!(search.tool.expect("is known").unavailable.as_deref(), Some("API key not configured"));
    let keyed = Surroundings {
        secrets: [crate::exa::EXA_KEY.to_owned()].into(),
        capabilities: vec![crate::protocol::Capability::HttpTools],
        ..Surroundings::default()
    };
    assert!(listed(&keyed).0);
}

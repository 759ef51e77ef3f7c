//! Choosing tools, and what is kept and sent of that.

use super::*;
use crate::catalog::Unavailable;
use crate::catalog::sample::{Device, MIXED, PYTHON};

fn toolset(id: &str, tools: &[(&str, Option<Unavailable>)], unavailable: Option<Unavailable>) -> SelectableToolset {
    let tool = |(name, reason): &(&str, Option<Unavailable>)| SelectableTool {
        id: ToolId::parse(&format!("{id}:{name}")).expect("is a tool id"),
        key: (*name).to_owned(),
        name: (*name).to_owned(),
        tokens: 10,
        unavailable: reason.clone().or_else(|| unavailable.clone()),
    };
    SelectableToolset {
        id: ToolsetId::parse(id).expect("is a name"),
        name: id.to_uppercase(),
        tools: tools.iter().map(tool).collect(),
        unavailable,
    }
}

fn three() -> SelectableToolset {
    toolset("mine", &[("one", None), ("two", None), ("off", Some(Unavailable::DisabledInSettings))], None)
}

fn chosen(selection: &Selection) -> String {
    selection.to_last()
}

/// R169, R170, R171, R175: the box of the toolset follows its tools, and they follow it.
#[test]
fn the_box_of_a_toolset_has_three_states() {
    let toolset = three();
    let none = Selection::default();
    assert_eq!(none.checkbox(&toolset), Checkbox::Unchecked);
    let one = none.clone().toggle_tool(&toolset.id, &toolset.tools[1]);
    assert_eq!((one.checkbox(&toolset), chosen(&one).as_str()), (Checkbox::Indeterminate, r#"{"mine":["two"]}"#));
    assert_eq!(one.clone().toggle_toolset(&toolset), none);
    let all = none.clone().toggle_toolset(&toolset);
    assert_eq!((all.checkbox(&toolset), chosen(&all).as_str()), (Checkbox::Checked, r#"{"mine":["one","two"]}"#));
    assert_eq!(all.clone().toggle_toolset(&toolset), none);
    assert!(all.has_changes(&one) && !all.has_changes(&all.clone()));
    assert!(all.is_toolset_enabled(&toolset) && !none.is_toolset_enabled(&toolset));
    assert!(one.is_tool_enabled(&toolset.id, &toolset.tools[1]));
    assert_eq!(one.clone().toggle_tool(&toolset.id, &toolset.tools[1]), none);
    assert_eq!(none.clone().toggle_tool(&toolset.id, &toolset.tools[2]), none);
}

/// R165, R166: rows and badge count what can be used.
#[test]
fn rows_and_badge_count() {
    let away = toolset("away", &[("x", None)], Some(Unavailable::NeedsServer));
    let toolsets = [three(), away];
    let selection = Selection::of_last(Some(r#"{"mine": ["one", "off", "gone"], "away": ["x"], "removed": ["y"]}"#));
    assert_eq!(selection.count(&toolsets[0]), SelectedCount { enabled: 1, total: 3 });
    assert_eq!(selection.count(&toolsets[1]), SelectedCount { enabled: 0, total: 1 });
    assert_eq!(selection.offered(&toolsets), Offered { tools: 1, tokens: 10 });
    assert_eq!(Selection::default().offered(&toolsets), Offered::default());
}

/// R176, R312: what is chosen and cannot be used is told, and costs nothing.
#[test]
fn what_is_not_sent_is_told() {
    let away = toolset("away", &[("x", None), ("y", None)], Some(Unavailable::NeedsServer));
    let selection = Selection::of_last(Some(r#"{"mine": ["one", "off"], "away": ["x"]}"#));
    assert_eq!((selection.unsent(&three()), selection.unsent(&away)), (1, 1));
    assert_eq!(selection.offered_of(&three()), Offered { tools: 1, tokens: 10 });
    assert_eq!(selection.offered_of(&away), Offered::default());
    assert_eq!((three().tokens(), away.tokens()), (30, 20));
}

/// R172: what two tabs choose of different toolsets is kept of both.
#[test]
fn a_change_is_kept_toolset_by_toolset() {
    let stored = Selection::of_last(Some(r#"{"mine": ["one"], "other": ["x"]}"#));
    let shown = Selection::of_last(Some(r#"{"mine": ["one", "two"]}"#));
    let taken = |toolset: &str| {
        let toolset = ToolsetId::parse(toolset).expect("is a name");
        chosen(&stored.clone().taking(&toolset, &shown))
    };
    assert_eq!(taken("mine"), r#"{"mine":["one","two"],"other":["x"]}"#);
    assert_eq!(taken("other"), r#"{"mine":["one"]}"#);
}

/// I9: as the page is told it.
#[test]
fn as_sent() {
    let reason = Unavailable::SecretsMissing(vec!["KEY".into()]);
    insta::assert_json_snapshot!(toolset("away", &[("x", None)], Some(reason)), @r#"
    {
      "id": "away",
      "name": "AWAY",
      "tools": [
        {
          "id": "away:x",
          "key": "x",
          "name": "x",
          "tokens": 10,
          "unavailable": {
            "secrets_missing": [
              "KEY"
            ]
          }
        }
      ],
      "unavailable": {
        "secrets_missing": [
          "KEY"
        ]
      }
    }
    "#);
}

/// R176: a tool that is chosen and cannot be used is not sent, and is there again when it can be used again.
#[test]
fn only_what_can_be_used_is_sent() {
    let selection = Selection::of_last(Some(r#"{"mine": ["two", "one", "off"], "away": ["x"]}"#));
    let sent = |toolsets: &[SelectableToolset]| {
        selection.usable(toolsets).map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let away = |reason| toolset("away", &[("x", None)], reason);
    assert_eq!(sent(&[three(), away(Some(Unavailable::DisabledInSettings))]), "mine:one mine:two");
    assert_eq!(sent(&[three(), away(None)]), "mine:one mine:two away:x");
}

/// R172, R173: kept with the chat, and for the next one.
#[test]
fn a_selection_is_kept() {
    let stored = BTreeMap::from([("mine".to_owned(), vec!["one".to_owned()]), ("none".to_owned(), vec![])]);
    let selection = Selection::of_chat(Some(&stored));
    assert_eq!(selection.to_chat(), BTreeMap::from([("mine".to_owned(), vec!["one".to_owned()])]));
    assert_eq!(Selection::of_last(Some(&selection.to_last())), selection);
    for nothing in [None, Some("null"), Some("{\"mine\": 1}"), Some("{")] {
        assert_eq!(Selection::of_last(nothing), Selection::default());
    }
    assert_eq!(Selection::of_chat(None), Selection::default());
}

/// C09, C66: an id of old that a chat has chosen is read, and kept as today.
#[test]
fn ids_of_old_are_rewritten() {
    let stored = BTreeMap::from([
        ("mine".to_owned(), vec!["mcp:files:list".to_owned(), "mcp:mine~disk:list".to_owned(), "one".to_owned()]),
        ("other".to_owned(), vec!["mcp:elsewhere~disk:list".to_owned()]),
    ]);
    let selection = Selection::of_chat(Some(&stored));
    let expected = r#"{"mine":["disk:list","files:list","one"],"other":["mcp:elsewhere~disk:list"]}"#;
    assert_eq!(chosen(&selection), expected);
    let id = ToolId::parse("mcp:mine~files:list").expect("is a tool id");
    let tool = SelectableTool { id, key: "list".into(), name: "List".into(), tokens: 1, unavailable: None };
    let mine = ToolsetId::parse("mine").expect("is a name");
    assert!(selection.is_tool_enabled(&mine, &tool));
    assert!(!selection.toggle_tool(&mine, &tool).is_tool_enabled(&mine, &tool));
}

/// R176, R181: what is sent is what is chosen and can be used, as it is in effect.
#[test]
fn what_is_installed_can_be_chosen() {
    let device = Device::with(MIXED);
    device.install(PYTHON);
    let toolsets = device.list().toolsets;
    let selection =
        Selection::of_last(Some(r#"{"builtin": ["read_file"], "mixed": ["local", "call"], "python-only": ["first"]}"#));
    let check = |surroundings: &Surroundings, rows: [&str; 4], expected: &[&str]| {
        let selectable: Vec<SelectableToolset> =
            toolsets.iter().map(|installed| SelectableToolset::of(installed, surroundings, &|_| 1)).collect();
        let row = |toolset: &SelectableToolset| {
            let SelectedCount { enabled, total } = selection.count(toolset);
            let reason = toolset.unavailable.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
            format!("{} ({enabled}/{total}){reason}", toolset.name)
        };
        assert_eq!(selectable.iter().map(row).collect::<Vec<_>>(), rows);
        let sent = selection.tools_in_effect(&toolsets, surroundings);
        let ids: Vec<String> = sent.iter().map(|tool| tool.declared.tool_id.to_string()).collect();
        assert_eq!(ids, expected);
        assert_eq!(selection.usable(&selectable).map(ToString::to_string).collect::<Vec<_>>(), ids);
    };
    let alone = Surroundings::default();
    let built_in = "Built-in tools (1/11)";
    let unkeyed = "Mixed (0/2), API key not configured";
    let exa = "Exa Web Search (0/4), API key not configured";
    check(&alone, [built_in, exa, unkeyed, "Python only (1/2)"], &["read_file", "python-only:first"]);
    let keyed = Surroundings { secrets: ["TOKEN".to_owned()].into(), ..alone };
    let sent = ["read_file", "mixed:local", "python-only:first"];
    check(&keyed, [built_in, exa, "Mixed (1/2)", "Python only (1/2)"], &sent);
}

/// C08
#[test]
fn tools_of_servers_are_told_apart() {
    let name = |id: &str| ToolId::parse(id).expect("is a tool id").selection_name();
    assert_eq!([name("write_file"), name("mine:one"), name("mcp:a~b:list:all")], ["write_file", "one", "b:list:all"]);
}

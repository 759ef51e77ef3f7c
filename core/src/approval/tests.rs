//! The definition of a tool, and what hints do.

use serde_json::json;

use super::{DefaultButton, Definition, Hints};
use crate::catalog::{ToolId, ToolsetId};
use crate::ids::Uid;
use crate::record::{PackageId, Tool, ToolKind};
use crate::time::Timestamp;

fn tool() -> Tool {
    Tool {
        package: PackageId::of(b"one"),
        tool_id: ToolId::parse("mine:ask").expect("is a tool id"),
        toolset_id: None,
        uid: Uid::parse("0198c5a4-7c1e-7000-8000-000000000001").expect("is a UUID"),
        slug: "ask".into(),
        version: "1.0.0".into(),
        name: "Ask".into(),
        description: "Asks".into(),
        category: None,
        input_schema: Some(json!({"type": "object", "properties": {}})),
        output_schema: None,
        requires_confirmation: true,
        enabled: true,
        kind: ToolKind::Python,
        entrypoint: Some("tools.a:ask".into()),
        http: None,
        timeout_seconds: None,
        tags: vec![],
        created_at: Timestamp::from_millis(1),
        modified_at: Timestamp::from_millis(1),
    }
}

/// C14: whatever an author can change makes another definition; where and when it was installed does not.
#[test]
fn the_hash_is_over_the_whole_definition_and_its_package() {
    let hash = |tool: Tool| Definition::of(&tool).hash;
    let same = hash(tool());
    assert_eq!(hash(Tool { created_at: Timestamp::from_millis(9), ..tool() }), same);
    let uid = Uid::parse("0198c5a4-7c1e-7000-8000-000000000002").expect("is a UUID");
    assert_eq!(hash(Tool { uid, ..tool() }), same);
    let reordered = Some(json!({"properties": {}, "type": "object"}));
    assert_eq!(hash(Tool { input_schema: reordered, ..tool() }), same);
    let others = [
        Tool { description: "Asks nicely".into(), ..tool() },
        Tool { name: "Other".into(), ..tool() },
        Tool { input_schema: None, ..tool() },
        Tool { entrypoint: Some("tools.b:ask".into()), ..tool() },
        Tool { requires_confirmation: false, ..tool() },
        Tool { package: PackageId::of(b"two"), ..tool() },
    ];
    for other in others {
        assert_ne!(hash(other), same);
    }
}

/// C14, R243: a tool of a bundle stays what it is when another one of it gets a version.
#[test]
fn an_http_tool_is_its_definition_alone() {
    let http = |address: &str| Tool {
        toolset_id: Some(ToolsetId::parse("weather").expect("is a name")),
        kind: ToolKind::Http,
        entrypoint: None,
        http: Some(json!({"request": {"urlTemplate": address}})),
        ..tool()
    };
    let hash = |tool: Tool| Definition::of(&tool).hash;
    let same = hash(http("https://example.org"));
    assert_eq!(hash(Tool { package: PackageId::of(b"two"), ..http("https://example.org") }), same);
    assert_ne!(hash(http("https://example.com")), same);
}

/// R307: hints choose the button and nothing else.
#[test]
fn hints_choose_the_button() {
    let check = |read_only, destructive, expected| {
        assert_eq!(Hints { read_only, destructive }.default_button(), expected);
    };
    check(None, None, DefaultButton::Deny);
    check(Some(true), None, DefaultButton::Once);
    check(Some(false), Some(true), DefaultButton::Deny);
    check(None, Some(false), DefaultButton::Once);
}

//! Imports into a device that has data of its own.

use super::*;
use crate::record::{Package, PackageStanding, SavedToolset, ToolOverride, Toolset};

/// R310: newer per field, and nothing of what is here is lost.
#[test]
fn the_newer_write_of_a_field_stays() {
    let (here, chat) = filled();
    let bytes = here.export(&Extent::All);
    let there = Device::new(2);
    there.import(&bytes);
    there.now.set(1_000_000);
    let before = there.records::<Chat>().remove(0);
    there.apply(Commit::default().change(&before, &Chat { title: "Mine".into(), ..before.clone() }));
    there.say(&chat, None, "said there");
    here.now.set(2_000_000);
    here.say(&chat, None, "said here");
    here.apply(Commit::default().change(&before, &Chat { max_tool_iterations: Some(3), ..before.clone() }));

    let taken = there.import(&here.export(&Extent::All));
    assert_eq!((taken.added, taken.changed, taken.revived), (1, 1, 0));
    let merged = there.records::<Chat>().remove(0);
    assert_eq!((merged.title.as_str(), merged.max_tool_iterations), ("Mine", Some(3)));
    assert_eq!(there.records::<Message>().len(), 5);
    // And back: then both are the same.
    here.import(&there.export(&Extent::All));
    assert_eq!(here.export(&Extent::All), there.export(&Extent::All));
}

/// R319: an import brings back what was deleted, be it for good.
#[test]
fn what_was_deleted_comes_back() {
    let (device, chat) = filled();
    let bytes = device.export(&Extent::All);
    device.now.set(1_000_000);
    device.bin(&chat);
    let taken = device.import(&bytes);
    assert_eq!((taken.added, taken.changed, taken.revived), (0, 0, 1));
    assert_eq!(device.records::<Chat>().remove(0).soft_deleted_at, None);

    let rows = at_once(crate::workspace::all_rows(&device.store)).expect("memory does not fail");
    device.apply(crate::workspace::purge_chat(&chat, &rows));
    assert!(device.records::<Message>().is_empty());
    assert!(device.import(&bytes).revived > 3);
    assert_eq!(device.records::<Message>().len(), 3);
    let workspace = device.ask("GET", &format!("/local/chats/{chat}/workspace"), b"");
    assert_eq!(workspace["files"].as_array().map(Vec::len), Some(3));
}

/// C14: what a user trusts, and where tools connect to, is not for a file to change, whatever stamps it claims.
#[test]
fn trust_is_not_imported() {
    let (here, _) = filled();
    here.now.set(1 << 40);
    let server = here.records::<ToolsetMcpServer>().remove(0);
    let other = ToolsetMcpServer { config: json!({"url": "https://evil.example.com/mcp"}), ..server.clone() };
    here.apply(Commit::default().change(&server, &other));
    let (there, chat) = filled();
    there.import(&here.export(&Extent::All));
    assert_eq!(there.records::<ToolsetMcpServer>(), [server]);

    // With a chat no toolset is changed that is there.
    let toolset = here.records::<Toolset>().remove(0);
    here.apply(Commit::default().change(&toolset, &Toolset { enabled: false, ..toolset.clone() }));
    there.import(&here.export(&Extent::Chat(chat)));
    assert_eq!(there.records::<Toolset>(), [toolset]);
    there.import(&here.export(&Extent::All));
    assert!(!there.records::<Toolset>()[0].enabled);
}

/// C41, R151: a file makes a tool ask, and never stop asking; the same for what is insecure about a saved toolset.
#[test]
fn a_file_loosens_nothing() {
    let own = |asks: Option<bool>| ToolOverride {
        requires_confirmation: asks,
        name_override: Some(format!("{asks:?}")),
        ..ToolOverride::unset(ToolsetId::parse("sample").expect("is a name"), "one".into())
    };
    let saved = |allow_stale_refs| SavedToolset {
        name: "mine".into(),
        description: None,
        version: None,
        created_at: Timestamp::from_millis(1),
        modified_at: Timestamp::from_millis(1),
        tools: Vec::new(),
        notes: Vec::new(),
        allow_stale_refs,
    };
    let asks = |device: &Device| device.records::<ToolOverride>().remove(0).requires_confirmation;
    // What is said here, what a later file says, and what holds then.
    for (said, theirs, expected) in [
        (None, Some(false), None),
        (Some(true), Some(false), Some(true)),
        (Some(true), None, Some(true)),
        (Some(false), Some(true), Some(true)),
        (Some(false), None, Some(false)),
    ] {
        let (here, _) = filled();
        here.apply(Commit::default().put(&own(said)).put(&saved(false)));
        let (there, _) = filled();
        there.now.set(1 << 40);
        there.apply(Commit::default().put(&own(theirs)).put(&saved(true)));
        let bytes = there.export(&Extent::All);
        here.import(&bytes);
        assert_eq!(asks(&here), expected, "{said:?}, {theirs:?}");
        assert_eq!(here.records::<ToolOverride>()[0].name_override, Some(format!("{theirs:?}")), "the rest is merged");
        assert!(!here.records::<SavedToolset>()[0].allow_stale_refs);
        assert_eq!(here.import(&bytes), Taken::default(), "a second time changes nothing");
        assert_eq!(there.import(&bytes), Taken::default(), "nor does it where it was made");

        // Where it is new, and where it was deleted.
        let fresh = Device::new(2);
        fresh.import(&bytes);
        assert_eq!(asks(&fresh), theirs.filter(|asks| *asks));
        assert!(!fresh.records::<SavedToolset>()[0].allow_stale_refs);
        assert_eq!(fresh.import(&bytes), Taken::default());
        fresh.apply(Commit::default().delete(RowRef::of(&own(None))));
        fresh.import(&bytes);
        assert_eq!(asks(&fresh), theirs.filter(|asks| *asks));
    }
}

/// R316: what came from a file is not on the other devices yet, so it is sent; what changed nothing is not.
#[test]
fn what_came_is_sent_to_other_devices() {
    let (here, chat) = filled();
    let bytes = here.export(&Extent::Chat(chat.clone()));
    let there = Device::new(2);
    there.import(&bytes);
    let outbox = at_once(there.store.outbox()).expect("memory does not fail");
    assert!(outbox.iter().any(|entry| entry.row == row(Table::Chats, chat.as_str())));
    at_once(there.store.mark_sent(&outbox)).expect("memory does not fail");
    there.import(&bytes);
    assert_eq!(at_once(there.store.outbox()).expect("memory does not fail"), []);
}

/// R317: a device that stops in the middle has no half of an import.
#[test]
fn a_device_that_stops_has_all_or_nothing() {
    use crate::store::stopping::{Moment, Stopping};
    let (here, chat) = filled();
    let bytes = here.export(&Extent::Chat(chat));
    let opened = opened(&bytes).expect("is right");
    let mut steps = 0;
    for moment in [Moment::Before, Moment::After] {
        for at in 1.. {
            let there = Device::new(2);
            let stopping = Stopping { store: &there.store, at, moment, done: Cell::new(0) };
            let taken = at_once(take(&stopping, &opened, &|| there.now(), &|_| true));
            there.is_sound();
            let count = there.records::<Message>().len();
            assert!(count == 0 || count == 3, "{count}");
            if taken.is_ok() {
                break;
            }
            steps += 1;
        }
    }
    assert!(steps > 4);
}

/// C28: an export of before a toolset was upgraded brings no second version of it back; one of a device that was apart does.
#[test]
fn a_package_that_was_moved_on_from_stays_gone() {
    let (device, chat) = filled();
    let (all, of_chat) = (device.export(&Extent::All), device.export(&Extent::Chat(chat)));
    device.now.set(1_000_000);
    let before = device.records::<Package>();
    let mut manifest = before[0].manifest.clone();
    manifest["version"] = "9.0.0".into();
    device.ask("POST", "/local/toolsets/import", manifest.to_string().as_bytes());
    let upgraded = device.records::<Package>();
    let standings: Vec<_> = upgraded.iter().map(|package| (package.version.as_str(), package.standing)).collect();
    assert!(standings.contains(&("9.0.0", Some(PackageStanding::Current))), "{standings:?}");
    assert!(standings.contains(&(before[0].version.as_str(), Some(PackageStanding::Replaced))), "{standings:?}");
    for bytes in [all, of_chat] {
        device.import(&bytes);
        assert_eq!(device.records::<Package>(), upgraded);
    }
}

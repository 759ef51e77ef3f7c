//! Pins of the tools of packages; those of servers are tried in `core/src/mcp/tests.rs`.

use super::*;
use crate::at_once::at_once;
use crate::catalog::sample::{Device, PYTHON};
use crate::catalog::{InstalledToolset, Surroundings, Unavailable};
use crate::record::{Record as _, Table};
use crate::store::Put;

const FIRST: &str = "python-only:first";
const NOW: Timestamp = Timestamp::from_millis(3);

fn used() -> Device {
    let device = Device::with(PYTHON);
    device.apply(pin_first(&device.only().tools_in_effect(&Surroundings::default()), NOW));
    device
}

fn first(installed: &InstalledToolset) -> EffectiveTool<'_> {
    let mut tools = installed.tools_in_effect(&Surroundings::default()).into_iter();
    tools.find(|tool| tool.declared.tool_id.to_string() == FIRST).expect("is there")
}

/// C14: from its first use on a tool of a package is pinned; a newer version of it is off until it is approved, with what changed.
#[test]
fn a_tool_of_another_package_is_off_until_it_is_approved() {
    let device = used();
    assert_eq!(*first(&device.only()).pin, PinStanding::Same);
    let again = pin_first(&device.only().tools_in_effect(&Surroundings::default()), NOW);
    assert!(again.puts.is_empty(), "a pin stays what it is");

    let before = device.only().toolset.package.to_string();
    device.install(&PYTHON.replace("1.0.0", "1.0.1").replace("tools.all:first", "tools.all:other"));
    let installed = device.only();
    let tool = first(&installed);
    assert_eq!(tool.unavailable, Some(Unavailable::Changed));
    let PinStanding::Changed(pin) = tool.pin else { unreachable!("{:?}", tool.pin) };
    let told = changes_since(pin, &Definition::of_effective(&tool), "package");
    let paths: Vec<&str> = told.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["package", "version", "entrypoint"]);
    assert_eq!(told[0].before, Some(before.into()));
    assert_eq!(told[2].after, Some("tools.all:other".into()));

    device.apply(at_once(approve(&device.store, &tool, NOW)).expect("memory does not fail"));
    let installed = device.only();
    assert_eq!((first(&installed).pin, &first(&installed).unavailable), (&PinStanding::Same, &None));
    let other = installed.tools_in_effect(&Surroundings::default());
    assert_eq!(other[0].unavailable, Some(Unavailable::Changed), "each tool is approved by itself");
}

/// C14: one that was never used has nothing to be compared with.
#[test]
fn what_was_never_used_is_not_changed() {
    let device = Device::with(PYTHON);
    device.install(&PYTHON.replace("1.0.0", "1.0.1"));
    assert_eq!((first(&device.only()).pin, &first(&device.only()).unavailable), (&PinStanding::New, &None));
}

/// C14: tools that are compiled in are pinned like any other.
#[test]
fn tools_that_are_built_in_are_pinned() {
    let device = Device::empty();
    let built_in = || device.find("builtin").expect("is always there");
    device.apply(pin_first(&built_in().tools_in_effect(&Surroundings::default()), NOW));
    assert!(built_in().tools_in_effect(&Surroundings::default()).iter().all(|tool| *tool.pin == PinStanding::Same));
    let found = built_in();
    let tools = found.tools_in_effect(&Surroundings::default());
    let pin = Definition::of_effective(&tools[0]).pin(&tools[0], NOW);
    device.apply(Commit::default().put(&Pin { definition_hash: BlobId::of(b"another"), ..pin }));
    let reason = built_in().tools_in_effect(&Surroundings::default())[0].unavailable.clone();
    assert_eq!(reason, Some(Unavailable::Changed));
}

/// C14: a pin that cannot be read closes, and does not open.
#[test]
fn a_damaged_pin_switches_off() {
    let device = used();
    let pin = Definition::of_effective(&first(&device.only())).pin(&first(&device.only()), NOW);
    let fields = [("toolset_id".to_owned(), "python-only".into()), ("definition_hash".to_owned(), "broken".into())];
    let damaged = Put { row: RowRef::to::<Pin>(pin.key()), fields: fields.into_iter().collect(), must_exist: false };
    device.apply(Commit { puts: vec![damaged], ..Commit::default() });
    assert_eq!(first(&device.only()).unavailable, Some(Unavailable::PinDamaged));
    assert!(device.rows().iter().any(|row| row.table == Table::Pins));
}

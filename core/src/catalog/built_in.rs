//! The toolset of the tools that are compiled in (C05). It is always there and nothing of it is stored but its switches (C52): the whole
//! one as a value of its own, those of its tools as overrides, of which nothing but `enabled` counts.

use super::{InstalledToolset, ToolsetFault, ToolsetId, overrides_in_effect};
use crate::builtin;
use crate::record::{KeptValue, RowKey, RowRef, ToolOverride};
use crate::store::{Commit, Lookup, Store, StoreError, record_of, records_of};

/// Under this key the master switch is kept.
const ENABLED_KEY: &str = "builtin_enabled";

/// Whether this is one of its names (C02).
pub(super) fn is_named(name: &str) -> bool {
    name == ToolsetId::builtin().as_str() || name == builtin::toolset_uid().as_str()
}

/// The toolset as it is switched here.
pub(super) async fn load(store: &impl Store) -> Result<InstalledToolset, StoreError> {
    let (mut toolset, tools, render_configs) = builtin::rows();
    let switch = RowRef::to::<KeptValue>(RowKey::one(ENABLED_KEY));
    let overrides = Lookup::records_where::<ToolOverride>("toolset_id", toolset.id.as_str());
    let [switch, overrides] = store.look_up([Lookup::Row(&switch), overrides]).await?;
    let mut faults = Vec::new();
    match record_of::<KeptValue>(switch) {
        Ok(kept) => toolset.enabled = kept.and_then(|kept| kept.value.as_bool()).unwrap_or(true),
        Err(error) => faults.push(ToolsetFault::Row(error)),
    }
    let mut user_overrides = Vec::new();
    for found in records_of::<ToolOverride>(overrides) {
        match found {
            Ok(found) => user_overrides.push(only_switch(found)),
            Err(error) => faults.push(ToolsetFault::Row(error)),
        }
    }
    Ok(InstalledToolset {
        overrides: overrides_in_effect(&toolset.id, &[], &user_overrides),
        toolset,
        stamp: None,
        package: None,
        manifest: None,
        tools,
        files: Vec::new(),
        render_configs,
        servers: Vec::new(),
        seen: Vec::new(),
        user_overrides,
        faults,
    })
}

/// Moves the master switch.
pub(super) fn set_enabled(enabled: bool) -> Commit {
    Commit::default().put(&KeptValue { key: ENABLED_KEY.into(), value: enabled.into() })
}

/// What counts of an override.
fn only_switch(found: ToolOverride) -> ToolOverride {
    ToolOverride { enabled: found.enabled, ..ToolOverride::unset(found.toolset_id, found.tool_id) }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Device;
    use super::super::{Surroundings, Unavailable, set_enabled as switch, set_tool_enabled, soft_delete};
    use super::*;
    use crate::record::{RendererKind, Table};
    use crate::time::Timestamp;

    fn built_in(device: &Device) -> InstalledToolset {
        device.find("builtin").expect("is always there")
    }

    /// R084, R085, C02, C05: there from the first start, by either name, beside those that are installed.
    #[test]
    fn it_is_always_there() {
        let device = Device::empty();
        let found = built_in(&device);
        assert_eq!(device.find(found.toolset.uid.as_str()).map(|other| other.toolset.id), Some(ToolsetId::builtin()));
        assert_eq!(device.list().toolsets.len(), 1);
        let tools = found.tools_in_effect(&Surroundings::default());
        assert!(tools.iter().all(|tool| tool.unavailable.is_none() && !tool.requires_confirmation));
        assert!(tools.iter().any(|tool| tool.declared.tool_id.to_string() == "write_file"));
        assert!(soft_delete(&found.toolset, Timestamp::from_millis(1)).is_err());
        assert_eq!(device.rows(), []);
    }

    /// R087, R088, C52, C54: the switches are kept, each for itself, and nothing else.
    #[test]
    fn only_its_switches_are_stored() {
        let device = Device::empty();
        device.apply(set_tool_enabled(&built_in(&device), "write_file", false));
        device.apply(switch(&built_in(&device).toolset, false));
        let tables: Vec<Table> = device.rows().into_iter().map(|row| row.table).collect();
        assert_eq!(tables, [Table::ToolOverrides, Table::Kv]);
        let found = built_in(&device);
        assert!(!found.toolset.enabled);
        assert_eq!(Surroundings::default().unavailable(&found), Some(Unavailable::DisabledInSettings));

        device.apply(switch(&found.toolset, true));
        let found = built_in(&device);
        let off: Vec<String> = (found.tools_in_effect(&Surroundings::default()).into_iter())
            .filter(|tool| tool.unavailable.is_some())
            .map(|tool| tool.declared.tool_id.to_string())
            .collect();
        assert_eq!(off, ["write_file"]);
        device.apply(set_tool_enabled(&found, "write_file", true));
        assert!(built_in(&device).tools_in_effect(&Surroundings::default()).iter().all(|tool| tool.enabled));
    }

    /// C52
    #[test]
    fn an_override_changes_nothing_but_the_switch() {
        let device = Device::empty();
        let wished = ToolOverride {
            renderer: Some(RendererKind::Document),
            name_override: Some("Mine".into()),
            requires_confirmation: Some(true),
            enabled: Some(false),
            ..ToolOverride::unset(ToolsetId::builtin(), "read_file".into())
        };
        device.apply(Commit::default().put(&wished));
        let found = built_in(&device);
        let tools = found.tools_in_effect(&Surroundings::default());
        let tool = tools.iter().find(|tool| tool.declared.tool_id.to_string() == "read_file").expect("is there");
        assert_eq!((tool.name, tool.requires_confirmation, tool.enabled), ("Read file", false, false));
        assert_eq!(tool.renderer.as_ref().map(|shown| shown.renderer), Some(RendererKind::Code));
    }
}

//! The toolsets that are compiled in (C05, R096): the tools for a chat's files, and the web search. They are always there and nothing of them
//! is stored but their switches (C52): the whole one as a value of its own, those of its tools as overrides, of which nothing but `enabled`
//! counts; the pins of their tools, as of any; and for the web search the address that it asks.

use super::{EXA, InstalledToolset, ToolsetFault, ToolsetId, overrides_in_effect};
use crate::bundle::Manifest;
use crate::pins::Pins;
use crate::record::{KeptValue, Pin, RowKey, RowRef, Tool, ToolOverride, ToolRenderConfig, Toolset};
use crate::store::{Commit, Lookup, Store, StoreError, record_of, records_of};
use crate::{builtin, exa};

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The tools for a chat's files.
    Files,
    /// The web search.
    Exa,
}

impl Which {
    /// All of them, by id.
    pub(super) const ALL: [Self; 2] = [Self::Files, Self::Exa];

    /// The one that goes by this name, which is its id or its second name (C02).
    pub(super) fn named(name: &str) -> Option<Self> {
        let by_uid = |which: &Self| match which {
            Self::Files => name == builtin::toolset_uid().as_str(),
            Self::Exa => name == exa::toolset_uid().as_str(),
        };
        let by_id = Self::ALL.into_iter().find(|which| name == which.id());
        // Making a second name costs a digest, which only what looks like one is worth.
        by_id.or_else(|| Self::ALL.into_iter().filter(|_| name.len() == 36).find(by_uid))
    }

    fn id(self) -> &'static str {
        match self {
            Self::Files => "builtin",
            Self::Exa => EXA,
        }
    }

    fn rows(self, base_url: &str) -> (Toolset, Vec<Tool>, Vec<ToolRenderConfig>, Option<Manifest>) {
        match self {
            Self::Files => {
                let (toolset, tools, configs) = builtin::rows();
                (toolset, tools, configs, None)
            }
            Self::Exa => {
                let (toolset, tools, manifest) = exa::rows(base_url);
                (toolset, tools, Vec::new(), Some(manifest))
            }
        }
    }
}

/// Under this key the master switch of a toolset is kept.
fn enabled_key(id: &str) -> String {
    format!("{id}_enabled")
}

/// The toolset as it is switched here.
pub(super) async fn load(store: &impl Store, which: Which) -> Result<InstalledToolset, StoreError> {
    let id = which.id();
    let switch = RowRef::to::<KeptValue>(RowKey::one(enabled_key(id)));
    let base_url = RowRef::to::<KeptValue>(RowKey::one(exa::EXA_BASE_URL_KEY));
    let overrides = Lookup::records_where::<ToolOverride>("toolset_id", id);
    let pins = Lookup::records_where::<Pin>("toolset_id", id);
    let [switch, base_url, overrides, pins] =
        store.look_up([Lookup::Row(&switch), Lookup::Row(&base_url), overrides, pins]).await?;
    let mut faults = Vec::new();
    let mut kept = |found| match record_of::<KeptValue>(found) {
        Ok(kept) => kept.map(|kept| kept.value),
        Err(error) => {
            faults.push(ToolsetFault::Row(error));
            None
        }
    };
    let enabled = kept(switch).and_then(|value| value.as_bool()).unwrap_or(true);
    let base_url = kept(base_url).and_then(|value| exa::read_base_url(value.as_str()?).ok());
    let (toolset, tools, render_configs, manifest) = which.rows(base_url.as_deref().unwrap_or(exa::EXA_BASE_URL));
    let toolset = Toolset { enabled, ..toolset };
    let mut user_overrides = Vec::new();
    for found in records_of::<ToolOverride>(overrides) {
        match found {
            Ok(found) => user_overrides.push(only_switch(found)),
            Err(error) => faults.push(ToolsetFault::Row(error)),
        }
    }
    Ok(InstalledToolset {
        overrides: overrides_in_effect(&toolset.id, &[], &user_overrides),
        pins: Pins::read(pins).of_package(&tools),
        toolset,
        stamp: None,
        package: None,
        manifest,
        tools,
        files: Vec::new(),
        render_configs,
        servers: Vec::new(),
        seen: Vec::new(),
        user_overrides,
        apart: Vec::new(),
        faults,
    })
}

/// Moves the master switch.
pub(super) fn set_enabled(id: &ToolsetId, enabled: bool) -> Commit {
    Commit::default().put(&KeptValue { key: enabled_key(id.as_str()), value: enabled.into() })
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
        assert_eq!(device.list().toolsets.len(), 2);
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

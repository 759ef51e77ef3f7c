//! What is changed about tools: by the manifest of their package, and over that by the user.

use std::collections::BTreeMap;

use super::{InstalledToolset, ToolsetId};
use crate::bundle::manifest::OverrideDeclaration;
use crate::record::ToolOverride;
use crate::store::Commit;

/// The overrides in effect, by the tool's id within the toolset. The user's win field by field; a configuration belongs to its
/// renderer and does not outlive it. An override that sets nothing is none.
#[must_use]
pub fn overrides_in_effect(
    toolset: &ToolsetId,
    declared: &[OverrideDeclaration],
    users: &[ToolOverride],
) -> BTreeMap<String, ToolOverride> {
    let mut effective: BTreeMap<String, ToolOverride> =
        declared.iter().map(|one| (one.tool_id.clone(), row_of(toolset, one))).collect();
    for user in users {
        let merged = match effective.remove(&user.tool_id) {
            None => user.clone(),
            Some(declared) => merge(declared, user),
        };
        effective.insert(user.tool_id.clone(), merged);
    }
    effective.retain(|_, one| !is_empty(one));
    effective
}

/// Moves the switch of one tool; what else the user has changed about it stays (R116).
#[must_use]
pub fn set_tool_enabled(installed: &InstalledToolset, tool: &str, enabled: bool) -> Commit {
    match installed.user_overrides.iter().find(|one| one.tool_id == tool) {
        Some(before) => Commit::default().change(before, &ToolOverride { enabled: Some(enabled), ..before.clone() }),
        None => {
            let unset = ToolOverride::unset(installed.toolset.id.clone(), tool.to_owned());
            Commit::default().put(&ToolOverride { enabled: Some(enabled), ..unset })
        }
    }
}

fn row_of(toolset: &ToolsetId, declared: &OverrideDeclaration) -> ToolOverride {
    let one = declared.clone();
    ToolOverride {
        toolset_id: toolset.clone(),
        tool_id: one.tool_id,
        renderer: one.renderer,
        renderer_config: one.renderer_config,
        name_override: one.name_override,
        description_override: one.description_override,
        requires_confirmation: one.requires_confirmation,
        enabled: one.enabled,
    }
}

fn merge(declared: ToolOverride, user: &ToolOverride) -> ToolOverride {
    let same_renderer = user.renderer.is_none() || user.renderer == declared.renderer;
    let kept_config = declared.renderer_config.filter(|_| same_renderer);
    let user = user.clone();
    ToolOverride {
        toolset_id: user.toolset_id,
        tool_id: user.tool_id,
        renderer: user.renderer.or(declared.renderer),
        renderer_config: user.renderer_config.or(kept_config),
        name_override: user.name_override.or(declared.name_override),
        description_override: user.description_override.or(declared.description_override),
        requires_confirmation: user.requires_confirmation.or(declared.requires_confirmation),
        enabled: user.enabled.or(declared.enabled),
    }
}

fn is_empty(one: &ToolOverride) -> bool {
    let ToolOverride {
        toolset_id: _,
        tool_id: _,
        renderer,
        renderer_config,
        name_override,
        description_override,
        requires_confirmation,
        enabled,
    } = one;
    renderer.is_none()
        && renderer_config.is_none()
        && name_override.is_none()
        && description_override.is_none()
        && requires_confirmation.is_none()
        && enabled.is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::record::RendererKind;

    fn toolset() -> ToolsetId {
        ToolsetId::parse("mine").expect("is a name")
    }

    fn nothing(tool_id: &str) -> ToolOverride {
        ToolOverride::unset(toolset(), tool_id.into())
    }

    fn declared() -> OverrideDeclaration {
        OverrideDeclaration {
            tool_id: "show".into(),
            renderer: Some(RendererKind::Html),
            renderer_config: Some(json!({"artifact": "a.html"})),
            name_override: Some("Theirs".into()),
            description_override: None,
            requires_confirmation: Some(true),
            enabled: None,
        }
    }

    /// R011, R115: what the user leaves unset stays as declared.
    #[test]
    fn the_user_wins_field_by_field() {
        let user = ToolOverride { name_override: Some("Mine".into()), enabled: Some(false), ..nothing("show") };
        let found = overrides_in_effect(&toolset(), &[declared()], &[user]);
        let expected = ToolOverride {
            renderer: Some(RendererKind::Html),
            renderer_config: Some(json!({"artifact": "a.html"})),
            name_override: Some("Mine".into()),
            requires_confirmation: Some(true),
            enabled: Some(false),
            ..nothing("show")
        };
        assert_eq!(found, BTreeMap::from([("show".to_owned(), expected)]));
    }

    #[test]
    fn a_configuration_does_not_outlive_its_renderer() {
        let user = ToolOverride { renderer: Some(RendererKind::Code), ..nothing("show") };
        let found = overrides_in_effect(&toolset(), &[declared()], &[user]);
        assert_eq!((found["show"].renderer, &found["show"].renderer_config), (Some(RendererKind::Code), &None));
    }

    #[test]
    fn what_sets_nothing_is_no_override() {
        assert_eq!(overrides_in_effect(&toolset(), &[], &[nothing("show")]), BTreeMap::new());
    }
}

//! What a chat can choose from, and what each tool costs once it is chosen (R164, R312).
//!
//! The cost is that of the definition a model is sent, so that what is told before a message is sent is what is counted when it is.

use super::Offers;
use crate::catalog::{Described, EffectiveTool, SelectableToolset, Surroundings, ToolsetId, ToolsetList, Unavailable};
use crate::record::Tool;
use crate::saved::{Ceiling, Discovery};
use crate::store::{Store, StoreError};

/// Every toolset, those that cannot be used now among them: first what is
/// built in, then by name. What the saved toolset that is `equipped` does not allow cannot be used, and says so (R137).
pub async fn selectable(
    store: &impl Store,
    surroundings: &Surroundings,
    equipped: Option<&str>,
) -> Result<Vec<SelectableToolset>, StoreError> {
    let installed = ToolsetList::load(store).await?.toolsets;
    let described = Described::load(store).await?;
    let told = |tool: &Tool| described.input_schema(tool);
    let tokens = |tool: &EffectiveTool<'_>| Offers::in_effect(std::slice::from_ref(tool), &told).tokens();
    let built_in = ToolsetId::builtin();
    let mut toolsets: Vec<SelectableToolset> =
        installed.iter().map(|one| SelectableToolset::of(one, surroundings, &tokens)).collect();
    if let Some(name) = equipped {
        let ceiling = Ceiling::load(store, name, &Discovery::of_toolsets(&installed, surroundings)).await?;
        for tool in toolsets.iter_mut().flat_map(|toolset| &mut toolset.tools) {
            if !ceiling.allows(&tool.id) {
                tool.unavailable.get_or_insert_with(|| Unavailable::NotEquipped(name.to_owned()));
            }
        }
    }
    toolsets.sort_by_cached_key(|toolset| (toolset.id != built_in, toolset.name.to_lowercase(), toolset.id.clone()));
    Ok(toolsets)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::at_once::at_once;
    use crate::catalog::sample::{Device, MIXED, PYTHON};
    use crate::catalog::{Selection, described_key};
    use crate::record::KeptValue;
    use crate::store::Commit;

    /// R312: what is told before a message is sent is what is sent with it.
    #[test]
    fn a_selection_costs_what_is_sent() {
        let device = Device::with(MIXED);
        device.install(PYTHON);
        let selection = Selection::of_last(Some(
            r#"{"builtin": ["read_file", "edit_file"], "mixed": ["local"], "python-only": ["first", "second"]}"#,
        ));
        let surroundings = Surroundings::default();
        let told = || {
            let toolsets = at_once(selectable(&device.store, &surroundings, None)).expect("memory does not fail");
            let names: Vec<String> = toolsets.iter().map(|toolset| toolset.name.clone()).collect();
            assert_eq!(names, ["Built-in tools", "Exa Web Search", "Mixed", "Python only"]);
            selection.offered(&toolsets)
        };
        let sent = || {
            let toolsets = device.list().toolsets;
            let described = at_once(Described::load(&device.store)).expect("memory does not fail");
            let tools = selection.tools_in_effect(&toolsets, &surroundings);
            (tools.len(), Offers::in_effect(&tools, &|tool| described.input_schema(tool)).tokens())
        };
        let before = told();
        assert_eq!((before.tools, before.tokens), sent());

        // What a function has said about its arguments is sent too, and costs (C34).
        let first = device.find("python-only").expect("is installed").tools[1].clone();
        let key = described_key(first.package, first.entrypoint.as_deref().expect("is a Python tool"));
        let schema = json!({"type": "object", "properties": {"a_long_name_of_something": {"type": "string"}}});
        device.apply(Commit::default().put(&KeptValue { key, value: json!({"input_schema": schema}) }));
        let after = told();
        assert_eq!((after.tools, after.tokens), sent());
        assert!(after.tokens > before.tokens);
    }
}

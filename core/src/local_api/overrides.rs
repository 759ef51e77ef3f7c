//! `/local/toolsets/{id}/overrides/{tool}`: what the user has changed about a tool, in this toolset only (R112–R118).

use serde::Deserialize;
use serde_json::Value;

use super::call::Call;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use super::toolsets;
use crate::catalog::own_name;
use crate::record::{RendererKind, RowRef, ToolOverride};
use crate::render::RenderConfig;
use crate::store::{Commit, Store};

/// The body: every field that is left out, or null, leaves the tool as it is declared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OverrideBody {
    #[serde(default)]
    renderer: Option<RendererKind>,
    #[serde(default)]
    renderer_config: Option<Value>,
    #[serde(default)]
    name_override: Option<String>,
    #[serde(default)]
    description_override: Option<String>,
    #[serde(default)]
    requires_confirmation: Option<bool>,
    #[serde(default)]
    enabled: Option<bool>,
}

/// Characters that another name may have, and another description.
const MOST: (usize, usize) = (200, 20_000);

/// `PUT /local/toolsets/{id}/overrides/{tool}`. The tool is its name, or `{server}:{tool}` for one of an MCP server.
pub(super) async fn put<S: Store>(call: Call<'_, S>) -> Answer {
    let body: OverrideBody = call.json(r#"{"renderer": "code", "renderer_config": {"content": "$return"}}"#)?;
    let installed = toolsets::installed(&call).await?;
    // By a whole id too, perhaps one of old; it is kept as today (C09).
    let name = own_name(installed.toolset.id.as_str(), call.parameters.get("tool")).to_owned();
    if installed.toolset.is_built_in {
        let message = "built-in tools can only be switched on or off; duplicate them to change more";
        return Err(Refusal::new(Code::BuiltIn, message));
    }
    if !installed.all_tools().any(|tool| tool.tool_id.selection_name() == name) {
        let shown: String = name.chars().take(80).collect();
        return Err(Refusal::not_found(format!("the toolset {} has no tool {shown:?}", installed.toolset.id)));
    }
    let given = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let (title, description) = (given(body.name_override), given(body.description_override));
    for (text, most, field) in [(&title, MOST.0, "name_override"), (&description, MOST.1, "description_override")] {
        if text.as_ref().is_some_and(|text| text.chars().count() > most) {
            let message = format!("this has more than {most} characters");
            return Err(Refusal::new(Code::BadRequest, message).about(field));
        }
    }
    if let Some(renderer) = body.renderer {
        let config = body.renderer_config.clone().unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        RenderConfig::check_declared(renderer, &config)
            .map_err(|error| Refusal::new(Code::BadRequest, error).about("renderer_config"))?;
    }
    let after = ToolOverride {
        renderer: body.renderer,
        renderer_config: body.renderer_config.filter(|_| body.renderer.is_some()),
        name_override: title,
        description_override: description,
        requires_confirmation: body.requires_confirmation,
        enabled: body.enabled,
        ..ToolOverride::unset(installed.toolset.id.clone(), name.clone())
    };
    let commit = match installed.user_overrides.iter().find(|one| one.tool_id == name) {
        Some(before) => Commit::default().change(before, &after),
        None => Commit::default().put(&after),
    };
    call.apply(commit).await?;
    Ok(Response::json(200, &after))
}

/// `DELETE /local/toolsets/{id}/overrides/{tool}`: the tool is again as it is declared.
pub(super) async fn remove<S: Store>(call: Call<'_, S>) -> Answer {
    let installed = toolsets::installed(&call).await?;
    let name = own_name(installed.toolset.id.as_str(), call.parameters.get("tool"));
    if let Some(before) = installed.user_overrides.iter().find(|one| one.tool_id == name) {
        call.apply(Commit::default().delete(RowRef::of(before))).await?;
    }
    Ok(Response::no_content())
}

//! Tools: listing them, switching one, and calling one by hand.

use satchel_core::form::Checked;
use satchel_core::ids::ChatId;
use satchel_core::local_api::reading::{DiffRead, ToolItemRead, ToolMoreRead, ToolsRead};
use satchel_core::record::ToolCall;
use satchel_core::store;
use serde::Serialize;
use serde_json::{Value, json};

use super::local_api::{self, LocalApiError};
use super::selection;
use super::store::AppStore;
use crate::browser::random;
use crate::browser::raw_bytes::RawBytes;
use crate::browser::tab_news::{self, Topic};
use crate::core_worker::Job;

/// How many tools are asked for at once, the most that are given.
const PAGE: &str = "256";

/// A call by hand.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    /// The tool's whole id.
    pub(crate) tool_id: String,
    /// The toolset it belongs to.
    pub(crate) toolset: String,
    /// What it is called with.
    pub(crate) arguments: Value,
    /// The id by which it is found again, fresh.
    pub(crate) call_id: String,
    /// Where it is said; without a chat it is made in the scratch chat, and said nowhere.
    pub(crate) chat: Option<ChatId>,
}

impl Invocation {
    /// A call of a tool.
    pub(crate) fn of(tool: &ToolItemRead, arguments: Value, chat: Option<ChatId>) -> Self {
        let toolset = tool.toolset_id.clone().unwrap_or_else(|| "builtin".into());
        Self { tool_id: tool.tool_id.clone(), toolset, arguments, call_id: random::uuid_v7(), chat }
    }
}

/// Every tool of every provider, also those that are switched off.
pub(crate) async fn list(store: &AppStore) -> Result<Vec<ToolItemRead>, LocalApiError> {
    let mut tools = Vec::new();
    let mut query = format!("includeDisabled=true&pageSize={PAGE}");
    loop {
        let page: ToolsRead = local_api::get(store, "/local/tools", &query).await?.json()?;
        tools.extend(page.tools);
        match page.next_page_token {
            Some(token) => query = format!("includeDisabled=true&pageSize={PAGE}&pageToken={}", escaped(&token)),
            None => return Ok(tools),
        }
    }
}

/// The tools that fit what is typed, the best first, also those that are switched off; as many as a page has.
pub(crate) async fn search(store: &AppStore, typed: &str) -> Result<Vec<ToolItemRead>, LocalApiError> {
    let query = format!("q={}&includeDisabled=true&pageSize={PAGE}", escaped(typed));
    Ok(local_api::get(store, "/local/tools/search", &query).await?.json::<ToolsRead>()?.tools)
}

/// One tool, and what the list does not say of it.
pub(crate) async fn details(store: &AppStore, id: &str) -> Result<(ToolItemRead, ToolMoreRead), LocalApiError> {
    let answered = local_api::get(store, &format!("/local/tools/{}", escaped(id)), "").await?;
    Ok((answered.json()?, answered.json()?))
}

/// Moves the switch of one tool.
pub(crate) async fn enable(store: &AppStore, toolset: &str, tool_id: &str, enabled: bool) -> Result<(), LocalApiError> {
    let path = format!("/local/toolsets/{toolset}/tools/{}/enable", escaped(name_within(tool_id)));
    local_api::call(store, "POST", &path, &format!("{{\"enabled\":{enabled}}}")).await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

/// Whether arguments fit, without calling anything.
pub(crate) async fn check(store: &AppStore, schema: &Value, value: &Value) -> Result<Checked, LocalApiError> {
    let both = json!([schema, value]).to_string();
    local_api::run(store, Job::Fit, vec![RawBytes::from(both.as_bytes())], None).await?.json()
}

/// Calls a tool, asking the user where it asks. What came of it is in its row, also where that is an error.
pub(crate) async fn invoke(store: &AppStore, call: &Invocation) -> Result<(), LocalApiError> {
    let Invocation { tool_id, toolset, arguments, call_id, chat } = call;
    let mut body = json!({"tool_call_id": call_id, "params": arguments, "ask": true});
    if let Some(chat) = chat {
        body["chat_id"] = chat.as_str().into();
        body["as_message"] = true.into();
        // A chat that begins with the call begins with the tools that were last chosen (R173).
        body["enabledTools"] = json!(selection::last());
    }
    let path = format!("/local/toolsets/{toolset}/execute/{}", escaped(name_within(tool_id)));
    local_api::call_tool(store, &path, &body.to_string()).await.map(drop)
}

/// The row of a call that was made by hand.
pub(crate) async fn call_row(store: &AppStore, call_id: &str) -> Option<ToolCall> {
    let rows = store::list_where::<ToolCall>(store, "call_id", call_id).await.ok()?;
    rows.into_iter().flatten().next()
}

/// The files that a call has changed.
pub(crate) async fn changed_files(store: &AppStore, call: &ToolCall) -> Result<DiffRead, LocalApiError> {
    let (Some(before), Some(after)) = (&call.pre_manifest_id, &call.post_manifest_id) else {
        return Ok(DiffRead::default());
    };
    if before == after {
        return Ok(DiffRead::default());
    }
    local_api::get(store, &format!("/local/manifests/{before}/diff/{after}"), "").await?.json()
}

/// What a tool is called within its toolset: its name, or `{server}:{tool}` for one of an MCP server.
pub(crate) fn name_within(tool_id: &str) -> &str {
    match tool_id.strip_prefix("mcp:") {
        Some(rest) => rest.split_once('~').map_or(rest, |(_, name)| name),
        None => tool_id.rsplit(':').next().unwrap_or(tool_id),
    }
}

/// What the user has changed about a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Changed {
    /// Another renderer.
    pub(crate) renderer: Option<String>,
    /// What it is told.
    pub(crate) renderer_config: Option<Value>,
    /// Another name.
    pub(crate) name_override: Option<String>,
    /// Another description.
    pub(crate) description_override: Option<String>,
    /// Whether it asks.
    pub(crate) requires_confirmation: Option<bool>,
    /// Whether it is on.
    pub(crate) enabled: Option<bool>,
}

/// Changes something about a tool, in its toolset only; or takes back everything that was changed.
pub(crate) async fn change(
    store: &AppStore,
    toolset: &str,
    tool_id: &str,
    changed: Option<&Changed>,
) -> Result<(), LocalApiError> {
    let path = format!("/local/toolsets/{toolset}/overrides/{}", escaped(name_within(tool_id)));
    let (method, body) = match changed {
        Some(changed) => ("PUT", serde_json::to_string(changed).expect("texts are JSON")),
        None => ("DELETE", String::new()),
    };
    local_api::call(store, method, &path, &body).await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

/// Takes a tool for what it is now (C14).
pub(crate) async fn approve(store: &AppStore, tool_id: &str) -> Result<(), LocalApiError> {
    local_api::call(store, "POST", &format!("/local/tools/{}/approve", escaped(tool_id)), "").await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

/// A name as a segment of a path, or a value of a query.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' => {
                escaped.push(char::from(byte))
            }
            other => escaped.push_str(&format!("%{other:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// Two servers of a toolset may have tools of one name (C08).
    #[wasm_bindgen_test]
    fn a_tool_has_a_name_within_its_toolset() {
        let check = |id: &str, expected: &str| assert_eq!(name_within(id), expected);
        check("write_file", "write_file");
        check("mine:count", "count");
        check("mcp:mine~files:read", "files:read");
        check("mcp:mine~files:list:all", "files:list:all");
    }
}

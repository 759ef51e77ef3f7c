//! Saved toolsets, as the local API has them.

use satchel_core::local_api::reading::{AvailableRead, EquippedRead, ImportedRead, SavedListRead, SavedRead};
use serde_json::{Value, json};

use super::local_api::{self, LocalApiError};
use super::server;
use super::store::AppStore;
use crate::browser::files;
use crate::browser::server::ServerError;
use crate::browser::tab_news::{self, Topic};

const BASE: &str = "/local/saved-toolsets";

/// All of them, as they are for a chat or for the next one.
pub(crate) async fn list(store: &AppStore, chat: Option<&str>) -> Result<SavedListRead, LocalApiError> {
    let query = chat.map(|chat| format!("chat_id={chat}")).unwrap_or_default();
    local_api::get(store, BASE, &query).await?.json()
}

/// Every tool that can be chosen.
pub(crate) async fn available(store: &AppStore) -> Result<AvailableRead, LocalApiError> {
    local_api::get(store, &format!("{BASE}/available"), "").await?.json()
}

/// The tools that the server was told of for other programs, as it has them: the name of each, and who carries out its calls, a word.
pub(crate) async fn published(store: &AppStore) -> Result<Vec<(String, String)>, ServerError> {
    let answer = server::ask(store, "GET", "/api/v1/hub", None).await?;
    let state: Value = serde_json::from_str(&answer).map_err(|error| ServerError::NotAServer(error.to_string()))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tools = state["published"]["tools"].as_array().into_iter().flatten();
    Ok(tools.map(|tool| (text(&tool["id"]), text(&tool["provider"]["kind"]))).collect())
}

/// Builds one of tools that are named as [`available`] names them.
pub(crate) async fn build(
    store: &AppStore,
    name: &str,
    description: &str,
    tools: &[String],
) -> Result<EquippedRead, LocalApiError> {
    let tools: Vec<Value> = tools.iter().map(|name| json!({"namespacedName": name})).collect();
    let description = Some(description.trim()).filter(|text| !text.is_empty());
    let body = json!({"name": name, "description": description, "tools": tools});
    say(store, "POST", BASE, &body).await?.json()
}

/// Has one be as it is here, with more tools, which are named as [`available`] names them. Those that it has are named in whole, so that
/// what is away may stay.
pub(crate) async fn edit(store: &AppStore, toolset: &SavedRead, more: &[String]) -> Result<(), LocalApiError> {
    let SavedRead { name, description, version, tools, .. } = toolset;
    let own = tools.iter().map(|tool| json!({"namespacedName": tool.namespaced_name, "refId": tool.ref_id}));
    let tools: Vec<Value> = own.chain(more.iter().map(|name| json!({"namespacedName": name}))).collect();
    let body = json!({"description": description, "version": version, "tools": tools});
    say(store, "PUT", &format!("{BASE}/{name}"), &body).await.map(drop)
}

/// Equips one, for a chat or for the next one; what has to be said about it.
pub(crate) async fn equip(store: &AppStore, chat: Option<&str>, name: &str) -> Result<EquippedRead, LocalApiError> {
    say(store, "POST", &format!("{BASE}/equip"), &json!({"name": name, "chat_id": chat})).await?.json()
}

/// Takes the limit away.
pub(crate) async fn unequip(store: &AppStore, chat: Option<&str>) -> Result<(), LocalApiError> {
    say(store, "POST", &format!("{BASE}/unequip"), &json!({"chat_id": chat})).await.map(drop)
}

/// Allows references that fit only half, or forbids them again.
pub(crate) async fn allow_stale_refs(store: &AppStore, name: &str, allowed: bool) -> Result<(), LocalApiError> {
    let path = format!("{BASE}/{name}/allow-stale-refs");
    say(store, "POST", &path, &json!({"enabled": allowed})).await.map(drop)
}

/// Takes the tools of one for what they are now.
pub(crate) async fn renew(store: &AppStore, name: &str) -> Result<(), LocalApiError> {
    say(store, "POST", &format!("{BASE}/{name}/renew"), &json!({})).await.map(drop)
}

/// Notes something about a tool; nothing takes the note away.
pub(crate) async fn annotate(store: &AppStore, name: &str, tool: &str, note: &str) -> Result<(), LocalApiError> {
    let body = json!({"toolRef": {"namespacedName": tool}, "notes": [{"name": "note", "note": note}]});
    say(store, "POST", &format!("{BASE}/{name}/notes"), &body).await.map(drop)
}

/// Deletes one.
pub(crate) async fn delete(store: &AppStore, name: &str) -> Result<(), LocalApiError> {
    say(store, "DELETE", &format!("{BASE}/{name}"), &json!({})).await.map(drop)
}

/// Generates one of all that can be used.
pub(crate) async fn generate(store: &AppStore) -> Result<(), LocalApiError> {
    say(store, "POST", &format!("{BASE}/generate"), &json!({})).await.map(drop)
}

/// Takes in a file of hypertool's.
pub(crate) async fn import(store: &AppStore, text: &str) -> Result<ImportedRead, LocalApiError> {
    let imported = local_api::call(store, "POST", &format!("{BASE}/import"), text).await?.json();
    tab_news::tell(Topic::Toolsets);
    imported
}

/// Saves one, or all, as a file that hypertool reads.
pub(crate) async fn export(store: &AppStore, name: Option<&str>) -> Result<(), LocalApiError> {
    let query = name.map(|name| format!("name={name}")).unwrap_or_default();
    let answered = local_api::get(store, &format!("{BASE}/export"), &query).await?;
    files::download(&format!("{}.json", name.unwrap_or("toolsets")), answered.body());
    Ok(())
}

async fn say(store: &AppStore, method: &str, path: &str, body: &Value) -> Result<local_api::Answered, LocalApiError> {
    let answered = local_api::call(store, method, path, &body.to_string()).await?;
    // Which tools there are for a chat, and what is equipped in it.
    tab_news::tell(Topic::Toolsets);
    tab_news::tell(Topic::Chats);
    Ok(answered)
}

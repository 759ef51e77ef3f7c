//! MCP servers, as the local API has them: listing, reading a configuration, adding and switching.

use satchel_core::local_api::reading::{PastedRead, ServersRead};
use serde::Serialize;
use serde_json::Value;

use super::local_api::{self, LocalApiError};
use super::store::AppStore;
use crate::browser::tab_news::{self, Topic};

/// A server to be added, or to be changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct NewServer {
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// How it is reached.
    pub(crate) config: Value,
    /// Whether it is switched on.
    pub(crate) enabled: bool,
}

/// All of them.
pub(crate) async fn list(store: &AppStore) -> Result<ServersRead, LocalApiError> {
    local_api::get(store, "/local/servers", "").await?.json()
}

/// What a configuration says.
pub(crate) async fn read(store: &AppStore, text: &str) -> Result<PastedRead, LocalApiError> {
    local_api::call(store, "POST", "/local/servers/read", text).await?.json()
}

/// Adds a server, or changes one that was added so.
pub(crate) async fn add(store: &AppStore, new: &NewServer) -> Result<(), LocalApiError> {
    let body = serde_json::to_string(new).expect("texts are JSON");
    local_api::call(store, "POST", "/local/servers", &body).await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

/// Moves the switch of a server.
pub(crate) async fn enable(store: &AppStore, toolset: &str, id: &str, enabled: bool) -> Result<(), LocalApiError> {
    let path = format!("/local/toolsets/{toolset}/servers/{id}/enable");
    local_api::call(store, "POST", &path, &format!("{{\"enabled\":{enabled}}}")).await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

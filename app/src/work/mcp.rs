//! MCP servers: what the Satchel server has said of them last, and what can be asked of it.

use std::collections::BTreeMap;

use satchel_core::catalog::ServerStanding;
use satchel_core::mcp::PublishedElsewhere;
use satchel_core::protocol::{McpDefinition, McpLogin, McpOffer};
use serde::{Deserialize, Serialize};

use super::models::providers::read;
use super::positions;
use super::server::{self, ServerError};
use super::store::AppStore;
use crate::browser::core_worker::{self, Post};
use crate::browser::spawn::spawn;
use crate::browser::tab_news::{self, Topic};
use crate::core_worker::Job;

/// What the Satchel server has said last of the MCP servers it knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Standings {
    /// How each is doing, by its key.
    pub(crate) servers: BTreeMap<String, ServerStanding>,
    /// What its operator offers.
    #[serde(default)]
    pub(crate) offers: Vec<McpOffer>,
    /// What other browsers of the account have published, and this one has not.
    #[serde(default)]
    pub(crate) elsewhere: Vec<PublishedElsewhere>,
}

/// Where that is remembered, for those who cannot ask.
const STANDINGS: &str = "mcp_standings";

/// What was said last. What cannot be read is as if nothing had been said.
pub(crate) async fn standings(store: AppStore) -> Standings {
    positions::load(store, STANDINGS).await.ok().flatten().unwrap_or_default()
}

/// Remembers what is said now; whether that is news.
pub(crate) async fn remember(store: AppStore, said: &Standings) -> bool {
    if *said == standings(store.clone()).await {
        return false;
    }
    // What could not be remembered is said again at the next start.
    positions::save(store, STANDINGS, said).await.is_ok()
}

/// Has the tools' worker tell the server which MCP servers are wanted, and follow how they are doing.
pub(crate) fn follow() {
    spawn(async {
        // Nobody waits for it: what comes of it is told as news.
        if let Ok(running) = core_worker::start_job(Post::Tools, &Job::FollowServers, Vec::new(), None) {
            running.end().await.ok();
        }
    });
}

/// Calls back whenever something about MCP servers has changed, in whichever tab it was heard.
pub(crate) fn on_news(callback: impl Fn() + 'static) {
    tab_news::on(Topic::Servers, callback);
}

/// Has a server connected anew.
pub(crate) async fn reconnect(store: &AppStore, key: &str) -> Result<(), ServerError> {
    server::ask(store, "POST", &format!("/api/v1/mcp/servers/{key}/reconnect"), None).await.map(drop)
}

/// Publishes a server, whatever another browser has published in its place.
pub(crate) async fn publish(store: &AppStore, key: &str, definition: &McpDefinition) -> Result<(), ServerError> {
    let body = serde_json::to_string(definition).expect("texts are JSON");
    server::ask(store, "PUT", &format!("/api/v1/mcp/servers/{key}"), Some(&body)).await.map(drop)
}

/// Has a server forgotten that another browser has published.
pub(crate) async fn withdraw(store: &AppStore, key: &str) -> Result<(), ServerError> {
    server::ask(store, "DELETE", &format!("/api/v1/mcp/servers/{key}"), None).await.map(drop)
}

/// Begins a login; gives the address where the user signs in.
pub(crate) async fn login(store: &AppStore, key: &str) -> Result<String, ServerError> {
    let answer = server::ask(store, "POST", &format!("/api/v1/mcp/servers/{key}/login"), None).await?;
    read::<McpLogin>(&answer).map(|login| login.authorize_url)
}

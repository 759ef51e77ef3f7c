//! Toolsets: listing them, switching them, taking them out and putting them away. How they come in is in [`import`].

pub(crate) mod import;

use satchel_core::digest::BlobId;
use satchel_core::local_api::reading::{DetailsRead, MadeRead, ToolsetsRead};
use satchel_core::store::{Store as _, StoreError};

use super::local_api::{self, LocalApiError};
use super::store::AppStore;
use crate::browser::tab_news::{self, Topic};
use crate::browser::{digest, files};

/// How much of a file is shown.
const SHOWN_BYTES: usize = 512 << 10;

/// A file as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileText {
    /// All of it, or how it begins.
    Text {
        /// The text.
        text: String,
        /// Whether there is more of it.
        is_cut: bool,
    },
    /// It is not text.
    Binary,
    /// Its bytes are not stored.
    Missing,
    /// Its bytes are not those that were installed.
    Damaged,
}

/// What is installed.
pub(crate) async fn list(store: &AppStore) -> Result<ToolsetsRead, LocalApiError> {
    local_api::call(store, "GET", "/local/toolsets", "").await?.json()
}

/// All there is to know about one.
pub(crate) async fn details(store: &AppStore, id: &str) -> Result<DetailsRead, LocalApiError> {
    local_api::call(store, "GET", &format!("/local/toolsets/{id}"), "").await?.json()
}

/// Moves the master switch.
pub(crate) async fn enable(store: &AppStore, id: &str, enabled: bool) -> Result<(), LocalApiError> {
    change(store, "POST", &format!("/local/toolsets/{id}/enable"), &format!("{{\"enabled\":{enabled}}}")).await
}

/// Takes back that its tools may reach a host.
pub(crate) async fn withdraw_host(store: &AppStore, id: &str, host: &str) -> Result<(), LocalApiError> {
    // A host has no character that an address has to hide but the brackets and colons of IPv6, which a path may carry.
    change(store, "DELETE", &format!("/local/toolsets/{id}/hosts/{host}"), "").await
}

/// Has a tool ask again, wherever it was approved for longer than one call.
pub(crate) async fn forget_approvals(store: &AppStore, id: &str, tool_id: &str) -> Result<(), LocalApiError> {
    let tool = tool_id.rsplit(':').next().unwrap_or(tool_id);
    change(store, "DELETE", &format!("/local/toolsets/{id}/approvals/{tool}"), "").await
}

/// Makes a copy of what is built in, and says under which id.
pub(crate) async fn duplicate(store: &AppStore, id: &str) -> Result<String, LocalApiError> {
    let made: MadeRead =
        local_api::call(store, "POST", &format!("/local/toolsets/{id}/duplicate"), "").await?.json()?;
    tab_news::tell(Topic::Toolsets);
    Ok(made.toolset_id)
}

/// Settles what another device made of one while both were apart; `choice` is a word of the local API.
pub(crate) async fn settle_apart(store: &AppStore, id: &str, package: &str, choice: &str) -> Result<(), LocalApiError> {
    let body = format!("{{\"choice\":\"{choice}\"}}");
    change(store, "POST", &format!("/local/toolsets/{id}/apart/{package}"), &body).await
}

/// Uninstalls one, so that it can be brought back.
pub(crate) async fn uninstall(store: &AppStore, id: &str) -> Result<(), LocalApiError> {
    change(store, "DELETE", &format!("/local/toolsets/{id}"), "").await
}

/// Brings an uninstalled one back.
pub(crate) async fn restore(store: &AppStore, id: &str) -> Result<(), LocalApiError> {
    change(store, "POST", &format!("/local/toolsets/{id}/restore"), "").await
}

/// Saves one as a ZIP, where the browser keeps downloads.
pub(crate) async fn export(store: &AppStore, id: &str, version: &str) -> Result<(), LocalApiError> {
    let exported = local_api::call(store, "GET", &format!("/local/toolsets/{id}/export"), "").await?;
    files::download(&format!("{id}-v{version}.zip"), exported.body());
    Ok(())
}

/// What a file says.
pub(crate) async fn file(store: &AppStore, sha256: BlobId) -> Result<FileText, StoreError> {
    let Some(mut bytes) = store.blob(sha256).await? else { return Ok(FileText::Missing) };
    if digest::of(&bytes).await != sha256 {
        return Ok(FileText::Damaged);
    }
    let is_cut = bytes.len() > SHOWN_BYTES;
    bytes.truncate(SHOWN_BYTES);
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // The cut may have gone through a character.
        Err(error) if is_cut && error.utf8_error().valid_up_to() + 4 > SHOWN_BYTES => {
            String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned()
        }
        Err(_) => return Ok(FileText::Binary),
    };
    Ok(if text.contains('\0') { FileText::Binary } else { FileText::Text { text, is_cut } })
}

/// Calls back when another tab, or a script by the local API, has changed something.
pub(crate) fn on_news(callback: impl Fn() + 'static) {
    tab_news::on(Topic::Toolsets, callback);
}

async fn change(store: &AppStore, method: &str, path: &str, body: &str) -> Result<(), LocalApiError> {
    local_api::call(store, method, path, body).await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

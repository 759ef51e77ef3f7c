//! What the user has allowed a toolset: hosts it may reach, and tools that need not ask. By this way it is only ever taken back.

use std::collections::BTreeMap;

use serde::Serialize;

use super::call::Call;
use super::refusal::Refusal;
use super::response::Response;
use super::route::Answer;
use super::toolsets;
use crate::approval::{self, Remembered};
use crate::catalog::{InstalledToolset, ToolId};
use crate::network;
use crate::store::{Store, StoreError};

/// A host that the toolset names.
#[derive(Debug, Serialize)]
pub(super) struct HostBody {
    host: String,
    granted: bool,
}

/// A tool that was approved for longer than one call.
#[derive(Debug, Default, Serialize)]
pub(super) struct RememberedBody {
    tool_id: String,
    chats: u32,
    everywhere: bool,
    holds: bool,
}

/// The hosts that a toolset names, and those that an earlier version of it was granted.
pub(super) async fn hosts(store: &impl Store, installed: &InstalledToolset) -> Result<Vec<HostBody>, StoreError> {
    let granted = network::granted(store, &installed.toolset.id).await?;
    let declared = installed.manifest.iter().flat_map(|manifest| &manifest.hosts).map(|host| host.to_ascii_lowercase());
    let mut hosts: BTreeMap<String, bool> = declared.map(|host| (host, false)).collect();
    hosts.extend(granted.into_iter().map(|host| (host, true)));
    Ok(hosts.into_iter().map(|(host, granted)| HostBody { host, granted }).collect())
}

/// What is remembered of the tools of a toolset, a line a tool.
pub(super) async fn remembered(
    store: &impl Store,
    installed: &InstalledToolset,
) -> Result<Vec<RememberedBody>, StoreError> {
    let (known, _unreadable_rows_approve_nothing) = approval::remembered(store).await?;
    let mut tools: BTreeMap<String, RememberedBody> = BTreeMap::new();
    for Remembered { approval, holds } in known {
        let ToolId::Toolset(toolset, _) = &approval.tool_id else { continue };
        if *toolset != installed.toolset.id {
            continue;
        }
        let tool_id = approval.tool_id.to_string();
        let tool = tools.entry(tool_id.clone()).or_default();
        tool.tool_id = tool_id;
        tool.holds |= holds;
        match approval.chat_id {
            Some(_) => tool.chats += 1,
            None => tool.everywhere = true,
        }
    }
    Ok(tools.into_values().collect())
}

/// `DELETE /local/toolsets/{id}/hosts/{host}`
pub(super) async fn withdraw_host<S: Store>(call: Call<'_, S>) -> Answer {
    let installed = toolsets::installed(&call).await?;
    let host = call.parameters.get("host");
    let grants = network::grants(call.store, &installed.toolset.id).await?;
    if !grants.iter().any(|grant| grant.host == host) {
        return Err(Refusal::not_found(format!("{host:?} was not granted to {}", installed.toolset.id)));
    }
    call.apply(network::withdraw(&grants, host)).await?;
    Ok(Response::no_content())
}

/// `DELETE /local/toolsets/{id}/approvals/{tool}`
pub(super) async fn forget_approvals<S: Store>(call: Call<'_, S>) -> Answer {
    let installed = toolsets::installed(&call).await?;
    let name = format!("{}:{}", installed.toolset.id, call.parameters.get("tool"));
    let tool = ToolId::parse(&name).map_err(|error| Refusal::not_found(error.to_string()))?;
    call.apply(approval::withdraw_all(call.store, &tool).await?).await?;
    Ok(Response::no_content())
}

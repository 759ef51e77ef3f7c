//! How a tool compares with what it was when it was first used, and the way to take it for what it is now (C14).

use serde::Serialize;

use super::call::Call;
use super::refusal::Refusal;
use super::response::Response;
use super::route::Answer;
use super::tools;
use crate::approval::Definition;
use crate::catalog::ToolsetList;
use crate::digest::BlobId;
use crate::mcp::Change;
use crate::pins::{PinStanding, approve, changes_since};
use crate::record::{Pin, ToolsetFile};
use crate::store::{self, Store, StoreError};
use crate::time::Timestamp;

/// How a tool compares with its pin.
#[derive(Debug, Serialize)]
pub(super) struct PinBody {
    /// `new`, `same`, `changed` or `unreadable`.
    standing: &'static str,
    /// What has changed, place by place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<Change>,
    /// The name of the whole definition that it was pinned as.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition_hash: Option<BlobId>,
    /// When it was pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned_at: Option<Timestamp>,
}

impl PinBody {
    /// How a tool stands that is now this, given by a `package` or a `server`.
    pub(super) fn of(standing: &PinStanding, now: impl FnOnce() -> Definition, giver: &str) -> Self {
        let (standing, changes) = match standing {
            PinStanding::New => ("new", Vec::new()),
            PinStanding::Same => ("same", Vec::new()),
            PinStanding::Unreadable => ("unreadable", Vec::new()),
            PinStanding::Changed(pin) => ("changed", changes_since(pin, &now(), giver)),
        };
        Self { standing, changes, definition_hash: None, pinned_at: None }
    }

    /// With what it was pinned as, and when.
    pub(super) fn pinned(mut self, pin: Option<&Pin>) -> Self {
        self.definition_hash = pin.map(|pin| pin.definition_hash);
        self.pinned_at = pin.map(|pin| pin.pinned_at);
        self
    }

    /// With the files in which the package that it was pinned as differs from the one of now, as far as its files are still known: what a
    /// Python tool does is in them.
    pub(super) async fn with_files(
        mut self,
        store: &impl Store,
        pin: Option<&Pin>,
        files: &[ToolsetFile],
    ) -> Result<Self, StoreError> {
        let Some(pin) = pin.filter(|_| self.standing == "changed") else { return Ok(self) };
        let before = store::list_where::<ToolsetFile>(store, "package", &pin.identity).await?;
        let before: Vec<ToolsetFile> = before.into_iter().flatten().collect();
        if before.is_empty() {
            return Ok(self);
        }
        let find = |files: &[ToolsetFile], path: &str| {
            let found = files.iter().find(|file| file.path == path)?;
            Some(serde_json::Value::from(format!("{} bytes, sha256 {}", found.size, found.sha256)))
        };
        let mut paths: Vec<&str> = before.iter().chain(files).map(|file| file.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let (before, after) = (find(&before, path), find(files, path));
            if before != after {
                self.changes.push(Change { path: format!("file {path}"), before, after });
            }
        }
        Ok(self)
    }
}

/// `POST /local/tools/{tool_id}/approve`: takes a tool for what it is now.
pub(super) async fn approve_tool<S: Store>(call: Call<'_, S>) -> Answer {
    let legacy = tools::legacy_id(&call).await?.map(|id| id.to_string());
    let name = legacy.as_deref().unwrap_or_else(|| call.parameters.get("tool_id"));
    let toolsets = ToolsetList::load(call.store).await?.toolsets;
    let mut tools = toolsets.iter().flat_map(|installed| installed.tools_in_effect(call.world.surroundings));
    let Some(tool) = tools.find(|tool| tool.declared.tool_id.to_string() == name) else {
        let name: String = name.chars().take(200).collect();
        return Err(Refusal::not_found(format!("no installed toolset has a tool {name:?}")));
    };
    call.apply(approve(call.store, &tool, call.world.now).await?).await?;
    Ok(Response::no_content())
}

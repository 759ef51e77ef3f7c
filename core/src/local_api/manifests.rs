//! States of a chat's files: that of a message, and what differs between two (R236, R309).

use std::collections::BTreeMap;

use serde::Serialize;

use super::call::Call;
use super::chats;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use crate::digest::BlobId;
use crate::ids::ManifestId;
use crate::record::{Node, RowKey, WorkspaceManifest};
use crate::store::{self, Store};
use crate::workspace::{self, Trees, WorkspacePath};

/// Answer of `GET /local/chats/{id}/messages/{message_id}/manifest` (R014).
#[derive(Debug, Serialize)]
struct ManifestBody {
    #[serde(flatten)]
    row: WorkspaceManifest,
    files: BTreeMap<WorkspacePath, BlobId>,
}

/// `GET /local/chats/{id}/messages/{message_id}/manifest`; `root` stands for the place before the first message.
pub(super) async fn of_message<S: Store>(call: Call<'_, S>) -> Answer {
    let text = call.parameters.get("message_id").to_owned();
    let node = Node::try_from(text).map_err(|error| Refusal::new(Code::BadRequest, error).about("message_id"))?;
    let row = chats::look(&call, async |open| match open.tree.contains(&node) {
        true => open.manifest_at(call.store, &node).await.map(Some),
        false => Ok(None),
    });
    let row = row.await?.ok_or_else(|| Refusal::not_found(format!("this chat has no message {}", node.as_str())))?;
    let row = row.ok_or_else(|| Refusal::not_found("there were no files in this chat up to this message"))?;
    let files = workspace::read(call.store, &mut Trees::default(), |trees| workspace::flatten(trees, row.root)).await?;
    let files = files.into_iter().map(|(path, file)| (path, file.sha256)).collect();
    Ok(Response::json(200, &ManifestBody { row, files }))
}

/// `GET /local/manifests/{a}/diff/{b}`
pub(super) async fn diff<S: Store>(call: Call<'_, S>) -> Answer {
    let (before, after) = (manifest(&call, "a").await?, manifest(&call, "b").await?);
    let mut trees = Trees::default();
    let diff = workspace::read(call.store, &mut trees, |trees| workspace::diff(trees, before.root, after.root)).await?;
    Ok(Response::json(200, &diff))
}

async fn manifest<S: Store>(call: &Call<'_, S>, name: &str) -> Result<WorkspaceManifest, Refusal> {
    let id = call.id(name, ManifestId::parse)?;
    let found = store::get(call.store, RowKey::one(id.as_str())).await?;
    found.ok_or_else(|| Refusal::not_found(format!("there is no manifest {id}")).about(name))
}

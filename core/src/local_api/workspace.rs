//! `/local/chats/{id}/workspace`: the files of a chat, at the leaf that this device shows (R236).

use serde::Serialize;

use super::call::Call;
use super::chats;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use crate::digest::BlobId;
use crate::ids::ManifestId;
use crate::store::{Blob, Commit, Store};
use crate::workspace::{
    Changes, FileEntry, NewManifest, Place, Trees, WorkspacePath, edit, empty_root, find, flatten, read as read_trees,
    save_edit,
};

/// Answer of `GET /local/chats/{id}/workspace`.
#[derive(Debug, Serialize)]
struct WorkspaceBody {
    /// The state; null while the chat never had files.
    manifest_id: Option<ManifestId>,
    files: Vec<FileBody>,
}

/// A file of a workspace.
#[derive(Debug, Serialize)]
struct FileBody {
    path: WorkspacePath,
    sha256: BlobId,
    size: u64,
}

/// Answer of `PUT` and `DELETE`.
#[derive(Debug, Serialize)]
struct ChangedBody {
    manifest_id: Option<ManifestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<BlobId>,
}

/// `GET /local/chats/{id}/workspace`
pub(super) async fn list<S: Store>(call: Call<'_, S>) -> Answer {
    let manifest = chats::look(&call, async |open| open.manifest_at(call.store, &open.leaf).await).await?;
    let root = manifest.as_ref().map_or_else(empty_root, |manifest| manifest.root);
    let files = read_trees(call.store, &mut Trees::default(), |trees| flatten(trees, root)).await?;
    let file = |(path, FileEntry { sha256, size })| FileBody { path, sha256, size };
    let body = WorkspaceBody {
        manifest_id: manifest.map(|manifest| manifest.id),
        files: files.into_iter().map(file).collect(),
    };
    Ok(Response::json(200, &body))
}

/// `GET /local/chats/{id}/workspace/files/{path}`
pub(super) async fn read<S: Store>(call: Call<'_, S>) -> Answer {
    let path = path(&call)?;
    let place = place(&call).await?;
    let file = file_at(&call, &place, &path).await?;
    let bytes = call.store.blob(file.sha256).await?.filter(|bytes| BlobId::of(bytes) == file.sha256);
    let damaged = || {
        let message =
            format!("the bytes of {:?} are damaged or not stored; run the storage check in Settings", path.as_str());
        Refusal::new(Code::Damaged, message).about(path.as_str())
    };
    Ok(Response::download(None, bytes.ok_or_else(damaged)?))
}

/// `PUT /local/chats/{id}/workspace/files/{path}`
pub(super) async fn write<S: Store>(mut call: Call<'_, S>) -> Answer {
    let path = path(&call)?;
    if path.is_left_out() {
        let message = format!("{:?} is a by-product of Python, which no workspace keeps", path.as_str());
        return Err(Refusal::new(Code::BadRequest, message).about("path"));
    }
    let place = place(&call).await?;
    let content = Blob::new(std::mem::take(&mut call.body));
    let file = FileEntry { sha256: content.id(), size: content.bytes().len() as u64 };
    let changes = Changes::default().put(path, file);
    let manifest_id = change(&call, &place, &changes, vec![content]).await?;
    Ok(Response::json(200, &ChangedBody { manifest_id, sha256: Some(file.sha256) }))
}

/// `DELETE /local/chats/{id}/workspace/files/{path}`
pub(super) async fn remove<S: Store>(call: Call<'_, S>) -> Answer {
    let path = path(&call)?;
    let place = place(&call).await?;
    file_at(&call, &place, &path).await?;
    let manifest_id = change(&call, &place, &Changes::default().delete(path), Vec::new()).await?;
    Ok(Response::json(200, &ChangedBody { manifest_id, sha256: None }))
}

/// Makes an `edit` manifest, and gives the id of the state there is now: where nothing changed, that of before (R036).
async fn change<S: Store>(
    call: &Call<'_, S>,
    place: &Place,
    changes: &Changes,
    contents: Vec<Blob>,
) -> Result<Option<ManifestId>, Refusal> {
    let root = root_of(place);
    let limits = call.world.limits.workspace;
    let snapshot = read_trees(call.store, &mut Trees::default(), |trees| edit(trees, root, changes, &limits)).await?;
    if snapshot.root == root && !contents.is_empty() {
        // Nothing changes by name, but what is stored under this name may be damaged: storing it again heals it.
        call.apply(Commit { blobs: contents, ..Commit::default() }).await?;
        return Ok(place.base.as_ref().map(|base| base.manifest.id.clone()));
    }
    let new = NewManifest { id: call.fresh(ManifestId::parse), created_at: call.world.now };
    match save_edit(place, None, snapshot, contents, new) {
        None => Ok(place.base.as_ref().map(|base| base.manifest.id.clone())),
        Some(made) => {
            call.apply(made.commit).await?;
            Ok(Some(made.manifest.id))
        }
    }
}

async fn place<S: Store>(call: &Call<'_, S>) -> Result<Place, Refusal> {
    chats::look(call, async |open| open.place_at(call.store, &open.leaf).await).await
}

async fn file_at<S: Store>(call: &Call<'_, S>, place: &Place, path: &WorkspacePath) -> Result<FileEntry, Refusal> {
    let root = root_of(place);
    let found = read_trees(call.store, &mut Trees::default(), |trees| find(trees, root, path)).await?;
    found.ok_or_else(|| {
        let message = format!("there is no file {:?} in this workspace", path.as_str());
        Refusal::not_found(message).about(path.as_str())
    })
}

fn root_of(place: &Place) -> BlobId {
    place.base.as_ref().map_or_else(empty_root, |base| base.manifest.root)
}

/// The path that the address names.
fn path<S: Store>(call: &Call<'_, S>) -> Result<WorkspacePath, Refusal> {
    Ok(WorkspacePath::parse(call.parameters.get("path"))?)
}

//! What is stored about a call before it is made, looked up at once: a store in a browser pays for every question.

use super::chat::Scene;
use super::{RunError, RunRequest, has_waited};
use crate::approval::approval_rows;
use crate::catalog::EffectiveTool;
use crate::ids::ManifestId;
use crate::record::{RowKey, RowRef, ToolCall, WorkspaceManifest};
use crate::store::{self, Lookup, Rows, Store};

/// What is stored.
pub(super) struct Noted {
    /// The calls that whoever asks has given the same id; none where it gave none.
    pub(super) same_id: Vec<ToolCall>,
    /// The row of the call itself, which says so far that the user is asked.
    pub(super) waited: Option<ToolCall>,
    /// The name of the state of the files that the call works on; none where the chat never had any.
    pub(super) head: Option<ManifestId>,
    /// That state, if it is stored.
    pub(super) manifest: Option<WorkspaceManifest>,
    /// What the user has said about the tool before: in all chats, and in this one.
    pub(super) approvals: [Rows; 2],
}

impl Noted {
    pub(super) async fn of(
        store: &impl Store,
        request: &RunRequest,
        call: &ToolCall,
        tool: &EffectiveTool<'_>,
        scene: &Scene,
    ) -> Result<Self, RunError> {
        let own = RowRef::of(call);
        let head = scene.open.heads.manifest_at(&scene.open.tree, &scene.open.leaf);
        let manifest = head.map(|id| RowRef::to::<WorkspaceManifest>(RowKey::one(id.as_str())));
        let [always, here] = approval_rows(&tool.declared.tool_id, scene.chat_id());
        // Where there is nothing to ask for, the call's own row is asked for twice.
        let same_id = request.call_id.as_deref().map(|id| Lookup::records_where::<ToolCall>("call_id", id));
        let [calls, waited, found, always, here] = store
            .look_up([
                same_id.unwrap_or(Lookup::Row(&own)),
                Lookup::Row(&own),
                Lookup::Row(manifest.as_ref().unwrap_or(&own)),
                Lookup::Row(&always),
                Lookup::Row(&here),
            ])
            .await?;
        let manifest = head.and_then(|_| store::record_of(found).ok().flatten());
        let same_id = match &request.call_id {
            None => Vec::new(),
            Some(_) => store::records_of(calls).into_iter().flatten().collect(),
        };
        let waited = store::record_of::<ToolCall>(waited)?.filter(|row| has_waited(row, call));
        Ok(Self { same_id, waited, head: head.cloned(), manifest, approvals: [always, here] })
    }
}

//! Several states of one node's files, as devices leave them that changed the same files apart (C25). All are kept until the user
//! takes one.

use satchel_core::ids::ManifestId;
use satchel_core::record::{NodeHead, RowRef, WorkspaceManifest};
use satchel_core::store::{Commit, Store as _, StoreError};
use satchel_core::workspace::{self, WorkspacePath, diff};

use super::{AppStore, FilesError, OpenChat, Rows, reading, rows};
use crate::browser::clock;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::ChatTurn;

/// One of several states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rival {
    /// The state.
    pub(crate) manifest: WorkspaceManifest,
    /// The files in which it differs from the one that is shown.
    pub(crate) differs: Vec<WorkspacePath>,
}

/// The states of the node that is looked at, the one that is shown first; none where there is nothing to choose.
pub(super) async fn rivals(store: &AppStore, rows: &Rows, open: &OpenChat) -> Result<Vec<Rival>, FilesError> {
    let own = rows.heads.own(&open.leaf);
    if own.len() < 2 {
        return Ok(Vec::new());
    }
    let shown = rows.root_at(open, &open.leaf)?;
    let mut rivals = Vec::with_capacity(own.len());
    for id in own.iter().rev() {
        let manifest = rows.manifests.get(id).ok_or(FilesError::LostState)?.clone();
        let difference = reading(store, |trees| diff(trees, shown, manifest.root)).await?;
        let differs = difference.added.into_keys().chain(difference.changed.into_keys());
        let mut differs: Vec<WorkspacePath> = differs.chain(difference.deleted.into_keys()).collect();
        differs.sort();
        rivals.push(Rival { manifest, differs });
    }
    Ok(rivals)
}

/// Takes one of several states; gives the heads of the others, which bring them back.
pub(crate) async fn choose(
    store: &AppStore,
    open: &OpenChat,
    chosen: &ManifestId,
) -> Result<Vec<NodeHead>, FilesError> {
    let _turn = ChatTurn::wait(open.chat.id.as_str()).await;
    let mut heads = Vec::new();
    for head in rows(store, open).await?.heads.rows(&open.chat.id) {
        if head.message_id == open.leaf {
            let stored = store.row(&RowRef::of(&head)).await?;
            heads.push((head, stored.and_then(|row| row.stamp().cloned())));
        }
    }
    let commit = workspace::choose(chosen, &heads).ok_or(FilesError::LostState)?;
    apply(store, commit).await?;
    Ok(heads.into_iter().map(|(head, _)| head).filter(|head| head.manifest_id != *chosen).collect())
}

/// Brings heads back that were let go of.
pub(crate) async fn put_back(store: &AppStore, heads: &[NodeHead]) -> Result<(), StoreError> {
    apply(store, heads.iter().fold(Commit::default(), |commit, head| commit.put(head))).await
}

async fn apply(store: &AppStore, commit: Commit) -> Result<(), StoreError> {
    store.apply(commit, clock::now()).await?;
    tab_news::tell(Topic::Chats);
    Ok(())
}

//! Looking back: what a file was, and what differs between two nodes.

use satchel_core::digest::BlobId;
use satchel_core::record::Node;
use satchel_core::time::Timestamp;
use satchel_core::workspace::{self, Diff, Version, WorkspacePath, lineage};

use super::{AppStore, FilesError, OpenChat, reading, rows};

/// A node at which the files are others than before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// The node.
    pub(crate) node: Node,
    /// Its files.
    pub(crate) root: BlobId,
    /// When they came to be so; none for the beginning.
    pub(crate) at: Option<Timestamp>,
}

/// What a file was in the states that led to what is looked at, newest first.
pub(crate) async fn versions(
    store: &AppStore,
    open: &OpenChat,
    path: &WorkspacePath,
) -> Result<Vec<Version>, FilesError> {
    let rows = rows(store, open).await?;
    let Some(state) = rows.state_at(open, &open.leaf)? else { return Ok(Vec::new()) };
    let lineage = lineage(&rows.manifests, &state.id);
    reading(store, |trees| workspace::versions(trees, &lineage, path)).await
}

/// The nodes worth comparing, oldest first: the beginning, those at which files changed, and the one that is looked at. A chat
/// may have thousands of messages, and between two of these there is nothing to see.
pub(crate) async fn points(store: &AppStore, open: &OpenChat) -> Result<Vec<Point>, FilesError> {
    let rows = rows(store, open).await?;
    let mut points = Vec::new();
    let nodes = open.tree.messages().map(|message| Node::Message(message.id.clone()));
    for node in std::iter::once(Node::Root).chain(nodes) {
        // A broken state is one node less to compare with, and shown where it is looked at.
        let Ok(state) = rows.state_at(open, &node) else { continue };
        let root = rows.root_at(open, &node)?;
        let before = match &node {
            Node::Root => None,
            Node::Message(id) => rows.root_at(open, open.tree.parent(id).unwrap_or(&Node::Root)).ok(),
        };
        if before != Some(root) || node == open.leaf {
            points.push(Point { at: state.map(|state| state.created_at), node, root });
        }
    }
    Ok(points)
}

/// What differs between the files of two points.
pub(crate) async fn compare(store: &AppStore, before: BlobId, after: BlobId) -> Result<Diff, FilesError> {
    reading(store, |trees| workspace::diff(trees, before, after)).await
}

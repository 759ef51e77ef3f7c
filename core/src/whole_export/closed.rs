//! Whether the rows of an export have everything that they name, and are what they claim to be.

use std::collections::{BTreeMap, BTreeSet};

use super::gather::text_of;
use super::layout::toolset_path;
use super::line::Line;
use super::pack::records;
use super::{Lack, Refusal};
use crate::bundle::package_id;
use crate::digest::BlobId;
use crate::record::{Package, RowRef, Table, Toolset, ToolsetFile, WorkspaceManifest};
use crate::store::{Blob, StoredRow};
use crate::workspace::{FileEntry, Files, Rows, Trees, WorkspaceLimits, WorkspacePath, blobs_of, build};

/// The trees of states are made anew, and what is in an export was allowed where it was made.
const ANY_SIZE: WorkspaceLimits = WorkspaceLimits { file_bytes: u64::MAX, workspace_bytes: u64::MAX, files: u64::MAX };

/// The bytes that are at hand: the export's own, and those that it says were gone.
pub(super) struct AtHand<'a> {
    pub(super) blobs: &'a BTreeMap<BlobId, u64>,
    pub(super) lacks: BTreeMap<BlobId, Option<u64>>,
}

impl<'a> AtHand<'a> {
    pub(super) fn new(blobs: &'a BTreeMap<BlobId, u64>, lacks: &[Lack]) -> Self {
        Self { blobs, lacks: lacks.iter().map(|lack| (lack.sha256, lack.size)).collect() }
    }

    fn size(&self, id: BlobId) -> Option<u64> {
        self.blobs.get(&id).copied().or_else(|| self.lacks.get(&id).copied().flatten())
    }

    fn has(&self, id: BlobId) -> bool {
        self.blobs.contains_key(&id) || self.lacks.contains_key(&id)
    }
}

/// The rows of an export, closed: nothing that they name is missing. With the trees of their states.
pub(super) fn close(
    lines: Vec<(Table, Line)>,
    at_hand: &AtHand<'_>,
) -> Result<(Rows, BTreeMap<BlobId, Blob>), Refusal> {
    let mut rows = Rows::new();
    let mut trees = BTreeMap::new();
    for (table, line) in lines {
        let row = RowRef { table, key: line.key };
        if table == Table::WorkspaceManifests {
            rebuild(&row, &line.stored, line.files, at_hand, &mut trees)?;
        }
        rows.insert(row, line.stored);
    }
    for (row, stored) in &rows {
        check_names(row, stored, &rows)?;
        if row.table != Table::WorkspaceManifests
            && let Ok(named) = blobs_of(&Trees::default(), row, stored)
            && let Some(id) = named.needed.iter().find(|id| !at_hand.has(**id))
        {
            return Err(Refusal::Lacks { row: row.clone(), names: format!("the file {id}") });
        }
    }
    check_packages(&rows)?;
    Ok((rows, trees))
}

/// Makes the trees of a state from its files, and sees that they are the state that it claims to be.
fn rebuild(
    row: &RowRef,
    stored: &StoredRow,
    files: Option<BTreeMap<String, BlobId>>,
    at_hand: &AtHand<'_>,
    trees: &mut BTreeMap<BlobId, Blob>,
) -> Result<(), Refusal> {
    let manifest: WorkspaceManifest = stored.clone().record(row).map_err(|error| Refusal::WrongState {
        row: row.clone(),
        claimed: BlobId::of(b""),
        found: error.to_string(),
    })?;
    let wrong = |found: String| Refusal::WrongState { row: row.clone(), claimed: manifest.root, found };
    let Some(files) = files else {
        let is_known = at_hand.lacks.contains_key(&manifest.root);
        return if is_known { Ok(()) } else { Err(wrong("not in the export".into())) };
    };
    let mut workspace = Files::new();
    for (path, sha256) in files {
        let parsed = WorkspacePath::parse(path.clone()).map_err(|error| wrong(error.to_string()))?;
        let size = at_hand.size(sha256);
        let size = size.ok_or_else(|| Refusal::Lacks { row: row.clone(), names: format!("{path:?}, {sha256}") })?;
        workspace.insert(parsed, FileEntry { sha256, size });
    }
    let built = build(&workspace, &ANY_SIZE).map_err(|error| wrong(error.to_string()))?;
    if built.root != manifest.root {
        return Err(wrong(built.root.to_string()));
    }
    trees.extend(built.trees.into_iter().map(|blob| (blob.id(), blob)));
    Ok(())
}

/// Whether the rows that a row cannot do without are there.
fn check_names(row: &RowRef, stored: &StoredRow, rows: &Rows) -> Result<(), Refusal> {
    let needs: &[(&str, Table)] = match row.table {
        Table::Messages | Table::ToolCalls | Table::WorkspaceManifests => &[("chat_id", Table::Chats)],
        Table::NodeHeads => &[("chat_id", Table::Chats), ("manifest_id", Table::WorkspaceManifests)],
        Table::Toolsets | Table::ToolsetFiles | Table::Tools | Table::ToolRenderConfigs => {
            &[("package", Table::Packages)]
        }
        _ => &[],
    };
    for (field, table) in needs {
        let key = crate::record::RowKey::one(text_of(stored, field).unwrap_or_default());
        let names = RowRef { table: *table, key };
        if !rows.contains_key(&names) {
            return Err(Refusal::Lacks { row: row.clone(), names: names.to_string() });
        }
    }
    if row.table == Table::ToolsetMcpServers && stored.fields.get("enabled") != Some(&false.into()) {
        let (path, reason) =
            (super::layout::rows_path(row.table), format!("{row} is switched on, and no export has such"));
        return Err(Refusal::Row { path, line: 1, reason });
    }
    Ok(())
}

/// Whether packages are what their names say: nobody's tools come under the name of others.
fn check_packages(rows: &Rows) -> Result<(), Refusal> {
    let files: Vec<ToolsetFile> = records(rows);
    for package in records::<Package>(rows) {
        let of_package = files.iter().filter(|file| file.package == package.package);
        let found = package_id(&package.manifest, of_package.map(|file| (file.path.as_str(), file.sha256)));
        if found != package.package {
            return Err(Refusal::WrongPackage { row: RowRef::of(&package), found: found.to_string() });
        }
    }
    Ok(())
}

/// Where the bundles of the toolsets among the rows are.
pub(super) fn bundle_paths(rows: &Rows) -> BTreeSet<String> {
    let toolsets = records::<Toolset>(rows);
    toolsets.iter().map(|toolset| toolset_path(toolset.id.as_str(), &toolset.version)).collect()
}

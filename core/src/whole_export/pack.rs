//! Makes an export.
//!
//! The bytes of files are read twice, one file at a time: `CHECKSUMS` is the first entry, and what is damaged has to be known before it
//! can be written. So neither the export nor its files are ever in memory whole.

use std::collections::{BTreeMap, BTreeSet};

use super::gather::{Extent, Gathered, gather};
use super::layout::{self, CHECKSUMS_FILE, FORMAT, blob_path, rows_path, toolset_path};
use super::line::Line;
use super::{ABOUT_FILE, About, Lack, PackError};
use crate::bundle::archive::Writer;
use crate::bundle::{self, ExportSource};
use crate::digest::BlobId;
use crate::record::{Package, Record, RowRef, Table, ToolOverride, Toolset, ToolsetFile, ToolsetMcpServer};
use crate::store::{Store, StoredRow};
use crate::time::Timestamp;
use crate::workspace::{Files, Rows, Trees, blobs_of, flatten, read};

/// How far an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// How often a file was read.
    pub done: u64,
    /// Of how many times.
    pub of: u64,
}

/// What an export came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// What it says of itself.
    pub about: About,
    /// How many chats it has.
    pub chats: usize,
    /// How many toolsets.
    pub toolsets: usize,
    /// How many files, of chats and of toolsets.
    pub files: usize,
    /// Rows that cannot be read, and are not in it.
    pub left_out: Vec<RowRef>,
}

/// Makes an export. `sink` is given the archive piece by piece. `go_on` is told how far it is, and nothing comes of the export once it
/// says no.
pub async fn pack(
    store: &impl Store,
    extent: &Extent,
    app_version: &str,
    sink: &mut dyn FnMut(Vec<u8>),
    go_on: &dyn Fn(Packing) -> bool,
) -> Result<Option<Packed>, PackError> {
    let Gathered { rows, left_out } = gather(store, extent).await?;
    let mut named = Named::of(store, &rows).await?;
    let of = 2 * named.sizes.len() as u64;
    let mut blobs = BTreeSet::new();
    for (done, (id, size)) in std::mem::take(&mut named.sizes).into_iter().enumerate() {
        if !go_on(Packing { done: done as u64, of }) {
            return Ok(None);
        }
        match store.blob(id).await?.filter(|bytes| BlobId::of(bytes) == id) {
            Some(_sound) => {
                blobs.insert(id);
            }
            // What reads like a name in somebody's words need be none.
            None if named.needed.contains(&id) => named.lacks.push(Lack { sha256: id, size }),
            None => {}
        }
    }
    named.lacks.sort_by_key(|lack| lack.sha256);

    let created =
        rows.values().filter_map(StoredRow::stamp).max().map_or_else(Timestamp::default, |stamp| stamp.wall());
    let kind = extent.kind();
    let about = About { format: FORMAT, kind, created, app_version: app_version.into(), lacks: named.lacks };
    let count = |table: Table| rows.keys().filter(|row| row.table == table).count();
    let (chats, toolsets) = (count(Table::Chats), count(Table::Toolsets));

    let mut texts = toolset_bundles(store, &rows).await?;
    texts.insert(ABOUT_FILE.into(), about.write());
    texts.extend(row_texts(rows, named.states));
    let mut sums: BTreeMap<String, BlobId> =
        texts.iter().map(|(path, text)| (path.clone(), BlobId::of(text))).collect();
    sums.extend(blobs.iter().map(|id| (blob_path(*id), *id)));
    texts.insert(CHECKSUMS_FILE.into(), layout::write_checksums(&sums).into_bytes());

    let mut archive = Writer::new();
    let mut paths: BTreeMap<String, Option<BlobId>> = texts.keys().map(|path| (path.clone(), None)).collect();
    paths.extend(blobs.iter().map(|id| (blob_path(*id), Some(*id))));
    let mut done = of / 2;
    for (path, blob) in paths {
        match blob {
            None => archive.add(&path, &texts.remove(&path).unwrap_or_default()),
            Some(id) => {
                if !go_on(Packing { done, of }) {
                    return Ok(None);
                }
                done += 1;
                let sound = store.blob(id).await?.filter(|bytes| BlobId::of(bytes) == id);
                archive.add(&path, &sound.ok_or(PackError::Changed(id))?);
            }
        }
        sink(archive.written());
    }
    sink(archive.finish());
    go_on(Packing { done: of, of });
    Ok(Some(Packed { about, chats, toolsets, files: blobs.len(), left_out }))
}

/// What rows name.
#[derive(Default)]
struct Named {
    /// The files of each state that can be read.
    states: BTreeMap<BlobId, Files>,
    /// Every blob, and how large it should be, where that is known.
    sizes: BTreeMap<BlobId, Option<u64>>,
    /// Those of them without which a row is broken.
    needed: BTreeSet<BlobId>,
    lacks: Vec<Lack>,
}

impl Named {
    async fn of(store: &impl Store, rows: &Rows) -> Result<Self, PackError> {
        let mut named = Self::default();
        let mut trees = Trees::default();
        for (row, stored) in rows {
            if let Some(root) = root_of(row, stored) {
                named.add_state(store, &mut trees, root).await?;
                continue;
            }
            // No other row names trees, so none has to be loaded.
            let Ok(blobs) = blobs_of(&Trees::default(), row, stored) else { continue };
            for id in blobs.all() {
                named.sizes.entry(id).or_default();
            }
            named.needed.extend(blobs.needed);
        }
        Ok(named)
    }

    async fn add_state(&mut self, store: &impl Store, trees: &mut Trees, root: BlobId) -> Result<(), PackError> {
        if self.states.contains_key(&root) || self.lacks.iter().any(|lack| lack.sha256 == root) {
            return Ok(());
        }
        match read(store, trees, |trees| flatten(trees, root)).await {
            Ok(files) => {
                for file in files.values() {
                    self.sizes.insert(file.sha256, Some(file.size));
                    self.needed.insert(file.sha256);
                }
                self.states.insert(root, files);
            }
            Err(error) => match PackError::of_read(error) {
                Some(error) => return Err(error),
                None => self.lacks.push(Lack { sha256: root, size: None }),
            },
        }
        Ok(())
    }
}

fn root_of(row: &RowRef, stored: &StoredRow) -> Option<BlobId> {
    let root = stored.fields.get("root").filter(|_| row.table == Table::WorkspaceManifests)?;
    BlobId::parse(root.as_str()?).ok()
}

/// The rows as texts, one for each table that has any.
fn row_texts(rows: Rows, states: BTreeMap<BlobId, Files>) -> BTreeMap<String, Vec<u8>> {
    let mut texts: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (row, stored) in rows {
        let files = root_of(&row, &stored).and_then(|root| states.get(&root));
        let files = files.map(|files| files.iter().map(|(path, file)| (path.to_string(), file.sha256)).collect());
        Line { key: row.key, stored, files }.write(texts.entry(rows_path(row.table)).or_default());
    }
    texts
}

/// The toolsets as bundles of their own, for whoever wants no more than a toolset. One that cannot be made is left out: its rows and files
/// are in the export all the same.
async fn toolset_bundles(store: &impl Store, rows: &Rows) -> Result<BTreeMap<String, Vec<u8>>, PackError> {
    let packages: Vec<Package> = records(rows);
    let (files, overrides, servers): (Vec<ToolsetFile>, Vec<ToolOverride>, Vec<ToolsetMcpServer>) =
        (records(rows), records(rows), records(rows));
    let (mut bundles, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for toolset in records::<Toolset>(rows) {
        let Some(package) = packages.iter().find(|package| package.package == toolset.package) else { continue };
        let mut contents = BTreeMap::new();
        let mut is_whole = true;
        for file in files.iter().filter(|file| file.package == toolset.package) {
            match store.blob(file.sha256).await?.filter(|bytes| BlobId::of(bytes) == file.sha256) {
                Some(bytes) => {
                    contents.insert(file.path.clone(), bytes);
                }
                None => is_whole = false,
            }
        }
        let overrides: Vec<ToolOverride> =
            overrides.iter().filter(|row| row.toolset_id == toolset.id).cloned().collect();
        let servers: Vec<ToolsetMcpServer> =
            servers.iter().filter(|row| row.toolset_id == toolset.id).cloned().collect();
        let source =
            ExportSource { toolset: &toolset, package, files: contents, overrides: &overrides, servers: &servers };
        let path = toolset_path(toolset.id.as_str(), &toolset.version);
        // Two names that differ only in case cannot be beside one another everywhere.
        if let Some(export) = is_whole.then(|| bundle::export(source).ok()).flatten()
            && taken.insert(path.to_lowercase())
        {
            bundles.insert(path, export.bytes);
        }
    }
    Ok(bundles)
}

/// The records of a table among the rows.
pub(super) fn records<R: Record>(rows: &Rows) -> Vec<R> {
    let of_table = rows.iter().filter(|(row, _)| row.table == R::TABLE);
    of_table.filter_map(|(row, stored)| stored.clone().record(row).ok()).collect()
}

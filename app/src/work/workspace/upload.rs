//! Bringing files in: read, named and stored portion by portion, then put into the workspace by one manifest.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join_all;
use satchel_core::digest::BlobId;
use satchel_core::record::Attachment;
use satchel_core::store::{Blob, Commit, Store as _};
use satchel_core::workspace::{Cause, Changes, ContentKind, FileEntry, WorkspaceLimits, WorkspacePath, free_path};

use super::change::{Changed, change, names_at};
use super::{AppStore, BrowserFile, FilesError, OpenChat};
use crate::browser::{clock, core_worker};
use crate::work::settings;

/// How much is in memory at a time.
const PORTION_BYTES: u64 = 16 << 20;
const PORTION_FILES: usize = 200;
/// Up to here the page hashes by itself: asking the worker takes longer.
const HASHED_HERE: u64 = 64 << 10;

/// What to do where a file of that path is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// Take its place; it can be taken back.
    Replace,
    /// Take another name: what is pasted is often called the same.
    FindFree,
}

/// Files to bring in.
pub(crate) struct Upload {
    /// The files.
    pub(crate) files: Vec<BrowserFile>,
    /// The folder they go to; none for the top.
    pub(crate) folder: Option<WorkspacePath>,
    /// What to do about names.
    pub(crate) naming: Naming,
}

/// What came of it.
pub(crate) struct Uploaded {
    /// The files that are there now.
    pub(crate) stored: Vec<Attachment>,
    /// Files that were left out, a reason each.
    pub(crate) refused: Vec<String>,
    /// How to take it back; none where nothing was done.
    pub(crate) changed: Option<Changed>,
}

/// Files that were read, and whose contents are stored or in memory.
pub(crate) struct Ready {
    entries: Vec<(WorkspacePath, FileEntry)>,
    /// The media types of those that are pictures for a model.
    pictures: BTreeMap<BlobId, &'static str>,
    /// What is not stored yet.
    contents: Vec<Blob>,
    refused: Vec<String>,
    naming: Naming,
}

impl Ready {
    /// Whether all files were left out.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What came of it if no workspace gets them.
    pub(crate) fn into_nothing(self) -> Uploaded {
        Uploaded { stored: Vec::new(), refused: self.refused, changed: None }
    }
}

/// Reads files. `go_on` is told how many were, and says whether to go on.
pub(crate) async fn bring(
    store: &AppStore,
    upload: Upload,
    go_on: impl Fn(usize) -> bool,
) -> Result<Ready, FilesError> {
    let Upload { files, folder, naming } = upload;
    let limits = settings::limits(store).await?.workspace();
    let (wanted, refused) = sorted_out(files, folder.as_ref(), limits);
    let mut entries: Vec<(WorkspacePath, FileEntry)> = Vec::with_capacity(wanted.len());
    let portions = portions(&wanted);
    let only_one = portions.len() == 1;
    let (mut contents, mut pictures) = (Vec::new(), BTreeMap::new());
    for portion in portions {
        if !go_on(entries.len()) {
            return Err(FilesError::Stopped);
        }
        let blobs = read(portion).await?;
        let named = portion.iter().zip(&blobs);
        entries.extend(
            named.map(|((path, _), blob)| {
                (path.clone(), FileEntry { sha256: blob.id(), size: blob.bytes().len() as u64 })
            }),
        );
        pictures.extend(portion.iter().zip(&blobs).filter_map(|((path, _), blob)| picture(path, blob)));
        if only_one {
            contents = blobs;
        } else {
            // Ahead of the manifest, which requires them: a clean-up in between is noticed by the last commit.
            store.apply(Commit { blobs, ..Commit::relaxed() }, clock::now()).await?;
        }
    }
    Ok(Ready { entries, pictures, contents, refused, naming })
}

/// Puts files that were read into the workspace of a chat.
pub(crate) async fn put(store: &AppStore, open: &OpenChat, ready: Ready) -> Result<Uploaded, FilesError> {
    let Ready { entries, pictures, contents, refused, naming } = ready;
    let mut stored = Vec::new();
    let changed = change(store, open, contents, &Cause::Upload, async |root| {
        let named = match naming {
            Naming::Replace => entries,
            Naming::FindFree => freely_named(store, root, entries).await?,
        };
        stored = named.iter().map(|(path, file)| attachment(path, *file, &pictures)).collect();
        Ok(all(named))
    })
    .await?;
    Ok(Uploaded { stored, refused, changed: Some(changed) })
}

fn attachment(path: &WorkspacePath, file: FileEntry, pictures: &BTreeMap<BlobId, &'static str>) -> Attachment {
    let media_type = pictures.get(&file.sha256).map(|&media_type| media_type.to_owned());
    Attachment { path: path.clone(), sha256: file.sha256, size: file.size, media_type }
}

/// The media type of a file that models take as a picture.
fn picture(path: &WorkspacePath, blob: &Blob) -> Option<(BlobId, &'static str)> {
    let ContentKind::Picture(media_type) = ContentKind::of(path, blob.bytes()) else { return None };
    Attachment::SEEN.contains(&media_type).then(|| (blob.id(), media_type))
}

fn all(entries: Vec<(WorkspacePath, FileEntry)>) -> Changes {
    entries.into_iter().fold(Changes::default(), |changes, (path, file)| changes.put(path, file))
}

/// The same files, with other names where something has theirs.
async fn freely_named(
    store: &AppStore,
    root: BlobId,
    mut entries: Vec<(WorkspacePath, FileEntry)>,
) -> Result<Vec<(WorkspacePath, FileEntry)>, FilesError> {
    // By folder: what is there, and what of this upload already is.
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, _) in &mut entries {
        let folder = path.as_str().strip_suffix(path.name()).unwrap_or_default().to_owned();
        let taken = match names.entry(folder) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(names_at(store, root, path).await?),
        };
        *path = free_path(taken, path)?;
        taken.insert(path.name().to_lowercase());
    }
    Ok(entries)
}

/// The files whose paths and sizes are fine, and why the others are not.
fn sorted_out(
    files: Vec<BrowserFile>,
    folder: Option<&WorkspacePath>,
    limits: WorkspaceLimits,
) -> (Vec<(WorkspacePath, BrowserFile)>, Vec<String>) {
    let (mut wanted, mut refused) = (Vec::new(), Vec::new());
    for file in files {
        let path = match folder {
            Some(folder) => format!("{folder}/{}", file.path),
            None => file.path.clone(),
        };
        let checked = WorkspacePath::parse(path).map_err(|error| error.to_string()).and_then(|path| {
            let size = FileEntry { sha256: BlobId::of(b""), size: file.size };
            limits.check_file(&path, size).map_err(|error| error.to_string())?;
            Ok(path)
        });
        match checked {
            Ok(path) => wanted.push((path, file)),
            Err(reason) => refused.push(reason),
        }
    }
    (wanted, refused)
}

/// Runs of files that are in memory together.
fn portions(files: &[(WorkspacePath, BrowserFile)]) -> Vec<&[(WorkspacePath, BrowserFile)]> {
    let (mut portions, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, (_, file)) in files.iter().enumerate() {
        if at > start && (bytes + file.size > PORTION_BYTES || at - start == PORTION_FILES) {
            portions.push(&files[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += file.size;
    }
    if start < files.len() {
        portions.push(&files[start..]);
    }
    portions
}

async fn read(portion: &[(WorkspacePath, BrowserFile)]) -> Result<Vec<Blob>, FilesError> {
    let contents = try_join_all(portion.iter().map(|(_, file)| file.bytes())).await?;
    if portion.iter().map(|(_, file)| file.size).sum::<u64>() <= HASHED_HERE {
        return Ok(contents.into_iter().map(Blob::new).collect());
    }
    let ids = core_worker::hash(&contents.iter().map(Vec::as_slice).collect::<Vec<_>>()).await?;
    Ok(ids.into_iter().zip(contents).map(|(id, bytes)| Blob::named(id, bytes)).collect())
}

//! Bundles: toolsets as files, in and out.
//!
//! In: bytes or a folder become [`Files`], the files a [`Bundle`] with its [`Manifest`] found right, the bundle an [`InstallPlan`]
//! that can be shown before anything happens, and the plan one [`Commit`](crate::store::Commit). Nothing is written on the way, so a
//! refusal at any step leaves nothing behind. Out: [`export`] makes the manifest anew from the rows, without secrets.

pub mod archive;
mod canonical;
mod export;
mod install;
mod limits;
pub mod manifest;
mod paths;
pub(crate) mod secrets;
#[cfg(test)]
mod tests;
mod trial;
mod yaml_writer;

pub use archive::ArchiveError;
pub use canonical::canonical_json;
pub(crate) use canonical::package_id;
pub use export::{Export, ExportSource, export};
pub use install::{
    BuiltInToolset, Contents, Decision, FileLine, InstallPlan, Installed, Origin, Outcome, ReplaceNeeded, ServerLine,
    ToolLine,
};
pub use limits::BundleLimits;
pub use manifest::{Manifest, ManifestError};
pub use paths::PathError;
pub use trial::{TRIAL_FILE, Trial, TrialError};

use std::collections::BTreeMap;

use serde_json::Value;

use crate::digest::BlobId;
use crate::record::{FileKind, PackageId};
use crate::whole_export::is_whole_export;

use secrets::{Border, Taken};

/// The file that makes files a bundle.
pub const MANIFEST_FILE: &str = "toolset.yaml";

const RAISE_SIZE: &str = "; raise \"size of a bundle\" in Settings";
const RAISE_FILES: &str = "; raise \"files of a bundle\" in Settings";

/// What the user can do where a limit was met that can be set (R324).
fn advice(error: &ArchiveError) -> &'static str {
    match error {
        ArchiveError::TooManyEntries { .. } => RAISE_FILES,
        ArchiveError::TooLarge { .. } => RAISE_SIZE,
        ArchiveError::Damaged(_)
        | ArchiveError::Path(_)
        | ArchiveError::Encrypted(_)
        | ArchiveError::Symlink(_)
        | ArchiveError::SpecialFile(_)
        | ArchiveError::Method { .. }
        | ArchiveError::Overlap(_)
        | ArchiveError::Ratio { .. }
        | ArchiveError::DamagedFile { .. } => "",
    }
}

/// Why something is no bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The archive is refused.
    #[error("{error}{advice}", error = .0, advice = advice(.0))]
    Archive(#[from] ArchiveError),
    /// A file of a folder has a path that is refused.
    #[error("the folder has {0}")]
    Path(PathError),
    /// A folder has too many files.
    #[error("the folder has {count} files, and the limit is {limit}{}", RAISE_FILES)]
    TooManyFiles {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A folder has too many bytes.
    #[error("the folder has more than {limit} bytes{}", RAISE_SIZE)]
    TooLarge {
        /// How many it may have.
        limit: u64,
    },
    /// It is something else of ours.
    #[error("this is a Satchel export, not a toolset; import it in Settings, under Storage")]
    WholeExport,
    /// There is no manifest.
    #[error("the bundle has no toolset.yaml at its top")]
    NoManifest,
    /// The manifest is refused.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<PathError> for BundleError {
    fn from(error: PathError) -> Self {
        Self::Path(error)
    }
}

impl BundleError {
    /// Where in the bundle the fault is: a file, and in the manifest the key behind a `#`. None where it is the whole.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        match self {
            Self::Archive(error) => error.path().map(str::to_owned),
            Self::Path(error) => Some(error.path().to_owned()),
            Self::TooManyFiles { .. } | Self::TooLarge { .. } | Self::WholeExport => None,
            Self::NoManifest => Some(MANIFEST_FILE.to_owned()),
            Self::Manifest(error) if error.place.key.is_empty() => Some(MANIFEST_FILE.to_owned()),
            Self::Manifest(error) => Some(format!("{MANIFEST_FILE}#{}", error.place.key)),
        }
    }
}

/// Files whose paths were checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// Their bytes.
    pub by_path: BTreeMap<String, Vec<u8>>,
    /// What was not taken in, because a system or a tool left it behind.
    pub left_out: Vec<String>,
}

/// A bundle that was found right as a whole.
#[derive(Clone, Debug)]
pub struct Bundle {
    manifest: Manifest,
    files: BTreeMap<String, BundleFile>,
    package: PackageId,
    warnings: Vec<String>,
}

/// A file and the name of its bytes.
#[derive(Clone, Debug)]
struct BundleFile {
    bytes: Vec<u8>,
    id: BlobId,
}

impl Bundle {
    /// Reads a bundle from bytes: a ZIP, or a bare manifest.
    pub fn open(bytes: &[u8], limits: &BundleLimits) -> Result<Self, BundleError> {
        Self::open_watched(bytes, limits, &mut |_, _| {})
    }

    /// The same, for somebody who waits: `on_progress` hears how many bytes were inflated, of how many.
    pub fn open_watched(
        bytes: &[u8],
        limits: &BundleLimits,
        on_progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, BundleError> {
        if is_whole_export(bytes) {
            Err(BundleError::WholeExport)
        } else if archive::is_archive(bytes) {
            Self::new(archive::read(bytes, limits, on_progress)?, limits)
        } else {
            let by_path = BTreeMap::from([(MANIFEST_FILE.to_owned(), bytes.to_vec())]);
            Self::new(Files { by_path, left_out: Vec::new() }, limits)
        }
    }

    /// A bundle that is nothing but a manifest which was made here. It is written and read as if it had come in.
    pub fn of_manifest(manifest: &Value, limits: &BundleLimits) -> Result<Self, BundleError> {
        Self::open(yaml_writer::to_yaml(manifest).as_bytes(), limits)
    }

    /// A bundle of such a manifest and files of before.
    pub fn with_manifest(
        manifest: &Value,
        mut files: BTreeMap<String, Vec<u8>>,
        limits: &BundleLimits,
    ) -> Result<Self, BundleError> {
        files.insert(MANIFEST_FILE.to_owned(), yaml_writer::to_yaml(manifest).into_bytes());
        Self::new(Files { by_path: files, left_out: Vec::new() }, limits)
    }

    /// Reads a bundle from the files of a folder.
    pub fn open_folder(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        limits: &BundleLimits,
    ) -> Result<Self, BundleError> {
        let mut checked = Files::default();
        let mut neighbours = paths::Neighbours::default();
        let (mut count, mut budget) = (0, limits.inflated_bytes);
        for (path, bytes) in files {
            paths::check(&path, limits)?;
            if paths::is_left_behind(&path) {
                checked.left_out.push(path);
                continue;
            }
            neighbours.add(&path)?;
            count += 1;
            if count > limits.entries {
                return Err(BundleError::TooManyFiles { count, limit: limits.entries });
            }
            budget = (budget.checked_sub(bytes.len() as u64))
                .ok_or(BundleError::TooLarge { limit: limits.inflated_bytes })?;
            checked.by_path.insert(path, bytes);
        }
        Self::new(checked, limits)
    }

    fn new(files: Files, limits: &BundleLimits) -> Result<Self, BundleError> {
        let Files { mut by_path, left_out } = files;
        if !by_path.contains_key(MANIFEST_FILE)
            && let Some(folder) = paths::common_folder(by_path.keys().map(String::as_str))
        {
            let length = folder.len();
            by_path = by_path.into_iter().map(|(path, bytes)| (path[length..].to_owned(), bytes)).collect();
        }
        let written = Manifest::parse(by_path.get(MANIFEST_FILE).ok_or(BundleError::NoManifest)?, limits)?;
        let (manifest, taken) = without_secrets(written)?;
        if !taken.is_empty() {
            by_path.insert(MANIFEST_FILE.to_owned(), yaml_writer::to_yaml(&manifest.json).into_bytes());
        }
        let files: BTreeMap<String, BundleFile> =
            (by_path.into_iter()).map(|(path, bytes)| (path, BundleFile { id: BlobId::of(&bytes), bytes })).collect();
        let hashes = files.iter().map(|(path, file)| (path.as_str(), file.id));
        let package = canonical::package_id(&manifest.json, hashes);
        let warnings = warnings(&manifest, &files, &left_out, &taken);
        Ok(Self { manifest, files, package, warnings })
    }

    /// What its author says.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The name of its contents.
    #[must_use]
    pub fn package(&self) -> PackageId {
        self.package
    }

    /// All bytes of its files.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.files.values().map(|file| file.bytes.len() as u64).sum()
    }

    /// What is accepted and still worth a look.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// What a file is for, by where it is (R053).
#[must_use]
pub fn kind_of(path: &str) -> FileKind {
    if path == MANIFEST_FILE {
        FileKind::Config
    } else if path.ends_with(".py") && !path.starts_with("artifacts/") && !path.starts_with("assets/") {
        FileKind::Python
    } else if path.starts_with("artifacts/") {
        FileKind::Artifact
    } else {
        FileKind::Asset
    }
}

/// Takes out what must be in no row and no blob (I8): a stranger's manifest with somebody's key in it is accepted, the key is not.
fn without_secrets(written: Manifest) -> Result<(Manifest, Vec<Taken>), ManifestError> {
    let mut json = written.json.clone();
    let taken = secrets::strip(&mut json, Border::In);
    if taken.is_empty() {
        return Ok((written, taken));
    }
    // The remarks stay those on the text, because they know its lines.
    Ok((Manifest { remarks: written.remarks, ..Manifest::from_json(&json)? }, taken))
}

fn warnings(
    manifest: &Manifest,
    files: &BTreeMap<String, BundleFile>,
    left_out: &[String],
    taken: &[Taken],
) -> Vec<String> {
    let mut warnings: Vec<String> =
        manifest.remarks.iter().map(|(place, remark)| format!("toolset.yaml{place}: {remark}")).collect();
    warnings.extend(taken.iter().map(|Taken { place, name, value: _ }| {
        format!("toolset.yaml, {place}: a secret is written out here; it is not kept, and {name} is asked for instead")
    }));
    for tool in &manifest.tools {
        let modules = tool.module_files();
        if !modules.is_empty() && !modules.iter().any(|path| files.contains_key(path)) {
            let entrypoint = tool.entrypoint.as_deref().unwrap_or_default();
            warnings.push(format!("the tool {} has its code in {entrypoint}, which is not in the bundle", tool.id));
        }
        let artifact = tool.renderer.as_ref().and_then(|renderer| renderer.artifact());
        if let Some(artifact) = artifact.filter(|path| !files.contains_key(*path)) {
            warnings.push(format!("the tool {} is shown by {artifact}, which is not in the bundle", tool.id));
        }
    }
    if !manifest.unknown_keys.is_empty() {
        warnings
            .push(format!("keys that Satchel does not know, kept as they are: {}", manifest.unknown_keys.join(", ")));
    }
    if let Some(first) = left_out.first() {
        let more = left_out.len() - 1;
        let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
        warnings.push(format!("left out, because it is only a system's or a tool's leftover: {first}{rest}"));
    }
    warnings
}

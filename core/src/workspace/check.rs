//! The check of everything that is stored (R311): does every blob still match its name, does every manifest have all its trees and
//! files, does every row name something that is there?
//!
//! The bytes are hashed outside, a blob at a time, since they do not fit in memory at once; here the verdicts are put together.
//! Nothing is changed: what could be done is in the report's [`Repair`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::reach::alive;
use super::references::{self, State};
use super::trees::Walk;
use super::{Entry, Repair, Rows, Tree, Trees, WorkspaceError, WorkspacePath, empty_root, repair};
use crate::digest::BlobId;
use crate::ids::ManifestId;
use crate::record::RowRef;
use crate::store::StoredRow;

/// What hashing a stored blob again has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Its bytes, so many, match its name.
    Sound {
        /// How many bytes.
        size: u64,
    },
    /// They do not.
    Broken,
}

/// What the check found.
#[derive(Clone, Debug)]
pub struct Report {
    /// How many blobs are stored.
    pub blobs: usize,
    /// How many manifests there are.
    pub manifests: usize,
    /// Everything that is not as it should be.
    pub findings: Vec<Finding>,
    /// What can be done about it.
    pub repair: Repair,
}

impl Report {
    /// The blobs that are missing or damaged: what has to come from elsewhere.
    #[must_use]
    pub fn lacking(&self) -> Vec<BlobId> {
        let mut lacking = BTreeSet::new();
        for finding in &self.findings {
            match finding {
                Finding::BrokenBlob { sha256 } | Finding::LacksBlob { sha256, .. } => {
                    lacking.insert(*sha256);
                }
                Finding::BrokenManifest { lacks, .. } => lacking.extend(lacks),
                Finding::BrokenHead { .. } | Finding::LacksRow { .. } | Finding::Unreadable { .. } => {}
            }
        }
        // What nothing names is dropped, be it damaged or not.
        lacking.into_iter().filter(|sha256| !self.repair.drop.contains(sha256)).collect()
    }
}

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finding {
    /// The bytes of a blob do not match its name.
    BrokenBlob {
        /// The blob.
        sha256: BlobId,
    },
    /// A manifest lacks trees or files, or has broken ones.
    BrokenManifest {
        /// The manifest.
        row: RowRef,
        /// The blobs it lacks.
        lacks: BTreeSet<BlobId>,
    },
    /// A head names a manifest that is broken or gone.
    BrokenHead {
        /// The head.
        row: RowRef,
        /// The newest sound manifest it can be moved to.
        moves_to: Option<ManifestId>,
    },
    /// A row names a blob that is broken or gone.
    LacksBlob {
        /// The row.
        row: RowRef,
        /// The blob.
        sha256: BlobId,
    },
    /// A row names another row that is not there.
    LacksRow {
        /// The row.
        row: RowRef,
        /// What it names.
        names: RowRef,
    },
    /// A row does not fit its type.
    Unreadable {
        /// The row.
        row: RowRef,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BrokenBlob { sha256 } => write!(f, "the bytes of blob {sha256} do not match its name"),
            Self::BrokenManifest { row, lacks } => {
                write!(f, "{row} lacks some of its folders or files ({})", lacks.len())
            }
            Self::BrokenHead { row, moves_to: Some(to) } => {
                write!(f, "{row} names a state that cannot be read; the newest sound one before it is {to}")
            }
            Self::BrokenHead { row, moves_to: None } => {
                write!(f, "{row} names a state that cannot be read, and there is no sound one before it")
            }
            Self::LacksBlob { row, sha256 } => write!(f, "{row} names blob {sha256}, which is broken or not stored"),
            Self::LacksRow { row, names } => write!(f, "{row} names {names}, which is not there"),
            Self::Unreadable { row, reason } => write!(f, "{row} cannot be read: {reason}"),
        }
    }
}

/// Checks everything. Asks, by [`WorkspaceError::Missing`], for trees it has to see, and fails in no other way.
pub fn check(trees: &Trees, rows: &Rows, blobs: &BTreeMap<BlobId, Stored>) -> Result<Report, WorkspaceError> {
    let broken = blobs.iter().filter(|(_, stored)| **stored == Stored::Broken);
    let mut findings: Vec<Finding> = broken.map(|(sha256, _)| Finding::BrokenBlob { sha256: *sha256 }).collect();

    let mut manifests = BTreeMap::new();
    let mut heads = Vec::new();
    for (row, stored) in alive(rows) {
        match references::read(row.table, stored) {
            Ok(Some(State::Manifest(manifest))) => {
                manifests.insert(manifest.id.clone(), manifest);
            }
            Ok(Some(State::Head(head))) => heads.push(head),
            Ok(None) => {}
            Err(error) => findings.push(Finding::Unreadable { row: row.clone(), reason: error.to_string() }),
        }
        let lacks_row = |names: &RowRef| !rows.get(names).is_some_and(StoredRow::is_alive);
        let names = references::rows(row, stored).into_iter().filter(lacks_row);
        findings.extend(names.map(|names| Finding::LacksRow { row: row.clone(), names }));
        let lacks_blob = |sha256: &BlobId| !matches!(blobs.get(sha256), Some(Stored::Sound { .. }));
        let named = references::blobs(row, stored).into_iter().filter(lacks_blob);
        findings.extend(named.map(|sha256| Finding::LacksBlob { row: row.clone(), sha256 }));
    }

    let mut closure = Closure { walk: Walk::over(trees), blobs, lacks: BTreeMap::new() };
    let mut sound = BTreeMap::new();
    for (id, manifest) in &manifests {
        let lacks = closure.lacks(manifest.root, 1);
        if lacks.is_empty() {
            sound.insert(id, manifest);
        } else {
            findings.push(Finding::BrokenManifest { row: RowRef::of(manifest), lacks });
        }
    }
    closure.walk.finish(())?;

    let history = repair::History { manifests: &manifests, sound: &sound, heads: &heads, rows };
    for head in heads.iter().filter(|head| !sound.contains_key(&head.manifest_id)) {
        findings.push(Finding::BrokenHead { row: RowRef::of(head), moves_to: history.newest_sound(head) });
    }
    let repair = Repair::plan(trees, rows, blobs, &findings)?;
    Ok(Report { blobs: blobs.len(), manifests: manifests.len(), findings, repair })
}

/// Which blobs are lacking below a tree, worked out once for each tree however many manifests share it.
struct Closure<'t> {
    walk: Walk<'t>,
    blobs: &'t BTreeMap<BlobId, Stored>,
    lacks: BTreeMap<BlobId, BTreeSet<BlobId>>,
}

impl Closure<'_> {
    fn lacks(&mut self, id: BlobId, depth: usize) -> BTreeSet<BlobId> {
        if let Some(known) = self.lacks.get(&id) {
            return known.clone();
        }
        let lacks = self.look(id, depth);
        self.lacks.insert(id, lacks.clone());
        lacks
    }

    fn look(&mut self, id: BlobId, depth: usize) -> BTreeSet<BlobId> {
        if depth > WorkspacePath::MAX_DEPTH {
            return BTreeSet::from([id]);
        }
        // A tree that is not there is not asked for: it would never come.
        let stored = matches!(self.blobs.get(&id), Some(Stored::Sound { .. })) || id == empty_root();
        let Some(Ok(tree)) = stored.then(|| self.walk.root(id)) else { return BTreeSet::from([id]) };
        let mut lacks = BTreeSet::new();
        for (_, entry) in tree.into_iter().flat_map(Tree::entries) {
            match entry {
                Entry::File(file) => {
                    if self.blobs.get(&file.sha256) != Some(&Stored::Sound { size: file.size }) {
                        lacks.insert(file.sha256);
                    }
                }
                Entry::Tree(folder) => {
                    let below = self.lacks(folder.sha256, depth + 1);
                    // Sound in itself, but not what this folder says it is.
                    if below.is_empty() && self.walk.folder(folder).is_err() {
                        lacks.insert(folder.sha256);
                    }
                    lacks.extend(below);
                }
            }
        }
        lacks
    }
}

#[cfg(test)]
mod tests;

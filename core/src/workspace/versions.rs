//! The past of a workspace: which state came from which, and what one file was in each.

use std::collections::{BTreeMap, BTreeSet};

use super::{FileEntry, Trees, WorkspaceError, WorkspacePath, empty_root, find};
use crate::digest::BlobId;
use crate::ids::ManifestId;
use crate::record::{ManifestSource, WorkspaceManifest};

/// What a file was from one state on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The state that made it so.
    pub manifest: WorkspaceManifest,
    /// The file; none where that state deleted it.
    pub file: Option<FileEntry>,
}

/// A state and those it came from, newest first. It ends where a state is not there, and where states name each other in a circle.
#[must_use]
pub fn lineage<'m>(
    manifests: &'m BTreeMap<ManifestId, WorkspaceManifest>,
    from: &ManifestId,
) -> Vec<&'m WorkspaceManifest> {
    let mut seen = BTreeSet::new();
    std::iter::successors(manifests.get(from), |manifest| manifests.get(manifest.parent_id.as_ref()?))
        .take_while(|manifest| seen.insert(&manifest.id))
        .collect()
}

/// The root as it was before the last run of a tool, against which changes are marked (R230): a file that the run touched is
/// marked, and so is one that the user touched since. None where no tool has run.
#[must_use]
pub fn before_last_run(lineage: &[&WorkspaceManifest]) -> Option<BlobId> {
    let run = lineage.iter().position(|manifest| manifest.source == ManifestSource::ToolRun)?;
    Some(lineage.get(run + 1).map_or_else(empty_root, |before| before.root))
}

/// The versions of one file along a lineage, newest first. A state that did not touch the file is passed over.
pub fn versions(
    trees: &Trees,
    lineage: &[&WorkspaceManifest],
    path: &WorkspacePath,
) -> Result<Vec<Version>, WorkspaceError> {
    let mut versions: Vec<Version> = Vec::new();
    let mut missing = BTreeSet::new();
    let mut before = None;
    for manifest in lineage.iter().rev() {
        match find(trees, manifest.root, path) {
            Ok(file) if file != before => {
                versions.push(Version { manifest: (*manifest).clone(), file });
                before = file;
            }
            Ok(_) => {}
            Err(WorkspaceError::Missing(ids)) => missing.extend(ids),
            Err(error) => return Err(error),
        }
    }
    if !missing.is_empty() {
        return Err(WorkspaceError::Missing(missing.into_iter().collect()));
    }
    versions.reverse();
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use crate::workspace::fixtures::{built, chat_id, file, files, manifest_id as id, path};

    fn manifest(number: u32, parent: Option<u32>, root: BlobId, source: ManifestSource) -> WorkspaceManifest {
        WorkspaceManifest {
            id: id(number),
            chat_id: chat_id(1),
            parent_id: parent.map(id),
            root,
            created_at: Timestamp::from_millis(number.into()),
            source,
            source_ref: None,
        }
    }

    /// A root with one file of this text beside another that never changes; with no text, without it.
    fn root(trees: &mut Trees, text: Option<&str>) -> BlobId {
        let changing = text.map(|text| ("docs/a.txt", text));
        let snapshot = built(&files(&[Some(("other", "same")), changing].into_iter().flatten().collect::<Vec<_>>()));
        for blob in &snapshot.trees {
            trees.insert(blob.id(), Some(blob.bytes()));
        }
        snapshot.root
    }

    #[test]
    fn a_file_has_the_versions_that_states_made() {
        use ManifestSource::{Edit, ToolRun, UserUpload};
        let mut trees = Trees::default();
        let roots = [Some("one"), Some("one"), Some("two"), None, Some("one")].map(|text| root(&mut trees, text));
        let rows = [UserUpload, Edit, ToolRun, Edit, Edit].into_iter().zip(roots).zip(1..);
        let all: BTreeMap<_, _> = rows
            .map(|((source, root), number)| manifest(number, number.checked_sub(1).filter(|n| *n > 0), root, source))
            .map(|manifest| (manifest.id.clone(), manifest))
            .collect();
        let lineage = lineage(&all, &id(5));
        assert_eq!(lineage.len(), 5);
        let found = versions(&trees, &lineage, &path("docs/a.txt")).expect("is all there");
        let told: Vec<_> = found.iter().map(|version| (version.manifest.id.clone(), version.file)).collect();
        assert_eq!(
            told,
            [(id(5), Some(file("one"))), (id(4), None), (id(3), Some(file("two"))), (id(1), Some(file("one")))]
        );
        assert_eq!(versions(&trees, &lineage, &path("nowhere")), Ok(Vec::new()));
        // R230: the third state was made by a tool, so what counts is the second.
        assert_eq!(before_last_run(&lineage), Some(roots[1]));
        assert_eq!(before_last_run(&lineage[3..]), None);
        assert!(matches!(
            versions(&Trees::default(), &lineage, &path("docs/a.txt")),
            Err(WorkspaceError::Missing(ids)) if ids.len() == 3
        ));
    }

    #[test]
    fn a_run_on_nothing_is_marked_against_nothing() {
        let only = manifest(1, None, BlobId::of(b"x"), ManifestSource::ToolRun);
        assert_eq!(before_last_run(&[&only]), Some(empty_root()));
    }

    #[test]
    fn states_in_a_circle_end() {
        let one = manifest(1, Some(2), empty_root(), ManifestSource::Edit);
        let other = manifest(2, Some(1), empty_root(), ManifestSource::Edit);
        let all = BTreeMap::from([(id(1), one), (id(2), other)]);
        assert_eq!(lineage(&all, &id(1)).len(), 2);
        assert_eq!(lineage(&all, &id(9)).len(), 0);
    }
}

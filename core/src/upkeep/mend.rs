//! Mending: does what the check's repair plan says, and takes away, on request, what cannot be repaired.

use crate::record::RowRef;
use crate::store::{Commit, Drops, Store, StoreError};
use crate::time::Timestamp;
use crate::workspace::{Checked, Finding, ReadError, Report, inspect};

/// What mending came to.
#[derive(Clone, Debug)]
pub struct Mended {
    /// Blobs that nothing names, dropped.
    pub dropped: usize,
    /// Heads moved to a sound state.
    pub moved: usize,
    /// What is still wrong.
    pub report: Report,
}

/// Checks, repairs what can be, and checks again. Once `go_on` says no it ends with nothing to tell: before the repair nothing has changed,
/// after it the repair is done.
pub async fn mend(
    store: &impl Store,
    now: Timestamp,
    go_on: impl Fn(Checked) -> bool,
) -> Result<Option<Mended>, ReadError> {
    let touched = store.blobs_touched().await?;
    let Some(report) = inspect(store, &go_on).await? else { return Ok(None) };
    let moved = report.findings.iter().filter(|finding| is_movable(finding)).count();
    let dropped = report.repair.drop.len();
    let mut commit = report.repair.commit;
    if dropped > 0 {
        commit.drops = Some(Drops { blobs: report.repair.drop, touched });
    }
    store.apply(commit, now).await?;
    let report = inspect(store, &go_on).await?;
    Ok(report.map(|report| Mended { dropped, moved, report }))
}

fn is_movable(finding: &Finding) -> bool {
    matches!(finding, Finding::BrokenHead { moves_to: Some(_), .. })
}

/// What is left of something broken: its row as JSON, or its bytes as they are. With a name for the file.
pub async fn export(store: &impl Store, finding: &Finding) -> Result<Option<(String, Vec<u8>)>, StoreError> {
    match subject(finding) {
        Subject::Row(row) => {
            let stored = store.row(row).await?;
            let text = |stored: crate::store::StoredRow| {
                serde_json::to_vec_pretty(&stored.fields).expect("a row is made of JSON values")
            };
            let name = format!("{row}.json").replace(['/', ':', '~'], "-");
            Ok(stored.map(|stored| (name, text(stored))))
        }
        Subject::Blob(sha256) => Ok(store.blob(sha256).await?.map(|bytes| (format!("{sha256}.bin"), bytes))),
    }
}

/// Takes away something broken.
pub async fn remove(store: &impl Store, finding: &Finding, now: Timestamp) -> Result<(), StoreError> {
    let commit = match subject(finding) {
        Subject::Row(row) => Commit::default().delete(row.clone()),
        Subject::Blob(sha256) => {
            let touched = store.blobs_touched().await?;
            Commit { drops: Some(Drops { blobs: vec![sha256], touched }), ..Commit::default() }
        }
    };
    store.apply(commit, now).await.map(drop)
}

/// What a finding is about.
enum Subject<'f> {
    Row(&'f RowRef),
    Blob(crate::digest::BlobId),
}

fn subject(finding: &Finding) -> Subject<'_> {
    match finding {
        Finding::BrokenBlob { sha256 } => Subject::Blob(*sha256),
        Finding::BrokenManifest { row, .. }
        | Finding::BrokenHead { row, .. }
        | Finding::LacksBlob { row, .. }
        | Finding::LacksRow { row, .. }
        | Finding::Unreadable { row, .. } => Subject::Row(row),
    }
}

#[cfg(test)]
mod tests;

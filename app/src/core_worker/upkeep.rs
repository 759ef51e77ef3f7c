//! The upkeep of what is stored: checking, mending, cleaning up, counting.

use satchel_core::ids::ChatId;
use satchel_core::store::StoreError;
use satchel_core::upkeep::{self, UndoLimits, Usage};
use satchel_core::workspace::{Checked, Finding, ReadError, Report, inspect};
use serde::{Deserialize, Serialize};

use super::{Progress, errand, store, sync};
use crate::browser::clock;
use crate::browser::core_worker::scope::{Course, Done};
use crate::browser::indexed_db::IndexedDbStore;

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub(crate) enum Errand {
    /// Look at everything, change nothing.
    Check,
    /// Look at everything, and repair what can be.
    Mend,
    /// Give out what is left of something broken.
    Export {
        /// What was found.
        finding: Finding,
    },
    /// Take something broken away.
    Remove {
        /// What was found.
        finding: Finding,
    },
    /// Delete a deleted chat for good.
    Purge {
        /// Which one.
        chat: ChatId,
    },
    /// Say what takes how much room.
    Count,
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Everything was looked at.
    Checked(CheckReport),
    /// Everything was looked at, and repaired as far as it could be.
    Mended {
        /// Blobs that nothing named.
        dropped: usize,
        /// States of files that were set back to a sound one.
        moved: usize,
        /// Rows that could not be found by their fields, and can be again.
        indexed: usize,
        /// Pieces of content that came from other devices in place of missing or damaged ones.
        brought: usize,
        /// What is left.
        left: CheckReport,
    },
    /// What is left of it is the one piece of the answer.
    Exported {
        /// A name for the file.
        name: String,
    },
    /// It is done, or there was nothing to do.
    Done,
    /// What takes how much room.
    Counted(Usage),
    /// The user stopped it.
    Stopped,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CheckReport {
    /// How many pieces of content were hashed again.
    pub(crate) blobs: usize,
    /// How many states of files were followed to their last file.
    pub(crate) manifests: usize,
    /// How many pieces of content nothing names.
    pub(crate) unused: usize,
    /// How many rows are there and are not found by their fields.
    pub(crate) stale: usize,
    /// How many missing or damaged pieces of content other devices may have.
    pub(crate) elsewhere: usize,
    /// What is wrong and can be repaired, a sentence each.
    pub(crate) repairable: Vec<String>,
    /// What is wrong and cannot be repaired.
    pub(crate) broken: Vec<Broken>,
}

/// Something that cannot be repaired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Broken {
    /// What it is, for the errands about it.
    pub(crate) finding: Finding,
    /// What is wrong with it.
    pub(crate) sentence: String,
}

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
enum ErrandError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("it is no longer there")]
    Gone,
}

/// Runs an errand. The bytes are those of an export.
pub(super) async fn run(errand: &str, course: &Course) -> Done {
    errand::run(errand, async |errand| attempt(errand, course).await).await
}

/// Frees what nobody can bring back any more. What fails now is done after another start.
pub(super) async fn clean_up() {
    let cleaned = async { upkeep::clean_up(&store::open().await?, UndoLimits::default(), clock::now()).await };
    cleaned.await.ok();
}

async fn attempt(errand: Errand, course: &Course) -> Result<(Outcome, Vec<Vec<u8>>), ErrandError> {
    let store = store::open().await?;
    let go_on = |checked: Checked| {
        // Telling of every blob would cost more than hashing it.
        if checked.blobs.is_multiple_of(16) {
            course.tell(Progress { done: checked.blobs, total: checked.of });
        }
        !course.is_stopped()
    };
    let outcome = match errand {
        Errand::Check => match inspect(&store, go_on).await? {
            Some(report) => Outcome::Checked(CheckReport::new(report, &store).await?),
            None => Outcome::Stopped,
        },
        Errand::Mend => {
            let indexed = store.mend_indexes().await?;
            let Some(brought) = bring(&store, &go_on).await? else { return Ok((Outcome::Stopped, Vec::new())) };
            match upkeep::mend(&store, clock::now(), go_on).await? {
                Some(upkeep::Mended { dropped, moved, report }) => {
                    let left = CheckReport::new(report, &store).await?;
                    Outcome::Mended { dropped, moved, indexed, brought, left }
                }
                None => Outcome::Stopped,
            }
        }
        Errand::Export { finding } => match upkeep::export(&store, &finding).await? {
            Some((name, bytes)) => return Ok((Outcome::Exported { name }, vec![bytes])),
            None => return Err(ErrandError::Gone),
        },
        Errand::Remove { finding } => {
            upkeep::remove(&store, &finding, clock::now()).await?;
            Outcome::Done
        }
        Errand::Purge { chat } => {
            upkeep::purge_deleted_chat(&store, &chat, clock::now()).await?;
            Outcome::Done
        }
        Errand::Count => Outcome::Counted(upkeep::usage(&store).await?),
    };
    Ok((outcome, Vec::new()))
}

/// Fetches from other devices what is missing or damaged here, folders before what is in them; how much came (R311).
async fn bring(store: &IndexedDbStore, go_on: impl Fn(Checked) -> bool) -> Result<Option<usize>, ErrandError> {
    let mut brought = 0;
    if !sync::is_on(store).await {
        return Ok(Some(brought));
    }
    loop {
        let Some(report) = inspect(store, &go_on).await? else { return Ok(None) };
        match sync::repair(store, &report.lacking()).await {
            0 => return Ok(Some(brought)),
            came => brought += came,
        }
    }
}

impl CheckReport {
    async fn new(report: Report, store: &IndexedDbStore) -> Result<Self, ErrandError> {
        let stale = store.stale_indexes().await?;
        let elsewhere = if sync::is_on(store).await { report.lacking().len() } else { 0 };
        let cannot = &report.repair.cannot;
        let repairable = report.findings.iter().filter(|finding| !cannot.contains(finding));
        Ok(Self {
            blobs: report.blobs,
            manifests: report.manifests,
            unused: report.repair.drop.len(),
            stale,
            elsewhere,
            repairable: repairable.map(ToString::to_string).collect(),
            broken: (cannot.iter())
                .map(|finding| Broken { sentence: finding.to_string(), finding: finding.clone() })
                .collect(),
        })
    }
}

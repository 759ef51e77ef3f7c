//! Tables that the core worker holds for the page; see `core_worker/tables.rs`.

use satchel_core::record::ToolCall;
use satchel_core::render::{Column, Fields, FileView, TableRow};

use super::errand::{self, ErrandError};
use crate::browser::core_worker::WorkerError;
use crate::browser::raw_bytes::RawBytes;
use crate::core_worker::Job;
use crate::core_worker::tables::{Errand, Opened, Outcome};

pub(crate) use crate::core_worker::tables::Sorting;

/// A table in the worker.
#[derive(Clone, Debug)]
pub(crate) struct HeldTable {
    opening: Errand,
    file: FileView,
    opened: Opened,
}

/// Has a result opened that is in a file; nothing where it is no table. Only what is kept can be opened so: the worker reads the browser's
/// store, not this tab's memory.
pub(crate) async fn open(call: &ToolCall, file: FileView) -> Result<Option<HeldTable>, ErrandError> {
    let opening = Errand::Open {
        tool: call.tool_id.clone(),
        args: call.args.clone(),
        path: file.path.clone(),
        sha256: file.sha256,
    };
    match run(&opening).await? {
        (Outcome::Opened(opened), _) => Ok(Some(HeldTable { opening, file, opened })),
        (Outcome::NoTable, _) => Ok(None),
        (Outcome::Rows(_) | Outcome::Text | Outcome::LetGo, _) => Err(WorkerError::Misunderstood.into()),
    }
}

impl HeldTable {
    /// Its columns.
    pub(crate) fn columns(&self) -> &[Column] {
        &self.opened.columns
    }

    /// How many rows it has.
    pub(crate) fn len(&self) -> usize {
        self.opened.len
    }

    /// What the result has beside it.
    pub(crate) fn rest(&self) -> Fields {
        self.opened.rest.clone()
    }

    /// Some of its rows.
    pub(crate) async fn rows(&self, sorted: Sorting, from: usize, many: usize) -> Result<Vec<TableRow>, ErrandError> {
        match self.ask(&Errand::Rows { sha256: self.file.sha256, sorted, from, many }).await? {
            (Outcome::Rows(rows), _) => Ok(rows),
            _other => Err(WorkerError::Misunderstood.into()),
        }
    }

    /// All of it as a text.
    pub(crate) async fn text(&self) -> Result<String, ErrandError> {
        match self.ask(&Errand::Text { sha256: self.file.sha256 }).await? {
            (Outcome::Text, pieces) => {
                let bytes = pieces.first().ok_or(WorkerError::Misunderstood)?.to_vec();
                String::from_utf8(bytes).map_err(|_unreadable| WorkerError::Misunderstood.into())
            }
            _other => Err(WorkerError::Misunderstood.into()),
        }
    }

    /// Asks the worker; where it has let the table go, or is a new one, it opens the table again first.
    async fn ask(&self, errand: &Errand) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
        match run(errand).await? {
            (Outcome::LetGo, _) => {
                run(&self.opening).await?;
                run(errand).await
            }
            answered => Ok(answered),
        }
    }
}

/// A worker that dies over it is replaced once.
async fn run(errand: &Errand) -> Result<(Outcome, Vec<RawBytes>), ErrandError> {
    let attempt = || errand::run(|errand| Job::Table { errand }, errand, None);
    match attempt().await {
        Err(ErrandError::Worker(WorkerError::Died)) => attempt().await,
        other => other,
    }
}

//! How the local API says no: one shape for every refusal.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::response::Response;
use crate::bundle::{BuiltInToolset, BundleError, ReplaceNeeded};
use crate::catalog::BuiltInStays;
use crate::conversation::{ConversationError, OpenError};
use crate::store::StoreError;
use crate::tool_run::RunError;
use crate::workspace::{LimitError, PathError, ReadError, WorkspaceError};

/// The body of every answer that is not a success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusalBody {
    /// What went wrong.
    pub error: ErrorBody,
}

/// The inside of a [`RefusalBody`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// For programs.
    pub code: Code,
    /// For people: what happened and what can be done.
    pub message: String,
    /// What it is about: a parameter, a file, or a key in a manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Why a request was refused. Each has its one status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request cannot be understood (400).
    BadRequest,
    /// There is no such thing (404).
    NotFound,
    /// The address is there, but not for this method (405); the header `allow` has those it is there for.
    MethodNotAllowed,
    /// It was changed elsewhere at the same time; the same request may succeed now (409).
    Changed,
    /// Other contents are installed under this id, and nobody said to replace them (409).
    ReplaceNeeded,
    /// It is compiled in and cannot be changed so (409).
    BuiltIn,
    /// It does not fit beside what is there (409).
    Conflict,
    /// The arguments of a call do not fit the tool (400).
    InvalidArgs,
    /// The user has to allow the call first (409).
    ApprovalRequired,
    /// The tool or its toolset cannot be used now (409).
    Unavailable,
    /// It is larger than a limit (413).
    TooLarge,
    /// The bundle is refused (422).
    BundleRefused,
    /// What is stored is damaged (500).
    Damaged,
    /// The storage failed (500).
    StorageFailed,
    /// This version cannot do it, or not here (501).
    NotAvailable,
    /// The storage is not open (503).
    StorageClosed,
    /// There is no room left on the device (507).
    StorageFull,
}

impl Code {
    /// Its status of HTTP.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest | Self::InvalidArgs => 400,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Changed | Self::ReplaceNeeded | Self::BuiltIn | Self::Conflict => 409,
            Self::ApprovalRequired | Self::Unavailable => 409,
            Self::TooLarge => 413,
            Self::BundleRefused => 422,
            Self::Damaged | Self::StorageFailed => 500,
            Self::NotAvailable => 501,
            Self::StorageClosed => 503,
            Self::StorageFull => 507,
        }
    }
}

/// A refusal on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) path: Option<String>,
    /// The methods that would do.
    pub(super) allow: Option<String>,
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl fmt::Display) -> Self {
        Self { code, message: message.to_string(), path: None, allow: None }
    }

    pub(super) fn not_found(message: impl fmt::Display) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// The same refusal, said to be about this.
    pub(super) fn about(self, path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    pub(super) fn into_response(self) -> Response {
        let Self { code, message, path, allow } = self;
        let mut response = Response::json(code.status(), &RefusalBody { error: ErrorBody { code, message, path } });
        response.headers.extend(allow.map(|methods| ("allow", methods)));
        response
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            // What a commit relied on was changed or cleaned up since it was looked at.
            StoreError::Changed(_) | StoreError::BlobsTouched | StoreError::MissingBlobs(_) => Code::Changed,
            StoreError::Unreadable { .. } => Code::Damaged,
            StoreError::Full => Code::StorageFull,
            StoreError::Superseded
            | StoreError::Blocked
            | StoreError::Closed
            | StoreError::TooNew
            | StoreError::Unavailable(_) => Code::StorageClosed,
            StoreError::Backend(_) => Code::StorageFailed,
        };
        let advice = if code == Code::Changed { "; nothing was written, try again" } else { "" };
        Self::new(code, format!("{error}{advice}"))
    }
}

impl From<WorkspaceError> for Refusal {
    fn from(error: WorkspaceError) -> Self {
        let (code, path) = match &error {
            WorkspaceError::Missing(_) | WorkspaceError::Damaged { .. } => (Code::Damaged, None),
            WorkspaceError::FileAndFolder { path } => (Code::Conflict, Some(path.clone())),
            WorkspaceError::CaseCollision { second, .. } => (Code::Conflict, Some(second.clone())),
            WorkspaceError::Limit(LimitError::FileBytes { path, .. }) => (Code::TooLarge, Some(path.to_string())),
            WorkspaceError::Limit(LimitError::WorkspaceBytes { .. } | LimitError::Files { .. }) => {
                (Code::TooLarge, None)
            }
        };
        Self { path, ..Self::new(code, error) }
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => error.into(),
            ReadError::Workspace(error) => error.into(),
        }
    }
}

impl From<OpenError> for Refusal {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Store(error) => error.into(),
            OpenError::NoManifest(_) => Self::new(Code::Damaged, error),
        }
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        let code = match error {
            RunError::Store(error) => return error.into(),
            RunError::Open(error) => return error.into(),
            RunError::Read(error) => return error.into(),
            RunError::NoToolset(_) | RunError::NoTool { .. } | RunError::NoChat(_) => Code::NotFound,
            RunError::Unavailable { .. } => Code::Unavailable,
            RunError::CallIdTaken(_) | RunError::RunsElsewhere(_) => Code::Conflict,
            RunError::Id(_) => Code::BadRequest,
        };
        Self::new(code, error)
    }
}

impl From<PathError> for Refusal {
    fn from(error: PathError) -> Self {
        Self::new(Code::BadRequest, error).about("path")
    }
}

impl From<ConversationError> for Refusal {
    fn from(error: ConversationError) -> Self {
        match error {
            ConversationError::NoSuchMessage(_) => Self::not_found(error),
            ConversationError::MessageTooLong { .. } => Self::new(Code::TooLarge, error),
            ConversationError::EmptyTitle | ConversationError::TitleTooLong { .. } => {
                Self::new(Code::BadRequest, error).about("title")
            }
            ConversationError::EmptyMessage | ConversationError::Id(_) => Self::new(Code::BadRequest, error),
        }
    }
}

impl From<BundleError> for Refusal {
    fn from(error: BundleError) -> Self {
        Self { path: error.path(), ..Self::new(Code::BundleRefused, error) }
    }
}

impl From<ReplaceNeeded> for Refusal {
    fn from(ReplaceNeeded { id, installed, version }: ReplaceNeeded) -> Self {
        let message = format!(
            "{id} {installed} is installed with other contents; ask again with \"?replace=true\" to put {version} in its place"
        );
        Self::new(Code::ReplaceNeeded, message)
    }
}

impl From<BuiltInToolset> for Refusal {
    fn from(error: BuiltInToolset) -> Self {
        Self::new(Code::BuiltIn, error)
    }
}

impl From<BuiltInStays> for Refusal {
    fn from(error: BuiltInStays) -> Self {
        Self::new(Code::BuiltIn, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{RowKey, RowRef, Table};

    /// R319: the shape of every refusal.
    #[test]
    fn as_sent() {
        let refusal = Refusal::new(Code::BundleRefused, "toolset.yaml line 3, id: it must not be empty");
        let response = refusal.about("toolset.yaml#id").into_response();
        assert_eq!((response.status, response.header("content-type")), (422, Some("application/json")));
        insta::assert_snapshot!(String::from_utf8_lossy(&response.body), @r#"{"error":{"code":"bundle_refused","message":"toolset.yaml line 3, id: it must not be empty","path":"toolset.yaml#id"}}"#);
        let bare = Refusal::not_found("there is nothing").into_response();
        insta::assert_snapshot!(String::from_utf8_lossy(&bare.body), @r#"{"error":{"code":"not_found","message":"there is nothing"}}"#);
    }

    #[test]
    fn every_failure_of_the_store_has_its_status() {
        let check = |error: StoreError, status: u16, code: Code| {
            let refusal = Refusal::from(error);
            assert_eq!((refusal.code.status(), refusal.code), (status, code));
        };
        let row = || RowRef { table: Table::Chats, key: RowKey::one("x") };
        check(StoreError::Changed(row()), 409, Code::Changed);
        check(StoreError::MissingBlobs(vec![crate::digest::BlobId::of(b"")]), 409, Code::Changed);
        let source = serde_json::from_str::<bool>("1").expect_err("is no bool");
        check(StoreError::Unreadable { row: row(), source }, 500, Code::Damaged);
        check(StoreError::Full, 507, Code::StorageFull);
        for error in [StoreError::Superseded, StoreError::Blocked, StoreError::Closed, StoreError::TooNew] {
            check(error, 503, Code::StorageClosed);
        }
        check(StoreError::Unavailable("private".into()), 503, Code::StorageClosed);
        check(StoreError::Backend("disk".into()), 500, Code::StorageFailed);
        let changed = Refusal::from(StoreError::Changed(row()));
        assert_eq!(changed.message, "chats/x was changed elsewhere in the meantime; nothing was written, try again");
    }
}

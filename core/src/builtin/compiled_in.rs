//! The row that a toolset would have which is part of the app, were it installed.

use crate::catalog::ToolsetId;
use crate::ids::Uid;
use crate::record::{PackageId, SourceType, Toolset};
use crate::time::Timestamp;

/// What tells one from another.
#[derive(Clone, Debug)]
pub(crate) struct CompiledIn<'a> {
    /// Its id, which is its slug too.
    pub(crate) id: ToolsetId,
    /// Its second name (C02).
    pub(crate) uid: Uid,
    /// What it is called.
    pub(crate) name: &'a str,
    /// The version of its tools' contracts.
    pub(crate) version: &'a str,
    /// What it does.
    pub(crate) description: &'a str,
    /// The name of what it declares.
    pub(crate) package: PackageId,
    /// When it first came with the app: it was not installed at some time of this device.
    pub(crate) since: Timestamp,
}

impl CompiledIn<'_> {
    /// The row.
    pub(crate) fn row(self) -> Toolset {
        Toolset {
            slug: self.id.as_str().into(),
            id: self.id,
            uid: self.uid,
            name: self.name.into(),
            version: self.version.into(),
            description: self.description.into(),
            enabled: true,
            user_mcp: false,
            is_built_in: true,
            source_type: SourceType::Builtin,
            source_ref: None,
            manifest_version: "1".into(),
            package: self.package,
            installed_at: self.since,
            created_at: self.since,
            modified_at: self.since,
            soft_deleted_at: None,
        }
    }
}

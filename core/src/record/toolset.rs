//! An installed toolset: what it is called, which package is active, and what its user has switched.

use serde::{Deserialize, Serialize};

use super::{PackageId, Record, RowKey, Table};
use crate::catalog::ToolsetId;
use crate::ids::Uid;
use crate::time::Timestamp;

/// A row of `toolsets`. Everything its author wrote is in the [`Package`](super::Package) it names; an upgrade is a change of that
/// one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Toolset {
    /// Its name, the same for good.
    pub id: ToolsetId,
    /// Its second name (C02).
    pub uid: Uid,
    /// What the bundle interface calls it.
    pub slug: String,
    /// Its display name.
    pub name: String,
    /// Its semantic version.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// The master switch; the switches of its tools keep their own values (C54).
    pub enabled: bool,
    /// Whether it was made for one MCP server of the user's.
    pub user_mcp: bool,
    /// Whether it is compiled in.
    pub is_built_in: bool,
    /// Where it came from.
    pub source_type: SourceType,
    /// The file, folder or address it came from.
    pub source_ref: Option<String>,
    /// The version of the manifest's own format.
    pub manifest_version: String,
    /// The active package.
    pub package: PackageId,
    /// When it was installed.
    pub installed_at: Timestamp,
    /// When it was first made here.
    pub created_at: Timestamp,
    /// When its structure last changed; a switch is not structure (C29).
    pub modified_at: Timestamp,
    /// When it was uninstalled; it can be brought back for 48 hours (C50).
    pub soft_deleted_at: Option<Timestamp>,
}

/// Where a toolset came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// A ZIP or a bare manifest.
    Zip,
    /// A folder.
    Local,
    /// An address.
    Url,
    /// Compiled in.
    Builtin,
    /// Made in the app.
    Created,
}

impl Record for Toolset {
    const TABLE: Table = Table::Toolsets;

    fn key(&self) -> RowKey {
        RowKey::one(self.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R002, R003, R004
    #[test]
    fn as_stored() {
        let toolset = Toolset {
            id: ToolsetId::parse("my-toolset").expect("is a name"),
            uid: Uid::parse("0198c5a4-7c1e-7000-8000-0000000000a1").expect("is a UUID"),
            slug: "my-toolset".into(),
            name: "My Toolset".into(),
            version: "1.0.0".into(),
            description: "Reads tables".into(),
            enabled: true,
            user_mcp: false,
            is_built_in: false,
            source_type: SourceType::Zip,
            source_ref: Some("my-toolset.zip".into()),
            manifest_version: "1".into(),
            package: PackageId::of(b"contents"),
            installed_at: Timestamp::from_millis(1_000),
            created_at: Timestamp::from_millis(1_000),
            modified_at: Timestamp::from_millis(2_000),
            soft_deleted_at: None,
        };
        insta::assert_json_snapshot!(toolset, @r#"
        {
          "id": "my-toolset",
          "uid": "0198c5a4-7c1e-7000-8000-0000000000a1",
          "slug": "my-toolset",
          "name": "My Toolset",
          "version": "1.0.0",
          "description": "Reads tables",
          "enabled": true,
          "user_mcp": false,
          "is_built_in": false,
          "source_type": "zip",
          "source_ref": "my-toolset.zip",
          "manifest_version": "1",
          "package": "d1b2a59fbea7e20077af9f91b27e95e865061b270be03ff539ab3b73587882e8",
          "installed_at": "1970-01-01T00:00:01.000Z",
          "created_at": "1970-01-01T00:00:01.000Z",
          "modified_at": "1970-01-01T00:00:02.000Z",
          "soft_deleted_at": null
        }
        "#);
    }

    /// R002
    #[test]
    fn every_source_has_its_word() {
        use SourceType::{Builtin, Created, Local, Url, Zip};
        let words = serde_json::to_value([Zip, Local, Url, Builtin, Created]).expect("serialises");
        assert_eq!(words, serde_json::json!(["zip", "local", "url", "builtin", "created"]));
    }
}

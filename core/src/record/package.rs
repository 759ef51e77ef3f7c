//! What an author wrote, whole and for good: named by the hash of its contents.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RowKey, Table};
use crate::catalog::ToolsetId;
use crate::digest::{BlobId, BlobIdError};

/// Names a package: the SHA-256 over its parsed manifest and its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PackageId(BlobId);

impl PackageId {
    /// The name of a package whose contents are described by these bytes.
    #[must_use]
    pub fn of(description: &[u8]) -> Self {
        Self(BlobId::of(description))
    }

    /// Reads a name from outside.
    pub fn parse(text: &str) -> Result<Self, BlobIdError> {
        BlobId::parse(text).map(Self)
    }
}

impl fmt::Display for PackageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A row of `packages`. Nothing of it ever changes but its standing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Package {
    /// Its name.
    pub package: PackageId,
    /// The toolset it is a version of.
    pub toolset_id: ToolsetId,
    /// That version.
    pub version: String,
    /// The manifest as it was parsed, keys that we do not know included (C65).
    pub manifest: Value,
    /// Whether another has taken its place. Older versions of the app did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<PackageStanding>,
}

/// Whether another package has taken the place of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PackageStanding {
    /// None has. Of several that stand so one is active; the others were made on other devices at the same time
    /// ([`InstalledToolset::apart`](crate::catalog::InstalledToolset::apart)).
    Current,
    /// Another has, on a device that knew this one.
    Replaced,
}

impl Record for Package {
    const TABLE: Table = Table::Packages;

    fn key(&self) -> RowKey {
        RowKey::one(self.package.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let package = Package {
            package: PackageId::of(b"contents"),
            toolset_id: ToolsetId::parse("my-toolset").expect("is a name"),
            version: "1.0.0".into(),
            manifest: serde_json::json!({"id": "my-toolset", "x-unknown": ["kept"]}),
            standing: Some(PackageStanding::Current),
        };
        insta::assert_json_snapshot!(package, @r#"
        {
          "package": "d1b2a59fbea7e20077af9f91b27e95e865061b270be03ff539ab3b73587882e8",
          "toolset_id": "my-toolset",
          "version": "1.0.0",
          "manifest": {
            "id": "my-toolset",
            "x-unknown": [
              "kept"
            ]
          },
          "standing": "current"
        }
        "#);
        let mut of_before = serde_json::to_value(&package).expect("is JSON");
        of_before.as_object_mut().expect("is an object").remove("standing");
        let read: Package = serde_json::from_value(of_before.clone()).expect("is read");
        assert_eq!((read.standing, serde_json::to_value(&read).expect("is JSON")), (None, of_before));
    }
}

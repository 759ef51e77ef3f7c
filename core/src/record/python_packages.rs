//! The wheels that were fetched for a package of a toolset. They belong to it alone, and stay on the device they were fetched on.

use serde::{Deserialize, Serialize};

use super::{PackageId, Record, RowKey, Table};
use crate::catalog::ToolsetId;
use crate::digest::BlobId;
use crate::time::Timestamp;

/// A row of `python_packages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonPackages {
    /// Whose they are.
    pub package: PackageId,
    /// The toolset that it is a version of.
    pub toolset_id: ToolsetId,
    /// The wheels, in the order in which they are unpacked.
    pub wheels: Vec<PythonWheel>,
    /// Since when.
    pub kept_at: Timestamp,
}

/// A wheel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonWheel {
    /// The package's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its file name.
    pub file_name: String,
    /// Its contents, which are the ones its source promised.
    pub sha256: BlobId,
    /// Their bytes.
    pub size: u64,
    /// Where it came from.
    pub href: String,
}

impl Record for PythonPackages {
    const TABLE: Table = Table::PythonPackages;

    fn key(&self) -> RowKey {
        RowKey::one(self.package.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let packages = PythonPackages {
            package: PackageId::of(b"contents"),
            toolset_id: ToolsetId::parse("my-toolset").expect("is a name"),
            wheels: vec![PythonWheel {
                name: "attrs".into(),
                version: "26.1.0".into(),
                file_name: "attrs-26.1.0-py3-none-any.whl".into(),
                sha256: BlobId::of(b"wheel"),
                size: 5,
                href: "https://files.example/attrs-26.1.0-py3-none-any.whl".into(),
            }],
            kept_at: Timestamp::from_millis(1_700_000_000_000),
        };
        insta::assert_json_snapshot!(packages, @r#"
        {
          "package": "d1b2a59fbea7e20077af9f91b27e95e865061b270be03ff539ab3b73587882e8",
          "toolset_id": "my-toolset",
          "wheels": [
            {
              "name": "attrs",
              "version": "26.1.0",
              "file_name": "attrs-26.1.0-py3-none-any.whl",
              "sha256": "ba59926159d2aa256eb8739b8da7e2b574b960e1202c6d624cbe981cef996c91",
              "size": 5,
              "href": "https://files.example/attrs-26.1.0-py3-none-any.whl"
            }
          ],
          "kept_at": "2023-11-14T22:13:20.000Z"
        }
        "#);
    }
}

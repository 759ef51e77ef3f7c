//! A file of a package.

use serde::{Deserialize, Serialize};

use super::{PackageId, Record, RowKey, Table};
use crate::catalog::ToolsetId;
use crate::digest::BlobId;

/// A row of `toolset_files`; its bytes are a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolsetFile {
    /// The package.
    pub package: PackageId,
    /// The toolset.
    pub toolset_id: ToolsetId,
    /// Where it is in the package, with `/` between folders.
    pub path: String,
    /// What it is for.
    pub kind: FileKind,
    /// The name of its bytes.
    pub sha256: BlobId,
    /// How many bytes.
    pub size: u64,
    /// Where the bytes are: always `cas:{sha256}` (C23).
    pub stored_path: String,
}

/// What a file of a package is for, by the folder it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Code.
    Python,
    /// A page that shows results.
    Artifact,
    /// Anything else.
    Asset,
    /// The manifest.
    Config,
}

impl Record for ToolsetFile {
    const TABLE: Table = Table::ToolsetFiles;

    fn key(&self) -> RowKey {
        RowKey::of([&self.package.to_string(), &self.path])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R005, R006, C23
    #[test]
    fn as_stored() {
        let bytes = b"<html>";
        let file = ToolsetFile {
            package: PackageId::of(b"contents"),
            toolset_id: ToolsetId::parse("my-toolset").expect("is a name"),
            path: "artifacts/results.html".into(),
            kind: FileKind::Artifact,
            sha256: BlobId::of(bytes),
            size: 6,
            stored_path: format!("cas:{}", BlobId::of(bytes)),
        };
        insta::assert_json_snapshot!(file, @r#"
        {
          "package": "d1b2a59fbea7e20077af9f91b27e95e865061b270be03ff539ab3b73587882e8",
          "toolset_id": "my-toolset",
          "path": "artifacts/results.html",
          "kind": "artifact",
          "sha256": "b7d082ee12e91b756ea22e8513b8594eebcf5d39fab813da3cb55794dc888ad7",
          "size": 6,
          "stored_path": "cas:b7d082ee12e91b756ea22e8513b8594eebcf5d39fab813da3cb55794dc888ad7"
        }
        "#);
    }

    /// R005
    #[test]
    fn every_kind_has_its_word() {
        let kinds = [FileKind::Python, FileKind::Artifact, FileKind::Asset, FileKind::Config];
        let words = serde_json::to_value(kinds).expect("serialises");
        assert_eq!(words, serde_json::json!(["python", "artifact", "asset", "config"]));
    }
}

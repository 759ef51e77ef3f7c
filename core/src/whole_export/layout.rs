//! Where things are in an export, and the two files that describe it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::digest::BlobId;
use crate::record::{Scope, Table};
use crate::time::Timestamp;

/// Says what the export is.
pub const ABOUT_FILE: &str = "satchel-export.json";
/// The SHA-256 of every other entry, as `sha256sum -c` reads it.
pub(super) const CHECKSUMS_FILE: &str = "CHECKSUMS";

/// The format that is written, and the newest that is read.
pub(super) const FORMAT: u64 = 1;

/// What an export has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One chat with the toolsets it uses.
    Chat,
    /// Everything.
    All,
}

/// What an export says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The format.
    pub format: u64,
    /// What it has.
    pub kind: Kind,
    /// When what is in it was last changed. The moment of the export itself is not in it: equal state gives equal bytes.
    pub created: Timestamp,
    /// The version of the app that made it.
    pub app_version: String,
    /// What its rows name and was damaged or gone already when it was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Lack>,
}

/// Bytes that an export does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lack {
    /// Their name: of a file, or of the top folder of a state that cannot be read any more.
    pub sha256: BlobId,
    /// How many of them there were; not known of a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u64,
}

impl About {
    pub(super) fn write(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).expect("plain data can be written as JSON");
        text.push(b'\n');
        text
    }

    pub(super) fn read(text: &[u8]) -> Result<Self, Refusal> {
        let refused = |error: serde_json::Error| Refusal::About(error.to_string());
        let FormatOnly { format } = serde_json::from_slice(text).map_err(refused)?;
        if format > FORMAT {
            return Err(Refusal::Newer { found: format, known: FORMAT });
        }
        serde_json::from_slice(text).map_err(refused)
    }
}

/// Where the rows of a table are.
pub(super) fn rows_path(table: Table) -> String {
    format!("rows/{table}.ndjson")
}

/// Where a blob is.
pub(super) fn blob_path(id: BlobId) -> String {
    format!("blobs/{}/{id}", id.prefix())
}

/// Where a toolset is, as a bundle of its own.
pub(super) fn toolset_path(id: &str, version: &str) -> String {
    format!("toolsets/{id}-v{version}.zip")
}

/// What an entry is, by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Rows(Table),
    Blob(BlobId),
    Toolset,
}

impl Entry {
    /// What is at a path that is neither of the two files above.
    pub(super) fn at(path: &str, kind: Kind) -> Result<Self, Refusal> {
        let unknown = || Refusal::UnknownEntry(path.to_owned());
        let (folder, rest) = path.split_once('/').ok_or_else(unknown)?;
        match folder {
            "rows" => {
                let name = rest.strip_suffix(".ndjson").ok_or_else(unknown)?;
                let table = Table::ALL.into_iter().find(|table| table.name() == name);
                let table = table.filter(|table| tables(kind).any(|known| known == *table));
                table.map(Self::Rows).ok_or_else(|| Refusal::UnknownTable(path.to_owned()))
            }
            "blobs" => {
                let id = rest.split_once('/').and_then(|(_, name)| BlobId::parse(name).ok()).ok_or_else(unknown)?;
                if blob_path(id) == path { Ok(Self::Blob(id)) } else { Err(unknown()) }
            }
            "toolsets" if !rest.contains('/') && rest.ends_with(".zip") => Ok(Self::Toolset),
            _ => Err(unknown()),
        }
    }
}

/// The tables that an export has: none that belong to the device alone. One of a chat has what somebody else needs to read the chat and
/// to go on with it, and nothing of what its user has decided about tools.
pub(super) fn tables(kind: Kind) -> impl Iterator<Item = Table> {
    Table::ALL.into_iter().filter(move |table| match table {
        Table::Chats
        | Table::Messages
        | Table::ToolCalls
        | Table::WorkspaceManifests
        | Table::NodeHeads
        | Table::Toolsets
        | Table::Packages
        | Table::ToolsetFiles
        | Table::Tools
        | Table::ToolRenderConfigs
        | Table::ToolsetMcpServers => true,
        Table::Settings
        | Table::Drafts
        | Table::Positions
        | Table::ToolOverrides
        | Table::SavedToolsets
        | Table::Kv
        | Table::Pins
        | Table::Grants
        | Table::Approvals
        | Table::ToolMetrics
        | Table::PythonPackages
        | Table::McpSeen => kind == Kind::All && table.scope() == Scope::Synced,
    })
}

/// The text of `CHECKSUMS`.
pub(super) fn write_checksums(sums: &BTreeMap<String, BlobId>) -> String {
    sums.iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect()
}

/// Reads `CHECKSUMS`: every path once, in order.
pub(super) fn read_checksums(text: &[u8]) -> Result<BTreeMap<String, BlobId>, Refusal> {
    let text = std::str::from_utf8(text).map_err(|_not_text| Refusal::Checksums { line: 1 })?;
    let mut sums = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let refused = || Refusal::Checksums { line: at + 1 };
        let (sum, path) = line.split_once("  ").ok_or_else(refused)?;
        let sum = BlobId::parse(sum).map_err(|_no_sum| refused())?;
        if sums.last_key_value().is_some_and(|(last, _): (&String, _)| last.as_str() >= path) {
            return Err(refused());
        }
        sums.insert(path.to_owned(), sum);
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I9
    #[test]
    fn what_an_export_says_of_itself() {
        let about = About {
            format: FORMAT,
            kind: Kind::Chat,
            created: Timestamp::from_millis(1_000),
            app_version: "0.1.0".into(),
            lacks: vec![Lack { sha256: BlobId::of(b"gone"), size: Some(4) }],
        };
        insta::assert_snapshot!(String::from_utf8_lossy(&about.write()), @r#"
        {
          "format": 1,
          "kind": "chat",
          "created": "1970-01-01T00:00:01.000Z",
          "app_version": "0.1.0",
          "lacks": [
            {
              "sha256": "283bb9deef02e6843abfb538efa1eca70801bd8a701c3f98191e123496339247",
              "size": 4
            }
          ]
        }
        "#);
        assert_eq!(About::read(&about.write()).expect("is read"), about);
    }

    #[test]
    fn every_entry_has_its_place() {
        let id = BlobId::of(b"a");
        assert_eq!(Entry::at(&rows_path(Table::Messages), Kind::Chat).expect("is known"), Entry::Rows(Table::Messages));
        assert_eq!(Entry::at(&blob_path(id), Kind::Chat).expect("is known"), Entry::Blob(id));
        assert_eq!(Entry::at(&toolset_path("a", "1.0.0"), Kind::All).expect("is known"), Entry::Toolset);
        let check = |path: &str, kind, expected: &str| {
            assert_eq!(Entry::at(path, kind).expect_err("is refused").to_string(), expected);
        };
        check("notes.txt", Kind::All, r#"the export has an entry that does not belong in it: "notes.txt""#);
        check("blobs/00/x", Kind::All, r#"the export has an entry that does not belong in it: "blobs/00/x""#);
        let table = "the export has rows of a table that does not belong in it";
        check("rows/dreams.ndjson", Kind::All, &format!(r#"{table}: "rows/dreams.ndjson""#));
        // I8: what belongs to a device alone is not taken from elsewhere, and what a user has decided is in no chat.
        check("rows/grants.ndjson", Kind::All, &format!(r#"{table}: "rows/grants.ndjson""#));
        check("rows/settings.ndjson", Kind::Chat, &format!(r#"{table}: "rows/settings.ndjson""#));
    }

    #[test]
    fn checksums_are_in_order() {
        let sums = BTreeMap::from([("a".to_owned(), BlobId::of(b"1")), ("b c".to_owned(), BlobId::of(b"2"))]);
        let text = write_checksums(&sums);
        assert_eq!(read_checksums(text.as_bytes()).expect("is read"), sums);
        let (first, second) = text.split_once('\n').expect("has two lines");
        for (wrong, line) in [("x", 1), (&*format!("{second}{first}\n"), 2), (&*format!("{first}\n{first}\n"), 2)] {
            let refused = read_checksums(wrong.as_bytes()).expect_err("is refused");
            assert!(matches!(refused, Refusal::Checksums { line: found } if found == line), "{wrong}");
        }
    }
}

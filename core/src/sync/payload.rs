//! What is inside a sealed change, or a part of a snapshot: rows with their stamps, and the blobs that they need.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};

use crate::digest::BlobId;
use crate::ids::DeviceId;
use crate::record::{RowKey, RowRef, Table};
use crate::store::StoredRow;

/// The format that this version writes, and the newest that it reads.
const FORMAT: u32 = 1;
/// Most bytes of a payload when it is unpacked.
const MOST_BYTES: u64 = 256 << 20;

/// Rows on their way.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows {
    /// The rows, tombstones among them.
    pub(super) rows: Vec<(RowRef, StoredRow)>,
    /// The blobs that must be there before them.
    pub(super) blobs: Vec<BlobId>,
    /// In a snapshot: the last change of every device that is in it.
    pub(super) seen: BTreeMap<DeviceId, u64>,
}

/// Why a payload that opened is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PayloadError {
    /// A newer version of the app wrote it.
    Newer,
    /// It is not what it should be.
    Broken,
}

#[derive(Serialize, Deserialize)]
struct Written {
    format: u32,
    rows: Vec<WrittenRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blobs: Vec<BlobId>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    seen: BTreeMap<DeviceId, u64>,
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
}

#[derive(Serialize, Deserialize)]
struct WrittenRow {
    table: String,
    key: RowKey,
    row: StoredRow,
}

impl Rows {
    /// As bytes to be sealed: JSON, packed, for the stamps repeat themselves.
    pub(super) fn write(self) -> Vec<u8> {
        let rows = self.rows.into_iter().map(|(row, stored)| WrittenRow {
            table: row.table.name().into(),
            key: row.key,
            row: stored,
        });
        let written = Written { format: FORMAT, rows: rows.collect(), blobs: self.blobs, seen: self.seen };
        let json = serde_json::to_vec(&written).expect("rows can be written as JSON");
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&json).and_then(|()| packed.finish()).expect("memory takes every byte")
    }

    /// Reads what was sealed.
    pub(super) fn read(packed: &[u8]) -> Result<Self, PayloadError> {
        let mut json = Vec::new();
        let read = DeflateDecoder::new(packed).take(MOST_BYTES).read_to_end(&mut json);
        read.map_err(|_not_packed| PayloadError::Broken)?;
        let FormatOnly { format } = serde_json::from_slice(&json).map_err(|_other| PayloadError::Broken)?;
        if format > FORMAT {
            return Err(PayloadError::Newer);
        }
        let written: Written = serde_json::from_slice(&json).map_err(|_other| PayloadError::Broken)?;
        let mut rows = Vec::with_capacity(written.rows.len());
        for WrittenRow { table, key, row } in written.rows {
            // A table that this version does not know would be lost if it were left out.
            let table = Table::ALL.into_iter().find(|known| known.name() == table).ok_or(PayloadError::Newer)?;
            let key = RowKey::from_parts(key.parts().to_vec()).ok_or(PayloadError::Broken)?;
            if row.fields.keys().any(|field| !row.stamps.contains_key(field)) {
                return Err(PayloadError::Broken);
            }
            rows.push((RowRef { table, key }, row));
        }
        Ok(Self { rows, blobs: written.blobs, seen: written.seen })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sync::Stamp;
    use crate::time::Timestamp;

    fn packed(json: &serde_json::Value) -> Vec<u8> {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(json.to_string().as_bytes()).expect("is written");
        packed.finish().expect("is written")
    }

    /// I9
    #[test]
    fn rows_as_they_are_sealed() {
        let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let stamp = Stamp::first(Timestamp::from_millis(1), device.clone());
        let theme = StoredRow {
            fields: json!({"key": "theme"}).as_object().expect("an object").clone(),
            stamps: BTreeMap::from([("key".to_owned(), stamp.clone())]),
            deleted: None,
        };
        let gone = StoredRow { deleted: Some(stamp), ..StoredRow::default() };
        let row = |key| RowRef { table: Table::Settings, key: RowKey::one(key) };
        let rows = Rows {
            rows: vec![(row("theme"), theme), (row("gone"), gone)],
            blobs: vec![BlobId::of(b"file")],
            seen: BTreeMap::from([(device, 7)]),
        };
        let packed = rows.clone().write();
        let mut json = String::new();
        DeflateDecoder::new(packed.as_slice()).read_to_string(&mut json).expect("unpacks");
        insta::assert_snapshot!(json, @r#"{"format":1,"rows":[{"table":"settings","key":["theme"],"row":{"fields":{"key":"theme"},"stamps":{"key":"000000000001-00000000-0198c5a4-7c1e-7000-8000-0000000000d1"}}},{"table":"settings","key":["gone"],"row":{"fields":{},"stamps":{},"deleted":"000000000001-00000000-0198c5a4-7c1e-7000-8000-0000000000d1"}}],"blobs":["3b9c358f36f0a31b6ad3e14f309c7cf198ac9246e8316f9ce543d5b19ac02b80"],"seen":{"0198c5a4-7c1e-7000-8000-0000000000d1":7}}"#);
        assert_eq!(Rows::read(&packed), Ok(rows));
    }

    #[test]
    fn what_a_newer_version_wrote_is_not_taken_for_damage() {
        assert_eq!(Rows::read(&packed(&json!({"format": 2, "rows": "other"}))), Err(PayloadError::Newer));
        let unknown =
            json!({"format": 1, "rows": [{"table": "dreams", "key": ["1"], "row": {"fields": {}, "stamps": {}}}]});
        assert_eq!(Rows::read(&packed(&unknown)), Err(PayloadError::Newer));
        for broken in [json!({}), json!({"format": 1}), json!(1)] {
            assert_eq!(Rows::read(&packed(&broken)), Err(PayloadError::Broken), "{broken}");
        }
        let unstamped =
            json!({"format": 1, "rows": [{"table": "kv", "key": ["1"], "row": {"fields": {"a": 1}, "stamps": {}}}]});
        assert_eq!(Rows::read(&packed(&unstamped)), Err(PayloadError::Broken));
        assert_eq!(Rows::read(b"not packed"), Err(PayloadError::Broken));
    }
}

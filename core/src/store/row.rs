//! A row as it is kept: its fields, and when each was last written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::StoreError;
use crate::record::{Record, RowRef};
use crate::sync::Stamp;

/// A row with its stamps. Deleting it leaves a tombstone, a row with no fields, so that other devices learn of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredRow {
    /// The values.
    pub fields: Map<String, Value>,
    /// When each field was last written.
    pub stamps: BTreeMap<String, Stamp>,
    /// When the row was last deleted, if ever. Fields written later mean that it lives again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Stamp>,
}

/// One row that has to be sent, with its newest stamp when the entry was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxEntry {
    /// The row.
    pub row: RowRef,
    /// Its newest stamp.
    pub stamp: Stamp,
}

impl StoredRow {
    /// The newest stamp of the row: what a commit names that relies on the row being unchanged.
    #[must_use]
    pub fn stamp(&self) -> Option<&Stamp> {
        self.stamps.values().chain(&self.deleted).max()
    }

    /// Whether the row counts as there: it was never deleted, or written again since.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.deleted.is_none() || self.stamps.values().max() > self.deleted.as_ref()
    }

    /// The typed record in this row; `row` is only for the error.
    pub fn record<R: Record>(self, row: &RowRef) -> Result<R, StoreError> {
        serde_json::from_value(Value::Object(self.fields))
            .map_err(|source| StoreError::Unreadable { row: row.clone(), source })
    }
}

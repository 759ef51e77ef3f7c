//! What is wanted of a store's rows, and reading what was found as records.

use super::{StoreError, StoredRow};
use crate::record::{Record, RowKey, RowRef, Table};

/// Rows that are wanted. Deleted ones are never found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lookup<'a> {
    /// One row.
    Row(&'a RowRef),
    /// All rows of a table.
    All(Table),
    /// The rows of a table whose field has this value. The field is one of [`Table::indexed`], so that the cost grows with what is
    /// found and not with the table.
    Where(Table, &'a str, &'a str),
}

/// Rows that were found, sorted by key.
pub type Rows = Vec<(RowKey, StoredRow)>;

impl<'a> Lookup<'a> {
    /// The rows of a record's table whose indexed field has this value.
    #[must_use]
    pub fn records_where<R: Record>(field: &'a str, value: &'a str) -> Self {
        Self::Where(R::TABLE, field, value)
    }

    /// The table that is looked into.
    #[must_use]
    pub fn table(&self) -> Table {
        match self {
            Self::Row(row) => row.table,
            Self::All(table) | Self::Where(table, ..) => *table,
        }
    }
}

/// The record of a row that was looked up, if it was found.
pub fn record_of<R: Record>(found: Rows) -> Result<Option<R>, StoreError> {
    records_of(found).pop().transpose()
}

/// The records of rows that were looked up. One that cannot be read does not hide the others: it comes as its own error.
#[must_use]
pub fn records_of<R: Record>(found: Rows) -> Vec<Result<R, StoreError>> {
    found.into_iter().map(|(key, stored)| stored.record(&RowRef { table: R::TABLE, key })).collect()
}

//! What a file may not loosen: whether a tool asks before it runs, and whether a saved toolset takes tools that have changed.
//!
//! Both are the user's to say, here. A file may make a tool ask that did not; that it stops asking is taken from no file, whatever stamps
//! it claims. Whoever wants a tool not to ask says so once more.

use serde_json::Value;

use crate::record::{RowRef, Table};
use crate::store::StoredRow;

/// The field of a table that is guarded, and the value that a file may give it.
const GUARDED: [(Table, &str, bool); 2] =
    [(Table::ToolOverrides, "requires_confirmation", true), (Table::SavedToolsets, "allow_stale_refs", false)];

/// A row of a file, with what it may not loosen as it is here.
pub(super) fn restrained(row: &RowRef, theirs: &StoredRow, ours: Option<&StoredRow>) -> StoredRow {
    let mut taken = theirs.clone();
    let Some((_, field, strict)) = GUARDED.into_iter().find(|(table, ..)| *table == row.table) else { return taken };
    if theirs.fields.get(field) == Some(&strict.into()) {
        return taken;
    }
    match ours.filter(|ours| ours.is_alive()) {
        Some(ours) => {
            copy(&mut taken.fields, &ours.fields, field);
            match ours.stamps.get(field) {
                Some(stamp) => drop(taken.stamps.insert(field.to_owned(), stamp.clone())),
                None => drop(taken.stamps.remove(field)),
            }
        }
        // Nobody has said anything here: it is as it is declared.
        None if taken.fields.contains_key(field) => {
            let unsaid = if row.table == Table::SavedToolsets { strict.into() } else { Value::Null };
            taken.fields.insert(field.to_owned(), unsaid);
        }
        None => {}
    }
    taken
}

fn copy(to: &mut serde_json::Map<String, Value>, from: &serde_json::Map<String, Value>, field: &str) {
    match from.get(field) {
        Some(value) => drop(to.insert(field.to_owned(), value.clone())),
        None => drop(to.remove(field)),
    }
}

//! Two states of one row as one.
//!
//! Of every field the newer write stays; a deletion takes away every field that is not newer than it. That is a join: the order in which
//! states meet, and how often they do, makes no difference. A field that was written after the deletion brings the row back, but only
//! itself; whoever still has the others writes them again ([`take`]), as a change of its own. So what the join gives stays a
//! join, and a row that comes back comes back whole.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::record::{RowRef, Scope, Table};
use crate::store::{OutboxEntry, RowWrite, StoredRow, Writes};
use crate::sync::Stamp;

/// A row as another device has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Theirs {
    /// The row.
    pub row: RowRef,
    /// Its state there.
    pub stored: StoredRow,
    /// The row that it is a part of, the chat of a message or the toolset of a package, for a deletion that may have been taken back.
    pub part_of: Option<RowRef>,
}

/// Rows of other devices in a commit. Made by [`Incoming::new`] alone, which brings the code that takes them: a page that never syncs
/// does without it.
#[derive(Clone, Debug)]
pub struct Incoming {
    rows: Vec<Theirs>,
    pub(crate) take: fn(&[Theirs], &mut BTreeMap<RowRef, StoredRow>, &mut Writes),
}

impl Incoming {
    /// Rows to be merged with those that are there. Rows of tables that never leave a device are not taken from another one.
    #[must_use]
    pub fn new(mut rows: Vec<Theirs>) -> Self {
        rows.retain(|theirs| theirs.row.table.scope() == Scope::Synced);
        // Chats before what belongs to them.
        rows.sort_by(|a, b| a.row.cmp(&b.row));
        Self { rows, take }
    }

    /// The rows, sorted.
    #[must_use]
    pub fn rows(&self) -> &[Theirs] {
        &self.rows
    }
}

/// Both states as one: commutative, associative and idempotent.
#[must_use]
pub fn merge(ours: &StoredRow, theirs: &StoredRow) -> StoredRow {
    let deleted = ours.deleted.clone().max(theirs.deleted.clone());
    let mut names: Vec<&String> = ours.stamps.keys().chain(theirs.stamps.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let (mut fields, mut stamps) = (Map::new(), BTreeMap::new());
    for name in names {
        let Some((value, stamp)) = newer(write_of(ours, name), write_of(theirs, name)) else { continue };
        if Some(stamp) > deleted.as_ref() {
            fields.insert(name.clone(), value.clone());
            stamps.insert(name.clone(), stamp.clone());
        }
    }
    StoredRow { fields, stamps, deleted }
}

type Write<'a> = Option<(&'a Value, &'a Stamp)>;

fn write_of<'a>(row: &'a StoredRow, name: &str) -> Write<'a> {
    row.fields.get(name).zip(row.stamps.get(name))
}

/// The newer of two writes of a field. No device makes one stamp for two values; should one have, all choose the same of them.
fn newer<'a>(ours: Write<'a>, theirs: Write<'a>) -> Write<'a> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => {
            let order = ours.1.cmp(theirs.1).then_with(|| ours.0.to_string().cmp(&theirs.0.to_string()));
            Some(if order.is_lt() { theirs } else { ours })
        }
        (ours, theirs) => ours.or(theirs),
    }
}

/// Merges rows of other devices into those that are there, and writes again what a deletion would have taken from a row that lives.
fn take(incoming: &[Theirs], rows: &mut BTreeMap<RowRef, StoredRow>, writes: &mut Writes) {
    for Theirs { row, stored: theirs, part_of } in incoming {
        let ours = rows.get(row).cloned().unwrap_or_default();
        let mut merged = merge(&ours, theirs);
        let lost = if merged.fields.is_empty() {
            // The deletion of a chat was taken back, or a toolset has come to use a package again; what was deleted with it comes back too,
            // from whoever has it.
            let whole = part_of.as_ref().and_then(|whole| Some((whole, rows.get(whole)?)));
            let taken_back = whole.is_some_and(|(of, whole)| match of.table {
                Table::Toolsets => {
                    whole.fields.get("package").and_then(Value::as_str) == row.key.parts().first().map(String::as_str)
                }
                _ => whole.is_alive() && whole.deleted == merged.deleted,
            });
            if taken_back && !ours.fields.is_empty() { lost(&merged, &ours, &ours) } else { Map::new() }
        } else {
            lost(&merged, &ours, theirs)
        };
        if !lost.is_empty() {
            let stamp = writes.stamp.clone().max(writes.after(merged.stamp()));
            for (name, value) in lost {
                merged.stamps.insert(name.clone(), stamp.clone());
                merged.fields.insert(name, value);
            }
            writes.outbox.push(OutboxEntry { row: row.clone(), stamp });
        }
        if merged != ours {
            rows.insert(row.clone(), merged.clone());
            writes.rows.insert(row.clone(), RowWrite::Put(merged));
        }
    }
}

/// The fields that one of two states had and their merge has not, each as it was written last.
fn lost(merged: &StoredRow, ours: &StoredRow, theirs: &StoredRow) -> Map<String, Value> {
    let names = ours.fields.keys().chain(theirs.fields.keys()).filter(|name| !merged.fields.contains_key(*name));
    names
        .filter_map(|name| Some((name.clone(), newer(write_of(ours, name), write_of(theirs, name))?.0.clone())))
        .collect()
}

#[cfg(test)]
mod tests;

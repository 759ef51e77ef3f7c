//! Toolsets are switched on and off, go, and come back for a while (C50).
//!
//! Installing is [`bundle`](crate::bundle)'s matter. Uninstalling writes nothing but a mark, so that undoing it brings back everything: the
//! user's overrides, switches and servers too. Whoever looks for tools skips a toolset that has the mark.

use super::described::described_prefix;
use super::{ToolsetId, built_in};
use crate::record::{RowRef, Table, Toolset};
use crate::store::{Commit, Store, StoreError};
use crate::time::Timestamp;

/// The limits of toolsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolsetLimits {
    /// For how many milliseconds an uninstalled toolset can be brought back.
    pub undo_millis: u64,
}

impl Default for ToolsetLimits {
    fn default() -> Self {
        Self { undo_millis: 48 * 60 * 60 * 1_000 }
    }
}

/// A toolset that is compiled in cannot go (R087).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is built in and cannot be uninstalled; switch it off instead")]
pub struct BuiltInStays(pub ToolsetId);

/// Moves the master switch. The switches of the tools keep their values (C54), and when the toolset was last modified does
/// not change (C29).
#[must_use]
pub fn set_enabled(toolset: &Toolset, enabled: bool) -> Commit {
    if toolset.is_built_in {
        return built_in::set_enabled(&toolset.id, enabled);
    }
    Commit::default().change(toolset, &Toolset { enabled, ..toolset.clone() })
}

/// Uninstalls a toolset so that it can be brought back.
pub fn soft_delete(toolset: &Toolset, now: Timestamp) -> Result<Commit, BuiltInStays> {
    if toolset.is_built_in {
        return Err(BuiltInStays(toolset.id.clone()));
    }
    let soft_deleted_at = toolset.soft_deleted_at.or(Some(now));
    Ok(Commit::default().change(toolset, &Toolset { soft_deleted_at, ..toolset.clone() }))
}

/// Brings an uninstalled toolset back, just as it was.
#[must_use]
pub fn restore(toolset: &Toolset) -> Commit {
    if toolset.is_built_in {
        // It never goes.
        return Commit::default();
    }
    Commit::default().change(toolset, &Toolset { soft_deleted_at: None, ..toolset.clone() })
}

/// Until when an uninstalled toolset can be brought back.
#[must_use]
pub fn undo_ends(toolset: &Toolset, limits: ToolsetLimits) -> Option<Timestamp> {
    toolset.soft_deleted_at.map(|deleted| deleted.later_by(limits.undo_millis))
}

/// Whether the time in which the toolset could be brought back is over.
#[must_use]
pub fn is_due_for_purge(toolset: &Toolset, limits: ToolsetLimits, now: Timestamp) -> bool {
    undo_ends(toolset, limits).is_some_and(|end| now >= end)
}

/// Deletes for good the toolsets whose time is over, each with every row that belongs to it, of all its versions (R126). Their blobs are
/// freed by the clean-up, if nothing else names them. Gives those that went.
pub async fn purge_expired(
    store: &impl Store,
    limits: ToolsetLimits,
    now: Timestamp,
) -> Result<Vec<ToolsetId>, StoreError> {
    let mut gone = Vec::new();
    for (key, stored) in store.rows(Table::Toolsets).await? {
        let row = RowRef { table: Table::Toolsets, key };
        let stamp = stored.stamp().cloned();
        // A row that cannot be read is never deleted by itself (R030).
        let Ok(toolset) = stored.record::<Toolset>(&row) else { continue };
        if !is_due_for_purge(&toolset, limits, now) {
            continue;
        }
        let mut commit = Commit::default().expect(row.clone(), stamp).delete(row);
        commit.deletes.extend(rows_of(store, &toolset.id).await?);
        match store.apply(commit, now).await {
            Ok(_) => gone.push(toolset.id),
            // It was brought back in another tab just now.
            Err(StoreError::Changed(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(gone)
}

/// Every row that belongs to a toolset, but for its own. Its grants and approvals are among them: what the user has allowed it is not
/// for whoever brings another toolset of the same name.
async fn rows_of(store: &impl Store, id: &ToolsetId) -> Result<Vec<RowRef>, StoreError> {
    let mut rows = Vec::new();
    for table in [
        Table::Packages,
        Table::PythonPackages,
        Table::ToolOverrides,
        Table::ToolsetMcpServers,
        Table::McpSeen,
        Table::Grants,
    ] {
        let found = store.rows_where(table, "toolset_id", id.as_str()).await?;
        rows.extend(found.into_iter().map(|(key, _)| RowRef { table, key }));
    }
    let packages: Vec<String> = (rows.iter().filter(|row| row.table == Table::Packages))
        .flat_map(|row| row.key.parts().first().cloned())
        .collect();
    for package in &packages {
        for table in [Table::Tools, Table::ToolsetFiles, Table::ToolRenderConfigs] {
            let found = store.rows_where(table, "package", package).await?;
            rows.extend(found.into_iter().map(|(key, _)| RowRef { table, key }));
        }
    }
    // `{toolset}:{tool}`, or `mcp:{toolset}~{server}:{tool}`.
    let starts = [format!("{id}:"), format!("mcp:{id}~")];
    let is_own = |part: &String| starts.iter().any(|start| part.starts_with(start));
    for table in [Table::Approvals, Table::Pins, Table::ToolMetrics] {
        let keys = store.rows(table).await?.into_iter().map(|(key, _)| key);
        rows.extend(keys.filter(|key| key.parts().first().is_some_and(is_own)).map(|key| RowRef { table, key }));
    }
    let described = |parts: &[String]| {
        parts.first().is_some_and(|key| packages.iter().any(|package| key.starts_with(&described_prefix(package))))
    };
    let kept = store.rows(Table::Kv).await?.into_iter().map(|(key, _)| key);
    rows.extend(kept.filter(|key| described(key.parts())).map(|key| RowRef { table: Table::Kv, key }));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use crate::at_once::at_once;
    use serde_json::{Value, json};

    use super::super::sample::{Device, MIXED, PYTHON};
    use super::*;
    use crate::record::{Approval, Grant, KeptValue, ToolMetrics};

    const HOURS: u64 = 60 * 60 * 1_000;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn only_put(commit: &Commit) -> Value {
        assert_eq!((commit.puts.len(), commit.deletes.len()), (1, 0));
        Value::Object(commit.puts[0].fields.clone())
    }

    /// C29, C54: a switch is one field.
    #[test]
    fn the_switch_changes_nothing_else() {
        let toolset = Device::with(PYTHON).only().toolset;
        assert_eq!(only_put(&set_enabled(&toolset, false)), json!({"enabled": false}));
        assert_eq!(only_put(&set_enabled(&toolset, true)), json!({}));
    }

    /// C50, R319: uninstalling can be undone, and writes nothing but a mark.
    #[test]
    fn an_uninstalled_toolset_can_be_brought_back() {
        let device = Device::with(MIXED);
        let before = device.only().toolset;
        let deleted = soft_delete(&before, at(5)).expect("is not built in");
        assert_eq!(only_put(&deleted), json!({"soft_deleted_at": "1970-01-01T00:00:00.005Z"}));
        device.apply(deleted);
        assert!(device.list().toolsets.iter().all(|installed| installed.toolset.is_built_in));
        let gone = device.find("mixed").expect("is still there").toolset;
        assert_eq!(only_put(&soft_delete(&gone, at(9)).expect("is not built in")), json!({}));
        device.apply(restore(&gone));
        assert_eq!(device.only().toolset, before);
    }

    /// R087
    #[test]
    fn a_built_in_toolset_stays() {
        let toolset = Toolset { is_built_in: true, ..Device::with(PYTHON).only().toolset };
        let refused = soft_delete(&toolset, at(5)).expect_err("is refused");
        assert_eq!(refused.to_string(), "python-only is built in and cannot be uninstalled; switch it off instead");
    }

    /// What was allowed, learnt and counted of a toolset.
    fn allow(device: &Device, toolset: &str) {
        let id = ToolsetId::parse(toolset).expect("is a name");
        let tool_id = crate::catalog::ToolId::parse(&format!("{toolset}:first")).expect("is a tool id");
        let hash = crate::digest::BlobId::of(b"definition");
        let package = device.find(toolset).expect("is there").toolset.package;
        let kept = KeptValue { key: format!("described/{package}/a:b"), value: json!({}) };
        let approval = Approval { tool_id: tool_id.clone(), chat_id: None, definition_hash: hash, approved_at: at(1) };
        let metrics = ToolMetrics {
            tool_id,
            calls: 1,
            errors: 0,
            total_millis: 1,
            longest_millis: 1,
            last_called_at: None,
            recent: Vec::new(),
        };
        let grant = Grant { toolset_id: id, host: "x.test".into(), granted_at: at(1) };
        device.apply(Commit::default().put(&grant).put(&approval).put(&metrics).put(&kept));
    }

    /// C50, R126: after 48 hours, not before, and nothing of another toolset.
    #[test]
    fn what_is_due_goes_with_all_its_rows() {
        let device = Device::with(PYTHON);
        allow(&device, "python-only");
        let others = device.rows();
        device.install(MIXED);
        allow(&device, "mixed");
        device.install(&MIXED.replace("1.0.0", "2.0.0"));
        let mixed = device.find("mixed").expect("is there").toolset;
        device.apply(soft_delete(&mixed, at(1_000)).expect("is not built in"));
        let purge = |millis| {
            at_once(purge_expired(&device.store, ToolsetLimits::default(), at(millis))).expect("the store works")
        };
        let before = device.rows();
        assert_eq!(purge(1_000 + 48 * HOURS - 1), []);
        assert_eq!(device.rows(), before);
        assert_eq!(purge(1_000 + 48 * HOURS), [mixed.id]);
        assert_eq!(device.rows(), others);
    }

    #[test]
    fn what_is_in_use_never_goes() {
        let device = Device::with(PYTHON);
        let gone =
            at_once(purge_expired(&device.store, ToolsetLimits::default(), at(u64::MAX))).expect("the store works");
        assert_eq!((gone, device.only().toolset.id.as_str()), (vec![], "python-only"));
    }
}

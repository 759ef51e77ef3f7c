//! The hosts that the user has granted to a toolset.

use std::collections::BTreeSet;

use crate::catalog::ToolsetId;
use crate::record::{Grant, RowRef};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// The grants of a toolset. A row that cannot be read grants nothing.
pub async fn grants(store: &impl Store, toolset: &ToolsetId) -> Result<Vec<Grant>, StoreError> {
    let rows = store::list_where::<Grant>(store, "toolset_id", toolset.as_str()).await?;
    Ok(rows.into_iter().flatten().collect())
}

/// The hosts that are granted to a toolset.
pub async fn granted(store: &impl Store, toolset: &ToolsetId) -> Result<BTreeSet<String>, StoreError> {
    Ok(grants(store, toolset).await?.into_iter().map(|grant| grant.host).collect())
}

/// Grants a host, as [`Access::Ask`](super::Access::Ask) names it.
#[must_use]
pub fn grant(toolset: &ToolsetId, host: &str, now: Timestamp) -> Commit {
    Commit::default().put(&Grant { toolset_id: toolset.clone(), host: host.to_owned(), granted_at: now })
}

/// The name under which it is granted that a secret goes to a host. No host has a space in its name.
#[must_use]
pub fn secret_grant(host: &str, secret: &str) -> String {
    format!("{host} with {secret}")
}

/// Takes the grants of a host back, with those of the secrets that may go there.
#[must_use]
pub fn withdraw(grants: &[Grant], host: &str) -> Commit {
    let is_of =
        |grant: &&Grant| grant.host.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    grants.iter().filter(is_of).fold(Commit::default(), |commit, grant| commit.delete(RowRef::of(grant)))
}

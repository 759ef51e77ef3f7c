//! Pins: what a tool was when it was first used (C14).
//!
//! A tool is used when a model is offered it or when it is called, whichever comes first. From then on it has to stay what it is: its whole
//! definition, and who gives it, which is its package or its MCP server. One that has changed is switched off until somebody has looked at
//! what changed and approved it, and nothing that was approved before counts any more. To install a newer version is not to approve each of
//! its tools. A pin that cannot be read switches off as well.

use std::collections::BTreeMap;

use crate::approval::{self, Definition};
use crate::catalog::{EffectiveTool, ToolId};
use crate::digest::BlobId;
use crate::mcp::{Change, changes};
use crate::record::{Pin, RowRef, Tool};
use crate::store::{Commit, Rows, Store, StoreError};
use crate::time::Timestamp;

/// Whether a tool is what it was.
#[derive(Clone, Debug, PartialEq)]
pub enum PinStanding {
    /// It was never used.
    New,
    /// It is what it was.
    Same,
    /// It is something else.
    Changed(Box<Pin>),
    /// What it was cannot be read.
    Unreadable,
}

/// The standing of every tool that has no pin.
pub(crate) static NEVER_USED: PinStanding = PinStanding::New;

/// The pins of a toolset's tools, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Pins(BTreeMap<String, Result<Pin, StoreError>>);

impl Pins {
    pub(crate) fn read(rows: Rows) -> Self {
        let read = |(key, stored): (crate::record::RowKey, crate::store::StoredRow)| {
            let tool = key.parts().first().cloned().unwrap_or_default();
            (tool, stored.record(&RowRef::to::<Pin>(key)))
        };
        Self(rows.into_iter().map(read).collect())
    }

    /// How a tool stands that now has the definition of this name, which is asked for only where there is a pin.
    pub(crate) fn standing(&self, tool: &ToolId, hash: impl FnOnce() -> BlobId) -> PinStanding {
        match self.0.get(&tool.to_string()) {
            None => PinStanding::New,
            Some(Err(_)) => PinStanding::Unreadable,
            Some(Ok(pin)) if pin.definition_hash == hash() => PinStanding::Same,
            Some(Ok(pin)) => PinStanding::Changed(Box::new(pin.clone())),
        }
    }

    /// How the tools of a package stand; those that were never used are left out.
    pub(crate) fn of_package(&self, tools: &[Tool]) -> BTreeMap<ToolId, PinStanding> {
        let standing = |tool: &Tool| (tool.tool_id.clone(), self.standing(&tool.tool_id, || Definition::of(tool).hash));
        tools.iter().map(standing).filter(|(_, standing)| *standing != PinStanding::New).collect()
    }
}

/// What has changed about a tool since it was pinned, for people to read. Who gives it comes first, under `giver`: `package` or `server`.
#[must_use]
pub fn changes_since(pin: &Pin, now: &Definition, giver: &str) -> Vec<Change> {
    let mut found = changes(&pin.definition, &now.value);
    if pin.identity != now.identity {
        let (before, after) = (Some(pin.identity.clone().into()), Some(now.identity.clone().into()));
        found.insert(0, Change { path: giver.to_owned(), before, after });
    }
    found
}

/// Pins those of the tools that were never used before; to be applied before they are used.
#[must_use]
pub fn pin_first<'a>(tools: impl IntoIterator<Item = &'a EffectiveTool<'a>>, now: Timestamp) -> Commit {
    let new = tools.into_iter().filter(|tool| *tool.pin == PinStanding::New);
    new.fold(Commit::default(), |commit, tool| commit.put(&Definition::of_effective(tool).pin(tool, now)))
}

/// Takes a tool for what it is now: from here on it is pinned as that, and whoever was asked about it before is asked again.
pub async fn approve(store: &impl Store, tool: &EffectiveTool<'_>, now: Timestamp) -> Result<Commit, StoreError> {
    let withdrawn = approval::withdraw_all(store, &tool.declared.tool_id).await?;
    Ok(withdrawn.put(&Definition::of_effective(tool).pin(tool, now)))
}

#[cfg(test)]
mod tests;

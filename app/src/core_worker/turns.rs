//! The turns of core, as Web Locks: they hold over all tabs, and end with their tab however that ends.

use satchel_core::ids::ChatId;
use satchel_core::tool_run::{Turn, Turns, Waiting};

use super::left_runs;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::tab_roles::{BesideTurn, ChatTurn, RunTurn};

/// Gives turns. Who takes the first one to run a tool in this worker also ends what others have left.
pub(super) struct WebLocks<'a> {
    pub(super) store: &'a IndexedDbStore,
}

impl Turns for WebLocks<'_> {
    fn to_run<'a>(&'a self, chat: Option<&'a ChatId>) -> Waiting<'a> {
        left_runs::end_once(self.store);
        Box::pin(async move { Turn::held(RunTurn::wait(chat.map_or("", ChatId::as_str)).await) })
    }

    fn to_run_beside<'a>(&'a self, chat: &'a ChatId) -> Waiting<'a> {
        left_runs::end_once(self.store);
        Box::pin(async move { Turn::held(BesideTurn::wait(chat.as_str()).await) })
    }

    fn to_change<'a>(&'a self, chat: &'a ChatId) -> Waiting<'a> {
        Box::pin(async move { Turn::held(ChatTurn::wait(chat.as_str()).await) })
    }
}

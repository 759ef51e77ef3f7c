//! Calls that another tab or an earlier worker has left running are ended (R315).

use std::cell::Cell;

use satchel_core::tool_run;

use crate::browser::clock;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::spawn::spawn;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::{BesideTurn, RunTurn};

thread_local! {
    static BEGUN: Cell<bool> = const { Cell::new(false) };
}

/// Ends them, once in the life of this worker. A chat's turn is free as soon as whoever ran something in it has ended, in whichever way: a
/// tab that still runs it is waited for, and if it goes meanwhile, its call is ended here, at once.
pub(super) fn end_once(store: &IndexedDbStore) {
    if BEGUN.replace(true) {
        return;
    }
    let store = store.clone();
    spawn(async move {
        // What cannot be read or written now is tried again by the next worker; nothing depends on it but what is shown.
        let Ok(chats) = tool_run::chats_left_running(&store).await else { return };
        for chat in chats {
            let store = store.clone();
            spawn(async move {
                let _turns = (RunTurn::wait(chat.as_str()).await, BesideTurn::alone(chat.as_str()).await);
                let ended = tool_run::interrupt_left(&store, &chat, clock::now()).await.unwrap_or_default();
                if !ended.is_empty() {
                    tab_news::tell(Topic::Chats);
                }
            });
        }
    });
}

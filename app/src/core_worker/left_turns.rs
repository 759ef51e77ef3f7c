//! Answers that another tab or an earlier worker has left in the middle are brought to an end: what came is kept, and nothing is made again
//! (R315).

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use satchel_core::conversation::OpenChat;
use satchel_core::ids::ChatId;
use satchel_core::record::{Draft, RowKey, ToolCall};
use satchel_core::store::{self as rows, Store as _, StoreError};
use satchel_core::tool_run;
use satchel_core::turn::{At, Left, SavedAnswer, asked_calls, left_turns, saved_answer_place, take_over};

use super::answering::{self, AnsweringEvent, AnsweringNews};
use super::wish::Wish;
use crate::browser::core_worker::scope;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::spawn::spawn;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::{AnswerTurn, BesideTurn, ChatTurn, RunTurn};
use crate::browser::{clock, random};

thread_local! {
    static IS_WATCHING: Cell<bool> = const { Cell::new(false) };
    /// The chats whose turn is waited for.
    static AWAITED: RefCell<BTreeSet<ChatId>> = const { RefCell::new(BTreeSet::new()) };
}

/// Follows the answers of other tabs, for as long as this worker lives.
pub(super) fn watch(store: &IndexedDbStore) {
    if IS_WATCHING.replace(true) {
        return;
    }
    let of_news = store.clone();
    tab_news::on(Topic::Answers, move || look(&of_news));
    look(store);
}

/// Looks which chats are answered elsewhere, tells the page how far that has come, and waits for the turn of each: it is free as soon as
/// whoever answers has ended, in whichever way. One that has ended as it should has left nothing; what any other has left is ended here.
fn look(store: &IndexedDbStore) {
    let store = store.clone();
    spawn(async move {
        // What cannot be read or written now is tried again with the next news.
        let Ok(chats) = left_turns(&store).await else { return };
        for chat in chats.into_iter().filter(|chat| !answering::is_under_way(chat)) {
            tell(&store, &chat).await;
            if !AWAITED.with_borrow_mut(|awaited| awaited.insert(chat.clone())) {
                continue;
            }
            let store = store.clone();
            spawn(async move {
                let turn = AnswerTurn::wait(chat.as_str()).await;
                let is_ended = end(&store, &chat).await;
                AWAITED.with_borrow_mut(|awaited| awaited.remove(&chat));
                drop(turn);
                news(&chat, AnsweringEvent::Over);
                if matches!(is_ended, Ok(true)) {
                    tab_news::tell_every_tab(Topic::Chats);
                }
            });
        }
    });
}

/// Tells the page what another tab has saved of its answer.
async fn tell(store: &IndexedDbStore, chat: &ChatId) {
    let row = rows::get::<Draft>(store, RowKey::one(saved_answer_place(chat))).await.ok().flatten();
    let Some(saved) = row.as_ref().and_then(SavedAnswer::of) else { return };
    let Some(below) = saved.parent else { return };
    let calls = saved.draft.calls.into_iter().map(|call| call.name).collect();
    let reasoning = saved.draft.reasoning.into_iter().map(|thought| thought.text).collect();
    news(chat, AnsweringEvent::Elsewhere { below, message: saved.message, text: saved.draft.text, reasoning, calls });
}

fn news(chat: &ChatId, event: AnsweringEvent) {
    scope::wish(&Wish::Answering(AnsweringNews { chat: chat.clone(), event }));
}

/// Ends what was left in a chat; whether there was anything. Whoever calls this has the chat's turn to answer, and does not yet.
pub(super) async fn end(store: &IndexedDbStore, chat: &ChatId) -> Result<bool, StoreError> {
    if !left_turns(store).await?.contains(chat) {
        return Ok(false);
    }
    let _runs = (RunTurn::wait(chat.as_str()).await, BesideTurn::alone(chat.as_str()).await);
    // Calls that ran are ended first: each becomes an answer.
    tool_run::interrupt_left(store, chat, clock::now()).await?;
    let _change = ChatTurn::wait(chat.as_str()).await;
    let Some(open) = OpenChat::open(store, chat).await? else { return Ok(false) };
    let calls: Vec<ToolCall> =
        rows::list_where::<ToolCall>(store, "chat_id", chat.as_str()).await?.into_iter().flatten().collect();
    let saved: Option<Draft> = rows::get(store, RowKey::one(saved_answer_place(chat))).await?;
    let asked = asked_calls(store, chat).await?;
    let left = Left { chat, tree: &open.tree, calls: &calls, asked: &asked, saved: saved.as_ref() };
    let commit = take_over(left, &At { now: clock::now(), fresh_id: &random::uuid_v7 });
    store.apply(commit, clock::now()).await?;
    Ok(true)
}

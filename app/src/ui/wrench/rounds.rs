//! How many rounds of tool calls an answer of this chat may take (R191).

use leptos::prelude::*;
use satchel_core::settings::ITERATIONS;
use satchel_core::turn::USUAL_ROUNDS;

use crate::browser::spawn::spawn;
use crate::state::{Chats, CurrentSettings, NoticeKind, Notices, OpenedChat, Storage};
use crate::work::selection;

/// The number, in a chat that has begun; empty for what the settings say.
#[component]
pub(super) fn ChatRounds() -> impl IntoView {
    let (opened, chats, notices, storage) =
        (OpenedChat::expect(), Chats::expect(), Notices::expect(), Storage::expect());
    let of_settings = CurrentSettings::expect().max_tool_iterations();
    let chat = Memo::new(move |_| opened.open().map(|open| (open.chat.id, open.chat.max_tool_iterations)));
    let typed = move |event: leptos::ev::Event| {
        let Some((id, _)) = chat.get_untracked() else { return };
        let text = event_target_value(&event);
        let rounds = match text.trim() {
            "" => None,
            number => match number.parse::<u32>() {
                Ok(number) => Some(number.clamp(*ITERATIONS.start(), *ITERATIONS.end())),
                Err(_not_a_number) => return,
            },
        };
        spawn(async move {
            match selection::limit_rounds(&storage.store(), &id, rounds).await {
                Ok(()) => chats.changed().await,
                Err(error) => notices.show(NoticeKind::Error, format!("The number of rounds was not saved: {error}.")),
            }
        });
    };
    let own = move || chat.get().and_then(|(_, rounds)| rounds).map(|rounds| rounds.to_string()).unwrap_or_default();
    let usual = move || of_settings.get().unwrap_or(USUAL_ROUNDS).to_string();
    view! {
        <Show when=move || chat.with(Option::is_some)>
            <div class="wrench-rounds">
                <label for="chat-rounds">"Rounds of tool calls per answer in this chat"</label>
                <input
                    class="input"
                    id="chat-rounds"
                    type="number"
                    inputmode="numeric"
                    step="1"
                    min=ITERATIONS.start().to_string()
                    max=ITERATIONS.end().to_string()
                    placeholder=usual
                    data-testid="chat-tool-iterations-input"
                    prop:value=own
                    on:change=typed
                />
            </div>
        </Show>
    }
}

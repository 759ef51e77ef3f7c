//! The chats that were deleted and can still be brought back.

use leptos::prelude::*;

use super::section::{Section, SectionId};
use crate::browser::clock;
use crate::state::Chats;
use crate::ui::parts::Removal;
use crate::work::chats::DeletedChat;

/// The section of deleted chats.
#[component]
pub(crate) fn DeletedChatsSection() -> impl IntoView {
    let chats = Chats::expect();
    view! {
        <Section
            id=SectionId::DeletedChats
            about="A deleted chat can be restored for two days, with its files. After that it is gone for good."
        >
            <Show
                when=move || chats.has_deleted()
                fallback=|| view! { <p class="row field-hint">"No chat was deleted in the last two days."</p> }
            >
                <For each=move || chats.deleted() key=|deleted| deleted.chat.id.clone() let:deleted>
                    <DeletedRow deleted />
                </For>
            </Show>
        </Section>
    }
}

#[component]
fn DeletedRow(
    /// The chat.
    deleted: DeletedChat,
) -> impl IntoView {
    let chats = Chats::expect();
    let DeletedChat { chat, until } = deleted;
    let (title, test_id) = (chat.title.clone(), format!("chat-purge-{}", chat.id));
    let (label, what) = (format!("Restore {title}"), title.clone());
    let chat = StoredValue::new(chat);
    view! {
        <div class="row" data-testid="deleted-chat">
            <div class="field">
                <div class="field-label">{title}</div>
                <p class="field-hint">"Until " {clock::in_words(until)}</p>
            </div>
            <div class="row-buttons">
                <button
                    class="button button-small"
                    type="button"
                    aria-label=label
                    data-testid="chat-restore"
                    on:click=move |_| chats.restore(chat.get_value())
                >
                    "Restore"
                </button>
                <Removal
                    what
                    test_id
                    verb="Delete for good"
                    sure="Yes, delete it"
                    ok_test_id="confirm-ok"
                    on_remove=move || chats.purge(chat.get_value())
                />
            </div>
        </div>
    }
}

//! The bar at the bottom of a phone: one pane at a time, and the way from one to the next.

use leptos::prelude::*;

use crate::state::{OpenedChat, Pane, Panes, Place};
use crate::ui::parts::{Icon, IconName};

/// The bar at the bottom of a phone.
#[component]
pub(crate) fn TabBar(
    /// Where the user is.
    #[prop(into)]
    place: Signal<Place>,
) -> impl IntoView {
    let (panes, opened) = (Panes::expect(), OpenedChat::expect());
    let current = move |pane: Pane| panes.shown() == pane;
    let in_chat = move || current(Pane::Main) && place.get() == Place::Chat;
    let elsewhere = move || current(Pane::More) || (current(Pane::Main) && place.get() != Place::Chat);
    view! {
        <nav class="tab-bar" aria-label="Panes">
            <button
                class="tab"
                type="button"
                aria-current=move || mark(current(Pane::Chats))
                on:click=move |_| panes.show(Pane::Chats)
            >
                <Icon name=IconName::Chats />
                "Chats"
            </button>
            <a
                class="tab"
                href=move || opened.address()
                aria-current=move || mark(in_chat())
                on:click=move |_| panes.show(Pane::Main)
            >
                <Icon name=IconName::Chat />
                "Chat"
            </a>
            // Files belong to a chat, so this leads to the chat page as well.
            <a
                class="tab"
                href=move || opened.address()
                aria-current=move || mark(current(Pane::Files))
                on:click=move |_| panes.show(Pane::Files)
            >
                <Icon name=IconName::Files />
                "Files"
            </a>
            <button
                class="tab"
                type="button"
                aria-current=move || mark(elsewhere())
                on:click=move |_| panes.show(Pane::More)
            >
                <Icon name=IconName::More />
                "More"
            </button>
        </nav>
    }
}

fn mark(is_current: bool) -> Option<&'static str> {
    is_current.then_some("true")
}

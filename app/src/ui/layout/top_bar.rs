//! The bar above the page: where the user is, what is wrong with the connection, and the buttons that open side panes.

use leptos::prelude::*;

use crate::browser::page;
use crate::state::{Connection, Pane, Panes, Place, Search, Storage, SyncStatus};
use crate::ui::parts::{Icon, IconName};

/// The bar above the page.
#[component]
pub(crate) fn TopBar(
    /// Where the user is.
    #[prop(into)]
    place: Signal<Place>,
) -> impl IntoView {
    let (panes, search) = (Panes::expect(), Search::expect());
    view! {
        <header class="top-bar">
            <button
                class="icon-button desk-only open-sidebar"
                type="button"
                aria-label="Open the sidebar"
                title="Open the sidebar"
                on:click=move |_| panes.change(|open| open.sidebar = true)
            >
                <Icon name=IconName::LeftPane />
            </button>
            <button
                class="icon-button narrow-only tablet-only"
                type="button"
                aria-label="Open the menu"
                aria-controls="sidebar"
                on:click=move |_| open_drawer(panes, Pane::Chats, "close-sidebar")
            >
                <Icon name=IconName::Menu />
            </button>
            <div class="top-bar-title">{move || place.get().name()}</div>
            <Badges />
            <button
                class="icon-button top-bar-search"
                type="button"
                aria-label="Search"
                title="Search"
                aria-haspopup="dialog"
                on:click=move |_| search.open()
            >
                <Icon name=IconName::Search />
            </button>
            <button
                class="icon-button desk-only open-workspace"
                type="button"
                aria-label="Open the workspace"
                title="Open the workspace"
                on:click=move |_| panes.change(|open| open.workspace = true)
            >
                <Icon name=IconName::RightPane />
            </button>
            <button
                class="icon-button narrow-only tablet-only open-workspace"
                type="button"
                aria-label="Open the workspace"
                aria-controls="workspace"
                on:click=move |_| open_drawer(panes, Pane::Files, "close-workspace")
            >
                <Icon name=IconName::RightPane />
            </button>
        </header>
    }
}

/// What is not as it should be, for as long as it is so.
#[component]
fn Badges() -> impl IntoView {
    let connection = Connection::expect();
    let not_saved = (!Storage::expect().is_kept()).then(|| {
        view! {
            <span
                class="badge"
                data-kind="caution"
                data-testid="not-saved-badge"
                title="Everything is lost when this tab closes"
            >
                <Icon name=IconName::Warning small=true />
                "Not saved"
            </span>
        }
    });
    let trouble = move || {
        connection.trouble().map(|words| {
            view! {
                <span class="badge" data-kind="caution" data-testid="offline-badge">
                    <Icon name=IconName::Offline small=true />
                    {words}
                </span>
            }
        })
    };
    let status = SyncStatus::expect();
    let sync = move || {
        status.badge(connection.trouble().is_none()).map(|(kind, words)| {
            view! {
                <a class="badge" data-kind=kind data-testid="sync-badge" href="/ui/settings#sync">
                    <Icon name=IconName::Update small=true />
                    {words}
                </a>
            }
        })
    };
    view! {
        {not_saved}
        {sync}
        <div role="status">{trouble}</div>
    }
}

/// Opens a drawer and takes the focus into it, once it is drawn.
fn open_drawer(panes: Panes, pane: Pane, close_button: &'static str) {
    panes.show(pane);
    request_animation_frame(move || page::focus(close_button));
}

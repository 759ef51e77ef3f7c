//! The left pane: the places of the app and the chats.

use leptos::prelude::*;

use crate::browser::page;
use crate::state::{Address, Answers, Chats, Pane, Panes, Place, Search};
use crate::ui::parts::{Icon, IconName, Logo};
use crate::ui::settings::section::SectionId;

/// The left pane.
#[component]
pub(crate) fn Sidebar() -> impl IntoView {
    let panes = Panes::expect();
    let start_chat = move |_| {
        panes.show(Pane::Main);
        // The composer may only be drawn after this click.
        request_animation_frame(|| page::focus("chat-input"));
    };
    view! {
        <nav class="sidebar" id="sidebar" aria-label="Main">
            <div class="pane-head">
                <a class="brand" href=Place::Chat.path() on:click=move |_| panes.show(Pane::Main)>
                    <Logo />
                    "Satchel"
                </a>
                <button
                    class="icon-button desk-only"
                    type="button"
                    aria-label="Close the sidebar"
                    title="Close the sidebar"
                    on:click=move |_| panes.change(|open| open.sidebar = false)
                >
                    <Icon name=IconName::LeftPane />
                </button>
                <button
                    class="icon-button narrow-only tablet-only"
                    id="close-sidebar"
                    type="button"
                    aria-label="Close the menu"
                    on:click=move |_| panes.show(Pane::Main)
                >
                    <Icon name=IconName::Close />
                </button>
            </div>
            <div class="sidebar-body">
                <a
                    class="button button-wide new-chat"
                    href=Place::Chat.path()
                    data-testid="new-chat"
                    on:click=start_chat
                >
                    <Icon name=IconName::Plus small=true />
                    "New chat"
                </a>
                <SearchButton />
                <ul class="nav-list sidebar-places">
                    {Place::ALL.map(|place| view! { <PlaceLink place /> }).collect_view()}
                </ul>
                <section class="sidebar-chats" aria-labelledby="chats-label">
                    <h2 class="sidebar-label" id="chats-label">"Chats"</h2>
                    <ChatList />
                    <DeletedLink />
                </section>
            </div>
        </nav>
    }
}

/// Opens the box that finds anything.
#[component]
fn SearchButton() -> impl IntoView {
    let search = Search::expect();
    let keys = if page::has_command_key() { "⌘ K" } else { "Ctrl K" };
    view! {
        <button
            class="nav-link search-button"
            type="button"
            data-testid="search-open"
            aria-keyshortcuts="Control+K Meta+K"
            aria-haspopup="dialog"
            on:click=move |_| search.open()
        >
            <Icon name=IconName::Search />
            "Search"
            <kbd class="search-keys" aria-hidden="true">{keys}</kbd>
        </button>
    }
}

/// The chats of this device, the latest first.
#[component]
fn ChatList() -> impl IntoView {
    let (answers, chats, panes) = (Answers::expect(), Chats::expect(), Panes::expect());
    view! {
        <Show
            when=move || !chats.list().is_empty()
            fallback=|| view! { <p class="sidebar-empty">"No chats on this device."</p> }
        >
            <ul class="nav-list">
                <For each=move || chats.list() key=|chat| (chat.id.clone(), chat.title.clone()) let:chat>
                    <li data-testid="chat-list-item" on:click=move |_| panes.show(Pane::Main)>
                        <NavLink path=format!("/ui/chat/{}", chat.id) class="nav-link chat-link">
                            <span class="chat-link-title">{chat.title}</span>
                            {move || {
                                answers
                                    .coming(&chat.id)
                                    .is_some()
                                    .then(|| {
                                        view! {
                                            <span class="spinner chat-link-spinner" data-testid="chat-being-answered" role="img" aria-label="is being answered"></span>
                                        }
                                    })
                            }}
                        </NavLink>
                    </li>
                </For>
            </ul>
        </Show>
    }
}

/// The way to the chats that can be brought back, where there are any.
#[component]
fn DeletedLink() -> impl IntoView {
    let (chats, panes) = (Chats::expect(), Panes::expect());
    view! {
        <Show when=move || chats.has_deleted()>
            <a
                class="sidebar-deleted"
                href=SectionId::DeletedChats.link()
                data-testid="deleted-chats-link"
                on:click=move |_| panes.show(Pane::Main)
            >
                "Recently deleted"
            </a>
        </Show>
    }
}

/// A link that is marked while the user is there, or below.
#[component]
fn NavLink(
    /// Where it leads.
    path: String,
    /// How it looks.
    class: &'static str,
    /// What it says.
    children: Children,
) -> impl IntoView {
    let (address, at) = (Address::expect(), path.clone());
    view! {
        <a class=class href=path aria-current=move || address.is_at(&at).then_some("page")>
            {children()}
        </a>
    }
}

/// A place of the navigation.
#[component]
fn PlaceLink(
    /// Where it leads.
    place: Place,
) -> impl IntoView {
    let panes = Panes::expect();
    view! {
        <li data-leads-to=place.word() on:click=move |_| panes.show(Pane::Main)>
            <NavLink path=place.path().to_owned() class="nav-link">
                <Icon name=icon_of(place) />
                {place.name()}
            </NavLink>
        </li>
    }
}

fn icon_of(place: Place) -> IconName {
    match place {
        Place::Chat => IconName::Chat,
        Place::Toolsets => IconName::Toolset,
        Place::Servers => IconName::Server,
        Place::Tools => IconName::Tool,
        Place::Settings => IconName::Settings,
        Place::Nowhere => IconName::Compass,
    }
}

//! The frame around every page: bars, side panes, notices. How it is laid out is in `app/style/layout.css`; here is
//! only the state it is drawn from.

mod notice_stack;
mod sidebar;
mod tab_bar;
mod top_bar;
mod update_offer;

use leptos::prelude::*;

use self::notice_stack::NoticeStack;
use self::sidebar::Sidebar;
use self::tab_bar::TabBar;
use self::top_bar::TopBar;
use super::pages::{LazyLayer, LazyPanel, LazyPopup, Pages, When};
use crate::browser::page;
use crate::state::{
    Address, Attaching, Chats, FilesPane, Models, Notices, OpenedChat, Pane, Panes, Place, Search, Storage,
    ToolSelection, Unsaved,
};

/// The frame.
#[component]
pub(crate) fn Shell(
    /// What of it is brought.
    pages: Pages,
    /// The page.
    children: Children,
) -> impl IntoView {
    let panes = Panes::expect();
    let notices = Notices::expect();
    let address = Address::expect();
    let place = Memo::new(move |_| address.place());
    let chat = Memo::new(move |_| address.chat());
    let opened = OpenedChat::follow(chat, address, Chats::expect(), Storage::expect());
    provide_context(opened);
    provide_context(Models::unknown(opened));
    provide_context(ToolSelection::follow(opened));
    provide_context(Unsaved::none());
    provide_context(FilesPane::not_yet());
    provide_context(Attaching::none());

    // A chat is known by its title, in the list of tabs too.
    let title = Memo::new(move |_| opened.open().map(|open| open.chat.title));
    Effect::new(move |_| {
        let name = title.get().unwrap_or_else(|| place.get().name().to_owned());
        page::set_title(&format!("{name} · Satchel"));
    });
    Effect::new(move |before: Option<Place>| {
        let place = place.get();
        if before.is_some_and(|before| before != place) {
            notices.announce(place.name());
        }
        place
    });
    close_panes_on_escape_and_back(panes);
    let is_searching = Search::expect();
    open_by_keys(is_searching);

    let open_or_closed = |open| if open { "open" } else { "closed" };
    view! {
        <div
            class="shell"
            data-sidebar=move || open_or_closed(panes.open().sidebar)
            data-workspace=move || open_or_closed(panes.open().workspace)
            data-pane=move || panes.shown().word()
            data-place=move || place.get().word()
        >
            <a class="skip-link" href="#main" on:click=move |event| {
                event.prevent_default();
                page::focus("main");
            }>"Skip to the content"</a>
            <Sidebar />
            <TopBar place />
            <main class="main" id="main" tabindex="-1">
                {children()}
            </main>
            <LazyPanel bring=pages.workspace />
            <div class="scrim" aria-hidden="true" on:click=move |_| panes.show(Pane::Main)></div>
            <TabBar place />
            <LazyLayer bring=pages.background when=When::Now />
            <LazyLayer bring=pages.runs />
            {move || is_searching.is_open().then(|| view! { <LazyPopup bring=pages.search /> })}
            <NoticeStack />
        </div>
    }
}

/// Ctrl-K or Cmd-K opens the box that finds anything, wherever the focus is, and closes it again.
fn open_by_keys(search: Search) {
    let on_key = window_event_listener(leptos::ev::keydown, move |event| {
        let is_alone = !event.shift_key() && !event.alt_key() && (event.ctrl_key() != event.meta_key());
        if is_alone && event.key().eq_ignore_ascii_case("k") {
            event.prevent_default();
            search.toggle();
        }
    });
    on_cleanup(move || on_key.remove());
}

fn close_panes_on_escape_and_back(panes: Panes) {
    let close = move || {
        if panes.shown_untracked() != Pane::Main {
            panes.show(Pane::Main);
        }
    };
    let on_key = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" {
            close();
        }
    });
    let on_back = window_event_listener(leptos::ev::popstate, move |_| close());
    on_cleanup(move || {
        on_key.remove();
        on_back.remove();
    });
}

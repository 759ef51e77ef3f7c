//! The app as a whole: it starts, it gives its contexts, and a path becomes a page.
//!
//! The skeleton of `app/index.html` stays on the screen until all that the first picture needs has been read, and is
//! taken away in the same breath in which the app is drawn.

use leptos::mount::mount_to_body;
use leptos::prelude::*;

use crate::boot::{self, Boot, BootProblem};
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::state::{
    Address, Answers, Chats, ComposerDraft, Connection, CurrentSettings, Importing, NoticeAction, NoticeKind, Notices,
    OpenPanes, Panes, Place, Runs, Search, SoughtMessage, Storage, SuggestedCall, SyncStatus, Toolsets, Update,
    Written,
};
use crate::ui::chat::NewChatPage;
use crate::ui::layout::Shell;
use crate::ui::not_found::NotFoundPage;
use crate::ui::pages::{Bring, LazyPage, Pages};
use crate::ui::parts::sentence;
use crate::ui::problem::ProblemPage;
use crate::work::update;

/// Starts the app and puts it in the place of the skeleton.
pub(crate) fn mount(pages: Pages) {
    // Out of the address bar before anything else happens.
    let token = page::take_token();
    if let Some(bring) = pages.bring(Place::of(&page::path())) {
        // On its way while the database opens. The page itself says when it does not arrive.
        spawn(async move {
            bring().await.ok();
        });
    }
    let notices = Notices::new();
    spawn(async move {
        let start = match boot::start(move || superseded(notices)).await {
            Ok(boot) => Start::Ready(read(boot, notices).await),
            Err(problem) => {
                page::mark_ready();
                Start::Stopped(problem)
            }
        };
        mount_to_body(move || view! { <App start token notices pages /> });
        page::remove("skeleton");
        page::mark_drawn();
    });
}

/// How the start went.
#[derive(Clone)]
enum Start {
    Ready(Ready),
    Stopped(BootProblem),
}

/// All that the first picture needs.
#[derive(Clone)]
struct Ready {
    boot: Boot,
    panes: OpenPanes,
    draft: Written,
}

async fn read(boot: Boot, notices: Notices) -> Ready {
    for complaint in &boot.complaints {
        notices.show(NoticeKind::Warning, sentence(complaint));
    }
    let panes = OpenPanes::load(boot.store.clone()).await.unwrap_or_default();
    let draft = ComposerDraft::load(boot.store.clone()).await.unwrap_or_else(|error| {
        notices.show(NoticeKind::Warning, format!("The draft of your message could not be read: {error}."));
        Written::default()
    });
    Ready { boot, panes, draft }
}

fn superseded(notices: Notices) {
    let action = NoticeAction { label: "Reload", run: Callback::new(|()| page::reload()) };
    let text = "Another tab runs a newer version of Satchel, so this one can no longer save. Reload to continue.";
    notices.offer(NoticeKind::Error, text, action);
}

/// Either the app or the reason why there is none.
#[component]
fn App(
    /// How the start went.
    start: Start,
    /// The access token that came with the address.
    token: Option<String>,
    /// The notices so far.
    notices: Notices,
    /// The pages beside the chat.
    pages: Pages,
) -> impl IntoView {
    let start = RwSignal::new_local(start);
    let go_on = move || {
        spawn(async move { start.set(Start::Ready(read(boot::start_without_storage(), notices).await)) });
    };
    move || match start.get() {
        Start::Ready(ready) => view! { <Workbench ready token=token.clone() notices pages /> }.into_any(),
        Start::Stopped(problem) => view! { <ProblemPage problem token=token.clone() on_go_on=go_on /> }.into_any(),
    }
}

/// The app, once it has started.
#[component]
fn Workbench(
    /// What it starts from.
    ready: Ready,
    /// The access token that came with the address.
    token: Option<String>,
    /// The notices so far.
    notices: Notices,
    /// The pages beside the chat.
    pages: Pages,
) -> impl IntoView {
    let Ready { boot, panes, draft } = ready;
    let address = Address::follow();
    let shown = Memo::new(move |_| Shown::at(address, pages));
    provide_context(address);
    provide_context(pages);
    let storage = Storage::new(boot.store, boot.kept);
    let update = Update::new(notices);
    provide_context(notices);
    provide_context(storage);
    provide_context(update);
    provide_context(CurrentSettings::new(boot.settings, storage, notices));
    provide_context(Panes::new(panes, storage, notices));
    provide_context(ComposerDraft::new(draft, storage, notices));
    provide_context(Chats::load(storage, notices, pages.forking));
    provide_context(Answers::none());
    provide_context(Runs::none());
    provide_context(SoughtMessage::none());
    provide_context(SuggestedCall::none());
    provide_context(Search::closed());
    provide_context(SyncStatus::unknown());
    let toolsets = Toolsets::new(storage, notices);
    provide_context(toolsets);
    provide_context(Importing::new(toolsets, storage, notices));
    provide_context(Connection::new(token, storage, notices, toolsets));
    update::watch(
        move || update.watched.set(true),
        move || update.ready.set(true),
        move |error| notices.show(NoticeKind::Warning, sentence(&error)),
    );
    view! {
        <Shell pages>
            {move || match shown.get() {
                Shown::NewChat => view! { <NewChatPage examples=pages.examples /> }.into_any(),
                Shown::Brought(bring) => view! { <LazyPage bring /> }.into_any(),
                Shown::Nothing => view! { <NotFoundPage /> }.into_any(),
            }}
        </Shell>
    }
}

/// What stands in the middle of the page.
#[derive(Clone, Copy)]
enum Shown {
    NewChat,
    Brought(Bring),
    Nothing,
}

impl Shown {
    fn at(address: Address, pages: Pages) -> Self {
        match address.place() {
            Place::Chat if address.chat().is_some() => Self::Brought(pages.chat),
            Place::Chat => Self::NewChat,
            Place::Toolsets if address.toolset().is_some() => Self::Brought(pages.toolset),
            place => pages.bring(place).map_or(Self::Nothing, Self::Brought),
        }
    }
}

impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::NewChat, Self::NewChat) | (Self::Nothing, Self::Nothing) => true,
            (Self::Brought(one), Self::Brought(other)) => std::ptr::fn_addr_eq(*one, *other),
            _ => false,
        }
    }
}

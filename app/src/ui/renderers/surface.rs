//! What surrounds everything that is rendered: its name, and what can be done with it. Copying and filling the window are possible with all,
//! opening in the workspace with what is a file.

use std::future::ready;

use futures_util::future::LocalBoxFuture;
use leptos::html::Section;
use leptos::prelude::*;
use satchel_core::ids::ChatId;
use satchel_core::workspace::WorkspacePath;

use super::picture::Picture;
use crate::browser::spawn::spawn;
use crate::browser::{clipboard, viewport};
use crate::state::{FilesPane, NoticeKind, Notices, OpenedChat, Panes};
use crate::ui::parts::{Icon, IconName};

/// What is copied, made when it is asked for.
#[derive(Clone, Copy)]
pub(super) struct Copied(StoredValue<Box<dyn Fn() -> ComingClip>, LocalStorage>);

/// What is on its way to the clipboard; or why it does not come.
type ComingClip = LocalBoxFuture<'static, Result<Clip, String>>;

/// What goes onto the clipboard.
#[derive(Clone)]
pub(super) enum Clip {
    /// A text.
    Text(String),
    /// A picture.
    Picture(Picture),
}

impl Default for Clip {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Clip {
    /// The same, where it is a text with something done to it.
    pub(super) fn of_text(self, change: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Text(text) => Self::Text(change(&text)),
            Self::Picture(picture) => Self::Picture(picture),
        }
    }

    async fn copy(self) -> Result<(), String> {
        match self {
            Self::Text(text) => clipboard::copy(&text).await,
            Self::Picture(picture) => clipboard::copy_picture(picture.address()).await,
        }
    }
}

/// The chat of the call that is drawn: the files it names are that chat's.
#[derive(Clone)]
pub(super) struct OfChat(pub(super) ChatId);

/// The file that a result was put into, where it was too large for its record.
#[derive(Clone)]
pub(super) struct FromFile(pub(super) String);

impl Copied {
    /// Copies the text that this gives.
    pub(super) fn of(text: impl Fn() -> String + 'static) -> Self {
        Self::clip(move || Clip::Text(text()))
    }

    /// Copies what this gives.
    pub(super) fn clip(clip: impl Fn() -> Clip + 'static) -> Self {
        Self(StoredValue::new_local(Box::new(move || Box::pin(ready(Ok(clip()))))))
    }

    /// Copies what this comes to. The browser lets a page write to the clipboard for some seconds after a click.
    pub(super) fn later<Coming: Future<Output = Result<String, String>> + 'static>(
        text: impl Fn() -> Coming + 'static,
    ) -> Self {
        Self(StoredValue::new_local(Box::new(move || {
            let coming = text();
            Box::pin(async move { coming.await.map(Clip::Text) })
        })))
    }

    pub(super) fn copy(self) {
        let (Some(clip), notices) = (self.0.try_with_value(|clip| clip()), Notices::expect()) else { return };
        spawn(async move {
            let copied = match clip.await {
                Ok(clip) => clip.copy().await,
                Err(reason) => Err(reason),
            };
            match copied {
                Ok(()) => notices.show(NoticeKind::Success, "Copied."),
                Err(reason) => notices.show(NoticeKind::Error, format!("Could not copy: {reason}.")),
            }
        });
    }
}

/// The surroundings.
#[component]
pub(super) fn Surface(
    /// Names the renderer, for tests.
    test_id: &'static str,
    /// What it is, or what the file is called.
    #[prop(into)]
    title: String,
    /// What is copied.
    copied: Copied,
    /// The file it shows.
    #[prop(optional_no_strip)]
    path: Option<String>,
    /// Why it is not shown as it was to be, or what else has to be known.
    #[prop(optional_no_strip)]
    note: Option<String>,
    /// More that can be done with it.
    #[prop(optional_no_strip)]
    tools: Option<AnyView>,
    /// The thing itself.
    children: Children,
) -> impl IntoView {
    let host = NodeRef::<Section>::new();
    let is_full = RwSignal::new(false);
    let fill = move |full: bool| {
        if let Some(host) = host.get_untracked() {
            viewport::fill_window(&host, full);
            is_full.set(full);
        }
    };
    // The browser lets it go by itself, too.
    let toggled = move |_| {
        let is_let_go = host.get_untracked().is_some_and(|host| !viewport::fills_window(&host));
        if is_let_go && is_full.get_untracked() {
            fill(false);
        }
    };
    let path = path.or_else(|| use_context::<FromFile>().map(|FromFile(path)| path));
    let files = path.and_then(|path| WorkspacePath::parse(path).ok()).map(|path| view! { <OpenInWorkspace path /> });
    let name = title.clone();
    view! {
        <section class="renderer" data-testid=test_id aria-label=name node_ref=host on:toggle=toggled>
            <header class="renderer-bar">
                <h4 class="renderer-title" title=title.clone()>{title.clone()}</h4>
                <div class="renderer-tools">
                    {tools}
                    {files}
                    <button
                        class="icon-button"
                        type="button"
                        aria-label="Copy"
                        title="Copy"
                        data-testid="renderer-copy"
                        on:click=move |_| copied.copy()
                    >
                        <Icon name=IconName::Copy small=true />
                    </button>
                    <button
                        class="icon-button"
                        type="button"
                        aria-label=move || if is_full.get() { "Back to the chat" } else { "Fill the window" }
                        title=move || if is_full.get() { "Back to the chat" } else { "Fill the window" }
                        aria-pressed=move || is_full.get().to_string()
                        data-testid="renderer-full"
                        on:click=move |_| fill(!is_full.get_untracked())
                    >
                        {move || view! { <Icon name=if is_full.get() { IconName::Small } else { IconName::Full } small=true /> }}
                    </button>
                </div>
            </header>
            {note.map(|note| view! { <p class="renderer-note" data-testid="renderer-note">{crate::ui::parts::sentence(&note)}</p> })}
            {children()}
        </section>
    }
}

/// The way to the file itself.
#[component]
fn OpenInWorkspace(
    /// The file.
    path: WorkspacePath,
) -> impl IntoView {
    let (files, panes, opened) = (FilesPane::expect(), Panes::expect(), OpenedChat::expect());
    let chat = use_context::<OfChat>().map(|OfChat(chat)| chat);
    let show = move |_| match &chat {
        Some(chat) => files.show_of(chat, path.clone(), panes, opened),
        None => files.show(path.clone(), panes),
    };
    view! {
        <button
            class="icon-button"
            type="button"
            aria-label="Open in workspace"
            title="Open in workspace"
            data-testid="open-in-workspace"
            on:click=show
        >
            <Icon name=IconName::Files small=true />
        </button>
    }
}

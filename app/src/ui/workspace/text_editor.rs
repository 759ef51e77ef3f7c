//! A text that is edited: the code view, or a plain text area where that cannot be had, and the session that saves.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::html::Div;
use leptos::prelude::*;
use satchel_core::render::language_of;
use satchel_core::workspace::{ContentKind, SaveState, Seen, WorkspacePath, with_breaks_of};

use super::file_view::Loaded;
use crate::browser::editor::{Editor, Listener, Opening};
use crate::browser::spawn::spawn;
use crate::state::Workspace;
use crate::state::workspace::{EditSession, Replaced, TextSurface};
use crate::ui::parts::sentence;
use crate::work::workspace;

/// What stands on the screen.
struct Surface {
    shown: Shown,
    /// The text it was given, if that has other line breaks than `\n`. What is shown does not know them, so they are put back.
    breaks: RefCell<String>,
}

enum Shown {
    /// The code view.
    Code(Editor),
    /// A text area, with what is in it.
    Plain(RwSignal<String>),
}

impl Surface {
    fn text(&self) -> Option<String> {
        let edited = match &self.shown {
            Shown::Code(editor) => editor.text(),
            Shown::Plain(text) => text.try_get_untracked()?,
        };
        Some(with_breaks_of(&self.breaks.borrow(), &edited))
    }

    fn replace(&self, text: &str) {
        self.breaks.replace(with_other_breaks(text));
        match &self.shown {
            Shown::Code(editor) => editor.replace(text),
            Shown::Plain(signal) => signal.set(text.to_owned()),
        }
    }
}

/// A text, where it has other line breaks than `\n`; most have not, and need not be held twice.
fn with_other_breaks(text: &str) -> String {
    if text.contains('\r') { text.to_owned() } else { String::new() }
}

type Held = StoredValue<Option<Rc<Surface>>, LocalStorage>;

/// The editor of a text. A file that is no longer there is only shown.
#[component]
pub(crate) fn TextEditor(
    /// Where it is.
    path: WorkspacePath,
    /// What it is.
    loaded: Loaded,
    /// Set while there is an editor.
    editing: RwSignal<bool>,
    /// Told how far the saving is.
    state: RwSignal<Option<SaveState>>,
    /// Told when the file is gone.
    #[prop(optional)]
    gone: Option<Callback<()>>,
    /// Told what the user typed, here or in another place where the file is open.
    #[prop(optional)]
    on_text: Option<Callback<String>>,
    /// Told when the file has become another one elsewhere.
    #[prop(optional)]
    on_other: Option<Callback<()>>,
    /// Whether the keys go there at once.
    #[prop(optional)]
    takes_focus: bool,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let host = NodeRef::<Div>::new();
    let plain = RwSignal::new(None::<(RwSignal<String>, String)>);
    let surface: Held = StoredValue::new_local(None);
    let session = StoredValue::new_local(None::<(EditSession, u32)>);
    let mut text = String::from_utf8_lossy(&loaded.bytes).into_owned();
    let held = Rc::new(RefCell::new(None::<Rc<Surface>>));

    if !loaded.deleted
        && let Some(open) = workspace.opened().open_untracked()
    {
        let shared = workspace.edit(open, path.clone(), loaded.file);
        // It may be open elsewhere, and have been typed in.
        if let Some(typed) = shared.text() {
            text = typed;
        }
        let (to_read, to_replace) = (Rc::clone(&held), Rc::clone(&held));
        let number = shared.join(TextSurface {
            text: Box::new(move || to_read.borrow().as_ref()?.text()),
            replace: Box::new(move |replaced: Replaced<'_>| {
                if let (Replaced::Typed(text) | Replaced::Elsewhere(text), Some(surface)) =
                    (replaced, to_replace.borrow().as_ref())
                {
                    surface.replace(text);
                }
                let run = |told: Option<Callback<()>>| told.iter().for_each(|told| told.run(()));
                match replaced {
                    Replaced::Typed(text) => on_text.iter().for_each(|on_text| on_text.run(text.to_owned())),
                    Replaced::Elsewhere(_) => run(on_other),
                    Replaced::NoText => run(on_other.or(gone)),
                }
            }),
        });
        let saved = shared.state();
        Effect::new(move || {
            let now = saved.get();
            if let (SaveState::Deleted, Some(gone)) = (&now, gone) {
                gone.run(());
            }
            state.set(Some(now));
        });
        session.set_value(Some((shared, number)));
        editing.set(true);
        follow(workspace, path.clone(), session);
    }
    let with_session = move |act: &dyn Fn(&EditSession, u32)| {
        session.try_with_value(|session| session.iter().for_each(|(session, number)| act(session, *number)));
    };
    let typed = move || {
        with_session(&|session, number| session.typed(workspace, number));
        if let (Some(on_text), Some(surface)) = (on_text, surface.get_value()) {
            surface.text().into_iter().for_each(|text| on_text.run(text));
        }
    };
    let save = move || with_session(&|session, _| session.save_now(workspace));
    let (label, language) = (format!("Text of {path}"), language_of(path.as_str()));
    // Runs once, when the host is on the page.
    Effect::new(move || {
        let Some(host) = host.get() else { return };
        let (label, text, held) = (label.clone(), text.clone(), Rc::clone(&held));
        spawn(async move {
            let listener = session
                .with_value(Option::is_some)
                .then(|| Listener { on_change: Box::new(typed), on_save: Box::new(save) });
            let opening = Opening { text: &text, language, label: &label, first_line: 1 };
            let shown = match Editor::open(&host, opening, listener).await {
                Ok(editor) => {
                    if takes_focus {
                        editor.focus();
                    }
                    Shown::Code(editor)
                }
                Err(error) => {
                    let signal = RwSignal::new(text.clone());
                    plain.try_set(Some((signal, error.to_string())));
                    Shown::Plain(signal)
                }
            };
            let shown = Rc::new(Surface { shown, breaks: RefCell::new(with_other_breaks(&text)) });
            held.replace(Some(Rc::clone(&shown)));
            surface.try_set_value(Some(shown));
        });
    });
    on_cleanup(move || {
        // Whoever holds these may be gone already.
        state.try_set(None);
        editing.try_set(false);
        with_session(&|session, number| workspace.leave(session, number));
    });
    view! {
        <SaveProblem session state />
        <div class="code-host" node_ref=host data-testid="code-view"></div>
        {move || plain.get().map(|(text, reason)| view! { <PlainText text reason typed save /> })}
    }
    .into_any()
}

/// Shows what the file became elsewhere, or at another node, as long as nothing is typed here.
fn follow(workspace: Workspace, path: WorkspacePath, session: StoredValue<Option<(EditSession, u32)>, LocalStorage>) {
    Effect::new(move || {
        let (Some(open), Some(Ok(listing))) = (workspace.opened().open(), workspace.listing()) else { return };
        if listing.node != open.leaf {
            // The files of this node are still being read.
            return;
        }
        let Some((session, _)) = session.get_value() else { return };
        match session.look(&open, listing.files.get(&path).copied()) {
            Seen::Known => {}
            Seen::Other(file) => {
                let path = path.clone();
                spawn(async move {
                    let bytes = workspace::bytes(&workspace.storage().store(), &path, file).await;
                    let text = bytes.ok().filter(|bytes| ContentKind::of(&path, bytes).is_text());
                    match text.as_deref().map(str::from_utf8) {
                        Some(Ok(text)) => session.show(Replaced::Elsewhere(text)),
                        Some(Err(_)) | None => session.show(Replaced::NoText),
                    }
                });
            }
        }
    });
}

/// What keeps the text from being saved, and what can be done.
#[component]
fn SaveProblem(
    /// The session.
    session: StoredValue<Option<(EditSession, u32)>, LocalStorage>,
    /// How far the saving is.
    state: RwSignal<Option<SaveState>>,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let with = move |act: fn(&EditSession, Workspace)| {
        session.with_value(|session| session.iter().for_each(|(session, _)| act(session, workspace)));
    };
    move || match state.get() {
        Some(SaveState::Failed(reason)) => view! {
            <div class="workspace-note" data-kind="bad" role="alert">
                <span>{format!("Not saved: {reason}. What you typed stays here.")}</span>
                <button class="button button-small" type="button" on:click=move |_| with(EditSession::save_now)>
                    "Try again"
                </button>
            </div>
        }
        .into_any(),
        Some(SaveState::Conflict(theirs)) => {
            let (what, keep, discard) = match theirs {
                Some(_) => (
                    "This file was changed elsewhere while you edited it. Nothing was overwritten.",
                    "Keep both",
                    "Load the other version",
                ),
                None => (
                    "This file was deleted elsewhere while you edited it. What you typed is still here.",
                    "Keep my version",
                    "Discard my changes",
                ),
            };
            view! {
                <div class="workspace-note" data-kind="caution" role="alert" data-testid="edit-conflict">
                    <span>{what}</span>
                    <button
                        class="button button-small"
                        type="button"
                        data-testid="conflict-keep-both"
                        on:click=move |_| with(EditSession::keep_both)
                    >
                        {keep}
                    </button>
                    <button
                        class="button button-small"
                        type="button"
                        data-testid="conflict-reload"
                        on:click=move |_| with(EditSession::take_theirs)
                    >
                        {discard}
                    </button>
                </div>
            }
            .into_any()
        }
        None | Some(SaveState::Saved | SaveState::Unsaved | SaveState::Saving | SaveState::Deleted) => ().into_any(),
    }
}

/// The editor where the code view cannot be had.
#[component]
fn PlainText(
    /// What stands there.
    text: RwSignal<String>,
    /// Why it is not the code view.
    reason: String,
    /// Told when something is typed.
    typed: impl Fn() + Copy + 'static,
    /// Told when the user asks to save.
    save: impl Fn() + Copy + 'static,
) -> impl IntoView {
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "s" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            save();
        }
    };
    view! {
        <p class="workspace-problem">{sentence(&reason)}</p>
        <textarea
            class="plain-text"
            aria-label="Text of the file"
            spellcheck="false"
            prop:value=move || text.get()
            on:input=move |event| {
                text.set(event_target_value(&event));
                typed();
            }
            on:keydown=on_key
        ></textarea>
    }
    .into_any()
}

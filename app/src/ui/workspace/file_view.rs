//! One file: a text to be edited, a picture, or its bytes.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::workspace::{ContentKind, EDITABLE_BYTES, FileEntry, SaveState, Shape, WorkspacePath};

use super::back_to_tree;
use super::hex_view::HexView;
use super::kept_texts::KeptTexts;
use super::picture::Picture;
use super::text_editor::TextEditor;
use super::toolbar::ToolButton;
use crate::state::Workspace;
use crate::state::workspace::{Form, View};
use crate::ui::parts::{Icon, IconName, in_words, sentence};
use crate::ui::workspace::path_form::PathForm;
use crate::work::workspace;

/// A file that was read.
#[derive(Clone)]
pub(crate) struct Loaded {
    /// Which one.
    pub(crate) file: FileEntry,
    /// What it is.
    pub(crate) kind: ContentKind,
    /// All of it.
    pub(crate) bytes: Arc<Vec<u8>>,
    /// Whether it is no longer there.
    pub(crate) deleted: bool,
}

/// A file.
#[component]
pub(super) fn FileView(
    /// Where it is.
    path: WorkspacePath,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let path = StoredValue::new(path);
    let editing = RwSignal::new(false);
    let entry = move || {
        let path = path.get_value();
        let there = workspace.entry(&path).map(|file| (file, false));
        there.or_else(|| workspace.deleted_entry(&path).map(|file| (file, true)))
    };
    // While it is edited, the editor knows better than the store what is in it.
    let wanted = Memo::new(move |before: Option<&Option<(FileEntry, bool)>>| {
        let now = entry();
        before.copied().flatten().filter(|_| editing.get_untracked()).or(now)
    });
    let loaded = LocalResource::new(move || {
        let (store, path, wanted) = (workspace.storage().store(), path.get_value(), wanted.get());
        async move {
            let (file, deleted) = wanted?;
            let bytes = workspace::bytes(&store, &path, file).await.map_err(|error| error.to_string());
            Some(bytes.map(|bytes| {
                let kind = ContentKind::of(&path, &bytes);
                Loaded { file, kind, bytes: Arc::new(bytes), deleted }
            }))
        }
    });
    let chosen = RwSignal::new(None::<Shape>);
    let possible = Memo::new(move |_| match loaded.get() {
        Some(Some(Ok(loaded))) => loaded.kind.shapes(loaded.file.size),
        _ => Vec::new(),
    });
    let shape = Memo::new(move |_| {
        possible.with(|possible| {
            chosen.get().filter(|chosen| possible.contains(chosen)).or_else(|| possible.first().copied())
        })
    });
    let state = RwSignal::new(None::<SaveState>);
    let now = move || loaded.get().flatten().and_then(Result::ok);
    let now_untracked = move || untrack(now);
    let problem = move || loaded.get().flatten().and_then(Result::err);
    let is_deleted = Memo::new(move |_| now().is_some_and(|loaded| loaded.deleted));
    let is_away = Memo::new(move |_| matches!(workspace.listing(), Some(Ok(_))) && entry().is_none());
    let content = move || match shape.get() {
        None if is_away.get() => {
            view! { <p class="workspace-words">"This file is not there at this point of the chat."</p> }.into_any()
        }
        None => ().into_any(),
        Some(Shape::Text) => {
            // A file that comes back can be edited again.
            is_deleted.track();
            let path = path.get_value();
            let gone = Callback::new(move |()| workspace.show(View::Files));
            now_untracked()
                .map(|loaded| view! { <TextEditor path loaded editing state gone takes_focus=true /> })
                .into_any()
        }
        Some(Shape::Picture(kind)) => {
            view! { <Picture name=path.with_value(ToString::to_string) kind loaded=Signal::derive_local(now) /> }
                .into_any()
        }
        Some(Shape::Bytes) => {
            let bytes = Signal::derive_local(move || now().map(|loaded| loaded.bytes));
            view! { <TooLarge loaded=Signal::derive_local(now) /> <HexView bytes /> }.into_any()
        }
    };
    view! {
        <FileHead path state=state />
        {move || workspace.form().get().map(|form| view! { <PathForm form /> })}
        <KeptTexts of=path.get_value() />
        <ShapeChoice possible shape chosen />
        {move || now().filter(|loaded| loaded.deleted).map(|loaded| view! { <DeletedNote path loaded /> })}
        {move || problem().map(|problem| view! { <p class="workspace-problem" role="alert">{sentence(&problem)}</p> })}
        <div class="file-body">{content}</div>
        <p class="workspace-foot">
            {move || entry().map(|(file, _)| format!("{} · {}", in_words(file.size), &file.sha256.to_string()[..12]))}
        </p>
    }
    .into_any()
}

/// Says why a text is not edited here.
#[component]
fn TooLarge(
    /// The file.
    loaded: Signal<Option<Loaded>, LocalStorage>,
) -> impl IntoView {
    move || {
        let loaded = loaded.get()?;
        (loaded.kind == ContentKind::Text && loaded.file.size > EDITABLE_BYTES).then(|| {
            let words = format!(
                "This text has {}, and the editor takes up to {}. These are its bytes.",
                in_words(loaded.file.size),
                in_words(EDITABLE_BYTES)
            );
            view! { <p class="workspace-words">{words}</p> }
        })
    }
}

/// The file's name, how far its saving is, and what can be done with it.
#[component]
fn FileHead(
    /// Where it is.
    path: StoredValue<WorkspacePath>,
    /// How far its saving is; none where it is not edited.
    state: RwSignal<Option<SaveState>>,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let words = move || state.get().map(|state| state.words());
    let is_there = move || workspace.entry(&path.get_value()).is_some();
    view! {
        <div class="file-head">
            <ToolButton icon=IconName::Back label="Back to the files" test_id="workspace-back" on_press=move || back_to_tree(workspace) />
            <h3 class="file-name" title=path.with_value(ToString::to_string)>{path.with_value(ToString::to_string)}</h3>
            <span class="save-state" role="status" data-testid="save-state" data-state=move || words().map(|(state, _)| state)>
                {move || words().map(|(_, words)| words)}
            </span>
            <ToolButton
                icon=IconName::History
                label="Earlier versions"
                test_id="workspace-history"
                on_press=move || workspace.show(View::Versions(path.get_value()))
            />
            <Show when=is_there>
                <ToolButton
                    icon=IconName::Edit
                    label="Rename"
                    test_id="workspace-rename"
                    on_press=move || workspace.form().set(Some(Form::Rename(path.get_value())))
                />
                <ToolButton
                    icon=IconName::Delete
                    label="Delete"
                    test_id="workspace-delete"
                    on_press=move || workspace.delete(path.get_value())
                />
            </Show>
            <ToolButton
                icon=IconName::Download
                label="Download"
                test_id="workspace-download"
                on_press=move || workspace.download(Some(path.get_value()))
            />
        </div>
    }
    .into_any()
}

/// The ways to show the file, where there are several.
#[component]
fn ShapeChoice(
    /// What is possible.
    possible: Memo<Vec<Shape>>,
    /// What is shown.
    shape: Memo<Option<Shape>>,
    /// What the user chose.
    chosen: RwSignal<Option<Shape>>,
) -> impl IntoView {
    let option = move |one: Shape| {
        let pressed = move || (shape.get() == Some(one)).to_string();
        view! {
            <button class="shape-option" type="button" aria-pressed=pressed on:click=move |_| chosen.set(Some(one))>
                {one.name()}
            </button>
        }
    };
    move || {
        let possible = possible.get();
        (possible.len() > 1).then(|| {
            view! {
                <div class="shape-choice" role="group" aria-label="Show as">
                    {possible.into_iter().map(option).collect_view()}
                </div>
            }
        })
    }
}

/// Says that the file is gone, and brings it back.
#[component]
fn DeletedNote(
    /// Where it was.
    path: StoredValue<WorkspacePath>,
    /// What it was.
    loaded: Loaded,
) -> impl IntoView {
    let workspace = Workspace::expect();
    view! {
        <div class="workspace-note">
            <Icon name=IconName::Info small=true />
            <span>"This file was deleted. This is its last version."</span>
            <button
                class="button button-small"
                type="button"
                data-testid="workspace-restore"
                on:click=move |_| workspace.restore(path.get_value(), loaded.file)
            >
                "Restore"
            </button>
        </div>
    }
    .into_any()
}

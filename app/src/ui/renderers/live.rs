//! A file that a call showed and that may be edited: as long as it still is what the call left, or once the user says so, the view is an
//! editor of the file itself, the same that the pane of files has. Else it shows what the call left, and says so. What somebody else makes of
//! the file afterwards, another call above all, is never shown in its place.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::render::FileView;
use satchel_core::workspace::{ContentKind, FileEntry, Left, Look, SaveState, WorkspacePath};

use super::source::Source;
use crate::state::{FilesPane, Panes, Storage};
use crate::ui::workspace::{Loaded, TextEditor};
use crate::work::workspace;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// What the call left, because the files have not been read yet, or it is no text.
    Then,
    /// The file itself.
    Edited(FileEntry),
    /// What the call left: it is too large to be edited here.
    TooLarge,
    /// What the call left: the file has become another one.
    ChangedSince,
    /// What the call left: there is no such file any more.
    Gone,
}

/// The file.
#[derive(Clone, Copy)]
pub(super) struct LiveFile {
    path: StoredValue<WorkspacePath>,
    /// The file as it is edited here by the user: what it was when that began.
    begun: RwSignal<Option<FileEntry>>,
    standing: Memo<Standing>,
    state: RwSignal<Option<SaveState>>,
    editing: RwSignal<bool>,
    /// What stands in the editor, where that is not what the call left.
    typed: RwSignal<Option<String>>,
}

impl LiveFile {
    /// The file that a call showed, and what is to be seen of it; none where it may not be edited.
    pub(super) fn of(file: &FileView, source: Source, editable: bool) -> Option<Self> {
        let path = WorkspacePath::parse(file.path.clone()).ok().filter(|_| editable)?;
        let (left, path) = (file.sha256, StoredValue::new(path));
        let files = FilesPane::expect();
        let begun = RwSignal::new(None::<FileEntry>);
        let is_text = Memo::new(move |_| source.get().is_some_and(|read| read.is_ok_and(|look| is_text(&look))));
        let standing = Memo::new(move |_| {
            if let Some(file) = begun.get() {
                return Standing::Edited(file);
            }
            let Some(workspace) = files.workspace() else { return Standing::Then };
            if !matches!(workspace.listing(), Some(Ok(_))) {
                return Standing::Then;
            }
            match Left::of(left, workspace.entry(&path.get_value())) {
                Left::Same(now) if is_text.get() => Standing::Edited(now),
                Left::TooLarge(_) if is_text.get() => Standing::TooLarge,
                Left::Same(_) | Left::TooLarge(_) => Standing::Then,
                Left::Changed(_) => Standing::ChangedSince,
                Left::Gone => Standing::Gone,
            }
        });
        Some(Self {
            path,
            begun,
            standing,
            state: RwSignal::new(None),
            editing: RwSignal::new(false),
            typed: RwSignal::new(None),
        })
    }

    /// What is shown now.
    pub(super) fn standing(self) -> Standing {
        self.standing.get()
    }

    /// What stands in the editor, where that is not what the call left.
    pub(super) fn typed(self) -> Option<String> {
        self.typed.get()
    }

    /// How far the saving is.
    pub(super) fn state_view(self) -> AnyView {
        let words = move || self.state.get().map(|state| state.words());
        view! {
            <span class="save-state" role="status" data-testid="save-state" data-state=move || words().map(|(state, _)| state)>
                {move || words().map(|(_, words)| words)}
            </span>
        }
        .into_any()
    }

    /// What has become of the file since the call, and the way to edit it all the same. `begun` is told when the user goes that way.
    pub(super) fn note_view(self, begun: impl Fn() + Copy + Send + Sync + 'static) -> AnyView {
        let (files, panes) = (FilesPane::expect(), Panes::expect());
        let edit_now = move |_| {
            let path = self.path.get_value();
            match untrack(|| files.workspace().and_then(|workspace| workspace.entry(&path))) {
                Some(now) if Left::may_be_edited(now) => {
                    self.begun.set(Some(now));
                    begun();
                }
                Some(_) => files.show(path, panes),
                None => {}
            }
        };
        (move || match self.standing.get() {
            Standing::Then | Standing::Edited(_) => ().into_any(),
            Standing::TooLarge => view! {
                <p class="renderer-note" data-testid="renderer-note">
                    "This file is too large to be edited here. Open it in the workspace to edit it."
                </p>
            }
            .into_any(),
            Standing::Gone => {
                view! { <p class="renderer-note" data-testid="renderer-note">"This is the file as this call left it. It no longer exists."</p> }
                    .into_any()
            }
            Standing::ChangedSince => view! {
                <p class="renderer-note" data-testid="renderer-note">
                    "This is the file as this call left it. It has changed since. "
                    <button class="button button-small" type="button" data-testid="edit-now" on:click=edit_now>
                        "Edit the current file"
                    </button>
                </p>
            }
            .into_any(),
        })
        .into_any()
    }

    /// The editor of the file.
    pub(super) fn editor_view(self) -> AnyView {
        let Standing::Edited(file) = self.standing.get_untracked() else { return ().into_any() };
        let Some(pane) = untrack(|| FilesPane::expect().workspace()) else { return ().into_any() };
        provide_context(pane);
        let (store, path) = (Storage::expect().store(), self.path.get_value());
        let loaded = LocalResource::new(move || {
            let (store, path) = (store.clone(), path.clone());
            async move {
                let bytes = workspace::bytes(&store, &path, file).await.map_err(|error| error.to_string())?;
                let kind = ContentKind::of(&path, &bytes);
                Ok::<_, String>(Loaded { file, kind, bytes: Arc::new(bytes), deleted: false })
            }
        });
        (move || match loaded.get() {
            Some(Ok(loaded)) if loaded.kind.is_text() => {
                // From the first letter on the file is another one than the call left, and it stays in the editor.
                let on_text = Callback::new(move |text| {
                    self.typed.try_set(Some(text));
                    if self.begun.try_get_untracked().is_some_and(|begun| begun.is_none()) {
                        self.begun.set(Some(file));
                    }
                });
                let on_other = Callback::new(move |()| {
                    self.typed.try_set(None);
                    self.begun.try_set(None);
                });
                if self.begun.get_untracked().is_some() && self.typed.get_untracked().is_none() {
                    self.typed.set(str::from_utf8(&loaded.bytes).ok().map(str::to_owned));
                }
                let path = self.path.get_value();
                view! { <TextEditor path loaded editing=self.editing state=self.state on_text on_other /> }.into_any()
            }
            Some(Ok(_)) => view! {
                <p class="renderer-note" data-testid="renderer-note">
                    "The file is no longer text in UTF-8, so it cannot be edited here. Open it in the workspace to see it."
                </p>
            }
            .into_any(),
            Some(Err(problem)) => view! { <super::source::NotRead problem=Some(problem) /> }.into_any(),
            None => view! { <super::source::NotRead problem=None /> }.into_any(),
        })
        .into_any()
    }
}

fn is_text(look: &Look) -> bool {
    match look {
        Look::Text(_) => true,
        Look::Foreign(_) | Look::Picture(..) | Look::Bytes(_) => false,
    }
}

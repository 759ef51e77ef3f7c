//! A file that a call showed and that may be edited: as long as it still is what the call left, or once the user says so, the view is an
//! editor of the file itself, the same that the pane of files has. Else it shows what the call left, and says so.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::digest::BlobId;
use satchel_core::render::FileView;
use satchel_core::workspace::{ContentKind, FileEntry, SaveState, WorkspacePath};

use crate::state::{FilesPane, Storage};
use crate::ui::workspace::{Loaded, TextEditor};
use crate::work::workspace;

/// What is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// What the call left, because the files have not been read yet, or it cannot be edited.
    Then,
    /// The file itself.
    Edited(FileEntry),
    /// What the call left: the file has become another one.
    ChangedSince,
    /// What the call left: there is no such file any more.
    Gone,
}

/// The file.
#[derive(Clone, Copy)]
pub(super) struct LiveFile {
    path: StoredValue<WorkspacePath>,
    /// The file as it is edited here: what it was when that began.
    begun: RwSignal<Option<FileEntry>>,
    standing: Memo<Standing>,
    state: RwSignal<Option<SaveState>>,
    editing: RwSignal<bool>,
    /// What stands in the editor, once something was typed.
    pub(super) typed: RwSignal<Option<String>>,
}

/// A text larger than this is only shown here, and edited in the pane of files: what stands here is handed on with every letter.
const EDITABLE_BYTES: u64 = 2_000_000;

impl LiveFile {
    /// The file that a call showed; none where it may not be edited.
    pub(super) fn of(file: &FileView, editable: bool) -> Option<Self> {
        let path = WorkspacePath::parse(file.path.clone()).ok().filter(|_| editable)?;
        let (left, path) = (file.sha256, StoredValue::new(path));
        let files = FilesPane::expect();
        let begun = RwSignal::new(None::<FileEntry>);
        let standing = Memo::new(move |_| {
            if let Some(file) = begun.get() {
                return Standing::Edited(file);
            }
            let Some(workspace) = files.workspace() else { return Standing::Then };
            if !matches!(workspace.listing(), Some(Ok(_))) {
                return Standing::Then;
            }
            stands(left, workspace.entry(&path.get_value()))
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

    /// What has become of the file since the call, and the way to edit it all the same.
    pub(super) fn note_view(self) -> AnyView {
        let files = FilesPane::expect();
        let edit_now = move |_| {
            let now = untrack(|| files.workspace().and_then(|workspace| workspace.entry(&self.path.get_value())));
            self.begun.set(now);
        };
        (move || match self.standing.get() {
            Standing::Then | Standing::Edited(_) => ().into_any(),
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
        // From now on what is typed here makes the file another one, and it stays in the editor.
        self.begun.set(Some(file));
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
            Some(Ok(loaded)) => {
                let (path, on_text) =
                    (self.path.get_value(), Callback::new(move |text| drop(self.typed.try_set(Some(text)))));
                view! { <TextEditor path loaded editing=self.editing state=self.state on_text /> }.into_any()
            }
            Some(Err(problem)) => view! { <super::source::NotRead problem=Some(problem) /> }.into_any(),
            None => view! { <super::source::NotRead problem=None /> }.into_any(),
        })
        .into_any()
    }
}

fn stands(left: BlobId, now: Option<FileEntry>) -> Standing {
    match now {
        None => Standing::Gone,
        Some(now) if now.sha256 != left => Standing::ChangedSince,
        Some(now) if now.size > EDITABLE_BYTES => Standing::Then,
        Some(now) => Standing::Edited(now),
    }
}

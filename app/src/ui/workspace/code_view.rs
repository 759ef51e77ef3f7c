//! A difference between two texts, or a text that cannot be changed.

use leptos::html::Div;
use leptos::prelude::*;
use satchel_core::render::language_of;
use satchel_core::workspace::{ContentKind, FileEntry, WorkspacePath};

use crate::browser::editor::Editor;
use crate::browser::spawn::spawn;
use crate::state::Workspace;
use crate::ui::parts::{in_words, sentence};
use crate::work::workspace::{self, FilesError};

/// A text larger than this is not compared line by line.
const COMPARABLE_BYTES: u64 = 1_000_000;

/// Two versions of a file, read.
#[derive(Clone, PartialEq)]
enum Versions {
    /// Both are texts; one that is not there is empty.
    Texts(String, String),
    /// What to say instead.
    Words(String),
}

/// What differs between two versions of a file.
#[component]
pub(super) fn Difference(
    /// Where it is.
    path: WorkspacePath,
    /// What it was; none where it was not there.
    before: Option<FileEntry>,
    /// What it became; none where it is gone.
    after: Option<FileEntry>,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let (for_reading, shown_path) = (path.clone(), StoredValue::new(path));
    let read = LocalResource::new(move || {
        let (workspace, path) = (workspace, for_reading.clone());
        async move { read(workspace, &path, before, after).await.map_err(|error| error.to_string()) }
    });
    move || match read.get() {
        None => ().into_any(),
        Some(Err(error)) => view! { <p class="workspace-problem" role="alert">{sentence(&error)}</p> }.into_any(),
        Some(Ok(Versions::Words(words))) => view! { <p class="workspace-words">{words}</p> }.into_any(),
        Some(Ok(Versions::Texts(before, after))) => {
            view! { <CodeDifference path=shown_path.with_value(ToString::to_string) before after /> }.into_any()
        }
    }
}

async fn read(
    workspace: Workspace,
    path: &WorkspacePath,
    before: Option<FileEntry>,
    after: Option<FileEntry>,
) -> Result<Versions, FilesError> {
    let size = |file: Option<FileEntry>| file.map_or_else(|| "not there".to_owned(), |file| in_words(file.size));
    let words = Versions::Words(format!("Before: {}. After: {}.", size(before), size(after)));
    let mut texts = Vec::new();
    for file in [before, after] {
        let Some(file) = file else {
            texts.push(String::new());
            continue;
        };
        if file.size > COMPARABLE_BYTES {
            return Ok(words);
        }
        let bytes = workspace::bytes(&workspace.storage().store(), path, file).await?;
        match (ContentKind::of(path, &bytes), String::from_utf8(bytes)) {
            (ContentKind::Text | ContentKind::DrawnText(_), Ok(text)) => texts.push(text),
            _ => return Ok(words),
        }
    }
    let after = texts.pop().unwrap_or_default();
    Ok(Versions::Texts(texts.pop().unwrap_or_default(), after))
}

/// The code view of a difference.
#[component]
pub(crate) fn CodeDifference(
    /// Where the file is, or what it is called.
    path: String,
    /// What it was.
    before: String,
    /// What it became.
    after: String,
) -> impl IntoView {
    let host = NodeRef::<Div>::new();
    let held = StoredValue::new_local(None::<Editor>);
    let problem = RwSignal::new(None::<String>);
    Effect::new(move || {
        let Some(host) = host.get() else { return };
        let (before, after, path) = (before.clone(), after.clone(), path.clone());
        spawn(async move {
            let label = format!("What changed in {path}");
            match Editor::compare(&host, &before, &after, language_of(&path), &label).await {
                Ok(editor) => drop(held.try_set_value(Some(editor))),
                Err(error) => drop(problem.try_set(Some(error.to_string()))),
            }
        });
    });
    view! {
        <div class="code-host" node_ref=host data-testid="code-difference"></div>
        {move || problem.get().map(|problem| view! { <p class="workspace-problem" role="alert">{sentence(&problem)}</p> })}
    }
    .into_any()
}

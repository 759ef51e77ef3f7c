//! What a file was before: the states that touched it, newest first, and what each of them did.

use leptos::prelude::*;
use satchel_core::record::ManifestSource;
use satchel_core::workspace::{Version, WorkspacePath};

use super::code_view::Difference;
use super::toolbar::ToolButton;
use crate::browser::clock;
use crate::state::Workspace;
use crate::state::workspace::View;
use crate::ui::parts::{IconName, in_words, sentence};
use crate::work::workspace;

/// The versions of a file.
#[component]
pub(super) fn VersionsView(
    /// Where it is.
    path: WorkspacePath,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let path = StoredValue::new(path);
    let read = LocalResource::new(move || {
        // Read again when files change.
        workspace.listing();
        let (store, open, path) = (workspace.storage().store(), workspace.opened().open(), path.get_value());
        async move {
            match open {
                Some(open) => workspace::versions(&store, &open, &path).await.map_err(|error| error.to_string()),
                None => Ok(Vec::new()),
            }
        }
    });
    let chosen = RwSignal::new(0_usize);
    let list = move || match read.get() {
        None => ().into_any(),
        Some(Err(error)) => view! { <p class="workspace-problem" role="alert">{sentence(&error)}</p> }.into_any(),
        Some(Ok(versions)) if versions.is_empty() => {
            view! { <p class="workspace-words">"This file has no history at this point of the chat."</p> }.into_any()
        }
        Some(Ok(versions)) => {
            let rows = versions.into_iter().enumerate();
            let rows = rows.map(|(at, version)| view! { <VersionRow path at version chosen /> }).collect_view();
            view! { <ol class="versions" data-testid="versions">{rows}</ol> }.into_any()
        }
    };
    let difference = move || {
        let versions = read.get()?.ok()?;
        let version = versions.get(chosen.get())?;
        let before = versions.get(chosen.get() + 1).and_then(|version| version.file);
        Some(view! { <Difference path=path.get_value() before after=version.file /> })
    };
    view! {
        <div class="file-head">
            <ToolButton
                icon=IconName::Back
                label="Back to the file"
                test_id="workspace-back"
                on_press=move || workspace.show(View::File(path.get_value()))
            />
            <h3 class="file-name">{path.with_value(|path| format!("History of {path}"))}</h3>
        </div>
        {list}
        <div class="file-body">{difference}</div>
    }
    .into_any()
}

/// One version: when, by what, and the way to have it back.
#[component]
fn VersionRow(
    /// Where the file is.
    path: StoredValue<WorkspacePath>,
    /// The place in the list; the first is what the file is now.
    at: usize,
    /// The version.
    version: Version,
    /// Which one is shown.
    chosen: RwSignal<usize>,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let what = match version.manifest.source {
        ManifestSource::UserUpload => "You uploaded it",
        ManifestSource::ToolRun => "A tool wrote it",
        ManifestSource::Branch => "A branch began",
        ManifestSource::Edit if version.file.is_none() => "You deleted it",
        ManifestSource::Edit => "You edited it",
    };
    let when = clock::in_words(version.manifest.created_at);
    let restore = version.file.filter(|_| at > 0).map(|file| {
        view! {
            <button
                class="button button-small"
                type="button"
                data-testid="version-restore"
                on:click=move |_| workspace.restore(path.get_value(), file)
            >
                "Restore"
            </button>
        }
    });
    let size = version.file.map(|file| in_words(file.size));
    view! {
        <li class="version" data-testid="version">
            <button
                class="version-choose"
                type="button"
                aria-pressed=move || (chosen.get() == at).to_string()
                on:click=move |_| chosen.set(at)
            >
                <span>{what}</span>
                <span class="version-when">{when} {size.map(|size| format!(" · {size}"))}</span>
            </button>
            {restore}
        </li>
    }
    .into_any()
}

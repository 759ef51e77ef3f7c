//! Several states of the files of one message, and the choice between them.

use leptos::prelude::*;
use satchel_core::record::ManifestSource;
use satchel_core::workspace::WorkspacePath;

use crate::browser::clock;
use crate::state::Workspace;
use crate::work::workspace::Rival;

/// So many paths are named.
const NAMED: usize = 3;

/// The states to choose from; nothing where there is only one.
#[component]
pub(super) fn Rivals() -> impl IntoView {
    let workspace = Workspace::expect();
    let rivals = Memo::new(move |_| workspace.listing().and_then(Result::ok).map(|all| all.rivals.clone()));
    move || {
        let rivals = rivals.get().filter(|rivals| !rivals.is_empty())?;
        let rows = rivals.into_iter().enumerate().map(|(at, rival)| view! { <RivalRow rival is_shown=at == 0 /> });
        Some(view! {
            <section class="rivals" aria-label="Files to choose from" data-testid="workspace-rivals">
                <p class="rivals-words" role="status">
                    "These files were changed on several devices at once. Choose which to continue with; the others stay in the history."
                </p>
                <ul>{rows.collect_view()}</ul>
            </section>
        })
    }
}

#[component]
fn RivalRow(
    /// The state.
    rival: Rival,
    /// Whether its files are those that are shown.
    is_shown: bool,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let Rival { manifest, differs } = rival;
    let what = match manifest.source {
        ManifestSource::UserUpload => "Files were uploaded",
        ManifestSource::ToolRun => "A tool ran",
        ManifestSource::Branch => "A branch began",
        ManifestSource::Edit => "Files were edited",
    };
    let when = clock::in_words(manifest.created_at);
    let differs = if is_shown { "Shown below".into() } else { named(&differs) };
    view! {
        <li class="rival" data-testid="workspace-rival">
            <p class="rival-what">
                <span>{what} " · " {when}</span>
                <span class="rival-differs">{differs}</span>
            </p>
            <button
                class="button button-small"
                type="button"
                data-testid="workspace-rival-choose"
                on:click=move |_| workspace.choose(manifest.id.clone())
            >
                "Choose"
            </button>
        </li>
    }
    .into_any()
}

/// Where a state differs, in words.
fn named(paths: &[WorkspacePath]) -> String {
    let mut words: Vec<String> = paths.iter().take(NAMED).map(ToString::to_string).collect();
    match paths.len() {
        0 => return "The same files".into(),
        count if count > NAMED => words.push(format!("{} more", count - NAMED)),
        _ => {}
    }
    format!("Differs in {}", words.join(", "))
}

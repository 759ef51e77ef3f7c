//! What came of a trial: the result as it is shown in a chat, how long it took, what it wrote, and which files it changed.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::local_api::reading::DiffRead;
use satchel_core::record::{CallStatus, ToolCall};

use super::raw::Raw;
use crate::state::Place;
use crate::ui::parts::sentence;
use crate::ui::renderers::{KeptDisplays, KeptOutput, Rendered};

/// A trial that is over.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    /// Its row.
    pub(super) row: ToolCall,
    /// The files it changed.
    pub(super) changed: DiffRead,
}

/// The trial.
#[component]
pub(super) fn TrialResult(
    /// What came of it.
    trial: Trial,
) -> impl IntoView {
    let Trial { row, changed } = trial;
    let took = row.finished_at.map(|end| end.as_millis().saturating_sub(row.started_at.as_millis()));
    let (kind, words) = match row.status {
        CallStatus::Success => ("good", "Completed"),
        CallStatus::Error => ("bad", "Error"),
        CallStatus::Pending | CallStatus::Running => ("caution", "Running"),
    };
    let (notes, shown) = (row.notes.clone(), Arc::new(row.clone()));
    let displays = row.displays.clone();
    let output = row.output.map(|output| {
        view! {
            <div data-testid="tester-output">
                <h3>"Output"</h3>
                <KeptOutput output />
            </div>
        }
    });
    view! {
        <div class="trial" role="status" data-testid="tester-result">
            <div class="run-head">
                <span class="badge" data-kind=kind>{words}</span>
                <p class="field-hint run-name">{took.map(duration)}</p>
                <a class="button button-small" href=format!("{}/{}", Place::Chat.path(), row.chat_id)>"Its files"</a>
            </div>
            {(!displays.is_empty())
                .then(|| view! { <div class="run-displays" data-testid="tester-displays"><KeptDisplays displays /></div> })}
            <Rendered call=shown />
            {output}
            {notes.into_iter().map(|note| view! { <p class="field-hint">{sentence(&note)}</p> }).collect_view()}
            <Changed changed />
            <Raw row />
        </div>
    }
}

/// The files that were changed.
#[component]
fn Changed(
    /// What differs.
    changed: DiffRead,
) -> impl IntoView {
    let DiffRead { added, changed, deleted } = changed;
    let mut all: Vec<(String, &'static str)> = Vec::new();
    all.extend(added.into_keys().map(|path| (path, "new")));
    all.extend(changed.into_keys().map(|path| (path, "changed")));
    all.extend(deleted.into_keys().map(|path| (path, "deleted")));
    all.sort();
    (!all.is_empty()).then(|| {
        let row = |(path, what): (String, &'static str)| {
            view! { <li><code>{path}</code> " " <span class="field-hint">{what}</span></li> }
        };
        view! {
            <div class="trial-files" data-testid="tester-changed">
                <h3>"Files"</h3>
                <ul>{all.into_iter().map(row).collect_view()}</ul>
            </div>
        }
    })
}

/// A time in words.
pub(crate) fn duration(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1_000),
    }
}

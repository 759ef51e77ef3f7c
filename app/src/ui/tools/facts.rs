//! What else is to be known of a tool: what it takes and gives, its source, what was approved, and how its calls went.

use leptos::prelude::*;
use satchel_core::digest::BlobId;
use satchel_core::local_api::reading::{DetailsRead, MetricsRead, PinRead, SourceRead, ToolItemRead, ToolMoreRead};

use super::json_part::JsonPart;
use crate::browser::clock;
use crate::browser::spawn::spawn;
use crate::state::Toolsets;
use crate::ui::toolsets::{FileView, RememberedList};

/// All of it, below the form.
#[component]
pub(super) fn Facts(
    /// The tool.
    tool: ToolItemRead,
    /// What the list does not say of it.
    more: ToolMoreRead,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    let home = RwSignal::new(None::<DetailsRead>);
    if let Some(id) = tool.toolset_id.clone().filter(|id| id != "builtin") {
        spawn(async move {
            // The page says by itself when a toolset cannot be read; here only its part is missing then.
            if let Ok(details) = toolsets.details(id).await {
                home.try_set(Some(details));
            }
        });
    }
    let id = tool.tool_id.clone();
    let remembered = move || {
        let details = home.get()?;
        let of_tool = details.remembered.into_iter().filter(|one| one.tool_id == id).collect();
        Some(view! { <RememberedList id=details.toolset.id remembered=of_tool /> })
    };
    let source = more.source.map(|SourceRead { path, sha256 }| view! { <Source path sha256 /> });
    view! {
        <div class="parts">
            <JsonPart title="Input" value=tool.input_schema.clone() />
            <JsonPart title="Output" value=more.output_schema />
            <JsonPart title="Request" value=more.http />
            <JsonPart title="How its result is shown" value=more.render_config />
            {source}
            {remembered}
        </div>
        <dl class="facts toolset-facts">
            <dt>"Calls"</dt>
            <dd data-testid="tool-metrics">{calls(tool.metrics.as_ref())}</dd>
            <dt>"Version"</dt>
            <dd>
                {tool.version}
                {tool.modified_at.map(|changed| format!(", changed {}", clock::in_words(changed)))}
            </dd>
            {more
                .timeout_seconds
                .map(|seconds| view! { <dt>"Time limit"</dt><dd>{format!("{seconds} s")}</dd> })}
            <Pinned pin=more.pin />
            {more.entrypoint.map(|entrypoint| view! { <dt>"Function"</dt><dd><code>{entrypoint}</code></dd> })}
        </dl>
    }
}

/// The file its function is in.
#[component]
fn Source(
    /// Where it is in the toolset.
    path: String,
    /// The name of its bytes.
    sha256: BlobId,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    view! {
        <details class="part" on:toggle=move |_| is_open.set(true)>
            <summary>"Source " <code>{path}</code></summary>
            <div class="tool-source">{move || is_open.get().then(|| view! { <FileView sha256 /> })}</div>
        </details>
    }
}

/// What it was when it was first used or last approved, and whether it still is that; nothing where it was never used.
#[component]
fn Pinned(
    /// What is known of it.
    pin: PinRead,
) -> impl IntoView {
    let (kind, word) = match pin.standing.as_str() {
        "same" => ("good", "unchanged"),
        _ => ("caution", "changed, so it is off"),
    };
    pin.definition_hash.zip(pin.pinned_at).map(|(hash, pinned_at)| {
        view! {
            <dt>"Fingerprint"</dt>
            <dd data-testid="tool-pin">
                <code>{hash}</code>
                {format!(", {} ", clock::in_words(pinned_at))}
                <span class="badge" data-kind=kind>{word}</span>
            </dd>
        }
    })
}

fn calls(metrics: Option<&MetricsRead>) -> String {
    let Some(MetricsRead { calls, errors, total_millis, longest_millis, last_called_at }) =
        metrics.filter(|metrics| metrics.calls > 0)
    else {
        return "never called on this device".into();
    };
    let times = if *calls == 1 { "once".to_owned() } else { format!("{calls} times") };
    let failed = match errors {
        0 => String::new(),
        errors => format!(", {errors} with an error"),
    };
    let mean = super::result::duration(total_millis / calls);
    let last = last_called_at.map(|last| format!(", last {}", clock::in_words(last))).unwrap_or_default();
    format!("{times}{failed}; {mean} on average, {} at most{last}", super::result::duration(*longest_millis))
}

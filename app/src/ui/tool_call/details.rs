//! The inside of a call: what it was called with, what it gave or why it failed, what it wrote, and what else has to be known (R204).

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::record::{CallStatus, RequestedCall, ToolCall};
use satchel_core::render::View;
use serde_json::Value;

use crate::ui::parts::sentence;
use crate::ui::renderers::{ErrorView, JsonView, KeptOutput, Rendered, is_shown_at_once, view_of};

/// The details.
#[component]
pub(super) fn Details(
    /// What the message asks for.
    requested: StoredValue<RequestedCall>,
    /// The record.
    row: Memo<Option<Arc<ToolCall>>>,
) -> impl IntoView {
    // The arguments of the record are those it was really called with; the user may have changed them.
    let arguments = move || {
        let of_row = row.with(|row| row.as_ref().map(|row| row.args.clone()));
        let written = || requested.with_value(|requested| requested.function.arguments.clone());
        match of_row.or_else(|| serde_json::from_str::<Value>(&written()).ok()) {
            Some(value) => serde_json::to_string_pretty(&value).unwrap_or_default(),
            None => written(),
        }
    };
    view! {
        <div class="tool-call-details" data-testid="tool-call-details">
            <h4 class="tool-call-part">"Arguments"</h4>
            <pre class="renderer-text" data-testid="tool-call-arguments" tabindex="0">{arguments}</pre>
            {move || row.get().map(|call| view! { <Outcome call /> })}
        </div>
    }
}

/// What came of it.
#[component]
fn Outcome(
    /// The call.
    call: Arc<ToolCall>,
) -> impl IntoView {
    let notes = call.notes.clone();
    let output = call.output.map(|output| {
        view! {
            <h4 class="tool-call-part">"Output"</h4>
            <KeptOutput output />
        }
    });
    let result = match (call.status, view_of(&call)) {
        (CallStatus::Pending | CallStatus::Running, _) => ().into_any(),
        (CallStatus::Error, View::Error { message, traceback }) => view! { <ErrorView message traceback /> }.into_any(),
        // What is shown below the head in its own way is here as it is.
        (_, view) if is_shown_at_once(&view, &call) => match &call.result {
            Some(result) => view! { <JsonView value=result.clone() note=None /> }.into_any(),
            None => {
                let preview = call.spilled.as_ref().map(|spilled| format!("{}\n…", spilled.preview));
                view! { <pre class="renderer-text" tabindex="0">{preview}</pre> }.into_any()
            }
        },
        (_, _) => view! { <Rendered call=Arc::clone(&call) /> }.into_any(),
    };
    let has_ended = call.finished_at.is_some();
    view! {
        {has_ended.then(|| view! { <h4 class="tool-call-part">"Result"</h4> })}
        {result}
        {output}
        {(!notes.is_empty())
            .then(|| {
                view! {
                    <ul class="tool-call-notes">
                        {notes.into_iter().map(|note| view! { <li>{sentence(&note)}</li> }).collect_view()}
                    </ul>
                }
            })}
    }
}

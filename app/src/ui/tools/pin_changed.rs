//! What has changed about a tool since it was first used, and the way to take it for what it is now (C14).

use leptos::prelude::*;
use satchel_core::local_api::reading::PinRead;
use satchel_core::mcp::Change;
use serde_json::Value;

use crate::state::Toolsets;

/// Nothing where the tool is what it was.
#[component]
pub(crate) fn PinChanged(
    /// The tool's whole id.
    tool_id: String,
    /// How it compares with what it was.
    pin: PinRead,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    let words = match pin.standing.as_str() {
        "changed" => "It has changed since it was last used or approved, so it is switched off. What changed:",
        "unreadable" => {
            "Its definition from when it was first used cannot be read, so it is switched off. Review all of it first."
        }
        _ => return ().into_any(),
    };
    let (changed_test_id, test_id) = (format!("pin-changed-{tool_id}"), format!("pin-approve-{tool_id}"));
    view! {
        <div class="pin-changed" role="alert" data-testid=changed_test_id>
            <p>{words}</p>
            <dl class="pin-changes">
                {pin.changes.into_iter().map(|change| view! { <ChangeRow change /> }).collect_view()}
            </dl>
            <button
                class="button button-small"
                type="button"
                data-testid=test_id
                on:click=move |_| toolsets.approve_tool(tool_id.clone())
            >
                "Approve it as it is now"
            </button>
        </div>
    }
    .into_any()
}

#[component]
fn ChangeRow(
    /// The change.
    change: Change,
) -> impl IntoView {
    let text = |value: Option<Value>| match value {
        None => "nothing".to_owned(),
        Some(Value::String(text)) => text,
        Some(other) => serde_json::to_string_pretty(&other).unwrap_or_default(),
    };
    view! {
        <dt><code>{change.path}</code></dt>
        <dd>
            <del class="pin-before">{text(change.before)}</del>
            <ins class="pin-after">{text(change.after)}</ins>
        </dd>
    }
}

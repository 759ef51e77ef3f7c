//! A tool as its server offers it: what it says of itself, what it takes, and what has changed about it since it was first used (C14).

use leptos::prelude::*;
use satchel_core::local_api::reading::OfferedToolRead;
use satchel_core::mcp::Change;
use serde_json::Value;

use crate::state::{McpServers, Place};

/// What a server can say of its tools, and what that means.
const HINTS: [(&str, &str, &str); 4] = [
    ("readOnlyHint", "says it only reads", "says it changes something"),
    ("destructiveHint", "says it may destroy", "says it destroys nothing"),
    ("idempotentHint", "says twice is like once", ""),
    ("openWorldHint", "says it reaches the outside", "says it stays inside"),
];

/// A tool.
#[component]
pub(super) fn OfferedTool(
    /// The tool.
    tool: OfferedToolRead,
) -> impl IntoView {
    let address = format!("{}/{}", Place::Tools.path(), tool.tool_id);
    let hint = |(name, yes, no): (&str, &'static str, &'static str)| {
        let says = tool.annotations.as_ref()?.get(name)?.as_bool()?;
        Some(if says { yes } else { no }).filter(|words| !words.is_empty())
    };
    let hints: Vec<&str> = HINTS.into_iter().filter_map(hint).collect();
    view! {
        <li class="server-tool" data-testid=format!("server-tool-{}", tool.tool_id)>
            <h3><a href=address>{tool.title.clone()}</a> " " <code class="tool-id">{tool.name.clone()}</code></h3>
            {(!tool.description.is_empty()).then(|| view! { <p class="tool-says">{tool.description.clone()}</p> })}
            <div class="tool-marks">
                {hints.into_iter().map(|words| view! { <span class="badge" title="The server's own words, never a permission">{words}</span> }).collect_view()}
            </div>
            <Pin tool=tool.clone() />
            <Schema title="What it takes" schema=tool.input_schema />
            <Schema title="What it gives" schema=tool.output_schema />
        </li>
    }
}

#[component]
fn Schema(
    /// What it is.
    title: &'static str,
    /// The schema, if there is one.
    schema: Option<Value>,
) -> impl IntoView {
    schema.map(|schema| {
        let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
        view! {
            <details class="part">
                <summary>{title}</summary>
                <pre class="file-text tool-schema" tabindex="0">{text}</pre>
            </details>
        }
    })
}

/// What has changed, and the way to take the tool for what it is now.
#[component]
fn Pin(
    /// The tool.
    tool: OfferedToolRead,
) -> impl IntoView {
    let servers = McpServers::expect();
    let words = match tool.pin.standing.as_str() {
        "changed" => "It is not what it was when it was first used, so it is switched off. This has changed:",
        "unreadable" => {
            "What it was when it was first used cannot be read, so it is switched off. Look at all of it first."
        }
        _ => return ().into_any(),
    };
    let (id, test_id) = (tool.tool_id.clone(), format!("pin-approve-{}", tool.tool_id));
    let changed_test_id = format!("pin-changed-{id}");
    let changed = tool.pin.changes;
    view! {
        <div class="pin-changed" role="alert" data-testid=changed_test_id>
            <p>{words}</p>
            <dl class="pin-changes">
                {changed.into_iter().map(|change| view! { <ChangeRow change /> }).collect_view()}
            </dl>
            <button
                class="button button-small"
                type="button"
                data-testid=test_id
                on:click=move |_| servers.approve(id.clone())
            >
                "Approve what it is now"
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

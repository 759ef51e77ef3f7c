//! A tool as its server offers it: what it says of itself, what it takes, and what has changed about it since it was first used (C14).

use leptos::prelude::*;
use satchel_core::local_api::reading::OfferedToolRead;

use crate::state::Place;
use crate::ui::tools::{JsonPart, PinChanged};

/// What a server can say of its tools, and what that means.
const HINTS: [(&str, &str, &str); 4] = [
    ("readOnlyHint", "says it is read-only", "says it makes changes"),
    ("destructiveHint", "says it may delete or overwrite", "says it deletes nothing"),
    ("idempotentHint", "says it is safe to repeat", ""),
    ("openWorldHint", "says it reaches other systems", "says it stays within itself"),
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
                {hints.into_iter().map(|words| view! { <span class="badge" title="The server says this about its tool; it permits nothing">{words}</span> }).collect_view()}
            </div>
            <PinChanged tool_id=tool.tool_id.clone() pin=tool.pin.clone() />
            <JsonPart title="Input" value=tool.input_schema.clone() />
            <JsonPart title="Output" value=tool.output_schema.clone() />
        </li>
    }
}

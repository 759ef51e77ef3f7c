//! What is in an export, and the question whether to take it in.

use leptos::prelude::*;

use crate::ui::parts::in_words;
use crate::work::whole_export::Shown;

/// How many names are listed before the rest is counted.
const NAMES: usize = 12;

/// What is in an export.
#[component]
pub(super) fn Preview(
    /// The export.
    shown: Shown,
    /// The user wants it.
    agree: Callback<()>,
    /// The user does not.
    put_away: Callback<()>,
) -> impl IntoView {
    let Shown { is_everything, changed_at, app_version, chats, messages, tool_calls, .. } = shown.clone();
    let day = changed_at.to_string()[..10].to_owned();
    let headline = if is_everything { "An export of everything" } else { "An export of one chat" };
    let talk = format!("{} with messages: {messages}, tool calls: {tool_calls}", listed(&chats));
    let files = format!("{}, {}", shown.files, in_words(shown.bytes));
    let toolsets = if shown.toolsets.is_empty() { "none".to_owned() } else { listed(&shown.toolsets) };
    let lacks = (shown.lacks > 0).then(|| {
        let words = format!("Files that were damaged or gone already when it was made: {}.", shown.lacks);
        view! { <p class="field-error">{words}</p> }
    });
    let servers = (shown.servers > 0).then(|| {
        let words = format!("MCP servers: {}. Those that are not here yet come switched off.", shown.servers);
        view! { <p class="field-hint">{words}</p> }
    });
    let settings = (shown.settings > 0).then(|| {
        view! {
            <p class="field-hint">
                "It can change your settings and toolsets: import it only if it is your own, or from somebody you trust."
            </p>
        }
    });
    view! {
        <div class="row row-stack" data-testid="import-all-preview">
            <p class="field-label">{headline}</p>
            <dl class="facts">
                <dt>"Chats"</dt>
                <dd data-testid="import-all-chats">{talk}</dd>
                <dt>"Toolsets"</dt>
                <dd>{toolsets}</dd>
                <dt>"Files"</dt>
                <dd>{files}</dd>
                <dt>"Last change"</dt>
                <dd>{day} " by Satchel " {app_version}</dd>
            </dl>
            {servers}
            {settings}
            {lacks}
            <div class="row-buttons">
                <button
                    class="button button-accent"
                    type="button"
                    data-testid="import-all-confirm"
                    on:click=move |_| agree.run(())
                >
                    "Import"
                </button>
                <button class="button" type="button" data-testid="import-all-cancel" on:click=move |_| put_away.run(())>
                    "Cancel"
                </button>
            </div>
        </div>
    }
}

/// Some names, and how many more there are.
fn listed(names: &[String]) -> String {
    let first = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

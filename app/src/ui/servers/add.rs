//! Adding a server: by a form, or by the configuration of another program, pasted or dropped (R226, R318).
//!
//! Both ways are one: what the form says is written as such a configuration and read by the same reader, so that secrets are taken out and
//! names are freed in one place.

use leptos::ev::{DragEvent, SubmitEvent};
use leptos::prelude::*;
use satchel_core::local_api::reading::PastedRead;
use satchel_core::mcp::command_words;
use serde_json::{Value, json};

use super::pasted::PastedServers;
use crate::browser::files::{self, Brought};
use crate::browser::spawn::spawn;
use crate::state::McpServers;
use crate::ui::parts::sentence;

/// Bytes of a file that is dropped.
const MOST: u64 = 1 << 20;

/// The form, the field for a configuration, and what was read of either.
#[component]
pub(super) fn AddServer() -> impl IntoView {
    let servers = McpServers::expect();
    let (name, reached, text) =
        (RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new(String::new()));
    let problem = RwSignal::new(None::<String>);
    let read = RwSignal::new(None::<PastedRead>);
    let fields = [name, reached, text];
    // What stood in the fields each time they were read.
    let taken = StoredValue::new(Vec::<[String; 3]>::new());
    let take_in = move |config: String| {
        problem.set(None);
        taken.update_value(|taken| taken.push(fields.map(|field| field.get_untracked())));
        spawn(async move {
            match servers.read(&config).await {
                Ok(found) => drop(read.try_set(Some(found))),
                Err(error) => drop(problem.try_set(Some(error))),
            }
        });
    };
    let by_form = move |event: SubmitEvent| {
        event.prevent_default();
        take_in(written(&name.get_untracked(), &reached.get_untracked()).to_string());
    };
    let by_text = move |event: SubmitEvent| {
        event.prevent_default();
        take_in(text.get_untracked());
    };
    let drop_file = move |event: DragEvent| {
        event.prevent_default();
        let brought = files::dropped(&event);
        spawn(async move {
            match dropped_text(brought).await {
                Ok(dropped) => {
                    text.try_set(dropped.clone());
                    take_in(dropped);
                }
                Err(error) => drop(problem.try_set(Some(error))),
            }
        });
    };
    // Of the next server, something may have been written or read already; that stays.
    let done_with = move |turn: usize| {
        let Some((before, is_last)) =
            taken.try_with_value(|taken| Some((taken.get(turn)?.clone(), turn + 1 == taken.len()))).flatten()
        else {
            return;
        };
        if is_last {
            read.set(None);
        }
        for (field, before) in fields.into_iter().zip(before) {
            if field.with_untracked(|now| *now == before) {
                field.set(String::new());
            }
        }
    };
    view! {
        <section class="server-add" aria-label="Add a server">
            <h2>"Add a server"</h2>
            <form class="server-form" on:submit=by_form>
                <label class="field">
                    <span class="field-label">"Address or command"</span>
                    <input
                        class="input input-code"
                        type="text"
                        placeholder="https://example.com/mcp, or npx -y some-server"
                        autocapitalize="off"
                        spellcheck="false"
                        data-testid="server-add-reached"
                        bind:value=reached
                    />
                </label>
                <label class="field">
                    <span class="field-label">"Name"</span>
                    <input class="input" type="text" placeholder="taken from the address" data-testid="server-add-name" bind:value=name />
                </label>
                <button class="button button-accent" type="submit" data-testid="server-add" disabled=move || reached.with(|text| text.trim().is_empty())>
                    "Add"
                </button>
            </form>
            <form class="server-form" on:submit=by_text on:dragover=|event| event.prevent_default() on:drop=drop_file>
                <label class="field">
                    <span class="field-label">"Or paste a configuration"</span>
                    <textarea
                        class="input input-code"
                        rows="5"
                        spellcheck="false"
                        autocapitalize="off"
                        placeholder="{ \"mcpServers\": { … } }"
                        data-testid="server-paste-input"
                        bind:value=text
                    ></textarea>
                    <span class="field-hint">"From Claude, Cursor, VS Code or OpenCode. You can also drop a file here. Keys in it go to your vault."</span>
                </label>
                <button class="button" type="submit" data-testid="server-paste-read" disabled=move || text.with(|text| text.trim().is_empty())>
                    "Continue"
                </button>
            </form>
            {move || problem.get().map(|error| view! { <p class="field-error" role="alert" data-testid="server-add-error">{sentence(&error)}</p> })}
            {move || {
                read.get().map(|found| {
                    let turn = taken.with_value(|taken| taken.len().saturating_sub(1));
                    view! { <PastedServers found done=move || done_with(turn) /> }
                })
            }}
        </section>
    }
}

/// The text of a file that was dropped, or the text itself.
async fn dropped_text(brought: Brought) -> Result<String, String> {
    if !brought.has_files() {
        return Ok(brought.text().to_owned());
    }
    let files = brought.files(1).await.map_err(|error| error.to_string())?;
    let file = files.first().filter(|file| file.size <= MOST).ok_or("drop one file of at most 1 MB")?;
    let bytes = file.bytes().await.map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "this is not a text file".into())
}

/// What the form says, as a configuration.
fn written(name: &str, reached: &str) -> Value {
    let reached = reached.trim();
    let is_address = ["http://", "https://"].iter().any(|scheme| reached.to_ascii_lowercase().starts_with(scheme));
    let server = match is_address {
        true => json!({"url": reached}),
        false => {
            let mut words = command_words(reached).into_iter();
            json!({"command": words.next().unwrap_or_default(), "args": words.collect::<Vec<_>>()})
        }
    };
    match name.trim() {
        "" => server,
        name => json!({"mcpServers": {name: server}}),
    }
}

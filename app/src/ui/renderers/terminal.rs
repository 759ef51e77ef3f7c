//! What a program wrote, in the colours it chose.

use leptos::prelude::*;
use satchel_core::counted::counted;
use satchel_core::digest::BlobId;
use satchel_core::python::OutputStream;
use satchel_core::render::{Ink, Line, TerminalText, terminal_lines};

use super::key_value::FieldList;
use super::surface::{Copied, Surface};
use crate::state::Storage;
use crate::work::calls;

/// So many of the last lines are drawn at first.
const AT_ONCE: usize = 1_000;

/// The result of a command.
#[component]
pub(super) fn TerminalView(
    /// What was run, and what came of it.
    text: TerminalText,
) -> impl IntoView {
    let TerminalText { command, output, errors, exit_code, rest } = text;
    let for_copy =
        [output.as_str(), errors.as_str()].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let copied = Copied::of(move || for_copy.clone());
    let badge = exit_code.map(|code| {
        let kind = if code == 0 { "good" } else { "bad" };
        view! { <span class="badge" data-kind=kind>{format!("exit {code}")}</span> }.into_any()
    });
    let is_silent = output.is_empty() && errors.is_empty();
    view! {
        <Surface test_id="renderer-terminal" title="Terminal" copied tools=badge>
            <FieldList fields=rest />
            <div class="terminal" tabindex="0" role="log" aria-label="Output">
                {command.map(|command| view! { <pre class="terminal-command">{format!("$ {command}")}</pre> })}
                <Lines text=output />
                <div class="terminal-errors"><Lines text=errors /></div>
                {is_silent.then(|| view! { <p class="terminal-none">"No output."</p> })}
            </div>
        </Surface>
    }
}

/// Lines of a terminal; of many the last.
#[component]
fn Lines(
    /// What was written.
    text: String,
) -> impl IntoView {
    let lines = StoredValue::new(terminal_lines(&text));
    let all = lines.with_value(Vec::len);
    let shown = RwSignal::new(AT_ONCE);
    let hidden = move || all.saturating_sub(shown.get());
    let drawn = move || lines.with_value(|lines| lines[hidden()..].iter().map(line).collect_view());
    (all > 0).then(|| {
        view! {
            <Show when=move || 0 < hidden()>
                <button class="button button-small" type="button" on:click=move |_| shown.update(|shown| *shown *= 10)>
                    {move || counted(hidden(), "earlier line")}
                </button>
            </Show>
            <pre>{drawn}</pre>
        }
    })
}

fn line(line: &Line) -> AnyView {
    let spans = line.iter().map(|span| {
        if span.ink == Ink::default() {
            return span.text.clone().into_any();
        }
        let Ink { colour, is_bold, is_faint, is_underlined } = span.ink;
        view! {
            <span
                data-ink=colour.map(|colour| colour.to_string())
                class:bold=is_bold
                class:faint=is_faint
                class:underlined=is_underlined
            >
                {span.text.clone()}
            </span>
        }
        .into_any()
    });
    view! { {spans.collect_view()} "\n" }.into_any()
}

/// What a call wrote while it ran, from its record.
#[component]
pub(crate) fn KeptOutput(
    /// The record: a JSON list of `[stream, text]`.
    output: BlobId,
) -> impl IntoView {
    let storage = Storage::expect();
    let read = LocalResource::new(move || {
        let store = storage.store();
        async move {
            let text = calls::text(&store, "the output", output).await.map_err(|error| error.to_string())?;
            serde_json::from_str::<Vec<(OutputStream, String)>>(&text).map_err(|error| error.to_string())
        }
    });
    move || match read.get() {
        None => ().into_any(),
        Some(Err(problem)) => view! { <super::source::NotRead problem=Some(problem) /> }.into_any(),
        Some(Ok(pieces)) => {
            let whole: String = pieces.into_iter().map(|(_, text)| text).collect();
            view! { <div class="terminal" tabindex="0" role="log" aria-label="Output"><Lines text=whole /></div> }
                .into_any()
        }
    }
}

/// What a call writes while it runs.
#[component]
pub(crate) fn LiveOutput(
    /// The end of it.
    output: RwSignal<String>,
) -> impl IntoView {
    let has_any = Memo::new(move |_| output.with(|output| !output.is_empty()));
    move || {
        has_any.get().then(|| {
            view! {
                <div class="terminal terminal-live" role="log" aria-label="Output" tabindex="0" data-testid="call-output">
                    <pre>{move || output.with(|output| terminal_lines(output).iter().map(line).collect_view())}</pre>
                </div>
            }
        })
    }
}

//! A chat, or everything, as one file.

use leptos::prelude::*;

use super::course::{Course, OnTheWay, Stage};
use crate::ui::parts::in_words;
use crate::work::whole_export::{self, Exported, OneChat};

/// The row of the export.
#[component]
pub(crate) fn ExportRow(
    /// The chat; without one it is everything.
    #[prop(optional)]
    chat: Option<OneChat>,
) -> impl IntoView {
    let course = Course::<Exported>::new();
    let (label, hint, test_id) = match &chat {
        Some(_) => (
            "Export the chat",
            "One ZIP with all branches, tool calls, states of its files, and the toolsets it uses. No keys or other secrets are in it.",
            "export-chat",
        ),
        None => (
            "Export everything",
            "One ZIP with all chats, files, toolsets and settings, to keep or to import elsewhere. No keys or other secrets are in it.",
            "export-all",
        ),
    };
    let begin = move |_| {
        let chat = chat.clone();
        course.begin("Collecting and checking…", |told| whole_export::export(chat, told));
    };
    view! {
        <div class="row">
            <div class="field">
                <div class="field-label">{label}</div>
                <p class="field-hint">{hint}</p>
            </div>
            <Show
                when=move || course.runs()
                fallback=move || {
                    view! { <button class="button" type="button" data-testid=test_id on:click=begin.clone()>"Export"</button> }
                }
            >
                <button class="button" type="button" data-testid="export-stop" on:click=move |_| course.stop()>"Stop"</button>
            </Show>
        </div>
        <OnTheWay course stopped="The export was stopped. Nothing was saved." test_id="export" />
        {move || match course.stage() {
            Stage::Ended(exported) => view! { <Done exported /> }.into_any(),
            Stage::NotBegun | Stage::Runs(_) | Stage::Stopped | Stage::Failed(_) => ().into_any(),
        }}
    }
}

#[component]
fn Done(
    /// The export.
    exported: Exported,
) -> impl IntoView {
    let Exported { chats, toolsets, files, bytes, lacks, left_out } = exported;
    let words = format!("Saved: {} with chats: {chats}, toolsets: {toolsets}, files: {files}.", in_words(bytes));
    let lacks = (lacks > 0).then(|| {
        let words = format!(
            "Files that are damaged or missing on this device, and so are missing from the export: {lacks}. Check the storage to see which."
        );
        view! { <p class="field-error">{words}</p> }
    });
    let left_out = (left_out > 0).then(|| {
        let words = format!(
            "Entries that cannot be read and are not in the export: {left_out}. Check the storage to see which."
        );
        view! { <p class="field-error">{words}</p> }
    });
    view! {
        <div class="row row-stack" role="status" data-testid="export-done">
            <p>{words}</p>
            {lacks}
            {left_out}
        </div>
    }
}

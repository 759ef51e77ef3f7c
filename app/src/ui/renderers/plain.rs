//! A result whose tool declares no renderer, as what it plainly is.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::render::Plain;
use serde_json::Value;

use super::difference::DifferenceView;
use super::json::JsonView;
use super::key_value::KeyValueView;
use super::patch::PatchView;
use super::picture::{Picture, PictureView};
use super::table::TableView;
use super::table_rows::TableRows;
use super::terminal::TerminalView;

/// The result.
#[component]
pub(super) fn PlainView(
    /// The tool.
    tool: String,
    /// What it was called with.
    args: Value,
    /// What it gave.
    result: Value,
    /// Why it is not shown as it was to be.
    note: Option<String>,
) -> impl IntoView {
    // Something went wrong with what was declared: the result is shown as it is, and nothing is guessed.
    if note.is_some() {
        return view! { <JsonView value=result note /> }.into_any();
    }
    drawn(Plain::of(&tool, &args, result))
}

/// Draws what a result was found to be.
pub(super) fn drawn(plain: Plain) -> AnyView {
    match plain {
        Plain::Terminal(text) => view! { <TerminalView text /> }.into_any(),
        Plain::Difference { path, before, after, rest } => {
            view! { <DifferenceView path before after rest /> }.into_any()
        }
        Plain::Patch { path, text, rest } => view! { <PatchView path text rest /> }.into_any(),
        Plain::Table { table, rest } => view! { <TableView rows=TableRows::Here(Arc::new(table)) rest /> }.into_any(),
        Plain::Picture { picture, rest } => {
            view! { <PictureView picture=Picture::of_data(&picture) rest /> }.into_any()
        }
        Plain::KeyValue(fields) => view! { <KeyValueView fields note=None /> }.into_any(),
        Plain::Tree(value) => view! { <JsonView value note=None /> }.into_any(),
    }
}

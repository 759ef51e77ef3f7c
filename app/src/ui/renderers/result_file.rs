//! A result that was too large for its record, or is no JSON, from the file it was put into (R308). The user sees all of it.

use std::sync::Arc;

use leptos::context::Provider;
use leptos::prelude::*;
use satchel_core::record::ToolCall;
use satchel_core::render::{FileView, language_of};
use serde_json::Value;

use super::code_text::CodeText;
use super::picture::{Picture, PictureView};
use super::plain::PlainView;
use super::source::NotRead;
use super::surface::{Copied, FromFile, Surface};
use super::table::TableView;
use super::table_rows::TableRows;
use crate::state::Storage;
use crate::work::store::AppStore;
use crate::work::tables::HeldTable;
use crate::work::{calls, tables};

/// The result.
#[component]
pub(super) fn ResultFile(
    /// The call.
    call: Arc<ToolCall>,
    /// Where its result is.
    file: FileView,
    /// What it is.
    media_type: String,
    /// Why it is not shown as it was to be.
    note: Option<String>,
) -> impl IntoView {
    // What is drawn beside it, such as what the tool showed, is not from this file.
    let from = FromFile(file.path.clone());
    view! { <Provider value=from>{drawn(call, file, media_type, note)}</Provider> }
}

fn drawn(call: Arc<ToolCall>, file: FileView, media_type: String, note: Option<String>) -> AnyView {
    if media_type.starts_with("image/") {
        return view! { <PictureFile file media_type /> }.into_any();
    }
    let is_json = media_type == "application/json";
    // What something went wrong with is shown as it is, and nothing is guessed; see `PlainView`.
    let may_be_table = is_json && note.is_none();
    let (storage, of_table, at) = (Storage::expect(), Arc::clone(&call), file.clone());
    let read = LocalResource::new(move || {
        let (store, call, file) = (storage.store(), Arc::clone(&of_table), at.clone());
        async move { read(&store, &call, file, may_be_table).await }
    });
    (move || match read.get() {
        None => view! { <NotRead problem=None /> }.into_any(),
        Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
        Some(Ok(Read::Table(table))) => {
            let rest = table.rest();
            view! { <TableView rows=TableRows::There(table) rest /> }.into_any()
        }
        Some(Ok(Read::Text(text))) => match serde_json::from_str::<Value>(&text) {
            Ok(result) if is_json => {
                let (tool, args, note) = (call.tool_id.clone(), call.args.clone(), note.clone());
                view! { <PlainView tool args result note /> }.into_any()
            }
            _other => {
                let (copy, title) = (text.clone(), file.path.clone());
                let copied = Copied::of(move || copy.clone());
                let (language, label) = (language_of(&file.path).to_owned(), format!("Text of {title}"));
                view! {
                    <Surface test_id="renderer-code" title copied note=note.clone()>
                        <CodeText text language label />
                    </Surface>
                }
                .into_any()
            }
        },
    })
    .into_any()
}

/// A result that was read.
#[derive(Clone)]
enum Read {
    /// A table. The core worker has it: it may be long.
    Table(Arc<HeldTable>),
    /// Anything else.
    Text(String),
}

async fn read(store: &AppStore, call: &ToolCall, file: FileView, may_be_table: bool) -> Result<Read, String> {
    if may_be_table
        && matches!(store, AppStore::Kept(_))
        && let Some(table) = tables::open(call, file.clone()).await.map_err(|error| error.to_string())?
    {
        return Ok(Read::Table(Arc::new(table)));
    }
    calls::text(store, &file.path, file.sha256).await.map(Read::Text).map_err(|error| error.to_string())
}

#[component]
fn PictureFile(
    /// Where it is.
    file: FileView,
    /// What it is.
    media_type: String,
) -> impl IntoView {
    let storage = Storage::expect();
    let read = LocalResource::new(move || {
        let (store, file) = (storage.store(), file.clone());
        async move { calls::content(&store, &file.path, file.sha256).await.map_err(|error| error.to_string()) }
    });
    move || match read.get() {
        None => view! { <NotRead problem=None /> }.into_any(),
        Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
        Some(Ok(bytes)) => view! { <PictureView picture=Picture::of_bytes(&bytes, &media_type) /> }.into_any(),
    }
}

//! A result that was too large for its record, or is no JSON, from the file it was put into (R308). The user sees all of it.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::record::ToolCall;
use satchel_core::render::{FileView, SourceView, language_of};
use serde_json::Value;

use super::code_text::CodeText;
use super::picture::PictureView;
use super::plain::PlainView;
use super::source::{NotRead, text_of};
use super::surface::{Copied, Surface};
use crate::browser::files::ObjectUrl;
use crate::browser::raw_bytes::RawBytes;
use crate::state::Storage;
use crate::work::calls;

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
    if media_type.starts_with("image/") {
        return view! { <PictureFile file media_type /> }.into_any();
    }
    let text = text_of(SourceView::File(file.clone()));
    let is_json = media_type == "application/json";
    (move || match text.get() {
        None => view! { <NotRead problem=None /> }.into_any(),
        Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
        Some(Ok(text)) => match serde_json::from_str::<Value>(&text) {
            Ok(result) if is_json => {
                let (tool, args, note) = (call.tool_id.clone(), call.args.clone(), note.clone());
                view! { <PlainView tool args result note /> }.into_any()
            }
            _other => {
                let (copy, title) = (text.clone(), file.path.clone());
                let copied = Copied::of(move || copy.clone());
                let (language, label) = (language_of(&file.path).to_owned(), format!("Text of {title}"));
                view! {
                    <Surface test_id="renderer-code" title copied path=Some(file.path.clone()) note=note.clone()>
                        <CodeText text language label />
                    </Surface>
                }
                .into_any()
            }
        },
    })
    .into_any()
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
        Some(Ok(bytes)) => {
            let address = ObjectUrl::of(&RawBytes::from(bytes.as_slice()), &media_type);
            // The address lives as long as the picture.
            let written = address.address().to_owned();
            StoredValue::new_local(address);
            view! { <PictureView address=written /> }.into_any()
        }
    }
}

//! A page of the toolset with its data, in a closed frame.

use std::collections::BTreeMap;

use leptos::prelude::*;
use satchel_core::digest::BlobId;
use satchel_core::render::{FileView, inject_data, self_contained};
use serde_json::Value;

use super::artifact::Artifact;
use super::source::NotRead;
use super::surface::{Copied, Surface};
use crate::state::Storage;
use crate::work::calls;

/// The page.
#[component]
pub(super) fn HtmlView(
    /// The page, as it was at the call.
    artifact: FileView,
    /// What it may name.
    files: BTreeMap<String, BlobId>,
    /// What it is given.
    data: Value,
) -> impl IntoView {
    let storage = Storage::expect();
    let title = artifact.path.clone();
    let for_copy = data.clone();
    let document = LocalResource::new(move || {
        let (store, artifact, files, data) = (storage.store(), artifact.clone(), files.clone(), data.clone());
        async move {
            let html = calls::text(&store, &artifact.path, artifact.sha256).await.map_err(|error| error.to_string())?;
            let contents = calls::contents(&store, &files).await;
            // The data comes last: what is put in for a file cannot be mistaken for a place of it.
            let page = self_contained(&artifact.path, &html, &|path| contents.get(path).cloned());
            Ok::<_, String>(inject_data(&page, &data))
        }
    });
    let copied = Copied::of(move || serde_json::to_string_pretty(&for_copy).unwrap_or_default());
    let name = title.clone();
    view! {
        <Surface test_id="renderer-html" title copied>
            {move || match document.get() {
                Some(Ok(document)) => view! { <Artifact title=name.clone() document /> }.into_any(),
                Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
                None => view! { <NotRead problem=None /> }.into_any(),
            }}
        </Surface>
    }
}

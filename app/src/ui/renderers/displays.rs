//! What a tool showed while it ran: figures, tables, pages, text (R305).

use std::collections::BTreeMap;

use leptos::prelude::*;
use satchel_core::digest::BlobId;
use satchel_core::render::Shown;

use super::artifact::Artifact;
use super::markdown::Markdown;
use super::picture::{Picture, PictureView};
use super::plain::drawn;
use super::source::NotRead;
use super::surface::{Copied, Surface};
use crate::state::Storage;
use crate::work::calls;

/// One thing that was shown.
#[component]
pub(crate) fn DisplayView(
    /// The same thing in several media types.
    bundle: BTreeMap<String, String>,
) -> impl IntoView {
    match Shown::of(&bundle) {
        Shown::Picture(picture) => view! { <PictureView picture=Picture::of_data(&picture) /> }.into_any(),
        Shown::Drawing(text) => {
            view! { <PictureView picture=Picture::of_bytes(text.as_bytes(), "image/svg+xml") /> }.into_any()
        }
        Shown::Html(html) => {
            let copy = html.clone();
            let copied = Copied::of(move || copy.clone());
            view! {
                <Surface test_id="renderer-html" title="Shown by the tool" copied>
                    <Artifact title="Shown by the tool".to_owned() document=html />
                </Surface>
            }
            .into_any()
        }
        Shown::Document(blocks) => {
            let copy = bundle.get("text/markdown").cloned().unwrap_or_default();
            let copied = Copied::of(move || copy.clone());
            view! {
                <Surface test_id="renderer-document" title="Shown by the tool" copied>
                    <div class="document"><div class="document-read"><Markdown blocks /></div></div>
                </Surface>
            }
            .into_any()
        }
        Shown::Plain(plain) => drawn(*plain),
        Shown::Text(text) => {
            let copy = text.clone();
            let copied = Copied::of(move || copy.clone());
            view! {
                <Surface test_id="renderer-text" title="Shown by the tool" copied>
                    <pre class="renderer-text">{text}</pre>
                </Surface>
            }
            .into_any()
        }
    }
}

/// What a call showed, from its record.
#[component]
pub(crate) fn KeptDisplays(
    /// Each as a JSON object by media type.
    displays: Vec<BlobId>,
) -> impl IntoView {
    displays.into_iter().map(|display| view! { <KeptDisplay display /> }).collect_view()
}

#[component]
fn KeptDisplay(
    /// Which.
    display: BlobId,
) -> impl IntoView {
    let storage = Storage::expect();
    let read = LocalResource::new(move || {
        let store = storage.store();
        async move {
            let text = calls::text(&store, "what was shown", display).await.map_err(|error| error.to_string())?;
            serde_json::from_str::<BTreeMap<String, String>>(&text).map_err(|error| error.to_string())
        }
    });
    move || match read.get() {
        Some(Ok(bundle)) => view! { <DisplayView bundle /> }.into_any(),
        Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
        None => view! { <NotRead problem=None /> }.into_any(),
    }
}

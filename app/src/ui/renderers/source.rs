//! What a view shows: what it was given, or the file as the call left it.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::render::SourceView;
use satchel_core::workspace::{HEX_LINE, Look, hex_line};

use super::picture::{Image, Picture};
use super::surface::Clip;
use crate::state::Storage;
use crate::ui::workspace::HexView;
use crate::work::calls;

/// What there is to see, once it has been read, or why it cannot be.
pub(super) type Source = LocalResource<Result<Arc<Look>, String>>;

/// Reads it.
pub(super) fn source_of(source: SourceView) -> Source {
    let storage = Storage::expect();
    LocalResource::new(move || {
        let (store, source) = (storage.store(), source.clone());
        async move {
            let look = match source {
                SourceView::Content(text) => Look::Text(text),
                SourceView::File(file) => {
                    Look::at(calls::content(&store, &file.path, file.sha256).await.map_err(|error| error.to_string())?)
                }
            };
            Ok(Arc::new(look))
        }
    })
}

/// What is copied of it.
pub(super) fn clip_of(look: &Look) -> Clip {
    match look {
        Look::Text(text) | Look::Foreign(text) => Clip::Text(text.clone()),
        Look::Picture(media_type, bytes) => Clip::Picture(Picture::of_bytes(bytes, media_type)),
        Look::Bytes(bytes) => {
            let lines = bytes.chunks(HEX_LINE).enumerate().map(|(at, line)| hex_line(at * HEX_LINE, line));
            Clip::Text(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// What there is to see, drawn: a text in the way of the view that shows it, anything else in its own.
#[component]
pub(super) fn Seen(
    /// The file.
    look: Arc<Look>,
    /// Draws a text.
    draw: impl FnOnce(String) -> AnyView,
) -> impl IntoView {
    match &*look {
        Look::Text(text) => draw(text.clone()),
        Look::Foreign(text) => view! {
            <p class="renderer-note" data-testid="renderer-note">
                "This text is not in UTF-8. What could not be read of it is shown as \u{fffd}, and it cannot be edited here."
            </p>
            {draw(text.clone())}
        }
        .into_any(),
        Look::Picture(media_type, bytes) => {
            view! { <Image picture=Picture::of_bytes(bytes, media_type) alt="The picture in this file" /> }.into_any()
        }
        Look::Bytes(bytes) => {
            let bytes = Arc::new(bytes.clone());
            view! { <HexView bytes=Signal::derive_local(move || Some(Arc::clone(&bytes))) /> }.into_any()
        }
    }
}

/// Where something stands that has not been read, or cannot be.
#[component]
pub(super) fn NotRead(
    /// Why, where it cannot be.
    #[prop(optional_no_strip)]
    problem: Option<String>,
) -> impl IntoView {
    match problem {
        None => view! { <div class="renderer-reading" aria-busy="true"></div> }.into_any(),
        Some(problem) => {
            view! { <p class="renderer-problem" role="alert">{crate::ui::parts::sentence(&problem)}</p> }.into_any()
        }
    }
}

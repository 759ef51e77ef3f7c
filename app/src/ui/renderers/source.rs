//! The text that a view shows: what it was given, or the file as the call left it.

use leptos::prelude::*;
use satchel_core::render::SourceView;

use crate::state::Storage;
use crate::work::calls;

/// The text, once it has been read, or why it cannot be.
pub(super) fn text_of(source: SourceView) -> LocalResource<Result<String, String>> {
    let storage = Storage::expect();
    LocalResource::new(move || {
        let (store, source) = (storage.store(), source.clone());
        async move {
            match source {
                SourceView::Content(text) => Ok(text),
                SourceView::File(file) => {
                    calls::text(&store, &file.path, file.sha256).await.map_err(|error| error.to_string())
                }
            }
        }
    })
}

/// Where a text stands that has not been read, or cannot be.
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

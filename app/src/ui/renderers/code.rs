//! Source code: as the call left it, and where it may be edited and is still that, as the file itself.

use leptos::prelude::*;
use satchel_core::render::SourceView;

use super::code_text::CodeText;
use super::source::{NotRead, text_of};
use super::surface::{Copied, Surface};
use crate::ui::renderers::live::{LiveFile, Standing};

/// The code.
#[component]
pub(super) fn CodeView(
    /// The code.
    source: SourceView,
    /// Its language.
    language: String,
    /// Whether it may be edited.
    editable: bool,
) -> impl IntoView {
    let text = text_of(source.clone());
    let path = match &source {
        SourceView::File(file) => Some(file.path.clone()),
        SourceView::Content(_) => None,
    };
    let title = path.clone().unwrap_or_else(|| language.clone());
    let label = format!("Code of {title}");
    let live = match &source {
        SourceView::File(file) => LiveFile::of(file, editable),
        SourceView::Content(_) => None,
    };
    let copied = Copied::of(move || {
        let typed = live.and_then(|live| live.typed.get_untracked());
        typed.or_else(|| text.get_untracked().and_then(Result::ok)).unwrap_or_default()
    });
    let as_it_was = move || match text.get() {
        Some(Ok(text)) => view! { <CodeText text language=language.clone() label=label.clone() /> }.into_any(),
        Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
        None => view! { <NotRead problem=None /> }.into_any(),
    };
    let tools = live.map(|live| live.state_view());
    view! {
        <Surface test_id="renderer-code" title copied path tools>
            {match live {
                None => as_it_was.into_any(),
                Some(live) => {
                    view! {
                        {live.note_view()}
                        {move || match live.standing() {
                            Standing::Edited(_) => live.editor_view(),
                            Standing::Then | Standing::ChangedSince | Standing::Gone => as_it_was().into_any(),
                        }}
                    }
                        .into_any()
                }
            }}
        </Surface>
    }
}

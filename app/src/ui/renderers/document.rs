//! A document: Markdown to be read, or plain text; and where it may be edited, its source beside or in place of it.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::render::{SourceView, markdown};
use satchel_core::workspace::Look;

use super::code_text::CodeText;
use super::live::{LiveFile, Standing};
use super::markdown::Markdown;
use super::source::{NotRead, Seen, clip_of, source_of};
use super::surface::{Clip, Copied, Surface};

/// What is seen of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Read,
    Source,
    Both,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Source => "Edit",
            Self::Both => "Both",
        }
    }
}

/// The document.
#[component]
pub(super) fn DocumentView(
    /// The text.
    source: SourceView,
    /// Whether it is Markdown.
    is_markdown: bool,
    /// Whether it may be edited.
    editable: bool,
) -> impl IntoView {
    let read = source_of(source.clone());
    let (path, live) = match &source {
        SourceView::File(file) => (Some(file.path.clone()), LiveFile::of(file, read, editable)),
        SourceView::Content(_) => (None, None),
    };
    let title = path.clone().unwrap_or_else(|| "Document".into());
    // What was typed here comes first: it is what the user reads while it is being saved.
    let now = move || {
        let typed = live.and_then(LiveFile::typed);
        typed.map(|text| Ok(Arc::new(Look::Text(text)))).or_else(|| read.get())
    };
    let copied = Copied::clip(move || match untrack(now) {
        Some(Ok(look)) => clip_of(&look),
        Some(Err(_)) | None => Clip::default(),
    });
    let side = RwSignal::new(Side::Read);
    let may_edit = Memo::new(move |_| live.is_some_and(|live| matches!(live.standing(), Standing::Edited(_))));
    let drawn = move || match now() {
        Some(Ok(look)) => {
            let draw = move |text: String| {
                if is_markdown {
                    view! { <Markdown blocks=markdown(&text) /> }.into_any()
                } else {
                    view! { <pre class="renderer-text">{text}</pre> }.into_any()
                }
            };
            view! { <Seen look draw /> }.into_any()
        }
        Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
        None => view! { <NotRead problem=None /> }.into_any(),
    };
    let source_text = move || {
        let text = read.get()?.ok()?.text()?.to_owned();
        Some(view! { <CodeText text language="markdown".to_owned() label="Source of the document".to_owned() /> })
    };
    let choice = move |one: Side| {
        let pressed = move || (side.get() == one).to_string();
        let name = move || if one == Side::Source && !may_edit.get() { "Source" } else { one.name() };
        let test_id = format!("document-{}", one.name().to_lowercase());
        view! {
            <button class="shape-option" type="button" aria-pressed=pressed data-testid=test_id on:click=move |_| side.set(one)>
                {name}
            </button>
        }
    };
    let tools = view! {
        {live.map(LiveFile::state_view)}
        <div class="document-sides" role="group" aria-label="Show">
            {[Side::Read, Side::Source, Side::Both].map(choice).collect_view()}
        </div>
    }
    .into_any();
    let shows_source = Memo::new(move |_| side.get() != Side::Read);
    view! {
        <Surface test_id="renderer-document" title copied path tools=Some(tools)>
            {live.map(|live| live.note_view(move || side.set(Side::Both)))}
            <div class="document" data-side=move || side.get().name().to_lowercase()>
                {move || {
                    shows_source
                        .get()
                        .then(|| {
                            let source = match live.filter(|_| may_edit.get()) {
                                Some(live) => live.editor_view(),
                                None => source_text.into_any(),
                            };
                            view! { <div class="document-source">{source}</div> }
                        })
                }}
                {move || (side.get() != Side::Source).then(|| view! { <div class="document-read">{drawn}</div> })}
            </div>
        </Surface>
    }
}

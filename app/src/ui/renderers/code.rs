//! Source code: as the call left it, and where it may be edited and is still that, as the file itself. A file that turns out to be a picture
//! or other bytes is shown as that.

use leptos::prelude::*;
use satchel_core::render::SourceView;
use satchel_core::workspace::LinesRead;

use super::code_text::CodeText;
use super::live::{LiveFile, Standing};
use super::source::{NotRead, Seen, clip_of, source_of};
use super::surface::{Clip, Copied, Surface};

/// The code.
#[component]
pub(super) fn CodeView(
    /// The code.
    source: SourceView,
    /// Its language.
    language: String,
    /// Whether it may be edited.
    editable: bool,
    /// The lines that the call told of, where it did not tell of all.
    #[prop(optional_no_strip)]
    lines: Option<LinesRead>,
) -> impl IntoView {
    let read = source_of(source.clone());
    let (path, live) = match &source {
        SourceView::File(file) => (Some(file.path.clone()), LiveFile::of(file, read, editable)),
        SourceView::Content(_) => (None, None),
    };
    let name = path.clone().unwrap_or_else(|| language.clone());
    let title = match lines {
        None => name.clone(),
        Some(LinesRead { first, last, of }) if first == last => format!("{name}, line {first} of {of}"),
        Some(LinesRead { first, last, of }) => format!("{name}, lines {first} to {last} of {of}"),
    };
    let label = format!("Code of {title}");
    let shown = move |text: &str| lines.map_or_else(|| text.to_owned(), |lines| lines.cut(text));
    let copied = Copied::clip(move || {
        let typed = live.and_then(|live| untrack(|| live.typed()));
        let read = || read.get_untracked().and_then(Result::ok);
        typed.map(Clip::Text).or_else(|| read().map(|look| clip_of(&look).of_text(shown))).unwrap_or_default()
    });
    let as_it_was = move || match read.get() {
        Some(Ok(look)) => {
            let (language, label) = (language.clone(), label.clone());
            let first_line = lines.map_or(1, |lines| lines.first);
            let draw =
                move |text: String| view! { <CodeText text=shown(&text) language label first_line /> }.into_any();
            view! { <Seen look draw /> }.into_any()
        }
        Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
        None => view! { <NotRead problem=None /> }.into_any(),
    };
    let tools = live.map(|live| live.state_view());
    view! {
        <Surface test_id="renderer-code" title copied path tools>
            {match live {
                None => as_it_was.into_any(),
                Some(live) => {
                    let is_edited = Memo::new(move |_| matches!(live.standing(), Standing::Edited(_)));
                    view! {
                        {live.note_view(|| ())}
                        {move || if is_edited.get() { live.editor_view() } else { as_it_was().into_any() }}
                    }
                        .into_any()
                }
            }}
        </Surface>
    }
}

//! Code in a document: it can be copied as it is, and has the colours of its language once it is whole and in sight. The colours are the
//! code view's own (`app/editor/highlight.ts`), which is loaded with the first code that has any.

use leptos::html::Pre;
use leptos::prelude::*;
use satchel_core::render::language_named;

use crate::browser::clipboard;
use crate::browser::editor;
use crate::browser::spawn::spawn;
use crate::browser::viewport::{self, Watch};
use crate::state::{NoticeKind, Notices};
use crate::ui::parts::{Icon, IconName};

/// Longer code stays plain: its colours would hold up the page.
const LONGEST: usize = 100_000;

/// The code.
#[component]
pub(super) fn CodeBlock(
    /// Its language, as it was named; may be empty.
    language: String,
    /// The code.
    text: String,
    /// Whether it is still being written.
    is_growing: bool,
) -> impl IntoView {
    let notices = Notices::expect();
    let copied = text.clone();
    let copy = move |_| {
        let text = copied.clone();
        spawn(async move {
            match clipboard::copy(&text).await {
                Ok(()) => notices.show(NoticeKind::Success, "Copied."),
                Err(reason) => notices.show(NoticeKind::Error, format!("Could not copy: {reason}.")),
            }
        });
    };
    let host = NodeRef::<Pre>::new();
    let pieces = RwSignal::new(None::<Vec<(String, String)>>);
    let known = language_named(&language);
    if known != "text" && !is_growing && text.len() <= LONGEST {
        colour_when_near(host, text.clone(), known, pieces);
    }
    let shown = move || match pieces.get() {
        None => text.clone().into_any(),
        Some(pieces) => pieces.into_iter().map(coloured).collect_view().into_any(),
    };
    view! {
        <div class="markdown-code">
            <button class="icon-button" type="button" aria-label="Copy this code" title="Copy this code" on:click=copy>
                <Icon name=IconName::Copy small=true />
            </button>
            <pre data-language=language tabindex="0" node_ref=host><code>{shown}</code></pre>
        </div>
    }
}

/// Has the pieces of a text told when it comes into sight. Without the code view it stays as it is.
fn colour_when_near(
    host: NodeRef<Pre>,
    text: String,
    language: &'static str,
    pieces: RwSignal<Option<Vec<(String, String)>>>,
) {
    let watch = StoredValue::new_local(None::<Watch>);
    let text = StoredValue::new(text);
    Effect::new(move || {
        let Some(host) = host.get() else { return };
        watch.set_value(Some(viewport::when_near(&host, move || {
            watch.try_set_value(None);
            let Some(text) = text.try_get_value() else { return };
            spawn(async move {
                if let Ok(found) = editor::highlighted(&text, language).await
                    && !found.is_empty()
                {
                    pieces.try_set(Some(found));
                }
            });
        })));
    });
}

fn coloured((text, kind): (String, String)) -> AnyView {
    let class = match kind.as_str() {
        "keyword" => "code-keyword",
        "string" => "code-string",
        "number" => "code-number",
        "comment" => "code-comment",
        "name" => "code-name",
        "type" => "code-type",
        "inserted" => "code-inserted",
        "deleted" => "code-deleted",
        _plain => return text.into_any(),
    };
    view! { <span class=class>{text}</span> }.into_any()
}

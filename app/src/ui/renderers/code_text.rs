//! A text in the code view that cannot be changed; where the code view cannot be had, as it is.

use leptos::html::Div;
use leptos::prelude::*;

use crate::browser::editor::{Editor, Opening};
use crate::browser::spawn::spawn;

/// The text.
#[component]
pub(super) fn CodeText(
    /// The text.
    text: String,
    /// Its language, in the words of core.
    language: String,
    /// What a screen reader calls it.
    label: String,
    /// The number of its first line.
    #[prop(default = 1)]
    first_line: u32,
) -> impl IntoView {
    let host = NodeRef::<Div>::new();
    let held = StoredValue::new_local(None::<Editor>);
    let plain = RwSignal::new(None::<String>);
    Effect::new(move || {
        let Some(host) = host.get() else { return };
        let (text, language, label) = (text.clone(), language.clone(), label.clone());
        spawn(async move {
            let opening = Opening { text: &text, language: &language, label: &label, first_line };
            match Editor::open(&host, opening, None).await {
                Ok(editor) => drop(held.try_set_value(Some(editor))),
                Err(_without) => drop(plain.try_set(Some(text))),
            }
        });
    });
    view! {
        <div class="code-host" node_ref=host data-testid="code-view"></div>
        {move || plain.get().map(|text| view! { <pre class="renderer-text">{text}</pre> })}
    }
}

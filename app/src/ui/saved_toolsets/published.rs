//! What the server was told of for other programs: it is kept there in clear, so that it is shown to whoever wants to know.

use leptos::prelude::*;

use crate::browser::spawn::spawn;
use crate::state::SavedToolsets;
use crate::ui::parts::sentence;

/// A part that asks the server when it is opened, and each time anew.
#[component]
pub(super) fn Published() -> impl IntoView {
    let saved = SavedToolsets::expect();
    let (is_asked, told) = (RwSignal::new(false), RwSignal::new(None));
    let ask = move |_| {
        is_asked.set(true);
        spawn(async move {
            let answered = saved.published().await;
            // Nobody waits for it if the page was left.
            told.try_set(Some(answered));
        });
    };
    view! {
        <details class="part" data-testid="hub-published" on:toggle=ask>
            <summary>"What your server can offer other programs"</summary>
            {move || match told.get() {
                None => is_asked.get().then(|| view! { <p class="field-hint" role="status">"Loading…"</p> }).into_any(),
                Some(Err(error)) => view! { <p class="field-hint">{sentence(&error)}</p> }.into_any(),
                Some(Ok(tools)) if tools.is_empty() => {
                    view! { <p class="field-hint">"No tools yet. Once you save a toolset, this lists the tools your server can reach by itself."</p> }
                        .into_any()
                }
                Some(Ok(tools)) => view! { <PublishedTools tools /> }.into_any(),
            }}
        </details>
    }
}

#[component]
fn PublishedTools(
    /// The tools, each with who carries out its calls.
    tools: Vec<(String, String)>,
) -> impl IntoView {
    let in_words = |provider: &str| if provider == "http" { "HTTP tool" } else { "MCP server" };
    let row = |(id, provider): (String, String)| {
        view! { <li><code>{id}</code> " " <span class="badge">{in_words(&provider)}</span></li> }
    };
    view! {
        <p class="field-hint">"Your server stores their definitions and your saved toolsets unencrypted. It offers only the tools of the equipped toolset."</p>
        <ul class="saved-tool-list">{tools.into_iter().map(row).collect_view()}</ul>
    }
}

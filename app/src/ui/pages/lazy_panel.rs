//! The pane of files, whose code arrives after the first picture is drawn: a chat can be read and written without it.

use leptos::prelude::*;

use super::Bring;
use super::lazy_page::ask;

/// The pane, once it is here; until then its place is kept.
#[component]
pub(crate) fn LazyPanel(
    /// How it is brought.
    bring: Bring,
) -> impl IntoView {
    let arrived = RwSignal::new_local(None);
    ask(bring, arrived);
    let ask_again = move |_| {
        arrived.set(None);
        ask(bring, arrived);
    };
    move || match arrived.get() {
        Some(Ok(draw)) => draw(),
        missing => {
            let is_coming = missing.is_none();
            let failed = (!is_coming).then(|| {
                view! {
                    <div class="empty empty-small">
                        <p role="alert">
                            "This pane could not be loaded. Check the connection and try again. Nothing was lost."
                        </p>
                        <button class="button button-small" type="button" on:click=ask_again>"Try again"</button>
                    </div>
                }
            });
            view! {
                <aside class="workspace" id="workspace" aria-label="Workspace" aria-busy=is_coming.to_string()>
                    <div class="pane-head">
                        <h2 class="pane-title">"Workspace"</h2>
                    </div>
                    <div class="workspace-body">{failed}</div>
                </aside>
            }
            .into_any()
        }
    }
}

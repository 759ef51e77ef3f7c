//! What other browsers of the account have published and this one has not: seen here, and removed where its browser is gone.

use leptos::prelude::*;
use satchel_core::mcp::PublishedElsewhere;

use crate::state::McpServers;

/// All of them; nothing where there are none.
#[component]
pub(super) fn Elsewhere() -> impl IntoView {
    let servers = McpServers::expect();
    let elsewhere = Memo::new(move |_| match servers.list() {
        Some(Ok(list)) => list.elsewhere,
        Some(Err(_)) | None => Vec::new(),
    });
    move || {
        let elsewhere = elsewhere.get();
        (!elsewhere.is_empty()).then(|| {
            view! {
                <section class="server-offers" aria-label="Of other browsers" data-testid="servers-elsewhere">
                    <h2>"Of your other browsers"</h2>
                    <p class="field-hint">
                        "Your Satchel server looks after these too, because another browser of your account has them. Remove those whose browser is gone; one that is still in use publishes its own again."
                    </p>
                    <ul class="pasted-list">
                        {elsewhere.into_iter().map(|other| view! { <Other other /> }).collect_view()}
                    </ul>
                </section>
            }
        })
    }
}

#[component]
fn Other(
    /// What is published.
    other: PublishedElsewhere,
) -> impl IntoView {
    let servers = McpServers::expect();
    let PublishedElsewhere { key, line } = other;
    let (label, test_id) = (format!("Remove {key}"), format!("server-elsewhere-remove-{key}"));
    view! {
        <li class="pasted-server">
            <h3><code>{key.clone()}</code></h3>
            <pre class="server-line">{line}</pre>
            <button
                class="button button-small"
                type="button"
                aria-label=label
                data-testid=test_id
                on:click=move |_| servers.withdraw(key.clone())
            >
                "Remove"
            </button>
        </li>
    }
}

//! What takes how much room, by kind.

use leptos::prelude::*;
use satchel_core::upkeep::{Amount, Usage};

use crate::browser::spawn::spawn;
use crate::ui::parts::{in_words, sentence};
use crate::work::upkeep;

/// The kinds, each with its number and its bytes.
#[component]
pub(super) fn UsageRow() -> impl IntoView {
    let counted: RwSignal<Option<Result<Usage, String>>> = RwSignal::new(None);
    spawn(async move {
        let found = upkeep::usage().await.map_err(|error| error.to_string());
        // Nobody waits for it if the user has left the page meanwhile.
        counted.try_set(Some(found));
    });
    view! {
        <div class="row row-stack" data-testid="storage-kinds">
            <div class="field-label">"By kind"</div>
            {move || match counted.get() {
                None => view! { <p class="field-hint">"Counting…"</p> }.into_any(),
                Some(Ok(usage)) => kinds(usage).into_any(),
                Some(Err(error)) => view! { <p class="field-hint">{sentence(&error)}</p> }.into_any(),
            }}
        </div>
    }
}

fn kinds(usage: Usage) -> impl IntoView {
    let kinds = [
        ("Conversations", Some(usage.chats)),
        ("Files of chats", usage.files),
        ("Toolsets", Some(usage.toolsets)),
        ("Everything else", Some(usage.other)),
    ];
    let rows = kinds.map(|(kind, amount)| {
        let (count, bytes) = match amount {
            Some(Amount { count, bytes }) => (count.to_string(), in_words(bytes)),
            None => ("?".into(), "damaged; check the storage".into()),
        };
        view! {
            <tr>
                <th scope="row">{kind}</th>
                <td>{count}</td>
                <td>{bytes}</td>
            </tr>
        }
    });
    view! {
        <table class="figures">
            <thead class="unseen">
                <tr>
                    <th scope="col">"Kind"</th>
                    <th scope="col">"How many"</th>
                    <th scope="col">"Size"</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
        <p class="field-hint">
            "Equal files are stored once. What the browser reports above also holds the app itself, kept for use without a network."
        </p>
    }
}

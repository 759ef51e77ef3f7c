//! The toolsets that were uninstalled and can still be brought back.

use leptos::prelude::*;
use satchel_core::local_api::reading::UninstalledRead;

use crate::state::Toolsets;

/// A list of them, where there are any.
#[component]
pub(crate) fn Uninstalled(
    /// The toolsets.
    list: Vec<UninstalledRead>,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    let row = move |UninstalledRead { id, name, version, until }: UninstalledRead| {
        let (label, test_id) = (format!("Restore {name}"), format!("toolset-restore-{id}"));
        // The day and the minute are enough to judge by.
        let until: String = until.to_string().replace('T', " ").chars().take(16).collect();
        view! {
            <li class="part-row file-line">
                <span>
                    {name} " " <span class="toolset-version">{version}</span>
                    <span class="field-hint">" until " {until} " UTC"</span>
                </span>
                <button
                    class="button button-small"
                    type="button"
                    aria-label=label
                    data-testid=test_id
                    on:click=move |_| toolsets.restore(id.clone())
                >
                    "Restore"
                </button>
            </li>
        }
    };
    (!list.is_empty()).then(|| {
        view! {
            <section class="uninstalled" aria-labelledby="uninstalled-label">
                <h2 id="uninstalled-label">"Recently uninstalled"</h2>
                <ul class="part-list">{list.into_iter().map(row).collect_view()}</ul>
            </section>
        }
    })
}

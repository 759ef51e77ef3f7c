//! The notice that a new version waits. It stays until the user says now or later.

use leptos::prelude::*;

use crate::state::Update;
use crate::ui::parts::{Icon, IconName};

/// The offer, while there is one.
#[component]
pub(crate) fn UpdateOffer() -> impl IntoView {
    let update = Update::expect();
    view! {
        <Show when=move || update.is_offered()>
            <div class="notice" data-kind="info" data-testid="update-ready" role="status">
                <div class="notice-mark">
                    <Icon name=IconName::Update small=true />
                </div>
                <p class="notice-text">"A new version of Satchel is ready. Updating reloads this tab; your drafts are kept."</p>
                <div class="notice-actions">
                    <button class="button button-small button-accent" type="button" on:click=move |_| update.take()>
                        "Update now"
                    </button>
                    <button class="button button-small" type="button" on:click=move |_| update.put_off()>
                        "Later"
                    </button>
                </div>
            </div>
        </Show>
    }
}

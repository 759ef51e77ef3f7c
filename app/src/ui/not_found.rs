//! An address that leads nowhere in the app.

use leptos::prelude::*;

use super::parts::{EmptyState, IconName};
use crate::state::Place;

/// The page of an unknown route.
#[component]
pub(crate) fn NotFoundPage() -> impl IntoView {
    view! {
        <EmptyState icon=IconName::Compass title="There is no such page">
            <p>"The address is mistyped, or it belongs to another version of Satchel. Nothing was lost."</p>
            <div class="empty-actions">
                <a class="button button-accent" href=Place::Chat.path()>"Go to the chat"</a>
            </div>
        </EmptyState>
    }
}

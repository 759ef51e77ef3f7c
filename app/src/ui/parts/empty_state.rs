//! What a page shows while it has nothing: what would be here, why it is not, and what can be done.

use leptos::prelude::*;

use super::{Icon, IconName};

/// An empty state that fills its page.
#[component]
pub(crate) fn EmptyState(
    /// The picture.
    icon: IconName,
    /// What is not here.
    title: &'static str,
    /// Sentences and, where there is something to do, `.empty-actions` with links.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="page page-empty">
            <div class="empty">
                <div class="empty-icon">
                    <Icon name=icon />
                </div>
                <h1>{title}</h1>
                {children()}
            </div>
        </div>
    }
}

//! The toolsets on this device.

use leptos::prelude::*;

use super::parts::{EmptyState, IconName};
use super::settings::section::SectionId;

/// The page of toolsets.
#[component]
pub(crate) fn ToolsetsPage() -> impl IntoView {
    view! {
        <EmptyState icon=IconName::Toolset title="No toolsets are installed">
            <p>
                "A toolset is a bundle of Python tools and of the views that show their results. Its code runs in a cage in this tab: it sees the files of its chat, and nothing else."
            </p>
            <div class="empty-actions">
                <a class="button" href=SectionId::Cage.link()>"Check the cage"</a>
            </div>
        </EmptyState>
    }
}

//! Every tool the model could call.

use leptos::prelude::*;

use super::parts::{EmptyState, IconName};
use crate::state::Place;

/// The page of tools.
#[component]
pub(crate) fn ToolsPage() -> impl IntoView {
    view! {
        <EmptyState icon=IconName::Tool title="There are no tools">
            <p>"Tools come from toolsets and from MCP servers. None of either is on this device."</p>
            <div class="empty-actions">
                <a class="button" href=Place::Toolsets.path()>"Toolsets"</a>
                <a class="button" href=Place::Servers.path()>"MCP Servers"</a>
            </div>
        </EmptyState>
    }
}

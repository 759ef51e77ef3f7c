//! The right pane: the files of the chat that is open.

use leptos::prelude::*;

use super::parts::{Icon, IconName};
use crate::state::{Pane, Panes};

/// The pane of files.
#[component]
pub(crate) fn WorkspacePanel() -> impl IntoView {
    let panes = Panes::expect();
    view! {
        <aside class="workspace" id="workspace" aria-label="Workspace" data-testid="workspace-panel">
            <div class="pane-head">
                <h2 class="pane-title">"Workspace"</h2>
                <button
                    class="icon-button desk-only"
                    type="button"
                    aria-label="Close the workspace"
                    title="Close the workspace"
                    on:click=move |_| panes.change(|open| open.workspace = false)
                >
                    <Icon name=IconName::RightPane />
                </button>
                <button
                    class="icon-button narrow-only tablet-only"
                    id="close-workspace"
                    type="button"
                    aria-label="Close the workspace"
                    on:click=move |_| panes.show(Pane::Main)
                >
                    <Icon name=IconName::Close />
                </button>
            </div>
            <div class="workspace-body">
                <div class="empty empty-small">
                    <div class="empty-icon">
                        <Icon name=IconName::Files />
                    </div>
                    <h3>"No files"</h3>
                    <p>"Each chat has files of its own, and they follow its branches. There are none here."</p>
                </div>
            </div>
        </aside>
    }
}

//! The button, with the number of tools that are chosen. It is there from the start; what it opens is not.

use leptos::prelude::*;

use super::{TRIGGER, in_short};
use crate::state::{ToolSelection, Wrench};
use crate::ui::parts::{Icon, IconName};

/// The button.
#[component]
pub(crate) fn WrenchButton() -> impl IntoView {
    let (wrench, selection) = (Wrench::expect(), ToolSelection::expect());
    let label = move || {
        let offered = selection.offered();
        match offered.tools {
            0 => "Choose tools".to_owned(),
            tools => format!("Choose tools: {tools} chosen, about {} tokens", in_short(offered.tokens)),
        }
    };
    let badge = move || {
        let tools = selection.offered().tools;
        (tools > 0).then(|| view! { <span class="wrench-badge" data-testid="toolsets-badge">{tools}</span> })
    };
    view! {
        <button
            class="icon-button wrench-button"
            id=TRIGGER
            type="button"
            data-testid="toolsets-popover-trigger"
            data-wrench=""
            aria-label=label
            title=label
            aria-haspopup="dialog"
            aria-expanded=move || wrench.is_open().to_string()
            on:click=move |_| wrench.toggle()
        >
            <Icon name=IconName::Tool />
            {badge}
        </button>
    }
}

//! The button, with the number of tools that are chosen. It is there from the start; what it opens is not.

use leptos::prelude::*;

use super::{TRIGGER, in_short};
use crate::state::{Configuring, OpenedChat, ToolSelection, Wrench};
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
        <ConfigurationSwitch />
    }
}

/// The switch of configuration mode, in which the model is offered the tools that manage saved toolsets, and no others (R142).
#[component]
fn ConfigurationSwitch() -> impl IntoView {
    let opened = OpenedChat::expect();
    let is_on = Memo::new(move |_| opened.open().is_some_and(|open| open.chat.configuring));
    let label = move || match is_on.get() {
        true => "Configuration mode is on: the model manages saved toolsets",
        false => "Configuration mode: let the model manage saved toolsets",
    };
    let configuring = Configuring::expect();
    let switch = move |_| configuring.switch(!is_on.get_untracked());
    view! {
        <button
            class="icon-button"
            type="button"
            role="switch"
            data-testid="config-mode"
            aria-label=label
            title=label
            aria-checked=move || is_on.get().to_string()
            on:click=switch
        >
            <Icon name=IconName::Settings />
        </button>
    }
}

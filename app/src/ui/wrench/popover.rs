//! The popover: the toolsets, and what the selection comes to. On a phone it is a sheet from below.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::catalog::{Offered, SelectableToolset};

use super::rounds::ChatRounds;
use super::saved::SavedPart;
use super::toolset::ToolsetItem;
use super::{POPOVER, TRIGGER, in_short};
use crate::browser::page;
use crate::state::{Choosing, Place, Selectable, Wrench};
use crate::ui::parts::{Icon, IconName, sentence};

/// What the arrows walk: every box that can be ticked, and where a toolset's cannot, what opens it.
const WALKED: &str = "input:not(:disabled):not([type=text]), .wrench-row:has(input:disabled) .wrench-expand";

/// The popover, drawn while it is open.
#[component]
pub(crate) fn WrenchPopover() -> impl IntoView {
    let (wrench, choosing) = (Wrench::expect(), Choosing::follow());
    provide_context(choosing);
    // An effect runs once the popover is in the page.
    Effect::new(move |_| page::focus(POPOVER));
    close_on_escape_and_outside(wrench);
    let close = move |_| {
        wrench.close();
        page::focus(TRIGGER);
    };
    let walk = move |event: KeyboardEvent| {
        // In the field of a number the arrows count.
        if page::is_typed_into(&event) {
            return;
        }
        let is_forward = match event.key().as_str() {
            "ArrowDown" => true,
            "ArrowUp" => false,
            _ => return,
        };
        event.prevent_default();
        page::walk(POPOVER, WALKED, is_forward);
    };
    view! {
        <div class="wrench-scrim" aria-hidden="true" data-wrench="" on:click=close></div>
        <div
            class="wrench"
            id=POPOVER
            role="dialog"
            aria-labelledby="wrench-title"
            tabindex="-1"
            data-testid="toolsets-popover-content"
            data-wrench=""
            on:keydown=walk
        >
            <header class="wrench-head">
                <h2 class="wrench-title" id="wrench-title">"Toolsets"</h2>
                <a class="wrench-manage" href=Place::Toolsets.path()>"Manage"</a>
                <button class="icon-button" type="button" aria-label="Close" on:click=close>
                    <Icon name=IconName::Close small=true />
                </button>
            </header>
            <SavedPart />
            <Toolsets />
            <ChatRounds />
            <p class="wrench-foot" role="status">{move || summary(choosing)}</p>
        </div>
    }
}

/// The toolsets. Each stays as it is drawn, with the focus in it, while what is known of it changes.
#[component]
fn Toolsets() -> impl IntoView {
    let choosing = Choosing::expect();
    let known = move || match choosing.listed() {
        Selectable::Known(toolsets) => toolsets,
        Selectable::Asked | Selectable::Unknown(_) => Arc::default(),
    };
    let ids = move || known().iter().map(|toolset| toolset.id.clone()).collect::<Vec<_>>();
    let problem = move || match choosing.listed() {
        Selectable::Unknown(error) => {
            let words = format!("The toolsets cannot be read: {error}");
            Some(view! { <p class="wrench-problem" role="alert">{sentence(&words)}</p> })
        }
        Selectable::Asked | Selectable::Known(_) => None,
    };
    view! {
        {problem}
        <ul class="wrench-list" aria-busy=move || (choosing.listed() == Selectable::Asked).to_string()>
            <For each=ids key=Clone::clone let:id>
                <ToolsetItem id />
            </For>
        </ul>
    }
}

/// What the selection comes to, in a sentence (R176, R312).
fn summary(choosing: Choosing) -> String {
    let toolsets = match choosing.listed() {
        Selectable::Known(toolsets) => toolsets,
        Selectable::Asked => return "Loading…".into(),
        Selectable::Unknown(_) => return String::new(),
    };
    let (offered, unsent) = choosing.with(|selection| {
        let unsent = |toolset: &SelectableToolset| selection.unsent(toolset);
        (selection.offered(&toolsets), toolsets.iter().map(unsent).sum::<usize>())
    });
    let sent = match offered {
        Offered { tools: 0, .. } => "No tool is offered to the model.".to_owned(),
        Offered { tools: 1, tokens } => format!("1 tool, about {} tokens in every request.", in_short(tokens)),
        Offered { tools, tokens } => format!("{tools} tools, about {} tokens in every request.", in_short(tokens)),
    };
    match unsent {
        0 => sent,
        1 => format!("{sent} 1 more is chosen but cannot be used, so it is not sent."),
        unsent => format!("{sent} {unsent} more are chosen but cannot be used, so they are not sent."),
    }
}

/// Escape closes it and gives the focus back; a press anywhere else closes it and leaves the focus where it goes.
fn close_on_escape_and_outside(wrench: Wrench) {
    let on_key = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && !event.is_composing() {
            event.prevent_default();
            wrench.close();
            page::focus(TRIGGER);
        }
    });
    let on_press = window_event_listener(leptos::ev::pointerdown, move |event| {
        if page::attribute_near(&event, "data-wrench").is_none() {
            wrench.close();
        }
    });
    on_cleanup(move || {
        on_key.remove();
        on_press.remove();
    });
}

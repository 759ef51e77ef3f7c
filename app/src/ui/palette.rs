//! The palette of a composer: attach files, find a tool, switch it, and call it by hand with a form (R179, R180).

mod filling;
mod finder;
mod item;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::local_api::reading::ToolItemRead;
use serde_json::Value;

use self::filling::Filling;
use self::finder::Finder;
use crate::browser::page;
use crate::state::{OpenedChat, Palette, SuggestedCall, Tools};

/// The id of the field that is typed into.
const INPUT: &str = "palette-input";
/// The id of the composer's own field.
const COMPOSER: &str = "chat-input";

/// A tool that was chosen, and what its form begins with where that was suggested.
#[derive(Clone)]
struct Chosen {
    tool: ToolItemRead,
    start: Option<Value>,
}

/// The palette, drawn while it is open.
#[component]
pub(crate) fn PaletteLayer() -> impl IntoView {
    let palette = Palette::expect();
    provide_context(Tools::follow());
    let query = RwSignal::new(palette.take_query());
    let filling = RwSignal::new(None::<Chosen>);
    follow_suggestion(filling);
    let put_away = move || {
        palette.put_away(&query.get_untracked());
        page::focus(COMPOSER);
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() != "Escape" || event.is_composing() {
            return;
        }
        event.stop_propagation();
        event.prevent_default();
        // One step back: from the form to the list, from the list to the message.
        if filling.with_untracked(Option::is_some) {
            filling.set(None);
        } else {
            put_away();
        }
    };
    view! {
        <div class="palette-scrim" aria-hidden="true" on:click=move |_| put_away()></div>
        <div class="palette" role="dialog" aria-label="Files and tools" data-testid="palette" on:keydown=on_key>
            {move || match filling.get() {
                None => view! { <Finder query on_choose=move |tool| filling.set(Some(Chosen { tool, start: None })) on_close=put_away /> }.into_any(),
                Some(Chosen { tool, start }) => view! { <Filling tool start on_back=move || filling.set(None) /> }.into_any(),
            }}
        </div>
    }
}

/// Chooses the tool of a call that is offered in this chat, as soon as the tools are known. An offer is taken once.
fn follow_suggestion(filling: RwSignal<Option<Chosen>>) {
    let chat = OpenedChat::expect().wanted_untracked();
    let Some(offered) = chat.and_then(|chat| SuggestedCall::expect().take(&chat)) else { return };
    let (tools, start) = (Tools::expect(), serde_json::from_str(&offered.arguments).ok());
    let is_taken = StoredValue::new(false);
    Effect::new(move |_| {
        let groups = tools.groups();
        let tool = groups.iter().flat_map(|group| &group.tools).find(|tool| tool.tool_id == offered.tool_id);
        if let Some(tool) = tool.filter(|_| !is_taken.get_value()) {
            is_taken.set_value(true);
            filling.set(Some(Chosen { tool: tool.clone(), start: start.clone() }));
        }
    });
}

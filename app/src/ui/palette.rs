//! The palette of a composer: attach files, find a tool, switch it, and call it by hand with a form (R179, R180).

mod filling;
mod finder;
mod item;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::local_api::reading::ToolItemRead;

use self::filling::Filling;
use self::finder::Finder;
use crate::browser::page;
use crate::state::{Palette, Tools};

/// The id of the field that is typed into.
const INPUT: &str = "palette-input";
/// The id of the composer's own field.
const COMPOSER: &str = "chat-input";

/// The palette, drawn while it is open.
#[component]
pub(crate) fn PaletteLayer() -> impl IntoView {
    let palette = Palette::expect();
    provide_context(Tools::follow());
    let query = RwSignal::new(palette.take_query());
    let filling = RwSignal::new(None::<ToolItemRead>);
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
                None => view! { <Finder query on_choose=move |tool| filling.set(Some(tool)) on_close=put_away /> }.into_any(),
                Some(tool) => view! { <Filling tool on_back=move || filling.set(None) /> }.into_any(),
            }}
        </div>
    }
}

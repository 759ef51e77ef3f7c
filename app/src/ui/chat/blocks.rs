//! A conversation is drawn in blocks of messages: those at its end at once, the others when they come near to what can be seen, are looked for,
//! or when the page has nothing better to do. What is drawn stays.

use std::collections::BTreeMap;

use leptos::html::Li;
use leptos::prelude::*;
use satchel_core::ids::MessageId;

use crate::browser::page;
use crate::browser::viewport::Watch;
use crate::state::SoughtMessage;

/// How many messages one has: drawn well within the time of a frame.
const BLOCK: usize = 8;
/// So many blocks are drawn at once: more than any screen shows.
const AT_ONCE: usize = 3;
/// So many are drawn without being near, so that the browser finds words in them; more would be slow in every browser.
const BY_THEMSELVES: usize = 500;
/// Where a block's number stands, for who watches it.
const NUMBER: &str = "data-block";

/// The blocks that are not drawn yet, by their number.
#[derive(Clone, Copy)]
struct Undrawn(StoredValue<BTreeMap<usize, RwSignal<bool>>>);

impl Undrawn {
    fn draw(self, block: usize) {
        let waiting = self.0.try_update_value(|blocks| blocks.remove(&block)).flatten();
        if let Some(is_drawn) = waiting {
            is_drawn.try_set(true);
        }
    }

    /// Draws them one by one from the end, for as long as the conversation is there.
    fn draw_when_idle(self, left: usize) {
        page::when_idle(move || {
            let last = self.0.try_with_value(|blocks| blocks.last_key_value().map(|(block, _)| *block)).flatten();
            if let Some(last) = last.filter(|_| left > 0) {
                self.draw(last);
                self.draw_when_idle(left - 1);
            }
        });
    }
}

/// The messages of these ids, one after the other.
#[component]
pub(super) fn Blocks<Drawn: IntoView + 'static>(
    /// Which, and in which order.
    shown: Memo<Vec<MessageId>>,
    /// Draws one.
    draw: impl Fn(MessageId) -> Drawn + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let undrawn = Undrawn(StoredValue::new(BTreeMap::new()));
    let watch = StoredValue::new_local(None::<Watch>);
    let count = Memo::new(move |_| shown.with(|shown| shown.len().div_ceil(BLOCK)));
    let sought = SoughtMessage::expect();
    Effect::new(move || {
        if let Some(position) = shown.with(|shown| sought.position(shown)) {
            undrawn.draw(position / BLOCK);
        }
    });
    undrawn.draw_when_idle(BY_THEMSELVES);
    view! {
        <For each=move || 0..count.get() key=|block| *block let:block>
            {
                let is_drawn = RwSignal::new(block + AT_ONCE >= count.get_untracked());
                let messages = Memo::new(move |_| {
                    shown.with(|shown| shown.chunks(BLOCK).nth(block).map(<[MessageId]>::to_vec).unwrap_or_default())
                });
                if !is_drawn.get_untracked() {
                    undrawn.0.update_value(|blocks| {
                        blocks.insert(block, is_drawn);
                    });
                    on_cleanup(move || undrawn.draw(block));
                }
                move || {
                    if is_drawn.get() {
                        view! { <For each=move || messages.get() key=MessageId::clone children=draw /> }.into_any()
                    } else {
                        view! { <Place undrawn watch block messages /> }.into_any()
                    }
                }
            }
        </For>
    }
}

/// The place of a block that is not drawn, as high as its messages are taken to be.
#[component]
fn Place(
    /// What draws it.
    undrawn: Undrawn,
    /// What notices that it is near.
    watch: StoredValue<Option<Watch>, LocalStorage>,
    /// Its number.
    block: usize,
    /// What it has.
    messages: Memo<Vec<MessageId>>,
) -> impl IntoView {
    let place = NodeRef::<Li>::new();
    Effect::new(move || {
        let Some(place) = place.get() else { return };
        if watch.with_value(Option::is_none) {
            let near = Watch::new(place.closest(".conversation").ok().flatten().as_ref(), move |place| {
                if let Some(block) = place.get_attribute(NUMBER).and_then(|number| number.parse().ok()) {
                    undrawn.draw(block);
                }
            });
            watch.set_value(Some(near));
        }
        watch.with_value(|watch| watch.as_ref().map(|watch| watch.observe(&place)));
    });
    view! {
        <li
            class="messages-undrawn"
            aria-hidden="true"
            data-block=block
            style:--messages=move || messages.with(Vec::len).to_string()
            node_ref=place
        ></li>
    }
}

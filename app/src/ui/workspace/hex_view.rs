//! A file as bytes, some kilobytes at a time.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::workspace::{HEX_LINE, hex_line};

use crate::ui::parts::in_words;

const AT_ONCE: usize = 4 << 10;

/// The bytes.
#[component]
pub(crate) fn HexView(
    /// All of them, once they were read.
    bytes: Signal<Option<Arc<Vec<u8>>>, LocalStorage>,
) -> impl IntoView {
    let shown = RwSignal::new(AT_ONCE);
    let lines = move || {
        let bytes = bytes.get()?;
        let bytes = &bytes[..shown.get().min(bytes.len())];
        let lines = bytes.chunks(HEX_LINE).enumerate().map(|(at, line)| hex_line(at * HEX_LINE, line));
        Some(lines.collect::<Vec<_>>().join("\n"))
    };
    let left = move || bytes.get().map_or(0, |bytes| bytes.len().saturating_sub(shown.get()));
    view! {
        <div class="hex-view" tabindex="0" role="region" aria-label="Bytes of the file">
            <pre data-testid="hex-view">{lines}</pre>
            <Show when=move || 0 < left()>
                <button class="button button-small" type="button" on:click=move |_| shown.update(|shown| *shown += 16 * AT_ONCE)>
                    {move || format!("Show more ({} left)", in_words(left() as u64))}
                </button>
            </Show>
        </div>
    }
    .into_any()
}

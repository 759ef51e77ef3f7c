//! A file as bytes, some kilobytes at a time.

use leptos::prelude::*;
use satchel_core::workspace::{HEX_LINE, hex_line};

use super::file_view::Loaded;
use crate::ui::parts::in_words;

const AT_ONCE: usize = 4 << 10;

/// The bytes.
#[component]
pub(super) fn HexView(
    /// The file.
    loaded: Signal<Option<Loaded>, LocalStorage>,
) -> impl IntoView {
    let shown = RwSignal::new(AT_ONCE);
    let lines = move || {
        let loaded = loaded.get()?;
        let bytes = &loaded.bytes[..shown.get().min(loaded.bytes.len())];
        let lines = bytes.chunks(HEX_LINE).enumerate().map(|(at, line)| hex_line(at * HEX_LINE, line));
        Some(lines.collect::<Vec<_>>().join("\n"))
    };
    let left = move || loaded.get().map_or(0, |loaded| loaded.bytes.len().saturating_sub(shown.get()));
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

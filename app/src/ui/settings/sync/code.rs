//! The sync code: in letters, and as a picture for a camera. It is shown when the user asks for it, and once when it is made.

use leptos::prelude::*;

use super::CodeShown;
use crate::browser::spawn::spawn;
use crate::browser::{clipboard, page};
use crate::state::{NoticeKind, Notices};
use crate::ui::parts::{Icon, IconName};
use crate::work::sync::{self, ShownCode};

/// Squares that stay light around the picture, without which no camera finds it.
const QUIET: usize = 4;
/// The id of what is shown of it.
const CODE: &str = "sync-code-shown";

/// The row of the code.
#[component]
pub(super) fn CodeRow(
    /// What is shown of it.
    shown: CodeShown,
) -> impl IntoView {
    let notices = Notices::expect();
    let toggle = move |_| {
        shown.is_fresh.set(false);
        if shown.code.with_untracked(Option::is_some) {
            shown.code.set(None);
            return;
        }
        spawn(async move {
            match sync::code().await {
                // Nobody waits for it if the user has left the page meanwhile.
                Ok(code) => drop(shown.code.try_set(Some(code))),
                Err(error) => notices.show(NoticeKind::Error, format!("The code cannot be shown: {error}.")),
            }
        });
    };
    let is_shown = move || shown.code.with(Option::is_some);
    let words = move || match (is_shown(), shown.is_fresh.get()) {
        (true, true) => "I have saved it",
        (true, false) => "Hide the code",
        (false, _) => "Show the code",
    };
    view! {
        <div class="row">
            <div class="field">
                <div class="field-label">"Sync code"</div>
                <p class="field-hint">"Your other devices join with it. Anyone who has it and your server can read everything: treat it like a password."</p>
            </div>
            <button
                class="button"
                class:button-accent=move || shown.is_fresh.get()
                type="button"
                data-testid="sync-show-code"
                aria-expanded=move || is_shown().to_string()
                on:click=toggle
            >
                {words}
            </button>
        </div>
        {move || shown.code.get().map(|code| view! { <Code code is_fresh=shown.is_fresh /> })}
    }
}

#[component]
fn Code(
    /// The code.
    code: ShownCode,
    /// Whether nobody has saved it yet.
    is_fresh: RwSignal<bool>,
) -> impl IntoView {
    let notices = Notices::expect();
    let ShownCode { code, side, dark } = code;
    let text = code.clone();
    // It came with more rows around it, and what is below may have held its place instead.
    request_animation_frame(|| page::reveal(CODE));
    let copy = move |_| {
        let text = text.clone();
        spawn(async move {
            match clipboard::copy(&text).await {
                Ok(()) => notices.show(NoticeKind::Success, "The sync code was copied."),
                Err(error) => notices.show(NoticeKind::Error, format!("The code was not copied: {error}.")),
            }
        });
    };
    view! {
        <div class="row row-stack" id=CODE>
            <Show when=move || is_fresh.get()>
                <p class="sync-save" role="status">
                    <Icon name=IconName::Warning small=true />
                    "Save this code now, somewhere you will find it again. If you lose it along with your devices, nobody can read what is synced."
                </p>
            </Show>
            <div class="sync-code">
                <Picture side dark />
                <div class="sync-code-words">
                    <code data-testid="sync-code">{code}</code>
                    <button class="button button-small" type="button" data-testid="sync-copy" on:click=copy>
                        <Icon name=IconName::Copy small=true />
                        "Copy"
                    </button>
                </div>
            </div>
        </div>
    }
}

/// The code for a camera: dark on light in every theme.
#[component]
fn Picture(
    /// Squares of each side.
    side: usize,
    /// The squares, row by row.
    dark: Vec<bool>,
) -> impl IntoView {
    let squares = dark.iter().enumerate().filter(|(_, is_dark)| **is_dark);
    let path: String = squares.map(|(at, _)| format!("M{} {}h1v1h-1z", at % side + QUIET, at / side + QUIET)).collect();
    let whole = side + 2 * QUIET;
    view! {
        <svg
            class="sync-picture"
            viewBox=format!("0 0 {whole} {whole}")
            role="img"
            aria-label="The sync code as a QR code"
            data-testid="sync-picture"
        >
            <path d=path />
        </svg>
    }
}

//! Sync before it is on: to begin on the first device, or to join with another.

use leptos::prelude::*;

use super::CodeShown;
use super::anew::AnewRow;
use crate::browser::spawn::spawn;
use crate::state::{Connection, NoticeKind, Notices};
use crate::ui::parts::sentence;
use crate::ui::settings::section::SectionId;
use crate::work::server::ServerStatus;
use crate::work::sync;

/// Both ways, where there is a server to sync through.
#[component]
pub(super) fn Off(
    /// Where the fresh code is shown.
    shown: CodeShown,
) -> impl IntoView {
    let connection = Connection::expect();
    let is_connected = Memo::new(move |_| matches!(connection.server(), ServerStatus::Connected(_)));
    move || {
        if is_connected.get() {
            view! {
                <Start shown />
                <div class="row row-stack">
                    <JoinForm words="Already syncing on another device? Enter the code that it shows under Settings, Sync." />
                </div>
                <AnewRow shown />
            }
            .into_any()
        } else {
            view! {
                <p class="row" data-testid="sync-needs-server">
                    <span>
                        "Sync needs your own server, and none is connected here. " <a href=SectionId::Server.link()>"Server settings"</a>
                    </span>
                </p>
            }
            .into_any()
        }
    }
}

/// Begins on the first device.
#[component]
fn Start(
    /// Where the fresh code is shown.
    shown: CodeShown,
) -> impl IntoView {
    let (busy, failure) = (RwSignal::new(false), RwSignal::new(String::new()));
    let start = move |_| {
        busy.set(true);
        failure.set(String::new());
        spawn(async move {
            match sync::start().await {
                Ok(code) => shown.show_fresh(code),
                Err(error) => {
                    failure.try_set(sentence(&error.to_string()));
                }
            }
            busy.try_set(false);
        });
    };
    view! {
        <div class="row">
            <div class="field">
                <div class="field-label">"This is the first device"</div>
                <p class="field-hint">
                    "Creates the key that encrypts everything, and shows it as a code. Your other devices join with the code; without it nobody can read what is synced, so save it."
                </p>
                <p class="field-error" role="alert" data-testid="sync-start-error" hidden=move || failure.with(String::is_empty)>
                    {failure}
                </p>
            </div>
            <button class="button button-accent" type="button" data-testid="sync-start" disabled=busy on:click=start>
                {move || if busy.get() { "Starting…" } else { "Start sync" }}
            </button>
        </div>
    }
}

/// Takes a code of another device.
#[component]
pub(super) fn JoinForm(
    /// What it is asked for.
    words: &'static str,
) -> impl IntoView {
    let notices = Notices::expect();
    let (code, failure, busy) = (RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new(false));
    let join = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        busy.set(true);
        failure.set(String::new());
        spawn(async move {
            match sync::join(code.get_untracked()).await {
                Ok(()) => notices.show(NoticeKind::Success, "This device has joined. Everything is on its way."),
                Err(error) => {
                    // The form is gone if the user has left the page meanwhile.
                    failure.try_set(sentence(&error.to_string()));
                }
            }
            busy.try_set(false);
        });
    };
    view! {
        <form class="sync-join" on:submit=join>
            <label class="field">
                <span class="field-label">"Join with a code"</span>
                <span class="field-hint">{words}</span>
                <input
                    class="input sync-code-input"
                    type="text"
                    required
                    autocomplete="off"
                    autocapitalize="characters"
                    spellcheck="false"
                    placeholder="XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX"
                    data-testid="sync-join-input"
                    bind:value=code
                />
            </label>
            <p class="field-error" role="alert" data-testid="sync-join-error" hidden=move || failure.with(String::is_empty)>
                {failure}
            </p>
            <div class="row-buttons">
                <button class="button" type="submit" data-testid="sync-join" disabled=busy>
                    {move || if busy.get() { "Joining…" } else { "Join" }}
                </button>
            </div>
        </form>
    }
}

//! The dialog of an import: a question, a bar, a refusal, or what is to be installed.

use leptos::prelude::*;

use super::preview::Preview;
use crate::browser::page;
use crate::core_worker::Progress;
use crate::state::{Import, Importing, Step};
use crate::ui::parts::sentence;
use crate::work::toolsets::import::OutsideAddress;

const DIALOG: &str = "import-dialog";
const TITLE: &str = "import-title";

/// The dialog, as long as there is an import.
#[component]
pub(crate) fn ImportDialog() -> impl IntoView {
    let importing = Importing::expect();
    let is_open = Memo::new(move |_| !matches!(importing.state(), Import::None));
    move || is_open.get().then(|| view! { <Dialog /> })
}

#[component]
fn Dialog() -> impl IntoView {
    let importing = Importing::expect();
    // An effect runs once the dialog is in the page.
    Effect::new(|_| page::open_dialog(DIALOG));
    on_cleanup(move || {
        page::close_dialog(DIALOG);
        importing.close();
    });
    let on_cancel = move |event: leptos::ev::Event| {
        // The state closes it.
        event.prevent_default();
        importing.close();
    };
    view! {
        <dialog class="dialog" id=DIALOG aria-labelledby=TITLE data-testid="import-dialog" on:cancel=on_cancel>
            {move || match importing.state() {
                Import::None => ().into_any(),
                Import::Ask(address) => view! { <AskHost address /> }.into_any(),
                Import::Working { name, step, progress } => view! { <Working name step progress /> }.into_any(),
                Import::Refused { name, reason } => view! { <Refused name reason /> }.into_any(),
                Import::Shown { source, preview } => view! { <Preview source=source.name() preview=*preview /> }.into_any(),
            }}
        </dialog>
    }
}

#[component]
fn AskHost(
    /// Where it would be fetched from.
    address: OutsideAddress,
) -> impl IntoView {
    let importing = Importing::expect();
    view! {
        <h2 id=TITLE>"Fetch from " {address.host.clone()} "?"</h2>
        <p>
            "Your browser will ask "<strong>{address.host}</strong>
            " for this file. That host learns your network address, but gets no cookies, keys or data of yours. Nothing is installed yet. You will not be asked about this host again until you reopen the app."
        </p>
        <pre class="exact">{address.href}</pre>
        <div class="dialog-actions">
            <button class="button" type="button" on:click=move |_| importing.close()>"Cancel"</button>
            <button
                class="button button-accent"
                type="button"
                data-testid="confirm-ok"
                on:click=move |_| importing.agree()
            >
                "Fetch " {address.file_name}
            </button>
        </div>
    }
}

#[component]
fn Working(
    /// What is imported.
    name: String,
    /// What is being done.
    step: Step,
    /// How far it is.
    progress: Progress,
) -> impl IntoView {
    let importing = Importing::expect();
    let what = match step {
        Step::Reading => "Reading",
        Step::Checking => "Checking",
        Step::Installing => "Installing",
    };
    let total = (progress.total > 0).then(|| progress.total.to_string());
    let done = total.as_ref().map(|_| progress.done.to_string());
    view! {
        <h2 id=TITLE>{what} "…"</h2>
        <p class="dialog-name" role="status">{name}</p>
        <progress class="meter" max=total value=done aria-labelledby=TITLE></progress>
        <div class="dialog-actions">
            <button class="button" type="button" data-testid="import-stop" on:click=move |_| importing.close()>
                "Stop"
            </button>
        </div>
    }
}

#[component]
fn Refused(
    /// What was imported.
    name: String,
    /// Why not.
    reason: String,
) -> impl IntoView {
    let importing = Importing::expect();
    view! {
        <h2 id=TITLE>"Not imported"</h2>
        <p class="dialog-name">{name}</p>
        <p class="problem" role="alert" data-testid="import-error">{sentence(&reason)}</p>
        <p class="field-hint">"Nothing was changed on this device."</p>
        <div class="dialog-actions">
            <button class="button button-accent" type="button" on:click=move |_| importing.close()>"Close"</button>
        </div>
    }
}

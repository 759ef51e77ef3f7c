//! What lies over every page while tools run: the runs with their output and a way to stop them, and the questions they raise.

mod approval;
mod host_grant;
mod input;
mod question;
mod strip;

use leptos::prelude::*;

pub(crate) use self::approval::{ApprovalQuestion, AskedIn};
pub(crate) use self::input::InputForm;
use self::question::QuestionDialog;
use self::strip::RunStrip;
use crate::state::Runs;

/// The layer. Drawing it begins to serve the worker that runs tools.
#[component]
pub(crate) fn RunsLayer() -> impl IntoView {
    let runs = Runs::expect();
    runs.serve();
    view! {
        <section class="runs" aria-label="Running tools">
            <For each=move || runs.running.get() key=|run| run.call.clone() let:run>
                <RunStrip run />
            </For>
        </section>
        <QuestionDialog />
    }
}

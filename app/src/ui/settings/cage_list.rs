//! The cages there are now, and what each does.

use leptos::prelude::*;
use satchel_core::python::CageState;

use crate::state::Runs;
use crate::work::runs::CageNews;

/// The cages.
#[component]
pub(crate) fn CageList() -> impl IntoView {
    let runs = Runs::expect();
    move || {
        let cages = runs.cages.get();
        if cages.is_empty() {
            let words = "Python is not loaded now. It loads when a toolset with Python tools is installed or one of its tools is called.";
            return view! { <p class="row field-hint">{words}</p> }.into_any();
        }
        let rows = cages.into_iter().map(|cage| view! { <CageRow cage /> }).collect_view();
        view! { <ul class="report" aria-label="Python now" data-testid="cages">{rows}</ul> }.into_any()
    }
}

#[component]
fn CageRow(
    /// The cage.
    cage: CageNews,
) -> impl IntoView {
    let (word, kind) = match cage.state {
        CageState::Starting => ("Loading", "news"),
        CageState::Spare => ("Ready", "good"),
        CageState::Idle => ("Waiting", "good"),
        CageState::Running => ("Running", "caution"),
    };
    let (whose, detail) = match cage.toolset_id {
        Some(toolset) => (toolset, "in one chat; it keeps what its tools have loaded"),
        None => ("spare".to_owned(), "for whichever tool is called next"),
    };
    view! {
        <li class="probe" data-testid="cage" data-state=word>
            <span class="probe-way">{whose}</span>
            <span class="badge" data-kind=kind>{word}</span>
            <span class="probe-detail">{detail}</span>
        </li>
    }
}

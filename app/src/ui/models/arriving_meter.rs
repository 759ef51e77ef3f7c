//! How far a model is that is on its way to this device.

use leptos::prelude::*;

use crate::state::Arriving;
use crate::ui::parts::in_words;

/// A meter, and the same in words below it.
#[component]
pub(crate) fn ArrivingMeter(
    /// The model.
    arriving: Arriving,
    /// How the words are set.
    class: &'static str,
) -> impl IntoView {
    let Arriving { file, progress } = arriving;
    let total = (progress.total > 0).then(|| progress.total.to_string());
    let done = total.as_ref().map(|_| progress.done.to_string());
    let words = match progress.total {
        0 => "Starting…".to_owned(),
        total => format!("{} of {}", in_words(progress.done), in_words(total)),
    };
    view! {
        <progress class="meter" max=total value=done aria-label=format!("Progress of {file}")></progress>
        <span class=class>{words}</span>
    }
}

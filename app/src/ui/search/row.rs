//! One row of what was found.

use leptos::prelude::*;
use satchel_core::search::Passage;

use super::entry::{Choice, Row, pieces};
use crate::ui::parts::Icon;

/// A row.
#[component]
pub(super) fn RowView(
    /// The id that the field names it by.
    id: String,
    /// What it is.
    row: Row,
    /// Whether the keys are on it.
    is_active: Signal<bool>,
    /// Told when it is chosen.
    on_choose: impl Fn() + 'static,
) -> impl IntoView {
    let Row { icon, title, place, passage, choice } = row;
    let test_id = match choice {
        Choice::More(_) => "search-more",
        Choice::Command(_) | Choice::Place(_) => "search-result",
    };
    view! {
        <div
            class="search-row"
            role="option"
            id=id
            data-testid=test_id
            aria-selected=move || is_active.get().to_string()
            on:click=move |_| on_choose()
        >
            <Icon name=icon small=true />
            <span class="search-title"><Marked passage=title /></span>
            <span class="search-place">{place}</span>
            {passage.map(|passage| view! { <span class="search-passage"><Marked passage /></span> })}
        </div>
    }
}

/// A text with its marks, as plain text.
#[component]
fn Marked(
    /// The text.
    passage: Passage,
) -> impl IntoView {
    let pieces = pieces(&passage)
        .into_iter()
        .map(|(is_marked, text)| if is_marked { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() });
    pieces.collect_view()
}

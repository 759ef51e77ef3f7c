//! A file before and after.

use leptos::prelude::*;
use satchel_core::render::Fields;

use super::key_value::FieldList;
use super::surface::{Copied, Surface};
use crate::ui::workspace::CodeDifference;

/// The difference.
#[component]
pub(super) fn DifferenceView(
    /// The file, if it is known.
    path: Option<String>,
    /// What it was.
    before: String,
    /// What it became.
    after: String,
    /// What is beside it.
    rest: Fields,
) -> impl IntoView {
    let for_copy = after.clone();
    let copied = Copied::of(move || for_copy.clone());
    let title = path.clone().unwrap_or_else(|| "Difference".into());
    let name = title.clone();
    let path = path.map(|path| path.strip_prefix("/workspace/").unwrap_or(&path).to_owned());
    view! {
        <Surface test_id="renderer-diff" title copied path>
            <FieldList fields=rest />
            <CodeDifference path=name before after />
        </Surface>
    }
}

//! A unified patch, file by file.

use leptos::prelude::*;
use satchel_core::counted::counted;
use satchel_core::render::{Fields, PatchLine, PatchLineKind, PatchedFile, patched_files};

use super::key_value::FieldList;
use super::surface::{Copied, Surface};

/// So many lines of a file are drawn at first.
const AT_ONCE: usize = 400;

/// The patch.
#[component]
pub(super) fn PatchView(
    /// The file, if it is one that is known.
    path: Option<String>,
    /// The patch.
    text: String,
    /// What is beside it.
    rest: Fields,
) -> impl IntoView {
    let files = patched_files(&text);
    let count = |kind| files.iter().flat_map(|file| &file.lines).filter(|line| line.kind == kind).count();
    let title = match &files[..] {
        [one] => one.name.clone(),
        several => format!("{} files", several.len()),
    };
    let (added, removed) = (count(PatchLineKind::Added), count(PatchLineKind::Removed));
    let tools = view! { <span class="patch-count"><ins>{format!("+{added}")}</ins> " " <del>{format!("−{removed}")}</del></span> };
    let copied = Copied::of(move || text.clone());
    let is_one = files.len() == 1;
    view! {
        <Surface test_id="renderer-patch" title copied path tools=Some(tools.into_any())>
            <FieldList fields=rest />
            <div class="patch" tabindex="0" role="group" aria-label="Patch">
                {files.into_iter().map(|file| view! { <FileLines file is_one /> }).collect_view()}
            </div>
        </Surface>
    }
}

#[component]
fn FileLines(
    /// The file.
    file: PatchedFile,
    /// Whether it is the only one, whose name stands above already.
    is_one: bool,
) -> impl IntoView {
    let lines = StoredValue::new(file.lines);
    let shown = RwSignal::new(AT_ONCE);
    let left = move || lines.with_value(Vec::len).saturating_sub(shown.get());
    view! {
        {(!is_one).then(|| view! { <h5 class="patch-name">{file.name}</h5> })}
        <table class="patch-lines">
            <tbody>{move || lines.with_value(|lines| lines.iter().take(shown.get()).map(line).collect_view())}</tbody>
        </table>
        <Show when=move || 0 < left()>
            <button class="button button-small" type="button" on:click=move |_| shown.update(|shown| *shown *= 5)>
                {move || counted(left(), "more line")}
            </button>
        </Show>
    }
}

fn line(line: &PatchLine) -> AnyView {
    let (kind, mark) = match line.kind {
        PatchLineKind::Place => ("place", ""),
        PatchLineKind::Said => ("said", ""),
        PatchLineKind::Kept => ("kept", " "),
        PatchLineKind::Added => ("added", "+"),
        PatchLineKind::Removed => ("removed", "-"),
    };
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    view! {
        <tr data-kind=kind>
            <td class="patch-number">{number(line.before)}</td>
            <td class="patch-number">{number(line.after)}</td>
            <td class="patch-text">{mark}{line.text.clone()}</td>
        </tr>
    }
    .into_any()
}

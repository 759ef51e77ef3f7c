//! Two points of a chat, and what differs between their files.

use leptos::prelude::*;
use satchel_core::workspace::{Diff, FileEntry, WorkspacePath};

use super::code_view::Difference;
use super::toolbar::ToolButton;
use super::words_of;
use crate::state::Workspace;
use crate::state::workspace::View;
use crate::ui::parts::{IconName, sentence};
use crate::work::workspace::{self, Mark, Point};

/// A file that differs.
#[derive(Clone, PartialEq)]
struct ChangedFile {
    path: WorkspacePath,
    mark: Mark,
    before: Option<FileEntry>,
    after: Option<FileEntry>,
}

/// The comparison.
#[component]
pub(super) fn CompareView() -> impl IntoView {
    let workspace = Workspace::expect();
    let points = LocalResource::new(move || {
        workspace.listing();
        let (store, open) = (workspace.storage().store(), workspace.opened().open());
        async move {
            match open {
                Some(open) => workspace::points(&store, &open).await.map_err(|error| error.to_string()),
                None => Ok(Vec::new()),
            }
        }
    });
    let all = move || points.get().and_then(Result::ok).unwrap_or_default();
    // Chosen by node, since the list may grow; at first the last change is shown.
    let (one, other) = (RwSignal::new(None::<String>), RwSignal::new(None::<String>));
    let before = Memo::new(move |_| find(&all(), one.get().as_deref(), 1));
    let after = Memo::new(move |_| find(&all(), other.get().as_deref(), 0));
    let found = LocalResource::new(move || {
        let (store, points) = (workspace.storage().store(), before.get().zip(after.get()));
        async move {
            let (before, after) = points?;
            Some(
                workspace::compare(&store, before.root, after.root)
                    .await
                    .map(listed)
                    .map_err(|error| error.to_string()),
            )
        }
    });
    let chosen = RwSignal::new(None::<WorkspacePath>);
    let current = move || {
        let files = found.get().flatten()?.ok()?;
        let wanted = chosen.get();
        files.iter().find(|file| Some(&file.path) == wanted.as_ref()).or_else(|| files.first()).cloned()
    };
    let current = Memo::new(move |_| current());
    let list = move || {
        match found.get().flatten() {
        None => ().into_any(),
        Some(Err(error)) => view! { <p class="workspace-problem" role="alert">{sentence(&error)}</p> }.into_any(),
        Some(Ok(files)) if files.is_empty() => {
            view! { <p class="workspace-words" data-testid="compare-equal">"The files are the same at both points."</p> }.into_any()
        }
        Some(Ok(files)) => {
            let rows = files.into_iter().map(|file| view! { <CompareRow file current chosen /> }).collect_view();
            view! { <ul class="compare-files">{rows}</ul> }.into_any()
        }
    }
    };
    let difference =
        move || current.get().map(|ChangedFile { path, before, after, .. }| view! { <Difference path before after /> });
    view! {
        <div class="file-head">
            <ToolButton
                icon=IconName::Back
                label="Back to the files"
                test_id="workspace-back"
                on_press=move || workspace.show(View::Files)
            />
            <h3 class="file-name">"Compare two points of the chat"</h3>
        </div>
        <div class="compare-points">
            <PointChoice label="From" test_id="compare-from" points=Signal::derive_local(all) point=before chosen=one />
            <PointChoice label="To" test_id="compare-to" points=Signal::derive_local(all) point=after chosen=other />
        </div>
        {list}
        <div class="file-body">{difference}</div>
    }
    .into_any()
}

/// The point that was chosen, or the last but so many.
fn find(points: &[Point], node: Option<&str>, from_last: usize) -> Option<Point> {
    let chosen = points.iter().find(|point| Some(point.node.as_str()) == node);
    let by_place = || points.len().checked_sub(from_last + 1).or(Some(0)).and_then(|at| points.get(at));
    chosen.or_else(by_place).cloned()
}

fn listed(diff: Diff) -> Vec<ChangedFile> {
    let added = diff.added.into_iter().map(|(path, file)| (path, Mark::Added, None, Some(file)));
    let changed =
        diff.changed.into_iter().map(|(path, both)| (path, Mark::Changed, Some(both.before), Some(both.after)));
    let deleted = diff.deleted.into_iter().map(|(path, file)| (path, Mark::Deleted, Some(file), None));
    let mut all: Vec<_> = (added.chain(changed).chain(deleted))
        .map(|(path, mark, before, after)| ChangedFile { path, mark, before, after })
        .collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

/// Chooses a point.
#[component]
fn PointChoice(
    /// Which one of the two.
    label: &'static str,
    /// What tests call it.
    test_id: &'static str,
    /// All points.
    points: Signal<Vec<Point>, LocalStorage>,
    /// The one that counts.
    point: Memo<Option<Point>>,
    /// What the user chose.
    chosen: RwSignal<Option<String>>,
) -> impl IntoView {
    let opened = Workspace::expect().opened();
    let options = move || {
        let current = point.get().map(|point| point.node);
        let option = |point: Point| {
            let is_current = Some(&point.node) == current.as_ref();
            let words = words_of(opened, &point.node);
            view! { <option value=point.node.as_str().to_owned() selected=is_current>{words}</option> }
        };
        points.get().into_iter().map(option).collect_view()
    };
    view! {
        <label class="field">
            <span class="field-label">{label}</span>
            <select class="input" data-testid=test_id on:change=move |event| chosen.set(Some(event_target_value(&event)))>
                {options}
            </select>
        </label>
    }
    .into_any()
}

/// A file that differs.
#[component]
fn CompareRow(
    /// The file.
    file: ChangedFile,
    /// The one that is shown.
    current: Memo<Option<ChangedFile>>,
    /// The one the user chose.
    chosen: RwSignal<Option<WorkspacePath>>,
) -> impl IntoView {
    let (word, path) = (file.mark.word(), file.path.clone());
    let pressed = move || current.with(|current| current.as_ref() == Some(&file)).to_string();
    let name = path.to_string();
    let test_id = format!("compare-file-{name}");
    view! {
        <li>
            <button
                class="compare-file"
                type="button"
                aria-pressed=pressed
                data-testid=test_id
                on:click=move |_| chosen.set(Some(path.clone()))
            >
                <span class="tree-mark" data-mark=word title=word aria-hidden="true">{word[..1].to_uppercase()}</span>
                <span class="tree-name">{name}</span>
                <span class="unseen">{word}</span>
            </button>
        </li>
    }
    .into_any()
}

//! The tree of files. One listener serves all rows, so that a row is nothing but its elements.

use leptos::attr::custom::custom_attribute;
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use satchel_core::workspace::WorkspacePath;

use crate::browser::page;
use crate::state::Workspace;
use crate::state::workspace::{Form, Row, RowKind};
use crate::ui::parts::{Icon, IconName, in_words};

pub(super) const ID: &str = "workspace-tree";

/// The tree.
#[component]
pub(super) fn Tree(
    /// What to draw.
    rows: Memo<Vec<Row>>,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let selected = workspace.selected();
    let press = move |row: Row| {
        selected.set(Some(row.path.clone()));
        match row.kind {
            RowKind::Folder { .. } => workspace.toggle(&row.path),
            RowKind::More { .. } => workspace.show_whole(&row.path),
            RowKind::File { .. } => {
                if let Ok(path) = WorkspacePath::parse(row.path) {
                    workspace.open_file(path);
                }
            }
        }
    };
    let on_click = move |event: MouseEvent| {
        let wanted = page::attribute_near(&event, "data-row");
        let row = rows.with_untracked(|rows| rows.iter().find(|row| Some(row_id(row)) == wanted).cloned());
        if let Some(row) = row {
            press(row);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let taken = rows.with_untracked(|rows| {
            let at =
                selected.with_untracked(|selected| rows.iter().position(|row| Some(&row.path) == selected.as_ref()));
            let action = action_of(&event.key(), rows, at)?;
            Some((action, at.map(|at| rows[at].clone())))
        });
        let Some((action, row)) = taken else { return };
        event.prevent_default();
        match (action, row) {
            (Action::Select(path), _) => {
                page::reveal(&element_id(&path));
                selected.set(Some(path));
            }
            (Action::Press, Some(row)) => press(row),
            (Action::Toggle, Some(row)) => workspace.toggle(&row.path),
            (Action::Rename, Some(row)) => {
                workspace.form().set(WorkspacePath::parse(row.path).ok().map(Form::Rename));
            }
            (Action::Delete, Some(row)) => {
                if let Ok(path) = WorkspacePath::parse(row.path) {
                    workspace.delete(path);
                }
            }
            (Action::Press | Action::Toggle | Action::Rename | Action::Delete, None) => {}
        }
    };
    let is_selected = Selector::new(move || selected.get());
    view! {
        <ul
            class="tree"
            id=ID
            role="tree"
            tabindex="0"
            aria-label="Files"
            data-takes-text=""
            data-testid="workspace-tree"
            aria-activedescendant=move || selected.get().map(|path| element_id(&path))
            on:click=on_click
            on:keydown=on_key
        >
            <For each=move || rows.get() key=Row::clone let:row>
                <TreeRow row is_selected=is_selected.clone() />
            </For>
        </ul>
    }
    .into_any()
}

/// What a key asks for.
enum Action {
    Select(String),
    Press,
    Toggle,
    Rename,
    Delete,
}

/// What a key asks for on the row that is selected.
fn action_of(key: &str, rows: &[Row], at: Option<usize>) -> Option<Action> {
    let to = |at: usize| rows.get(at).map(|row| Action::Select(row.path.clone()));
    let row = at.map(|at| &rows[at]);
    match key {
        "ArrowDown" => to(at.map_or(0, |at| at + 1)),
        "ArrowUp" => to(at.map_or(0, |at| at.saturating_sub(1))),
        "Home" => to(0),
        "End" => to(rows.len().saturating_sub(1)),
        "Enter" | " " => Some(Action::Press),
        "ArrowRight" => match row?.kind {
            RowKind::Folder { open: false, .. } => Some(Action::Toggle),
            RowKind::Folder { open: true, .. } => to(at? + 1),
            RowKind::File { .. } | RowKind::More { .. } => None,
        },
        "ArrowLeft" => match row?.kind {
            RowKind::Folder { open: true, .. } => Some(Action::Toggle),
            RowKind::Folder { open: false, .. } | RowKind::File { .. } | RowKind::More { .. } => {
                let (above, _) = row?.path.rsplit_once('/')?;
                Some(Action::Select(above.to_owned()))
            }
        },
        "F2" => Some(Action::Rename).filter(|_| can_change(row)),
        "Delete" => Some(Action::Delete).filter(|_| can_change(row)),
        _ => None,
    }
}

fn can_change(row: Option<&Row>) -> bool {
    row.is_some_and(|row| match row.kind {
        RowKind::Folder { .. } => true,
        RowKind::File { mark, .. } => mark != Some("deleted"),
        RowKind::More { .. } => false,
    })
}

/// One row.
#[component]
fn TreeRow(
    /// What it shows.
    row: Row,
    /// Tells whether it is the one the keys act on.
    is_selected: Selector<Option<String>>,
) -> impl IntoView {
    let (id, row_key, level) = (element_id(&row.path), row_id(&row), row.level.to_string());
    let depth = row.level.min(12).to_string();
    let Row { path, name, kind, .. } = row;
    let key = Some(path.clone());
    let selected = move || is_selected.selected(&key).to_string();
    match kind {
        RowKind::Folder { open, marked } => {
            let label = name.clone();
            view! {
                <li
                    class="tree-row"
                    id=id
                    role="treeitem"
                    {..custom_attribute("aria-level", level)}
                    aria-expanded=open.to_string()
                    aria-selected=selected
                    data-row=row_key
                    data-depth=depth
                    data-folder=path.clone()
                    data-testid=format!("workspace-folder-{path}")
                >
                    <span class="tree-turn" data-open=open.to_string()>
                        <Icon name=IconName::Forward small=true />
                    </span>
                    <Icon name=IconName::Files small=true />
                    <span class="tree-name">{label}</span>
                    {marked.then(|| view! { <span class="tree-dot" title="Something in it has changed"></span> })}
                </li>
            }
            .into_any()
        }
        RowKind::File { size, mark } => {
            let mark = mark.map(|word| {
                let letter = word[..1].to_uppercase();
                view! {
                    <span class="tree-mark" data-mark=word title=word data-testid=format!("workspace-changed-{path}")>
                        <span aria-hidden="true">{letter}</span>
                        <span class="unseen">{word}</span>
                    </span>
                }
            });
            let folder = path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
            view! {
                <li
                    class="tree-row"
                    id=id
                    role="treeitem"
                    {..custom_attribute("aria-level", level)}
                    aria-selected=selected
                    data-row=row_key
                    data-depth=depth
                    data-folder=folder
                    data-testid=format!("workspace-file-{path}")
                >
                    <span class="tree-turn"></span>
                    <Icon name=IconName::File small=true />
                    <span class="tree-name">{name}</span>
                    <span class="tree-size">{in_words(size)}</span>
                    {mark}
                </li>
            }
            .into_any()
        }
        RowKind::More { hidden } => view! {
            <li class="tree-row tree-more" id=id role="treeitem" {..custom_attribute("aria-level", level)} aria-selected=selected data-row=row_key data-depth=depth>
                {format!("Show {hidden} more")}
            </li>
        }
        .into_any(),
    }
}

/// Tells rows apart: a folder and the rest of it have the same path.
fn row_id(row: &Row) -> String {
    match row.kind {
        RowKind::More { .. } => format!("more/{}", row.path),
        RowKind::Folder { .. } | RowKind::File { .. } => format!("path/{}", row.path),
    }
}

/// The id of a row's element, which must not have spaces.
fn element_id(path: &str) -> String {
    format!("row-{}", path.replace(' ', "%20"))
}

//! What can be done to the workspace as a whole and to the row that is selected, and how much there is.

use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use satchel_core::workspace::WorkspacePath;

use crate::browser::{files, page};
use crate::state::workspace::{Destination, Form, Progress, View};
use crate::state::{Attaching, Workspace};
use crate::ui::parts::{Icon, IconName, in_words};

/// The id of the input that picks files. It is there whatever the pane shows, for the palette too.
pub(crate) const INPUT: &str = "workspace-upload";
const FOLDER_INPUT: &str = "workspace-upload-folder";

/// The buttons above the tree.
#[component]
pub(super) fn Toolbar(
    /// Whether there is nothing yet.
    is_empty: Memo<bool>,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let has_chat = move || workspace.opened().open().is_some();
    let take = move |event: leptos::ev::Event| workspace.upload(files::picked(&event), Destination::Workspace);
    let ask = move |form: fn(String) -> Form| workspace.form().set(Some(form(selected_folder(workspace))));
    view! {
        <div class="workspace-tools" role="toolbar" aria-label="Workspace">
            <Show when=has_chat>
                <ToolButton icon=IconName::NewFile label="New file" test_id="workspace-new-file" on_press=move || ask(Form::NewFile) />
                <ToolButton
                    icon=IconName::NewFolder
                    label="New folder"
                    test_id="workspace-new-folder"
                    on_press=move || ask(Form::NewFolder)
                />
            </Show>
            <ToolButton icon=IconName::Upload label="Upload files" test_id="workspace-upload" on_press=|| page::press(INPUT) />
            <ToolButton
                icon=IconName::UploadFolder
                label="Upload a folder"
                test_id="workspace-upload-folder"
                on_press=|| page::press(FOLDER_INPUT)
            />
            <Show when=move || !is_empty.get()>
                <span class="tools-gap"></span>
                <ToolButton
                    icon=IconName::Compare
                    label="Compare two points of the chat"
                    test_id="workspace-compare"
                    on_press=move || workspace.show(View::Compare)
                />
                <ToolButton
                    icon=IconName::Download
                    label="Download all as a ZIP"
                    test_id="workspace-download-all"
                    on_press=move || workspace.download(None)
                />
            </Show>
            <input
                class="unseen"
                id=FOLDER_INPUT
                type="file"
                multiple
                {..custom_attribute("webkitdirectory", "")}
                tabindex="-1"
                aria-label="Upload a folder"
                data-testid="workspace-folder-input"
                on:change=take
            />
        </div>
    }
    .into_any()
}

/// The input that picks files.
#[component]
pub(super) fn UploadInput() -> impl IntoView {
    let (workspace, attaching) = (Workspace::expect(), Attaching::expect());
    view! {
        <input
            class="unseen"
            id=INPUT
            type="file"
            multiple
            tabindex="-1"
            aria-label="Upload files"
            data-testid="workspace-upload-input"
            on:change=move |event| workspace.upload(files::picked(&event), Destination::of_pick(attaching.end_picking()))
            on:cancel=move |_: leptos::ev::Event| attaching.give_up_picking()
        />
    }
}

/// A button that is only an icon.
#[component]
pub(super) fn ToolButton(
    /// The picture.
    icon: IconName,
    /// What it does.
    label: &'static str,
    /// What tests call it.
    test_id: &'static str,
    /// Told when it is pressed.
    on_press: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button class="icon-button" type="button" aria-label=label title=label data-testid=test_id on:click=move |_| on_press()>
            <Icon name=icon />
        </button>
    }
    .into_any()
}

/// What can be done to the row that is selected.
#[component]
pub(super) fn SelectionBar() -> impl IntoView {
    let workspace = Workspace::expect();
    let chosen = Memo::new(move |_| workspace.selected().get().and_then(|path| WorkspacePath::parse(path).ok()));
    move || {
        chosen.get().map(|path| {
            let is_there = workspace.deleted_entry(&path).is_none();
            let (for_rename, for_delete, for_download) = (path.clone(), path.clone(), path.clone());
            let rename = move || workspace.form().set(Some(Form::Rename(for_rename.clone())));
            view! {
                <div class="selection-bar" role="group" aria-label="Selected">
                    <span class="selection-name" title=path.to_string()>{path.to_string()}</span>
                    {is_there
                        .then(|| {
                            view! {
                                <ToolButton icon=IconName::Edit label="Rename" test_id="workspace-rename" on_press=rename />
                                <ToolButton
                                    icon=IconName::Delete
                                    label="Delete"
                                    test_id="workspace-delete"
                                    on_press=move || workspace.delete(for_delete.clone())
                                />
                            }
                        })}
                    <ToolButton
                        icon=IconName::Download
                        label="Download"
                        test_id="workspace-download"
                        on_press=move || workspace.download(Some(for_download.clone()))
                    />
                </div>
            }
        })
    }
}

/// How much there is, and how far an upload is.
#[component]
pub(super) fn Footer() -> impl IntoView {
    let workspace = Workspace::expect();
    let totals = move || {
        let listing = workspace.listing()?.ok()?;
        let (count, bytes) = (listing.files.len(), listing.files.values().map(|file| file.size).sum());
        let since = if listing.since_run { "since the last run" } else { "since the previous message" };
        let marks = match listing.marks.len() {
            0 => String::new(),
            marks => format!(" · {marks} changed {since}"),
        };
        (count + listing.marks.len() > 0).then(|| format!("{} · {}{marks}", files_in_words(count), in_words(bytes)))
    };
    let uploading = move |Progress { done, all, stopping }: Progress| {
        let words =
            if all == 0 { "Reading the files".into() } else { format!("Storing {done} of {}", files_in_words(all)) };
        view! {
            <div class="workspace-progress" role="status">
                <div class="spinner" aria-hidden="true"></div>
                <span>{if stopping { "Stopping".into() } else { words }}</span>
                <button class="button button-small" type="button" on:click=move |_| workspace.stop_upload()>"Stop"</button>
            </div>
        }
    };
    view! {
        <div class="workspace-foot">
            {move || workspace.progress().get().map(uploading)}
            <p data-testid="workspace-totals">{totals}</p>
        </div>
    }
    .into_any()
}

fn files_in_words(count: usize) -> String {
    if count == 1 { "1 file".into() } else { format!("{count} files") }
}

/// The folder that is selected, or that the selected file is in, with a slash; empty at the top.
fn selected_folder(workspace: Workspace) -> String {
    let Some(path) = workspace.selected().get_untracked() else { return String::new() };
    let is_file = WorkspacePath::parse(path.clone()).is_ok_and(|path| untrack(|| workspace.entry(&path)).is_some());
    let folder = if is_file { path.rsplit_once('/').map_or("", |(folder, _)| folder) } else { path.as_str() };
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}

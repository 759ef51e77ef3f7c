//! The right pane: the files of the chat that is open.

mod code_view;
mod compare;
mod file_view;
mod hex_view;
mod kept_texts;
mod path_form;
mod picture;
mod rivals;
mod text_editor;
mod toolbar;
mod tree;
mod versions;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::workspace::WorkspacePath;

pub(crate) use self::code_view::CodeDifference;
use self::compare::CompareView;
use self::file_view::FileView;
pub(crate) use self::file_view::Loaded;
pub(crate) use self::hex_view::HexView;
use self::kept_texts::KeptTexts;
use self::path_form::PathForm;
use self::rivals::Rivals;
pub(crate) use self::text_editor::TextEditor;
pub(crate) use self::toolbar::INPUT as UPLOAD_INPUT;
use self::toolbar::{Footer, SelectionBar, Toolbar, UploadInput};
use self::tree::Tree;
use self::versions::VersionsView;
use super::parts::{Icon, IconName, sentence};
use crate::browser::{files, page};
use crate::state::workspace::{Destination, View};
use crate::state::{
    Address, Attaching, Chats, FilesPane, Notices, OpenedChat, Pane, Panes, Place, Storage, Unsaved, Workspace,
};

/// The pane of files. What it knows lives as long as it does, which is as long as the page; before the conversation moves on, it
/// saves what stands in its editor.
#[component]
pub(crate) fn WorkspacePanel() -> impl IntoView {
    let panes = Panes::expect();
    let workspace = Workspace::follow(OpenedChat::expect(), Chats::expect(), Storage::expect(), Notices::expect());
    provide_context(workspace);
    FilesPane::expect().arrived(workspace);
    Unsaved::expect().is_saved_by(move |then| workspace.after_saving(then));
    let address = Address::expect();
    let place = Signal::derive(move || address.place());
    let view = Memo::new(move |_| workspace.view());
    let attaching = Attaching::expect();
    take_what_comes(workspace, place, attaching);
    let on_key = move |event: KeyboardEvent| {
        // The editor has its own use for the key while its search is open.
        if event.key() == "Escape" && !event.default_prevented() && view.get_untracked() != View::Files {
            event.stop_propagation();
            back_to_tree(workspace);
        }
    };
    view! {
        <aside
            class="workspace"
            id="workspace"
            aria-label="Workspace"
            data-testid="workspace-panel"
            data-view=move || view.get().word()
            data-dragging=move || attaching.is_dragging().to_string()
            on:keydown=on_key
        >
            <div class="pane-head">
                <h2 class="pane-title">"Workspace"</h2>
                <button
                    class="icon-button desk-only"
                    type="button"
                    aria-label="Close the workspace"
                    title="Close the workspace"
                    on:click=move |_| panes.change(|open| open.workspace = false)
                >
                    <Icon name=IconName::RightPane />
                </button>
                <button
                    class="icon-button narrow-only tablet-only"
                    id="close-workspace"
                    type="button"
                    aria-label="Close the workspace"
                    on:click=move |_| panes.show(Pane::Main)
                >
                    <Icon name=IconName::Close />
                </button>
            </div>
            {move || match view.get() {
                View::Files => view! { <FilesView /> }.into_any(),
                View::File(path) => view! { <FileView path /> }.into_any(),
                View::Versions(path) => view! { <VersionsView path /> }.into_any(),
                View::Compare => view! { <CompareView /> }.into_any(),
            }}
            <UploadInput />
            <p class="drop-hint" aria-hidden="true">"Drop files to put them into the workspace"</p>
        </aside>
    }
}

/// Shows the tree again, with the keys on it.
fn back_to_tree(workspace: Workspace) {
    workspace.show(View::Files);
    // It is drawn after this.
    request_animation_frame(|| page::focus(tree::ID));
}

/// The tree and what can be done with it.
#[component]
fn FilesView() -> impl IntoView {
    let workspace = Workspace::expect();
    let rows = workspace.rows();
    let is_empty = Memo::new(move |_| rows.with(Vec::is_empty));
    let problem = Memo::new(move |_| workspace.listing().and_then(Result::err));
    view! {
        <Toolbar is_empty />
        {move || workspace.form().get().map(|form| view! { <PathForm form /> })}
        <Rivals />
        <KeptTexts />
        {move || problem.get().map(|problem| view! { <p class="workspace-problem" role="alert">{sentence(&problem)}</p> })}
        <Show when=move || !is_empty.get() fallback=NoFiles>
            <SelectionBar />
            <Tree rows />
        </Show>
        <Footer />
    }
    .into_any()
}

/// What stands in the place of the tree while there is nothing in it.
#[component]
fn NoFiles() -> impl IntoView {
    view! {
        <div class="workspace-body">
            <div class="empty empty-small">
                <div class="empty-icon">
                    <Icon name=IconName::Files />
                </div>
                <h3>"No files"</h3>
                <p>"Each chat has its own files, and they follow its branches. Drop or paste some here, or:"</p>
                <div class="empty-actions">
                    <button class="button button-small" type="button" on:click=move |_| page::press(toolbar::INPUT)>
                        "Upload files"
                    </button>
                </div>
            </div>
        </div>
    }
}

/// Files may be dropped and pasted anywhere on the page of a chat; elsewhere a drop must at least not replace the app.
fn take_what_comes(workspace: Workspace, place: Signal<Place>, attaching: Attaching) {
    let in_chat = move || place.get_untracked() == Place::Chat;
    let over = window_event_listener(leptos::ev::dragover, move |event| {
        if files::drags_files(&event) {
            event.prevent_default();
            attaching.set_dragging(in_chat());
        }
    });
    let leave = window_event_listener(leptos::ev::dragleave, move |event| {
        if event.related_target().is_none() {
            attaching.set_dragging(false);
        }
    });
    let dropped = window_event_listener(leptos::ev::drop, move |event| {
        attaching.set_dragging(false);
        let brought = files::dropped(&event);
        if brought.has_files() {
            event.prevent_default();
            let folder = page::attribute_near(&event, "data-folder").and_then(|path| WorkspacePath::parse(path).ok());
            if in_chat() {
                // What comes onto the pane is for the workspace alone; what comes onto the chat goes along with its next message.
                let is_on_pane = page::attribute_near(&event, "data-view").is_some();
                workspace.drop_in(brought, folder, Destination::of_drop(is_on_pane));
            }
        }
    });
    let pasted = window_event_listener(leptos::ev::paste, move |event| {
        let brought = files::pasted(&event);
        if !in_chat() {
            return;
        }
        if brought.has_files() {
            event.prevent_default();
            let is_on_pane = page::attribute_near(&event, "data-view").is_some();
            workspace.paste(brought, Destination::of_drop(is_on_pane));
        } else if page::attribute_near(&event, "data-takes-text").is_some() && !brought.text().is_empty() {
            event.prevent_default();
            workspace.paste_text(brought.text().to_owned());
        }
    });
    let leaving = window_event_listener(leptos::ev::beforeunload, move |event| {
        if workspace.is_unsaved() {
            event.prevent_default();
        }
    });
    let hidden = window_event_listener(leptos::ev::blur, move |_| workspace.after_saving(|| {}));
    on_cleanup(move || {
        over.remove();
        leave.remove();
        dropped.remove();
        pasted.remove();
        leaving.remove();
        hidden.remove();
    });
}

/// Where the words for a place in the chat come from: what was said there, cut short.
fn words_of(opened: OpenedChat, node: &satchel_core::record::Node) -> String {
    use satchel_core::record::Node;

    let Some(open) = opened.open_untracked() else { return String::new() };
    match node {
        Node::Root => "Before the first message".into(),
        Node::Message(id) => {
            let said = open.tree.message(id).map(|message| message.content.text()).unwrap_or_default();
            let line: String = said.lines().next().unwrap_or_default().chars().take(48).collect();
            let on_path = open.tree.path(&open.leaf).iter().position(|message| message.id == *id);
            match on_path {
                Some(at) => format!("{}. {line}", at + 1),
                None => format!("Other branch: {line}"),
            }
        }
    }
}

//! The files that went along with a message, in the message. A press shows the file as it is now.

use leptos::prelude::*;
use satchel_core::conversation::attachments;
use satchel_core::record::Attachment;

use super::thumbnail::Thumbnail;
use crate::state::{FilesPane, Panes};
use crate::ui::pages::AttachedTo;

/// The files of the message that the context [`AttachedTo`] names.
#[component]
pub(crate) fn AttachedFiles() -> impl IntoView {
    let AttachedTo(message) = expect_context();
    let files = attachments(&message).into_iter().map(|file| view! { <File file /> }).collect_view();
    (!files.is_empty()).then(|| {
        view! { <ul class="attachment-chips" aria-label="Files of this message" data-testid="message-files">{files}</ul> }
    })
}

/// One file.
#[component]
fn File(
    /// The file.
    file: Attachment,
) -> impl IntoView {
    let (pane, panes) = (FilesPane::expect(), Panes::expect());
    let (path, title) = (file.path.clone(), format!("Show {} in the workspace", file.path));
    view! {
        <li>
            <button
                class="attachment-chip"
                type="button"
                title=title
                data-testid="message-file"
                on:click=move |_| pane.show(path.clone(), panes)
            >
                <Thumbnail file />
            </button>
        </li>
    }
}

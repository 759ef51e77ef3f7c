//! The files that go along with the message that is being written, each of which can be left out again.

use leptos::prelude::*;
use satchel_core::record::Attachment;

use super::thumbnail::Thumbnail;
use crate::browser::page;
use crate::state::{ComposerDraft, Models};
use crate::ui::parts::{Icon, IconName};

/// The files, in the order in which they came.
#[component]
pub(crate) fn AttachmentChips() -> impl IntoView {
    let (draft, models) = (ComposerDraft::expect(), Models::expect());
    // A picture that nobody looks at should be known before it is sent, and the model can still be changed.
    let unseen = Memo::new(move |_| {
        let has_pictures = draft.attachments().iter().any(|file| file.media_type.is_some());
        models.chosen().filter(|chosen| has_pictures && !chosen.sees_images).map(|chosen| chosen.label)
    });
    view! {
        <ul class="attachment-chips" aria-label="Files attached to the message" data-testid="attachments">
            <For each=move || draft.attachments() key=|file| (file.path.clone(), file.sha256) let:file>
                <Chip draft file />
            </For>
        </ul>
        <p class="attachment-note" role="status" data-testid="attachment-unseen">
            {move || {
                unseen
                    .get()
                    .map(|label| {
                        format!("{label} cannot see pictures and is only told where they are. To have them looked at, choose a model that can.")
                    })
            }}
        </p>
    }
}

/// One file, and the way to leave it out.
#[component]
fn Chip(
    /// What is written.
    draft: ComposerDraft,
    /// The file.
    file: Attachment,
) -> impl IntoView {
    let label = format!("Remove {} from the message; it stays in the workspace", file.path);
    let (title, shown) = (file.path.to_string(), file.clone());
    let leave_out = move |_| {
        draft.detach(&file);
        // What was pressed is gone.
        page::focus("chat-input");
    };
    view! {
        <li class="attachment-chip" data-testid="attachment" title=title>
            <Thumbnail file=shown />
            <button
                class="icon-button"
                type="button"
                aria-label=label.clone()
                title=label
                data-testid="attachment-remove"
                on:click=leave_out
            >
                <Icon name=IconName::Close small=true />
            </button>
        </li>
    }
}

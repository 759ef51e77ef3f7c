//! Exporting the chat that is open. Its code arrives when it is first asked for.

use leptos::prelude::*;

use crate::state::{Notices, OpenedChat};
use crate::work::chat_export;

/// Saves the chat that is open as a document. Drawing this does it, once; there is nothing to see.
#[component]
pub(crate) fn ExportChat() -> impl IntoView {
    if let Some(open) = OpenedChat::expect().open_untracked() {
        chat_export::as_markdown(&open);
        Notices::expect().announce("The chat was saved as a Markdown document.");
    }
}

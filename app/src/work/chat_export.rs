//! A chat as a file of its user's.

use satchel_core::conversation::markdown;

use super::chats::OpenChat;
use super::workspace::file_name;
use crate::browser::files;
use crate::browser::raw_bytes::RawBytes;

/// Saves the branch that is looked at as a Markdown document, where the browser keeps downloads.
pub(crate) fn as_markdown(open: &OpenChat) {
    let text = markdown(&open.chat, &open.tree, &open.leaf);
    files::download(&format!("{}.md", file_name(&open.chat.title)), &RawBytes::from(text.as_bytes()));
}

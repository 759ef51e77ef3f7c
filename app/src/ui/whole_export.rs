//! Whole exports: one chat or everything as a file, such a file taken in, and the verification of what is here.

mod course;
mod export_row;
mod import_row;
mod preview;
mod report;
mod verify_row;

use leptos::prelude::*;

pub(crate) use self::export_row::ExportRow;
pub(crate) use self::import_row::ImportRow;
pub(crate) use self::verify_row::VerifyRow;
use crate::browser::page;
use crate::state::OpenedChat;
use crate::work::whole_export::OneChat;

const DIALOG: &str = "whole-chat-dialog";
const TITLE: &str = "whole-chat-title";

/// What can be done with the chat that is open as a whole. Its code arrives when it is first asked for.
#[component]
pub(crate) fn WholeChat() -> impl IntoView {
    let chat = OpenedChat::expect().open_untracked().map(|open| OneChat { id: open.chat.id, title: open.chat.title });
    chat.map(|chat| {
        // An effect runs once the dialog is in the page.
        Effect::new(|_| page::open_dialog(DIALOG));
        on_cleanup(|| page::close_dialog(DIALOG));
        let for_export = chat.clone();
        view! {
            <dialog class="dialog whole-chat" id=DIALOG aria-labelledby=TITLE data-testid="whole-chat">
                <h2 id=TITLE>"The whole chat"</h2>
                <div class="section-card">
                    <ExportRow chat=for_export />
                    <VerifyRow chat />
                </div>
                <div class="dialog-actions">
                    <button class="button" type="button" data-testid="whole-chat-close" on:click=|_| page::close_dialog(DIALOG)>
                        "Close"
                    </button>
                </div>
            </dialog>
        }
    })
}

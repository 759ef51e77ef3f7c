//! What was typed into files and could not be saved there: offered until it is put back or given up.

use leptos::prelude::{Callback, Get as _, Update as _, WithValue as _};
use satchel_core::workspace::KeptText;

use super::{NoticeAction, NoticeKind, Workspace};
use crate::browser::files;
use crate::browser::raw_bytes::RawBytes;
use crate::work::workspace;

impl Workspace {
    /// What waits for the user. What stands in an editor is not among it.
    pub(crate) fn kept_texts(self) -> Vec<KeptText> {
        let mut kept = self.kept.get();
        self.sessions.with_value(|all| kept.retain(|text| !all.iter().any(|one| one.keeps_at(&text.place))));
        kept
    }

    /// Puts a text into its file, or beside it where the file is another one by now, and shows it.
    pub(crate) fn put_text_back(self, kept: KeptText) {
        self.in_chat("It was not put back", async move |workspace, open| {
            workspace.settle().await;
            let store = workspace.storage.store();
            let path = workspace::put_text_back(&store, &open, &kept).await?;
            workspace::forget_text(&store, &kept.place).await?;
            workspace.changes.update(|changes| *changes += 1);
            if path != kept.path {
                let words = format!(
                    "\u{201c}{}\u{201d} was changed meanwhile; your version is \u{201c}{path}\u{201d}.",
                    kept.path
                );
                workspace.notices.show(NoticeKind::Warning, words);
            }
            workspace.open_file(path);
            Ok(())
        });
    }

    /// Saves a text where the browser keeps downloads. It goes on waiting.
    pub(crate) fn download_text(self, kept: &KeptText) {
        files::download(kept.path.name(), &RawBytes::from(kept.text.as_bytes()));
    }

    /// Gives a text up, and offers to take that back.
    pub(crate) fn give_text_up(self, kept: KeptText) {
        self.in_chat("It was not discarded", async move |workspace, _open| {
            workspace::forget_text(&workspace.storage.store(), &kept.place).await?;
            workspace.changes.update(|changes| *changes += 1);
            workspace.offer_text_again(kept);
            Ok(())
        });
    }

    /// Says that a text was given up, and offers to take that back: it waits again then.
    pub(super) fn offer_text_again(self, kept: KeptText) {
        let words = format!("What you typed in \u{201c}{}\u{201d} was discarded.", kept.path);
        let run = Callback::new(move |()| self.keep_text_again(kept.clone()));
        self.notices.offer(NoticeKind::Info, words, NoticeAction { label: "Undo", run });
    }

    fn keep_text_again(self, kept: KeptText) {
        self.in_chat("It was not taken back", async move |workspace, _open| {
            workspace::keep_text(&workspace.storage.store(), &kept).await?;
            workspace.changes.update(|changes| *changes += 1);
            Ok(())
        });
    }
}

//! Going to what was found: the chat, the branch, and the place itself.

use std::time::Duration;

use satchel_core::conversation::MessageTree;
use satchel_core::digest::BlobId;
use satchel_core::ids::{ChatId, MessageId};
use satchel_core::record::{Node, Role};
use satchel_core::workspace::WorkspacePath;

use crate::browser::spawn::spawn;
use crate::browser::{clock, found_place};
use crate::state::{
    Address, Chats, FilesPane, NoticeKind, Notices, OpenedChat, Pane, Panes, SoughtMessage, Storage, Unsaved,
};
use crate::ui::chat::message_place;
use crate::work::chats::{self, OpenChat};
use crate::work::workspace;

/// Where something is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    /// A chat.
    Chat(ChatId),
    /// A message, on whichever branch.
    Message {
        /// Its chat.
        chat: ChatId,
        /// Which.
        message: MessageId,
    },
    /// A file, on whichever branch.
    File {
        /// Its chat.
        chat: ChatId,
        /// The end of a branch that has it.
        node: Node,
        /// Its path.
        path: String,
        /// What it holds there.
        sha256: BlobId,
    },
    /// A tool, by its whole id.
    Tool(String),
}

/// How often, and after what pauses, the pane of files is looked for.
const LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// Leads the app to places.
#[derive(Clone, Copy)]
pub(super) struct Jump {
    address: Address,
    chats: Chats,
    opened: OpenedChat,
    pane: FilesPane,
    panes: Panes,
    sought: SoughtMessage,
    storage: Storage,
    unsaved: Unsaved,
    notices: Notices,
}

impl Jump {
    /// With the contexts of the component that asks.
    pub(super) fn from_here() -> Self {
        Self {
            address: Address::expect(),
            chats: Chats::expect(),
            opened: OpenedChat::expect(),
            pane: FilesPane::expect(),
            panes: Panes::expect(),
            sought: SoughtMessage::expect(),
            storage: Storage::expect(),
            unsaved: Unsaved::expect(),
            notices: Notices::expect(),
        }
    }

    /// Goes there.
    pub(super) fn to(self, place: Place) {
        self.panes.show(Pane::Main);
        match place {
            Place::Chat(id) => self.open_chat(&id),
            Place::Tool(id) => self.address.go(&format!("{}/{id}", crate::state::Place::Tools.path())),
            // What stands in an editor belongs to the branch that is left.
            Place::Message { chat, message } => {
                self.unsaved.after_saving(move || spawn(self.show_message(chat, message)));
            }
            Place::File { chat, node, path, sha256 } => {
                self.unsaved.after_saving(move || spawn(self.show_file(chat, node, path, sha256)));
            }
        }
    }

    fn open_chat(self, id: &ChatId) {
        self.address.go(&format!("{}/{id}", crate::state::Place::Chat.path()));
    }

    async fn show_message(self, chat: ChatId, message: MessageId) {
        let Some(open) = self.read(&chat).await else { return };
        let shown = shown_by(&open.tree, message);
        let is_on_branch = open.tree.path(&open.leaf).iter().any(|one| one.id == shown);
        if !is_on_branch && !self.switch(&chat, open.tree.latest_leaf(&Node::Message(shown.clone()))).await {
            return;
        }
        self.open_chat(&chat);
        self.sought.seek(Some(shown.clone()));
        let is_shown = found_place::show(&message_place(&shown)).await;
        self.sought.seek(None);
        if !is_shown {
            self.notices.show(NoticeKind::Warning, "The message is no longer in this chat.");
        }
    }

    async fn show_file(self, chat: ChatId, node: Node, path: String, sha256: BlobId) {
        let Some(open) = self.read(&chat).await else { return };
        let Ok(path) = WorkspacePath::parse(path) else { return };
        // The same file may be on the branch that is looked at; then nothing need be switched.
        let listing = workspace::list(&self.storage.store(), &open).await;
        let is_here = listing.is_ok_and(|listing| listing.files.get(&path).is_some_and(|file| file.sha256 == sha256));
        if !is_here && !self.switch(&chat, open.tree.latest_leaf(&node)).await {
            return;
        }
        self.open_chat(&chat);
        for _ in 0..LOOKS {
            let is_open = self.opened.open_untracked().is_some_and(|open| open.chat.id == chat);
            if is_open && self.pane.is_here() {
                return self.pane.show(path, self.panes);
            }
            clock::wait(PAUSE).await;
        }
        self.notices.show(NoticeKind::Warning, "The files could not be loaded. Check the connection and try again.");
    }

    async fn read(self, chat: &ChatId) -> Option<OpenChat> {
        match chats::open(self.storage.store(), chat.as_str(), None).await {
            Ok(Some(open)) => return Some(open),
            Ok(None) => self.notices.show(NoticeKind::Warning, "This chat has been deleted."),
            Err(error) => self.notices.show(NoticeKind::Error, format!("The chat cannot be opened: {error}.")),
        }
        None
    }

    /// Looks at another branch; whether that could be remembered.
    async fn switch(self, chat: &ChatId, leaf: Node) -> bool {
        match chats::look_at(self.storage.store(), chat, &leaf).await {
            Ok(()) => {
                self.chats.changed().await;
                true
            }
            Err(error) => {
                self.notices.show(NoticeKind::Error, format!("The branch was not switched: {error}."));
                false
            }
        }
    }
}

/// The message that shows another one: what a tool answered stands with the call it answers.
fn shown_by(tree: &MessageTree, mut message: MessageId) -> MessageId {
    while tree.message(&message).is_some_and(|found| found.role == Role::Tool) {
        match tree.parent(&message) {
            Some(Node::Message(parent)) => message = parent.clone(),
            Some(Node::Root) | None => break,
        }
    }
    message
}

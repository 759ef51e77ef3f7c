//! The pages that need not be there for a chat to begin. They may be chunks of WebAssembly of their own; which are is decided
//! where the page is linked, in `app/src/main.rs`.

mod lazy_answer;
mod lazy_attached;
mod lazy_calls;
mod lazy_layer;
mod lazy_page;
mod lazy_panel;
mod lazy_popup;

use leptos::prelude::*;

pub(crate) use self::lazy_answer::{AnswerIn, AnswerOf, LazyAnswer, LazyComing};
pub(crate) use self::lazy_attached::{AttachedTo, LazyAttached};
pub(crate) use self::lazy_calls::{CallsOf, LazyCalls};
pub(crate) use self::lazy_layer::{LazyLayer, When};
pub(crate) use self::lazy_page::LazyPage;
pub(crate) use self::lazy_panel::LazyPanel;
pub(crate) use self::lazy_popup::LazyPopup;
use super::answer::{ComingAnswer, StoredAnswer};
use super::attached::{AttachedFiles, AttachmentChips, MentionList};
use super::background::Background;
use super::chat::ChatPage;
use super::chat_export::ExportChat;
use super::examples::ExampleOffer;
use super::models::{ModelPicker, NoModel};
use super::palette::PaletteLayer;
use super::runs::RunsLayer;
use super::search::SearchLayer;
use super::servers::ServersPage;
use super::settings::SettingsPage;
use super::tool_call::CallsOfMessage;
use super::tools::ToolsPage;
use super::toolsets::{ToolsetPage, ToolsetsPage};
use super::whole_export::WholeChat;
use super::workspace::WorkspacePanel;
use super::wrench::WrenchPopover;
use crate::state::Place;
use crate::work::brought;
pub use crate::work::brought::NotArrived;
pub use crate::work::forking::Forking;

/// Draws a page.
pub type Draw = fn() -> AnyView;

/// Brings what a page is drawn by.
pub type Bring = brought::Bring<Draw>;

impl From<leptos::wasm_split::SplitLoaderError> for NotArrived {
    fn from(_said_in_the_console: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// How each of the pages is brought.
#[derive(Clone, Copy, Debug)]
pub struct Pages {
    /// The page of a chat that has begun.
    pub chat: Bring,
    /// The page of toolsets.
    pub toolsets: Bring,
    /// The page of one toolset.
    pub toolset: Bring,
    /// The page of MCP servers.
    pub servers: Bring,
    /// The page of tools.
    pub tools: Bring,
    /// The settings.
    pub settings: Bring,
    /// The pane of files.
    pub workspace: Bring,
    /// The running tools, over every page.
    pub runs: Bring,
    /// The examples, where a chat has not begun.
    pub examples: Bring,
    /// The calls of tools that a message asks for.
    pub calls: Bring,
    /// What an assistant says.
    pub answer: Bring,
    /// The answer that is coming.
    pub coming: Bring,
    /// The files that go along with what is written.
    pub attachments: Bring,
    /// The files of a message.
    pub attached: Bring,
    /// The files that can be named in a message.
    pub mentions: Bring,
    /// The palette of a composer.
    pub palette: Bring,
    /// What goes on behind every page.
    pub background: Bring,
    /// What forks a chat.
    pub forking: brought::Bring<Forking>,
    /// The choice of a model, under a composer.
    pub model_picker: Bring,
    /// What is said where there is no model yet.
    pub no_model: Bring,
    /// The popover of a composer's wrench.
    pub wrench: Bring,
    /// The box that finds anything.
    pub search: Bring,
    /// The export of a chat.
    pub export: Bring,
    /// What can be done with a chat as a whole.
    pub whole_chat: Bring,
}

impl Pages {
    /// How the page of a place is brought; none for what the app always holds.
    pub(crate) fn bring(self, place: Place) -> Option<Bring> {
        match place {
            Place::Toolsets => Some(self.toolsets),
            Place::Servers => Some(self.servers),
            Place::Tools => Some(self.tools),
            Place::Settings => Some(self.settings),
            Place::Chat | Place::Nowhere => None,
        }
    }
}

/// Draws the chat that the address names.
pub fn chat() -> AnyView {
    view! { <ChatPage /> }.into_any()
}

/// Draws the page of toolsets.
pub fn toolsets() -> AnyView {
    view! { <ToolsetsPage /> }.into_any()
}

/// Draws the page of one toolset.
pub fn toolset() -> AnyView {
    view! { <ToolsetPage /> }.into_any()
}

/// Draws the page of MCP servers.
pub fn servers() -> AnyView {
    view! { <ServersPage /> }.into_any()
}

/// Draws the page of tools.
pub fn tools() -> AnyView {
    view! { <ToolsPage /> }.into_any()
}

/// Draws the pane of files.
pub fn workspace() -> AnyView {
    view! { <WorkspacePanel /> }.into_any()
}

/// Draws the running tools.
pub fn runs() -> AnyView {
    view! { <RunsLayer /> }.into_any()
}

/// Draws the examples where a chat has not begun.
pub fn examples() -> AnyView {
    view! { <ExampleOffer /> }.into_any()
}

/// Draws the calls of a message, which is told by the context [`CallsOf`].
pub fn calls() -> AnyView {
    view! { <CallsOfMessage /> }.into_any()
}

/// Draws an answer, which is told by the context [`AnswerOf`].
pub fn answer() -> AnyView {
    view! { <StoredAnswer /> }.into_any()
}

/// Draws the answer that is coming in the chat that the context [`AnswerIn`] tells.
pub fn coming() -> AnyView {
    view! { <ComingAnswer /> }.into_any()
}

/// Draws the files that go along with what is written.
pub fn attachments() -> AnyView {
    view! { <AttachmentChips /> }.into_any()
}

/// Draws the files of the message that the context [`AttachedTo`] tells.
pub fn attached() -> AnyView {
    view! { <AttachedFiles /> }.into_any()
}

/// Draws the files that can be named.
pub fn mentions() -> AnyView {
    view! { <MentionList /> }.into_any()
}

/// Draws the palette.
pub fn palette() -> AnyView {
    view! { <PaletteLayer /> }.into_any()
}

/// Begins what goes on behind every page.
pub fn background() -> AnyView {
    view! { <Background /> }.into_any()
}

/// What forks a chat.
#[must_use]
pub fn forking() -> Forking {
    Forking::here()
}

/// Draws the choice of a model.
pub fn model_picker() -> AnyView {
    view! { <ModelPicker /> }.into_any()
}

/// Draws what is said where there is no model yet.
pub fn no_model() -> AnyView {
    view! { <NoModel /> }.into_any()
}

/// Draws the popover of the wrench.
pub fn wrench() -> AnyView {
    view! { <WrenchPopover /> }.into_any()
}

/// Draws the box that finds anything.
pub fn search() -> AnyView {
    view! { <SearchLayer /> }.into_any()
}

/// Exports the chat that is open.
pub fn export() -> AnyView {
    view! { <ExportChat /> }.into_any()
}

/// Draws what can be done with the chat that is open as a whole.
pub fn whole_chat() -> AnyView {
    view! { <WholeChat /> }.into_any()
}

/// Draws the settings.
pub fn settings() -> AnyView {
    view! { <SettingsPage /> }.into_any()
}

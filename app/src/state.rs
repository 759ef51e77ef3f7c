//! What the app knows while it runs, one typed context per noun.
//!
//! A context is made once, when the app is mounted, and lives as long as the tab; every one of them is `Copy`, so that
//! a component or a task takes what it needs. They hold signals and ask `work` for effects. They draw nothing and touch
//! no browser interface beyond starting work.

pub(crate) mod address;
pub(crate) mod answers;
pub(crate) mod attaching;
pub(crate) mod calls;
pub(crate) mod chats;
pub(crate) mod configuring;
pub(crate) mod connection;
pub(crate) mod draft;
pub(crate) mod endpoints;
pub(crate) mod examples;
pub(crate) mod files_pane;
pub(crate) mod mcp_servers;
pub(crate) mod mentions;
pub(crate) mod models;
pub(crate) mod notices;
pub(crate) mod opened_chat;
pub(crate) mod page_models;
pub(crate) mod palette;
pub(crate) mod panes;
pub(crate) mod place;
pub(crate) mod providers;
pub(crate) mod runs;
pub(crate) mod saved_toolsets;
pub(crate) mod search;
pub(crate) mod secrets;
pub(crate) mod selection;
pub(crate) mod settings;
pub(crate) mod storage;
pub(crate) mod suggested_call;
pub(crate) mod sync_status;
pub(crate) mod tools;
pub(crate) mod toolsets;
pub(crate) mod unsaved;
pub(crate) mod update;
pub(crate) mod workspace;

pub(crate) use address::Address;
pub(crate) use answers::{Answers, Coming, Ended};
pub(crate) use attaching::Attaching;
pub(crate) use calls::CallsHome;
pub(crate) use chats::Chats;
pub(crate) use configuring::Configuring;
pub(crate) use connection::Connection;
pub(crate) use draft::{ComposerDraft, Written};
pub(crate) use endpoints::Endpoints;
pub(crate) use examples::{ExampleList, Examples};
pub(crate) use files_pane::FilesPane;
pub(crate) use mcp_servers::McpServers;
pub(crate) use mentions::Mentions;
pub(crate) use models::Models;
pub(crate) use notices::{Notice, NoticeAction, NoticeKind, Notices};
pub(crate) use opened_chat::{Found, OpenedChat};
pub(crate) use page_models::{Arriving, PageModels};
pub(crate) use palette::Palette;
pub(crate) use panes::{OpenPanes, Pane, Panes};
pub(crate) use place::Place;
pub(crate) use providers::Providers;
pub(crate) use runs::{Run, Runs};
pub(crate) use saved_toolsets::SavedToolsets;
pub(crate) use search::Search;
pub(crate) use secrets::Secrets;
pub(crate) use selection::choosing::{Choosing, Selectable};
pub(crate) use selection::{ToolSelection, Wrench};
pub(crate) use settings::CurrentSettings;
pub(crate) use storage::Storage;
pub(crate) use suggested_call::{SuggestedCall, Suggestion};
pub(crate) use sync_status::SyncStatus;
pub(crate) use tools::{ToolGroup, Tools};
pub(crate) use toolsets::import::{Import, Importing, Step};
pub(crate) use toolsets::{ToolsetList, Toolsets};
pub(crate) use unsaved::Unsaved;
pub(crate) use update::Update;
pub(crate) use workspace::Workspace;

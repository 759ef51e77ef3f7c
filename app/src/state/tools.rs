//! The tools of this device, as the page of tools and the palette list them. Whoever shows them holds this for as long as that takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::{Get as _, GetUntracked as _, RwSignal, Set as _, expect_context};
use satchel_core::ids::ChatId;
use satchel_core::local_api::reading::{ToolItemRead, ToolMoreRead};
use serde_json::Value;

use super::{Chats, NoticeKind, Notices, OpenedChat, Runs, Storage, Toolsets, Unsaved, latest};
use crate::browser::spawn::spawn;
use crate::browser::{page, random};
use crate::work::local_api::LocalApiError;
use crate::work::tools::{self, Invocation};
use crate::work::toolsets;

/// The tools of one provider.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolGroup {
    /// What kind of provider it is.
    pub(crate) provider: Provider,
    /// What it is called.
    pub(crate) name: String,
    /// Its tools.
    pub(crate) tools: Vec<ToolItemRead>,
}

/// Who gives a tool, in the order in which they are listed (R177).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Provider {
    /// The app itself.
    BuiltIn,
    /// A toolset, by its id.
    Toolset(String),
    /// An MCP server, by its key.
    Server(String),
}

/// What is known of the tools.
#[derive(Clone, Debug)]
pub(crate) enum Listed {
    /// They were asked for.
    Asked,
    /// They are known.
    Known(Arc<Vec<ToolGroup>>),
    /// They could not be read.
    Unknown(String),
}

/// The context of the tools.
#[derive(Clone, Copy)]
pub(crate) struct Tools {
    listed: RwSignal<Listed>,
    storage: Storage,
    notices: Notices,
    toolsets: Toolsets,
}

impl Tools {
    /// Reads the tools, now and whenever a toolset has changed, for as long as its owner lives.
    pub(crate) fn follow() -> Self {
        let (storage, notices, toolsets) = (Storage::expect(), Notices::expect(), Toolsets::expect());
        let this = Self { listed: RwSignal::new(Listed::Asked), storage, notices, toolsets };
        let ask = move || {
            toolsets.changes();
            this.read()
        };
        latest::follow(ask, move |read| {
            this.listed.set(match read {
                Ok(groups) => Listed::Known(Arc::new(groups)),
                Err(error) => Listed::Unknown(error.to_string()),
            });
        });
        this
    }

    /// The context given by whoever shows them.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What is known of them.
    pub(crate) fn listed(self) -> Listed {
        self.listed.get()
    }

    /// What is known of them, for who asks once.
    pub(crate) fn listed_untracked(self) -> Listed {
        self.listed.get_untracked()
    }

    /// The groups, as far as they are known.
    pub(crate) fn groups(self) -> Arc<Vec<ToolGroup>> {
        match self.listed.get() {
            Listed::Known(groups) => groups,
            Listed::Asked | Listed::Unknown(_) => Arc::default(),
        }
    }

    /// Those that fit what is typed, the best first.
    pub(crate) async fn search(self, typed: &str) -> Result<Vec<ToolItemRead>, LocalApiError> {
        tools::search(&self.storage.store(), typed).await
    }

    /// All there is to know of one.
    pub(crate) async fn details(self, id: &str) -> Result<(ToolItemRead, ToolMoreRead), LocalApiError> {
        tools::details(&self.storage.store(), id).await
    }

    /// Moves the switch of one.
    pub(crate) fn enable(self, tool: &ToolItemRead, enabled: bool) {
        let toolset = tool.toolset_id.clone().unwrap_or_else(|| "builtin".into());
        let id = tool.tool_id.clone();
        spawn(async move {
            if let Err(error) = tools::enable(&self.storage.store(), &toolset, &id, enabled).await {
                self.notices.show(NoticeKind::Error, format!("The tool was not switched on or off: {error}."));
            }
            self.toolsets.changed();
        });
    }

    async fn read(self) -> Result<Vec<ToolGroup>, LocalApiError> {
        let store = self.storage.store();
        let names: BTreeMap<String, String> =
            toolsets::list(&store).await?.toolsets.into_iter().map(|toolset| (toolset.id, toolset.name)).collect();
        Ok(grouped(tools::list(&store).await?, &names))
    }
}

/// Calls tools in the chat that is open, or in one that begins with the call.
#[derive(Clone, Copy)]
pub(crate) struct Invoker {
    opened: OpenedChat,
    chats: Chats,
    runs: Runs,
    unsaved: Unsaved,
    storage: Storage,
    notices: Notices,
}

/// The one for the page that is shown.
pub(crate) fn invoke_in_chat() -> Invoker {
    Invoker {
        opened: OpenedChat::expect(),
        chats: Chats::expect(),
        runs: Runs::expect(),
        unsaved: Unsaved::expect(),
        storage: Storage::expect(),
        notices: Notices::expect(),
    }
}

impl Invoker {
    /// Calls a tool, once what stands in the editor is saved. What comes of it is in the chat.
    pub(crate) fn run(self, tool: &ToolItemRead, arguments: Value) {
        let tool = tool.clone();
        self.unsaved.after_saving(move || {
            spawn(async move {
                let open = self.opened.open_untracked();
                if open.as_ref().is_some_and(|open| self.runs.answers_soon(open)) {
                    let words = "A tool is already running here. Call this one when it is done, or stop it.";
                    self.notices.show(NoticeKind::Warning, words);
                    return;
                }
                let begins = open.is_none();
                let chat = open.map_or_else(random::chat_id, |open| open.chat.id);
                if begins {
                    let id = chat.clone();
                    self.runs.when_begun(chat.to_string(), move || self.show(id));
                }
                let call = Invocation::of(&tool, arguments, Some(chat.clone()));
                let invoked = tools::invoke(&self.storage.store(), &call).await;
                self.runs.await_no_more(&chat);
                // A call that was made and failed is in the chat, with its reason.
                let is_made = tools::call_row(&self.storage.store(), &call.call_id).await.is_some();
                match invoked {
                    Err(error) if !is_made => {
                        self.notices.show(NoticeKind::Error, format!("{} was not called: {error}.", tool.name));
                    }
                    Ok(()) | Err(_) => self.show_if_new(begins, chat).await,
                }
            });
        });
    }

    async fn show_if_new(self, begins: bool, chat: ChatId) {
        self.chats.changed().await;
        // The user may have gone elsewhere while it ran; then the chat is in the list.
        if begins && self.opened.is_at_new() {
            self.opened.go_to(chat.as_str());
            // The composer of a new chat went with its page.
            page::focus_when_drawn("chat-input").await;
        }
    }

    fn show(self, chat: ChatId) {
        spawn(self.show_if_new(true, chat));
    }
}

/// Groups tools by who gives them; groups and tools are in the order of their names.
fn grouped(tools: Vec<ToolItemRead>, names: &BTreeMap<String, String>) -> Vec<ToolGroup> {
    let mut groups: BTreeMap<(Provider, String), Vec<ToolItemRead>> = BTreeMap::new();
    for tool in tools {
        let provider = provider_of(&tool);
        let name = match &provider {
            Provider::BuiltIn => "Built in".to_owned(),
            Provider::Toolset(id) => names.get(id).unwrap_or(id).clone(),
            // A server by itself has one name (C10).
            Provider::Server(key) => match key.split_once('~') {
                Some((toolset, server)) if toolset == server => {
                    names.get(toolset).cloned().unwrap_or(server.to_owned())
                }
                Some(_) | None => key.clone(),
            },
        };
        groups.entry((provider, name)).or_default().push(tool);
    }
    let group = |((provider, name), mut tools): ((Provider, String), Vec<ToolItemRead>)| {
        tools.sort_by_cached_key(|tool| tool.name.to_lowercase());
        ToolGroup { provider, name, tools }
    };
    let mut groups: Vec<ToolGroup> = groups.into_iter().map(group).collect();
    groups.sort_by_cached_key(|group| (rank(&group.provider), group.name.to_lowercase()));
    groups
}

fn provider_of(tool: &ToolItemRead) -> Provider {
    if let Some(rest) = tool.tool_id.strip_prefix("mcp:") {
        return Provider::Server(rest.split(':').next().unwrap_or(rest).to_owned());
    }
    match &tool.toolset_id {
        Some(id) if id != "builtin" => Provider::Toolset(id.clone()),
        Some(_) | None => Provider::BuiltIn,
    }
}

fn rank(provider: &Provider) -> u8 {
    match provider {
        Provider::BuiltIn => 0,
        Provider::Toolset(_) => 1,
        Provider::Server(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn tool(id: &str, toolset: Option<&str>) -> ToolItemRead {
        let json = serde_json::json!({
            "tool_id": id, "toolset_id": toolset, "slug": id, "version": "1", "name": id, "description": "", "type": "python",
            "input_schema": null, "requires_confirmation": false, "enabled": true, "renderer": null,
        });
        serde_json::from_value(json).expect("is a tool")
    }

    /// R177: built-ins, then toolsets by name, then servers.
    #[wasm_bindgen_test]
    fn tools_are_grouped_by_who_gives_them() {
        let tools = vec![
            tool("mcp:a~b:list", Some("a")),
            tool("zoo:run", Some("zoo")),
            tool("zoo:Add", Some("zoo")),
            tool("ant:run", Some("ant")),
            tool("write_file", Some("builtin")),
            tool("read_file", None),
        ];
        let names = BTreeMap::from([("ant".to_owned(), "Zz".to_owned()), ("zoo".to_owned(), "Aa".to_owned())]);
        let drawn: Vec<(String, Vec<String>)> = grouped(tools, &names)
            .into_iter()
            .map(|group| (group.name, group.tools.into_iter().map(|tool| tool.tool_id).collect()))
            .collect();
        let expected = [
            ("Built in", vec!["read_file", "write_file"]),
            ("Aa", vec!["zoo:Add", "zoo:run"]),
            ("Zz", vec!["ant:run"]),
            ("a~b", vec!["mcp:a~b:list"]),
        ];
        let expected = expected.map(|(name, ids)| (name.to_owned(), ids.into_iter().map(str::to_owned).collect()));
        assert_eq!(drawn, expected);
    }
}

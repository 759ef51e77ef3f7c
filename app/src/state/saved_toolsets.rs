//! The saved toolsets, as a screen shows them: for the chat that is open, or for the next one. Whoever shows them holds this for as long as
//! that takes.

use leptos::prelude::{Get as _, GetUntracked as _, RwSignal, Set as _, Signal, expect_context};
use satchel_core::local_api::reading::{AvailableRead, EquippedRead, SavedListRead, SavedRead};

use super::{Chats, NoticeKind, Notices, OpenedChat, Storage, Toolsets, latest};
use crate::browser::spawn::spawn;
use crate::work::local_api::LocalApiError;
use crate::work::saved_toolsets as saved;

/// The context of the saved toolsets.
#[derive(Clone, Copy)]
pub(crate) struct SavedToolsets {
    list: RwSignal<Option<Result<SavedListRead, String>>>,
    available: RwSignal<AvailableRead>,
    /// What was said when one was last equipped here (R155).
    warnings: RwSignal<Vec<String>>,
    /// The chat that they are equipped for; none for the next one.
    chat: Signal<Option<String>>,
    toolsets: Toolsets,
    chats: Chats,
    storage: Storage,
    notices: Notices,
}

impl SavedToolsets {
    /// Those of a chat, as the popover of its composer shows them.
    pub(crate) fn of_opened(opened: OpenedChat) -> Self {
        let this = Self::new(Signal::derive(move || opened.wanted()));
        this.follow();
        this
    }

    /// Those of the next chat, with all that can be chosen, as their page shows them.
    pub(crate) fn of_next() -> Self {
        let this = Self::new(Signal::derive(|| None));
        this.follow();
        let ask = move || {
            this.toolsets.changes();
            async move { saved::available(&this.storage.store()).await }
        };
        latest::follow(ask, move |found| {
            if let Ok(found) = found {
                this.available.set(found);
            }
        });
        this
    }

    fn new(chat: Signal<Option<String>>) -> Self {
        Self {
            list: RwSignal::new(None),
            available: RwSignal::new(AvailableRead::default()),
            warnings: RwSignal::new(Vec::new()),
            chat,
            toolsets: Toolsets::expect(),
            chats: Chats::expect(),
            storage: Storage::expect(),
            notices: Notices::expect(),
        }
    }

    fn follow(self) {
        let ask = move || {
            self.toolsets.changes();
            self.chats.changes();
            let chat = self.chat.get();
            async move { saved::list(&self.storage.store(), chat.as_deref()).await }
        };
        latest::follow(ask, move |found| self.list.set(Some(found.map_err(|error| error.to_string()))));
    }

    /// The context given by whoever shows them.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What is known of them; nothing before they were read.
    pub(crate) fn list(self) -> Option<Result<SavedListRead, String>> {
        self.list.get()
    }

    /// All that can be chosen.
    pub(crate) fn available(self) -> AvailableRead {
        self.available.get()
    }

    /// What was said when one was last equipped here.
    pub(crate) fn warnings(self) -> Vec<String> {
        self.warnings.get()
    }

    /// Builds one; whether it is there.
    pub(crate) async fn build(self, name: String, description: String, tools: Vec<String>) -> Result<(), String> {
        let built = saved::build(&self.storage.store(), name.trim(), &description, &tools).await;
        self.changed().await;
        built.map(drop).map_err(|error| error.to_string())
    }

    /// Builds one of tools that are known by their ids here.
    pub(crate) async fn build_of(self, name: String, ids: Vec<String>) -> Result<(), String> {
        let available = saved::available(&self.storage.store()).await.map_err(|error| error.to_string())?;
        let tools = available.tools_by_server.into_iter().flat_map(|server| server.tools);
        let named = tools.filter(|tool| ids.contains(&tool.tool_id)).map(|tool| tool.namespaced_name);
        self.build(name, String::new(), named.collect()).await
    }

    /// Equips one, and shows what has to be said about it.
    pub(crate) fn equip(self, name: String) {
        self.settle("The saved toolset was not equipped", async move |this: Self| {
            let chat = this.chat.get_untracked();
            let EquippedRead { warnings, errors } = saved::equip(&this.storage.store(), chat.as_deref(), &name).await?;
            this.warnings.try_set(warnings.into_iter().chain(errors).collect());
            this.notices.announce(format!("{name} is equipped."));
            Ok(())
        });
    }

    /// Takes the limit away.
    pub(crate) fn unequip(self) {
        self.warnings.set(Vec::new());
        self.settle("The saved toolset was not unequipped", async move |this: Self| {
            let chat = this.chat.get_untracked();
            saved::unequip(&this.storage.store(), chat.as_deref()).await
        });
    }

    /// Allows references that fit only half, or forbids them again.
    pub(crate) fn allow_stale_refs(self, name: String, allowed: bool) {
        self.settle("The saved toolset was not changed", async move |this: Self| {
            saved::allow_stale_refs(&this.storage.store(), &name, allowed).await
        });
    }

    /// Takes the tools of one for what they are now.
    pub(crate) fn renew(self, name: String) {
        self.settle("The saved toolset was not changed", async move |this: Self| {
            saved::renew(&this.storage.store(), &name).await
        });
    }

    /// Takes a tool out of one.
    pub(crate) fn remove_tool(self, toolset: &SavedRead, at: usize) {
        let mut left = toolset.clone();
        left.tools.remove(at);
        self.settle("The tool was not removed", async move |this: Self| {
            saved::edit(&this.storage.store(), &left, &[]).await
        });
    }

    /// Puts tools into one, by their names; why they are not in it.
    pub(crate) async fn add_tools(
        self,
        toolset: &SavedRead,
        names: impl IntoIterator<Item = String>,
    ) -> Result<(), String> {
        let names: Vec<String> = names.into_iter().collect();
        let added = saved::edit(&self.storage.store(), toolset, &names).await;
        self.changed().await;
        added.map_err(|error| error.to_string())
    }

    /// Notes something about a tool.
    pub(crate) fn annotate(self, name: String, tool: String, note: String) {
        self.settle("The note was not saved", async move |this: Self| {
            saved::annotate(&this.storage.store(), &name, &tool, &note).await
        });
    }

    /// Deletes one.
    pub(crate) fn delete(self, name: String) {
        self.settle("The saved toolset was not deleted", async move |this: Self| {
            saved::delete(&this.storage.store(), &name).await
        });
    }

    /// Generates one of all that can be used.
    pub(crate) fn generate(self) {
        self.settle("The saved toolset was not generated", async move |this: Self| {
            saved::generate(&this.storage.store()).await
        });
    }

    /// Takes in a file of hypertool's.
    pub(crate) fn import(self, text: String) {
        self.settle("The file was not imported", async move |this: Self| {
            let imported = saved::import(&this.storage.store(), &text).await?;
            let words = match imported.imported.as_slice() {
                [] => "Nothing was imported.".to_owned(),
                names => format!("Imported: {}.", names.join(", ")),
            };
            let kind = if imported.remarks.is_empty() { NoticeKind::Success } else { NoticeKind::Info };
            this.notices.show(kind, [vec![words], imported.remarks].concat().join(" "));
            Ok(())
        });
    }

    /// The tools that the server was told of for other programs, each with who carries out its calls; or why that is not known.
    pub(crate) async fn published(self) -> Result<Vec<(String, String)>, String> {
        saved::published(&self.storage.store()).await.map_err(|error| error.to_string())
    }

    /// Saves one, or all, as a file.
    pub(crate) fn export(self, name: Option<String>) {
        self.settle("The saved toolset was not exported", async move |this: Self| {
            saved::export(&this.storage.store(), name.as_deref()).await
        });
    }

    fn settle(self, otherwise: &'static str, doing: impl AsyncFnOnce(Self) -> Result<(), LocalApiError> + 'static) {
        spawn(async move {
            if let Err(error) = doing(self).await {
                self.notices.show(NoticeKind::Error, format!("{otherwise}: {error}."));
            }
            self.changed().await;
        });
    }

    async fn changed(self) {
        self.toolsets.changed();
        self.chats.changed().await;
    }
}

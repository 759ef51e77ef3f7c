//! The toolsets of this device, and what can be done to them. How one comes in is in [`import`].

pub(crate) mod import;

use leptos::prelude::{Callback, Get, RwSignal, Set, Update as _, With as _, expect_context};
use satchel_core::digest::BlobId;
use satchel_core::local_api::reading::{DetailsRead, ToolsetRead, ToolsetsRead};

use super::{NoticeAction, NoticeKind, Notices, Storage, latest};
use crate::browser::spawn::spawn;
use crate::work::local_api::LocalApiError;
use crate::work::toolsets::{self, FileText};
use crate::work::{mcp, tools};

/// What is known of the list.
#[derive(Clone)]
pub(crate) enum ToolsetList {
    /// It was asked for.
    Asked,
    /// It is known.
    Known(ToolsetsRead),
    /// It could not be read.
    Unknown(String),
}

/// The context of the toolsets.
#[derive(Clone, Copy)]
pub(crate) struct Toolsets {
    list: RwSignal<ToolsetList>,
    /// Counts the changes; whoever shows a toolset reads it again when this moves.
    changes: RwSignal<u32>,
    storage: Storage,
    notices: Notices,
}

impl Toolsets {
    /// Starts with nothing: the list is read when a page first shows it.
    pub(crate) fn new(storage: Storage, notices: Notices) -> Self {
        let (list, changes) = (RwSignal::new(ToolsetList::Asked), RwSignal::new(0));
        let toolsets = Self { list, changes, storage, notices };
        toolsets::on_news(move || toolsets.changed());
        // What can be used of them depends on how their servers are doing.
        mcp::on_news(move || toolsets.changed());
        toolsets
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What is known of the list.
    pub(crate) fn list(self) -> ToolsetList {
        self.list.get()
    }

    /// Whether at least one is installed beside the one that is built in, or may be.
    pub(crate) fn has_some(self) -> bool {
        self.list.with(|list| match list {
            ToolsetList::Asked | ToolsetList::Unknown(_) => true,
            ToolsetList::Known(list) => list.toolsets.iter().any(|toolset| !toolset.is_built_in()),
        })
    }

    /// Moves whenever a toolset has changed.
    pub(crate) fn changes(self) -> u32 {
        self.changes.get()
    }

    /// Something has changed: whoever shows toolsets reads them again.
    pub(crate) fn changed(self) {
        self.changes.update(|changes| *changes += 1);
    }

    /// Reads the list, now and whenever something has changed, for as long as the page that asks is shown.
    pub(crate) fn keep_reading(self) {
        let ask = move || {
            self.changes();
            async move { toolsets::list(&self.storage.store()).await }
        };
        latest::follow(ask, move |read| {
            self.list.set(match read {
                Ok(list) => ToolsetList::Known(list),
                Err(error) => ToolsetList::Unknown(error.to_string()),
            });
        });
    }

    /// Reads all there is to know about one.
    pub(crate) async fn details(self, id: String) -> Result<DetailsRead, LocalApiError> {
        toolsets::details(&self.storage.store(), &id).await
    }

    /// Reads a file of one; an error comes as a sentence.
    pub(crate) async fn file(self, sha256: BlobId) -> Result<FileText, String> {
        toolsets::file(&self.storage.store(), sha256).await.map_err(|error| error.to_string())
    }

    /// Moves the master switch of one.
    pub(crate) fn enable(self, id: String, enabled: bool) {
        spawn(async move {
            let done = toolsets::enable(&self.storage.store(), &id, enabled).await;
            self.settle("The toolset was not switched on or off", done);
        });
    }

    /// Settles what another device made of one while both were apart.
    pub(crate) fn settle_apart(self, id: String, package: String, choice: &'static str) {
        spawn(async move {
            let done = toolsets::settle_apart(&self.storage.store(), &id, &package, choice).await;
            self.settle("The toolset was not changed", done);
        });
    }

    /// Takes back that its tools may reach a host.
    pub(crate) fn withdraw_host(self, id: String, host: String) {
        spawn(async move {
            let done = toolsets::withdraw_host(&self.storage.store(), &id, &host).await;
            self.settle("The permission was not withdrawn", done);
        });
    }

    /// Has a tool ask again.
    pub(crate) fn forget_approvals(self, id: String, tool_id: String) {
        spawn(async move {
            let done = toolsets::forget_approvals(&self.storage.store(), &id, &tool_id).await;
            self.settle("The tool was not changed", done);
        });
    }

    /// Takes a tool for what it is now (C14).
    pub(crate) fn approve_tool(self, tool_id: String) {
        spawn(async move {
            let done = tools::approve(&self.storage.store(), &tool_id).await;
            self.settle("The tool was not approved", done);
        });
    }

    /// Saves one as a ZIP.
    pub(crate) fn export(self, id: String, version: String) {
        spawn(async move {
            match toolsets::export(&self.storage.store(), &id, &version).await {
                Ok(()) => self.notices.announce(format!("{id}-v{version}.zip was saved.")),
                Err(error) => self.complain("The toolset was not exported", &error),
            }
        });
    }

    /// Makes a copy of what is built in, to be changed.
    pub(crate) fn duplicate(self, id: String) {
        spawn(async move {
            let made = toolsets::duplicate(&self.storage.store(), &id).await;
            if let Ok(copy) = &made {
                self.notices.announce(format!("{copy} is now your own copy."));
            }
            self.settle("The toolset was not duplicated", made.map(|_id| ()));
        });
    }

    /// Uninstalls one and offers to bring it back.
    pub(crate) fn uninstall(self, toolset: &ToolsetRead) {
        let (id, name) = (toolset.id.clone(), toolset.name.clone());
        spawn(async move {
            let done = toolsets::uninstall(&self.storage.store(), &id).await;
            if done.is_ok() {
                let text = format!("{name} was uninstalled. You can restore it for two days.");
                let undo = NoticeAction { label: "Undo", run: Callback::new(move |()| self.restore(id.clone())) };
                self.notices.offer(NoticeKind::Info, text, undo);
            }
            self.settle("The toolset was not uninstalled", done);
        });
    }

    /// Brings an uninstalled one back.
    pub(crate) fn restore(self, id: String) {
        spawn(async move {
            let done = toolsets::restore(&self.storage.store(), &id).await;
            self.settle("The toolset was not restored", done);
        });
    }

    /// Says what went wrong, and shows what is true now.
    fn settle(self, what: &str, done: Result<(), LocalApiError>) {
        if let Err(error) = done {
            self.complain(what, &error);
            // What is drawn may show what was wished for; it is drawn anew.
            self.list.set(ToolsetList::Asked);
        }
        self.changed();
    }

    fn complain(self, what: &str, error: &LocalApiError) {
        self.notices.show(NoticeKind::Error, format!("{what}: {error}."));
    }
}

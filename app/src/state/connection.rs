//! Whether there is a network, and how things stand with the server.

use leptos::prelude::{
    Get, GetUntracked, RwSignal, Set, StoredValue, Update as _, UpdateUntracked, UpdateValue as _, With,
    WithUntracked as _, expect_context,
};

use satchel_core::protocol::Capability;

use super::{NoticeKind, Notices, Storage, Toolsets};
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::work::server::{self, ServerError, ServerStatus};
use crate::work::{local_api, mcp, sync};

/// The context of the connection.
#[derive(Clone, Copy)]
pub(crate) struct Connection {
    online: RwSignal<bool>,
    server: RwSignal<ServerStatus>,
    /// Counts what was learned of the server, so that a slow answer is known to be old.
    answers: RwSignal<u32>,
    /// The token that came with the address, until it has been tried.
    token: StoredValue<Option<String>>,
    /// Whether anything was learned of the server yet.
    heard: RwSignal<bool>,
    storage: Storage,
    notices: Notices,
    /// Which of them can be used depends on the server.
    toolsets: Toolsets,
}

impl Connection {
    /// Nothing is known of the server yet. `token` came with the address of the page.
    pub(crate) fn new(token: Option<String>, storage: Storage, notices: Notices, toolsets: Toolsets) -> Self {
        Self {
            online: RwSignal::new(page::is_online()),
            server: RwSignal::new(ServerStatus::NotConnected),
            answers: RwSignal::new(0),
            token: StoredValue::new(token),
            heard: RwSignal::new(false),
            storage,
            notices,
            toolsets,
        }
    }

    /// Starts watching the network, and asks the server how things stand. A token that came with the address of the
    /// page is tried on the server the page came from.
    pub(crate) fn watch(self) {
        page::on_online_change(move |online| {
            self.online.set(online);
            self.check();
        });
        match self.token.try_update_value(Option::take).flatten() {
            Some(token) => self.connect(page::origin(), token, move |error| {
                self.notices
                    .show(NoticeKind::Error, format!("The access token in the address was not accepted: {error}."));
                self.check();
            }),
            None => self.check(),
        }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// How things stand with the server.
    pub(crate) fn server(self) -> ServerStatus {
        self.server.get()
    }

    /// The same, for who only looks.
    pub(crate) fn server_untracked(self) -> ServerStatus {
        self.server.get_untracked()
    }

    /// The same, once it is known: before the first answer there is nothing to be told.
    pub(crate) fn heard(self) -> Option<ServerStatus> {
        self.heard.get().then(|| self.server.get())
    }

    /// Asks the server again how things stand. An answer that was overtaken by a newer one does not count.
    pub(crate) fn check(self) {
        spawn(self.refresh());
    }

    /// The same, for who waits for the answer.
    pub(crate) async fn refresh(self) {
        let asked = self.next_answer();
        let status = server::check(self.storage.store()).await;
        if self.answers.get_untracked() == asked {
            self.learn(status);
        }
    }

    fn next_answer(self) -> u32 {
        self.answers.update_untracked(|answers| *answers += 1);
        self.answers.get_untracked()
    }

    fn set_server(self, status: ServerStatus) {
        self.next_answer();
        self.learn(status);
    }

    fn learn(self, status: ServerStatus) {
        local_api::set_capabilities(match &status {
            ServerStatus::Connected(policy) => policy.capabilities.clone(),
            ServerStatus::NotConnected
            | ServerStatus::TokenRefused
            | ServerStatus::Unreachable
            | ServerStatus::Trouble(_) => Vec::new(),
        });
        if let ServerStatus::Connected(policy) = &status
            && policy.capabilities.contains(&Capability::Mcp)
            && self.storage.is_kept()
        {
            mcp::follow();
        }
        if let ServerStatus::Connected(policy) = &status
            && policy.capabilities.contains(&Capability::Sync)
            && self.storage.is_kept()
        {
            // What was not possible before may be now.
            let store = self.storage.store();
            spawn(async {
                sync::follow(store).await;
            });
        }
        // What is no news draws nothing again: a form that stands on it would be emptied while somebody types.
        if self.server.with_untracked(|known| *known != status) {
            self.server.set(status);
            self.toolsets.changed();
        }
        if !self.heard.get_untracked() {
            self.heard.set(true);
        }
    }

    /// Tries a token on a server and keeps both if it is accepted.
    pub(crate) fn connect(self, address: String, token: String, on_failure: impl FnOnce(ServerError) + 'static) {
        spawn(async move {
            match server::connect(self.storage.store(), address, token).await {
                Ok(policy) => {
                    self.notices
                        .show(NoticeKind::Success, format!("Connected to the server as {}.", policy.account.name));
                    self.set_server(ServerStatus::Connected(policy));
                }
                Err(error) => on_failure(error),
            }
        });
    }

    /// Forgets the server.
    pub(crate) fn disconnect(self) {
        spawn(async move {
            match server::disconnect(self.storage.store()).await {
                Ok(()) => {
                    self.set_server(ServerStatus::NotConnected);
                    self.notices
                        .show(NoticeKind::Success, "Disconnected. This device has forgotten the server and its token.");
                }
                Err(error) => self.notices.show(NoticeKind::Error, format!("The server was not forgotten: {error}.")),
            }
        });
    }

    /// Writes the address of the server, or the one to propose, where a form shows it.
    pub(crate) fn address_into(self, field: RwSignal<String>) {
        spawn(async move {
            let address = server::address(self.storage.store()).await.unwrap_or_else(|_unreadable| page::origin());
            // The form may be gone again, and what was typed meanwhile goes before.
            field.try_update(|text| {
                if text.is_empty() {
                    *text = address;
                }
            });
        });
    }

    /// What to say when something cannot be reached: nothing while all is well, or while no server was ever connected.
    pub(crate) fn trouble(self) -> Option<&'static str> {
        if !self.online.get() {
            return Some("Offline");
        }
        self.server.with(|status| matches!(status, ServerStatus::Unreachable).then_some("Server unreachable"))
    }
}

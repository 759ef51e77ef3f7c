//! The providers that the server reaches, as their settings show them.

use leptos::prelude::{Effect, Get as _, RwSignal, Set as _, Signal, expect_context};
use satchel_core::protocol::{
    Capability, ModelSummary, ProviderName, ProviderSettings, ProviderSummary, SecretName, SecretValue,
};

use super::{Connection, Models, NoticeKind, Notices, Storage};
use crate::browser::spawn::spawn;
use crate::work::models::providers;
use crate::work::secrets;
use crate::work::server::{ServerError, ServerStatus};

/// The context of the providers.
#[derive(Clone, Copy)]
pub(crate) struct Providers {
    /// Those that the account can use, once they were read.
    pub(crate) list: RwSignal<Option<Result<Vec<ProviderSummary>, String>>>,
    /// The one whose form is open.
    pub(crate) editing: RwSignal<Option<ProviderName>>,
    /// Whether the form of a new one is open.
    pub(crate) adding: RwSignal<bool>,
    connection: Connection,
    models: Models,
    storage: Storage,
    notices: Notices,
}

impl Providers {
    /// Reads them, and again whenever the server comes.
    pub(crate) fn load() -> Self {
        let providers = Self {
            list: RwSignal::new(None),
            editing: RwSignal::new(None),
            adding: RwSignal::new(false),
            connection: Connection::expect(),
            models: Models::expect(),
            storage: Storage::expect(),
            notices: Notices::expect(),
        };
        let is_there = providers.is_there();
        Effect::new(move |_| {
            if is_there.get() {
                providers.read();
            }
        });
        providers
    }

    /// The context given by the section.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Whether a server is connected that reaches models.
    pub(crate) fn is_there(self) -> Signal<bool> {
        Signal::derive(move || match self.connection.server() {
            ServerStatus::Connected(policy) => policy.capabilities.contains(&Capability::Models),
            ServerStatus::NotConnected
            | ServerStatus::TokenRefused
            | ServerStatus::Unreachable
            | ServerStatus::Trouble(_) => false,
        })
    }

    /// Closes the form.
    pub(crate) fn close(self) {
        self.editing.set(None);
        self.adding.set(false);
    }

    /// Keeps a provider, and its key in the vault where one was typed, and closes the form; or says why not.
    pub(crate) fn keep(
        self,
        name: ProviderName,
        settings: ProviderSettings,
        key: Option<(SecretName, SecretValue)>,
        on_failure: impl FnOnce(ServerError) + 'static,
    ) {
        spawn(async move {
            let store = self.storage.store();
            // The provider first: if its address is refused, no key is left behind for nothing.
            let mut kept = providers::put(&store, &name, &settings).await;
            if let (Ok(()), Some((secret, value))) = (&kept, key) {
                kept = secrets::put_in_vault(&store, &secret, value).await;
            }
            match kept {
                Ok(()) => {
                    self.close();
                    self.notices.show(NoticeKind::Success, format!("The provider {name} was saved."));
                }
                Err(error) => on_failure(error),
            }
            self.changed();
        });
    }

    /// Removes a provider; the secret that it used stays in the vault.
    pub(crate) fn remove(self, name: ProviderName) {
        spawn(async move {
            match providers::delete(&self.storage.store(), &name).await {
                Ok(()) => self.notices.show(NoticeKind::Success, format!("The provider {name} was removed.")),
                Err(error) => self.notices.show(NoticeKind::Error, format!("{name} was not removed: {error}.")),
            }
            self.changed();
        });
    }

    /// Asks a provider for its models.
    pub(crate) fn ask(self, name: ProviderName, then: impl FnOnce(Result<Vec<ModelSummary>, String>) + 'static) {
        spawn(async move {
            let answer = providers::models(&self.storage.store(), &name).await;
            then(answer.map_err(|error| error.to_string()));
        });
    }

    /// Something of them was changed: reads them again, and the models with them.
    pub(crate) fn changed(self) {
        self.read();
        // What the server says of secrets is part of how things stand with it.
        self.connection.check();
        self.models.read();
    }

    fn read(self) {
        spawn(async move {
            let found = providers::list(&self.storage.store()).await.map_err(|error| error.to_string());
            // Nobody waits for it if the user has left the page meanwhile.
            self.list.try_set(Some(found));
        });
    }
}

//! Secrets and variables, as their settings show them (C38). Values go in; nothing here holds one longer than it takes.

use leptos::prelude::{Effect, RwSignal, Set as _, expect_context};
use satchel_core::catalog::{SecretPlace, SecretStanding, SecretWant, secret_standings};
use satchel_core::protocol::{SecretName, SecretValue};

use super::{Connection, NoticeKind, Notices, Providers, Storage, Toolsets};
use crate::browser::spawn::spawn;
use crate::work::models::providers;
use crate::work::secrets::{self, Keeper, SecretsError};
use crate::work::server::ServerStatus;
use crate::work::toolsets;

/// The context of the secrets.
#[derive(Clone, Copy)]
pub(crate) struct Secrets {
    /// What is kept and what is wanted, once it was read.
    pub(crate) list: RwSignal<Option<Result<Vec<SecretStanding>, String>>>,
    connection: Connection,
    providers: Providers,
    toolsets: Toolsets,
    storage: Storage,
    notices: Notices,
}

impl Secrets {
    /// Reads them, and again whenever the server comes or goes, or a toolset that may want some.
    pub(crate) fn load() -> Self {
        let secrets = Self {
            list: RwSignal::new(None),
            connection: Connection::expect(),
            providers: Providers::expect(),
            toolsets: Toolsets::expect(),
            storage: Storage::expect(),
            notices: Notices::expect(),
        };
        Effect::new(move |_| {
            secrets.is_connected();
            secrets.toolsets.changes();
            secrets.read();
        });
        secrets
    }

    /// The context given by the section.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Whether a server keeps them.
    pub(crate) fn is_connected(self) -> bool {
        matches!(self.connection.server(), ServerStatus::Connected(_))
    }

    /// Keeps a secret where secrets are kept now; or says why not.
    pub(crate) fn keep(self, name: SecretName, value: SecretValue, on_failure: impl FnOnce(String) + 'static) {
        spawn(async move {
            match secrets::keep(&self.storage.store(), self.keeper(), &name, value).await {
                Ok(()) => {
                    self.notices.show(NoticeKind::Success, format!("{name} was saved."));
                    self.changed();
                }
                Err(error) => on_failure(error.to_string()),
            }
        });
    }

    /// Removes a secret from where it is.
    pub(crate) fn remove(self, name: SecretName, place: SecretPlace) {
        self.settle(format!("{name} was removed."), async move {
            secrets::remove(&self.storage.store(), &name, place).await
        });
    }

    /// Hands a secret of this device over to the server's vault.
    pub(crate) fn move_to_vault(self, name: SecretName) {
        self.settle(format!("{name} is now in your server's vault."), async move {
            secrets::move_to_vault(&self.storage.store(), &name).await
        });
    }

    fn settle(self, words: String, doing: impl Future<Output = Result<(), SecretsError>> + 'static) {
        spawn(async move {
            match doing.await {
                Ok(()) => self.notices.show(NoticeKind::Success, words),
                Err(error) => self.notices.show(NoticeKind::Error, format!("Nothing was changed: {error}.")),
            }
            self.changed();
        });
    }

    fn keeper(self) -> Keeper {
        match self.connection.server_untracked() {
            ServerStatus::Connected(_) => Keeper::Server,
            ServerStatus::NotConnected
            | ServerStatus::TokenRefused
            | ServerStatus::Unreachable
            | ServerStatus::Trouble(_) => Keeper::Device,
        }
    }

    fn changed(self) {
        self.read();
        // Providers may have their key now.
        self.providers.changed();
        spawn(async move {
            // Whether a toolset can be used follows from what the server says.
            self.connection.refresh().await;
            self.toolsets.changed();
        });
    }

    fn read(self) {
        spawn(async move {
            let found = self.standings().await.map_err(|error| error.to_string());
            // Nobody waits for it if the user has left the page meanwhile.
            self.list.try_set(Some(found));
        });
    }

    async fn standings(self) -> Result<Vec<SecretStanding>, SecretsError> {
        let store = self.storage.store();
        let mut wanted = Vec::new();
        // Who cannot say what they want, want nothing that could be shown here; their own page says why.
        for toolset in toolsets::list(&store).await.map(|list| list.toolsets).unwrap_or_default() {
            let is_built_in = toolset.is_built_in();
            for secret in toolset.secrets {
                let want = SecretWant {
                    who: format!("the toolset {}", toolset.name),
                    description: secret.description,
                    is_built_in,
                };
                wanted.extend(SecretName::parse(&secret.name).ok().map(|name| (name, want)));
            }
        }
        let mut vault = Vec::new();
        if self.keeper() == Keeper::Server {
            vault = secrets::in_vault(&store).await?;
            for provider in providers::list(&store).await? {
                let want = SecretWant {
                    who: format!("the provider {}", provider.name),
                    description: None,
                    is_built_in: false,
                };
                wanted.extend(provider.secret.map(|name| (name, want)));
            }
        }
        Ok(secret_standings(&vault, &secrets::on_device(&store).await?, wanted))
    }
}

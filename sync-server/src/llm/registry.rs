//! The providers an account can use: the operator's, and those it has added itself.
//!
//! An operator's provider wins over one of the same name. Its key may come from the server's environment; an account's own provider can
//! only use the account's own secrets, or it could send the operator's to an address of its choice.

use std::collections::BTreeSet;

use satchel_core::protocol::{
    KeyStanding, ProviderFormat, ProviderName, ProviderSettings, ProviderSummary, SecretName,
};

use crate::config;
use crate::database::AccountId;
use crate::outbound::{BaseUrl, Trust};
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::vault::{OpenError, Secret};

/// A source of models, and what it takes to ask it.
#[derive(Clone, Debug)]
pub struct Provider {
    /// What it is called.
    pub name: ProviderName,
    /// Where it is.
    pub base_url: BaseUrl,
    /// Which wire format it speaks.
    pub format: ProviderFormat,
    /// The models to offer; it is asked when there are none.
    pub models: Vec<String>,
    /// Where its key is.
    pub key: KeySource,
    /// Who chose its address.
    pub trust: Trust,
}

/// Where a provider's key is.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// It needs none.
    None,
    /// In the server's environment, as it was at the start.
    Environment {
        /// The variable.
        variable: String,
        /// What it held; nothing when it was not set, or empty.
        value: Option<Secret>,
    },
    /// In the account's vault.
    Vault(SecretName),
}

/// The operator's providers, in the order of `satchel.toml`.
#[derive(Clone, Debug, Default)]
pub struct OperatorProviders {
    providers: Vec<Provider>,
}

impl OperatorProviders {
    /// Takes them from the configuration; what does not fit together is logged, because the rest of the server works without it.
    #[must_use]
    pub fn new(configured: &[config::Provider], environment: impl Fn(&str) -> Option<String>) -> Self {
        let provider = |configured: &config::Provider| {
            let key = match (&configured.key_env, &configured.secret) {
                (Some(variable), _) => {
                    let value = environment(variable).filter(|value| !value.trim().is_empty()).map(Secret::new);
                    if value.is_none() {
                        tracing::warn!(provider = %configured.name, variable, "the key of a provider is not in the environment");
                    }
                    KeySource::Environment { variable: variable.clone(), value }
                }
                (None, Some(secret)) => KeySource::Vault(secret.clone()),
                (None, None) => KeySource::None,
            };
            let address = configured.base_url.address();
            if !matches!(key, KeySource::None) && !address.is_https() && !address.is_private() {
                tracing::warn!(provider = %configured.name, "its key goes over the network without encryption; use https://");
            }
            Provider {
                name: configured.name.clone(),
                base_url: configured.base_url.clone(),
                format: configured.format,
                models: configured.models.clone(),
                key,
                trust: Trust::Operator,
            }
        };
        Self { providers: configured.iter().map(provider).collect() }
    }

    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> &[Provider] {
        &self.providers
    }

    /// The one of this name.
    #[must_use]
    pub fn get(&self, name: &ProviderName) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.name == *name)
    }
}

impl Provider {
    /// An account's own; nothing when what is stored cannot be read any more.
    pub(super) fn of_account(name: ProviderName, settings: ProviderSettings) -> Option<Self> {
        Some(Self {
            name,
            base_url: BaseUrl::parse(&settings.base_url).ok()?,
            format: settings.format,
            models: settings.models,
            key: settings.secret.map_or(KeySource::None, KeySource::Vault),
            trust: Trust::Account,
        })
    }

    /// The provider that an account means by a name.
    pub(super) async fn find(state: &AppState, account: &AccountId, name: &str) -> Result<Self, Refusal> {
        let name = ProviderName::parse(name).map_err(|_| Refusal::NoProvider)?;
        if let Some(provider) = state.operator_providers().get(&name) {
            return Ok(provider.clone());
        }
        let stored =
            state.database().provider(account, &name).await.map_err(Refusal::failed("cannot read a provider"))?;
        stored.and_then(|settings| Self::of_account(name, settings)).ok_or(Refusal::NoProvider)
    }

    /// What the app may see; `usable` are the account's secrets that can be used.
    pub(super) fn summary(&self, usable: &BTreeSet<SecretName>) -> ProviderSummary {
        let (key, secret) = match &self.key {
            KeySource::None => (KeyStanding::NotNeeded, None),
            KeySource::Environment { value: Some(_), .. } => (KeyStanding::Set, None),
            KeySource::Environment { value: None, .. } => (KeyStanding::Missing, None),
            KeySource::Vault(name) if usable.contains(name) => (KeyStanding::Set, Some(name.clone())),
            KeySource::Vault(name) => (KeyStanding::Missing, Some(name.clone())),
        };
        ProviderSummary {
            name: self.name.clone(),
            base_url: self.base_url.to_string(),
            format: self.format,
            models: self.models.clone(),
            secret,
            read_only: self.trust == Trust::Operator,
            key,
        }
    }
}

impl KeySource {
    /// The key; nothing where none is needed.
    pub(super) async fn read(&self, state: &AppState, account: &AccountId) -> Result<Option<Secret>, Refusal> {
        match self {
            Self::None => Ok(None),
            Self::Environment { value: Some(key), .. } => Ok(Some(key.clone())),
            Self::Environment { variable, value: None } => Err(Refusal::NoKey(format!(
                "this provider's key is missing: the operator of this server has to set {variable} in its environment"
            ))),
            Self::Vault(name) => match state.vault().get(account, name).await {
                Ok(Some(key)) => Ok(Some(key)),
                Ok(None) => Err(Refusal::NoKey(format!(
                    "this provider's key is missing: enter the secret {name} in the settings"
                ))),
                Err(OpenError::Damaged) => Err(Refusal::NoKey(format!(
                    "this provider's key is damaged in the server's vault: enter the secret {name} again in the settings"
                ))),
                Err(error @ OpenError::Database(_)) => Err(Refusal::failed("cannot read a secret")(error)),
            },
        }
    }
}

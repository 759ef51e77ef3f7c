//! The way to a model: where it is asked, in which format, with which headers.

use satchel_core::model::{ModelPlace, endpoints};
use satchel_core::protocol::{ProviderFormat, ProviderName};
use satchel_core::store::StoreError;

use super::order::AnswerOrder;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::secrets::{self, SecretError};
use crate::browser::url;
use crate::work::models::endpoints::key_name;
use crate::work::server;

/// A way to a model.
pub(super) enum Line {
    /// Over the network.
    Web(Web),
    /// To a model that runs here, by its name.
    Page(String),
}

/// A way over the network. Headers may hold a key: they are sent, and nothing else is done with them.
pub(super) struct Web {
    pub(super) href: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) format: ProviderFormat,
    pub(super) via: Via,
}

/// Who answers first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    /// Whoever runs the model.
    Endpoint,
    /// Our server, which marks what it only passes on.
    Server,
}

/// Why there is no way to a model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoLine {
    #[error("the endpoint {0} is not set up on this device; add it in Settings, or choose another model")]
    NoEndpoint(ProviderName),
    #[error("the key of {0} is not on this device; enter it in Settings")]
    NoKey(ProviderName),
    #[error(
        "{0} is reached through a Satchel server, and none is connected; connect one in Settings, or choose another model"
    )]
    NoServer(ProviderName),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Line {
    /// The way to the model that is chosen.
    pub(super) async fn of(order: &AnswerOrder, store: &IndexedDbStore) -> Result<Self, NoLine> {
        match &order.model.place {
            ModelPlace::Server(name) => {
                let (Some(server), Some(format)) = (server::access(store).await?, order.format) else {
                    return Err(NoLine::NoServer(name.clone()));
                };
                let href = format!("{}/api/v1/providers/{}/chat", server.address, url::segment(name.as_str()));
                let headers = vec![("authorization".to_owned(), format!("Bearer {}", server.token))];
                Ok(Self::Web(Web { href, headers, format, via: Via::Server }))
            }
            ModelPlace::Browser(name) => {
                let endpoint = endpoints(store).await?.into_iter().find(|endpoint| endpoint.name == *name);
                let endpoint = endpoint.ok_or_else(|| NoLine::NoEndpoint(name.clone()))?;
                let key = match endpoint.wants_key {
                    true => Some(key_of(store, name).await?.ok_or_else(|| NoLine::NoKey(name.clone()))?),
                    false => None,
                };
                let headers = endpoint.format.headers(key.as_deref()).into_iter();
                Ok(Self::Web(Web {
                    href: endpoint.format.endpoint(endpoint.base_url.as_str()),
                    headers: headers.map(|(name, value)| (name.to_owned(), value)).collect(),
                    format: endpoint.format,
                    via: Via::Endpoint,
                }))
            }
            ModelPlace::Page => Ok(Self::Page(order.model.model.clone())),
        }
    }
}

async fn key_of(store: &IndexedDbStore, endpoint: &ProviderName) -> Result<Option<String>, SecretError> {
    secrets::read(store, &key_name(endpoint)).await
}

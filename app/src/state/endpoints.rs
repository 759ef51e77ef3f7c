//! The endpoints of models that the browser reaches by itself, as their settings show them (R322).

use leptos::prelude::{RwSignal, Set as _, expect_context};
use satchel_core::model::Endpoint;
use satchel_core::protocol::{ModelSummary, ProviderName};

use super::{Models, NoticeKind, Notices, Storage};
use crate::browser::spawn::spawn;
use crate::work::models::endpoints::{self, KeepError, Key};
use crate::work::store::AppStore;

/// An endpoint, and whether its key is on this device.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct KeptEndpoint {
    pub(crate) endpoint: Endpoint,
    pub(crate) has_key: bool,
}

/// The context of the endpoints.
#[derive(Clone, Copy)]
pub(crate) struct Endpoints {
    /// Those that are set up, once they were read.
    pub(crate) list: RwSignal<Option<Result<Vec<KeptEndpoint>, String>>>,
    /// The one whose form is open.
    pub(crate) editing: RwSignal<Option<ProviderName>>,
    /// Whether the form of a new one is open.
    pub(crate) adding: RwSignal<bool>,
    models: Models,
    storage: Storage,
    notices: Notices,
}

impl Endpoints {
    /// Reads those that are set up.
    pub(crate) fn load() -> Self {
        let endpoints = Self {
            list: RwSignal::new(None),
            editing: RwSignal::new(None),
            adding: RwSignal::new(false),
            models: Models::expect(),
            storage: Storage::expect(),
            notices: Notices::expect(),
        };
        endpoints.read();
        endpoints
    }

    /// The context given by the section.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Closes the form.
    pub(crate) fn close(self) {
        self.editing.set(None);
        self.adding.set(false);
    }

    /// Keeps an endpoint and closes its form; or says why not.
    pub(crate) fn keep(self, endpoint: Endpoint, key: Key, on_failure: impl FnOnce(KeepError) + 'static) {
        spawn(async move {
            let words = format!("The endpoint {} was saved.", endpoint.name);
            match endpoints::keep(&self.storage.store(), endpoint, key).await {
                Ok(()) => {
                    self.close();
                    self.notices.show(NoticeKind::Success, words);
                    self.changed();
                }
                Err(error) => on_failure(error),
            }
        });
    }

    /// Removes an endpoint, and its key from this device.
    pub(crate) fn remove(self, name: ProviderName) {
        spawn(async move {
            match endpoints::remove(&self.storage.store(), &name).await {
                Ok(()) => self.notices.show(NoticeKind::Success, format!("The endpoint {name} was removed.")),
                Err(error) => self.notices.show(NoticeKind::Error, format!("{name} was not removed: {error}.")),
            }
            self.changed();
        });
    }

    /// Asks an endpoint for its models. `typed` is a key that goes before the kept one.
    pub(crate) fn ask(
        self,
        endpoint: Endpoint,
        typed: Option<String>,
        then: impl FnOnce(Result<Vec<ModelSummary>, String>) + 'static,
    ) {
        spawn(async move {
            let answer = match typed {
                Some(key) => endpoints::ask(&endpoint, Some(&key)).await,
                None => endpoints::models(&self.storage.store(), &endpoint).await,
            };
            then(answer.map_err(|error| error.to_string()));
        });
    }

    fn changed(self) {
        self.read();
        self.models.read();
    }

    fn read(self) {
        spawn(async move {
            let found = read(self.storage.store()).await;
            // Nobody waits for it if the user has left the page meanwhile.
            self.list.try_set(Some(found));
        });
    }
}

async fn read(store: AppStore) -> Result<Vec<KeptEndpoint>, String> {
    let mut kept = Vec::new();
    for endpoint in endpoints::list(&store).await.map_err(|error| error.to_string())? {
        // A key that cannot be read has to be entered again, like one that is not there.
        let has_key = endpoints::has_key(&store, &endpoint.name).await.unwrap_or(false);
        kept.push(KeptEndpoint { endpoint, has_key });
    }
    Ok(kept)
}

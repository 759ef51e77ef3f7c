//! The models that run in the page, and one that may be on its way here.

use std::cell::OnceCell;

use futures_util::future::{AbortHandle, Abortable};
use leptos::prelude::{ArcRwSignal, Get as _, GetUntracked as _, Set as _, Update as _};
use satchel_core::model::PageModel;
use satchel_core::protocol::PageModelOffer;

use super::Storage;
use crate::browser::spawn::spawn;
use crate::work::page_models::{self, BrowserFile, Progress, ShelfError};

thread_local! {
    static OF_TAB: OnceCell<PageModels> = const { OnceCell::new() };
}

/// What is known of them. It belongs to the tab and not to a page of it: a model goes on arriving when the settings are left.
#[derive(Clone)]
pub(crate) struct PageModels {
    list: ArcRwSignal<Option<Result<Vec<PageModel>, String>>>,
    offer: ArcRwSignal<Option<PageModelOffer>>,
    arriving: ArcRwSignal<Option<Arriving>>,
    failure: ArcRwSignal<Option<String>>,
    stop: ArcRwSignal<Option<AbortHandle>>,
}

/// A model on its way here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arriving {
    /// The name of its file.
    pub(crate) file: String,
    /// How far it is.
    pub(crate) progress: Progress,
}

impl PageModels {
    /// Those of this tab.
    pub(crate) fn of_tab() -> Self {
        OF_TAB.with(|of_tab| of_tab.get_or_init(Self::new).clone())
    }

    fn new() -> Self {
        Self {
            list: ArcRwSignal::new(None),
            offer: ArcRwSignal::new(None),
            arriving: ArcRwSignal::new(None),
            failure: ArcRwSignal::new(None),
            stop: ArcRwSignal::new(None),
        }
    }

    /// Those on this device; nothing until they are read, and a sentence where that failed.
    pub(crate) fn list(&self) -> Option<Result<Vec<PageModel>, String>> {
        self.list.get()
    }

    /// What the server would give, unless it is here or on its way.
    pub(crate) fn offer(&self) -> Option<PageModelOffer> {
        let offer = self.offer.get()?;
        let name = PageModel::name_of(&offer.file);
        let is_here = matches!(self.list.get(), Some(Ok(list)) if list.iter().any(|model| model.name == name));
        (!is_here).then_some(offer)
    }

    /// What is on its way.
    pub(crate) fn arriving(&self) -> Option<Arriving> {
        self.arriving.get()
    }

    /// Why the last one did not arrive.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.get()
    }

    /// Looks again what is here, and what the server has.
    pub(crate) fn read(&self, storage: Storage) {
        let (models, store) = (self.clone(), storage.store());
        spawn(async move {
            models.look().await;
            models.offer.set(page_models::offer(&store).await);
        });
    }

    async fn look(&self) {
        self.list.set(Some(page_models::list().await.map_err(|error| error.to_string())));
    }

    /// Brings in a file of the user's.
    pub(crate) fn add(&self, file: BrowserFile) {
        let (models, name) = (self.clone(), file.path.clone());
        self.begin(name, async move { page_models::add(&file, |progress| models.tell(progress)).await });
    }

    /// Fetches what the server offers.
    pub(crate) fn receive(&self, offer: PageModelOffer, storage: Storage) {
        let (models, store, name) = (self.clone(), storage.store(), offer.file.clone());
        self.begin(name, async move { page_models::receive(&store, &offer, |progress| models.tell(progress)).await });
    }

    /// Stops what is on its way.
    pub(crate) fn stop(&self) {
        if let Some(handle) = self.stop.get_untracked() {
            handle.abort();
        }
    }

    /// Deletes one from this device.
    pub(crate) fn delete(&self, name: String) {
        let models = self.clone();
        spawn(async move {
            models.failure.set(page_models::delete(&name).await.err().map(|error| error.to_string()));
            models.look().await;
        });
    }

    fn tell(&self, progress: Progress) {
        self.arriving.update(|arriving| {
            if let Some(arriving) = arriving {
                arriving.progress = progress;
            }
        });
    }

    /// Only one is brought in at a time.
    fn begin(&self, file: String, bringing: impl Future<Output = Result<PageModel, ShelfError>> + 'static) {
        if self.arriving.get_untracked().is_some() {
            return;
        }
        let (handle, registration) = AbortHandle::new_pair();
        self.stop.set(Some(handle));
        self.failure.set(None);
        self.arriving.set(Some(Arriving { file, progress: Progress { done: 0, total: 0 } }));
        let models = self.clone();
        spawn(async move {
            if let Ok(Err(error)) = Abortable::new(bringing, registration).await {
                models.failure.set(Some(error.to_string()));
            }
            models.arriving.set(None);
            models.look().await;
        });
    }
}

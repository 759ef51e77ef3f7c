//! The store, as the other contexts reach it, and whether it keeps anything.

use leptos::prelude::{GetValue as _, LocalStorage, StoredValue, expect_context};

use crate::work::store::AppStore;

/// The context of the store.
#[derive(Clone, Copy)]
pub(crate) struct Storage {
    store: StoredValue<AppStore, LocalStorage>,
    kept: bool,
}

impl Storage {
    /// `kept` is false where everything is lost when the tab closes.
    pub(crate) fn new(store: AppStore, kept: bool) -> Self {
        Self { store: StoredValue::new_local(store), kept }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// A handle of the store.
    pub(crate) fn store(self) -> AppStore {
        self.store.get_value()
    }

    /// Whether what is stored is still there after the tab has been closed.
    pub(crate) fn is_kept(self) -> bool {
        self.kept
    }
}

//! What goes on behind every page and draws nothing: requests to `/local`, how things stand with the server, the clean-up. A chat can be
//! read and written before its code is here.

use leptos::prelude::*;

use crate::browser::page;
use crate::state::{Connection, Storage, Update};
use crate::work::{local_api, upkeep};

/// Begins all of it.
#[component]
pub(crate) fn Background() -> impl IntoView {
    let (storage, update) = (Storage::expect(), Update::expect());
    local_api::serve(&storage.store());
    Connection::expect().watch();
    if storage.is_kept() {
        upkeep::clean_up_when_quiet();
    }
    Effect::new(move |_| {
        // A script in the page can reach `/local` only once the service worker has the page (C44).
        if update.is_watched() {
            page::mark_ready();
        }
    });
}

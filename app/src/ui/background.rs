//! What goes on behind every page and draws nothing: requests to `/local`, how things stand with the server, sync, the clean-up. A chat can be
//! read and written before its code is here.

use leptos::prelude::*;
use satchel_core::sync::DriverView;

use super::pages::Pages;
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::state::{
    Address, Connection, CurrentSettings, NoticeAction, NoticeKind, Notices, Storage, SyncStatus, Update,
};
use crate::work::{local_api, settings, sync, upkeep, whole_export};

/// Begins all of it.
#[component]
pub(crate) fn Background() -> impl IntoView {
    let (storage, update) = (Storage::expect(), Update::expect());
    local_api::serve(&storage.store());
    Connection::expect().watch();
    if storage.is_kept() {
        upkeep::clean_up_when_quiet();
        follow_sync(storage, SyncStatus::expect());
        let current = CurrentSettings::expect();
        settings::on_news(move || current.read_again());
        remind_when_quiet(SyncStatus::expect());
    }
    // So that the first message is drawn as soon as it is said. What did not arrive is asked for again then, and told.
    let bring_chat = expect_context::<Pages>().chat;
    spawn(async move {
        bring_chat().await.ok();
    });
    Effect::new(move |_| {
        // A script in the page can reach `/local` only once the service worker has the page (C44).
        if update.is_watched() {
            page::mark_ready();
        }
    });
}

/// Has sync go on where it is wanted, and shows how it is doing.
fn follow_sync(storage: Storage, status: SyncStatus) {
    sync::on_view(move |view| status.learn(view));
    spawn(async move {
        if !sync::follow(storage.store()).await {
            status.learn(DriverView::Off);
        }
    });
}

/// Some time after the start, offers to export what is nowhere else, where that is due. What syncs is elsewhere too.
fn remind_when_quiet(sync: SyncStatus) {
    let (notices, address) = (Notices::expect(), Address::expect());
    spawn(async move {
        if whole_export::is_reminder_due_when_quiet().await && !sync.is_on() {
            let run = Callback::new(move |()| address.go("/ui/settings#storage"));
            let words = "Some chats have changed and exist only in this browser. Export them to keep them safe.";
            notices.offer(NoticeKind::Info, words, NoticeAction { label: "Export", run });
        }
    });
}

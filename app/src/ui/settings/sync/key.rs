//! Changing the key, and leaving.

use leptos::prelude::*;

use super::CodeShown;
use super::status::settle;
use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices};
use crate::ui::parts::Agreement;
use crate::ui::settings::section::Row;
use crate::work::sync;

/// Changes the key.
#[component]
pub(super) fn KeyRow(
    /// Where the fresh code is shown.
    shown: CodeShown,
) -> impl IntoView {
    let (notices, busy) = (Notices::expect(), RwSignal::new(false));
    let question = "Everything is encrypted again and sent from this device. Your other devices stop syncing until you enter the new code there.";
    let change = move |()| {
        busy.set(true);
        spawn(async move {
            // Its name is sealed under the key, and has to be said again.
            let named = sync::devices().await.unwrap_or_default().into_iter().find(|device| device.is_this);
            match sync::change_key(named.and_then(|device| device.name)).await {
                Ok(code) => {
                    shown.show_fresh(code);
                    notices.show(NoticeKind::Success, "The key was changed. Enter the new code on your other devices.");
                }
                Err(error) => notices.show(NoticeKind::Error, format!("The key was not changed: {error}.")),
            }
            busy.try_set(false);
        });
    };
    view! {
        <Row label="Change the key" hint="For when a device was lost or somebody saw the code: you get a new code, and the old one opens nothing sent from then on.">
            <Agreement
                label="Change"
                question=question.to_owned()
                ok="Change the key"
                test_id="sync-change-key"
                busy=busy
                on_agree=Callback::new(change)
            />
        </Row>
    }
}

/// Leaves.
#[component]
pub(super) fn LeaveRow(
    /// What is shown of the code.
    shown: CodeShown,
) -> impl IntoView {
    let notices = Notices::expect();
    let question = "Everything here stays, and so does everything on your other devices. The key is forgotten here; save the code first if this is your only device.";
    let leave = move |()| {
        shown.code.set(None);
        settle(notices, "This device did not leave sync", async move {
            sync::leave().await?;
            notices.show(NoticeKind::Success, "This device no longer syncs. Nothing was deleted.");
            Ok(())
        });
    };
    view! {
        <Row label="Leave" hint="This device stops sending and receiving, and keeps everything it has.">
            <Agreement
                label="Leave sync"
                question=question.to_owned()
                ok="Leave sync"
                test_id="sync-leave"
                on_agree=Callback::new(leave)
            />
        </Row>
    }
}

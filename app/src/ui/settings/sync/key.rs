//! Changing the key, and leaving.

use leptos::prelude::*;

use super::CodeShown;
use super::agreement::Agreement;
use super::status::settle;
use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices};
use crate::ui::settings::section::Row;
use crate::work::sync;

/// Changes the key.
#[component]
pub(super) fn KeyRow(
    /// Where the fresh code is shown.
    shown: CodeShown,
) -> impl IntoView {
    let (notices, busy) = (Notices::expect(), RwSignal::new(false));
    let question = "Everything is sealed anew and sent again from this device. Your other devices stop until you type the new code there.";
    let change = move |()| {
        busy.set(true);
        spawn(async move {
            // Its name is sealed under the key, and has to be said again.
            let named = sync::devices().await.unwrap_or_default().into_iter().find(|device| device.is_this);
            match sync::change_key(named.and_then(|device| device.name)).await {
                Ok(code) => {
                    shown.show_fresh(code);
                    notices.show(NoticeKind::Success, "The key is changed. Type the new code on your other devices.");
                }
                Err(error) => notices.show(NoticeKind::Error, format!("The key was not changed: {error}.")),
            }
            busy.try_set(false);
        });
    };
    view! {
        <Row label="Change the key" hint="After a device was lost, or the code was seen by somebody: a new code, and the old one opens nothing that is sent from then on.">
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
        settle(notices, "Sync was not left", async move {
            sync::leave().await?;
            notices.show(NoticeKind::Success, "This device syncs no more. Nothing was deleted.");
            Ok(())
        });
    };
    view! {
        <Row label="Leave" hint="This device sends and receives no more, and keeps everything it has.">
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

//! The way on when the sync code is lost: nobody can read what the server has, so it is given up, and a device that has the data begins anew.

use leptos::prelude::*;

use super::CodeShown;
use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices};
use crate::ui::parts::Agreement;
use crate::ui::settings::section::Row;
use crate::work::sync;

/// Begins anew from this device.
#[component]
pub(super) fn AnewRow(
    /// Where the fresh code is shown.
    shown: CodeShown,
) -> impl IntoView {
    let (notices, busy) = (Notices::expect(), RwSignal::new(false));
    let question = "What the server has is removed: without its code nobody can read it. Everything on this device is sent again under a new code. Your other devices keep what they have, and send it when you type the new code there. Go on only if the code is lost for good, and this device has what you want to keep.";
    let begin = move |()| {
        busy.set(true);
        spawn(async move {
            match sync::begin_anew().await {
                Ok(code) => {
                    shown.show_fresh(code);
                    notices.show(
                        NoticeKind::Success,
                        "Sync has begun anew. Save the new code, and type it on your other devices.",
                    );
                }
                Err(error) => notices.show(NoticeKind::Error, format!("Sync was not begun anew: {error}.")),
            }
            busy.try_set(false);
        });
    };
    view! {
        <Row
            label="The code is lost"
            hint="Any device that syncs shows it under Settings, Sync. If none does any more, sync can begin anew from a device that has your chats."
        >
            <Agreement
                label="Begin anew…"
                question=question.to_owned()
                ok="Begin anew from this device"
                test_id="sync-anew"
                busy=busy
                on_agree=Callback::new(begin)
            />
        </Row>
    }
}

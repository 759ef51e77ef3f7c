//! Sync: the same chats, files and toolsets on every device of the account, through a server that cannot read them.

mod anew;
mod code;
mod devices;
mod key;
mod off;
mod status;

use leptos::prelude::*;
use satchel_core::sync::DriverView;

use self::code::CodeRow;
use self::devices::DevicesRow;
use self::key::{KeyRow, LeaveRow};
use self::off::Off;
use self::status::StatusRow;
use super::section::{Section, SectionId};
use crate::state::{Storage, SyncStatus};
use crate::work::sync::ShownCode;

/// What the section is about now. Progress moves nothing here, so that what is typed or shown stays.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    NotKept,
    Unknown,
    Off,
    On,
}

/// The code, where it is shown, and whether it is a fresh one that nobody has saved yet.
#[derive(Clone, Copy)]
struct CodeShown {
    code: RwSignal<Option<ShownCode>>,
    is_fresh: RwSignal<bool>,
}

impl CodeShown {
    /// Shows a code that was just made.
    fn show_fresh(self, code: ShownCode) {
        // Nobody waits for it if the user has left the page meanwhile; it can be shown again.
        self.is_fresh.try_set(true);
        self.code.try_set(Some(code));
    }
}

/// The section of sync.
#[component]
pub(crate) fn SyncSection() -> impl IntoView {
    let (status, is_kept) = (SyncStatus::expect(), Storage::expect().is_kept());
    let shown = CodeShown { code: RwSignal::new(None), is_fresh: RwSignal::new(false) };
    let stage = Memo::new(move |_| match status.view() {
        _ if !is_kept => Stage::NotKept,
        None => Stage::Unknown,
        Some(DriverView::Off) => Stage::Off,
        Some(
            DriverView::UpToDate { .. }
            | DriverView::Full { .. }
            | DriverView::Running(_)
            | DriverView::Paused
            | DriverView::Waiting { .. }
            | DriverView::Stuck { .. },
        ) => Stage::On,
    });
    view! {
        <Section
            id=SectionId::Sync
            about="The same chats, files and toolsets on all your devices. They are encrypted before they leave: your server carries them and cannot read them."
        >
            {move || match stage.get() {
                Stage::NotKept => {
                    view! { <p class="row">"This tab saves nothing, so there is nothing to sync."</p> }.into_any()
                }
                Stage::Unknown => view! { <p class="row field-hint">"Loading…"</p> }.into_any(),
                Stage::Off => view! { <Off shown /> }.into_any(),
                Stage::On => {
                    view! {
                        <StatusRow shown />
                        <CodeRow shown />
                        <DevicesRow />
                        <KeyRow shown />
                        <LeaveRow shown />
                    }
                        .into_any()
                }
            }}
        </Section>
    }
}

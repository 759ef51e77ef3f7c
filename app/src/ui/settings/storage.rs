//! The room Satchel takes on this device, and whether the browser may take it back.

mod check;
mod usage;
mod whole_exports;

use leptos::prelude::*;

use self::check::CheckRow;
use self::usage::UsageRow;
use self::whole_exports::WholeExportRows;
use super::section::{Section, SectionId};
use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices, Storage};
use crate::ui::parts::{in_words, sentence};
use crate::work::storage::{self, StorageSummary};

#[derive(Clone)]
enum Figures {
    Asked,
    Known(StorageSummary),
    Unknown(String),
}

/// The section of storage.
#[component]
pub(crate) fn StorageSection() -> impl IntoView {
    let is_kept = Storage::expect().is_kept();
    let figures = RwSignal::new(Figures::Asked);
    look(figures);
    view! {
        <Section id=SectionId::Storage about="Everything is kept in this browser, on this device.">
            {(!is_kept)
                .then(|| {
                    view! {
                        <p class="row field-error">
                            "This tab saves nothing, because you continued without storage. Everything in it is lost when it closes."
                        </p>
                    }
                })}
            {move || match figures.get() {
                Figures::Asked => view! { <p class="row field-hint">"Asking the browser…"</p> }.into_any(),
                Figures::Known(summary) => view! { <Summary summary figures /> }.into_any(),
                Figures::Unknown(error) => view! { <p class="row">{sentence(&error)}</p> }.into_any(),
            }}
            {is_kept
                .then(|| {
                    view! {
                        <UsageRow />
                        <CheckRow />
                        <WholeExportRows />
                    }
                })}
        </Section>
    }
}

#[component]
fn Summary(
    /// The figures.
    summary: StorageSummary,
    /// Where fresh figures go.
    figures: RwSignal<Figures>,
) -> impl IntoView {
    let StorageSummary { used, quota, persisted } = summary;
    let notices = Notices::expect();
    let ask = move |_| {
        spawn(async move {
            if storage::ask_to_persist().await {
                notices.show(NoticeKind::Success, "The browser now keeps Satchel's data until you clear it yourself.");
                look(figures);
            } else {
                let text =
                    "The browser did not agree. Many do once the app is installed, bookmarked or used more often.";
                notices.show(NoticeKind::Info, text);
            }
        });
    };
    let words = format!("{} of {} in use", in_words(used), in_words(quota));
    view! {
        <div class="row row-stack" data-testid="storage-summary">
            <div class="row-line">
                <span class="field-label" id="storage-used">"Used"</span>
                <span>{words}</span>
            </div>
            <progress
                class="meter"
                max=quota.to_string()
                value=used.to_string()
                aria-labelledby="storage-used"
            ></progress>
        </div>
        <div class="row">
            <div class="field">
                <div class="field-label">"When the device runs out of room"</div>
                <p class="field-hint">
                    {if persisted {
                        "The browser has promised to keep Satchel's data."
                    } else {
                        "The browser may clear Satchel's data by itself."
                    }}
                </p>
            </div>
            {if persisted {
                view! { <span class="badge" data-kind="good" data-testid="storage-persisted">"Kept"</span> }.into_any()
            } else {
                view! {
                    <button class="button" type="button" data-testid="storage-persist" on:click=ask>"Ask to keep it"</button>
                }
                    .into_any()
            }}
        </div>
    }
}

fn look(figures: RwSignal<Figures>) {
    spawn(async move {
        let found = match storage::summary().await {
            Ok(summary) => Figures::Known(summary),
            Err(error) => Figures::Unknown(error.to_string()),
        };
        // Nobody waits for it if the user has left the page meanwhile.
        figures.try_set(found);
    });
}

//! A whole export taken in: checked, shown, and merged with what is here once the user agrees.

use leptos::prelude::*;

use super::course::{Course, OnTheWay, Stage};
use super::preview::Preview;
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::work::whole_export::{self, Shown, Taken, picked};

/// The row of the import.
#[component]
pub(crate) fn ImportRow() -> impl IntoView {
    let (showing, taking) = (Course::<Shown>::new(), Course::<Taken>::new());
    let on_picked = move |event: leptos::ev::Event| {
        // Closing the picker without a choice is no choice.
        if let Some(file) = picked(&event).into_iter().next() {
            taking.forget();
            showing.begin("Checking every entry…", |told| whole_export::show(file, told));
        }
    };
    let agree = Callback::new(move |()| {
        showing.forget();
        taking.begin("Importing…", whole_export::take);
    });
    let put_away = Callback::new(move |()| {
        showing.forget();
        spawn(whole_export::forget());
    });
    let stop = move |_| {
        if showing.runs() {
            whole_export::stop_showing();
        }
        showing.stop();
        taking.stop();
    };
    view! {
        <div class="row">
            <div class="field">
                <div class="field-label">"Import an export"</div>
                <p class="field-hint">
                    "A ZIP of a chat or of everything. You see what is in it first. It is merged with what is here: where the two differ the newer stays, what was deleted comes back, and nothing is lost."
                </p>
            </div>
            <Show
                when=move || showing.runs() || taking.runs()
                fallback=move || {
                    view! {
                        <label class="button">
                            "Choose a file"
                            <input
                                class="unseen"
                                type="file"
                                accept=".zip"
                                data-testid="import-all-input"
                                on:change=on_picked
                            />
                        </label>
                    }
                }
            >
                <button class="button" type="button" data-testid="import-stop" on:click=stop>"Stop"</button>
            </Show>
        </div>
        <OnTheWay course=showing stopped="The check was stopped. Nothing was imported." test_id="import-all" />
        <OnTheWay course=taking stopped="The import was stopped. Nothing was imported." test_id="import-all" />
        {move || match showing.stage() {
            Stage::Ended(shown) => view! { <Preview shown agree put_away /> }.into_any(),
            Stage::NotBegun | Stage::Runs(_) | Stage::Stopped | Stage::Failed(_) => ().into_any(),
        }}
        {move || match taking.stage() {
            Stage::Ended(taken) => view! { <Done taken /> }.into_any(),
            Stage::NotBegun | Stage::Runs(_) | Stage::Stopped | Stage::Failed(_) => ().into_any(),
        }}
    }
}

#[component]
fn Done(
    /// What was taken in.
    taken: Taken,
) -> impl IntoView {
    let Taken { added, changed, revived, files, has_settings } = taken;
    let words = match added + changed + revived + files {
        0 => "Everything in it is already here. Nothing was changed.".to_owned(),
        _ => format!(
            "Imported. New entries: {added}, changed: {changed}, brought back: {revived}. Files stored: {files}."
        ),
    };
    view! {
        <div class="row row-stack" role="status" data-testid="import-all-done">
            <p>{words}</p>
            {(has_settings && added + changed > 0)
                .then(|| {
                    view! {
                        <div class="row-line">
                            <p class="field-hint">"The imported settings take effect when the page is reloaded."</p>
                            <button class="button" type="button" on:click=|_| page::reload()>"Reload"</button>
                        </div>
                    }
                })}
        </div>
    }
}

//! The verification: everything hashed again, and, if the user wants it, Python calls made once more and compared.

use leptos::prelude::*;
use satchel_core::verify::{Hashed, Rerun};

use super::course::{Course, OnTheWay, Stage};
use super::report::{self, CallLine, Mark};
use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices};
use crate::ui::parts::{Icon, IconName, sentence};
use crate::work::whole_export::{self, OneChat};

/// The row of the verification.
#[component]
pub(crate) fn VerifyRow(
    /// The chat; without one it is everything.
    #[prop(optional)]
    chat: Option<OneChat>,
) -> impl IntoView {
    let (hashing, running) = (Course::<(Hashed, usize)>::new(), Course::<Vec<Rerun>>::new());
    let (label, test_id) = match &chat {
        Some(_) => ("Verify the chat", "verify-chat"),
        None => ("Verify everything", "verify-all"),
    };
    let (for_hash, for_run) = (chat.clone(), StoredValue::new(chat));
    let begin = move |_| {
        let chat = for_hash.clone();
        running.forget();
        hashing.begin("Hashing everything again…", |told| whole_export::hash(chat, told));
    };
    let run_again = Callback::new(move |()| {
        let chat = for_run.get_value();
        running.begin("Running Python calls again…", |told| whole_export::rerun(chat, told));
    });
    let stop = move |_| {
        hashing.stop();
        running.stop();
    };
    view! {
        <div class="row">
            <div class="field">
                <div class="field-label">{label}</div>
                <p class="field-hint">
                    "Hashes every file again. Then you can run Python calls again on the files they saw and compare the results. Nothing is changed."
                </p>
            </div>
            <Show
                when=move || hashing.runs() || running.runs()
                fallback=move || {
                    view! { <button class="button" type="button" data-testid=test_id on:click=begin.clone()>"Verify"</button> }
                }
            >
                <button class="button" type="button" data-testid="verify-stop" on:click=stop>"Stop"</button>
            </Show>
        </div>
        <OnTheWay course=hashing stopped="The verification was stopped." test_id="verify" />
        {move || match hashing.stage() {
            Stage::Ended((hashed, calls)) => view! { <Report hashed calls running run_again /> }.into_any(),
            Stage::NotBegun | Stage::Runs(_) | Stage::Stopped | Stage::Failed(_) => ().into_any(),
        }}
    }
}

/// What was found, and the question whether calls are to be run again.
#[component]
fn Report(
    /// What was hashed again.
    hashed: Hashed,
    /// How many calls can be run again.
    calls: usize,
    /// The calls that are, or were.
    running: Course<Vec<Rerun>>,
    /// The user wants them to be.
    run_again: Callback<()>,
) -> impl IntoView {
    let (is_sound, words, counted) = (hashed.findings.is_empty(), report::verdict(&hashed), report::counted(&hashed));
    let icon = if is_sound { IconName::Check } else { IconName::Warning };
    let findings = hashed.findings.iter().map(|finding| view! { <li><p>{sentence(finding)}</p></li> }).collect_view();
    let question = format!(
        "Python calls that can be run again: {calls}. Their code runs in its cage, as it did then, without asking for each; what it writes is compared and discarded."
    );
    let can_ask = move || calls > 0 && matches!(running.stage(), Stage::NotBegun | Stage::Stopped | Stage::Failed(_));
    let reruns = move || match running.stage() {
        Stage::Ended(reruns) => reruns,
        Stage::NotBegun | Stage::Runs(_) | Stage::Stopped | Stage::Failed(_) => Vec::new(),
    };
    let for_list = reruns;
    view! {
        <div class="row row-stack" role="status" data-testid="verify-report">
            <p class="verdict" data-kind=if is_sound { "good" } else { "bad" } data-testid="verify-verdict">
                <Icon name=icon small=true />
                {words}
            </p>
            <p class="field-hint">{counted}</p>
            <ul class="findings" data-testid="verify-findings">{findings}</ul>
            <Show when=can_ask>
                <div class="row-line">
                    <p class="field-hint">{question.clone()}</p>
                    <button class="button" type="button" data-testid="verify-rerun" on:click=move |_| run_again.run(())>
                        "Run again and compare"
                    </button>
                </div>
            </Show>
            <Actions hashed reruns=Signal::derive(reruns) />
        </div>
        <OnTheWay course=running stopped="The runs were stopped." test_id="rerun" />
        {move || {
            let lines = for_list().iter().map(|rerun| view! { <Call line=report::call_line(rerun) /> }).collect_view();
            (!lines.is_empty()).then(|| view! { <ul class="report" data-testid="verify-calls">{lines}</ul> })
        }}
    }
}

#[component]
fn Call(
    /// The call, in words.
    line: CallLine,
) -> impl IntoView {
    let CallLine { mark, tool_id, when, words } = line;
    let (kind, word, icon) = match mark {
        Mark::Same => ("good", "Same", IconName::Check),
        Mark::Differs => ("bad", "Differs", IconName::Warning),
        Mark::NotRun => ("neutral", "Not run", IconName::Info),
    };
    view! {
        <li class="probe" data-testid="verify-call" data-refused=if mark == Mark::Differs { "false" } else { "true" }>
            <Icon name=icon small=true />
            <span class="probe-way">{tool_id} ", " {when}</span>
            <span class="badge" data-kind=kind>{word}</span>
            <span class="probe-detail">{words}</span>
        </li>
    }
}

/// The report taken along.
#[component]
fn Actions(
    /// What was hashed again.
    hashed: Hashed,
    /// What was run again.
    reruns: Signal<Vec<Rerun>>,
) -> impl IntoView {
    let notices = Notices::expect();
    let text = StoredValue::new(hashed);
    let words = move || text.with_value(|hashed| report::text(hashed, &reruns.get_untracked()));
    let copy = move |_| {
        let words = words();
        spawn(async move {
            match whole_export::copy_report(&words).await {
                Ok(()) => notices.announce("The report is copied."),
                Err(error) => notices.show(NoticeKind::Error, format!("The report was not copied: {error}.")),
            }
        });
    };
    view! {
        <div class="row-buttons">
            <button class="button button-small" type="button" data-testid="verify-copy" on:click=copy>"Copy the report"</button>
            <button
                class="button button-small"
                type="button"
                data-testid="verify-save"
                on:click=move |_| whole_export::save_report(&words())
            >
                "Save the report"
            </button>
        </div>
    }
}

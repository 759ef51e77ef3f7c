//! The check of everything that is stored: begun and stopped here, with what it found and what can be done about it.

use futures_util::future::{AbortHandle, Aborted, abortable};
use leptos::prelude::*;

use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices};
use crate::ui::parts::{Icon, IconName, sentence};
use crate::work::upkeep::{self, Broken, CheckReport, Outcome, Progress};

/// How the check stands.
#[derive(Clone)]
enum Check {
    NotBegun,
    Runs,
    Ended(Outcome),
    Stopped(Errand),
    Failed(String),
}

/// What was begun.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Errand {
    Check,
    Repair,
}

/// The check as the row and its parts share it.
#[derive(Clone, Copy)]
struct Course {
    state: RwSignal<Check>,
    progress: RwSignal<Progress>,
    running: StoredValue<Option<AbortHandle>>,
    notices: Notices,
}

impl Course {
    /// Begins a check, or one that repairs.
    fn begin(self, errand: Errand) {
        self.state.set(Check::Runs);
        self.progress.set(Progress::default());
        let on_progress = move |progress| {
            self.progress.try_set(progress);
        };
        let (check, handle) = abortable(upkeep::check(errand == Errand::Repair, on_progress));
        self.running.set_value(Some(handle));
        spawn(async move {
            let ended = match check.await {
                Err(Aborted) | Ok(Ok(Outcome::Stopped)) => Check::Stopped(errand),
                Ok(Ok(outcome)) => Check::Ended(outcome),
                Ok(Err(error)) => Check::Failed(error.to_string()),
            };
            // Nobody waits for it if the user has left the page meanwhile.
            self.state.try_set(ended);
        });
    }

    /// Ends it.
    fn stop(self) {
        self.running.try_with_value(|running| running.as_ref().map(AbortHandle::abort));
    }
}

/// The row of the check.
#[component]
pub(super) fn CheckRow() -> impl IntoView {
    let course = Course {
        state: RwSignal::new(Check::NotBegun),
        progress: RwSignal::new(Progress::default()),
        running: StoredValue::new(None),
        notices: Notices::expect(),
    };
    on_cleanup(move || course.stop());
    let runs = move || matches!(course.state.get(), Check::Runs);
    view! {
        <div class="row">
            <div class="field">
                <div class="field-label">"Check the storage"</div>
                <p class="field-hint">
                    "Reads everything again and checks that it is intact: every file, every state of every chat, every toolset."
                </p>
            </div>
            <Show
                when=runs
                fallback=move || {
                    view! {
                        <button class="button" type="button" data-testid="check-storage" on:click=move |_| course.begin(Errand::Check)>
                            "Check"
                        </button>
                    }
                }
            >
                <button class="button" type="button" data-testid="check-stop" on:click=move |_| course.stop()>"Stop"</button>
            </Show>
        </div>
        {move || match course.state.get() {
            Check::NotBegun => ().into_any(),
            Check::Runs => view! { <UnderWay course /> }.into_any(),
            Check::Ended(outcome) => view! { <Ended course outcome /> }.into_any(),
            Check::Stopped(errand) => {
                view! { <p class="row" role="status" data-testid="check-stopped">{stopped(errand)}</p> }.into_any()
            }
            Check::Failed(error) => {
                view! { <p class="row field-error" role="alert" data-testid="check-error">{sentence(&error)}</p> }.into_any()
            }
        }}
    }
}

/// What is to be known of one that was stopped. A repair may have come to some of its work by then.
fn stopped(errand: Errand) -> &'static str {
    match errand {
        Errand::Check => "The check was stopped. Nothing was changed.",
        Errand::Repair => "The repair was stopped. What it had repaired stays repaired; everything else is unchanged.",
    }
}

/// How far it has come.
#[component]
fn UnderWay(
    /// The check.
    course: Course,
) -> impl IntoView {
    let words = move || match course.progress.get() {
        Progress { total: 0, .. } => "Loading…".to_owned(),
        Progress { done, total } => format!("{done} of {total} read"),
    };
    view! {
        <div class="row row-stack" role="status">
            <progress
                class="meter"
                aria-label="Progress of the check"
                max=move || course.progress.get().total.max(1).to_string()
                value=move || course.progress.get().done.to_string()
            ></progress>
            <p class="field-hint">{words}</p>
        </div>
    }
}

/// What it came to.
#[component]
fn Ended(
    /// The check.
    course: Course,
    /// Its end.
    outcome: Outcome,
) -> impl IntoView {
    let (headline, report) = match outcome {
        Outcome::Checked(report) => (None, Some(report)),
        Outcome::Mended { dropped, moved, indexed, brought, left } => {
            let mut done = format!(
                "Repaired. Unused content removed: {dropped}. States set back to the last good one: {moved}. Entries indexed again: {indexed}."
            );
            if brought > 0 {
                done += &format!(" Fetched from your other devices: {brought}.");
            }
            (Some(done), Some(left))
        }
        Outcome::Stopped | Outcome::Exported { .. } | Outcome::Done | Outcome::Counted(_) => (None, None),
    };
    view! {
        <div class="row row-stack" role="status" data-testid="check-report">
            {headline.map(|headline| view! { <p>{headline}</p> })}
            {report.map(|report| view! { <Found course report /> })}
        </div>
    }
}

/// What was found, and what can be done about it.
#[component]
fn Found(
    /// The check.
    course: Course,
    /// What was found.
    report: CheckReport,
) -> impl IntoView {
    let CheckReport { blobs, manifests, unused, stale, elsewhere, repairable, broken } = report;
    let is_whole = repairable.is_empty() && broken.is_empty();
    let is_sound = is_whole && stale == 0;
    let can_repair = !repairable.is_empty() || unused > 0 || stale > 0 || elsewhere > 0;
    let icon = if is_sound { IconName::Check } else { IconName::Warning };
    let verdict = match (is_whole, stale) {
        (true, 0) => "Everything is intact.",
        (true, _) => "Everything is there, but some entries are indexed wrongly.",
        (false, _) => "Something is damaged.",
    };
    let unused = (unused > 0).then(|| format!(" Content that is no longer needed: {unused}."));
    let elsewhere =
        (elsewhere > 0).then(|| format!(" Missing or damaged content that your other devices may have: {elsewhere}."));
    let stale = (stale > 0).then(|| format!(" Entries indexed wrongly: {stale}."));
    view! {
        <p class="verdict" data-kind=if is_sound { "good" } else { "bad" } data-testid="check-verdict">
            <Icon name=icon small=true />
            {verdict}
        </p>
        <p class="field-hint">
            {format!("Content read: {blobs}. States of files checked: {manifests}.")} {unused} {stale} {elsewhere}
        </p>
        <ul class="findings">
            {repairable.into_iter().map(|finding| view! { <li><p>{sentence(&finding)}</p></li> }).collect_view()}
            {broken.into_iter().map(|broken| view! { <BrokenItem course broken /> }).collect_view()}
        </ul>
        {can_repair
            .then(|| {
                view! {
                    <button class="button" type="button" data-testid="check-repair" on:click=move |_| course.begin(Errand::Repair)>
                        "Repair and clean up"
                    </button>
                }
            })}
    }
}

/// Something that cannot be repaired: it can be saved as it is, and taken away.
#[component]
fn BrokenItem(
    /// The check.
    course: Course,
    /// What it is.
    broken: Broken,
) -> impl IntoView {
    let Broken { finding, sentence: words } = broken;
    let (to_export, to_remove) = (finding.clone(), finding);
    let asked = RwSignal::new(false);
    let export = move |_| {
        let finding = to_export.clone();
        spawn(async move {
            if let Err(error) = upkeep::export(finding).await {
                course.notices.show(NoticeKind::Error, format!("It was not exported: {error}."));
            }
        });
    };
    let remove = move |_| {
        if !asked.get_untracked() {
            return asked.set(true);
        }
        let finding = to_remove.clone();
        spawn(async move {
            match upkeep::remove(finding).await {
                Ok(()) => course.begin(Errand::Check),
                Err(error) => course.notices.show(NoticeKind::Error, format!("It was not removed: {error}.")),
            }
        });
    };
    view! {
        <li data-testid="check-finding">
            <p>{sentence(&words)}</p>
            <div class="finding-actions">
                <button class="button button-small" type="button" data-testid="check-export" on:click=export>"Export"</button>
                <button class="button button-small button-danger" type="button" data-testid="check-remove" on:click=remove>
                    {move || if asked.get() { "Remove for good" } else { "Remove" }}
                </button>
            </div>
        </li>
    }
}

//! The cage's own check: Python is loaded, tries every way out, and the page shows what became of each.

use leptos::prelude::*;
use satchel_core::python::{CageReport, Probe};

use super::cage_list::CageList;
use super::section::{Section, SectionId};
use crate::browser::spawn::spawn;
use crate::ui::parts::{Icon, IconName, sentence};
use crate::work::cage_check;

#[derive(Clone)]
enum Check {
    NotRun,
    Running,
    Done(CageReport),
    Failed(String),
}

/// The section of the cage.
#[component]
pub(crate) fn CageSection() -> impl IntoView {
    let target = RwSignal::new(cage_check::default_target());
    let check = RwSignal::new(Check::NotRun);
    let is_running = move || check.with(|check| matches!(check, Check::Running));
    let run = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_running() {
            return;
        }
        check.set(Check::Running);
        spawn(async move {
            let outcome = match cage_check::run(target.get_untracked()).await {
                Ok(report) => Check::Done(report),
                Err(error) => Check::Failed(error),
            };
            // Nobody waits for it if the user has left the page meanwhile.
            check.try_set(outcome);
        });
    };
    view! {
        <Section
            id=SectionId::Cage
            about="Tools are Python from strangers, so they run where they can reach neither your data nor the network. See for yourself."
        >
            <CageList />
            <form class="row row-stack" on:submit=run>
                <label class="field">
                    <span class="field-label">"Address the check tries to reach"</span>
                    <input
                        class="input"
                        type="url"
                        required
                        autocomplete="off"
                        spellcheck="false"
                        data-testid="cage-target"
                        bind:value=target
                    />
                    <span class="field-hint">"Any address of yours will do: watch it, and see that nothing arrives."</span>
                </label>
                <div class="row-buttons">
                    <button class="button" type="submit" data-testid="cage-check" disabled=is_running>
                        <Icon name=IconName::Shield small=true />
                        "Check the cage"
                    </button>
                    <Progress is_running=Signal::derive(is_running) />
                </div>
            </form>
            {move || match check.get() {
                Check::NotRun | Check::Running => ().into_any(),
                Check::Done(report) => view! { <Report report /> }.into_any(),
                Check::Failed(error) => {
                    let words = format!("The check did not finish. {}", sentence(&error));
                    view! { <p class="row field-error" role="alert" data-testid="cage-error">{words}</p> }.into_any()
                }
            }}
        </Section>
    }
}

#[component]
fn Progress(
    /// Whether there is any.
    is_running: Signal<bool>,
) -> impl IntoView {
    let words = move || {
        is_running
            .get()
            .then(|| view! { <div class="spinner"></div> "Loading Python. The first time takes a few seconds." })
    };
    view! { <div class="row-buttons field-hint" role="status">{words}</div> }
}

/// What the check found.
#[component]
fn Report(
    /// The findings.
    report: CageReport,
) -> impl IntoView {
    let (kind, verdict) = if report.is_closed() {
        ("good", format!("Closed: all {} ways out were refused", report.probes.len()))
    } else {
        let open = report.probes.iter().filter(|probe| !probe.refused).count();
        ("bad", format!("Not closed: {open} of {} ways out are open", report.probes.len()))
    };
    // What Python says of itself names its compiler too; the number is enough here, the rest is in the title.
    let number = report.python.split_whitespace().next().unwrap_or_default().to_owned();
    let seconds = f64::from(report.load_millis) / 1_000.0;
    view! {
        <div class="row" role="status">
            <p>
                <span data-testid="cage-python" title=report.python>"Python " {number}</span>
                {format!(", loaded in {seconds:.1} s")}
            </p>
            <span class="badge" data-kind=kind data-testid="cage-verdict">{verdict}</span>
        </div>
        <ul class="report" data-testid="cage-report">
            {report.probes.into_iter().map(|probe| view! { <ProbeRow probe /> }).collect_view()}
        </ul>
    }
}

#[component]
fn ProbeRow(
    /// The way out that was tried.
    probe: Probe,
) -> impl IntoView {
    let Probe { way, refused, detail } = probe;
    let test_id = format!("cage-probe-{way}");
    let (kind, word, icon) =
        if refused { ("good", "Refused", IconName::Check) } else { ("bad", "Open", IconName::Warning) };
    view! {
        <li class="probe" data-testid=test_id data-refused=if refused { "true" } else { "false" }>
            <Icon name=icon small=true />
            <span class="probe-way">{way}</span>
            <span class="badge" data-kind=kind>{word}</span>
            <span class="probe-detail">{detail}</span>
        </li>
    }
}

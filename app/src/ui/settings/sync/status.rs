//! How sync is doing, in words, and the way on where somebody has to do something.

use leptos::prelude::*;
use satchel_core::sync::{DriverView, Progress, WayOn};

use super::CodeShown;
use super::anew::AnewRow;
use super::off::JoinForm;
use crate::browser::spawn::spawn;
use crate::browser::{clock, page};
use crate::state::{Connection, NoticeKind, Notices, SyncStatus};
use crate::ui::parts::{in_words, sentence};
use crate::work::errand::ErrandError;
use crate::work::sync;

/// The row of the status.
#[component]
pub(super) fn StatusRow(
    /// Where a fresh code is shown.
    shown: CodeShown,
) -> impl IntoView {
    let (status, connection) = (SyncStatus::expect(), Connection::expect());
    let told = Memo::new(move |_| Told::of(&status.view().unwrap_or_default(), connection.trouble()));
    let is_paused = Memo::new(move |_| status.view() == Some(DriverView::Paused));
    let way_on = Memo::new(move |_| match status.view() {
        Some(DriverView::Stuck { way_on, .. }) => Some(way_on),
        _ => None,
    });
    let is_waiting =
        Memo::new(move |_| matches!(status.view(), Some(DriverView::Waiting { .. } | DriverView::Full { .. })));
    view! {
        <div class="row">
            <div class="field" role="status">
                <div
                    class="field-label"
                    data-testid="sync-status"
                    data-state=move || told.with(|told| told.state)
                    data-kind=move || told.with(|told| told.kind)
                >
                    {move || told.with(|told| told.headline.clone())}
                </div>
                <p class="field-hint" data-testid="sync-status-hint">{move || told.with(|told| told.hint.clone())}</p>
            </div>
            <div class="row-buttons">
                {move || {
                    is_waiting
                        .get()
                        .then(|| {
                            view! {
                                <button class="button" type="button" data-testid="sync-again" on:click=move |_| sync::try_again()>
                                    "Try now"
                                </button>
                            }
                        })
                }}
                <PauseButton is_paused />
            </div>
        </div>
        {move || way_on.get().map(|way_on| view! { <Way way_on shown /> })}
    }
}

#[component]
fn PauseButton(
    /// Whether it rests.
    is_paused: Memo<bool>,
) -> impl IntoView {
    let notices = Notices::expect();
    let press = move |_| {
        let wanted = !is_paused.get_untracked();
        settle(notices, "Sync was not paused or resumed", sync::pause(wanted));
    };
    view! {
        <button class="button" type="button" data-testid="sync-pause" on:click=press>
            {move || if is_paused.get() { "Resume" } else { "Pause" }}
        </button>
    }
}

/// What can be done about what has stopped it.
#[component]
fn Way(
    /// What.
    way_on: WayOn,
    /// Where a fresh code is shown.
    shown: CodeShown,
) -> impl IntoView {
    let notices = Notices::expect();
    let button = |words: &'static str, press: Box<dyn Fn()>| {
        view! {
            <div class="row row-stack">
                <div class="row-buttons">
                    <button class="button button-accent" type="button" data-testid="sync-way-on" on:click=move |_| press()>
                        {words}
                    </button>
                </div>
            </div>
        }
        .into_any()
    };
    match way_on {
        WayOn::EnterCode => view! {
            <div class="row row-stack">
                <JoinForm words="Enter the code that another device shows under Settings, Sync." />
            </div>
            <AnewRow shown />
        }
        .into_any(),
        WayOn::Begin => button(
            "Start again with this device's key",
            Box::new(move || settle(notices, "Sync was not started", sync::begin())),
        ),
        WayOn::Reload => button("Reload", Box::new(page::reload)),
        WayOn::ReadAgain => button(
            "Read everything again",
            Box::new(move || settle(notices, "Nothing was read again", sync::read_again())),
        ),
        WayOn::Again | WayOn::Elsewhere => button("Try again", Box::new(sync::try_again)),
        WayOn::Nothing => ().into_any(),
    }
}

/// Has something done, and says if it was not.
pub(super) fn settle(
    notices: Notices,
    otherwise: &'static str,
    doing: impl Future<Output = Result<(), ErrandError>> + 'static,
) {
    spawn(async move {
        if let Err(error) = doing.await {
            notices.show(NoticeKind::Error, format!("{otherwise}: {error}."));
        }
    });
}

/// How it is doing, as it is told.
#[derive(Clone, PartialEq, Eq)]
struct Told {
    /// For who looks by program.
    state: &'static str,
    /// How it looks.
    kind: &'static str,
    headline: String,
    hint: String,
}

impl Told {
    fn of(view: &DriverView, trouble: Option<&'static str>) -> Self {
        let told = |state, kind, headline: &str, hint: String| Self { state, kind, headline: headline.into(), hint };
        match view {
            DriverView::Off => told("off", "", "Off", String::new()),
            DriverView::UpToDate { at, held_back: 0 } if trouble.is_some() => {
                let hint = format!("The server cannot be reached. Last checked on {}.", clock::in_words(*at));
                told("up-to-date", "", "Up to date at the last check", hint)
            }
            DriverView::UpToDate { at, held_back: 0 } => {
                told("up-to-date", "good", "Up to date", format!("Last checked on {}.", clock::in_words(*at)))
            }
            DriverView::UpToDate { held_back, .. } => {
                let hint = format!(
                    "Not sent: {held_back}, because their files are missing or damaged here. Check the storage, below."
                );
                told("up-to-date", "caution", "Up to date, except for damaged files", hint)
            }
            DriverView::Full { quota_bytes, .. } => {
                let hint = format!(
                    "Your server keeps {} for this account, and that is used up. What your other devices send still comes; files that you add here wait. Whoever runs the server can allow more, with sync_quota_bytes in its satchel.toml. Deleting chats makes room too, but only some weeks later.",
                    in_words(*quota_bytes)
                );
                told("full", "caution", "Receiving only: the server has no room left", hint)
            }
            DriverView::Running(progress) => {
                let hint = "You can keep working; close the tab whenever you like.".to_owned();
                told("running", "", &doing(progress.as_ref()), hint)
            }
            DriverView::Paused => {
                let hint = "What you write is kept here, and sent when you resume.".to_owned();
                told("paused", "", "Paused", hint)
            }
            DriverView::Waiting { why, until } => {
                let headline = if trouble == Some("Offline") { "Offline" } else { "Waiting" };
                let hint = format!("{} It tries again by itself at {}.", sentence(why), clock::in_words(*until));
                told("waiting", "caution", headline, hint)
            }
            DriverView::Stuck { why, .. } => told("stuck", "bad", "Stopped", sentence(why)),
        }
    }
}

fn doing(progress: Option<&Progress>) -> String {
    match progress {
        None => "Looking for changes…".to_owned(),
        Some(Progress::Sending { sent, of }) => format!("Sending {sent} of {of}…"),
        Some(Progress::SentBytes(bytes)) => format!("Sending files, {} so far…", in_words(*bytes)),
        Some(Progress::Receiving(left)) => format!("Receiving, {left} to come…"),
        Some(Progress::ReceivedBytes(bytes)) => format!("Receiving files, {} so far…", in_words(*bytes)),
        Some(Progress::Compacting) => "Tidying up on the server…".to_owned(),
    }
}

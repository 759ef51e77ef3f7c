//! One call: a line that says which tool and how it went, what the tool made below it, and the details inside.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::record::{CallStatus, RequestedCall, ToolCall};
use satchel_core::render::{CallLabel, View};

use super::details::Details;
use super::waiting::Waiting;
use crate::state::{Run, Runs};
use crate::ui::parts::{Icon, IconName, sentence};
use crate::ui::renderers::{DisplayView, KeptDisplays, LiveOutput, Rendered, WhenNear, is_shown_at_once, view_of};

/// How many characters of what went wrong are shown while the details are closed.
const LONGEST_PROBLEM: usize = 300;

/// How a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Calling,
    Completed,
    Error,
    /// A message asks for it, and there is no record.
    Unknown,
}

impl Standing {
    /// `may_come` says of a call without a record whether it may still get one.
    fn of(row: Option<&ToolCall>, may_come: bool) -> Self {
        match row.map(|row| row.status) {
            Some(CallStatus::Pending | CallStatus::Running) => Self::Calling,
            Some(CallStatus::Success) => Self::Completed,
            Some(CallStatus::Error) => Self::Error,
            None if may_come => Self::Calling,
            None => Self::Unknown,
        }
    }

    /// The kind of badge, the words in it, and the icon beside them.
    fn badge(self) -> (&'static str, &'static str, Option<IconName>) {
        match self {
            Self::Calling => ("caution", "Calling...", None),
            Self::Completed => ("good", "Completed", Some(IconName::Check)),
            Self::Error => ("bad", "Error", Some(IconName::Error)),
            Self::Unknown => ("none", "No record", Some(IconName::Info)),
        }
    }
}

/// A call.
#[component]
pub(crate) fn ToolCallCard(
    /// What the message asks for.
    requested: RequestedCall,
    /// The record of the call.
    row: Memo<Option<Arc<ToolCall>>>,
    /// Whether the records have been read.
    is_read: Signal<bool>,
    /// Whether the answer that asks for it is still being worked on, so that it may wait for its turn.
    #[prop(into)]
    may_come: Signal<bool>,
) -> impl IntoView {
    let standing = Memo::new(move |_| row.with(|row| Standing::of(row.as_deref(), !is_read.get() || may_come.get())));
    // Open while it runs, closed after, unless the user says otherwise.
    let chosen = RwSignal::new(None::<bool>);
    let status = Memo::new(move |_| row.with(|row| row.as_ref().map(|row| row.status)));
    let is_running = Memo::new(move |_| status.get() == Some(CallStatus::Running));
    let is_pending = Memo::new(move |_| status.get() == Some(CallStatus::Pending));
    let id = Memo::new(move |_| row.with(|row| row.as_ref().map(|row| row.id.clone())));
    let is_over = Memo::new(move |_| matches!(status.get(), Some(CallStatus::Success | CallStatus::Error)));
    let is_open = Memo::new(move |_| chosen.get().unwrap_or(is_running.get()));
    let wire_name = requested.function.name.clone();
    let label = Memo::new(move |_| {
        row.with(|row| {
            row.as_ref().map_or_else(|| CallLabel::of_wire(&wire_name), |row| CallLabel::of_id(&row.tool_id))
        })
    });
    let requested = StoredValue::new(requested);
    view! {
        <article class="tool-call" data-testid="tool-call-message" data-standing=move || standing.get().badge().0>
            <button
                class="tool-call-head"
                type="button"
                data-testid="tool-call-expand"
                aria-expanded=move || is_open.get().to_string()
                on:click=move |_| chosen.set(Some(!is_open.get_untracked()))
            >
                <Icon name=IconName::Forward small=true />
                <span class="tool-call-name">{move || label.get().tool}</span>
                <span class="tool-call-toolset">{move || label.get().toolset}</span>
                <Badge standing row />
            </button>
            {move || {
                is_open
                    .get()
                    .then(|| {
                        view! {
                            {move || row.get().filter(|_| is_running.get()).map(|row| view! { <Live call=row /> })}
                            <Details requested row />
                        }
                    })
            }}
            {move || id.get().filter(|_| !is_over.get()).map(|call| view! { <Waiting call is_pending /> })}
            {move || row.get().filter(|_| is_over.get()).map(|call| view! { <Shown call /> })}
        </article>
    }
}

/// How it went, in a word, a colour and a sign.
#[component]
fn Badge(
    /// How the call stands.
    standing: Memo<Standing>,
    /// Its record, for the time it took.
    row: Memo<Option<Arc<ToolCall>>>,
) -> impl IntoView {
    let took = move || {
        row.with(|row| {
            let row = row.as_ref()?;
            let millis = row.finished_at?.as_millis().saturating_sub(row.started_at.as_millis());
            Some(if millis < 950 {
                format!("{millis} ms")
            } else {
                format!("{}.{} s", millis / 1_000, millis % 1_000 / 100)
            })
        })
    };
    view! {
        <span class="tool-call-took">{took}</span>
        <span class="badge" data-testid="tool-call-status" data-kind=move || standing.get().badge().0>
            {move || match standing.get().badge() {
                (_, _, Some(name)) => view! { <Icon name small=true /> }.into_any(),
                (_, _, None) => view! { <span class="spinner spinner-small" aria-hidden="true"></span> }.into_any(),
            }}
            {move || standing.get().badge().1}
        </span>
    }
}

/// The beginning of a line; all of it is in the details.
fn beginning(line: &str) -> String {
    match line.char_indices().nth(LONGEST_PROBLEM) {
        None => line.to_owned(),
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
    }
}

/// What the tool made: shown whether the details are open or not, where it is something to look at.
#[component]
fn Shown(
    /// The call, ended.
    call: Arc<ToolCall>,
) -> impl IntoView {
    let view = view_of(&call);
    if let View::Error { message, .. } = &view {
        let line = beginning(message.lines().next().unwrap_or_default());
        let displays = call.displays.clone();
        return view! {
            <p class="tool-call-problem">{sentence(&line)}</p>
            {(!displays.is_empty()).then(|| view! { <div class="tool-call-shown"><KeptDisplays displays /></div> })}
        }
        .into_any();
    }
    let is_worth_it = is_shown_at_once(&view, &call);
    if !is_worth_it && call.displays.is_empty() {
        return ().into_any();
    }
    view! {
        <div class="tool-call-shown">
            <WhenNear>
                <KeptDisplays displays=call.displays.clone() />
                {is_worth_it.then(|| view! { <Rendered call=Arc::clone(&call) /> })}
            </WhenNear>
        </div>
    }
    .into_any()
}

/// What a running call writes and shows.
#[component]
fn Live(
    /// The call.
    call: Arc<ToolCall>,
) -> impl IntoView {
    let runs = Runs::expect();
    let id = call.id.to_string();
    let run = move || runs.running.with(|running| running.iter().find(|run| run.call == id).cloned());
    move || {
        run().map(|Run { output, displays, .. }| {
            view! {
                <LiveOutput output />
                <For each=move || displays.get().into_iter().enumerate() key=|(at, _)| *at let:shown>
                    <DisplayView bundle=shown.1 />
                </For>
            }
        })
    }
}

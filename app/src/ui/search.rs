//! The box that finds anything: chats, messages, files and tools, and the app's own commands (R313).
//!
//! The keys stay in the field; the arrows walk the list below it. The commands are matched here, everything else in the core worker.

mod command;
mod entry;
mod jump;
mod row;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use self::command::Commands;
use self::entry::{Choice, Entries, entries};
use self::jump::Jump;
use self::row::RowView;
use super::parts::{Icon, IconName};
use crate::browser::page;
use crate::state::search::{Finding, Findings};
use crate::state::{Chats, Search};

const DIALOG: &str = "search";
const INPUT: &str = "search-input";
const LIST: &str = "search-list";

/// The box, drawn while it is open.
#[component]
pub(crate) fn SearchLayer() -> impl IntoView {
    let search = Search::expect();
    // An effect runs once the dialog is in the page.
    Effect::new(|_| {
        page::open_dialog(DIALOG);
        page::focus(INPUT);
    });
    on_cleanup(|| page::close_dialog(DIALOG));
    let on_cancel = move |event: leptos::ev::Event| {
        // The state closes it.
        event.prevent_default();
        search.close();
    };
    let on_click = move |event: leptos::ev::MouseEvent| {
        // The dialog itself is only pressed beside its contents.
        if page::is_pressed_itself(&event) {
            search.close();
        }
    };
    view! {
        <dialog class="search" id=DIALOG aria-label="Search" data-testid="search" on:cancel=on_cancel on:click=on_click>
            <SearchBox />
        </dialog>
    }
}

/// The field and the list.
#[component]
fn SearchBox() -> impl IntoView {
    let (search, finding, chats) = (Search::expect(), Finding::begin(), Chats::expect());
    let (commands, jump) = (Commands::here(), Jump::from_here());
    let shown = Memo::new(move |_| entries(&finding.typed(), &finding.findings(), &chats.list(), &commands));
    let active = RwSignal::new(0_usize);
    let choose = move |choice: Choice| match choice {
        Choice::More(kind) => finding.want_more(|wanted| kind.widen(wanted)),
        Choice::Command(command) => {
            search.close();
            commands.run(command);
        }
        Choice::Place(place) => {
            search.close();
            jump.to(place);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let count = shown.with_untracked(Entries::count);
        let at = active.get_untracked().min(count.saturating_sub(1));
        let next = match event.key().as_str() {
            "ArrowDown" => Some(if at + 1 < count { at + 1 } else { 0 }),
            "ArrowUp" => Some(if at > 0 { at - 1 } else { count.saturating_sub(1) }),
            "PageDown" => Some((at + 8).min(count.saturating_sub(1))),
            "PageUp" => Some(at.saturating_sub(8)),
            "Enter" if !event.is_composing() => {
                event.prevent_default();
                if let Some(choice) = shown.with_untracked(|entries| entries.choice(at)) {
                    choose(choice);
                }
                None
            }
            _ => None,
        };
        if let Some(next) = next {
            event.prevent_default();
            active.set(next);
            page::reveal(&row_id(next));
        }
    };
    let on_input = move |event| {
        finding.look_for(event_target_value(&event));
        active.set(0);
    };
    view! {
        <div class="search-field">
            <Icon name=IconName::Search />
            <input
                class="search-input"
                id=INPUT
                data-testid="search-input"
                type="text"
                role="combobox"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                enterkeyhint="go"
                maxlength="200"
                placeholder="Search, or run a command"
                aria-label="Search chats, messages, files, tools and commands"
                aria-autocomplete="list"
                aria-expanded=move || (shown.with(Entries::count) > 0).to_string()
                aria-controls=LIST
                aria-activedescendant=move || {
                    let count = shown.with(Entries::count);
                    (count > 0).then(|| row_id(active.get().min(count - 1)))
                }
                on:input=on_input
                on:keydown=on_key
            />
            <button class="icon-button" type="button" aria-label="Close" on:click=move |_| search.close()>
                <Icon name=IconName::Close small=true />
            </button>
        </div>
        <Sections shown is_busy=Signal::derive(move || finding.is_busy()) active choose />
        <p class="search-note" role="status" data-testid="search-note">
            {move || note(&finding.typed(), &finding.findings(), shown.with(Entries::count))}
        </p>
    }
}

/// What was found, kind by kind.
#[component]
fn Sections(
    /// All of it.
    shown: Memo<Entries>,
    /// Whether it is still that of what was typed before.
    is_busy: Signal<bool>,
    /// Which row the keys are on.
    active: RwSignal<usize>,
    /// Told which row was chosen.
    choose: impl Fn(Choice) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let sections = move || {
        let entries = shown.get();
        let count = entries.count();
        let mut number = 0;
        let sections = entries.0.into_iter().map(|section| {
            let label = format!("search-{}", section.kind.word());
            let labelled_by = label.clone();
            let rows = section.rows.into_iter().map(|row| {
                let at = number;
                number += 1;
                let is_active = Signal::derive(move || active.get().min(count.saturating_sub(1)) == at);
                let choice = row.choice.clone();
                view! { <RowView id=row_id(at) row is_active on_choose=move || choose(choice.clone()) /> }
            });
            let rows = rows.collect_view();
            view! {
                <div class="search-section" role="group" aria-labelledby=labelled_by>
                    <div class="search-heading" id=label role="presentation">{section.kind.title()}</div>
                    {rows}
                </div>
            }
        });
        sections.collect_view()
    };
    view! {
        <div class="search-list" id=LIST role="listbox" aria-label="Search results" aria-busy=move || is_busy.get().to_string()>
            {sections}
        </div>
    }
}

fn row_id(at: usize) -> String {
    format!("search-row-{at}")
}

/// A sentence on what is there, for the eye and for screen readers.
fn note(typed: &str, findings: &Findings, count: usize) -> String {
    let results = match count {
        0 => "Nothing found. Try fewer or shorter words.".to_owned(),
        1 => "1 result.".to_owned(),
        count => format!("{count} results."),
    };
    match findings {
        Findings::None if typed.trim().is_empty() => {
            "Type to search. Use the arrow keys; Enter opens, Esc closes.".into()
        }
        Findings::None => results,
        Findings::Asked => "Searching…".into(),
        Findings::Known(found) if found.is_whole => results,
        Findings::Known(_) => "Still reading your chats; there may be more in a moment.".into(),
        Findings::Unknown(error) => format!("Only commands can be found: {error}."),
    }
}

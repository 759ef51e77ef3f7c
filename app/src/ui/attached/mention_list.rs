//! The files that can be named where the caret is, after an at sign. The keys stay in the composer; the arrows walk the list, Enter or Tab
//! writes the path, Escape lets the at sign be one.

use leptos::prelude::*;
use satchel_core::conversation::mention::{self, Begun};
use satchel_core::palette::{Findable, rank};
use satchel_core::workspace::WorkspacePath;

use crate::browser::page;
use crate::state::mentions::{LIST, Listed};
use crate::state::{FilesPane, Mentions};
use crate::ui::parts::{Icon, IconName};

const COMPOSER: &str = "chat-input";
/// So many are shown; who looks for another types more of its path.
const SHOWN: usize = 8;

/// What can be written.
#[derive(Clone, PartialEq)]
struct Offer {
    begun: Begun,
    paths: Vec<WorkspacePath>,
}

/// The list, drawn while something stands there that may be named.
#[component]
pub(crate) fn MentionList() -> impl IntoView {
    let (mentions, pane) = (Mentions::expect(), FilesPane::expect());
    // An at sign that was put away stays so while the caret is in the same word.
    let put_away = RwSignal::new(None::<usize>);
    let offer = Memo::new(move |_| {
        mentions.moves();
        let text = mentions.draft().text();
        let begun = mention::begun(&text, page::caret(COMPOSER, &text)?)?;
        if put_away.get() == Some(begun.place.start) {
            return None;
        }
        let listing = pane.workspace()?.listing()?.ok()?;
        let paths = found(&begun.path, listing.files.keys());
        (!paths.is_empty()).then_some(Offer { begun, paths })
    });
    let active = RwSignal::new(0_usize);
    let count = move || offer.with(|offer| offer.as_ref().map_or(0, |offer| offer.paths.len()));
    let here = Memo::new(move |_| active.get().min(count().saturating_sub(1)));
    let choose = move |at: usize| {
        let Some(Offer { begun, paths }) = offer.get_untracked() else { return };
        let Some(path) = paths.get(at) else { return };
        let text = untrack(move || mentions.draft().text());
        let before = format!("{}{} ", &text[..begun.place.start], mention::written(path));
        let rest = text[begun.place.end..].trim_start_matches(' ');
        // In the field first: who types on does not wait until it is drawn.
        page::put_text(COMPOSER, &before, rest);
        mentions.draft().type_text(format!("{before}{rest}"));
        active.set(0);
        mentions.hear();
    };
    let keys = Callback::new(move |key: String| {
        let (count, at) = untrack(move || (count(), here.get()));
        if count == 0 {
            return false;
        }
        match key.as_str() {
            "ArrowDown" => active.set((at + 1) % count),
            "ArrowUp" => active.set((at + count - 1) % count),
            "Enter" | "Tab" => choose(at),
            "Escape" => put_away.set(offer.with_untracked(|offer| offer.as_ref().map(|offer| offer.begun.place.start))),
            _ => return false,
        }
        true
    });
    let active_row = Memo::new(move |_| (count() > 0).then(|| row_id(here.get())));
    mentions.are_in(Listed { keys, active: active_row });
    on_cleanup(move || mentions.are_in_no_list());
    move || {
        offer.get().map(|Offer { paths, .. }| {
            let rows = paths.into_iter().enumerate().map(|(at, path)| {
                // The composer keeps the focus.
                let press = move |event: leptos::ev::MouseEvent| {
                    event.prevent_default();
                    choose(at);
                };
                view! {
                    <li
                        class="palette-item"
                        role="option"
                        id=row_id(at)
                        aria-selected=move || (here.get() == at).to_string()
                        data-testid="mention-option"
                        on:mousedown=press
                    >
                        <span class="palette-name"><Icon name=IconName::File small=true /> {path.to_string()}</span>
                    </li>
                }
            });
            view! {
                <div class="palette mention-palette">
                    <ul class="palette-list mention-list" id=LIST role="listbox" aria-label="Files" data-testid="mention-list">
                        {rows.collect_view()}
                    </ul>
                    <p class="palette-note">"Enter adds the file for the model to read. Esc closes."</p>
                </div>
            }
        })
    }
}

fn row_id(at: usize) -> String {
    format!("mention-{at}")
}

/// The files that what is typed may mean, the best first.
fn found<'a>(typed: &str, files: impl Iterator<Item = &'a WorkspacePath>) -> Vec<WorkspacePath> {
    let files: Vec<&WorkspacePath> = files.collect();
    if typed.is_empty() {
        return files.into_iter().take(SHOWN).cloned().collect();
    }
    let findable = |path: &&'a WorkspacePath| Findable {
        slug: path.as_str(),
        name: path.name(),
        group: "",
        description: "",
        category: "",
        tags: &[],
        recent: 0,
    };
    let findable: Vec<Findable<'_>> = files.iter().map(findable).collect();
    rank(typed, &findable).into_iter().take(SHOWN).map(|at| files[at].clone()).collect()
}

//! Finding: a field, and below it what matches. The keys stay in the field; the arrows walk the list.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::local_api::reading::ToolItemRead;
use satchel_core::palette::{Findable, rank};

use super::INPUT;
use super::item::{Item, ItemRow};
use crate::browser::page;
use crate::state::tools::Listed;
use crate::state::{Attaching, Palette, ToolGroup, Tools};
use crate::ui::parts::{Icon, IconName};
use crate::ui::workspace::UPLOAD_INPUT;

const LIST: &str = "palette-list";
/// So many are shown; who looks for another types more of its name.
const SHOWN: usize = 60;

/// The field and the list.
#[component]
pub(super) fn Finder(
    /// What is looked for.
    query: RwSignal<String>,
    /// Told which tool was chosen.
    on_choose: impl Fn(ToolItemRead) + Copy + Send + Sync + 'static,
    /// Told when the user wants it closed.
    on_close: impl Fn() + Copy + 'static,
) -> impl IntoView {
    let (tools, palette, attaching) = (Tools::expect(), Palette::expect(), Attaching::expect());
    let items = Memo::new(move |_| items(&query.get(), &tools.groups()));
    let active = RwSignal::new(0_usize);
    // Enter came before the tools were read; what was typed is opened once they are.
    let is_entered = RwSignal::new(false);
    // An effect runs once the field is in the page.
    Effect::new(move |_| page::focus(INPUT));
    let choose = move |item: Item| match item {
        Item::Heading(_) => {}
        Item::Attach => {
            palette.close();
            attaching.begin_picking();
            page::press(UPLOAD_INPUT);
        }
        Item::Tool(tool) if tool.unavailable_reason.is_some() => {}
        Item::Tool(tool) => on_choose(*tool),
    };
    let step = move |by: isize| {
        items.with_untracked(|items| {
            let places: Vec<usize> = (0..items.len()).filter(|at| items[*at].can_be_chosen()).collect();
            let Some(count) = isize::try_from(places.len()).ok().filter(|count| *count > 0) else { return };
            let here =
                places.iter().position(|at| *at == active.get_untracked()).and_then(|at| isize::try_from(at).ok());
            let next = here.map_or(0, |here| (here + by).rem_euclid(count));
            let at = places[usize::try_from(next).unwrap_or(0)];
            active.set(at);
            page::reveal(&row_id(at));
        });
    };
    let enter = move || match items.with_untracked(|items| items.get(active.get_untracked()).cloned()) {
        Some(item) => choose(item),
        // Nothing is called that: it goes back into the message.
        None => on_close(),
    };
    let type_query = move |text: String| {
        query.set(text);
        is_entered.set(false);
        let first = items.with_untracked(|items| items.iter().position(Item::can_be_chosen));
        active.set(first.unwrap_or(0));
    };
    let on_key = move |event: KeyboardEvent| {
        let is_handled = match event.key().as_str() {
            "ArrowDown" => {
                step(1);
                true
            }
            "ArrowUp" => {
                step(-1);
                true
            }
            "Enter" if !event.is_composing() => {
                let is_typed = query.with_untracked(|query| !query.trim().is_empty());
                if is_typed && matches!(tools.listed_untracked(), Listed::Asked) {
                    is_entered.set(true);
                } else {
                    enter();
                }
                true
            }
            "Backspace" if query.with_untracked(String::is_empty) => {
                palette.close();
                page::focus(super::COMPOSER);
                true
            }
            _ => false,
        };
        if is_handled {
            event.prevent_default();
        }
    };
    // The first that can be chosen is at hand, also once the tools have been read.
    Effect::new(move |_| {
        let is_read = matches!(tools.listed(), Listed::Known(_));
        let first = items.with(|items| items.iter().position(Item::can_be_chosen));
        let is_good = items.with_untracked(|items| items.get(active.get_untracked()).is_some_and(Item::can_be_chosen));
        if !is_good {
            active.set(first.unwrap_or(0));
        }
        if is_read && is_entered.get_untracked() {
            is_entered.set(false);
            enter();
        }
    });
    view! {
        <div class="palette-field">
            <Icon name=IconName::Plus small=true />
            <input
                class="palette-input"
                id=INPUT
                data-testid="palette-input"
                type="text"
                role="combobox"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                placeholder="Find a tool, or attach files"
                aria-label="Find a tool, or attach files"
                aria-haspopup="grid"
                aria-expanded="true"
                aria-controls=LIST
                aria-activedescendant=move || items.with(|items| (!items.is_empty()).then(|| row_id(active.get())))
                prop:value=move || query.get()
                on:input=move |event| type_query(event_target_value(&event))
                on:keydown=on_key
            />
            <button class="icon-button" type="button" aria-label="Close" on:click=move |_| on_close()>
                <Icon name=IconName::Close small=true />
            </button>
        </div>
        <div class="palette-list" id=LIST role="grid" aria-label="Files and tools">
            <For
                each=move || numbered(items.get())
                key=|(at, item)| (*at, item.key())
                children=move |(at, item)| {
                    let is_active = Signal::derive(move || active.get() == at);
                    let chosen = item.clone();
                    view! { <ItemRow id=row_id(at) item is_active on_choose=move || choose(chosen.clone()) /> }
                }
            />
        </div>
        <p class="palette-note" role="status">{move || items.with(|items| note(items, &tools.listed()))}</p>
    }
}

fn row_id(at: usize) -> String {
    format!("palette-row-{at}")
}

fn numbered(items: Vec<Item>) -> Vec<(usize, Item)> {
    items.into_iter().enumerate().collect()
}

/// What is listed: by provider while nothing is typed (R177), else the best first (R253).
fn items(query: &str, groups: &[ToolGroup]) -> Vec<Item> {
    let attach = Findable {
        slug: "attach-files",
        name: "Attach files",
        group: "Upload",
        description: "",
        category: "",
        tags: &[],
        recent: 0,
    };
    let mut items = Vec::new();
    if !rank(query, &[attach]).is_empty() {
        items.push(Item::Attach);
    }
    if query.trim().is_empty() {
        for group in groups {
            items.push(Item::Heading(group.name.clone()));
            items.extend(group.tools.iter().map(|tool| Item::Tool(Box::new(tool.clone()))));
        }
        return items;
    }
    let all: Vec<(&ToolGroup, &ToolItemRead)> =
        groups.iter().flat_map(|group| group.tools.iter().map(move |tool| (group, tool))).collect();
    let findable: Vec<Findable<'_>> = all.iter().map(|(group, tool)| findable(group, tool)).collect();
    let found: Vec<Item> =
        rank(query, &findable).into_iter().take(SHOWN).map(|at| Item::Tool(Box::new(all[at].1.clone()))).collect();
    // A tool that was looked for goes before the files that were not.
    if rank(query, &[attach]).is_empty() { found } else { found.into_iter().chain(items).collect() }
}

fn findable<'a>(group: &'a ToolGroup, tool: &'a ToolItemRead) -> Findable<'a> {
    Findable {
        slug: &tool.slug,
        name: &tool.name,
        group: &group.name,
        description: &tool.description,
        category: tool.category.as_deref().unwrap_or_default(),
        tags: &tool.tags,
        recent: i64::try_from(tool.recent().as_millis()).unwrap_or(i64::MAX),
    }
}

fn note(items: &[Item], listed: &Listed) -> String {
    let tools = items.iter().filter(|item| matches!(item, Item::Tool(_))).count();
    match (listed, tools) {
        (Listed::Asked, _) => "Loading…".into(),
        (Listed::Unknown(error), _) => format!("The tools cannot be read: {error}."),
        (Listed::Known(_), 0) => "No tool has that name. Enter puts the text back into your message.".into(),
        (Listed::Known(_), 1) => "1 tool. Enter opens it.".into(),
        (Listed::Known(_), count) => format!("{count} tools. Use the arrow keys; Enter opens, Esc closes."),
    }
}

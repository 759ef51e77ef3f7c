//! A document that grows while it is looked at. What is certain of it is drawn once and stays; only its end is drawn again, some times a
//! second, so that a long answer costs no more per word than a short one. What has gone out of sight is neither laid out nor painted again:
//! the browser is told so for parts of several blocks, as it looks at each of them in every frame.

use std::time::Duration;

use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;
use satchel_core::render::{Block, GrowingDocument, Growth};

use super::markdown::{block, blocks, head_row, list, table_row};
use crate::browser::clock;

/// Blocks to a part.
const PART: usize = 16;
/// Between two drawings: an eye that reads sees no difference, and the page has time for everything else.
const PACE: Duration = Duration::from_millis(40);

/// A block, whole or as far as it has come.
#[derive(Clone)]
enum Entry {
    /// How often it was given counts: it is drawn again only where a link in it gets its address later.
    Whole(Block, u32),
    Growing(Growing),
}

/// A block that grows: what it is, its parts, and what of it is not certain yet.
#[derive(Clone)]
struct Growing {
    first: Block,
    parts: RwSignal<Vec<Block>>,
    tail: RwSignal<Vec<Block>>,
}

/// The document.
#[component]
pub(crate) fn GrowingMarkdown(
    /// All its text so far. It only ever grows.
    text: RwSignal<String>,
    /// Told each part once it is certain and, when the document goes from the screen, the rest.
    on_certain: impl Fn(&Block) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let entries = RwSignal::new(Vec::<Entry>::new());
    // Where the whole blocks are among the entries.
    let wholes = StoredValue::new(Vec::<usize>::new());
    let open = RwSignal::new(Vec::<Block>::new());
    let document = StoredValue::new((GrowingDocument::default(), 0_usize));
    let read = move || {
        document.try_update_value(|(document, read)| {
            let growth = text.try_with_untracked(|text| {
                let growth = document.add(text.get(*read..).unwrap_or_default());
                *read = text.len();
                growth
            });
            for one in growth.into_iter().flatten() {
                if let Growth::Block(block) | Growth::Begin(block) | Growth::More(block) = &one {
                    on_certain(block);
                }
                take(entries, wholes, one);
            }
            show_end(entries, open, document);
        });
    };
    let is_awaited = StoredValue::new(false);
    let drawn_at = StoredValue::new(None::<Duration>);
    let in_next_frame = move || {
        request_animation_frame(move || {
            is_awaited.try_set_value(false);
            drawn_at.try_set_value(Some(clock::monotonic()));
            read();
        });
    };
    Effect::new(move |_| {
        text.track();
        if !is_awaited.get_value() {
            is_awaited.set_value(true);
            let since = drawn_at.get_value().map_or(PACE, |drawn_at| clock::monotonic().saturating_sub(drawn_at));
            match PACE.saturating_sub(since) {
                Duration::ZERO => in_next_frame(),
                rest => set_timeout(in_next_frame, rest),
            }
        }
    });
    on_cleanup(move || {
        // What came since the last frame counts too.
        read();
        let rest = document.try_with_value(|(document, _)| document.open());
        rest.iter().flatten().for_each(on_certain);
    });
    view! {
        <div class="growing">
            <For each=move || 0..entries.with(Vec::len).div_ceil(PART) key=|part| *part let:part>
                <Part entries part />
            </For>
            <div class="markdown">{move || blocks(open.get(), true)}</div>
        </div>
    }
}

/// Some blocks that follow each other.
#[component]
fn Part(
    /// All blocks.
    entries: RwSignal<Vec<Entry>>,
    /// Which part of them.
    part: usize,
) -> impl IntoView {
    let start = part * PART;
    let keys = Memo::new(move |_| keys(entries, start));
    view! {
        <div class="markdown growing-part">
            <For each=move || keys.get() key=|key| *key let((at, _given))>
                {entries.with_untracked(|entries| entries.get(at).cloned()).map(drawn)}
            </For>
        </div>
    }
}

/// What tells the entries of the part from here on apart: their places, and how often each was given.
fn keys(entries: RwSignal<Vec<Entry>>, start: usize) -> Vec<(usize, u32)> {
    let given = |entry: &Entry| match entry {
        Entry::Whole(_, given) => *given,
        Entry::Growing(_) => 0,
    };
    entries.with(|entries| entries.iter().map(given).enumerate().skip(start).take(PART).collect())
}

fn take(entries: RwSignal<Vec<Entry>>, wholes: StoredValue<Vec<usize>>, growth: Growth) {
    match growth {
        Growth::Block(block) => {
            wholes.try_update_value(|wholes| wholes.push(entries.with_untracked(Vec::len)));
            entries.update(|entries| entries.push(Entry::Whole(block, 0)));
        }
        Growth::Again { at, block } => {
            let at = wholes.try_with_value(|wholes| wholes.get(at).copied()).flatten();
            entries.update(|entries| {
                if let Some(Entry::Whole(before, given)) = at.and_then(|at| entries.get_mut(at)) {
                    *before = block;
                    *given += 1;
                }
            });
        }
        Growth::Begin(first) => {
            let growing = Growing { first, parts: RwSignal::default(), tail: RwSignal::default() };
            entries.update(|entries| entries.push(Entry::Growing(growing)));
        }
        Growth::More(more) => match last(entries) {
            Some(growing) if is_alike(&growing.first, &more) => growing.parts.update(|parts| parts.push(more)),
            Some(_) | None => entries.update(|entries| entries.push(Entry::Whole(more, 0))),
        },
        Growth::End => {
            if let Some(growing) = last(entries) {
                growing.tail.set(Vec::new());
            }
        }
    }
}

/// Shows what is not certain yet: in the block that grows, where it is more of that, else below.
fn show_end(entries: RwSignal<Vec<Entry>>, open: RwSignal<Vec<Block>>, document: &GrowingDocument) {
    let mut end = document.open();
    if let Some(growing) = last(entries).filter(|_| document.is_inside()) {
        let is_more = end.first().is_some_and(|block| is_alike(&growing.first, block));
        let below = end.split_off(usize::from(is_more));
        growing.tail.set(std::mem::replace(&mut end, below));
    }
    if !(end.is_empty() && open.with_untracked(Vec::is_empty)) {
        open.set(end);
    }
}

fn last(entries: RwSignal<Vec<Entry>>) -> Option<Growing> {
    entries.with_untracked(|entries| match entries.last() {
        Some(Entry::Growing(growing)) => Some(growing.clone()),
        Some(Entry::Whole(..)) | None => None,
    })
}

fn is_alike(one: &Block, other: &Block) -> bool {
    match (one, other) {
        (Block::List { first, .. }, Block::List { first: other, .. }) => first.is_some() == other.is_some(),
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

fn drawn(entry: Entry) -> AnyView {
    let Growing { first, parts, tail } = match entry {
        Entry::Whole(whole, _) => return block(whole, false),
        Entry::Growing(growing) => growing,
    };
    // Each part is drawn when it comes, and never again.
    let children = move |draw: fn(Block) -> Vec<AnyView>| {
        view! {
            <For each=move || 0..parts.with(Vec::len) key=|at| *at let:at>
                {parts.with_untracked(|parts| parts.get(at).cloned()).map(draw)}
            </For>
            {move || tail.get().into_iter().flat_map(draw).collect_view()}
        }
    };
    match first {
        Block::Code { language, .. } => {
            let code = children(text_of);
            view! {
                <div class="markdown-code">
                    <pre data-language=language tabindex="0"><code>{code}</code></pre>
                </div>
            }
            .into_any()
        }
        Block::List { first: None, items } => view! { <ul>{list(items, true)} {children(things_of)}</ul> }.into_any(),
        Block::List { first: Some(number), items } => {
            view! { <ol start=number.to_string()>{list(items, true)} {children(things_of)}</ol> }.into_any()
        }
        Block::Table { sides, head, rows } => {
            let first = rows.into_iter().map(|cells| table_row(&sides, cells)).collect_view();
            view! {
                <div class="markdown-table" tabindex="0">
                    <table>
                        <thead>{head_row(&sides, head)}</thead>
                        <tbody>{first} {children(rows_of)}</tbody>
                    </table>
                </div>
            }
            .into_any()
        }
        // Nothing else grows.
        other @ (Block::Heading(..) | Block::Paragraph(_) | Block::Quote(_) | Block::Rule) => block(other, false),
    }
}

fn text_of(block: Block) -> Vec<AnyView> {
    match block {
        Block::Code { text, .. } => vec![text.into_any()],
        _other => Vec::new(),
    }
}

fn things_of(block: Block) -> Vec<AnyView> {
    match block {
        Block::List { items, .. } => list(items, true),
        _other => Vec::new(),
    }
}

fn rows_of(block: Block) -> Vec<AnyView> {
    match block {
        Block::Table { sides, rows, .. } => rows.into_iter().map(|cells| table_row(&sides, cells)).collect(),
        _other => Vec::new(),
    }
}

//! A document of core's, with elements of the page's own.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use satchel_core::render::{Block, Inline, ListItem, Side};

use super::code_block::CodeBlock;
use crate::browser::page;

/// The document.
#[component]
pub(crate) fn Markdown(
    /// What it is made of.
    blocks: Vec<Block>,
    /// Whether it is still being written; then its code has no colours yet.
    #[prop(optional)]
    is_growing: bool,
) -> impl IntoView {
    view! { <div class="markdown">{self::blocks(blocks, is_growing)}</div> }
}

/// Its blocks.
pub(super) fn blocks(blocks: Vec<Block>, is_growing: bool) -> Vec<AnyView> {
    blocks.into_iter().map(|one| block(one, is_growing)).collect()
}

/// One of them.
pub(super) fn block(block: Block, is_growing: bool) -> AnyView {
    match block {
        // The page has its own first headlines.
        Block::Heading(level, words) => {
            let class = format!("markdown-h{level}");
            match level {
                1 => view! { <h4 class=class>{inlines(words)}</h4> }.into_any(),
                2 => view! { <h5 class=class>{inlines(words)}</h5> }.into_any(),
                _deeper => view! { <h6 class=class>{inlines(words)}</h6> }.into_any(),
            }
        }
        Block::Paragraph(words) => view! { <p>{inlines(words)}</p> }.into_any(),
        Block::Code { language, text } => view! { <CodeBlock language text is_growing /> }.into_any(),
        Block::Quote(blocks) => view! { <blockquote>{self::blocks(blocks, is_growing)}</blockquote> }.into_any(),
        Block::List { first: None, items } => view! { <ul>{list(items, is_growing)}</ul> }.into_any(),
        Block::List { first: Some(first), items } => {
            view! { <ol start=first.to_string()>{list(items, is_growing)}</ol> }.into_any()
        }
        Block::Table { sides, head, rows } => table(&sides, head, rows),
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

/// The things of a list.
pub(super) fn list(items: Vec<ListItem>, is_growing: bool) -> Vec<AnyView> {
    let item = move |ListItem { is_done, blocks }: ListItem| {
        let mark = is_done.map(|is_done| {
            let words = if is_done { "Done: " } else { "To do: " };
            view! { <input type="checkbox" disabled checked=is_done aria-label=words /> }
        });
        view! { <li data-task=is_done.map(|is_done| is_done.to_string())>{mark} {self::blocks(blocks, is_growing)}</li> }
            .into_any()
    };
    items.into_iter().map(item).collect()
}

fn table(sides: &[Side], head: Vec<Vec<Inline>>, rows: Vec<Vec<Vec<Inline>>>) -> AnyView {
    let rows = rows.into_iter().map(|cells| table_row(sides, cells)).collect_view();
    view! {
        <div class="markdown-table" tabindex="0">
            <table>
                <thead>{head_row(sides, head)}</thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The heads of a table's columns.
pub(super) fn head_row(sides: &[Side], head: Vec<Vec<Inline>>) -> AnyView {
    let cells = head.into_iter().zip(sides_of(sides));
    view! { <tr>{cells.map(|(words, side)| view! { <th data-side=side>{inlines(words)}</th> }).collect_view()}</tr> }
        .into_any()
}

/// One row of a table.
pub(super) fn table_row(sides: &[Side], cells: Vec<Vec<Inline>>) -> AnyView {
    let cells = cells.into_iter().zip(sides_of(sides));
    view! { <tr>{cells.map(|(words, side)| view! { <td data-side=side>{inlines(words)}</td> }).collect_view()}</tr> }
        .into_any()
}

/// What the style sheet knows the sides by; nothing for where text begins anyway, nor for columns that the head does not have.
fn sides_of(sides: &[Side]) -> impl Iterator<Item = Option<&'static str>> {
    let name = |side: &Side| match side {
        Side::Start => None,
        Side::Center => Some("center"),
        Side::End => Some("end"),
    };
    sides.iter().map(name).chain(std::iter::repeat(None))
}

fn inlines(words: Vec<Inline>) -> Vec<AnyView> {
    words.into_iter().map(inline).collect()
}

fn inline(word: Inline) -> AnyView {
    match word {
        Inline::Text(text) => text.into_any(),
        Inline::Code(text) => view! { <code>{text}</code> }.into_any(),
        Inline::Strong(words) => view! { <strong>{inlines(words)}</strong> }.into_any(),
        Inline::Emphasis(words) => view! { <em>{inlines(words)}</em> }.into_any(),
        Inline::Struck(words) => view! { <s>{inlines(words)}</s> }.into_any(),
        Inline::Link { address: None, content } => view! { <span>{inlines(content)}</span> }.into_any(),
        Inline::Link { address: Some(address), content } => {
            let question = format!("This link leaves Satchel for {address}. Open it?");
            let ask = move |event: MouseEvent| {
                if !page::confirm(&question) {
                    event.prevent_default();
                }
            };
            // The middle button opens it too; the right one does not.
            let ask_middle = {
                let ask = ask.clone();
                move |event: MouseEvent| {
                    if event.button() == 1 {
                        ask(event);
                    }
                }
            };
            view! {
                <a href=address target="_blank" rel="noopener noreferrer" on:click=ask on:auxclick=ask_middle>
                    {inlines(content)}
                </a>
            }
            .into_any()
        }
        Inline::Picture { words, picture } => view! { <img alt=words src=picture.address() /> }.into_any(),
        Inline::DistantPicture { words, address } => {
            let title = format!(
                "A picture at {address}. It is not loaded, so that its host does not learn that you are reading this."
            );
            let words = if words.is_empty() { address } else { words };
            view! { <span class="markdown-distant" title=title>"Picture: " {words}</span> }.into_any()
        }
        Inline::Break => view! { <br /> }.into_any(),
    }
}

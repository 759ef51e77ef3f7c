//! A document of core's, with elements of the page's own.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use satchel_core::render::{Block, Inline, ListItem};

use crate::browser::spawn::spawn;
use crate::browser::{clipboard, page};
use crate::state::{NoticeKind, Notices};
use crate::ui::parts::{Icon, IconName};

/// The document.
#[component]
pub(crate) fn Markdown(
    /// What it is made of.
    blocks: Vec<Block>,
) -> impl IntoView {
    view! { <div class="markdown">{drawn(blocks)}</div> }
}

fn drawn(blocks: Vec<Block>) -> Vec<AnyView> {
    blocks.into_iter().map(block).collect()
}

fn block(block: Block) -> AnyView {
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
        Block::Code { language, text } => view! { <CodeBlock language text /> }.into_any(),
        Block::Quote(blocks) => view! { <blockquote>{drawn(blocks)}</blockquote> }.into_any(),
        Block::List { first: None, items } => view! { <ul>{list(items)}</ul> }.into_any(),
        Block::List { first: Some(first), items } => {
            view! { <ol start=first.to_string()>{list(items)}</ol> }.into_any()
        }
        Block::Table { head, rows } => table(head, rows),
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

/// Code, which can be copied as it is.
#[component]
fn CodeBlock(
    /// Its language, as it was named; may be empty.
    language: String,
    /// The code.
    text: String,
) -> impl IntoView {
    let notices = Notices::expect();
    let copied = text.clone();
    let copy = move |_| {
        let text = copied.clone();
        spawn(async move {
            match clipboard::copy(&text).await {
                Ok(()) => notices.show(NoticeKind::Success, "Copied."),
                Err(reason) => notices.show(NoticeKind::Error, format!("It was not copied: {reason}.")),
            }
        });
    };
    view! {
        <div class="markdown-code">
            <button class="icon-button" type="button" aria-label="Copy this code" title="Copy this code" on:click=copy>
                <Icon name=IconName::Copy small=true />
            </button>
            <pre data-language=language tabindex="0"><code>{text}</code></pre>
        </div>
    }
}

fn list(items: Vec<ListItem>) -> Vec<AnyView> {
    let item = |ListItem { is_done, blocks }: ListItem| {
        let mark = is_done.map(|is_done| {
            let words = if is_done { "Done: " } else { "To do: " };
            view! { <input type="checkbox" disabled checked=is_done aria-label=words /> }
        });
        view! { <li data-task=is_done.map(|is_done| is_done.to_string())>{mark} {drawn(blocks)}</li> }.into_any()
    };
    items.into_iter().map(item).collect()
}

fn table(head: Vec<Vec<Inline>>, rows: Vec<Vec<Vec<Inline>>>) -> AnyView {
    let heads = head.into_iter().map(|words| view! { <th>{inlines(words)}</th> }).collect_view();
    let row = |cells: Vec<Vec<Inline>>| {
        view! { <tr>{cells.into_iter().map(|words| view! { <td>{inlines(words)}</td> }).collect_view()}</tr> }
    };
    let rows = rows.into_iter().map(row).collect_view();
    view! {
        <div class="markdown-table" tabindex="0">
            <table>
                <thead>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
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
            let question = format!("This leads away from Satchel, to {address}. Open it?");
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
            let title = format!("A picture at {address}. It is not loaded, so that nobody learns that you read this.");
            let words = if words.is_empty() { address } else { words };
            view! { <span class="markdown-distant" title=title>"Picture: " {words}</span> }.into_any()
        }
        Inline::Break => view! { <br /> }.into_any(),
    }
}

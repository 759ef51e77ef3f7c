//! A part of a document as it is read out: its words, without the marks that only eyes need.

use satchel_core::render::{Block, Inline};

/// The words of a block.
pub(super) fn words(block: &Block) -> String {
    let mut words = String::new();
    add(block, &mut words);
    words.trim().to_owned()
}

fn add(block: &Block, words: &mut String) {
    match block {
        Block::Heading(_, inlines) | Block::Paragraph(inlines) => add_line(inlines, words),
        Block::Code { text, .. } => {
            words.push_str(text);
            words.push('\n');
        }
        Block::Quote(blocks) => blocks.iter().for_each(|block| add(block, words)),
        Block::List { items, .. } => items.iter().flat_map(|item| &item.blocks).for_each(|block| add(block, words)),
        Block::Table { head, rows, .. } => {
            for row in std::iter::once(head).chain(rows) {
                for cell in row {
                    cell.iter().for_each(|inline| add_inline(inline, words));
                    words.push_str(", ");
                }
                words.push('\n');
            }
        }
        Block::Rule => {}
    }
}

fn add_line(inlines: &[Inline], words: &mut String) {
    inlines.iter().for_each(|inline| add_inline(inline, words));
    words.push('\n');
}

fn add_inline(inline: &Inline, words: &mut String) {
    match inline {
        Inline::Text(text) | Inline::Code(text) => words.push_str(text),
        Inline::Strong(inner)
        | Inline::Emphasis(inner)
        | Inline::Struck(inner)
        | Inline::Link { content: inner, .. } => {
            inner.iter().for_each(|inline| add_inline(inline, words));
        }
        Inline::Picture { words: shown, .. } | Inline::DistantPicture { words: shown, .. } => words.push_str(shown),
        Inline::Break => words.push('\n'),
    }
}

#[cfg(test)]
mod tests {
    use satchel_core::render;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::words;

    /// R314
    #[wasm_bindgen_test]
    fn marks_are_not_read_out() {
        let text = "# Two *banks*\n\n- left\n- [right](https://example.org)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nprint(1)\n```\n";
        let read: Vec<String> = render::markdown(text).iter().map(words).collect();
        assert_eq!(read, ["Two banks", "left\nright", "a, b, \n1, 2,", "print(1)"]);
    }
}

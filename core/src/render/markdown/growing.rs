//! A document that grows at its end, as an answer does while it comes. What is closed is read once and never again, so that a long
//! document costs no more per piece than a short one.

use pulldown_cmark::{Event, Parser};

use super::{Block, OPTIONS, markdown};

/// A document that grows.
#[derive(Clone, Debug, Default)]
pub struct GrowingDocument {
    /// The part that is not closed yet.
    open: String,
}

impl GrowingDocument {
    /// Adds a piece, and gives the blocks that it has closed: whatever comes later, they stay as they are.
    pub fn add(&mut self, piece: &str) -> Vec<Block> {
        self.open.push_str(piece);
        // What a line is, is known when it is whole.
        let whole = self.open.rfind('\n').map_or(0, |line| line + 1);
        let last = last_block(&self.open[..whole]);
        if last == 0 {
            return Vec::new();
        }
        let rest = self.open.split_off(last);
        markdown(&std::mem::replace(&mut self.open, rest))
    }

    /// What is not closed yet, as it would be if nothing more came.
    #[must_use]
    pub fn open(&self) -> Vec<Block> {
        markdown(&self.open)
    }
}

/// Where the last block begins: all before it is followed by another block, and so is closed.
fn last_block(text: &str) -> usize {
    let (mut depth, mut last) = (0_usize, 0);
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    last = range.start;
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Rule if depth == 0 => last = range.start,
            _inside => {}
        }
    }
    // What is indented belongs to the line's beginning, where code may begin.
    text[..last].rfind('\n').map_or(0, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn grown(pieces: &[&str]) -> (Vec<usize>, Vec<Block>) {
        let mut document = GrowingDocument::default();
        let (mut closed, mut counts) = (Vec::new(), Vec::new());
        for piece in pieces {
            let new = document.add(piece);
            counts.push(new.len());
            closed.extend(new);
        }
        closed.extend(document.open());
        (counts, closed)
    }

    #[test]
    fn a_block_is_closed_by_the_next_one() {
        let pieces = ["# One\n", "\nTw", "o\n\n- a\n", "- b\n\n```py\nx = 1\n\n", "y = 2\n```\n", "End"];
        let (counts, all) = grown(&pieces);
        assert_eq!(counts, [0, 0, 2, 1, 0, 0]);
        assert_eq!(all, markdown(&pieces.concat()));
    }

    #[test]
    fn a_paragraph_may_become_a_headline_or_a_table() {
        for text in ["Head\n===\n\nx", "a|b\n-|-\n1|2\n\nx", "    code\n\nx\n\n    code\n"] {
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let pieces: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(grown(&pieces).1, markdown(text), "{text}");
        }
    }

    proptest! {
        /// However it comes, it is the same in the end. (What refers to something that is said later is left out: it is closed before.)
        #[test]
        fn pieces_make_the_whole(text in "(# a|\\* b|> c|d e|`f`|\\|g\\||```|    h|1\\. i|---|\n|\n\n){0,24}", cut in 1_usize..9) {
            let letters: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = letters.chunks(cut).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(grown(&pieces).1, markdown(&text));
        }
    }
}

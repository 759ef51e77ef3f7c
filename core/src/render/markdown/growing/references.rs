//! What words of a growing document refer to: links that are named in one place, `[so][name]`, and defined in another, `[name]: address`.
//!
//! What was defined before is read along with what comes. Words that were given before their definition came are remembered, as far as there
//! is room, and given again once it has.

use pulldown_cmark::Parser;

use super::{Growth, OPTIONS};
use crate::render::markdown::{Block, markdown};

/// Bytes of words that are remembered because they may refer to something.
const ROOM: usize = 64 << 10;

/// What is defined, and what may still want a definition.
#[derive(Clone, Debug, Default)]
pub(super) struct References {
    /// Every definition so far, one after the other.
    defined: String,
    /// Those at the end of the document, which are not closed yet.
    open: String,
    /// How many whole blocks were given.
    given: usize,
    referring: Vec<Referring>,
    remembered: usize,
}

/// Words that were given with brackets in them.
#[derive(Clone, Debug)]
struct Referring {
    /// The place of the first of its blocks.
    at: usize,
    text: String,
    blocks: Vec<Block>,
}

impl References {
    /// Reads a text with what is defined so far.
    pub(super) fn read(&self, text: &str) -> Vec<Block> {
        if self.defined.is_empty() {
            return markdown(text);
        }
        // Before it: whatever the text ends with, it cannot swallow them, and the first definition of a name counts.
        markdown(&format!("{}\n{text}", self.defined))
    }

    /// Gives the whole blocks of a text that is closed, and again those before it that refer to what it defines.
    pub(super) fn close(&mut self, text: String, growth: &mut Vec<Growth>) {
        let defined = definitions(&text);
        let blocks = self.read(&text);
        let at = self.given;
        self.given += blocks.len();
        growth.extend(blocks.iter().cloned().map(Growth::Block));
        if !defined.is_empty() {
            self.defined.push_str(&defined);
            self.open.clear();
            self.look_again(growth);
        }
        if text.contains('[') && self.remembered + text.len() <= ROOM {
            self.remembered += text.len();
            self.referring.push(Referring { at, text, blocks });
        }
    }

    /// Sees what the end of the document defines, where there is nothing else in it.
    pub(super) fn see_end(&mut self, tail: &str, growth: &mut Vec<Growth>) {
        let open = definitions(tail);
        if open != self.open {
            self.open = open;
            self.look_again(growth);
        }
    }

    fn look_again(&mut self, growth: &mut Vec<Growth>) {
        for referring in &mut self.referring {
            let now = markdown(&format!("{}{}\n{}", self.defined, self.open, referring.text));
            if now.len() != referring.blocks.len() {
                continue;
            }
            for (offset, block) in now.iter().enumerate().filter(|(at, block)| **block != referring.blocks[*at]) {
                growth.push(Growth::Again { at: referring.at + offset, block: block.clone() });
            }
            referring.blocks = now;
        }
    }
}

/// The definitions in a text, each as it is written.
fn definitions(text: &str) -> String {
    if !text.contains("]:") {
        return String::new();
    }
    let parser = Parser::new_ext(text, OPTIONS);
    let mut places: Vec<_> = parser.reference_definitions().iter().map(|(_, found)| found.span.clone()).collect();
    places.sort_unstable_by_key(|place| place.start);
    places.into_iter().map(|place| format!("{}\n", text[place].trim_end())).collect()
}

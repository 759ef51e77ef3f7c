//! Markdown as a tree of plain things, which the app draws with elements of its own: no HTML is ever made of it (I4).
//!
//! HTML that stands in a document is shown as the text it is. A link leads only to the web or to a mail; a picture is drawn only
//! where it is in the document itself, so that reading a document tells nobody.

mod growing;

use std::iter::Peekable;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

pub use growing::{GrowingDocument, Growth};

use super::picture::DataPicture;

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A headline, from 1 to 6.
    Heading(u8, Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// Code.
    Code {
        /// Its language, as it was named; may be empty.
        language: String,
        /// The code.
        text: String,
    },
    /// Something quoted.
    Quote(Vec<Block>),
    /// A list.
    List {
        /// The first number; none where it has no numbers.
        first: Option<u64>,
        /// What is in it.
        items: Vec<ListItem>,
    },
    /// A table.
    Table {
        /// To which side each column is set, in order.
        sides: Vec<Side>,
        /// The heads of its columns.
        head: Vec<Vec<Inline>>,
        /// Its rows.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A line across.
    Rule,
}

/// To which side a column of a table is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Where its text begins, as all text.
    #[default]
    Start,
    /// To the middle.
    Center,
    /// Where text ends, as numbers are.
    End,
}

/// One thing of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    /// Whether it is done, where that is told.
    pub is_done: Option<bool>,
    /// What it says.
    pub blocks: Vec<Block>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// Code.
    Code(String),
    /// Strong words.
    Strong(Vec<Inline>),
    /// Words with emphasis.
    Emphasis(Vec<Inline>),
    /// Words that were struck out.
    Struck(Vec<Inline>),
    /// A link; without an address where that is none a link may have.
    Link {
        /// Where it leads.
        address: Option<String>,
        /// Its words.
        content: Vec<Inline>,
    },
    /// A picture that is in the document itself.
    Picture {
        /// What it shows, in words.
        words: String,
        /// The picture.
        picture: DataPicture,
    },
    /// A picture that is elsewhere, and is not loaded.
    DistantPicture {
        /// What it shows, in words.
        words: String,
        /// Where it is.
        address: String,
    },
    /// The end of a line.
    Break,
}

/// What is nested deeper is shown as its text.
const DEEPEST: usize = 24;

/// What is understood beside the common rules.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// Reads a document. There is no text that cannot be read.
#[must_use]
pub fn markdown(text: &str) -> Vec<Block> {
    let mut reader = Reader { events: Parser::new_ext(text, OPTIONS).peekable(), is_done: None };
    reader.blocks(0)
}

struct Reader<'t, E: Iterator<Item = Event<'t>>> {
    events: Peekable<E>,
    /// The mark of the task that has just been met.
    is_done: Option<bool>,
}

impl Side {
    fn of(alignment: Alignment) -> Self {
        match alignment {
            Alignment::None | Alignment::Left => Self::Start,
            Alignment::Center => Self::Center,
            Alignment::Right => Self::End,
        }
    }
}

impl<'t, E: Iterator<Item = Event<'t>>> Reader<'t, E> {
    /// Everything up to the end of what has begun.
    fn blocks(&mut self, depth: usize) -> Vec<Block> {
        let (mut blocks, mut words) = (Vec::new(), Vec::new());
        while let Some(event) = self.events.next() {
            let block = match event {
                Event::End(_) => break,
                Event::Start(tag) if is_inline(&tag) => {
                    words.extend(self.marked(tag, depth));
                    continue;
                }
                Event::Start(_) if depth >= DEEPEST => Block::Paragraph(vec![Inline::Text(self.flat())]),
                Event::Start(tag) => self.block(tag, depth),
                Event::Rule => Block::Rule,
                other => {
                    words.extend(self.inline(other));
                    continue;
                }
            };
            flush(&mut blocks, &mut words);
            blocks.push(block);
        }
        flush(&mut blocks, &mut words);
        blocks
    }

    fn block(&mut self, tag: Tag<'t>, depth: usize) -> Block {
        match tag {
            Tag::Heading { level, .. } => Block::Heading(number(level), self.inlines(depth)),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',']).next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                Block::Code { language, text: self.flat() }
            }
            Tag::HtmlBlock | Tag::MetadataBlock(_) => Block::Code { language: "html".into(), text: self.flat() },
            Tag::BlockQuote(_) => Block::Quote(self.blocks(depth + 1)),
            Tag::List(first) => {
                // The mark of the thing that this list is in is kept for that.
                let outer = self.is_done.take();
                let mut items = Vec::new();
                while let Some(Event::Start(_)) = self.events.next() {
                    let blocks = self.blocks(depth + 1);
                    items.push(ListItem { is_done: self.is_done.take(), blocks });
                }
                self.is_done = outer;
                Block::List { first, items }
            }
            Tag::Table(sides) => self.table(sides.into_iter().map(Side::of).collect(), depth),
            _paragraph_and_the_like => Block::Paragraph(self.inlines(depth)),
        }
    }

    /// Rows of cells, up to the end of the table. The first is its head.
    fn table(&mut self, sides: Vec<Side>, depth: usize) -> Block {
        let mut rows = Vec::new();
        while let Some(Event::Start(_)) = self.events.next() {
            let mut cells = Vec::new();
            while let Some(Event::Start(_)) = self.events.next() {
                cells.push(self.inlines(depth));
            }
            rows.push(cells);
        }
        let head = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
        Block::Table { sides, head, rows }
    }

    /// Words up to the end of what has begun.
    fn inlines(&mut self, depth: usize) -> Vec<Inline> {
        let mut words = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::End(_) => break,
                Event::Start(tag) if depth < DEEPEST && is_inline(&tag) => words.extend(self.marked(tag, depth)),
                Event::Start(_) => words.push(Inline::Text(self.flat())),
                other => words.extend(self.inline(other)),
            }
        }
        words
    }

    fn marked(&mut self, tag: Tag<'t>, depth: usize) -> Option<Inline> {
        if depth >= DEEPEST {
            return Some(Inline::Text(self.flat()));
        }
        Some(match tag {
            Tag::Strong => Inline::Strong(self.inlines(depth + 1)),
            Tag::Emphasis => Inline::Emphasis(self.inlines(depth + 1)),
            Tag::Strikethrough => Inline::Struck(self.inlines(depth + 1)),
            Tag::Link { dest_url, .. } => {
                let address = Some(dest_url.into_string()).filter(|address| may_be_followed(address));
                Inline::Link { address, content: self.inlines(depth + 1) }
            }
            Tag::Image { dest_url, .. } => {
                let words = self.flat();
                match DataPicture::of_address(&dest_url) {
                    Some(picture) => Inline::Picture { words, picture },
                    None => Inline::DistantPicture { words, address: dest_url.into_string() },
                }
            }
            _other => Inline::Text(self.flat()),
        })
    }

    fn inline(&mut self, event: Event<'t>) -> Option<Inline> {
        match event {
            Event::Text(text) => Some(Inline::Text(text.into_string())),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                Some(Inline::Code(text.into_string()))
            }
            Event::InlineHtml(html) if is_break(&html) => Some(Inline::Break),
            Event::Html(html) | Event::InlineHtml(html) => Some(Inline::Code(html.into_string())),
            Event::FootnoteReference(name) => Some(Inline::Text(format!("[{name}]"))),
            Event::SoftBreak => Some(Inline::Text(" ".into())),
            Event::HardBreak => Some(Inline::Break),
            Event::TaskListMarker(is_done) => {
                self.is_done = Some(is_done);
                None
            }
            Event::Rule | Event::Start(_) | Event::End(_) => None,
        }
    }

    /// The text of everything up to the end of what has begun, however deep that goes.
    fn flat(&mut self) -> String {
        let (mut text, mut open) = (String::new(), 1_usize);
        for event in self.events.by_ref() {
            match event {
                Event::Start(_) => open += 1,
                Event::End(TagEnd::Paragraph | TagEnd::Item) if open > 1 => {
                    open -= 1;
                    text.push('\n');
                }
                Event::End(_) => open -= 1,
                Event::Text(part) | Event::Code(part) | Event::Html(part) | Event::InlineHtml(part) => {
                    text.push_str(&part);
                }
                Event::SoftBreak | Event::HardBreak => text.push('\n'),
                _other => {}
            }
            if open == 0 {
                break;
            }
        }
        text
    }
}

/// What stands between blocks, such as the words of a tight list, is a paragraph.
fn flush(blocks: &mut Vec<Block>, words: &mut Vec<Inline>) {
    if !words.is_empty() {
        blocks.push(Block::Paragraph(std::mem::take(words)));
    }
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Strong | Tag::Emphasis | Tag::Strikethrough | Tag::Superscript | Tag::Subscript)
        || matches!(tag, Tag::Link { .. } | Tag::Image { .. })
}

fn is_break(html: &str) -> bool {
    matches!(html.replace(' ', "").to_ascii_lowercase().as_str(), "<br>" | "<br/>")
}

/// Schemes that run code or read files are no links.
fn may_be_followed(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let known = ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    known && !address.contains(|letter: char| letter.is_control() || letter.is_whitespace())
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::*;

    fn text(words: &str) -> Inline {
        Inline::Text(words.into())
    }

    fn paragraph(words: &str) -> Block {
        Block::Paragraph(vec![text(words)])
    }

    /// R215
    #[test]
    fn a_document_is_a_tree() {
        let found = markdown(
            "# One\n\nTwo **three** `four`\nfive\n\n- a\n- [x] b\n  1. c\n\n> quoted\n\n```py x\nprint()\n```\n\n---\n\n|a|b|\n|-|-:|\n|1|2|\n",
        );
        let cell = |words: &str| vec![text(words)];
        let numbered =
            Block::List { first: Some(1), items: vec![ListItem { is_done: None, blocks: vec![paragraph("c")] }] };
        let expected = vec![
            Block::Heading(1, vec![text("One")]),
            Block::Paragraph(vec![
                text("Two "),
                Inline::Strong(vec![text("three")]),
                text(" "),
                Inline::Code("four".into()),
                text(" "),
                text("five"),
            ]),
            Block::List {
                first: None,
                items: vec![
                    ListItem { is_done: None, blocks: vec![paragraph("a")] },
                    ListItem { is_done: Some(true), blocks: vec![paragraph("b"), numbered] },
                ],
            },
            Block::Quote(vec![paragraph("quoted")]),
            Block::Code { language: "py".into(), text: "print()\n".into() },
            Block::Rule,
            Block::Table {
                sides: vec![Side::Start, Side::End],
                head: vec![cell("a"), cell("b")],
                rows: vec![vec![cell("1"), cell("2")]],
            },
        ];
        assert_eq!(found, expected);
    }

    /// I4: what could run or load something is text.
    #[test]
    fn nothing_in_a_document_runs_or_loads() {
        let found = markdown(
            "<script>x()</script>\n\na <b onclick=x>b</b><br>c\n\n[d](javascript:x) [e](https://e.example/)\n\n![f](http://f.example/t.png)\n",
        );
        let expected = vec![
            Block::Code { language: "html".into(), text: "<script>x()</script>\n".into() },
            Block::Paragraph(vec![
                text("a "),
                Inline::Code("<b onclick=x>".into()),
                text("b"),
                Inline::Code("</b>".into()),
                Inline::Break,
                text("c"),
            ]),
            Block::Paragraph(vec![
                Inline::Link { address: None, content: vec![text("d")] },
                text(" "),
                Inline::Link { address: Some("https://e.example/".into()), content: vec![text("e")] },
            ]),
            Block::Paragraph(vec![Inline::DistantPicture {
                words: "f".into(),
                address: "http://f.example/t.png".into(),
            }]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_the_web_and_mails_are_followed() {
        for address in [
            "javascript:alert(1)",
            "JavaScript:x",
            "data:text/html,x",
            "file:///etc",
            "//e.example",
            "https://a\tb",
            "x",
        ] {
            assert!(!may_be_followed(address), "{address}");
        }
        for address in ["https://e.example/?q#f", "HTTP://e.example", "mailto:a@e.example"] {
            assert!(may_be_followed(address), "{address}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        fn depth(blocks: &[Block]) -> usize {
            1 + (blocks.iter())
                .map(|block| match block {
                    Block::Quote(inner) => depth(inner),
                    Block::List { items, .. } => items.iter().map(|item| depth(&item.blocks)).max().unwrap_or(0),
                    _leaf => 0,
                })
                .max()
                .unwrap_or(0)
        }
        let deep = markdown(&format!("{}x", ">".repeat(5_000)));
        assert!(depth(&deep) <= DEEPEST + 2, "{}", depth(&deep));
        let strong = format!("{}x{}", "*a **b ".repeat(2_000), "** *".repeat(2_000));
        assert!(!markdown(&strong).is_empty());
    }

    proptest! {
        #[test]
        fn every_text_is_a_document(text in "([#>*_`|\\-\\[\\]()!<>]|\n|  |1\\. |a|\\[x\\] |\\|-\\|){0,60}") {
            drop(markdown(&text));
        }
    }
}

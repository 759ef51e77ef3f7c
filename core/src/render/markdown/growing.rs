//! A document that grows at its end, as an answer does while it comes. What is closed is read once and never again, so that a long
//! document costs no more per piece than a short one.
//!
//! A block is closed when the next one begins, and words by a blank line too. The three that grow long before that, code between fences, lists and tables, are given in
//! parts as well: lines, things and rows that nothing coming later changes. Only what is left of the last of them is read anew.

mod references;
#[cfg(test)]
mod tests;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use self::references::References;
use super::{Block, OPTIONS, markdown};

/// A document that grows.
#[derive(Clone, Debug, Default)]
pub struct GrowingDocument {
    /// The end of the document, as far as it is neither closed nor given as a part.
    tail: String,
    inside: Inside,
    references: References,
}

/// What became certain of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Growth {
    /// A whole block. Whatever comes later, it stays as it is, but for links whose address is said later.
    Block(Block),
    /// A whole block of before once more, because such a link has its address now.
    Again {
        /// Which: its place among the whole ones.
        at: usize,
        /// What it is now.
        block: Block,
    },
    /// The beginning of a block that grows, with its first parts.
    Begin(Block),
    /// More of that block: further text, things or rows, in a block of the same kind.
    More(Block),
    /// That block is closed.
    End,
}

/// The block that is given in parts.
#[derive(Clone, Debug, Default)]
enum Inside {
    #[default]
    Nothing,
    Code(Fence),
    List,
    /// Its head and the line below it, without which rows are no rows.
    Table(String),
}

/// What code stands between.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fence {
    letter: char,
    length: usize,
    indent: usize,
    language: String,
}

/// A block at the top of a document: where it begins and, of what grows, what it is.
struct Top {
    start: usize,
    kind: Kind,
}

enum Kind {
    Fenced,
    /// The beginnings of its things.
    List(Vec<usize>),
    /// The beginnings of its rows.
    Table(Vec<usize>),
    /// A paragraph or a headline.
    Words,
    Other,
}

impl GrowingDocument {
    /// Adds a piece, and gives what became certain by it.
    pub fn add(&mut self, piece: &str) -> Vec<Growth> {
        self.tail.push_str(piece);
        let mut growth = Vec::new();
        // What a line is, is known when it is whole.
        if piece.contains('\n') {
            while self.step(&mut growth) {}
        }
        growth
    }

    /// What is not certain yet, as it would be if nothing more came. Within a block that grows, the first of it is more of that block.
    #[must_use]
    pub fn open(&self) -> Vec<Block> {
        match &self.inside {
            Inside::Nothing | Inside::List => self.references.read(&self.tail),
            Inside::Code(fence) if self.tail.is_empty() || fence.is_closed_by(&self.tail) => Vec::new(),
            Inside::Code(fence) => vec![fence.code(fence.line(&self.tail))],
            Inside::Table(head) => {
                self.references.read(&format!("{head}{}", self.tail)).into_iter().map(without_head).collect()
            }
        }
    }

    /// Whether what is open begins with more of a block that grows.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        !matches!(self.inside, Inside::Nothing)
    }

    /// Takes the next thing that is certain out of the tail; whether there may be more.
    fn step(&mut self, growth: &mut Vec<Growth>) -> bool {
        let whole = self.tail.rfind('\n').map_or(0, |line| line + 1);
        match std::mem::take(&mut self.inside) {
            Inside::Nothing => self.outside(whole, growth),
            Inside::Code(fence) => self.in_code(fence, whole, growth),
            Inside::List => self.in_list(whole, growth),
            Inside::Table(head) => self.in_table(head, whole, growth),
        }
    }

    fn outside(&mut self, whole: usize, growth: &mut Vec<Growth>) -> bool {
        let tops = tops(&self.tail[..whole]);
        let Some(last) = tops.last() else {
            self.references.see_end(&self.tail[..whole], growth);
            return false;
        };
        let start = line_of(&self.tail, last.start);
        if start > 0 {
            let closed = self.take(start);
            self.references.close(closed, growth);
            return true;
        }
        match &last.kind {
            Kind::Fenced => {
                let line = self.tail.find('\n').map_or(self.tail.len(), |line| line + 1);
                let Some(fence) = Fence::of(&self.tail[..line]) else { return false };
                self.take(line);
                growth.push(Growth::Begin(fence.code(String::new())));
                self.inside = Inside::Code(fence);
                true
            }
            Kind::List(things) if things.len() > 1 => {
                let last = line_of(&self.tail, things[things.len() - 1]);
                let Some(block) = only(self.references.read(&self.tail[..last])) else { return false };
                self.take(last);
                growth.push(Growth::Begin(block));
                self.inside = Inside::List;
                true
            }
            Kind::Table(rows) if !rows.is_empty() => {
                let head = self.tail[..line_of(&self.tail, rows[0])].to_owned();
                let Some(block) = only(self.references.read(&self.tail[..whole])) else { return false };
                let table = self.take(whole);
                let is_over = has_blank_line(&table);
                if is_over {
                    self.references.close(table, growth);
                } else {
                    growth.push(Growth::Begin(block));
                    self.inside = Inside::Table(head);
                }
                is_over
            }
            Kind::Words if has_blank_line(&self.tail[..whole]) => {
                let closed = self.take(whole);
                self.references.close(closed, growth);
                true
            }
            Kind::List(_) | Kind::Table(_) | Kind::Words | Kind::Other => false,
        }
    }

    fn in_code(&mut self, fence: Fence, whole: usize, growth: &mut Vec<Growth>) -> bool {
        let (mut text, mut read) = (String::new(), 0);
        for line in self.tail[..whole].split_inclusive('\n') {
            read += line.len();
            if fence.is_closed_by(line) {
                self.take(read);
                give(growth, &fence, text);
                growth.push(Growth::End);
                return true;
            }
            text.push_str(&fence.line(line));
        }
        self.take(read);
        give(growth, &fence, text);
        self.inside = Inside::Code(fence);
        false
    }

    fn in_list(&mut self, whole: usize, growth: &mut Vec<Growth>) -> bool {
        let tops = tops(&self.tail[..whole]);
        if let Some(next) = tops.get(1) {
            let end = line_of(&self.tail, next.start);
            let more = self.take(end);
            growth.extend(self.references.read(&more).into_iter().map(Growth::More));
            growth.push(Growth::End);
            return true;
        }
        self.inside = Inside::List;
        if let Some(Top { kind: Kind::List(things), .. }) = tops.first()
            && things.len() > 1
        {
            let last = line_of(&self.tail, things[things.len() - 1]);
            let more = self.take(last);
            growth.extend(self.references.read(&more).into_iter().map(Growth::More));
        }
        false
    }

    fn in_table(&mut self, head: String, whole: usize, growth: &mut Vec<Growth>) -> bool {
        let with_head = format!("{head}{}", &self.tail[..whole]);
        let tops = tops(&with_head);
        // A row ends with its line, and the table with a line that is none.
        let end = tops.get(1).map(|next| line_of(&with_head, next.start));
        let is_over = end.is_some() || has_blank_line(&with_head);
        let end = end.unwrap_or(with_head.len()) - head.len();
        let rows = format!("{head}{}", self.take(end));
        let rows = self.references.read(&rows);
        growth.extend(rows.into_iter().map(without_head).filter(has_rows).map(Growth::More));
        if is_over {
            growth.push(Growth::End);
            return true;
        }
        self.inside = Inside::Table(head);
        false
    }

    /// Takes so much from the beginning of the tail.
    fn take(&mut self, bytes: usize) -> String {
        let rest = self.tail.split_off(bytes);
        std::mem::replace(&mut self.tail, rest)
    }
}

impl Fence {
    /// The fence that a line begins.
    fn of(line: &str) -> Option<Self> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = &line[indent..];
        let letter = rest.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
        let length = rest.len() - rest.trim_start_matches(letter).len();
        // What it is called is read as everywhere else.
        let language = match only(markdown(line))? {
            Block::Code { language, .. } => language,
            _other => return None,
        };
        Some(Self { letter, length, indent, language })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = line[indent..].trim_end();
        indent < 4 && rest.len() >= self.length && rest.chars().all(|letter| letter == self.letter)
    }

    /// A line of the code: what the fence is indented by is no part of it.
    fn line(&self, line: &str) -> String {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        line[blanks.min(self.indent)..].replace("\r\n", "\n")
    }

    fn code(&self, text: String) -> Block {
        Block::Code { language: self.language.clone(), text }
    }
}

fn give(growth: &mut Vec<Growth>, fence: &Fence, text: String) {
    if !text.is_empty() {
        growth.push(Growth::More(fence.code(text)));
    }
}

fn only(mut blocks: Vec<Block>) -> Option<Block> {
    if blocks.len() == 1 { blocks.pop() } else { None }
}

fn without_head(block: Block) -> Block {
    match block {
        Block::Table { sides, rows, .. } => Block::Table { sides, head: Vec::new(), rows },
        other => other,
    }
}

/// A table ends with one.
fn has_blank_line(text: &str) -> bool {
    text.lines().any(|line| line.trim().is_empty())
}

fn has_rows(block: &Block) -> bool {
    !matches!(block, Block::Table { rows, .. } if rows.is_empty())
}

/// The blocks at the top of a text, in order.
fn tops(text: &str) -> Vec<Top> {
    let (mut depth, mut tops) = (0_usize, Vec::<Top>::new());
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                match (depth, &tag, tops.last_mut().map(|top| &mut top.kind)) {
                    (0, tag, _) => tops.push(Top { start: range.start, kind: kind(tag) }),
                    (1, Tag::Item, Some(Kind::List(parts))) | (1, Tag::TableRow, Some(Kind::Table(parts))) => {
                        parts.push(range.start);
                    }
                    _inside => {}
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Rule if depth == 0 => tops.push(Top { start: range.start, kind: Kind::Other }),
            _inside => {}
        }
    }
    tops
}

fn kind(tag: &Tag<'_>) -> Kind {
    match tag {
        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => Kind::Fenced,
        Tag::List(_) => Kind::List(Vec::new()),
        Tag::Table(_) => Kind::Table(Vec::new()),
        Tag::Paragraph | Tag::Heading { .. } => Kind::Words,
        _other => Kind::Other,
    }
}

/// The beginning of the line that a place is in: what is indented belongs to it, where code may begin.
fn line_of(text: &str, place: usize) -> usize {
    text[..place].rfind('\n').map_or(0, |line| line + 1)
}

//! What stands in the list: sections of rows, each of which can be chosen.

use satchel_core::record::{Chat, Role};
use satchel_core::search::{ChatHit, FileHit, Group, Mark, MessageHit, Passage, Query, ToolHit, Wanted};
use satchel_core::time::Timestamp;

use super::command::{Command, Commands};
use super::jump::Place;
use crate::browser::clock;
use crate::state::search::Findings;
use crate::ui::parts::IconName;

/// So many chats are offered while nothing is looked for.
const RECENT: usize = 6;

/// All sections.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entries(pub(super) Vec<Section>);

/// What was found of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Section {
    pub(super) kind: Kind,
    pub(super) rows: Vec<Row>,
}

/// A kind of thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The chats of late.
    Recent,
    Commands,
    Chats,
    Messages,
    Files,
    Tools,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) icon: IconName,
    pub(super) title: Passage,
    /// Where it is, or what it belongs to.
    pub(super) place: String,
    /// The place in it.
    pub(super) passage: Option<Passage>,
    pub(super) choice: Choice,
}

/// What happens when a row is chosen.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    /// More of this kind is shown.
    More(Kind),
    /// A command is carried out.
    Command(Command),
    /// The app goes there.
    Place(Place),
}

impl Entries {
    /// How many rows there are.
    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|section| section.rows.len()).sum()
    }

    /// What the row of this number does.
    pub(super) fn choice(&self, at: usize) -> Option<Choice> {
        self.0.iter().flat_map(|section| &section.rows).nth(at).map(|row| row.choice.clone())
    }
}

impl Kind {
    /// The headline.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Recent => "Recent chats",
            Self::Commands => "Commands",
            Self::Chats => "Chats",
            Self::Messages => "Messages",
            Self::Files => "Files",
            Self::Tools => "Tools",
        }
    }

    /// The word in ids.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Recent => "recent",
            Self::Commands => "commands",
            Self::Chats => "chats",
            Self::Messages => "messages",
            Self::Files => "files",
            Self::Tools => "tools",
        }
    }

    /// Wants as much of it as there is.
    pub(super) fn widen(self, wanted: &mut Wanted) {
        match self {
            Self::Recent | Self::Commands => {}
            Self::Chats => wanted.chats = Wanted::MOST,
            Self::Messages => wanted.messages = Wanted::MOST,
            Self::Files => wanted.files = Wanted::MOST,
            Self::Tools => wanted.tools = Wanted::MOST,
        }
    }
}

/// What is shown for what is typed: with nothing typed the chats of late and every command, else what was found.
pub(super) fn entries(typed: &str, findings: &Findings, chats: &[Chat], commands: &Commands) -> Entries {
    let query = Query::parse(typed);
    let mut sections = Vec::new();
    if query.is_empty() {
        let recent = if typed.trim().is_empty() { chats.iter().take(RECENT).map(recent).collect() } else { Vec::new() };
        sections.push(Section { kind: Kind::Recent, rows: recent });
    }
    let (matching, are_spelled) = commands.matching(&query);
    let rows = matching.into_iter().map(|command| command.row(&query)).collect();
    let commands = Section { kind: Kind::Commands, rows };
    // Where a command is being spelled out, they go first; where one only has the words, last.
    let (before, after) = if are_spelled { (Some(commands), None) } else { (None, Some(commands)) };
    sections.extend(before);
    if let Findings::Known(found) = findings {
        sections.push(section(Kind::Chats, &found.chats, chat));
        sections.push(section(Kind::Messages, &found.messages, message));
        sections.push(section(Kind::Files, &found.files, file));
        sections.push(section(Kind::Tools, &found.tools, tool));
    }
    sections.extend(after);
    sections.retain(|section| !section.rows.is_empty());
    Entries(sections)
}

fn section<T>(kind: Kind, group: &Group<T>, row: fn(&T) -> Row) -> Section {
    let mut rows: Vec<Row> = group.hits.iter().map(row).collect();
    if group.has_more && group.hits.len() < Wanted::MOST {
        let title = plain(&format!("Show more {}", kind.word()));
        rows.push(Row { icon: IconName::More, title, place: String::new(), passage: None, choice: Choice::More(kind) });
    }
    Section { kind, rows }
}

fn plain(text: &str) -> Passage {
    Passage { text: text.to_owned(), marks: Vec::new() }
}

/// A moment by its day: that is what one remembers, and all that fits on a phone.
fn day(time: Timestamp) -> String {
    let words = clock::in_words(time);
    words.split(',').next().unwrap_or_default().to_owned()
}

fn recent(chat: &Chat) -> Row {
    Row {
        icon: IconName::Chat,
        title: plain(&chat.title),
        place: day(chat.modified_at),
        passage: None,
        choice: Choice::Place(Place::Chat(chat.id.clone())),
    }
}

fn chat(hit: &ChatHit) -> Row {
    Row {
        icon: IconName::Chat,
        title: hit.title.clone(),
        place: day(hit.modified_at),
        passage: None,
        choice: Choice::Place(Place::Chat(hit.id.clone())),
    }
}

fn message(hit: &MessageHit) -> Row {
    let speaker = match hit.role {
        Role::User => "You",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
        Role::System => "System",
    };
    Row {
        icon: IconName::Chats,
        title: plain(&hit.chat_title),
        place: format!("{speaker} · {}", day(hit.said_at)),
        passage: Some(hit.passage.clone()),
        choice: Choice::Place(Place::Message { chat: hit.chat.clone(), message: hit.id.clone() }),
    }
}

fn file(hit: &FileHit) -> Row {
    let path = hit.path.text.clone();
    Row {
        icon: IconName::File,
        title: hit.path.clone(),
        place: hit.chat_title.clone(),
        passage: hit.passage.clone(),
        choice: Choice::Place(Place::File { chat: hit.chat.clone(), node: hit.node.clone(), path, sha256: hit.sha256 }),
    }
}

fn tool(hit: &ToolHit) -> Row {
    Row {
        icon: IconName::Tool,
        title: hit.name.clone(),
        place: hit.group.clone(),
        passage: Some(hit.passage.clone()).filter(|passage| !passage.text.is_empty()),
        choice: Choice::Place(Place::Tool(hit.tool_id.clone())),
    }
}

/// A text in pieces, each with whether it is marked. Ranges that do not fit the text mark nothing.
pub(super) fn pieces(passage: &Passage) -> Vec<(bool, String)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for Mark { start, end } in passage.marks.iter().copied() {
        let (Some(before), Some(marked)) = (passage.text.get(at..start), passage.text.get(start..end)) else {
            continue;
        };
        pieces.push((false, before.to_owned()));
        pieces.push((true, marked.to_owned()));
        at = end;
    }
    pieces.push((false, passage.text.get(at..).unwrap_or_default().to_owned()));
    pieces.retain(|(_, text)| !text.is_empty());
    pieces
}

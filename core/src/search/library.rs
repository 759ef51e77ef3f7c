//! Everything that can be found, and finding it.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::files::FileAt;
use super::found::{ChatHit, FileHit, Found, Group, MessageHit, ToolHit};
use super::index::Index;
use super::passage::{Passage, has_as_typed, has_phrases};
use super::reading::{rows_of, text_of};
use super::{Query, SearchLimits, Wanted};
use crate::digest::BlobId;
use crate::ids::{ChatId, ManifestId, MessageId};
use crate::palette::{self, Findable};
use crate::record::{Message, Node, NodeHead, RowKey, RowRef};
use crate::store::{Store, StoreError};
use crate::time::Timestamp;

/// So many messages are read for quoted words, which the index does not know.
const MOST_READ: usize = 200;
/// So many of them before it is looked whether they are enough.
const READ_AT_ONCE: usize = 24;

/// Everything that can be found. It is read from a store by [`Library::follow`]; what is there already can be found meanwhile.
#[derive(Default)]
pub struct Library {
    pub(super) limits: SearchLimits,
    pub(super) shelves: RefCell<Shelves>,
}

/// What is in memory.
#[derive(Default)]
pub(super) struct Shelves {
    pub(super) index: Index,
    /// What each text of the index is, by its number.
    pub(super) texts: Vec<Text>,
    /// The messages, by id.
    pub(super) messages: BTreeMap<String, u32>,
    /// Keys of the table of messages that lead to none.
    pub(super) passed: BTreeSet<String>,
    pub(super) chats: BTreeMap<ChatId, ChatEntry>,
    /// The paths of files.
    pub(super) names: BTreeMap<String, u32>,
    /// The contents of files; nothing for what is no text.
    pub(super) contents: BTreeMap<BlobId, Option<u32>>,
    pub(super) contents_bytes: u64,
    pub(super) tools: Vec<ToolEntry>,
    /// Whether everything was read at least once.
    pub(super) is_whole: bool,
}

/// What a text of the index is.
pub(super) enum Text {
    /// A message.
    Message(MessageEntry),
    /// A title, a path or the contents of a file, found by way of whom it belongs to.
    Part,
}

/// A message, but for what it says.
pub(super) struct MessageEntry {
    pub(super) id: MessageId,
    pub(super) chat: ChatId,
    pub(super) parent: Option<MessageId>,
    /// Whether somebody said it in words: no call, and nothing that a call gave.
    pub(super) is_words: bool,
    pub(super) said_at: Timestamp,
}

/// A chat.
#[derive(Default)]
pub(super) struct ChatEntry {
    pub(super) title: String,
    /// The number of its title as a text.
    pub(super) title_text: Option<u32>,
    pub(super) modified_at: Option<Timestamp>,
    pub(super) is_deleted: bool,
    /// Whether its messages were read as a whole.
    pub(super) is_read: bool,
    pub(super) messages: Vec<u32>,
    pub(super) heads: Vec<NodeHead>,
    /// The states at the ends of its branches, and the files in them.
    pub(super) states: Vec<(Node, ManifestId)>,
    pub(super) files: Vec<FileAt>,
}

/// A tool.
pub(super) struct ToolEntry {
    pub(super) tool_id: String,
    pub(super) slug: String,
    pub(super) name: String,
    pub(super) group: String,
    pub(super) description: String,
    pub(super) category: String,
    pub(super) tags: Vec<String>,
}

/// What is shown of a chat, and what has to be read first.
struct Chosen {
    chats: Group<ChatHit>,
    messages: Vec<RowRef>,
    has_more_messages: bool,
    files: Vec<FileHit>,
    tools: Group<ToolHit>,
    is_whole: bool,
}

impl Library {
    /// One with other limits than the usual ones.
    #[must_use]
    pub fn with_limits(limits: SearchLimits) -> Self {
        Self { limits, shelves: RefCell::default() }
    }

    /// Finds what is looked for. Only what is shown is read from the store.
    pub async fn find(&self, store: &impl Store, typed: &str, wanted: Wanted) -> Result<Found, StoreError> {
        let query = Query::parse(typed);
        let chosen = self.shelves.borrow().choose(&query, typed, wanted);
        let Chosen { chats, messages, has_more_messages, files, tools, is_whole } = chosen;
        let mut messages = self.messages(store, &query, messages, wanted.messages).await?;
        messages.has_more |= has_more_messages;
        let mut files = Group::of(files, wanted.files);
        for file in &mut files.hits {
            self.look_into(store, &query, file).await?;
        }
        Ok(Found { chats, messages, files, tools, is_whole })
    }

    /// Reads messages, keeps those with the quoted words, and puts those first that have all words as they were typed.
    async fn messages(
        &self,
        store: &impl Store,
        query: &Query,
        rows: Vec<RowRef>,
        wanted: usize,
    ) -> Result<Group<MessageHit>, StoreError> {
        let mut read: Vec<(bool, Message, String)> = Vec::new();
        for few in rows.chunks(READ_AT_ONCE) {
            for (row, stored) in few.iter().zip(rows_of(store, few).await?) {
                // One that was taken away meanwhile, or cannot be read, is not shown.
                let Some(message) = stored.and_then(|stored| stored.record::<Message>(row).ok()) else { continue };
                let text = text_of(&message);
                if has_phrases(&text, query) {
                    read.push((query.words().len() > 1 && has_as_typed(&text, query), message, text));
                }
            }
            // They come best first: with quoted words found often enough, the rest need not be read.
            if !query.phrases().is_empty() && read.len() > wanted {
                break;
            }
        }
        read.sort_by_key(|(as_typed, ..)| Reverse(*as_typed));
        let shelves = self.shelves.borrow();
        let hits = read.into_iter().map(|(_, message, text)| MessageHit {
            chat_title: shelves.chats.get(&message.chat_id).map(|chat| chat.title.clone()).unwrap_or_default(),
            chat: message.chat_id,
            id: message.id,
            role: message.role,
            said_at: message.created_at,
            passage: Passage::best(&text, query),
        });
        Ok(Group::of(hits, wanted))
    }

    /// Shows the place in a file, if its bytes are those it is named after (I10) and have the words.
    async fn look_into(&self, store: &impl Store, query: &Query, file: &mut FileHit) -> Result<(), StoreError> {
        let is_noted = self.shelves.borrow().contents.get(&file.sha256).copied().flatten().is_some();
        if !is_noted {
            return Ok(());
        }
        let bytes = store.blob(file.sha256).await?.filter(|bytes| BlobId::of(bytes) == file.sha256);
        if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
            let passage = Passage::best(&text, query);
            file.passage = (!passage.marks.is_empty() && has_phrases(&text, query)).then_some(passage);
        }
        Ok(())
    }
}

impl Shelves {
    fn choose(&self, query: &Query, typed: &str, wanted: Wanted) -> Chosen {
        let fits = self.index.fits(query);
        let (messages, has_more_messages) = self.choose_messages(query, &fits, wanted.messages);
        Chosen {
            chats: self.choose_chats(query, &fits, wanted.chats),
            messages,
            has_more_messages,
            files: self.choose_files(query, &fits, wanted.files),
            tools: self.choose_tools(query, typed, wanted.tools),
            is_whole: self.is_whole,
        }
    }

    fn living(&self) -> impl Iterator<Item = (&ChatId, &ChatEntry)> {
        self.chats.iter().filter(|(_, chat)| !chat.is_deleted)
    }

    fn choose_chats(&self, query: &Query, fits: &[u8], wanted: usize) -> Group<ChatHit> {
        let mut found: Vec<_> =
            (self.living().filter(|(_, chat)| chat.title_text.is_some_and(|text| fits[text as usize] > 0)))
                .filter_map(|(id, chat)| Some((query.fit(&chat.title)?, chat.modified_at, id, chat)))
                .collect();
        found.sort_by_key(|(fit, modified_at, id, _)| Reverse((*fit, *modified_at, *id)));
        let hits = found.into_iter().map(|(_, modified_at, id, chat)| ChatHit {
            id: id.clone(),
            title: Passage::whole(&chat.title, query),
            modified_at: modified_at.unwrap_or(Timestamp::from_millis(0)),
        });
        Group::of(hits, wanted)
    }

    /// The messages to read, and whether there are more.
    fn choose_messages(&self, query: &Query, fits: &[u8], wanted: usize) -> (Vec<RowRef>, bool) {
        let mut found: Vec<(u8, Timestamp, &MessageEntry)> = Vec::new();
        for (text, fit) in self.texts.iter().zip(fits).filter(|(_, fit)| **fit > 0) {
            if let Text::Message(message) = text
                && self.chats.get(&message.chat).is_some_and(|chat| !chat.is_deleted)
            {
                found.push((*fit, message.said_at, message));
            }
        }
        let read = match (query.phrases().is_empty(), query.words().len()) {
            (false, _) => MOST_READ,
            (true, 0 | 1) => wanted,
            // Of several words those that stand together are the better ones; a few more are read to find them.
            (true, _) => wanted * 2 + 8,
        };
        let read = read.min(MOST_READ);
        // People look for what was said; the calls between are many, and long.
        let order = |(fit, said_at, message): &(u8, Timestamp, &MessageEntry)| {
            Reverse((*fit, message.is_words, *said_at, message.id.clone()))
        };
        // Only the best are put in order: a letter or two are in nearly every message.
        if found.len() > read {
            found.select_nth_unstable_by(read, |one, other| order(one).cmp(&order(other)));
        }
        let has_more = found.len() > read;
        found.truncate(read);
        found.sort_by_cached_key(order);
        let rows = found.into_iter().map(|(.., message)| RowRef::to::<Message>(RowKey::one(message.id.as_str())));
        (rows.collect(), has_more)
    }

    fn choose_files(&self, query: &Query, fits: &[u8], wanted: usize) -> Vec<FileHit> {
        let mut found = Vec::new();
        for (id, chat) in self.living() {
            for file in &chat.files {
                let by_name = fits[file.name as usize];
                let by_content = file.content.map_or(0, |content| fits[content as usize]);
                if by_name > 0 || by_content > 0 {
                    found.push(((by_name, by_content, chat.modified_at), id, chat, file));
                }
            }
        }
        found.sort_by(|(one, _, _, a), (other, _, _, b)| other.cmp(one).then_with(|| a.path.cmp(&b.path)));
        let hits = found.into_iter().take(wanted.min(Wanted::MOST) + 1).map(|(_, id, chat, file)| FileHit {
            chat: id.clone(),
            chat_title: chat.title.clone(),
            node: file.node.clone(),
            path: Passage::whole(&file.path, query),
            sha256: file.sha256,
            passage: None,
        });
        hits.collect()
    }

    fn choose_tools(&self, query: &Query, typed: &str, wanted: usize) -> Group<ToolHit> {
        if query.is_empty() {
            return Group::of([], wanted);
        }
        // Among so much else, only what has the words, or is named outright: letters in their order are found everywhere.
        let has_words = |tool: &&ToolEntry| {
            let ToolEntry { slug, name, group, description, category, tags, .. } = tool;
            query.fit(&format!("{name} {slug} {group} {description} {category} {}", tags.join(" "))).is_some()
                || !palette::named(typed, &[findable(tool)]).is_empty()
        };
        let tools: Vec<&ToolEntry> = self.tools.iter().filter(has_words).collect();
        let all: Vec<Findable<'_>> = tools.iter().copied().map(findable).collect();
        let hits = palette::rank(typed, &all).into_iter().map(|at| tools[at]).map(|tool| ToolHit {
            tool_id: tool.tool_id.clone(),
            name: Passage::whole(&tool.name, query),
            group: tool.group.clone(),
            passage: Passage::best(&tool.description, query),
        });
        Group::of(hits, wanted)
    }
}

fn findable(tool: &ToolEntry) -> Findable<'_> {
    let ToolEntry { slug, name, group, description, category, tags, .. } = tool;
    Findable { slug, name, group, description, category, tags, recent: 0 }
}

//! Following a store: reading what is new, and nothing twice.

use super::library::{ChatEntry, Library, MessageEntry, Shelves, Text, ToolEntry};
use crate::catalog::{Surroundings, ToolsetList};
use crate::ids::ChatId;
use crate::record::{Chat, Message, NodeHead, Role, RowKey, RowRef, Table};
use crate::store::{Lookup, Rows, Store, StoreError, StoredRow, records_of};

/// So many chats are read in one question to the store, and so many rows.
const CHATS_AT_ONCE: usize = 4;
const ROWS_AT_ONCE: usize = 8;

impl Library {
    /// Reads what has changed since the last time; at first that is everything, the latest chats first. Messages never change, so what
    /// is known of one is never read again.
    pub async fn follow(&self, store: &impl Store) -> Result<(), StoreError> {
        // Before the rest: what is said meanwhile is then among the new keys of the next time.
        let keys = store.row_keys(Table::Messages).await?;
        let [chats, heads] = store.look_up([Lookup::All(Table::Chats), Lookup::All(Table::NodeHeads)]).await?;
        let (unread, is_first) = {
            let mut shelves = self.shelves.borrow_mut();
            let unread = shelves.take_chats(chats, heads);
            let is_first = unread.len() == shelves.chats.len();
            (unread, is_first)
        };
        let tools = tools(store).await?;
        self.shelves.borrow_mut().tools = tools;
        for few in unread.chunks(CHATS_AT_ONCE) {
            let wanted: [_; CHATS_AT_ONCE] = std::array::from_fn(|at| {
                let chat = &few[at.min(few.len() - 1)];
                Lookup::records_where::<Message>("chat_id", chat.as_str())
            });
            let found = store.look_up(wanted).await?;
            let mut shelves = self.shelves.borrow_mut();
            for (chat, rows) in few.iter().zip(found) {
                shelves.take_messages(rows, self.limits.message_bytes);
                if let Some(entry) = shelves.chats.get_mut(chat) {
                    entry.is_read = true;
                }
            }
        }
        self.read_new(store, keys, is_first).await?;
        self.read_files(store).await?;
        self.shelves.borrow_mut().is_whole = true;
        Ok(())
    }

    /// Reads the messages that came into chats that were read before.
    async fn read_new(&self, store: &impl Store, keys: Vec<RowKey>, is_first: bool) -> Result<(), StoreError> {
        let mut new: Vec<RowRef> = Vec::new();
        {
            let mut shelves = self.shelves.borrow_mut();
            for key in keys {
                let id = &key.parts()[0];
                if shelves.messages.contains_key(id) || shelves.passed.contains(id) {
                    continue;
                }
                if is_first {
                    // Every chat has just been read: it was deleted, or belongs to none.
                    shelves.passed.insert(id.clone());
                } else {
                    new.push(RowRef::to::<Message>(key));
                }
            }
        }
        for rows in new.chunks(256) {
            let found = rows_of(store, rows).await?;
            let mut shelves = self.shelves.borrow_mut();
            for (row, stored) in rows.iter().zip(found) {
                let id = row.key.parts()[0].clone();
                shelves.take_messages(
                    stored.map(|stored| (row.key.clone(), stored)).into_iter().collect(),
                    self.limits.message_bytes,
                );
                if !shelves.messages.contains_key(&id) {
                    shelves.passed.insert(id);
                }
            }
        }
        Ok(())
    }
}

impl Shelves {
    /// Adds a text to the index.
    pub(super) fn add(&mut self, text: &str, what: Text, most_bytes: usize) -> u32 {
        let number = self.index.add(text, most_bytes);
        self.texts.push(what);
        number
    }

    /// The message of this number.
    pub(super) fn message(&self, number: u32) -> Option<&MessageEntry> {
        match &self.texts[number as usize] {
            Text::Message(message) => Some(message),
            Text::Part => None,
        }
    }

    /// Takes the chats as they are now, with the states of their files, and gives those whose messages were never read, the latest first.
    fn take_chats(&mut self, chats: Rows, heads: Rows) -> Vec<ChatId> {
        let mut before = std::mem::take(&mut self.chats);
        for chat in records_of::<Chat>(chats).into_iter().flatten() {
            let mut entry = before.remove(&chat.id).unwrap_or_default();
            if entry.title_text.is_none() || entry.title != chat.title {
                entry.title_text = Some(self.add(&chat.title, Text::Part, chat.title.len()));
            }
            let (modified_at, is_deleted) = (Some(chat.modified_at), chat.soft_deleted_at.is_some());
            entry = ChatEntry { title: chat.title, modified_at, is_deleted, heads: Vec::new(), ..entry };
            self.chats.insert(chat.id, entry);
        }
        for head in records_of::<NodeHead>(heads).into_iter().flatten() {
            if let Some(chat) = self.chats.get_mut(&head.chat_id) {
                chat.heads.push(head);
            }
        }
        let mut unread: Vec<(&ChatId, &ChatEntry)> = self.chats.iter().filter(|(_, chat)| !chat.is_read).collect();
        unread.sort_by_key(|(id, chat)| std::cmp::Reverse((chat.modified_at, *id)));
        unread.into_iter().map(|(id, _)| id.clone()).collect()
    }

    fn take_messages(&mut self, rows: Rows, most_bytes: usize) {
        for message in records_of::<Message>(rows).into_iter().flatten() {
            let id = message.id.to_string();
            if self.messages.contains_key(&id) || !self.chats.contains_key(&message.chat_id) {
                continue;
            }
            let text = text_of(&message);
            let is_words = message.tool_calls.is_empty() && message.role != Role::Tool;
            let Message { id: message_id, chat_id, parent_id, created_at: said_at, .. } = message;
            let entry = MessageEntry { id: message_id, chat: chat_id.clone(), parent: parent_id, is_words, said_at };
            let number = self.add(&text, Text::Message(entry), most_bytes);
            self.messages.insert(id, number);
            if let Some(chat) = self.chats.get_mut(&chat_id) {
                chat.messages.push(number);
            }
        }
    }
}

/// What a message says, with the calls it asks for.
pub(super) fn text_of(message: &Message) -> String {
    let mut text = message.content.text();
    for call in &message.tool_calls {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&call.function.name);
        text.push(' ');
        text.push_str(&call.function.arguments);
    }
    text
}

/// Rows by their names, in the order given; nothing for one that is not there.
pub(super) async fn rows_of(store: &impl Store, rows: &[RowRef]) -> Result<Vec<Option<StoredRow>>, StoreError> {
    let mut all = Vec::with_capacity(rows.len());
    for few in rows.chunks(ROWS_AT_ONCE) {
        let wanted: [_; ROWS_AT_ONCE] = std::array::from_fn(|at| Lookup::Row(&few[at.min(few.len() - 1)]));
        let found = store.look_up(wanted).await?;
        all.extend(found.into_iter().take(few.len()).map(|mut found| found.pop().map(|(_, stored)| stored)));
    }
    Ok(all)
}

/// The tools that are installed, in effect.
async fn tools(store: &impl Store) -> Result<Vec<ToolEntry>, StoreError> {
    let list = ToolsetList::load(store).await?;
    let mut entries = Vec::new();
    for toolset in &list.toolsets {
        for tool in toolset.tools_in_effect(&Surroundings::default()) {
            entries.push(ToolEntry {
                tool_id: tool.declared.tool_id.to_string(),
                slug: tool.declared.slug.clone(),
                name: tool.name.to_owned(),
                group: toolset.toolset.name.clone(),
                description: tool.description.to_owned(),
                category: tool.declared.category.clone().unwrap_or_default(),
                tags: tool.declared.tags.clone(),
            });
        }
    }
    Ok(entries)
}

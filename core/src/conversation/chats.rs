//! Chats come, get another name, go, and come back for a while.

use super::{ConversationError, ConversationLimits};
use crate::catalog::Selection;
use crate::ids::ChatId;
use crate::model::ModelChoice;
use crate::record::{Chat, RowRef};
use crate::store::Commit;
use crate::time::Timestamp;

/// The title of a chat that was given none.
pub(super) const UNTITLED: &str = "New chat";

/// A new chat without messages, and its commit.
pub fn create(
    id: ChatId,
    title: Option<&str>,
    limits: ConversationLimits,
    now: Timestamp,
) -> Result<(Chat, Commit), ConversationError> {
    let title = title.map_or_else(|| Ok(UNTITLED.into()), |title| checked_title(title, limits))?;
    let chat = Chat::new(id, title, now);
    let commit = Commit::default().expect(RowRef::of(&chat), None).put(&chat);
    Ok((chat, commit))
}

/// Gives a chat another title. Its place in the list, which follows what was said, stays.
pub fn rename(chat: &Chat, title: &str, limits: ConversationLimits) -> Result<Commit, ConversationError> {
    let title = checked_title(title, limits)?;
    Ok(Commit::default().change(chat, &Chat { title, ..chat.clone() }))
}

/// Has another model answer from now on.
#[must_use]
pub fn choose_model(chat: &Chat, model: ModelChoice) -> Commit {
    Commit::default().change(chat, &Chat { model: Some(model), ..chat.clone() })
}

/// Has an answer take at most so many rounds of tool calls; nothing for the usual number (R191).
#[must_use]
pub fn limit_iterations(chat: &Chat, iterations: Option<u32>) -> Commit {
    Commit::default().change(chat, &Chat { max_tool_iterations: iterations, ..chat.clone() })
}

/// Has a chat offer these tools to its model from now on (R172).
#[must_use]
pub fn choose_tools(chat: &Chat, selection: &Selection) -> Commit {
    Commit::default().change(chat, &Chat { enabled_tools: Some(selection.to_chat()), ..chat.clone() })
}

/// Deletes a chat so that it can be brought back: nothing but a mark is written.
#[must_use]
pub fn soft_delete(chat: &Chat, now: Timestamp) -> Commit {
    let soft_deleted_at = chat.soft_deleted_at.or(Some(now));
    Commit::default().change(chat, &Chat { soft_deleted_at, ..chat.clone() })
}

/// Brings a deleted chat back.
#[must_use]
pub fn restore(chat: &Chat) -> Commit {
    Commit::default().change(chat, &Chat { soft_deleted_at: None, ..chat.clone() })
}

/// Until when a deleted chat can be brought back; nothing for one that was not deleted.
#[must_use]
pub fn undo_ends(chat: &Chat, limits: ConversationLimits) -> Option<Timestamp> {
    chat.soft_deleted_at.map(|deleted| deleted.later_by(limits.undo_millis))
}

/// Whether the time in which the chat could be brought back is over.
#[must_use]
pub fn is_due_for_purge(chat: &Chat, limits: ConversationLimits, now: Timestamp) -> bool {
    undo_ends(chat, limits).is_some_and(|end| now >= end)
}

fn checked_title(title: &str, limits: ConversationLimits) -> Result<String, ConversationError> {
    let title = title.trim();
    let (characters, limit) = (title.chars().count(), limits.title_characters);
    match characters {
        0 => Err(ConversationError::EmptyTitle),
        _ if characters > limit => Err(ConversationError::TitleTooLong { characters, limit }),
        _ => Ok(title.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::sample::{chat, chat_id};
    use super::*;

    const LIMITS: ConversationLimits = ConversationLimits { message_bytes: 10, title_characters: 8, undo_millis: 100 };

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn only_put(commit: Commit) -> Value {
        assert_eq!((commit.puts.len(), commit.deletes.len()), (1, 0));
        Value::Object(commit.puts[0].fields.clone())
    }

    #[test]
    fn a_chat_begins_with_or_without_a_title() {
        let (named, _) = create(chat_id(7), Some("  Rows "), LIMITS, at(5)).expect("is fine");
        assert_eq!((named.title.as_str(), named.created_at, named.modified_at), ("Rows", at(5), at(5)));
        let (unnamed, commit) = create(chat_id(7), None, LIMITS, at(5)).expect("is fine");
        assert_eq!(unnamed.title, "New chat");
        assert_eq!(commit.puts, Commit::default().put(&unnamed).puts);
        assert_eq!(commit.expects.len(), 1);
    }

    #[test]
    fn a_title_is_checked() {
        assert_eq!(only_put(rename(&chat(), " Columns", LIMITS).expect("is fine")), json!({"title": "Columns"}));
        let check = |title, expected: &str| {
            assert_eq!(rename(&chat(), title, LIMITS).expect_err("is refused").to_string(), expected);
        };
        check(" ", "a chat needs a title");
        check("123456789", "a title has at most 8 characters, and this one has 9");
        assert!(rename(&chat(), "éééééééé", LIMITS).is_ok());
    }

    /// R172: one field is written.
    #[test]
    fn a_chat_has_its_tools() {
        let chosen = Selection::of_last(Some(r#"{"mine": ["one"]}"#));
        assert_eq!(only_put(choose_tools(&chat(), &chosen)), json!({"enabledTools": {"mine": ["one"]}}));
        let before = Chat { enabled_tools: Some(chosen.to_chat()), ..chat() };
        assert_eq!(only_put(choose_tools(&before, &chosen)), json!({}));
        assert_eq!(only_put(choose_tools(&before, &Selection::default())), json!({"enabledTools": {}}));
    }

    /// R319: deleting a chat can be undone, and writes nothing else.
    #[test]
    fn a_deleted_chat_can_be_brought_back() {
        let deleted = soft_delete(&chat(), at(5));
        assert_eq!(only_put(deleted), json!({"soft_deleted_at": "1970-01-01T00:00:00.005Z"}));
        let gone = Chat { soft_deleted_at: Some(at(5)), ..chat() };
        assert_eq!(only_put(soft_delete(&gone, at(50))), json!({}));
        assert_eq!(only_put(restore(&gone)), json!({"soft_deleted_at": null}));
        assert_eq!((undo_ends(&gone, LIMITS), undo_ends(&chat(), LIMITS)), (Some(at(105)), None));
        assert!(!is_due_for_purge(&gone, LIMITS, at(104)));
        assert!(is_due_for_purge(&gone, LIMITS, at(105)));
        assert!(!is_due_for_purge(&chat(), LIMITS, at(105)));
        assert_eq!(ConversationLimits::default().undo_millis, 172_800_000);
    }

    /// R191, R321: one field is written, and taken back as well.
    #[test]
    fn a_chat_has_its_model_and_its_rounds() {
        let model = ModelChoice::parse("page/small").expect("is a choice");
        assert_eq!(only_put(choose_model(&chat(), model)), json!({"model": "page/small"}));
        assert_eq!(only_put(limit_iterations(&chat(), Some(2))), json!({"max_tool_iterations": 2}));
        let limited = Chat { max_tool_iterations: Some(2), ..chat() };
        assert_eq!(only_put(limit_iterations(&limited, None)), json!({"max_tool_iterations": null}));
    }
}

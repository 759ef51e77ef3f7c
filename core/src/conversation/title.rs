//! The title that a chat gets by itself: the first thing that is said in it (R321).

use super::MessageTree;
use super::chats::UNTITLED;
use crate::record::{Attachment, Chat, Role};

/// The longest title that is made here, in characters.
const LONGEST: usize = 60;

/// The title of a chat after something was said in it. One that was given stays, and so does every one after the first message: who has
/// renamed a chat to what a new one is called means it.
pub(super) fn title_after(chat: &Chat, tree: &MessageTree, text: &str, attached: &[Attachment]) -> String {
    let is_given = chat.title != UNTITLED || tree.messages().any(|message| message.role == Role::User);
    let made = if is_given { None } else { made_of(text, attached) };
    made.unwrap_or_else(|| chat.title.clone())
}

/// The first line, or the name of the first file where there are no words.
fn made_of(text: &str, attached: &[Attachment]) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.or_else(|| attached.first().map(|file| file.path.name()))?;
    Some(shortened(line))
}

/// Whole where it is short, else cut at a word.
fn shortened(line: &str) -> String {
    let Some((cut, _)) = line.char_indices().nth(LONGEST) else { return line.into() };
    let whole = line[..cut].rsplit_once(' ').map_or(&line[..cut], |(whole, _)| whole);
    format!("{}…", whole.trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::sample::{chat, chat_id, message};
    use super::*;
    use crate::digest::BlobId;
    use crate::record::Message;
    use crate::workspace::WorkspacePath;

    fn untitled() -> Chat {
        Chat { title: UNTITLED.into(), ..chat() }
    }

    fn after(chat: &Chat, said: impl IntoIterator<Item = Message>, text: &str) -> String {
        title_after(chat, &MessageTree::new(&chat_id(1), said), text, &[])
    }

    /// R321
    #[test]
    fn the_first_thing_said_is_the_title() {
        assert_eq!(after(&untitled(), [], "\n  What is this? \nMore."), "What is this?");
        let answer = Message { role: Role::Assistant, ..message(1, None) };
        assert_eq!(after(&untitled(), [answer], "And now?"), "And now?");
        let path = WorkspacePath::parse("a/map.png").expect("is a path");
        let file = Attachment { path, sha256: BlobId::of(b"png"), size: 3, media_type: None };
        assert_eq!(title_after(&untitled(), &MessageTree::new(&chat_id(1), []), " ", &[file]), "map.png");
    }

    #[test]
    fn a_title_that_was_given_stays() {
        assert_eq!(after(&chat(), [], "What is this?"), "Rows");
        assert_eq!(after(&untitled(), [message(1, None)], "And now?"), UNTITLED);
    }

    #[test]
    fn a_long_line_is_cut_at_a_word() {
        let long = "word ".repeat(20);
        assert_eq!(after(&untitled(), [], &long), format!("{}…", "word ".repeat(12).trim_end()));
        assert_eq!(after(&untitled(), [], &"é".repeat(61)), format!("{}…", "é".repeat(60)));
        assert_eq!(after(&untitled(), [], &"é".repeat(60)), "é".repeat(60));
    }
}

//! A user says something: a new message, below any node.

use super::given::metadata_of;
use super::title::title_after;
use super::{ConversationError, ConversationLimits, Heads, MessageTree};
use crate::ids::MessageId;
use crate::record::{Attachment, Chat, Content, Message, Node, NodeHead, Part, Role, RowRef};
use crate::store::Commit;
use crate::time::Timestamp;

/// What a user wants to say. Below a node that already has an answer it begins a branch: that is how a message is edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// Its id, fresh.
    pub id: MessageId,
    /// What it goes on from.
    pub parent: Node,
    /// What is said.
    pub content: Content,
    /// The files that go along with it, pictures included.
    pub attachments: Vec<Attachment>,
}

/// A user's message and the commit of it.
#[derive(Clone, Debug)]
pub struct Said {
    /// The message.
    pub message: Message,
    /// What stores it.
    pub commit: Commit,
}

/// The commit of a user's message, strictly durable. The new node starts with the files of its parent.
pub fn say(
    chat: &Chat,
    tree: &MessageTree,
    heads: &Heads,
    new: NewMessage,
    limits: ConversationLimits,
    now: Timestamp,
) -> Result<Commit, ConversationError> {
    said(chat, tree, heads, new, limits, now).map(|said| said.commit)
}

/// The same, with the message itself, for whoever goes on from it.
pub fn said(
    chat: &Chat,
    tree: &MessageTree,
    heads: &Heads,
    new: NewMessage,
    limits: ConversationLimits,
    now: Timestamp,
) -> Result<Said, ConversationError> {
    let parent_id = match &new.parent {
        Node::Root => None,
        Node::Message(id) if tree.message(id).is_none() => return Err(ConversationError::NoSuchMessage(id.clone())),
        Node::Message(id) => Some(id.clone()),
    };
    let mut required = check(&new.content, limits)?;
    required.extend(
        new.attachments.iter().map(|file| file.sha256).filter(|file| !required.contains(file)).collect::<Vec<_>>(),
    );
    let title = title_after(chat, tree, &new.content.text(), &new.attachments);
    let message = Message {
        id: new.id,
        chat_id: chat.id.clone(),
        parent_id,
        role: Role::User,
        content: new.content,
        tool_calls: Vec::new(),
        tool_call_id: None,
        metadata: metadata_of(&new.attachments),
        created_at: now,
    };
    let mut commit = Commit::default().expect(RowRef::of(&message), None).put(&message);
    commit.requires = required;
    // All of several: what is said does not decide between them (C25).
    for manifest in heads.all_at(tree, &new.parent) {
        let (message_id, manifest_id) = (Node::Message(message.id.clone()), manifest.clone());
        commit = commit.put(&NodeHead { chat_id: chat.id.clone(), message_id, manifest_id });
    }
    let commit = commit.change(chat, &Chat { title, modified_at: now.max(chat.modified_at), ..chat.clone() });
    Ok(Said { message, commit })
}

/// Refuses what is empty or too long, and gives the pictures.
fn check(content: &Content, limits: ConversationLimits) -> Result<Vec<crate::digest::BlobId>, ConversationError> {
    let (mut bytes, mut blank, mut pictures) = (0, true, Vec::new());
    let mut text = |text: &str| {
        bytes += text.len();
        blank &= text.trim().is_empty();
    };
    match content {
        Content::Text(all) => text(all),
        Content::Parts(parts) => parts.iter().for_each(|part| match part {
            Part::Text { text: one } => text(one),
            Part::Image { sha256, .. } => pictures.push(*sha256),
        }),
    }
    if blank && pictures.is_empty() {
        return Err(ConversationError::EmptyMessage);
    }
    if bytes > limits.message_bytes {
        return Err(ConversationError::MessageTooLong { bytes, limit: limits.message_bytes });
    }
    Ok(pictures)
}

#[cfg(test)]
mod tests {
    use super::super::content_of;
    use super::super::sample::{chat, chat_id, head, manifest_id, message, message_id, node};
    use super::*;
    use crate::digest::BlobId;
    use crate::store::Durability;
    use crate::workspace::WorkspacePath;

    fn said(parent: Node, content: Content) -> Result<Commit, ConversationError> {
        let tree = MessageTree::new(&chat_id(1), [message(1, None), message(2, Some(1))]);
        let heads = Heads::new(&chat_id(1), [head(Node::Root, 1), head(node(2), 2)]);
        let limits = ConversationLimits { message_bytes: 10, ..ConversationLimits::default() };
        let new = NewMessage { id: message_id(3), parent, content, attachments: Vec::new() };
        say(&chat(), &tree, &heads, new, limits, Timestamp::from_millis(5_000))
    }

    fn text(text: &str) -> Content {
        Content::Text(text.into())
    }

    /// R016, R309: the new node has a head of its own from the start, that of its parent.
    #[test]
    fn a_message_starts_with_the_files_of_its_parent() {
        let check = |parent: Node, manifest: u32| {
            let commit = said(parent.clone(), text("hello")).expect("is fine");
            let parent_id = match &parent {
                Node::Root => None,
                Node::Message(id) => Some(id.clone()),
            };
            let now = Timestamp::from_millis(5_000);
            let expected_message = Message { parent_id, content: text("hello"), created_at: now, ..message(3, None) };
            let head = NodeHead { chat_id: chat_id(1), message_id: node(3), manifest_id: manifest_id(manifest) };
            let after = Chat { modified_at: now, ..chat() };
            let expected = Commit::default().put(&expected_message).put(&head).change(&chat(), &after);
            assert_eq!(commit.puts, expected.puts);
            assert_eq!(commit.durability, Durability::Strict);
        };
        check(node(2), 2);
        check(node(1), 1);
        check(Node::Root, 1);
    }

    /// C25: several heads stay to be chosen from.
    #[test]
    fn a_message_does_not_choose_between_heads() {
        let tree = MessageTree::new(&chat_id(1), [message(1, None)]);
        let heads = Heads::new(&chat_id(1), [head(node(1), 1), head(node(1), 2)]);
        let new = NewMessage { id: message_id(3), parent: node(1), content: text("hello"), attachments: Vec::new() };
        let now = Timestamp::from_millis(5_000);
        let commit = say(&chat(), &tree, &heads, new, ConversationLimits::default(), now).expect("is fine");
        let heads = [1, 2].map(|manifest| RowRef::of(&head(node(3), manifest)));
        assert!(heads.iter().all(|head| commit.puts.iter().any(|put| put.row == *head)), "{:?}", commit.puts);
    }

    #[test]
    fn pictures_must_be_stored() {
        let sha256 = BlobId::of(b"png");
        let picture = Part::Image { sha256, media_type: "image/png".into() };
        assert_eq!(said(Node::Root, Content::Parts(vec![picture])).expect("is fine").requires, [sha256]);
    }

    /// C24: the bytes of every file that goes along are named by the message, and so kept.
    #[test]
    fn files_go_along_with_a_message() {
        let tree = MessageTree::new(&chat_id(1), []);
        let file = |name: &str, bytes: &[u8], media_type: Option<&str>| Attachment {
            path: WorkspacePath::parse(name).expect("is a path"),
            sha256: BlobId::of(bytes),
            size: bytes.len() as u64,
            media_type: media_type.map(Into::into),
        };
        let attachments = vec![file("map.png", b"png", Some("image/png")), file("rows.csv", b"a,b", None)];
        let content = content_of("What is this?", &attachments);
        let new = NewMessage { id: message_id(3), parent: Node::Root, content, attachments: attachments.clone() };
        let (heads, limits) = (Heads::new(&chat_id(1), []), ConversationLimits::default());
        let chat = Chat { title: "New chat".into(), ..chat() };
        let now = Timestamp::from_millis(5_000);
        let Said { message, commit } = super::said(&chat, &tree, &heads, new, limits, now).expect("is fine");
        assert_eq!(commit.requires, [BlobId::of(b"png"), BlobId::of(b"a,b")]);
        assert_eq!(super::super::attachments(&message), attachments);
        let after = Chat { title: "What is this?".into(), modified_at: now, ..chat.clone() };
        assert_eq!(commit.puts, Commit::default().put(&message).change(&chat, &after).puts);
    }

    /// R319, R324
    #[test]
    fn what_cannot_be_said_is_refused_with_the_reason() {
        let check = |parent, content, expected: &str| {
            assert_eq!(said(parent, content).expect_err("is refused").to_string(), expected);
        };
        check(Node::Root, text(" \n"), "a message needs some text or a picture");
        check(Node::Root, Content::Parts(vec![]), "a message needs some text or a picture");
        check(
            Node::Root,
            Content::Parts(vec![Part::Text { text: "123456".into() }, Part::Text { text: "123456".into() }]),
            "a message has at most 10 bytes of text, and this one has 12; attach the text as a file instead",
        );
        check(node(99), text("x"), &format!("this chat has no message {}", message_id(99)));
    }
}

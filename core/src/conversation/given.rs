//! The files that a user gives along with a message: those that are attached to it, and those that it mentions. A model is told where they
//! are, and reads those that are short texts at once; pictures it sees as parts of the message.
//!
//! What is attached is what it was then. What is mentioned is the file as it is at that message's place in the tree.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::mention::mentions;
use super::{OpenChat, OpenError};
use crate::digest::BlobId;
use crate::ids::MessageId;
use crate::record::{Attachment, Content, Message, Node, Part, Role};
use crate::store::{Store, StoreError};
use crate::workspace::{ContentKind, ReadError, Trees, WorkspacePath, find, read};

/// The member of a message's metadata that names what is attached.
const ATTACHMENTS: &str = "attachments";

/// How much of given files a model is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenLimits {
    /// Bytes of one file; a longer one is named only.
    pub file_bytes: u64,
    /// Bytes of all files of a conversation, the latest first.
    pub all_bytes: u64,
}

impl Default for GivenLimits {
    fn default() -> Self {
        Self { file_bytes: 48 << 10, all_bytes: 256 << 10 }
    }
}

/// What is attached to a message. What this version does not understand is nothing.
#[must_use]
pub fn attachments(message: &Message) -> Vec<Attachment> {
    let named = message.metadata.get(ATTACHMENTS).and_then(Value::as_array).into_iter().flatten();
    named.filter_map(|value| serde_json::from_value(value.clone()).ok()).collect()
}

/// What a message says that has these words and these files: pictures are parts of it.
#[must_use]
pub fn content_of(text: &str, attached: &[Attachment]) -> Content {
    let text = text.trim_end();
    let pictures = attached.iter().filter_map(|file| {
        let media_type = file.media_type.clone()?;
        Some(Part::Image { sha256: file.sha256, media_type })
    });
    let words = (!text.is_empty()).then(|| Part::Text { text: text.to_owned() });
    let parts: Vec<Part> = words.into_iter().chain(pictures).collect();
    if parts.iter().any(|part| matches!(part, Part::Image { .. })) {
        Content::Parts(parts)
    } else {
        Content::Text(text.to_owned())
    }
}

pub(super) fn metadata_of(attached: &[Attachment]) -> Map<String, Value> {
    if attached.is_empty() {
        return Map::new();
    }
    Map::from_iter([(ATTACHMENTS.to_owned(), serde_json::to_value(attached).expect("attachments are JSON"))])
}

/// A file that was given.
struct Given {
    path: WorkspacePath,
    sha256: BlobId,
    size: u64,
    is_picture: bool,
}

/// What a model is told of the files that came with the messages of a path, by message. A file that cannot be read is named all the same.
pub async fn told_of_files(
    store: &impl Store,
    open: &OpenChat,
    path: &[Message],
    limits: GivenLimits,
) -> Result<BTreeMap<MessageId, String>, StoreError> {
    let (mut trees, mut left, mut told) = (Trees::default(), limits.all_bytes, BTreeMap::new());
    for message in path.iter().rev().filter(|message| message.role == Role::User) {
        let given = given(store, open, &mut trees, message).await?;
        let mut words = Vec::new();
        for file in given {
            let may_be_read = !file.is_picture && file.size <= limits.file_bytes && file.size <= left;
            let text = if may_be_read { text_of(store, &file).await? } else { None };
            left -= text.as_ref().map_or(0, |text| text.len() as u64);
            words.push(in_words(&file, text.as_deref()));
        }
        if !words.is_empty() {
            told.insert(message.id.clone(), words.join("\n\n"));
        }
    }
    Ok(told)
}

/// The files of one message, each once.
async fn given(
    store: &impl Store,
    open: &OpenChat,
    trees: &mut Trees,
    message: &Message,
) -> Result<Vec<Given>, StoreError> {
    let attached = attachments(message).into_iter().map(|file| Given {
        is_picture: file.media_type.is_some(),
        path: file.path,
        sha256: file.sha256,
        size: file.size,
    });
    let mut given: Vec<Given> = attached.collect();
    let mentioned = mentions(&message.content.text());
    if mentioned.is_empty() {
        return Ok(given);
    }
    let root = match open.manifest_at(store, &Node::Message(message.id.clone())).await {
        Ok(Some(manifest)) => manifest.root,
        Ok(None) | Err(OpenError::NoManifest(_)) => return Ok(given),
        Err(OpenError::Store(error)) => return Err(error),
    };
    for spellings in mentioned {
        for path in spellings {
            let file = match read(store, trees, |trees| find(trees, root, &path)).await {
                Ok(file) => file,
                // A folder that is damaged has no files to be told of.
                Err(ReadError::Workspace(_)) => None,
                Err(ReadError::Store(error)) => return Err(error),
            };
            let Some(file) = file else { continue };
            if given.iter().all(|known| known.path != path) {
                given.push(Given { path, sha256: file.sha256, size: file.size, is_picture: false });
            }
            break;
        }
    }
    Ok(given)
}

/// The text of a file, if it is one and is as it was stored.
async fn text_of(store: &impl Store, file: &Given) -> Result<Option<String>, StoreError> {
    let bytes = store.blob(file.sha256).await?.filter(|bytes| BlobId::of(bytes) == file.sha256);
    let text = bytes.filter(|bytes| match ContentKind::of(&file.path, bytes) {
        ContentKind::Text | ContentKind::DrawnText(_) => true,
        ContentKind::Picture(_) | ContentKind::Bytes => false,
    });
    Ok(text.and_then(|bytes| String::from_utf8(bytes).ok()))
}

fn in_words(file: &Given, text: Option<&str>) -> String {
    let Given { path, size, is_picture, .. } = file;
    match text {
        Some(text) => {
            // A file may have fences of its own.
            let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
            let fence = "`".repeat(longest.max(2) + 1);
            let end = if text.ends_with('\n') { "" } else { "\n" };
            format!("[File in the workspace: {path}]\n{fence}\n{text}{end}{fence}")
        }
        None if *is_picture => format!("[Picture in the workspace: {path}]"),
        None => format!("[File in the workspace, not shown here: {path}, {size} bytes]"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{chat, chat_id, head, manifest, message, message_id};
    use super::*;
    use crate::at_once::at_once;
    use crate::ids::DeviceId;
    use crate::record::WorkspaceManifest;
    use crate::store::{Blob, Commit, MemoryStore};
    use crate::time::Timestamp;
    use crate::workspace::{Changes, FileEntry, WorkspaceLimits, edit, empty_root};

    fn path(path: &str) -> WorkspacePath {
        WorkspacePath::parse(path).expect("is a path")
    }

    fn attached(name: &str, bytes: &[u8], media_type: Option<&str>) -> Attachment {
        let (sha256, size) = (BlobId::of(bytes), bytes.len() as u64);
        Attachment { path: path(name), sha256, size, media_type: media_type.map(Into::into) }
    }

    /// A chat whose workspace has two files, and these messages in a row.
    fn told(messages: &[Message], limits: GivenLimits) -> BTreeMap<MessageId, String> {
        let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let store = MemoryStore::new(device);
        let files = [("notes.md", &b"one\n```\ntwo"[..]), ("two words.bin", &b"\0\0"[..])];
        let put = files.iter().fold(Changes::default(), |changes, (name, bytes)| {
            changes.put(path(name), FileEntry { sha256: BlobId::of(bytes), size: bytes.len() as u64 })
        });
        let limit = WorkspaceLimits::default();
        let snapshot = edit(&Trees::default(), empty_root(), &put, &limit).expect("fits");
        let of_root = WorkspaceManifest { root: snapshot.root, ..manifest(1, None) };
        let mut commit = Commit::default().put(&chat()).put(&of_root).put(&head(Node::Root, 1));
        commit = files.iter().fold(commit, |commit, (_, bytes)| commit.blob(Blob::new(bytes.to_vec())));
        commit = snapshot.trees.into_iter().fold(commit, Commit::blob);
        commit = messages.iter().fold(commit.blob(Blob::new(b"a,b".to_vec())), Commit::put);
        at_once(store.apply(commit, Timestamp::from_millis(1))).expect("the commit fits");
        let open = at_once(OpenChat::open(&store, &chat_id(1))).expect("memory does not fail").expect("is there");
        at_once(told_of_files(&store, &open, messages, limits)).expect("memory does not fail")
    }

    #[test]
    fn short_texts_are_read_and_all_others_are_named() {
        let files = [attached("rows.csv", b"a,b", None), attached("map.png", b"png", Some("image/png"))];
        let first = Message {
            content: content_of("see @notes.md, @nothing.md and @\"two words.bin\"", &files),
            metadata: metadata_of(&files),
            ..message(1, None)
        };
        let told_of = told(std::slice::from_ref(&first), GivenLimits::default());
        insta::assert_snapshot!(told_of[&message_id(1)], @r"
        [File in the workspace: rows.csv]
        ```
        a,b
        ```

        [Picture in the workspace: map.png]

        [File in the workspace: notes.md]
        ````
        one
        ```
        two
        ````

        [File in the workspace, not shown here: two words.bin, 2 bytes]
        ");
        let tight = told(&[first], GivenLimits { file_bytes: 5, all_bytes: 100 });
        assert!(tight[&message_id(1)].contains("[File in the workspace, not shown here: notes.md, 11 bytes]"));
    }

    #[test]
    fn the_latest_message_is_served_first() {
        let files = [attached("rows.csv", b"a,b", None)];
        let says = |number, parent| Message { metadata: metadata_of(&files), ..message(number, parent) };
        let told = told(&[says(1, None), says(2, Some(1))], GivenLimits { file_bytes: 10, all_bytes: 4 });
        assert!(told[&message_id(1)].contains("not shown"));
        assert!(told[&message_id(2)].contains("a,b"));
    }

    #[test]
    fn pictures_are_parts_of_what_is_said() {
        let files = [attached("rows.csv", b"a,b", None), attached("map.png", b"png", Some("image/png"))];
        let picture = Part::Image { sha256: BlobId::of(b"png"), media_type: "image/png".into() };
        assert_eq!(content_of("", &files), Content::Parts(vec![picture.clone()]));
        let words = Part::Text { text: "what".into() };
        assert_eq!(content_of("what\n", &files), Content::Parts(vec![words, picture]));
        assert_eq!(content_of("what", &files[..1]), Content::Text("what".into()));
    }

    #[test]
    fn what_is_attached_is_read_back() {
        let files = vec![attached("rows.csv", b"a,b", None)];
        let mut said = Message { metadata: metadata_of(&files), ..message(1, None) };
        assert_eq!(attachments(&said), files);
        said.metadata.insert(ATTACHMENTS.into(), serde_json::json!([{"path": "../x"}, 7]));
        assert_eq!(attachments(&said), []);
        assert_eq!(metadata_of(&[]), Map::new());
    }
}

//! Finding in a store: what is found, in which order, and that the library follows what changes.

use serde_json::Map;

use super::{Found, Library, Passage, SearchLimits, Wanted};
use crate::at_once::at_once;
use crate::digest::BlobId;
use crate::ids::{ChatId, DeviceId, ManifestId, MessageId};
use crate::record::{
    CallKind, Chat, Content, ManifestSource, Message, Node, NodeHead, RequestedCall, RequestedFunction, Role, RowRef,
    WorkspaceManifest,
};
use crate::store::{Blob, Commit, MemoryStore, Store as _};
use crate::time::Timestamp;
use crate::workspace::{FileEntry, WorkspaceLimits, WorkspacePath, build};

fn uuid(kind: u32, number: u32) -> String {
    format!("0198c5a4-7c1e-7000-{kind:04x}-{number:012x}")
}

fn chat_id(number: u32) -> ChatId {
    ChatId::parse(uuid(1, number)).expect("is a UUID")
}

fn message_id(number: u32) -> MessageId {
    MessageId::parse(uuid(2, number)).expect("is a UUID")
}

fn chat(number: u32, title: &str) -> Chat {
    let modified_at = Timestamp::from_millis(u64::from(number));
    Chat { modified_at, ..Chat::new(chat_id(number), title, Timestamp::from_millis(1)) }
}

fn message(chat: u32, number: u32, parent: Option<u32>, text: &str) -> Message {
    Message {
        id: message_id(number),
        chat_id: chat_id(chat),
        parent_id: parent.map(message_id),
        role: Role::User,
        content: Content::Text(text.into()),
        tool_calls: vec![],
        tool_call_id: None,
        metadata: Map::new(),
        created_at: Timestamp::from_millis(u64::from(number) * 1_000),
    }
}

/// A state of a chat's files at a node, with everything it needs.
fn files(chat: u32, node: Node, number: u32, contents: &[(&str, &str)]) -> Commit {
    let limits = WorkspaceLimits { file_bytes: 1 << 20, workspace_bytes: 1 << 20, files: 1_000 };
    let entry = |content: &str| FileEntry { sha256: BlobId::of(content.as_bytes()), size: content.len() as u64 };
    let all = contents.iter().map(|(path, content)| (WorkspacePath::parse(*path).expect("is a path"), entry(content)));
    let snapshot = build(&all.collect(), &limits).expect("are proper files");
    let id = ManifestId::parse(uuid(3, number)).expect("is a UUID");
    let manifest = WorkspaceManifest {
        id: id.clone(),
        chat_id: chat_id(chat),
        parent_id: None,
        root: snapshot.root,
        created_at: Timestamp::from_millis(1),
        source: ManifestSource::Edit,
        source_ref: None,
    };
    let blobs = contents.iter().map(|(_, content)| Blob::new(content.as_bytes().to_vec())).chain(snapshot.trees);
    let head = NodeHead { chat_id: chat_id(chat), message_id: node, manifest_id: id };
    blobs.fold(Commit::default(), Commit::blob).put(&manifest).put(&head)
}

/// A store, and the library that follows it.
struct Reader {
    store: MemoryStore,
    library: Library,
}

impl Reader {
    fn of(commit: Commit) -> Self {
        let device = DeviceId::parse(uuid(4, 1)).expect("is a UUID");
        let reader = Self { store: MemoryStore::new(device), library: Library::default() };
        reader.apply(commit);
        reader
    }

    fn apply(&self, commit: Commit) {
        at_once(self.store.apply(commit, Timestamp::from_millis(1))).expect("the commit fits");
        at_once(self.library.follow(&self.store)).expect("memory does not fail");
    }

    fn find(&self, typed: &str) -> Found {
        at_once(self.library.find(&self.store, typed, Wanted::few())).expect("memory does not fail")
    }

    fn messages(&self, typed: &str) -> Vec<String> {
        self.find(typed).messages.hits.iter().map(|hit| drawn(&hit.passage)).collect()
    }

    fn paths(&self, typed: &str) -> Vec<(String, Node)> {
        self.find(typed).files.hits.into_iter().map(|hit| (hit.path.text, hit.node)).collect()
    }
}

/// A passage with its marks between brackets.
fn drawn(passage: &Passage) -> String {
    let mut drawn = passage.text.clone();
    for mark in passage.marks.iter().rev() {
        drawn.insert(mark.end, ']');
        drawn.insert(mark.start, '[');
    }
    drawn
}

/// R313: messages on every branch, with the place in them.
#[test]
fn messages_are_found_on_every_branch() {
    let reader = Reader::of(
        Commit::default()
            .put(&chat(1, "Fruit"))
            .put(&message(1, 1, None, "Which fruit?"))
            .put(&message(1, 2, Some(1), "An apple, <b>sliced</b>"))
            .put(&message(1, 3, Some(1), "A pineapple")),
    );
    assert_eq!(reader.messages("apple"), ["An [apple], <b>sliced</b>", "A pine[apple]"]);
    let found = reader.find("APPLÈ");
    assert_eq!(
        (found.messages.hits[0].chat.clone(), found.messages.hits[0].chat_title.as_str()),
        (chat_id(1), "Fruit")
    );
    assert_eq!(found.messages.hits[0].id, message_id(2));
    assert!(found.is_whole && !found.messages.has_more);
    assert_eq!(reader.messages("pear"), [] as [&str; 0]);
    assert_eq!(reader.messages(""), [] as [&str; 0]);
}

/// R313: whole words before beginnings before parts, words as they were typed before words apart, and of equals the latest.
#[test]
fn the_best_comes_first() {
    let reader = Reader::of(
        Commit::default()
            .put(&chat(1, "One"))
            .put(&message(1, 1, None, "the plan of the day"))
            .put(&message(1, 2, None, "plan"))
            .put(&message(1, 3, None, "planning"))
            .put(&message(1, 4, None, "airplane"))
            .put(&message(1, 5, None, "a day without any plan")),
    );
    let order = ["a day without any [plan]", "[plan]", "the [plan] of the day", "[plan]ning", "air[plan]e"];
    assert_eq!(reader.messages("plan"), order);
    assert_eq!(reader.messages("plan of"), ["the [plan] [of] the day"]);
    assert_eq!(reader.messages("plan day"), ["a [day] without any [plan]", "the [plan] of the [day]"]);
    assert_eq!(reader.messages("any plan"), ["a day without [any] [plan]"]);
    assert_eq!(reader.messages("\"plan of\""), ["the [plan] [of] the day"]);
    assert_eq!(reader.messages("\"of plan\""), [] as [&str; 0]);
}

/// R313: the calls a message asks for can be found too, after what was said in words, however long ago.
#[test]
fn calls_are_found_by_their_names_and_arguments() {
    let function = RequestedFunction { name: "plot_rows".into(), arguments: "{\"file\": \"sales.csv\"}".into() };
    let call = RequestedCall { id: "1".into(), kind: CallKind::Function, function };
    let asking = Message { tool_calls: vec![call], role: Role::Assistant, ..message(1, 1, None, "") };
    let reader = Reader::of(Commit::default().put(&chat(1, "One")).put(&asking));
    let called = "[plot]_rows {\"file\": \"[sales].csv\"}";
    assert_eq!(reader.messages("sales plot"), [called]);
    let before = Message { created_at: Timestamp::from_millis(1), ..message(1, 2, None, "Plot of sales?") };
    reader.apply(Commit::default().put(&before));
    assert_eq!(reader.messages("sales plot"), ["[Plot] of [sales]?", called]);
}

/// R313: chats by their titles.
#[test]
fn chats_are_found_by_their_titles() {
    let reader = Reader::of(
        Commit::default()
            .put(&chat(1, "Quarterly report"))
            .put(&chat(2, "Report"))
            .put(&chat(3, "Reporting bugs"))
            .put(&Chat { soft_deleted_at: Some(Timestamp::from_millis(1)), ..chat(4, "Report, deleted") }),
    );
    let titles =
        |typed: &str| -> Vec<String> { reader.find(typed).chats.hits.iter().map(|hit| drawn(&hit.title)).collect() };
    assert_eq!(titles("report"), ["[Report]", "Quarterly [report]", "[Report]ing bugs"]);
    reader.apply(Commit::default().put(&chat(2, "Something else")));
    assert_eq!(titles("report"), ["Quarterly [report]", "[Report]ing bugs"]);
    assert_eq!(titles("else"), ["Something [else]"]);
}

/// R313: files by path and by what is in them, as they are at the end of each branch.
#[test]
fn files_are_found_at_the_end_of_every_branch() {
    let node = |number| Node::Message(message_id(number));
    let reader = Reader::of(
        Commit::default()
            .put(&chat(1, "One"))
            .put(&message(1, 1, None, "begin"))
            .put(&message(1, 2, Some(1), "left"))
            .put(&message(1, 3, Some(1), "right"))
            .put(&message(1, 4, Some(3), "and on"))
            .then(files(1, node(1), 1, &[("old/gone.txt", "gone")]))
            .then(files(1, node(2), 2, &[("src/main.py", "print('zebra')"), ("notes.md", "shared")]))
            .then(files(1, node(3), 3, &[("src/main.py", "print('lion')"), ("notes.md", "shared")])),
    );
    assert_eq!(reader.paths("notes"), [("notes.md".to_owned(), node(4))]);
    assert_eq!(reader.paths("main py").len(), 2);
    assert_eq!(reader.paths("zebra"), [("src/main.py".to_owned(), node(2))]);
    assert_eq!(reader.paths("gone"), []);
    let found = reader.find("zebra");
    let hit = &found.files.hits[0];
    assert_eq!(hit.passage.as_ref().map(drawn).as_deref(), Some("print('[zebra]')"));
    assert_eq!(hit.sha256, BlobId::of(b"print('zebra')"));
    // The next state of a branch takes the place of the last.
    let before = RowRef::of(&NodeHead {
        chat_id: chat_id(1),
        message_id: node(2),
        manifest_id: ManifestId::parse(uuid(3, 2)).expect("is a UUID"),
    });
    reader.apply(files(1, node(2), 4, &[("src/main.py", "print('okapi')")]).delete(before));
    assert_eq!(reader.paths("zebra"), []);
    assert_eq!(reader.paths("okapi"), [("src/main.py".to_owned(), node(2))]);
}

/// R313: files of a chat without messages.
#[test]
fn files_that_came_before_the_first_word_are_found() {
    let reader = Reader::of(Commit::default().put(&chat(1, "One")).then(files(1, Node::Root, 1, &[("a.csv", "x,y")])));
    assert_eq!(reader.paths("csv"), [("a.csv".to_owned(), Node::Root)]);
}

/// I10: what is damaged is not shown.
#[test]
fn damaged_contents_are_not_shown() {
    let reader =
        Reader::of(Commit::default().put(&chat(1, "One")).then(files(1, Node::Root, 1, &[("a.txt", "words")])));
    assert!(reader.find("words").files.hits[0].passage.is_some());
    let touched = at_once(reader.store.blobs_touched()).expect("memory does not fail");
    let drops = crate::store::Drops { blobs: vec![BlobId::of(b"words")], touched };
    reader.apply(Commit { drops: Some(drops), ..Commit::default() });
    assert!(reader.find("words").files.hits[0].passage.is_none());
}

/// R313: tools, the built-in ones too.
#[test]
fn tools_are_found() {
    let found = Reader::of(Commit::default()).find("search text");
    let first = &found.tools.hits[0];
    assert_eq!(first.tool_id, "search_text");
    assert!(!first.name.marks.is_empty(), "{first:?}");
    assert_eq!(Reader::of(Commit::default()).find("readfile").tools.hits[0].tool_id, "read_file");
    // Its category finds it too, where nothing else of it has the word.
    assert_eq!(Reader::of(Commit::default()).find("files jsonpath").tools.hits[0].tool_id, "query_json");
    // Letters that only follow each other somewhere are no reason.
    assert_eq!(Reader::of(Commit::default()).find("rdfl").tools.hits, []);
}

/// What changes is followed, whoever changed it, and what is gone is no longer found.
#[test]
fn the_library_follows_the_store() {
    let reader = Reader::of(Commit::default().put(&chat(1, "One")).put(&message(1, 1, None, "first zebra")));
    reader.apply(Commit::default().put(&message(1, 2, Some(1), "second zebra")));
    assert_eq!(reader.messages("zebra"), ["second [zebra]", "first [zebra]"]);
    reader.apply(Commit::default().put(&chat(2, "Two")).put(&message(2, 3, None, "third zebra")));
    assert_eq!(reader.messages("zebra").len(), 3);
    reader.apply(Commit::default().put(&Chat { soft_deleted_at: Some(Timestamp::from_millis(9)), ..chat(1, "One") }));
    assert_eq!(reader.messages("zebra"), ["third [zebra]"]);
    reader.apply(Commit::default().put(&chat(1, "One")));
    assert_eq!(reader.messages("zebra").len(), 3);
    let purged = [RowRef::of(&chat(2, "")), RowRef::of(&message(2, 3, None, ""))];
    reader.apply(purged.into_iter().fold(Commit::default(), Commit::delete));
    assert_eq!(reader.messages("zebra").len(), 2);
    // A row whose chat is not there is passed over, and does not stop the rest (R317).
    reader.apply(Commit::default().put(&message(7, 8, None, "zebra of nobody")).put(&message(
        1,
        9,
        None,
        "last zebra",
    )));
    assert_eq!(reader.messages("zebra")[0], "last [zebra]");
    assert_eq!(reader.messages("zebra").len(), 3);
}

/// R324: what is too much is left out, and there is a way to more.
#[test]
fn everything_is_bounded() {
    let many = (1..=50).fold(Commit::default().put(&chat(1, "Many")), |commit, number| {
        commit.put(&message(1, number, None, "the same words"))
    });
    let reader = Reader::of(many);
    let found = reader.find("same");
    assert_eq!((found.messages.hits.len(), found.messages.has_more), (8, true));
    let all = Wanted { messages: 1_000, ..Wanted::few() };
    let found = at_once(reader.library.find(&reader.store, "same", all)).expect("memory does not fail");
    assert_eq!((found.messages.hits.len(), found.messages.has_more), (50, false));

    let limits = SearchLimits { message_bytes: 4, content_bytes: 5, contents_bytes: 8, files: 2 };
    let small = Reader { store: reader.store.clone(), library: Library::with_limits(limits) };
    let three = [("a.txt", "alpha"), ("b.txt", "beta"), ("c.txt", "gammas")];
    small.apply(files(1, Node::Root, 1, &three).delete(RowRef::of(&chat(9, ""))));
    assert_eq!(small.messages("words"), [] as [&str; 0]);
    assert_eq!(small.messages("the").len(), 8);
    let small_chat = Reader::of(Commit::default().put(&chat(2, "Files")).then(files(2, Node::Root, 2, &three)));
    let bounded = Reader { store: small_chat.store.clone(), library: Library::with_limits(limits) };
    bounded.apply(Commit::default());
    assert_eq!(bounded.paths("txt").len(), 2);
    assert_eq!(bounded.paths("alpha"), [("a.txt".to_owned(), Node::Root)]);
    assert_eq!(bounded.paths("beta"), []);
    assert_eq!(bounded.paths("gammas"), []);
}

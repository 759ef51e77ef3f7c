//! The large and binary results of a round of calls: they become files together, after all its calls are in (R308).

use super::RunError;
use crate::conversation::OpenChat;
use crate::ids::{ChatId, MessageId};
use crate::record::{Node, ToolCall};
use crate::store::{Store, StoreError};
use crate::workspace::{
    Cause, Changes, FileEntry, NewManifest, Trees, WorkspaceLimits, WorkspacePath, edit, empty_root, read, record,
};

/// How often a commit is tried that another tab keeps overtaking.
const ATTEMPTS: u32 = 4;

/// Writes the results that are too large for their rows, or no text, into the files of the answer that asked for the calls: in call order, as one state.
/// What is there already stays as it is. `new` gives the name and time of the state.
pub async fn keep_results(
    store: &impl Store,
    chat: &ChatId,
    message: &MessageId,
    calls: &[ToolCall],
    limits: &WorkspaceLimits,
    new: &dyn Fn() -> Result<NewManifest, RunError>,
) -> Result<(), RunError> {
    let large: Vec<_> = calls.iter().flat_map(|call| call.late_files().map(move |file| (call, file))).collect();
    let Some((last, _)) = large.last() else { return Ok(()) };
    let cause = Cause::ToolRun(last.id.clone());
    let put = |changes: Changes, (_, spilled): &(&ToolCall, &crate::record::Spilled)| {
        let file = FileEntry { sha256: spilled.sha256, size: spilled.size };
        // A row that came from elsewhere may say anything.
        match WorkspacePath::parse(spilled.path.clone()) {
            Ok(path) => changes.put(path, file),
            Err(_) => changes,
        }
    };
    let changes = large.iter().fold(Changes::default(), put);
    let mut attempt = 1;
    loop {
        let open = OpenChat::open(store, chat).await?.ok_or_else(|| RunError::NoChat(chat.clone()))?;
        let place = open.place_at(store, &Node::Message(message.clone())).await?;
        let root = place.base.as_ref().map_or_else(empty_root, |base| base.manifest.root);
        let snapshot = read(store, &mut Trees::default(), |trees| edit(trees, root, &changes, limits)).await?;
        let new = new()?;
        let now = new.created_at;
        let Some(made) = record(&place, snapshot, Vec::new(), new, &cause) else { return Ok(()) };
        let mut commit = made.commit;
        commit.requires.extend(large.iter().map(|(_, spilled)| spilled.sha256));
        match store.apply(commit, now).await {
            Ok(_) => return Ok(()),
            Err(StoreError::Changed(_)) if attempt < ATTEMPTS => attempt += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::at_once::at_once;
    use crate::conversation::{ConversationLimits, NewReply, create, reply};
    use crate::ids::{DeviceId, ManifestId, ToolCallId};
    use crate::record::{CallStatus, ErrorKind, ManifestSource, Spilled, WorkspaceManifest};
    use crate::store::{Blob, Commit, MemoryStore, list};
    use crate::time::Timestamp;
    use crate::tool_run::Unmade;
    use crate::workspace::flatten;

    fn uuid(number: u32) -> String {
        format!("0198c5a4-7c1e-7000-8000-{number:012}")
    }

    fn call(number: u32, text: Option<&str>) -> ToolCall {
        let unmade = Unmade {
            id: ToolCallId::parse(uuid(number)).expect("is a UUID"),
            call_id: None,
            chat_id: ChatId::parse(uuid(1)).expect("is a UUID"),
            message_id: Some(MessageId::parse(uuid(2)).expect("is a UUID")),
            tool_id: "mine:count".into(),
            args: json!({}),
            kind: ErrorKind::Failed,
            error: String::new(),
        };
        let spilled = text.map(|text| Spilled {
            path: format!(".satchel/results/{}.json", uuid(number)),
            sha256: Blob::new(text.into()).id(),
            size: text.len() as u64,
            media_type: "application/json".into(),
            preview: String::new(),
        });
        ToolCall { status: CallStatus::Success, spilled, ..unmade.row(Timestamp::from_millis(1)) }
    }

    /// R308: after all calls of the round, in call order, as one state; and once.
    #[test]
    fn the_results_of_a_round_become_one_state() {
        let store = MemoryStore::new(DeviceId::parse(uuid(9)).expect("is a UUID"));
        let now = Timestamp::from_millis(5);
        let (chat, message) =
            (ChatId::parse(uuid(1)).expect("is a UUID"), MessageId::parse(uuid(2)).expect("is a UUID"));
        let (_, begun) = create(chat.clone(), None, ConversationLimits::default(), now).expect("is fine");
        let picture = call(14, Some("[3]")).spilled.into_iter().collect();
        let calls = [
            call(11, Some("[1]")),
            ToolCall { result_files: picture, ..call(12, None) },
            call(13, Some("[2]")),
            call(15, None),
        ];
        let text = String::new();
        let new =
            NewReply { id: message.clone(), parent_id: None, text, calls: vec![], metadata: serde_json::Map::new() };
        let commit = calls.iter().fold(begun.put(&reply(&chat, new, now)), Commit::put);
        let commit = ["[1]", "[2]", "[3]"].into_iter().fold(commit, |commit, text| commit.blob(Blob::new(text.into())));
        at_once(store.apply(commit, now)).expect("fits");
        let made = Cell::new(100);
        let keep = |calls: &[ToolCall]| {
            let new = || {
                made.set(made.get() + 1);
                Ok(NewManifest { id: ManifestId::parse(uuid(made.get()))?, created_at: now })
            };
            at_once(keep_results(&store, &chat, &message, calls, &WorkspaceLimits::default(), &new))
        };
        keep(&calls).expect("there is room");
        keep(&calls).expect("there is nothing to do");
        keep(&calls[3..]).expect("there is nothing to do");
        let manifests: Vec<WorkspaceManifest> =
            at_once(list(&store)).expect("memory").into_iter().map(|row| row.expect("is readable")).collect();
        let [manifest] = &manifests[..] else { panic!("there is one state, not {manifests:?}") };
        assert_eq!((manifest.source, manifest.source_ref.clone()), (ManifestSource::ToolRun, Some(uuid(13))));
        let files = at_once(read(&store, &mut Trees::default(), |trees| flatten(trees, manifest.root))).expect("reads");
        let files: BTreeMap<String, _> = files.iter().map(|(path, file)| (path.to_string(), file.sha256)).collect();
        let file =
            |number: u32, text: &str| (format!(".satchel/results/{}.json", uuid(number)), Blob::new(text.into()).id());
        assert_eq!(files, BTreeMap::from([file(11, "[1]"), file(13, "[2]"), file(14, "[3]")]));
        let open = at_once(OpenChat::open(&store, &chat)).expect("memory").expect("is there");
        assert_eq!(open.heads.own(&Node::Message(message)), std::slice::from_ref(&manifest.id));
    }
}

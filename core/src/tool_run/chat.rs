//! Where a call happens: its chat, the node whose files it works on, and the state they are in.

use super::{Finished, RunError, RunRequest, Runner, Turn, interrupted};
use crate::conversation::{self, ConversationLimits, Heads, MessageTree, OpenChat};
use crate::ids::ChatId;
use crate::python::CallPython;
use crate::record::{CallStatus, Chat, ErrorKind, KeptValue, Node, RowKey, ToolCall, WorkspaceManifest};
use crate::store::{self, Commit, Store};
use crate::workspace::{Cause, Files, NewManifest, Trees, first, flatten, read};

/// Under this key the app remembers its scratch chat.
const SCRATCH_KEY: &str = "scratch_chat";

/// The title of the chat in which calls are made that name none.
const SCRATCH_TITLE: &str = "Scratch";

/// A chat that a call is made in.
pub(super) struct Scene {
    pub(super) open: OpenChat,
    /// Held until the call is over.
    _turns: Vec<Turn>,
    /// What makes the chat, if it is not there yet.
    pub(super) create: Commit,
}

/// The files before a call.
pub(super) struct Before {
    pub(super) manifest: WorkspaceManifest,
    pub(super) files: Files,
    /// What makes that state, if the chat never had files (R076).
    pub(super) create: Commit,
}

impl Scene {
    /// Opens the chat that is named, or the scratch chat, which is begun when it is first needed, once it is the call's turn in it. A
    /// scratch chat that the user has deleted is not brought back: another one is begun.
    pub(super) async fn of<S: Store, P: ?Sized>(
        runner: &Runner<'_, S, P>,
        chat: Option<&ChatId>,
    ) -> Result<Self, RunError> {
        let create = Commit::default();
        if let Some(id) = chat {
            let turn = runner.turns.to_run(Some(id)).await;
            let open = OpenChat::open(runner.store, id).await?.ok_or_else(|| RunError::NoChat(id.clone()))?;
            return Ok(Self { open, create, _turns: vec![turn] });
        }
        // Two calls must not begin two scratch chats; and the one that is there may be named by another call.
        let mut turns = vec![runner.turns.to_run(None).await];
        let kept: Option<KeptValue> = store::get(runner.store, RowKey::one(SCRATCH_KEY)).await?;
        let known = kept.and_then(|kept| ChatId::parse(kept.value.as_str()?).ok());
        if let Some(id) = known {
            turns.push(runner.turns.to_run(Some(&id)).await);
            if let Some(open) = OpenChat::open(runner.store, &id).await? {
                return Ok(Self { open, create, _turns: turns });
            }
        }
        let id = ChatId::parse((runner.fresh_id)())?;
        turns.push(runner.turns.to_run(Some(&id)).await);
        let (chat, create) = new_chat(id, runner);
        let kept = KeptValue { key: SCRATCH_KEY.into(), value: chat.id.as_str().into() };
        let (tree, heads) = (MessageTree::new(&chat.id, []), Heads::new(&chat.id, []));
        let open = OpenChat { chat, tree, heads, leaf: Node::Root, unreadable: Vec::new() };
        Ok(Self { open, create: create.put(&kept), _turns: turns })
    }

    pub(super) fn chat_id(&self) -> &ChatId {
        &self.open.chat.id
    }

    /// The node whose files the call works on: the leaf that this device shows when the call begins.
    pub(super) fn node(&self) -> Node {
        self.open.leaf.clone()
    }
}

fn new_chat<S, P: ?Sized>(id: ChatId, runner: &Runner<'_, S, P>) -> (Chat, Commit) {
    let limits = ConversationLimits::default();
    conversation::create(id, Some(SCRATCH_TITLE), limits, (runner.now)()).expect("the title is short and not empty")
}

impl<S: Store, P: CallPython + ?Sized> Runner<'_, S, P> {
    /// The state that a call starts from. A chat that never had files gets an empty one, so that every call has a before and an
    /// after to compare (R076).
    pub(super) async fn before(&self, scene: &Scene) -> Result<Before, RunError> {
        let Some(manifest) = scene.open.manifest_at(self.store, &scene.open.leaf).await? else {
            let new = NewManifest { id: self.fresh_manifest()?, created_at: (self.now)() };
            let made = first(scene.chat_id(), new, &Cause::Edit);
            return Ok(Before { manifest: made.manifest, files: Files::new(), create: made.commit });
        };
        let files = read(self.store, &mut Trees::default(), |trees| flatten(trees, manifest.root)).await?;
        Ok(Before { manifest, files, create: Commit::default() })
    }

    /// The same call, if it was made before under the same id.
    pub(super) async fn repeated(
        &self,
        request: &RunRequest,
        wanted: &ToolCall,
        scene: &Scene,
    ) -> Result<Option<Finished>, RunError> {
        let Some(call_id) = &request.call_id else { return Ok(None) };
        let calls = store::list_where::<ToolCall>(self.store, "call_id", call_id).await?;
        let mut calls: Vec<ToolCall> = calls.into_iter().flatten().collect();
        if calls.iter().any(|call| call.chat_id == *scene.chat_id() && call.finished_at.is_none()) {
            // It is this call's turn in the chat, so that nobody runs that one any more.
            for over in interrupted::interrupt_left(self.store, scene.chat_id(), (self.now)()).await? {
                calls.iter_mut().filter(|call| call.id == over.id).for_each(|call| *call = over.clone());
            }
        }
        // The model's own ids may repeat from one message to the next, so that only calls of the same message count.
        let same = |call: &ToolCall| call.chat_id == *scene.chat_id() && call.message_id == request.message;
        for call in calls.into_iter().filter(same) {
            match (call.status, call.error_kind) {
                (CallStatus::Error, Some(ErrorKind::InvalidArgs | ErrorKind::Denied)) => continue,
                (CallStatus::Success | CallStatus::Error | CallStatus::Pending | CallStatus::Running, _) => {}
            }
            if (&call.tool_id, &call.args) != (&wanted.tool_id, &wanted.args) {
                return Err(RunError::CallIdTaken(call_id.clone()));
            }
            if call.finished_at.is_none() {
                return Err(RunError::RunsElsewhere(call_id.clone()));
            }
            let result = match &call.spilled {
                None => call.result.clone(),
                // A result whose file was lost can still be told by its beginning.
                Some(spilled) => (self.store.blob(spilled.sha256).await?)
                    .and_then(|bytes| serde_json::from_slice(&bytes).ok())
                    .or_else(|| Some(spilled.preview.clone().into())),
            };
            return Ok(Some(Finished { call, result, misfits: None, repeated: true }));
        }
        Ok(None)
    }
}

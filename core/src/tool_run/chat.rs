//! Where a call happens: its chat, the node whose files it works on, and the state they are in.

use std::collections::BTreeSet;

use super::noted::Noted;
use super::{Finished, RunError, RunRequest, Runner, Spoken, Turn, has_waited, interrupted};
use crate::catalog::{EffectiveTool, ToolId};
use crate::conversation::{self, ConversationLimits, Heads, MessageTree, OpenChat, OpenError};
use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::python::CallPython;
use crate::record::{CallStatus, ErrorKind, KeptValue, Node, RowKey, ToolCall, ToolKind, WorkspaceManifest};
use crate::saved;
use crate::store::{self, Commit, Store};
use crate::time::Timestamp;
use crate::workspace::{Cause, Files, NewManifest, Trees, first, flatten, read};

/// Under this key the app remembers its scratch chat.
const SCRATCH_KEY: &str = "scratch_chat";

/// The title of the chat in which calls are made that name none.
const SCRATCH_TITLE: &str = "Scratch";

/// A chat that a call is made in.
pub(super) struct Scene {
    pub(super) open: OpenChat,
    /// The messages that the call is written as.
    pub(super) spoken: Option<Spoken>,
    /// Whether it is one of a round of calls, whose large results become files together when all are in (R308).
    pub(super) in_round: bool,
    /// Whether others run in the chat at the same time.
    pub(super) beside: bool,
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
    /// scratch chat that the user has deleted is not brought back: another one is begun. A call that is spoken begins the chat it names, if
    /// that is not there.
    pub(super) async fn of<S: Store, P: ?Sized>(
        runner: &Runner<'_, S, P>,
        request: &RunRequest,
        tool: &EffectiveTool<'_>,
    ) -> Result<Self, RunError> {
        let (create, spoken) = (Commit::default(), request.spoken.clone());
        if let Some(id) = &request.chat {
            // What cannot touch the files need not wait for what does (C35).
            let beside = tool.declared.kind == ToolKind::Mcp && request.message.is_some();
            let turns = match beside {
                true => vec![runner.turns.to_run_beside(id).await],
                false => vec![runner.turns.to_run(Some(id)).await],
            };
            return match OpenChat::open(runner.store, id).await? {
                Some(mut open) => {
                    // Whatever is shown meanwhile, a call of an answer works on that answer's files.
                    let asking = request.message.clone().map(Node::Message).filter(|asking| open.tree.contains(asking));
                    let in_round = asking.is_some();
                    open.leaf = asking.unwrap_or(open.leaf);
                    Ok(Self { open, spoken, in_round, beside, create, _turns: turns })
                }
                None if spoken.is_some() => {
                    let (mut open, mut create) = begun(id.clone(), tool.name, runner);
                    if let Some(chosen) =
                        spoken.as_ref().map(|spoken| &spoken.begins_with).filter(|one| !one.is_empty())
                    {
                        create = create.then(conversation::choose_tools(&open.chat, chosen));
                        open.chat.enabled_tools = Some(chosen.to_chat());
                    }
                    let equipped = saved::begin_equipped(runner.store, open.chat.clone()).await?;
                    if equipped != open.chat {
                        create = create.then(Commit::default().change(&open.chat, &equipped));
                        open.chat = equipped;
                    }
                    Ok(Self { open, spoken, in_round: false, beside, create, _turns: turns })
                }
                None => Err(RunError::NoChat(id.clone())),
            };
        }
        // Two calls must not begin two scratch chats; and the one that is there may be named by another call.
        let mut turns = vec![runner.turns.to_run(None).await];
        let kept: Option<KeptValue> = store::get(runner.store, RowKey::one(SCRATCH_KEY)).await?;
        let known = kept.and_then(|kept| ChatId::parse(kept.value.as_str()?).ok());
        if let Some(id) = known {
            turns.push(runner.turns.to_run(Some(&id)).await);
            if let Some(open) = OpenChat::open(runner.store, &id).await? {
                return Ok(Self { open, spoken, in_round: false, beside: false, create, _turns: turns });
            }
        }
        let id = ChatId::parse((runner.fresh_id)())?;
        turns.push(runner.turns.to_run(Some(&id)).await);
        let (open, create) = begun(id, SCRATCH_TITLE, runner);
        let kept = KeptValue { key: SCRATCH_KEY.into(), value: open.chat.id.as_str().into() };
        Ok(Self { open, spoken, in_round: false, beside: false, create: create.put(&kept), _turns: turns })
    }

    pub(super) fn chat_id(&self) -> &ChatId {
        &self.open.chat.id
    }

    /// The node whose files the call works on: the message that asks for it, else the leaf that this device shows when the call begins.
    pub(super) fn node(&self) -> Node {
        self.asked_by().map_or_else(|| self.open.leaf.clone(), Node::Message)
    }

    /// The message that the call begins with.
    pub(super) fn asked_by(&self) -> Option<MessageId> {
        self.spoken.as_ref().map(|spoken| spoken.question.clone())
    }

    /// What writes that message; nothing where there is none.
    pub(super) fn asks(&self, tool: &ToolId, call: &ToolCall) -> Commit {
        self.spoken.as_ref().map(|spoken| spoken.ask(self, tool, call)).unwrap_or_default()
    }

    /// What writes the answer of a call that is over; nothing where nobody asked in the conversation.
    pub(super) fn answers(&self, call: &ToolCall, now: Timestamp) -> Commit {
        self.spoken.as_ref().map(|spoken| spoken.answer(call, now)).unwrap_or_default()
    }
}

/// A chat that begins with the call.
fn begun<S, P: ?Sized>(id: ChatId, title: &str, runner: &Runner<'_, S, P>) -> (OpenChat, Commit) {
    let (limits, now) = (ConversationLimits::default(), (runner.now)());
    let title: String = title.chars().take(limits.title_characters).collect();
    let named = conversation::create(id.clone(), Some(&title), limits, now);
    // A name of nothing but spaces is none.
    let (chat, create) = named
        .or_else(|_blank| conversation::create(id, None, limits, now))
        .expect("a chat without a title can always begin");
    let (tree, heads) = (MessageTree::new(&chat.id, []), Heads::new(&chat.id, []));
    (OpenChat { chat, tree, heads, leaf: Node::Root, unreadable: Vec::new() }, create)
}

impl<S: Store, P: CallPython + ?Sized> Runner<'_, S, P> {
    /// The state that a call starts from. A chat that never had files gets an empty one, so that every call has a before and an
    /// after to compare (R076).
    pub(super) async fn before(&self, scene: &Scene, noted: &Noted) -> Result<Before, RunError> {
        let Some(head) = &noted.head else {
            let new = NewManifest { id: self.fresh_manifest()?, created_at: (self.now)() };
            let made = first(scene.chat_id(), new, &Cause::Edit);
            return Ok(Before { manifest: made.manifest, files: Files::new(), create: made.commit });
        };
        let manifest = noted.manifest.clone().ok_or_else(|| OpenError::NoManifest(head.clone()))?;
        let files = read(self.store, &mut Trees::default(), |trees| flatten(trees, manifest.root)).await?;
        Ok(Before { manifest, files, create: Commit::default() })
    }

    /// The same call, if it was made before under the same id.
    pub(super) async fn repeated(
        &self,
        request: &RunRequest,
        wanted: &ToolCall,
        scene: &Scene,
        noted: &Noted,
    ) -> Result<Option<Finished>, RunError> {
        let Some(call_id) = &request.call_id else { return Ok(None) };
        let mut calls = noted.same_id.clone();
        let unfinished = |call: &&ToolCall| call.chat_id == *scene.chat_id() && call.finished_at.is_none();
        let left: BTreeSet<ToolCallId> = calls.iter().filter(unfinished).map(|call| call.id.clone()).collect();
        if !left.is_empty() && !scene.beside {
            // It is this call's turn in the chat, so that nobody runs that one any more.
            let is_left = |id: &ToolCallId| left.contains(id);
            for over in interrupted::interrupt(self.store, scene.chat_id(), is_left, (self.now)()).await? {
                calls.iter_mut().filter(|call| call.id == over.id).for_each(|call| *call = over.clone());
            }
        }
        // The model's own ids may repeat from one message to the next, so that only calls of the same message count.
        // A call that is spoken gets a message of its own each time it is asked for.
        let of_message = |call: &ToolCall| request.spoken.is_some() || call.message_id == request.message;
        let same = |call: &ToolCall| call.chat_id == *scene.chat_id() && of_message(call);
        for call in calls.into_iter().filter(same).filter(|call| !has_waited(call, wanted)) {
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

//! A stage for turns: a model that says what is scripted, in pieces, tools that do what their name says, and a store.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};

use serde_json::json;

use super::script::{error_named, large, offers, question, stream};
use crate::approval::{Answer, Denied, Verdict};
use crate::at_once::at_once;
use crate::conversation::{self, ConversationLimits, NewMessage, OpenChat, Sending, Sent, validity};
use crate::ids::{ChatId, DeviceId, MessageId};
use crate::model::{ModelMessage, ModelRequest, StreamReader};
use crate::protocol::{ModelPrices, ProviderFormat};
use crate::record::{CallStatus, Chat, Content, ErrorKind, Message, Role, Table, ToolCall};
use crate::store::{self, Commit, MemoryStore, Store as _};
use crate::time::Timestamp;
use crate::tool_run::{Permission, RunRequest, Unmade};
use crate::turn::{At, ModelSettings, ToolEnd, Turn, TurnEffect, TurnEnd, TurnEvent, TurnLimits, TurnSetup};

/// What the model costs.
pub(super) const PRICES: ModelPrices = ModelPrices { input: 3_000_000, output: 15_000_000, cached: None };

/// What happens in a turn.
#[derive(Clone)]
pub(super) struct Script<'a> {
    /// The answers of the model: `text|id=tool(arguments) …|reason`, or `…!error` where it fails.
    pub(super) answers: &'a [&'a str],
    /// How many bytes the pieces of an answer have.
    pub(super) piece: usize,
    /// The event after which the user stops, counted from 1.
    pub(super) stop_after: Option<usize>,
    /// What the user answers when asked.
    pub(super) verdict: Verdict,
    /// Why large results cannot become files.
    pub(super) no_room: Option<&'a str>,
    /// The commit that cannot be stored, counted from 1.
    pub(super) full_at: Option<usize>,
    pub(super) limits: TurnLimits,
    pub(super) context_tokens: Option<u64>,
}

impl Default for Script<'_> {
    fn default() -> Self {
        Self {
            answers: &[],
            piece: 7,
            stop_after: None,
            verdict: Verdict::Once,
            no_room: None,
            full_at: None,
            limits: TurnLimits::default(),
            context_tokens: None,
        }
    }
}

/// What came of it.
pub(super) struct Played {
    /// What was done, in order.
    pub(super) trace: Vec<String>,
    /// What the model was asked.
    pub(super) requests: Vec<ModelRequest>,
    pub(super) end: Option<TurnEnd>,
    /// How many events there were.
    pub(super) events: usize,
    pub(super) stage: Stage,
}

/// A chat in a store.
pub(super) struct Stage {
    pub(super) store: MemoryStore,
    ids: Cell<u32>,
    time: Cell<u64>,
}

pub(super) fn chat_id() -> ChatId {
    ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID")
}

impl Stage {
    pub(super) fn new() -> Self {
        let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let stage = Self { store: MemoryStore::new(device), ids: Cell::new(0), time: Cell::new(1_000) };
        let (_, commit) = conversation::create(chat_id(), Some("Rows"), ConversationLimits::default(), stage.now())
            .expect("the title is fine");
        stage.apply(commit);
        stage
    }

    pub(super) fn now(&self) -> Timestamp {
        self.time.set(self.time.get() + 1);
        Timestamp::from_millis(self.time.get())
    }

    pub(super) fn fresh_id(&self) -> String {
        self.ids.set(self.ids.get() + 1);
        format!("0198c5a4-7c1e-7000-8000-{:012x}", self.ids.get())
    }

    pub(super) fn apply(&self, commit: Commit) {
        at_once(self.store.apply(commit, self.now())).expect("the commit fits");
    }

    pub(super) fn open(&self) -> OpenChat {
        at_once(OpenChat::open(&self.store, &chat_id())).expect("memory does not fail").expect("is there")
    }

    pub(super) fn calls(&self) -> Vec<ToolCall> {
        let calls = at_once(store::list::<ToolCall>(&self.store)).expect("memory does not fail");
        calls.into_iter().map(|call| call.expect("is readable")).collect()
    }

    /// The branch that is shown, as rows.
    pub(super) fn path(&self) -> Vec<Message> {
        let open = self.open();
        assert_eq!(open.tree.faults(), []);
        open.tree.path(&open.leaf).into_iter().cloned().collect()
    }

    /// The branch that is shown, in words.
    pub(super) fn told(&self) -> Vec<String> {
        self.path().iter().map(told).collect()
    }

    /// R196: what a provider would say if the user went on from here.
    pub(super) fn complaint(&self) -> Option<String> {
        let path = self.path();
        let open = self.open();
        let id = MessageId::parse(self.fresh_id()).expect("is a UUID");
        let new = NewMessage {
            id,
            parent: open.leaf.clone(),
            content: Content::Text("go on".into()),
            attachments: Vec::new(),
        };
        let limits = ConversationLimits::default();
        let said = conversation::said(&open.chat, &open.tree, &open.heads, new, limits, self.now()).expect("is fine");
        let sending = Sending { model: "small", ..Sending::default() };
        let asked = path.iter().filter(|one| one.role == Role::Assistant);
        for message in asked {
            // Not only mended: every call has its answer stored, and its row.
            let answered = |id: &str| path.iter().any(|one| one.tool_call_id.as_deref() == Some(id));
            let recorded = |id: &str| {
                self.calls().iter().any(|call| {
                    call.message_id.as_ref() == Some(&message.id)
                        && call.call_id.as_deref() == Some(id)
                        && call.finished_at.is_some()
                })
            };
            if let Some(call) = message.tool_calls.iter().find(|call| !answered(&call.id) || !recorded(&call.id)) {
                return Some(format!("{} has no answer or no row", call.id));
            }
        }
        validity::complaint(&Sent::of(path.iter().chain([&said.message]), sending).messages)
    }

    /// Plays a turn that begins with something the user says.
    pub(super) fn play(self, said: &str, script: &Script<'_>) -> Played {
        let open = self.open();
        let id = MessageId::parse(self.fresh_id()).expect("is a UUID");
        let new =
            NewMessage { id, parent: open.leaf.clone(), content: Content::Text(said.into()), attachments: Vec::new() };
        let limits = ConversationLimits::default();
        let said = conversation::said(&open.chat, &open.tree, &open.heads, new, limits, self.now()).expect("is fine");
        let path = self.path();
        self.run(open.chat, path, TurnEvent::UserSubmitted(Box::new(said)), script)
    }

    /// Plays a turn that goes on from what is there.
    pub(super) fn resume(self, script: &Script<'_>) -> Played {
        let (open, path) = (self.open(), self.path());
        self.run(open.chat, path, TurnEvent::Resumed, script)
    }

    fn run(self, chat: Chat, path: Vec<Message>, first: TurnEvent, script: &Script<'_>) -> Played {
        let model = ModelSettings {
            name: "small".into(),
            system: Some("Be brief.".into()),
            context_tokens: script.context_tokens,
            prices: Some(PRICES),
            ..ModelSettings::default()
        };
        let turn =
            Turn::new(TurnSetup { model, offers: offers(), limits: script.limits, files: BTreeMap::new() }, chat, path);
        let mut playing = Playing {
            script,
            turn,
            answers: script.answers.iter().copied().collect(),
            queue: VecDeque::from([first]),
            trace: Vec::new(),
            requests: Vec::new(),
            end: None,
            commits: 0,
            stage: &self,
        };
        let mut events = 0;
        while let Some(event) = playing.queue.pop_front() {
            events += 1;
            playing.handle(event);
            if script.stop_after == Some(events) {
                playing.handle(TurnEvent::Stop);
            }
        }
        let Playing { trace, requests, end, .. } = playing;
        Played { trace, requests, end, events, stage: self }
    }
}

struct Playing<'a> {
    script: &'a Script<'a>,
    turn: Turn,
    answers: VecDeque<&'a str>,
    queue: VecDeque<TurnEvent>,
    trace: Vec<String>,
    requests: Vec<ModelRequest>,
    end: Option<TurnEnd>,
    commits: usize,
    stage: &'a Stage,
}

impl Playing<'_> {
    fn handle(&mut self, event: TurnEvent) {
        let fresh = || self.stage.fresh_id();
        let effects = self.turn.handle(event, &At { now: self.stage.now(), fresh_id: &fresh });
        for effect in effects {
            assert!(self.end.is_none(), "nothing follows the end, but {effect:?} did");
            match effect {
                TurnEffect::Commit(commit) => {
                    self.commits += 1;
                    if self.script.full_at == Some(self.commits) {
                        self.trace.push("full".into());
                        self.queue.push_front(TurnEvent::CommitFailed("the disk is full".into()));
                        return;
                    }
                    // What is only the turn's own mark is not told.
                    let told = stored(&commit);
                    if !told.is_empty() {
                        self.trace.push(format!("store {told}"));
                    }
                    self.stage.apply(*commit);
                }
                TurnEffect::CallModel(request) => self.call_model(*request),
                TurnEffect::AbortModel => {
                    self.trace.push("abort".into());
                    self.queue.retain(|event| {
                        !matches!(event, TurnEvent::Delta(_) | TurnEvent::ModelEnded | TurnEvent::ModelFailed(_))
                    });
                }
                TurnEffect::RunTool(request) => self.run_tool(&request),
                TurnEffect::StopTool(id) => {
                    self.trace.push("stop".into());
                    for event in &mut self.queue {
                        if let TurnEvent::ToolEnded { id: ended, end: ToolEnd::Finished(row) } = event
                            && *ended == id
                        {
                            let error = Some("the call was stopped".to_owned());
                            let kind = Some(ErrorKind::Cancelled);
                            **row = ToolCall {
                                status: CallStatus::Error,
                                error,
                                error_kind: kind,
                                result: None,
                                ..(**row).clone()
                            };
                            self.stage.apply(Commit::default().put(&**row));
                        }
                    }
                }
                TurnEffect::Ask { id, request } => {
                    self.trace.push(format!("ask {}", request.tool_id.name()));
                    let verdict = self.script.verdict.clone();
                    let answer = Answer { verdict, arguments: None, definition_hash: request.definition_hash };
                    self.queue.push_back(TurnEvent::Answered { id, answer });
                }
                TurnEffect::Withdraw(_) => {
                    self.trace.push("withdraw".into());
                    self.queue.retain(|event| !matches!(event, TurnEvent::Answered { .. }));
                }
                TurnEffect::KeepResults { calls, .. } => {
                    let paths: Vec<&str> =
                        calls.iter().filter_map(|call| Some(call.spilled.as_ref()?.path.as_str())).collect();
                    self.trace.push(format!("keep {}", paths.join(" ")));
                    let problem = self.script.no_room.map_or(Ok(()), |reason| Err(reason.to_owned()));
                    self.queue.push_back(TurnEvent::ResultsKept(problem));
                }
                TurnEffect::End(end) => self.end = Some(end),
            }
        }
    }

    fn call_model(&mut self, request: ModelRequest) {
        assert_eq!(validity::complaint(&request.messages), None, "{:?}", request.messages);
        self.trace.push(format!("model {} messages, {} tools", request.messages.len(), request.tools.len()));
        self.requests.push(request);
        let answer = self.answers.pop_front().expect("an answer was scripted for every question");
        let (said, error) = answer.split_once('!').map_or((answer, None), |(said, error)| (said, Some(error)));
        let mut reader = StreamReader::new(ProviderFormat::OpenAi, self.script.limits.model);
        let body = stream(said, error.is_some());
        for piece in body.as_bytes().chunks(self.script.piece) {
            let (deltas, result) = reader.read(piece);
            self.queue.extend(deltas.into_iter().map(TurnEvent::Delta));
            assert_eq!(result, Ok(()));
        }
        match error {
            Some(error) => self.queue.push_back(TurnEvent::ModelFailed(error_named(error))),
            None => {
                let (deltas, result) = reader.end();
                assert_eq!(result, Ok(()));
                self.queue.extend(deltas.into_iter().map(TurnEvent::Delta));
                self.queue.push_back(TurnEvent::ModelEnded);
            }
        }
    }

    fn run_tool(&mut self, request: &RunRequest) {
        self.trace.push(format!("run {} {}", request.tool, request.arguments));
        let tool_id = format!("{}:{}", request.toolset, request.tool);
        let unmade = Unmade {
            id: request.id.clone(),
            call_id: request.call_id.clone(),
            chat_id: chat_id(),
            message_id: request.message.clone(),
            tool_id: tool_id.clone(),
            args: request.arguments.clone(),
            kind: ErrorKind::Failed,
            error: "no rows".into(),
        };
        let failed = unmade.row(self.stage.now());
        let success = ToolCall {
            status: CallStatus::Success,
            result: Some(json!({ request.tool.as_str(): request.arguments })),
            error: None,
            error_kind: None,
            ..failed.clone()
        };
        let denied = |reason: &Option<String>| ToolCall {
            error: Some(Denied(reason.clone()).to_string()),
            error_kind: Some(ErrorKind::Denied),
            ..failed.clone()
        };
        let end = match (request.tool.as_str(), &request.permission) {
            ("gone", _) => ToolEnd::Failed("the toolset mine has no tool \"gone\"".into()),
            ("big", _) => {
                let call_id = request.call_id.as_deref().unwrap_or_default();
                ToolEnd::Finished(Box::new(ToolCall { result: None, spilled: Some(large(call_id)), ..success }))
            }
            ("fail", _) => ToolEnd::Finished(Box::new(failed)),
            ("ask", Permission::Unasked) => ToolEnd::ApprovalNeeded(Box::new(question(&request.arguments))),
            ("ask", Permission::Answered(Answer { verdict: Verdict::Deny { reason }, .. })) => {
                ToolEnd::Finished(Box::new(denied(reason)))
            }
            _ => ToolEnd::Finished(Box::new(success)),
        };
        if let ToolEnd::Finished(row) = &end {
            self.stage.apply(Commit::default().put(&**row));
        }
        let event = TurnEvent::ToolEnded { id: request.id.clone(), end };
        // What runs beside others ends before what began earlier.
        match tool_id.starts_with("web") {
            true => self.queue.push_front(event),
            false => self.queue.push_back(event),
        }
    }
}

/// The messages and calls of a commit.
fn stored(commit: &Commit) -> String {
    let one = |put: &store::Put| match put.row.table {
        Table::Messages => {
            let message: Message = serde_json::from_value(put.fields.clone().into()).expect("is a message");
            Some(told(&message))
        }
        Table::ToolCalls if put.fields["status"] == "pending" => Some("[pending]".into()),
        Table::ToolCalls => Some(format!("[{}]", put.fields["error"].as_str().unwrap_or("success"))),
        _ => None,
    };
    commit.puts.iter().filter_map(one).collect::<Vec<_>>().join(" ")
}

/// A message in words.
fn told(message: &Message) -> String {
    let text = message.content.text();
    match message.role {
        Role::User => format!("u:{text}"),
        Role::System => format!("s:{text}"),
        Role::Tool => format!("t:{text}"),
        Role::Assistant if message.tool_calls.is_empty() => format!("a:{text}"),
        Role::Assistant => {
            let ids: Vec<&str> = message.tool_calls.iter().map(|call| call.id.as_str()).collect();
            format!("a:{text}|{}", ids.join(" "))
        }
    }
}

/// Plays a turn and compares what was done, and what is stored at the end.
pub(super) fn check(script: &Script<'_>, trace: &[&str], end: TurnEnd, told: &[&str]) -> Played {
    let played = Stage::new().play("count", script);
    assert_eq!(played.trace, trace);
    assert_eq!(played.end, Some(end));
    assert_eq!(played.stage.told(), told);
    assert_eq!(played.stage.complaint(), None);
    played
}

/// What was said to the model last.
pub(super) fn last_said(request: &ModelRequest) -> String {
    match request.messages.last() {
        Some(ModelMessage::Tool(answer)) => answer.content.clone(),
        other => format!("{other:?}"),
    }
}

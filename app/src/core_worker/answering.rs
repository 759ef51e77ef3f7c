//! Answers what was said in a chat: carries out what core's turn machine wants done.
//!
//! It runs in the tools' worker, so that neither the stream of a model nor a tool holds up the page, and it ends with that worker. The page
//! hears what comes as it comes, and is asked what only its user can say.

mod asking;
mod line;
mod order;
mod setup;
mod telling;
mod under_way;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use futures_channel::mpsc;
use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::future::{AbortHandle, Abortable, Either, select};
use futures_util::stream::FuturesUnordered;
use satchel_core::approval::ApprovalRequest;
use satchel_core::conversation::{self, OpenChat, leaf_place};
use satchel_core::ids::{ChatId, ManifestId, MessageId, ToolCallId};
use satchel_core::model::{ModelError, ModelRequest};
use satchel_core::record::{Chat, Node, Position, RowKey, ToolCall};
use satchel_core::saved::Management;
use satchel_core::store::{self as rows, Commit, Store as _, StoreError};
use satchel_core::tool_run::{self, RunRequest, Runner};
use satchel_core::turn::{At, Offers, ToolEnd, Turn, TurnEffect, TurnEnd, TurnEvent};
use satchel_core::workspace::NewManifest;

pub(crate) use self::order::{AnswerOrder, Answered, AnsweringEvent, AnsweringNews};
pub(super) use self::under_way::{is_under_way, stop};

use self::line::{Line, NoLine};
use self::setup::Setting;
use self::telling::Telling;
use self::under_way::Known;
use super::http_tools::HttpTools;
use super::mcp::Servers;
use super::python::{Python, ask_approval};
use super::turns::WebLocks;
use super::wish::AskedCall;
use super::{errand, left_turns, store};
use crate::browser::core_worker::scope::{Course, Done};
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::{ActiveRun, AnswerTurn, ChatTurn};
use crate::browser::{clock, random};

/// Why nothing was answered.
#[derive(Debug, thiserror::Error)]
enum Unanswered {
    #[error("this chat is no longer on this device")]
    NoChat,
    #[error("the message to answer is no longer on this device")]
    NoMessage,
    #[error(transparent)]
    Line(#[from] NoLine),
    #[error("the chat cannot be read: {0}")]
    Store(StoreError),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<StoreError> for Unanswered {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Answers a message.
pub(super) async fn run(order: &str, course: &Course) -> Done {
    errand::run(order, async |order| attempt(order, course).await.map(|answered| (answered, Vec::new()))).await
}

async fn attempt(order: AnswerOrder, course: &Course) -> Result<Answered, Unanswered> {
    let store = store::open().await?;
    let _active = ActiveRun::begin();
    let known = Known::as_waiting(order.chat.clone(), course);
    // A chat is answered once at a time, over all tabs. Who waits for that can be stopped too.
    let Some(_turn) = turn_of(&order.chat, course).await else {
        return Ok(Answered::of(TurnEnd::Stopped, None));
    };
    known.begins();
    // Where the turn before was left by a dead tab, this one goes on from its end.
    if left_turns::end(&store, &order.chat).await? {
        tab_news::tell_every_tab(Topic::Chats);
    }
    let line = Line::of(&order, &store).await?;
    let open = OpenChat::open(&store, &order.chat).await?.ok_or(Unanswered::NoChat)?;
    let open = keep_choice(&store, open, &order).await?;
    let path: Vec<_> = open.tree.path(&Node::Message(order.below.clone())).into_iter().cloned().collect();
    if path.is_empty() {
        return Err(Unanswered::NoMessage);
    }
    let setting = Setting::read(&store, &order, &open, &path).await?;
    let turn = Turn::new(setting.turn, open.chat, path);
    let (sender, events) = mpsc::unbounded();
    let answering = Answering {
        store: &store,
        chat: order.chat,
        below: order.below,
        line: &line,
        surroundings: &setting.surroundings,
        limits: &setting.limits,
        course,
        calls: RefCell::default(),
        sender,
    };
    let (end, after) = answering.go(turn, events).await;
    Ok(Answered::of(end, after))
}

/// Waits until nobody else answers a chat; nothing where it is stopped meanwhile.
async fn turn_of(chat: &ChatId, course: &Course) -> Option<AnswerTurn> {
    match select(pin!(course.until_stopped()), pin!(AnswerTurn::wait(chat.as_str()))).await {
        Either::Left(_) => None,
        Either::Right((turn, _)) => Some(turn),
    }
}

/// A chat stays with the model that answered it last.
async fn keep_choice(store: &IndexedDbStore, open: OpenChat, order: &AnswerOrder) -> Result<OpenChat, StoreError> {
    if open.chat.model.as_ref() == Some(&order.model) {
        return Ok(open);
    }
    let _turn = ChatTurn::wait(order.chat.as_str()).await;
    store.apply(conversation::choose_model(&open.chat, order.model.clone()), clock::now()).await?;
    Ok(OpenChat { chat: Chat { model: Some(order.model.clone()), ..open.chat }, ..open })
}

/// What a turn is carried out with.
struct Answering<'a> {
    store: &'a IndexedDbStore,
    chat: ChatId,
    below: MessageId,
    line: &'a Line,
    surroundings: &'a satchel_core::catalog::Surroundings,
    limits: &'a satchel_core::tool_run::RunLimits,
    course: &'a Course,
    /// The calls that are made now, each of which can be stopped.
    calls: RefCell<BTreeMap<ToolCallId, Course>>,
    /// Where the pieces of an answer go, and its end after them.
    sender: mpsc::UnboundedSender<TurnEvent>,
}

/// What is under way, each of which ends with an event, or is given up.
type UnderWay<'a> = FuturesUnordered<Pin<Box<dyn Future<Output = Option<TurnEvent>> + 'a>>>;

/// The ways to give up what is under way: the model's answer, and each question to the user.
#[derive(Default)]
struct Handles {
    model: Option<AbortHandle>,
    questions: BTreeMap<ToolCallId, AbortHandle>,
}

impl Answering<'_> {
    async fn go(&self, mut turn: Turn, mut events: mpsc::UnboundedReceiver<TurnEvent>) -> (TurnEnd, Option<MessageId>) {
        let mut telling = Telling::new(self.store, &self.chat);
        let (mut under_way, mut handles) = (UnderWay::new(), Handles::default());
        let mut stopped = pin!(self.course.until_stopped().fuse());
        let mut event = Some(TurnEvent::Resumed);
        loop {
            if let Some(event) = event.take() {
                if matches!(event, TurnEvent::ModelEnded | TurnEvent::ModelFailed(_) | TurnEvent::Stop) {
                    telling.finish(&turn);
                }
                if let Some(offers) = self.offers_after(&event).await {
                    turn.offer(offers);
                }
                let effects = turn.handle(event, &now());
                let end = self.carry_out(effects, &mut turn, &mut under_way, &mut handles, &mut telling).await;
                if let Some(end) = end {
                    return (end, turn.path().last().map(|last| last.id.clone()));
                }
            }
            telling.follow(&turn).await;
            event = poll_fn(|cx: &mut Context<'_>| {
                if stopped.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(Some(TurnEvent::Stop));
                }
                if let Poll::Ready(Some(event)) = events.poll_next_unpin(cx) {
                    return Poll::Ready(Some(event));
                }
                if let Poll::Ready(Some(event)) = under_way.poll_next_unpin(cx) {
                    return Poll::Ready(event);
                }
                telling.poll_due(cx).map(|()| None)
            })
            .await;
        }
    }

    /// Does what the turn wants, in its order; gives how it ended, where it has.
    async fn carry_out<'s>(
        &'s self,
        effects: Vec<TurnEffect>,
        turn: &mut Turn,
        under_way: &mut UnderWay<'s>,
        handles: &mut Handles,
        telling: &mut Telling<'_>,
    ) -> Option<TurnEnd> {
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            match effect {
                TurnEffect::Commit(commit) => match self.store_answer(*commit, turn).await {
                    Ok(()) => {
                        tab_news::tell_every_tab(Topic::Chats);
                        tab_news::tell(Topic::Answers);
                    }
                    Err(error) => effects = turn.handle(TurnEvent::CommitFailed(error.to_string()), &now()).into(),
                },
                TurnEffect::CallModel(request) => {
                    telling.asks(turn);
                    let (handle, registration) = AbortHandle::new_pair();
                    handles.model = Some(handle);
                    under_way.push(Box::pin(Abortable::new(self.ask_model(*request), registration).map(|_| None)));
                }
                TurnEffect::AbortModel => drop(handles.model.take().map(|handle| handle.abort())),
                TurnEffect::RunTool(request) => under_way.push(Box::pin(self.run_tool(*request).map(Some))),
                TurnEffect::StopTool(id) => {
                    if let Some(course) = self.calls.borrow().get(&id) {
                        course.stop();
                    }
                }
                TurnEffect::Ask { id, request } => {
                    let (handle, registration) = AbortHandle::new_pair();
                    handles.questions.insert(id.clone(), handle);
                    let asked = turn.path().last().map(|message| AskedCall {
                        chat: self.chat.clone(),
                        message: message.id.clone(),
                        call: id.clone(),
                    });
                    let asked = Abortable::new(ask_user(id, *request, asked), registration);
                    under_way.push(Box::pin(asked.map(|answered| answered.ok().flatten())));
                }
                TurnEffect::Withdraw(id) => drop(handles.questions.remove(&id).map(|handle| handle.abort())),
                TurnEffect::KeepResults { message, calls } => {
                    under_way.push(Box::pin(self.keep_results(message, calls).map(Some)));
                }
                TurnEffect::End(end) => return Some(end),
            }
        }
        None
    }

    /// What is offered from now on, where a call has changed that: one that manages saved toolsets (R137, R142).
    async fn offers_after(&self, event: &TurnEvent) -> Option<Offers> {
        let TurnEvent::ToolEnded { end: ToolEnd::Finished(call), .. } = event else { return None };
        Management::of_name(&call.tool_id)?;
        tab_news::tell_every_tab(Topic::Toolsets);
        let chat = rows::get::<Chat>(self.store, RowKey::one(self.chat.as_str())).await.ok().flatten()?;
        // What cannot be read is told by what comes next.
        setup::offers(self.store, &chat, self.surroundings).await.ok()
    }

    /// Stores what was said. The first answer of a turn is looked at from then on, beside whatever else answers the same, unless the user
    /// has gone to another branch meanwhile.
    async fn store_answer(&self, commit: Commit, turn: &Turn) -> Result<(), StoreError> {
        let _turn = ChatTurn::wait(self.chat.as_str()).await;
        let first = turn.path().iter().find(|message| message.parent_id.as_ref() == Some(&self.below));
        let is_new =
            first.is_some_and(|first| commit.puts.iter().any(|put| put.row.key.to_string() == first.id.as_str()));
        let commit = match first.filter(|_| is_new) {
            Some(first) if self.is_looked_at().await? => {
                let value = serde_json::to_value(Node::Message(first.id.clone())).expect("a node is JSON");
                commit.put(&Position { place: leaf_place(&self.chat), value })
            }
            Some(_) | None => commit,
        };
        self.store.apply(commit, clock::now()).await.map(drop)
    }

    /// Whether what is answered is on the branch that this device shows.
    async fn is_looked_at(&self) -> Result<bool, StoreError> {
        let open = OpenChat::open(self.store, &self.chat).await?;
        Ok(open.is_some_and(|open| open.tree.path(&open.leaf).iter().any(|message| message.id == self.below)))
    }

    /// Asks the model. The pieces of its answer go their own way, and its end after them.
    async fn ask_model(&self, request: ModelRequest) {
        let end = match asking::ask(self.store, self.line, &request, &self.sender).await {
            Ok(()) => TurnEvent::ModelEnded,
            Err(error) => TurnEvent::ModelFailed(error),
        };
        // Who listens ends only together with this.
        self.sender.unbounded_send(end).ok();
    }

    async fn run_tool(&self, request: RunRequest) -> TurnEvent {
        let id = request.id.clone();
        // Each call can be stopped by itself; a turn that stops says so of each.
        let course = self.course.apart();
        self.calls.borrow_mut().insert(id.clone(), course.clone());
        let (python, turns) = (Python::new(self.store, &course), WebLocks { store: self.store });
        let (servers, http) = (Servers::new(self.store, &course), HttpTools::new(self.store, &course));
        let runner = Runner {
            store: self.store,
            python: &python,
            servers: &servers,
            http: &http,
            turns: &turns,
            surroundings: self.surroundings,
            limits: self.limits,
            now: &clock::now,
            fresh_id: &random::uuid_v7,
        };
        let end = ToolEnd::from(runner.run(request).await);
        self.calls.borrow_mut().remove(&id);
        if let ToolEnd::Finished(call) = &end {
            tab_news::tell_every_tab(Topic::Chats);
            // A count that is lost is one count.
            tool_run::count_call(self.store, call, clock::now()).await.ok();
        }
        TurnEvent::ToolEnded { id, end }
    }

    async fn keep_results(&self, message: MessageId, calls: Vec<ToolCall>) -> TurnEvent {
        let _turn = ChatTurn::wait(self.chat.as_str()).await;
        let new = || {
            let id = ManifestId::parse(random::uuid_v7()).expect("fresh ids are UUIDs");
            Ok(NewManifest { id, created_at: clock::now() })
        };
        let limits = &self.limits.workspace;
        let kept = tool_run::keep_results(self.store, &self.chat, &message, &calls, limits, &new).await;
        TurnEvent::ResultsKept(kept.map_err(|error| error.to_string()))
    }
}

fn now() -> At<'static> {
    At { now: clock::now(), fresh_id: &random::uuid_v7 }
}

async fn ask_user(id: ToolCallId, request: ApprovalRequest, asked: Option<AskedCall>) -> Option<TurnEvent> {
    ask_approval(request, asked).await.map(|answer| TurnEvent::Answered { id, answer })
}

/// A future, or the error of one that has taken too long.
async fn within<T>(seconds: u64, future: impl Future<Output = T>) -> Result<T, ModelError> {
    let limit = pin!(clock::wait(std::time::Duration::from_secs(seconds)));
    match select(pin!(future), limit).await {
        Either::Left((value, _)) => Ok(value),
        Either::Right(_) => Err(ModelError::Silent { seconds }),
    }
}

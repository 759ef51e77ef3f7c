//! One round of calls: those of one answer, until the last of them is over.
//!
//! Calls that work on the chat's files run one after the other, in call order; the others run beside them (C35). One that fails or is denied
//! stops no other (R187). When all are over their answers are stored, in call order, and the model is asked again.

use crate::approval::{Answer, ApprovalRequest};
use crate::catalog::ToolId;
use crate::conversation::answer_call;
use crate::ids::{ChatId, MessageId, ToolCallId};
use crate::record::{ErrorKind, Message, RequestedCall, ToolCall};
use crate::store::Commit;
use crate::tool_run::{Pending, Permission, RunRequest};

use super::plan::{Plan, Ready, Refusal};
use super::saved::asking_mark;
use super::{At, Lane, Offers, State, ToolEnd, Turn, TurnEffect, TurnEnd};

/// A round.
#[derive(Clone, Debug)]
pub(super) struct Round {
    /// The answer that asks for it.
    message: MessageId,
    calls: Vec<RoundCall>,
    /// Rows that only the turn knows of.
    unsaved: Vec<ToolCall>,
    going: Going,
    results: Results,
}

/// What became of results that are too large for their rows (R308).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Results {
    /// Nobody has looked.
    Unseen,
    /// They are being made files.
    Asked,
    /// They are files, or cannot be.
    Settled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    On,
    /// What runs is being ended; nothing else begins.
    Stopping,
}

/// A call of a round.
#[derive(Clone, Debug)]
pub(super) struct RoundCall {
    pub(super) id: ToolCallId,
    pub(super) requested: RequestedCall,
    pub(super) phase: Phase,
}

/// How far a call is.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    Waiting(Ready),
    Running(Ready),
    /// The user is asked.
    Asked(Ready),
    Over(Box<ToolCall>),
}

impl Round {
    pub(super) fn new(message: MessageId, calls: Vec<RoundCall>) -> Self {
        Self { message, calls, unsaved: Vec::new(), going: Going::On, results: Results::Unseen }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The rows of the calls that are over.
    pub(super) fn rows(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter().filter_map(|call| match &call.phase {
            Phase::Over(row) => Some(&**row),
            Phase::Waiting(_) | Phase::Running(_) | Phase::Asked(_) => None,
        })
    }

    /// Begins what can begin.
    pub(super) fn start(&mut self, offers: &Offers, chat: &ChatId) -> Vec<TurnEffect> {
        let mut effects = Vec::new();
        if self.going == Going::Stopping {
            return effects;
        }
        let on_files = |tool: &ToolId| match offers.lane(tool) {
            Lane::Files => true,
            Lane::Free => false,
        };
        let mut files_taken = self.calls.iter().any(|call| match &call.phase {
            Phase::Running(ready) | Phase::Asked(ready) => on_files(&ready.tool),
            Phase::Waiting(_) | Phase::Over(_) => false,
        });
        for call in &mut self.calls {
            let Phase::Waiting(ready) = &call.phase else { continue };
            if on_files(&ready.tool) && std::mem::replace(&mut files_taken, true) {
                continue;
            }
            effects.push(call.run(ready, &self.message, chat, Permission::Unasked));
            call.phase = Phase::Running(ready.clone());
        }
        effects
    }

    /// What ends the calls that run, and the questions that are open.
    pub(super) fn stops(&self) -> Vec<TurnEffect> {
        let stop = |call: &RoundCall| match &call.phase {
            Phase::Running(_) => Some(TurnEffect::StopTool(call.id.clone())),
            Phase::Asked(_) => Some(TurnEffect::Withdraw(call.id.clone())),
            Phase::Waiting(_) | Phase::Over(_) => None,
        };
        self.calls.iter().filter_map(stop).collect()
    }

    /// The messages of the tools, in call order, each below the one before (R189).
    pub(super) fn answers(&self, at: &At<'_>) -> Vec<Message> {
        let (mut answers, mut parent): (Vec<Message>, MessageId) = (Vec::new(), self.message.clone());
        for call in &self.calls {
            let Phase::Over(row) = &call.phase else { continue };
            let message = answer_call(at.message_id(), parent, row, at.now);
            parent = message.id.clone();
            answers.push(message);
        }
        answers
    }

    /// Has the large results made files, if there are any and that was not done yet.
    fn keep_results(&mut self) -> Option<TurnEffect> {
        let calls: Vec<ToolCall> = self.rows().filter(|row| row.late_files().next().is_some()).cloned().collect();
        if calls.is_empty() || self.results != Results::Unseen {
            return None;
        }
        self.results = Results::Asked;
        Some(TurnEffect::KeepResults { message: self.message.clone(), calls })
    }

    fn is_over(&self) -> bool {
        self.calls.iter().all(|call| matches!(call.phase, Phase::Over(_)))
    }

    fn call(&mut self, id: &ToolCallId) -> Option<&mut RoundCall> {
        self.calls.iter_mut().find(|call| call.id == *id)
    }
}

impl RoundCall {
    fn run(&self, ready: &Ready, message: &MessageId, chat: &ChatId, permission: Permission) -> TurnEffect {
        let toolset = match &ready.tool {
            ToolId::BuiltIn(_) => crate::catalog::ToolsetId::builtin().to_string(),
            ToolId::Toolset(toolset, _) => toolset.to_string(),
            ToolId::Mcp(server, _) => server.toolset.to_string(),
        };
        TurnEffect::RunTool(Box::new(RunRequest {
            id: self.id.clone(),
            call_id: Some(self.requested.id.clone()),
            toolset,
            tool: ready.tool.selection_name(),
            arguments: ready.arguments.clone(),
            chat: Some(chat.clone()),
            message: Some(message.clone()),
            spoken: None,
            permission,
        }))
    }
}

impl Turn {
    pub(super) fn tool_ended(&mut self, id: &ToolCallId, end: ToolEnd, at: &At<'_>) -> Vec<TurnEffect> {
        let State::Calling(round) = &mut self.state else { return Vec::new() };
        let going = round.going;
        let Some(call) = round.call(id) else { return Vec::new() };
        let Phase::Running(ready) = &call.phase else { return Vec::new() };
        let ready = ready.clone();
        match (end, going) {
            (ToolEnd::Finished(row), _) => call.phase = Phase::Over(row),
            (ToolEnd::ApprovalNeeded(request), Going::On) => return self.ask_user(id, ready, request, at),
            (ToolEnd::ApprovalNeeded(_), Going::Stopping) => self.give_up(id, ready, ErrorKind::Cancelled, STOPPED, at),
            (ToolEnd::Failed(reason), _) => self.give_up(id, ready, ErrorKind::Failed, &reason, at),
        }
        self.go_on(at)
    }

    /// Asks the user. Until the answer the call's row says that it waits for one (C26), so that every tab shows it.
    fn ask_user(
        &mut self,
        id: &ToolCallId,
        ready: Ready,
        request: Box<ApprovalRequest>,
        at: &At<'_>,
    ) -> Vec<TurnEffect> {
        let State::Calling(round) = &mut self.state else { return Vec::new() };
        let message = round.message.clone();
        let Some(call) = round.call(id) else { return Vec::new() };
        call.phase = Phase::Asked(ready);
        let pending = Pending {
            id: id.clone(),
            call_id: Some(call.requested.id.clone()),
            chat_id: self.chat.id.clone(),
            message_id: Some(message),
            tool_id: request.tool_id.to_string(),
            args: request.arguments.clone(),
        };
        self.asked.insert(id.clone());
        let commit = Commit::relaxed().put(&pending.row(at.now)).put(&asking_mark(&self.chat.id, &self.asked));
        vec![TurnEffect::Commit(Box::new(commit)), TurnEffect::Ask { id: id.clone(), request }]
    }

    pub(super) fn answered(&mut self, id: &ToolCallId, answer: Answer) -> Vec<TurnEffect> {
        let chat = self.chat.id.clone();
        let State::Calling(round) = &mut self.state else { return Vec::new() };
        let message = round.message.clone();
        let Some(call) = round.call(id) else { return Vec::new() };
        let Phase::Asked(ready) = &call.phase else { return Vec::new() };
        let ready = ready.clone();
        let effect = call.run(&ready, &message, &chat, Permission::Answered(answer));
        call.phase = Phase::Running(ready);
        vec![effect]
    }

    pub(super) fn stop(&mut self, at: &At<'_>) -> Vec<TurnEffect> {
        match &mut self.state {
            State::Fresh => self.end(None, TurnEnd::Stopped),
            State::Over => Vec::new(),
            State::Asking(_) => self.stop_answer(at),
            State::Calling(round) if round.going == Going::Stopping => Vec::new(),
            State::Calling(round) => {
                let mut effects = round.stops();
                round.going = Going::Stopping;
                let unmade: Vec<(ToolCallId, Ready)> = (round.calls.iter())
                    .filter_map(|call| match &call.phase {
                        Phase::Waiting(ready) | Phase::Asked(ready) => Some((call.id.clone(), ready.clone())),
                        Phase::Running(_) | Phase::Over(_) => None,
                    })
                    .collect();
                for (id, ready) in unmade {
                    self.give_up(&id, ready, ErrorKind::Cancelled, STOPPED, at);
                }
                effects.extend(self.finish_round_if_over(at));
                effects
            }
        }
    }

    /// Ends a call that will not be made.
    fn give_up(&mut self, id: &ToolCallId, ready: Ready, kind: ErrorKind, error: &str, at: &At<'_>) {
        let State::Calling(round) = &self.state else { return };
        let Some(call) = round.calls.iter().find(|call| call.id == *id) else { return };
        let refusal = Refusal::after(Plan::Make(ready), kind, error.to_owned());
        let row = self.refuse(id, &call.requested, &round.message, refusal, at);
        let State::Calling(round) = &mut self.state else { return };
        round.unsaved.push(row.clone());
        if let Some(call) = round.call(id) {
            call.phase = Phase::Over(Box::new(row));
        }
    }

    /// Begins what waited for a call that is over, and goes on when all are.
    fn go_on(&mut self, at: &At<'_>) -> Vec<TurnEffect> {
        let State::Calling(round) = &mut self.state else { return Vec::new() };
        let mut effects = round.start(&self.setup.offers, &self.chat.id);
        effects.extend(self.finish_round_if_over(at));
        effects
    }

    /// What could not become a file is told to the model, which has a path of it otherwise.
    pub(super) fn results_kept(&mut self, result: Result<(), String>, at: &At<'_>) -> Vec<TurnEffect> {
        let State::Calling(round) = &mut self.state else { return Vec::new() };
        if round.results != Results::Asked {
            return Vec::new();
        }
        round.results = Results::Settled;
        if let Err(reason) = result {
            let note = format!("the result could not be written to the file: {reason}");
            for call in &mut round.calls {
                match &mut call.phase {
                    Phase::Over(row) if row.late_files().next().is_some() => row.notes.push(note.clone()),
                    Phase::Over(_) | Phase::Waiting(_) | Phase::Running(_) | Phase::Asked(_) => {}
                }
            }
        }
        self.finish_round_if_over(at)
    }

    /// Stores the answers of a round that is over, and asks the model again unless the user has stopped. Large results become files first.
    pub(super) fn finish_round_if_over(&mut self, at: &At<'_>) -> Vec<TurnEffect> {
        let State::Calling(round) = &mut self.state else { return Vec::new() };
        if !round.is_over() || round.results == Results::Asked {
            return Vec::new();
        }
        if let Some(effect) = round.keep_results() {
            return vec![effect];
        }
        let (answers, going) = (round.answers(at), round.going);
        let rows = round.unsaved.iter().fold(Commit::default(), Commit::put);
        let commit = self.say(answers, rows, at.now);
        self.rounds += 1;
        match going {
            Going::On => vec![TurnEffect::Commit(Box::new(commit)), self.ask(at)],
            Going::Stopping => self.end(Some(commit), TurnEnd::Stopped),
        }
    }
}

/// Why a call is not made that waited when the user stopped.
const STOPPED: &str = "the user stopped before this call was made";

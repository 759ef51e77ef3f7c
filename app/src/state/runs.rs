//! The tools that run now, the cages they run in, and what the user is asked because of them.

use std::collections::BTreeMap;

use leptos::prelude::{
    Effect, LocalStorage, RwSignal, Set as _, StoredValue, Update as _, UpdateValue as _, With as _,
    WithUntracked as _, expect_context,
};
use satchel_core::ids::{ChatId, ToolCallId};
use satchel_core::record::Node;

use super::{Answers, Toolsets};
use crate::work::chats::OpenChat;
use crate::work::runs::{self, CageNews, News, Question, RunEvent, RunNews, UserAnswer};

/// How much of a run's output is kept for the screen; all of it is stored with the call.
const SHOWN_OUTPUT: usize = 64 << 10;
/// How many of the things a run shows are on the screen while it runs; all that fit are stored with the call.
const SHOWN_DISPLAYS: usize = 20;

/// A chat, and what is done once something runs in it.
type Awaited = (String, Box<dyn FnOnce()>);

/// The context of runs.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    /// The runs, oldest first.
    pub(crate) running: RwSignal<Vec<Run>>,
    /// The cages.
    pub(crate) cages: RwSignal<Vec<CageNews>>,
    /// What the user is asked, the oldest question first.
    pub(crate) questions: RwSignal<Vec<(u32, Question)>>,
    /// Who waits for something to run in a chat.
    awaited: StoredValue<Vec<Awaited>, LocalStorage>,
}

/// A run on the screen.
#[derive(Clone)]
pub(crate) struct Run {
    /// The call.
    pub(crate) call: String,
    /// The tool's whole id.
    pub(crate) tool_id: String,
    /// The chat.
    pub(crate) chat: String,
    /// The end of what it wrote so far.
    pub(crate) output: RwSignal<String>,
    /// What it showed so far, each in several media types.
    pub(crate) displays: RwSignal<Vec<BTreeMap<String, String>>>,
}

impl Runs {
    /// Nothing runs.
    pub(crate) fn none() -> Self {
        Self {
            running: RwSignal::default(),
            cages: RwSignal::default(),
            questions: RwSignal::default(),
            awaited: StoredValue::new_local(Vec::new()),
        }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Serves the tools' worker, and has Python loaded where it will be wanted, also once a toolset has come.
    pub(crate) fn serve(self) {
        let answers = Answers::expect();
        runs::serve(move |news| match news {
            News::Answering(news) => answers.hear(news),
            other => self.hear(other),
        });
        let toolsets = Toolsets::expect();
        Effect::new(move |_| {
            toolsets.changes();
            runs::warm_up();
        });
    }

    /// Whether the chat ends with a call that runs right now.
    pub(crate) fn answers_soon(self, open: &OpenChat) -> bool {
        let Node::Message(leaf) = &open.leaf else { return false };
        let asks = open.tree.message(leaf).is_some_and(|message| !message.tool_calls.is_empty());
        let runs = |run: &Run| run.chat == open.chat.id.as_str();
        asks && self.running.with_untracked(|running| running.iter().any(runs))
    }

    /// Calls back once something runs in a chat.
    pub(crate) fn when_begun(self, chat: String, then: impl FnOnce() + 'static) {
        self.awaited.update_value(|awaited| awaited.push((chat, Box::new(then))));
    }

    /// Nobody waits any more for something to run in a chat: what was waited for is over, and was perhaps too short to be seen.
    pub(crate) fn await_no_more(self, chat: &ChatId) {
        self.awaited.update_value(|awaited| awaited.retain(|(of, _)| of != chat.as_str()));
    }

    /// Stops a run.
    pub(crate) fn stop(self, call: &str) {
        runs::stop(call);
    }

    /// Stops what goes on in a chat: its answer, and the tools that run there.
    pub(crate) fn stop_all_of(self, chat: &ChatId, answers: Answers) {
        if answers.is_coming_untracked(chat) {
            answers.stop(chat.clone());
        }
        let of_chat = |run: &&Run| run.chat == chat.as_str();
        self.running.with_untracked(|running| running.iter().filter(of_chat).for_each(|run| self.stop(&run.call)));
    }

    /// What a call waits for the user to answer, with the number of the question.
    pub(crate) fn question_of(self, call: &ToolCallId) -> Option<(u32, Question)> {
        let is_of = |(_, question): &&(u32, Question)| question.asked().is_some_and(|asked| asked.call == *call);
        self.questions.with(|questions| questions.iter().find(is_of).cloned())
    }

    /// Answers a question.
    pub(crate) fn answer(self, number: u32, answer: UserAnswer) {
        self.questions.update(|questions| questions.retain(|(asked, _)| *asked != number));
        runs::answer(number, answer);
    }

    fn hear(self, news: News) {
        match news {
            News::Asked { number, question } => self.questions.update(|questions| questions.push((number, question))),
            News::Withdrawn { number } => {
                self.questions.update(|questions| questions.retain(|(asked, _)| *asked != number));
            }
            News::Run(news) => self.follow(news),
            News::Answering(_) => {}
            News::Cages(cages) => self.cages.set(cages),
            News::Ended => {
                self.questions.set(Vec::new());
                self.running.set(Vec::new());
                self.cages.set(Vec::new());
            }
        }
    }

    fn follow(self, RunNews { call, event }: RunNews) {
        match event {
            RunEvent::Began { tool_id, chat } => {
                let mut begun = Vec::new();
                self.awaited.update_value(|awaited| begun.extend(awaited.extract_if(.., |(of, _)| *of == chat)));
                let run = Run { call, tool_id, chat, output: RwSignal::default(), displays: RwSignal::default() };
                self.running.update(|running| running.push(run));
                begun.into_iter().for_each(|(_, then)| then());
            }
            RunEvent::Preparing { words } => self.add_output(&call, &format!("{words}\n")),
            RunEvent::Output { stream: _, text } => self.add_output(&call, &text),
            RunEvent::Display { bundle } => {
                if let Some(run) = self.find(&call) {
                    run.displays.update(|displays| {
                        if displays.len() < SHOWN_DISPLAYS {
                            displays.push(bundle);
                        }
                    });
                }
            }
            RunEvent::Ended => self.running.update(|running| running.retain(|run| run.call != call)),
        }
    }

    fn add_output(self, call: &str, text: &str) {
        if let Some(run) = self.find(call) {
            run.output.update(|output| push_bounded(output, text));
        }
    }

    fn find(self, call: &str) -> Option<Run> {
        self.running.with_untracked(|running| running.iter().find(|run| run.call == call).cloned())
    }
}

/// Adds to a text, and lets go of its beginning when it grows too long.
fn push_bounded(output: &mut String, text: &str) {
    output.push_str(text);
    if output.len() > 2 * SHOWN_OUTPUT {
        let from = output.len() - SHOWN_OUTPUT;
        let from = (from..output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(from);
        output.drain(..from);
    }
}

//! A call of a tool of an MCP server: sent, listened to while it goes on, and left when the user stops it.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable, Aborted, Either, select};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use satchel_core::mcp::{CallServer, ServerCall, ServerCallEnd};
use satchel_core::protocol::{
    ClientId, McpCall, McpCallId, McpCallResult, McpInputAction, McpInputAnswer, McpInputRequest, McpProgress,
};
use satchel_core::python::OutputStream;

use super::following;
use super::line::{LineError, ServerLine};
use super::listening::{self, CallNews, Listening};
use crate::browser::clock;
use crate::browser::core_worker::scope::Course;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::tab_roles::ActiveRun;
use crate::core_worker::python::ask_input;
use crate::core_worker::shown_run::{self, ShownRun};
use crate::core_worker::wish::{AskedCall, InputQuestion, RunEvent};

/// How often the time that is left is looked at.
const BEAT: Duration = Duration::from_secs(1);

/// Calls MCP servers for one job.
pub(in crate::core_worker) struct Servers<'a> {
    store: &'a IndexedDbStore,
    course: &'a Course,
}

/// Forms that are on the screen, each of which ends with its number.
type Forms<'a> = FuturesUnordered<Pin<Box<dyn Future<Output = Result<String, Aborted>> + 'a>>>;

impl<'a> Servers<'a> {
    /// For a job.
    pub(in crate::core_worker) fn new(store: &'a IndexedDbStore, course: &'a Course) -> Self {
        Self { store, course }
    }

    async fn carry_out(&self, call: ServerCall) -> ServerCallEnd {
        let _active = ActiveRun::begin();
        let _run = ShownRun::begin(&call.id, &call.tool_id, &call.chat, self.course);
        let Some(line) = ServerLine::of(self.store).await else {
            return ServerCallEnd::Failed("no Satchel server is connected; connect one in Settings".into());
        };
        let Some(client) = listening::client(self.store).await else {
            return ServerCallEnd::Failed("the store has lost the id of this device; reload the page".into());
        };
        // Somebody has to hear what the call says; where nobody does yet, this worker.
        following::follow_if_nobody_does(self.store);
        let listening = {
            let stopped = pin!(self.course.until_stopped());
            let begun = pin!(Listening::begin(call.id.to_string()));
            match select(stopped, begun).await {
                Either::Left(_) => return ServerCallEnd::Stopped,
                Either::Right((listening, _)) => listening,
            }
        };
        self.follow(&call, &line, client, listening).await
    }

    /// Sends the call and follows it. Leaving before it has ended cancels it over there.
    async fn follow(
        &self,
        call: &ServerCall,
        line: &ServerLine,
        client: ClientId,
        mut listening: Listening,
    ) -> ServerCallEnd {
        let body = McpCall {
            client: client.clone(),
            call_id: McpCallId::parse(call.id.as_str()).expect("a UUID is one"),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        };
        let path = format!("/api/v1/mcp/servers/{}/calls", call.server);
        let mut asked = pin!(line.ask::<McpCallResult>("POST", &path, Some(&body)));
        let mut stopped = pin!(self.course.until_stopped().fuse());
        let (mut forms, mut open) = (Forms::new(), BTreeMap::<String, AbortHandle>::new());
        let (mut left, mut beat) = (call.time_limit, Box::pin(clock::wait(BEAT).fuse()));
        poll_fn(move |cx| {
            if stopped.as_mut().poll(cx).is_ready() {
                return Poll::Ready(ServerCallEnd::Stopped);
            }
            if let Poll::Ready(answer) = asked.as_mut().poll(cx) {
                return Poll::Ready(ended(answer));
            }
            while let Poll::Ready(Some(news)) = listening.news.poll_next_unpin(cx) {
                match news {
                    CallNews::Progress(progress) => tell(call, &progress),
                    CallNews::Input(request) if open.contains_key(&request.request_id) => {}
                    CallNews::Input(request) => {
                        let (handle, registration) = AbortHandle::new_pair();
                        open.insert(request.request_id.clone(), handle);
                        let form = fill_in(call, line, client.clone(), request);
                        forms.push(Box::pin(Abortable::new(form, registration)));
                    }
                    CallNews::InputEnded(request) => drop(open.remove(&request).map(|handle| handle.abort())),
                }
            }
            while let Poll::Ready(Some(filled)) = forms.poll_next_unpin(cx) {
                if let Ok(request) = filled {
                    open.remove(&request);
                }
            }
            // The time in which the user is asked is the user's.
            while beat.as_mut().poll(cx).is_ready() {
                if open.is_empty() {
                    left = left.saturating_sub(BEAT);
                }
                if left.is_zero() {
                    return Poll::Ready(ServerCallEnd::TimedOut);
                }
                beat = Box::pin(clock::wait(BEAT).fuse());
            }
            Poll::Pending
        })
        .await
    }
}

impl CallServer for Servers<'_> {
    fn call(&self, call: ServerCall) -> Pin<Box<dyn Future<Output = ServerCallEnd> + '_>> {
        Box::pin(self.carry_out(call))
    }
}

fn ended(answer: Result<McpCallResult, LineError>) -> ServerCallEnd {
    match answer {
        Ok(result) => ServerCallEnd::Answered(result),
        Err(error) => ServerCallEnd::Failed(error.to_string()),
    }
}

/// Shows how far the call is.
fn tell(call: &ServerCall, progress: &McpProgress) {
    let amount = match progress.total {
        Some(total) if total > 0.0 => format!("{:.0} %", (progress.progress / total * 100.0).clamp(0.0, 100.0)),
        Some(_) | None => format!("{}", progress.progress),
    };
    let words = progress.message.as_deref().unwrap_or_default();
    let text = format!("{amount} {words}\n");
    shown_run::tell(call.id.as_str(), RunEvent::Output { stream: OutputStream::Stdout, text });
}

/// Has the user fill in a form, and hands the answer on. A no is an answer too.
async fn fill_in(call: &ServerCall, line: &ServerLine, client: ClientId, request: McpInputRequest) -> String {
    let question = InputQuestion {
        server: request.server.to_string(),
        tool_id: call.tool_id.to_string(),
        message: request.message,
        schema: request.schema,
    };
    let (chat, id) = (&call.chat, &call.id);
    let asked = call.message.as_ref().map(|message| AskedCall {
        chat: chat.clone(),
        message: message.clone(),
        call: id.clone(),
    });
    let (action, content) = match ask_input(question, asked).await {
        Some(Some(content)) => (McpInputAction::Accept, Some(content)),
        Some(None) => (McpInputAction::Decline, None),
        None => (McpInputAction::Cancel, None),
    };
    let answer = McpInputAnswer { client, request_id: request.request_id.clone(), action, content };
    // Where the call has ended meanwhile, nobody waits for it; else the call says itself that it waits on.
    line.say("POST", &format!("/api/v1/mcp/calls/{}/input", call.id), Some(&answer)).await.ok();
    request.request_id
}

//! Python for the tools' worker: a few cages, whoever may use them, and what a call in one comes to.

mod cage;
mod cages;
mod calling;
mod check;
mod network;
mod page;
mod relay;
mod runtime;

use std::pin::Pin;

use futures_util::future::{Either, select};
use satchel_core::approval::{Answer, ApprovalRequest};
use satchel_core::catalog::ToolsetId;
use satchel_core::http_tool::WantedGrant;
use satchel_core::local_api::{AskUser, Response};
use satchel_core::python::packages::Step;
use satchel_core::python::{
    CallFailure, CallOutcome, CallPython, Description, Ending, FetchAnswer, FromCage, PythonCall, PythonEnd, ToCage,
};
use serde_json::{Map, Value};

use self::cage::{Cage, CageError};
use self::cages::Taken;
use self::network::Network;
use crate::browser::clock;
use crate::browser::core_worker::scope::Course;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::raw_bytes::RawBytes;
use crate::browser::tab_roles::ActiveRun;
use crate::core_worker::packages;
use crate::core_worker::shown_run::{self, ShownRun};
use crate::core_worker::wish::{AskedCall, InputQuestion, Question, RunEvent, UserAnswer};

/// Listens to the page, before any job comes.
pub(super) fn listen() {
    page::listen(cages::set_seen);
}

/// Has Python loaded, where it will be wanted.
pub(super) fn warm_up(is_small: bool, is_wanted: bool) {
    cages::set_small(is_small);
    if is_wanted {
        cages::want();
    }
}

/// Tries every way out of a fresh cage.
pub(super) async fn check(target: &str) -> Response {
    check::check(target).await
}

/// Calls Python for one job.
pub(super) struct Python<'a> {
    store: &'a IndexedDbStore,
    course: &'a Course,
}

impl<'a> Python<'a> {
    /// For a job.
    pub(super) fn new(store: &'a IndexedDbStore, course: &'a Course) -> Self {
        Self { store, course }
    }

    /// A cage that is ready for this call.
    async fn prepared(&self, call: &PythonCall) -> Result<Taken, CageError> {
        let tell = |step: Step<'_>| {
            shown_run::tell(call.id.as_str(), RunEvent::Preparing { words: step.to_string() });
        };
        // Before a cage is taken: what cannot be had costs no cage. One that serves the session has its packages.
        let mut packages = None;
        if !cages::rests(&call.session) {
            packages = Some(packages::ready(self.store, call.session.package, &tell).await?);
        }
        let mut taken = cages::take(&call.session).await?;
        let packages = match packages {
            Some(packages) => packages,
            None if taken.cage().serves(&call.session) => Vec::new(),
            None => packages::ready(self.store, call.session.package, &tell).await?,
        };
        taken.cage().prepare(call, &packages, self.store).await?;
        Ok(taken)
    }

    async fn run(&self, call: &PythonCall) -> PythonEnd {
        let without = |ending| PythonEnd { ending, output: Vec::new(), displays: Vec::new() };
        let mut taken = {
            let (stopped, prepared) =
                (std::pin::pin!(self.course.until_stopped()), std::pin::pin!(self.prepared(call)));
            match select(stopped, prepared).await {
                Either::Left(_) => return without(Ending::Stopped),
                Either::Right((Ok(taken), _)) => taken,
                Either::Right((Err(error), _)) => return without(Ending::Died { message: error.to_string() }),
            }
        };
        let network = Network::of(call, self.store);
        let end = calling::call(taken.cage(), call, &network, self.course).await;
        // A cage whose files are not known exactly is not used again, nor one that was stopped or died.
        if let Ending::Returned { outcome, changed, removed, unread } = &end.ending
            && unread.is_empty()
            && !matches!(outcome, CallOutcome::Error { failure: CallFailure::TooManyFiles, .. })
        {
            taken.cage().has_changed(changed.iter().map(|(path, blob)| (path, blob.id())), removed);
            taken.put_back();
        }
        end
    }
}

impl CallPython for Python<'_> {
    async fn call(&self, call: PythonCall) -> PythonEnd {
        let _active = ActiveRun::begin();
        let _run = ShownRun::begin(&call.id, &call.tool_id, &call.session.chat, self.course);
        cages::want();
        self.run(&call).await
    }

    /// To say what a function takes, its module is imported, which may last as long as it likes: it can be stopped, and has no more
    /// time than the call itself. What comes of it is not the end of the call.
    async fn describe(&self, call: &PythonCall) -> Result<Description, String> {
        let _run = ShownRun::begin(&call.id, &call.tool_id, &call.session.chat, self.course);
        let ended = async {
            let limit = std::pin::pin!(clock::wait(call.time_limit));
            select(std::pin::pin!(self.course.until_stopped()), limit).await;
        };
        match select(std::pin::pin!(self.described(call)), std::pin::pin!(ended)).await {
            Either::Left((described, _)) => described,
            Either::Right(_) => Err("it did not say in time what it takes".to_owned()),
        }
    }
}

impl Python<'_> {
    async fn described(&self, call: &PythonCall) -> Result<Description, String> {
        let mut taken = self.prepared(call).await.map_err(|error| error.to_string())?;
        let cage = taken.cage();
        let request = cage.begin(|request| ToCage::Describe { request, entrypoint: call.entrypoint.clone() });
        let described = loop {
            match cage.next().await.word {
                FromCage::Described { request: of, description, input_schema } if of == request => {
                    break Ok(Description { description, input_schema });
                }
                FromCage::Refused { request: of, message } if of == request => break Err(message),
                FromCage::Failed { message } => return Err(message),
                FromCage::Fetch { fetch, .. } => {
                    refuse(cage, fetch, "nothing is fetched while a function is described")
                }
                _ => {}
            }
        };
        taken.put_back();
        described
    }
}

/// Asks the user in the page whether a call may be made.
pub(super) struct AskPage;

impl AskUser for AskPage {
    fn ask(&self, request: ApprovalRequest) -> Pin<Box<dyn Future<Output = Option<Answer>> + '_>> {
        Box::pin(ask_approval(request, None))
    }
}

/// Asks the user whether a call may be made, which is perhaps one in a conversation; nothing where the page has gone.
pub(super) async fn ask_approval(request: ApprovalRequest, asked: Option<AskedCall>) -> Option<Answer> {
    match page::ask(Question::Approval { request: Box::new(request), asked }).await {
        Some(UserAnswer::Approval(answer)) => Some(answer),
        Some(UserAnswer::Host { .. } | UserAnswer::Input { .. }) | None => None,
    }
}

/// Asks the user whether a toolset may reach a host.
pub(super) async fn ask_host(name: &str, toolset: &ToolsetId, wanted: &WantedGrant<'_>, is_private: bool) -> bool {
    let question = Question::Host {
        toolset: name.to_owned(),
        toolset_id: toolset.to_string(),
        host: wanted.host.to_owned(),
        is_private,
        secrets: wanted.secrets.iter().map(|secret| (*secret).to_owned()).collect(),
    };
    matches!(page::ask(question).await, Some(UserAnswer::Host { is_allowed: true }))
}

/// Asks the user to fill in what a server wants to know; nothing where the page has gone.
pub(super) async fn ask_input(request: InputQuestion, asked: Option<AskedCall>) -> Option<Option<Map<String, Value>>> {
    match page::ask(Question::Input { request: Box::new(request), asked }).await {
        Some(UserAnswer::Input { content }) => Some(content),
        Some(UserAnswer::Host { .. } | UserAnswer::Approval(_)) | None => None,
    }
}

/// Refuses a request to the network.
fn refuse(cage: &Cage, fetch: u32, message: &str) {
    let answer = FetchAnswer::Refused { message: message.into() };
    cage.say(&ToCage::Fetched { fetch, answer }, Some(&RawBytes::from(&[][..])));
}

//! Calls of HTTP tools: by the server where they need a secret or a host that lets no page read it, else from here.
//!
//! The way is chosen as for the requests of Python tools (`python/network.rs`): what only asks is asked from here first, so that the server
//! sees no more of it than it must; what may change something is sent once, by the server where there is one. A toolset that somebody else
//! has made reaches no host that the user was not asked about; one that the user made names its hosts by the user's own hand. A host in the
//! user's own network is asked for by name either way, unless the server's operator has listed it.

use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::future::{Either, select};
use satchel_core::http_tool::{
    Answered, CallHttp, Effect, Event, HttpCall, HttpEnd, HttpLimits, Outcome, PlainRequest, Run, Trouble, TroubleKind,
    WantedGrant,
};
use satchel_core::network::{self, Address};
use satchel_core::protocol::{HttpToolCall, HttpToolEnd, unframe_fetch};
use satchel_core::record::SourceType;
use satchel_core::store::{Commit, Store as _};

use super::mcp::{LineError, ServerLine};
use super::python::ask_host;
use super::shown_run::ShownRun;
use crate::browser::core_worker::scope::Course;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::outgoing::{self, Outgoing, OutgoingError};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::ActiveRun;
use crate::browser::{clock, random, url};

/// Calls HTTP tools for one job.
pub(super) struct HttpTools<'a> {
    store: &'a IndexedDbStore,
    course: &'a Course,
}

/// Why this page has no answer of its own.
enum NotHere {
    /// The browser does not say why; another way may lead there.
    Unreachable(String),
}

impl<'a> HttpTools<'a> {
    /// For a job.
    pub(super) fn new(store: &'a IndexedDbStore, course: &'a Course) -> Self {
        Self { store, course }
    }

    async fn carry_out(&self, call: HttpCall) -> HttpEnd {
        let _active = ActiveRun::begin();
        let _run = ShownRun::begin(&call.id, &call.tool_id, &call.chat, self.course);
        // What the user is asked is not run time.
        {
            let asked = pin!(self.permitted(&call));
            match select(pin!(self.course.until_stopped()), asked).await {
                Either::Left(_) => return HttpEnd::Stopped,
                Either::Right((Ok(()), _)) => {}
                Either::Right((Err(message), _)) => return HttpEnd::Failed(message),
            }
        }
        let over = async {
            match select(pin!(self.course.until_stopped()), pin!(clock::wait(call.time_limit))).await {
                Either::Left(_) => HttpEnd::Stopped,
                Either::Right(_) => HttpEnd::TimedOut,
            }
        };
        match select(pin!(self.choose(&call)), pin!(over)).await {
            Either::Left((end, _)) | Either::Right((end, _)) => end,
        }
    }

    /// Asks about the hosts that the user has not been asked about.
    async fn permitted(&self, call: &HttpCall) -> Result<(), String> {
        match call.source {
            SourceType::Created | SourceType::Builtin => return Ok(()),
            SourceType::Zip | SourceType::Local | SourceType::Url => {}
        }
        for wanted in call.tool.wants() {
            self.grant(call, &wanted).await?;
        }
        Ok(())
    }

    async fn grant(&self, call: &HttpCall, wanted: &WantedGrant<'_>) -> Result<(), String> {
        let granted = network::granted(self.store, &call.toolset).await.map_err(|error| error.to_string())?;
        let lacking: Vec<String> = wanted.names().into_iter().filter(|name| !granted.contains(name)).collect();
        if lacking.is_empty() {
            return Ok(());
        }
        let host = wanted.host;
        let is_private = Address::parse(&format!("http://{host}")).is_ok_and(|address| address.is_private());
        if !ask_host(&call.toolset_name, &call.toolset, wanted, is_private).await {
            return Err(format!("the user did not let {} reach {host}", call.toolset));
        }
        let now = clock::now();
        let grants = lacking.iter().map(|name| network::grant(&call.toolset, name, now));
        let kept = self.store.apply(grants.fold(Commit::default(), Commit::then), now).await;
        kept.map_err(|error| error.to_string())?;
        tab_news::tell(Topic::Toolsets);
        Ok(())
    }

    async fn choose(&self, call: &HttpCall) -> HttpEnd {
        let line = ServerLine::of(self.store).await;
        if !call.tool.secrets().is_empty() {
            return match line {
                Some(line) => through(&line, call).await.unwrap_or_else(|error| HttpEnd::Failed(error.to_string())),
                None => HttpEnd::Failed(
                    "it needs a secret, which only a Satchel server can send; connect one in Settings".into(),
                ),
            };
        }
        let is_public = |host: &String| Address::parse(&format!("http://{host}")).is_ok_and(|host| !host.is_private());
        let hosts = &call.tool.allowed_hosts;
        match line {
            None => self.directly(call, false).await.unwrap_or_else(unreachable),
            Some(line) if call.tool.only_asks() && hosts.iter().all(is_public) => {
                match self.directly(call, true).await {
                    Ok(end) => end,
                    Err(_) => through(&line, call).await.unwrap_or_else(|error| HttpEnd::Failed(error.to_string())),
                }
            }
            // A server that is away must not be in the way. It is asked beforehand: once it has the call, nobody knows whether the host got
            // it too, and what may change something is not done twice.
            Some(line) if !line.answers().await => self.directly(call, false).await.unwrap_or_else(unreachable),
            Some(line) => match through(&line, call).await {
                Ok(end) => end,
                Err(LineError::Unreachable) => HttpEnd::Failed(
                    "the Satchel server went away before it had answered, and it is not known whether the host got the request".into(),
                ),
                Err(error) => HttpEnd::Failed(error.to_string()),
            },
        }
    }

    /// The page's own way. `has_other` says that there is another one, so that what a browser does not let through is not tried again here.
    async fn directly(&self, call: &HttpCall, has_other: bool) -> Result<HttpEnd, NotHere> {
        let none = BTreeMap::new();
        let mut run = Run::new(&call.tool, &call.arguments, &none, HttpLimits::default());
        let mut event = Event::Begin;
        loop {
            event = match run.handle(event, clock::now(), random::chance()) {
                Effect::Done(Outcome::Answered(answer)) => return Ok(HttpEnd::Answered(answer)),
                Effect::Done(Outcome::Empty) => return Ok(HttpEnd::Empty),
                Effect::Done(Outcome::Failed { message, is_refused: _ }) => return Ok(HttpEnd::Failed(message)),
                Effect::Wait(time) => {
                    clock::wait(time).await;
                    Event::Waited
                }
                Effect::Send(request) => match self.send(call, request).await {
                    Ok(answer) => Event::Answered(answer),
                    Err(trouble) if has_other && trouble.kind == TroubleKind::Lost => {
                        return Err(NotHere::Unreachable(trouble.message));
                    }
                    Err(trouble) => Event::Failed(trouble),
                },
            };
        }
    }

    async fn send(&self, call: &HttpCall, request: PlainRequest) -> Result<Answered, Trouble> {
        let refused = |message: String| Trouble { message, kind: TroubleKind::Refused };
        // Judged as the browser reads it, since the browser will go there.
        let href = url::normal(&request.url).ok_or_else(|| refused("the address cannot be read".into()))?;
        let address = Address::parse(&href).map_err(|fault| refused(fault.to_string()))?;
        let host = address.granted_as();
        let own = Address::parse(&url::origin()).map_err(|fault| refused(fault.to_string()))?;
        if address.is_same_place(&own) {
            return Err(refused(format!("{host} is the address of Satchel itself, which no tool may reach")));
        }
        if !call.tool.allowed_hosts.iter().any(|entry| address.is_declared_by(entry)) {
            return Err(refused(format!("the host {host} is not among the tool's allowedHosts")));
        }
        if address.is_private() {
            // From here no secret is sent.
            self.grant(call, &WantedGrant { host: &host, secrets: Vec::new() }).await.map_err(refused)?;
        }
        let answer = pin!(fetch(&request, &href, &host, call.tool.max_response_bytes));
        match select(answer, pin!(clock::wait(request.time_limit))).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => Err(late(&host, request.time_limit)),
        }
    }
}

impl CallHttp for HttpTools<'_> {
    fn call(&self, call: HttpCall) -> Pin<Box<dyn Future<Output = HttpEnd> + '_>> {
        Box::pin(self.carry_out(call))
    }
}

async fn fetch(request: &PlainRequest, href: &str, host: &str, limit: u64) -> Result<Answered, Trouble> {
    let failed = |error| match error {
        OutgoingError::Unreachable => Trouble {
            message: format!(
                "{host} gave no answer to this page: it cannot be reached, it redirects, or it does not let other sites read it (CORS), which needs a connected server"
            ),
            kind: TroubleKind::Lost,
        },
        OutgoingError::TooLarge => Trouble {
            message: format!("the answer of {host} is larger than {limit} bytes"),
            kind: TroubleKind::TooLarge,
        },
    };
    let only_asks = matches!(request.method.as_str(), "GET" | "HEAD");
    let body = Some(RawBytes::from(request.body.as_slice())).filter(|body| body.len() > 0 && !only_asks);
    let outgoing = Outgoing { method: &request.method, href, headers: &request.headers, body: body.as_ref() };
    let incoming = outgoing::send(outgoing).await.map_err(failed)?;
    let (status, headers) = (incoming.status(), incoming.headers());
    let body = incoming.body(limit, |_, _| {}).await.map_err(failed)?.to_vec();
    Ok(Answered { status, headers, body })
}

fn late(host: &str, limit: Duration) -> Trouble {
    let message = format!("{host} did not answer completely within {} ms", limit.as_millis());
    Trouble { message, kind: TroubleKind::TimedOut }
}

fn unreachable(NotHere::Unreachable(message): NotHere) -> HttpEnd {
    HttpEnd::Failed(message)
}

/// The server's way.
async fn through(line: &ServerLine, call: &HttpCall) -> Result<HttpEnd, LineError> {
    let body = HttpToolCall {
        definition: call.definition.clone(),
        declared: call.declared.clone(),
        arguments: call.arguments.clone(),
        time_limit_ms: u64::try_from(call.time_limit.as_millis()).unwrap_or(u64::MAX),
    };
    let answer = line.say("POST", "/api/v1/http-tools/call", Some(&body)).await?;
    let (end, at) = unframe_fetch::<HttpToolEnd>(&answer).map_err(|_| LineError::Unreadable)?;
    Ok(match end {
        HttpToolEnd::Answered { status, media_type } => {
            let headers = vec![("content-type".to_owned(), media_type)];
            HttpEnd::Answered(Answered { status, headers, body: answer[at..].to_vec() })
        }
        HttpToolEnd::Empty => HttpEnd::Empty,
        HttpToolEnd::Failed { message } => HttpEnd::Failed(message),
        HttpToolEnd::TimedOut => HttpEnd::TimedOut,
    })
}
